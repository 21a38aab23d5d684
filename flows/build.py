"""From a folder of documents to a benchmark (architecture §6)."""

from prefect import flow

from rarefy.flows.config import Config
from rarefy.flows.engine.benchmark import build_benchmark
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run, run_id
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.models.accounting import inference_context
from rarefy.flows.reports.build_report import BuildResult
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.store.active_runs import mark_run
from rarefy.tasks.store.tables import Store


@flow(name="rarefy build", flow_run_name="build {out} from {corpus}", persist_result=False)
def build(
    corpus: str,
    out: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    limit: int = 0,
    quiet: bool = False,
    verbose: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
    as_of: str = "",
) -> BuildResult:
    """Make the benchmark of a corpus in the folder `out`; returns what came of it.

    `build.fn` does the same without Prefect: its stages are called as plain functions.
    """
    board = ProgressBoard(Terminal(stderr=True), quiet, verbose)
    context = inference_context(config, run_id(), max_calls, max_cost)
    with (
        board.open(),
        mark_run(Store(store), f"build {out}", board.say),
        connect_workers(workers, dask) as pool,
    ):
        run = Run(Store(store), board, pool, context, budget=config.breach_budget)
        return build_benchmark(run, corpus, out, config, limit, as_of)
