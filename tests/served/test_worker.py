"""A Dask worker in the vLLM environment makes a stage that the main environment asks for: it has no Prefect."""

import importlib.util
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from distributed import Client, LocalCluster

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Unanswered
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.knowledge.extract import ExtractConfig
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.store.recipe import Job, make
from rarefy.tasks.store.tables import Store
from served.tiny import ENGINE, QUIET

TEXT = "Acme Corp was founded in 1901. Acme Corp acquired Borealis Instruments in March 2024."


@pytest.fixture
def client(python: str, tmp_path: Any) -> Iterator[Client]:
    """A scheduler here, and its one worker there, which holds a model."""
    with LocalCluster(n_workers=0, dashboard_address=None, host="127.0.0.1") as cluster, Client(cluster) as client:
        command = [python, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--nthreads", "1"]
        command += ["--resources", "vllm=1", "--no-dashboard", "--local-directory", str(tmp_path)]
        worker = subprocess.Popen(command, env={**os.environ, **QUIET}, stderr=(tmp_path / "log").open("wb"))
        try:
            client.wait_for_workers(1, timeout=60)
            yield client
        finally:
            worker.terminate()
            worker.wait(30)


def test_a_worker_without_prefect_makes_a_stage_with_the_model_in_its_process(client, model, tmp_path):
    for name in ("prefect", "great_expectations"):
        assert list(client.run(importlib.util.find_spec, name).values()) == [None]

    store = Store(str(tmp_path / "store"))
    document = Document("acme", "1", "acme.txt", "Acme", "text/plain", TEXT, entity="Acme Corp", domain="finance")
    chunk = Chunk("acme-0", "acme", 0, len(TEXT), "text", "", TEXT, 20, entity="Acme Corp", domain="finance")
    given = {
        "chunks": store.keep(to_table([chunk], Chunk)),
        "documents": store.keep(to_table([document], Document)),
    }
    config = ExtractConfig.model_validate({"methods": ["model"], "model": {"max_tokens": 24}})
    takes = {"chunks": Chunk, "documents": Document}
    makes = {"triplets": Triplet, "unanswered": Unanswered}
    tools = {"llm": LLMConfig(provider="vllm", model=model, extra=ENGINE)}
    job = Job("extract", "rarefy.tasks.knowledge.extract:extract", 1, takes, makes, config, tools)
    means = InferenceContext(stage="extract", run="one", serving=RequestPolicy(failure_budget=1))

    names = client.submit(
        make, given, job, str(tmp_path / "store"), means=means, resources={"vllm": 1}, pure=False
    ).result(timeout=240)

    failed = list(from_table(store.table(names["unanswered"]), Unanswered))
    claimed = list(from_table(store.table(names["triplets"]), Triplet))
    assert failed or claimed
    assert all(row.reason in ("truncated", "unparsable", "empty") for row in failed)
    assert all(row.rejected_because for row in claimed)
