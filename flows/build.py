"""From a folder of documents to a benchmark (architecture §6)."""

from prefect import flow
from prefect.runtime import flow_run
from rich.console import Console

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Variant
from rarefy.flows import jobs
from rarefy.flows.asking import means
from rarefy.flows.config import Config
from rarefy.flows.deliver import deliver, told
from rarefy.flows.progress import Board
from rarefy.flows.report import Built
from rarefy.flows.run import Run
from rarefy.flows.workers import hired
from rarefy.tasks.store import Store


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
    max_calls: int = 0,
    max_cost: float = 0.0,
) -> Built:
    """Make the benchmark of a corpus in the folder `out`, and give back what came of it."""
    board = Board(Console(stderr=True), quiet)
    with board.open(), hired(workers, dask) as hands:
        run = Run(Store(store), board, hands, means(config, flow_run.id, max_calls, max_cost))
        with told(run, out, config):
            read = run.read(jobs.reading(config), run.sources(corpus), limit)
            parts, tables = run.apart(read, limit, config.quarantine_budget)
            parts = run.each(jobs.chunking(config), parts)
            parts = run.each(jobs.extracting(config), parts)
            tables = run.gather("documents", Document, parts, tables)
            tables = run.gather("chunks", Chunk, parts, tables)
            tables = run.gather("triplets", Triplet, parts, tables)
            tables = run.remark(run.whole(jobs.flagging(config), tables))
            tables = run.whole(jobs.normalising(config), tables)
            tables = run.whole(jobs.tracing(config), tables)
            tables = run.whole(jobs.counting(config), tables)
            tables = run.whole(jobs.asking(config), tables)
            tables = run.whole(jobs.judging(config), tables)
            tables = run.whole(jobs.probing(config), tables)
            tables = run.whole(jobs.grading(config), tables)
            tables = run.whole(jobs.splitting(config), tables)
            tables = run.whole(jobs.drawing(config), tables)
            varied = run.each(jobs.varying(config), run.spread(tables), "questions")
            tables = run.gather("variants", Variant, varied, tables)
            tables = run.unanswered([*parts, *varied], tables)
            return deliver(run, out, config, tables)
