"""Is everything there that a config needs? Looked at, and what to do where it is not."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

from rarefy.flows.cli.doctor_models import of_model, of_nli
from rarefy.flows.config import Config
from rarefy.flows.engine.cluster import known
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.models import accounting, roles
from rarefy.tasks.foreign_code import harmless
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.models.llm.secrets import address, redacted
from rarefy.tasks.store.tables import Store

OK, MISSING, WRONG = "ok", "not available", "wrong"
ROOM = 5 * 2**30  # bytes: models in memory are not on this disk, but a corpus of thousands of filings is


@dataclass(frozen=True)
class Finding:
    """What was looked at, how it is, and what to do."""

    what: str
    state: str  # ok | not available: the config does without | wrong: what the config needs is not there
    told: str


def examine(config: Config, file: Path | None, store: str, dask: str) -> Iterator[Finding]:
    """A finding for each thing that a build with this config works with, as soon as it was looked at."""
    yield from _looked("config", lambda: _config(config, file))
    named = {section: model for section, model in roles.sections(config).items() if model.provider}
    for section, model in named.items():
        yield from (Finding(f"{section} {what}", state, told) for what, state, told in of_model(model, config))
    if not named:
        yield Finding("model", MISSING, "none in the config, and none is needed: the offline methods ask none")
    yield Finding(*of_nli(config))
    yield from _looked("embedder", lambda: _embedder(config, store))
    yield from _looked("store", lambda: _disk(store))
    yield from _looked("replies", lambda: _books(config, store))
    yield from _looked("prefect", _prefect)
    if config.cluster.kind and not dask:
        yield from _looked("cluster", lambda: known(config.cluster))
    else:
        yield from _dask(dask)
    yield from _elasticsearch()


def show(findings: Iterator[Finding]) -> bool:
    """Print each as it comes; whether nothing is wrong."""
    fine = True
    for finding in findings:
        print(f"{finding.state:<14} {finding.what:<22} {harmless(redacted(finding.told, 1_000))}", flush=True)
        fine = fine and finding.state != WRONG
    return fine


def _looked(what: str, look: Callable[[], str]) -> Iterator[Finding]:
    try:
        yield Finding(what, OK, look())
    except (Fault, OSError, ValueError, ImportError) as error:
        yield Finding(what, WRONG, str(error))


def _config(config: Config, file: Path | None) -> str:
    from rarefy.flows.engine.config_check import check, remarks

    check(config, file)
    for remark in remarks(config):
        print(f"{'remark':<14} {'config':<22} {remark}")
    return str(file) if file else "the offline defaults"


def _embedder(config: Config, store: str) -> str:
    embed = config.embed.connect(
        accounting.place(Store(store)), threads=1, means=InferenceContext(serving=config.serving)
    )
    began = time.monotonic()
    vector = embed(["Is anybody there?"])
    return f"{config.embed.model}: {vector.shape[1]} dimensions, {time.monotonic() - began:.1f} s"


def _disk(store: str) -> str:
    made = Store(store)
    if not made.local:
        check_store(store)
        return f"{address(store)} can be written"
    folder = Path(made.root)
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not os.access(nearest, os.W_OK):
        raise UsageFault(f"{nearest} may not be written; grant permission, or choose another --store")
    free = shutil.disk_usage(nearest).free
    if free < ROOM:
        raise UsageFault(f"{made.root}: {free / 2**30:.1f} GiB free, under {ROOM // 2**30}; free some space")
    return f"{made.root}: {free / 2**30:.0f} GiB free"


def _books(config: Config, store: str) -> str:
    url = os.environ.get(accounting.REPLIES, "")
    place = accounting.place(Store(store))
    where = address(url) if url else str(place / "replies.sqlite")
    if not url and not (place / "replies.sqlite").exists():
        return f"{where}: will be begun by the first build that asks a model"
    used = accounting.books(Store(store), InferenceContext(books=url)).usage("")
    return f"{where}: {sum(one.calls for one in used):,} calls in the ledger"


def _prefect() -> str:
    from rarefy.flows.engine import prefect_server

    own = "PREFECT_API_URL" not in os.environ
    prefect_server.start()
    prefect_server.wait()
    return "a temporary server starts" if own else f"{address(os.environ['PREFECT_API_URL'])} answers"


def _dask(scheduler: str) -> Iterator[Finding]:
    if not scheduler:
        yield Finding("dask", MISSING, "no --dask: documents are worked on in this process or in --workers")
        return
    from distributed import Client

    try:
        with Client(scheduler, timeout="10s") as client:
            workers = client.scheduler_info()["workers"]
            versions = set(client.run(lambda: sys.version_info[:2]).values())
    except (OSError, ValueError) as error:
        yield Finding("dask", WRONG, f"{scheduler}: no scheduler answers ({error}); start one with `dask scheduler`")
        return
    if not workers:
        yield Finding("dask", WRONG, f"{scheduler}: no worker; start some with `dask worker {scheduler}`")
    elif versions != {sys.version_info[:2]}:
        told = ", ".join(".".join(map(str, one)) for one in sorted(versions))
        yield Finding("dask", WRONG, f"{scheduler}: workers have Python {told}; use the same everywhere")
    else:
        yield Finding("dask", OK, f"{scheduler}: {len(workers)} workers")


def _elasticsearch() -> Iterator[Finding]:
    url = os.environ.get("ELASTICSEARCH_URL", "")
    if not url:
        yield Finding("elasticsearch", MISSING, "ELASTICSEARCH_URL is not set; no build needs it")
        return
    headers = {"Authorization": f"ApiKey {key}"} if (key := os.environ.get("ELASTICSEARCH_API_KEY")) else {}
    try:
        with build_opener(ProxyHandler({})).open(Request(url, headers=headers), timeout=10) as answer:
            known = answer.headers.get("X-Elastic-Product") == "Elasticsearch"
    except (URLError, OSError, ValueError) as error:
        told = f"{address(url)} does not answer ({getattr(error, 'reason', error)}); start it, or unset the variable"
        yield Finding("elasticsearch", WRONG, told)
        return
    told = f"{address(url)} answers" if known else f"{address(url)} answers, but is no Elasticsearch"
    yield Finding("elasticsearch", OK if known else WRONG, told)
