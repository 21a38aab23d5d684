"""From a folder of documents to a benchmark (architecture §6)."""

from dataclasses import replace
from importlib.metadata import version as installed

from prefect import flow
from prefect.runtime import flow_run

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Variant
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.flows.config import Config
from rarefy.flows.engine import prefect_server, stages
from rarefy.flows.engine.as_of import choose_batching
from rarefy.flows.engine.deliver import build_settings, deliver, write_outcome
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run, Tables, run_id
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.models.accounting import inference_context
from rarefy.flows.models.expected_questions import report_expected
from rarefy.flows.reports.build_report import BuildResult
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.export import BESIDE, NAMES
from rarefy.tasks.refresh.versions.compare import describe_differing_settings, find_differing_settings
from rarefy.tasks.store import journal
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
    max_calls: int = 0,
    max_cost: float = 0.0,
    as_of: str = "",
) -> BuildResult:
    """Make the benchmark of a corpus in the folder `out`; returns what came of it.

    `build.fn` does the same without Prefect: its stages are called as plain functions.
    """
    board = ProgressBoard(Terminal(stderr=True), quiet)
    context = inference_context(config, run_id(), max_calls, max_cost)
    with (
        board.open(),
        mark_run(Store(store), f"build {out}", board.say),
        connect_workers(workers, dask, config.cluster) as pool,
    ):
        run = Run(Store(store), board, pool, context, budget=config.breach_budget)
        return build_benchmark(run, corpus, out, config, limit, as_of)


def build_benchmark(run: Run, corpus: str, out: str, config: Config, limit: int = 0, as_of: str = "") -> BuildResult:
    """Make the benchmark of a corpus, publish it in `out` and record it in the store's journal."""
    previous = journal.latest_version(run.store, journal.line_of(out))
    if previous and (
        names := find_differing_settings(previous.config, build_settings(config))
    ):  # a config may have been forgotten
        run.board.note(
            "settings", f"{describe_differing_settings(names, str(previous.number)).removeprefix('Settings ')}"
        )
    batching = choose_batching(run, corpus, out, as_of)
    with write_outcome(run, out, config):
        read = run.read_documents(stages.reading(config), run.list_sources(corpus), limit)
        parts, tables = run.batch_documents(read, limit, config.quarantine_budget, batching)
        report_expected(run, config, parts, corpus, out)
        parts = run.each(stages.chunking(config), parts)
        parts = run.each(stages.extracting(config), parts)
        tables = run.report_languages(run.gather("documents", Document, parts, tables))
        tables = run.gather("chunks", Chunk, parts, tables)
        tables = run.gather("triplets", Triplet, parts, tables)
        tables = run.report_doubts(run.whole(stages.flagging(config), tables))
        tables = run.whole(stages.linking(config), tables)
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
        varied = run.each(stages.varying(config), run.batch_questions(tables), "questions")
        tables = run.gather("variants", Variant, varied, tables)
        tables = run.collect_similarities(varied, tables)
        tables = run.collect_breaches(run.collect_unanswered([*parts, *varied], tables))
        built = deliver(run, out, config, tables, as_of)
        entry = record_version(run, built, corpus, config, tables, as_of, limit)
        return replace(built, entry=entry, previous=previous)


def record_version(
    run: Run, built: BuildResult, corpus: str, config: Config, tables: Tables, as_of: str = "", limit: int = 0
) -> journal.Version:
    """Record in the store's journal what was just published; returns the entry."""
    names = {kind: tables[kind] for kind in (NAMES | BESIDE).values()}
    entry = journal.Version(
        version=built.version,
        line=journal.line_of(built.out),
        out=built.out,
        corpus=journal.resolve_place(corpus),
        as_of=as_of,
        limit=limit,
        config=build_settings(config),
        tables=names,
        run_id=flow_run.id or "",
        run_url="" if prefect_server.is_temporary() else flow_run.ui_url or "",  # that one dies with the run
        package=installed("rarefy"),
        schemas={kind: SCHEMAS[kind] for kind in names},
        counts={stage.name: stage.kept for stage in built.funnel},
    )
    return run.stage("record", lambda: journal.record_version(run.store, entry, run.store.touched, run.fence))
