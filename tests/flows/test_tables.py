"""With PREFECT_API_URL set, a run shows in that Prefect with readable names, and leaves its artifacts there."""

import base64
import json
import os
import subprocess
import sys
import time
import urllib.request

import pytest

from rarefy.data_contracts.rows import KINDS, PATTERNS


@pytest.fixture
def shown(copy, api):
    """Builds in a process that finds the API in its environment, and asks that API what it knows."""
    where = [
        "--out",
        str(copy / "out"),
        "--store",
        str(copy / "store"),
        "--config",
        str(copy / "quick.toml"),
        "--quiet",
    ]
    command = [sys.executable, "-m", "rarefy.flows.cli", "build", str(copy / "corpus"), *where]
    subprocess.run(command, check=True, env={**os.environ, "PREFECT_API_URL": api})

    def ask(kind: str, **wanted: object) -> list[dict]:
        body = json.dumps({"limit": 200, **wanted}).encode()
        login = base64.b64encode(os.environ["PREFECT_API_AUTH_STRING"].encode()).decode()
        headers = {"Content-Type": "application/json", "Authorization": f"Basic {login}"}
        request = urllib.request.Request(f"{api}/{kind}/filter", body, headers)
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    return ask


@pytest.mark.server
def test_the_run_and_its_artifacts_are_there(shown, copy):
    name = f"build {copy / 'out'} from {copy / 'corpus'}"
    (run,) = shown("flow_runs", flow_runs={"name": {"any_": [name]}})
    assert run["state_name"] == "Completed"
    mine = [artifact for artifact in shown("artifacts") if artifact["flow_run_id"] == run["id"]]
    by_key = {artifact["key"].removeprefix("out-"): artifact["data"] for artifact in mine if artifact["key"]}
    of_stages = {one["description"].partition(":")[0]: one for one in mine if not one["key"]}
    assert {"read", "chunk", "extract", "vary"} <= set(of_stages)
    assert all(one["data"] == 100.0 and one["task_run_id"] for one in of_stages.values())
    assert set(by_key) == {"funnel", "census", "contracts", "sample-questions", "progress"}
    assert by_key["progress"] == 100.0
    assert [row["stage"] for row in json.loads(by_key["funnel"])][:3] == ["documents", "chunks", "triplets"]
    kinds = {row["pattern"] for row in json.loads(by_key["census"])}
    assert set(PATTERNS) <= kinds <= set(KINDS)
    assert all(row["broken"] == 0 for row in json.loads(by_key["contracts"]))
    assert "> " in by_key["sample-questions"]

    wanted = {"read", "chunk", "extract", "normalise", "trace", "ask", "judge", "split", "vary", "export"}
    until = time.monotonic() + 90  # the server notes task runs when it gets round to it
    names: set[str] = set()
    while not wanted <= names and time.monotonic() < until:
        names = {task["name"] for task in shown("task_runs", flow_runs={"id": {"any_": [run["id"]]}})}
        time.sleep(0.5)
    assert wanted <= names
