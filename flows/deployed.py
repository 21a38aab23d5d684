"""The flows that deployments run: small validated parameters around build, refresh, evaluate and watch."""

from typing import Annotated, Any, Literal

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import State
from pydantic import Field

from rarefy.flows.serving import deployment_run, flow_runs
from rarefy.flows.serving.flow_runs import flow_limits
from rarefy.tasks.evaluate.protocols import PROTOCOLS

Place = Annotated[str, Field(min_length=1)]
Number = Annotated[int, Field(ge=0)]
Workers = Annotated[int, Field(ge=0, le=1_024)]
Amount = Annotated[float, Field(ge=0)]
Day = Annotated[str, Field(pattern=r"^$|^\d{4}-\d{2}-\d{2}$")]
Scheduler = Annotated[str, Field(pattern=r"^$|^(tcp|tls|ws|wss|ucx)://.+$")]
File = Annotated[str, Field(pattern=r"^$|^.+\.toml$")]
Protocol = Literal[tuple(PROTOCOLS)]  # type: ignore[valid-type]
HOOKS: dict[str, Any] = {
    "on_failure": [flow_runs.emit_run_ended],
    "on_crashed": [flow_runs.emit_run_ended],
    "on_cancellation": [flow_runs.emit_run_ended],
    "on_completion": [flow_runs.emit_run_ended],
}


def _name(verb: str, source: str, target: str) -> Any:
    """How a run is called in Prefect: "refresh filings → benchmark"."""

    def name() -> str:
        given = flow_run.parameters
        return f"{verb} {deployment_run.short_place(given[source])} → {deployment_run.short_place(given[target])}"

    return name


@flow(name="rarefy build", flow_run_name=_name("build", "corpus", "out"), **flow_limits("build"), **HOOKS)
def build(
    corpus: Place,
    out: Place,
    store: Place = ".rarefy",
    config_file: File = "",
    limit: Number = 0,
    as_of: Day = "",
    workers: Workers = 0,
    dask: Scheduler = "",
    max_calls: Number = 0,
    max_cost: Amount = 0.0,
) -> State[Any]:
    """Make the benchmark of a corpus; what was made before is found in the store.

    Args:
        corpus: folder, file or URL (s3://...) of the documents
        out: folder for the benchmark
        store: folder or URL of what was made before
        config_file: settings, as `rarefy init` writes them; empty: the offline ones
        limit: only the first documents, by path; 0: all
        as_of: as it would have been on that day (2025-03-31); empty: today
        workers: processes for documents; 0: that of the run
        dask: a Dask scheduler that exists, tcp://host:port
        max_calls: requests that may be sent to models; 0: no limit
        max_cost: what may be spent on models; 0: no limit
    """
    how = deployment_run.RunSettings(config_file, store, workers, dask, max_calls, max_cost)
    return deployment_run.build(corpus, out, how, limit, as_of)


@flow(name="rarefy refresh", flow_run_name=_name("refresh", "corpus", "out"), **flow_limits("refresh"), **HOOKS)
def refresh(
    corpus: Place,
    out: Place,
    store: Place = ".rarefy",
    config_file: File = "",
    only_if_wanted: bool = False,
    as_of: Day = "",
    evaluation: str = "",
    workers: Workers = 0,
    dask: Scheduler = "",
    max_calls: Number = 0,
    max_cost: Amount = 0.0,
) -> State[Any]:
    """Bring a benchmark up to its documents, tell what changed, and have it evaluated.

    Args:
        corpus: folder, file or URL (s3://...) of the documents
        out: folder of the benchmark
        store: folder or URL of what was made before
        config_file: settings, as `rarefy init` writes them; empty: the offline ones
        only_if_wanted: do nothing unless a trigger asked since the last refresh
        as_of: as it would have been on that day (2025-03-31); empty: today
        evaluation: deployment that is started when something changed; empty: none
        workers: processes for documents; 0: that of the run
        dask: a Dask scheduler that exists, tcp://host:port
        max_calls: requests that may be sent to models; 0: no limit
        max_cost: what may be spent on models; 0: no limit
    """
    how = deployment_run.RunSettings(config_file, store, workers, dask, max_calls, max_cost)
    return deployment_run.refresh(corpus, out, how, only_if_wanted, as_of, evaluation)


@flow(
    name="rarefy evaluate", flow_run_name=_name("evaluate", "benchmark", "results"), **flow_limits("evaluate"), **HOOKS
)
def evaluate(
    benchmark: Place,
    results: Place,
    store: Place = ".rarefy",
    config_file: File = "",
    systems: list[str] = [],  # noqa: B006  (Prefect copies it, and shows it)
    protocols: list[Protocol] = [],  # noqa: B006
    questions: Number = 0,
    fail_if: list[str] = [],  # noqa: B006
    workers: Workers = 0,
    dask: Scheduler = "",
    max_calls: Number = 0,
    max_cost: Amount = 0.0,
) -> State[Any]:
    """Put systems under test to the benchmark, and compare with the evaluation before.

    Args:
        benchmark: folder of the benchmark
        results: folder for evaluations; each version has a folder in it
        store: folder or URL of what was made before
        config_file: settings, as `rarefy init` writes them; empty: the offline ones
        systems: names of systems under [systems] in the settings, or built-in ones
        protocols: which of the five; none: all that apply
        questions: only so many of them; 0: all
        fail_if: what is a regression, as "overall drops 2 points significantly"
        workers: processes; 0: that of the run
        dask: a Dask scheduler that exists, tcp://host:port
        max_calls: requests that may be sent to models; 0: no limit
        max_cost: what may be spent on models; 0: no limit
    """
    how = deployment_run.RunSettings(config_file, store, workers, dask, max_calls, max_cost)
    return deployment_run.evaluate(benchmark, results, how, systems, protocols, questions, fail_if)


@flow(name="rarefy watch", flow_run_name=_name("watch", "corpus", "out"), **flow_limits("watch"), **HOOKS)
def watch(
    corpus: Place,
    out: Place,
    store: Place = ".rarefy",
    config_file: File = "",
    refresh: str = "rarefy refresh/refresh",
) -> State[Any]:
    """Look once whether documents came, changed or went; ask for a refresh where they did.

    Args:
        corpus: folder, file or URL (s3://...) of the documents
        out: folder of the benchmark
        store: folder or URL of what was made before
        config_file: settings, as `rarefy init` writes them; empty: the offline ones
        refresh: deployment that is started then, unless one waits to run already
    """
    return deployment_run.watch(corpus, out, deployment_run.RunSettings(config_file, store), refresh)
