"""What a deployment's run does, and how it says in Prefect what came of it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRunPolicy
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State

from rarefy.flows.config import Config, load
from rarefy.flows.engine.store_repair import with_repair
from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.serving import run_summary, start_run
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.store import journal
from rarefy.tasks.store.tables import Store

Done = TypeVar("Done")
REGRESSED = "Regressed"  # the state of an evaluation that broke a rule


@dataclass(frozen=True)
class How:
    """With which settings, and by whom."""

    config_file: str
    store: str
    workers: int = 0
    dask: str = ""
    max_calls: int = 0
    max_cost: float = 0.0

    def config(self) -> Config:
        """The settings, once all that they name is known to be there."""
        from rarefy.flows.engine.config_check import check

        file = Path(self.config_file) if self.config_file else None
        config = load(file)
        check(config, file)
        return config

    def limits(self) -> dict[str, Any]:
        """What build, refresh and evaluate take alike."""
        return {
            "store": self.store,
            "workers": self.workers,
            "dask": self.dask,
            "quiet": True,  # what is said goes to the run's log
            "max_calls": self.max_calls,
            "max_cost": self.max_cost,
        }


def short(place: str) -> str:
    """A folder or file as it is called in a run's name."""
    return re.split(r"[/\\]", str(place).rstrip("/\\"))[-1] or str(place)


def build(corpus: str, out: str, how: How, limit: int, as_of: str) -> State[Any]:
    """A benchmark, and its state "Built"."""
    from rarefy.flows.build import build as make

    with _final():
        given = how.limits() | {"limit": limit, "as_of": as_of}
        built = _mended(how.store, lambda: make.fn(corpus, out, how.config(), **given))
        return Completed(name="Built", message=run_summary.built(built))


def refresh(corpus: str, out: str, how: How, only_if_wanted: bool, as_of: str, evaluation: str) -> State[Any]:
    """A refreshed benchmark, its diff among the artifacts, and an evaluation under way where something changed."""
    from rarefy.flows.refresh import refresh as make

    with _final():
        given = how.limits() | {"as_of": as_of, "only_if_wanted": only_if_wanted}
        done = _mended(how.store, lambda: make.fn(corpus, out, how.config(), **given))
        run_summary.of_refresh(done)
        if done.told == "refreshed" and evaluation:
            start_run.start(evaluation)
        return Completed(name=done.told.capitalize(), message=run_summary.refreshed(done))


def evaluate(
    benchmark: str,
    results: str,
    how: How,
    systems: Sequence[str],
    protocols: Sequence[str],
    questions: int,
    rules: Sequence[str],
) -> State[Any]:
    """An evaluation, set beside the one of the version before; "Regressed", and failed, where it breaks a rule."""
    from rarefy.flows.evaluate import evaluate as make

    with _final():
        config = how.config()
        place, before = _places(benchmark, results, how.store)
        given = how.limits() | {"names": systems, "protocol": protocols, "questions": questions}
        done = _mended(how.store, lambda: make.fn(benchmark, str(place), config, **given))
        broken = run_summary.of_evaluation(done, before, config, rules)
        if broken:
            _once()
            return Failed(name=REGRESSED, message="\n".join(broken))
        return Completed(name="Evaluated", message=run_summary.evaluated(done))


def watch(corpus: str, out: str, how: How, deployment: str) -> State[Any]:
    """One look at the documents; a refresh is asked for, and its deployment started, where they changed."""
    from rarefy.flows.serving.folder_watch import look

    with _final():
        begun: list[str] = []  # before what was seen is remembered: a crash between the two loses no refresh
        then = lambda: begun.append(start_run.start(deployment, only_if_wanted=True))  # noqa: E731
        why = look(corpus, out, how.store, how.config(), run_summary.say, then)
        if not why:
            return Completed(name="Unchanged", message="no document came, changed or went")
        return Completed(name="Wanted", message="; ".join([why, *begun]))


def _places(benchmark: str, results: str, store: str) -> tuple[Path, Path | None]:
    """The folder of this version's evaluation, and that of the one before it."""
    try:
        version = str(json.loads(Path(benchmark, "manifest.json").read_bytes()).get("version", ""))
    except FileNotFoundError:
        raise UsageFault(
            f"{benchmark}: no manifest.json, so that this is no benchmark; build or refresh it first"
        ) from None
    known = journal.versions(Store(store), journal.line_of(benchmark))
    number = max((one.number for one in known if one.version == version), default=0)
    place = Path(results, f"{number:04d}-{version[:8] or 'unversioned'}")
    there = sorted(path.parent for path in Path(results).glob("*/summary.json") if path.parent.name < place.name)
    return place, there[-1] if there else None


@contextmanager
def _final() -> Iterator[None]:
    """A fault of config, corpus or limits is not tried again: it would be the same."""
    try:
        yield
    except (Fault, ValueError):
        _once()
        raise


def _once() -> None:
    """This run is not tried again, however it ends."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, empirical_policy=FlowRunPolicy(retries=0, retry_delay=0))


def _mended(store: str, make: Callable[[], Done]) -> Done:
    """What `make` gives; damage is told in the run's log, and mended."""
    return with_repair(store, make, lambda damage, _: run_summary.say(redacted(str(damage))))
