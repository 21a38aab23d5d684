"""The stages of a build in their order, as a run goes through them, and the version it publishes (architecture §6)."""

import io
from dataclasses import replace
from importlib.metadata import version as installed

from rich.console import Console

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Variant
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.flows.config import Config
from rarefy.flows.engine import prefect_server, stages
from rarefy.flows.engine.as_of import choose_batching
from rarefy.flows.engine.deliver import build_settings, deliver, write_outcome
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import NotMade, Run, Tables, prefect_run, run_id
from rarefy.flows.models.accounting import inference_context
from rarefy.flows.models.expected_questions import report_expected
from rarefy.flows.reports.build_report import BuildResult
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.export import BESIDE, NAMES
from rarefy.tasks.refresh.feeds.watched import remember_read
from rarefy.tasks.refresh.versions.compare import describe_differing_settings, find_differing_settings
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import mark_run
from rarefy.tasks.store.tables import Store


def build_from_store(
    corpus: str,
    out: str,
    config: Config,
    store: str,
    limit: int = 0,
    quiet: bool = False,
    as_of: str = "",
    verbose: bool = False,
) -> BuildResult | None:
    """The benchmark of a corpus where the store has all of it; None where anything is yet to be made.

    Nothing is made and no Prefect is needed; it is looked for only where these settings published a version before.
    Progress is printed once all is found: what is not there yet is printed by the build that makes it.
    """
    place, settings = Store(store), build_settings(config)
    if all(one.config != settings for one in journal.list_versions(place)):
        return None
    terminal, lines = Terminal(stderr=True), io.StringIO()
    board = ProgressBoard(Console(file=lines, color_system=None), quiet, verbose)
    with mark_run(place, f"build {out}", board.say):
        run = Run(
            place, board, context=inference_context(config, run_id(), 0, 0.0), budget=config.breach_budget, makes=False
        )
        try:
            built = build_benchmark(run, corpus, out, config, limit, as_of)
        except NotMade:
            return None
    terminal.print(lines.getvalue(), end="", highlight=False, markup=False, soft_wrap=True)
    return built


def build_benchmark(run: Run, corpus: str, out: str, config: Config, limit: int = 0, as_of: str = "") -> BuildResult:
    """Make the benchmark of a corpus, publish it in `out` and record it in the store's journal."""
    line, whole = journal.line_of(out), not limit and not as_of
    previous = journal.latest_version(run.store, line)
    if previous and (
        names := find_differing_settings(previous.config, build_settings(config))
    ):  # a config may have been forgotten
        run.board.note(
            "settings", f"{describe_differing_settings(names, str(previous.number)).removeprefix('Settings ')}"
        )
    batching = choose_batching(run, corpus, out, as_of)
    with write_outcome(run, out, config):
        sources = run.list_sources(corpus, line if whole else "")
        read = run.read_documents(stages.reading(config), sources, limit)
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
        varying = stages.varying(config)
        asked = run.batch_questions(tables)
        if previous:
            asked = run.recall(varying, asked, tables, previous.tables)
        varied = run.each(varying, asked, "questions")
        tables = run.gather("variants", Variant, varied, tables)
        tables = run.collect_similarities(varied, tables)
        tables = run.collect_breaches(run.collect_unanswered([*parts, *varied], tables))
        built = deliver(run, out, config, tables, as_of)
        entry = record_version(run, built, corpus, config, tables, as_of, limit)
        if whole and run.seen:
            remember_read(run.store, line, corpus, run.seen)
        return replace(built, entry=entry, previous=previous)


def record_version(
    run: Run, built: BuildResult, corpus: str, config: Config, tables: Tables, as_of: str = "", limit: int = 0
) -> journal.Version:
    """Record in the store's journal what was just published; returns the entry."""
    names = {kind: tables[kind] for kind in (NAMES | BESIDE).values()}
    run_of_prefect = prefect_run()
    entry = journal.Version(
        version=built.version,
        line=journal.line_of(built.out),
        out=built.out,
        corpus=journal.resolve_place(corpus),
        as_of=as_of,
        limit=limit,
        config=build_settings(config),
        tables=names,
        run_id=run_of_prefect.id or "" if run_of_prefect else "",
        # that of a temporary server dies with the run
        run_url=run_of_prefect.ui_url or "" if run_of_prefect and not prefect_server.is_temporary() else "",
        package=installed("rarefy"),
        schemas={kind: SCHEMAS[kind] for kind in names},
        counts={stage.name: stage.kept for stage in built.funnel},
    )
    return run.stage("record", lambda: journal.record_version(run.store, entry, run.store.touched, run.fence))
