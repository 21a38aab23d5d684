"""From a folder of documents to a benchmark (architecture §6)."""

from dataclasses import replace
from importlib.metadata import version as installed

from prefect import flow
from prefect.runtime import flow_run

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Variant
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.flows.config import Config
from rarefy.flows.engine import prefect_server, stages
from rarefy.flows.engine.as_of import knowing
from rarefy.flows.engine.current_run import named
from rarefy.flows.engine.deliver import decisive, deliver, told
from rarefy.flows.engine.progress import WIDTH, Board
from rarefy.flows.engine.run import Run, Tables
from rarefy.flows.engine.workers import hired
from rarefy.flows.models.accounting import means
from rarefy.flows.models.expectation_report import say
from rarefy.flows.reports.build_report import Built
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.export import BESIDE, NAMES
from rarefy.tasks.refresh.versions.settings import differ, differing
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import marked
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
    max_calls: int = 0,
    max_cost: float = 0.0,
    as_of: str = "",
) -> Built:
    """Make the benchmark of a corpus in the folder `out`, and give back what came of it.

    `build.fn` is the same outside of Prefect: its stages are called as the functions they are.
    """
    board = Board(Terminal(stderr=True), quiet)
    with board.open(), marked(Store(store), f"build {out}", board.say), hired(workers, dask, config.cluster) as hands:
        run = Run(Store(store), board, hands, means(config, named(), max_calls, max_cost), budget=config.breach_budget)
        return made(run, corpus, out, config, limit, as_of)


def made(run: Run, corpus: str, out: str, config: Config, limit: int = 0, as_of: str = "") -> Built:
    """The benchmark of a corpus, published in `out` and recorded in the store's journal."""
    stood = journal.latest(run.store, journal.line_of(out))
    if stood and (names := differing(stood.config, decisive(config))):  # a config may have been forgotten
        run.board.say(f"{'settings':<{WIDTH}} {differ(names, str(stood.number)).removeprefix('Settings ')}")
    by = knowing(run, corpus, out, as_of)
    with told(run, out, config):
        read = run.read(stages.reading(config), run.sources(corpus), limit)
        parts, tables = run.apart(read, limit, config.quarantine_budget, by)
        say(run, config, parts, corpus, out)
        parts = run.each(stages.chunking(config), parts)
        parts = run.each(stages.extracting(config), parts)
        tables = run.gather("documents", Document, parts, tables)
        tables = run.gather("chunks", Chunk, parts, tables)
        tables = run.gather("triplets", Triplet, parts, tables)
        tables = run.remark(run.whole(stages.flagging(config), tables))
        tables = run.whole(stages.normalising(config), tables)
        tables = run.whole(stages.superseding(config), tables)
        tables = run.whole(stages.tracing(config), tables)
        tables = run.whole(stages.counting(config), tables)
        tables = run.whole(stages.asking(config), tables)
        tables = run.whole(stages.judging(config), tables)
        tables = run.whole(stages.probing(config), tables)
        tables = run.whole(stages.grading(config), tables)
        tables = run.whole(stages.splitting(config), tables)
        tables = run.whole(stages.drawing(config), tables)
        varied = run.each(stages.varying(config), run.spread(tables), "questions")
        tables = run.gather("variants", Variant, varied, tables)
        tables = run.similarities(varied, tables)
        tables = run.breached(run.unanswered([*parts, *varied], tables))
        built = deliver(run, out, config, tables, as_of)
        entry = recorded(run, built, corpus, config, tables, as_of, limit)
        return replace(built, recorded=entry, stood=stood)


def recorded(
    run: Run, built: Built, corpus: str, config: Config, tables: Tables, as_of: str = "", limit: int = 0
) -> journal.Version:
    """The entry in the store's journal for what was just published."""
    names = {kind: tables[kind] for kind in (NAMES | BESIDE).values()}
    entry = journal.Version(
        version=built.version,
        line=journal.line_of(built.out),
        out=built.out,
        corpus=journal.resolved(corpus),
        as_of=as_of,
        limit=limit,
        config=decisive(config),
        tables=names,
        run_id=flow_run.id or "",
        run_url="" if prefect_server.temporary() else flow_run.ui_url or "",  # that one dies with the run
        package=installed("rarefy"),
        schemas={kind: SCHEMAS[kind] for kind in names},
        counts={stage.name: stage.kept for stage in built.funnel},
    )
    return run.stage("record", lambda: journal.record(run.store, entry, run.store.touched, run.fence))
