"""From a benchmark and the systems under test to how robust they are (architecture §6)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from prefect import flow
from prefect.artifacts import create_markdown_artifact

from rarefy.data_contracts.breaches import KINDS
from rarefy.data_contracts.rows import Answer, Chunk, Hits, Question, Score, Trial, Variant
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.data_contracts.tables import from_table, schema_of
from rarefy.flows.config import Config
from rarefy.flows.engine.aggregate import SCHEMA, conclude, options, packages, tagged, written
from rarefy.flows.engine.benchmark_folder import Bench, opened, wordings
from rarefy.flows.engine.current_run import named, watched
from rarefy.flows.engine.evaluation_batches import portions
from rarefy.flows.engine.evaluation_stages import answering, preferring, retrieving, scoring, sure_noise, trying
from rarefy.flows.engine.progress import WIDTH, Board
from rarefy.flows.engine.resolve_systems import models_of, pinned, protocols, systems
from rarefy.flows.engine.run import Part, Run
from rarefy.flows.engine.workers import hired
from rarefy.flows.models import accounting
from rarefy.flows.reports.build_report import tally
from rarefy.flows.reports.console import Terminal
from rarefy.flows.reports.failure_notes import tell_failures, tell_unscored
from rarefy.tasks.evaluate.protocols import PROTOCOLS, cases
from rarefy.tasks.evaluate.protocols.sure_oracle import Preferred
from rarefy.tasks.evaluate.results import markdown
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.export.files import put_breaches
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import marked
from rarefy.tasks.store.tables import Store

SEEN = 200  # questions that are looked at to see whether a protocol has anything to try


@dataclass(frozen=True)
class Evaluated:
    """A finished evaluation, as a person wants to see it."""

    out: str
    summary: dict[str, Any]
    made: int  # tables made now, rather than found


@flow(name="rarefy evaluate", flow_run_name="evaluate {names} on {bench}", persist_result=False)
def evaluate(
    bench: str,
    out: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    names: Sequence[str] = (),
    protocol: Sequence[str] = (),
    split: str = "",
    questions: int = 0,
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    quiet: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
) -> Evaluated:
    """Put systems to the test on a benchmark, and write what comes of it into the folder `out`."""
    board = Board(Terminal(stderr=True), quiet)
    tested, wanted = pinned(systems(config, names), Path(out)), protocols(protocol)
    how = (config, named(), max_calls, max_cost, models_of(config, tested))
    mark = marked(Store(store), f"evaluate {out}", board.say)
    with board.open(), mark, hired(workers, dask, config.cluster) as hands:
        run = Run(Store(store), board, hands, accounting.means(*how), budget=config.breach_budget)
        given = run.stage("open", lambda: opened(Path(bench), run.store, split=split, most=questions))
        board.say(f"{'open':<{WIDTH}} {given.asked:,} of {given.of:,} questions ({given.split}) of {given.name}")
        hits = _retrieved(run, given, config)
        parts = run.stage("portion", lambda: portions(run.store, given, hits))
        left_out = _left_out(run, parts[0], tested, wanted, config)
        chosen = [name for name in wanted if any((s, name) not in left_out for s in tested)]
        for (system, name), why in left_out.items():
            board.say(f"{'left out':<{WIDTH}} {name} for {system}: {why}")
        if "sure" in chosen and config.protocols.sure.noise:
            parts = _with_noise(run.each(sure_noise(config), parts, "questions"))
        takes = {one for system in tested.values() for one in system.takes}
        parts = run.each(trying(config, chosen, takes), parts, "questions")
        if "sure" in chosen and config.oracle.likelihood.llm.provider:
            parts = run.each(preferring(config), parts, "questions")
        made: dict[str, list[Part]] = {}
        for name, system in tested.items():
            answered = run.each(answering(name, system, given.corpus), parts, "questions")
            tell_failures(run, name, answered)
            made[name] = run.each(scoring(config, name), answered, "questions")
            tell_unscored(run, name, made[name])
        names_ = run.stage("gather", lambda: gathered(run.store, given, hits, parts, made))
        for row_type in (Trial, Answer, Score):
            names_ = run.hold(KINDS[row_type], row_type, names_)
        tables = {kind: run.store.table(name) for kind, name in names_.items()}
        meta = meta_of(given, config, tested, chosen, left_out)
        line = board.line("conclude", "figures", None)
        found, told = run.stage("conclude", lambda: conclude(tables, meta, config))
        line.end(f"{found.num_rows:,} figures")
        line = board.line("report", "files", None)
        beside = {"similarities": run.store.table(given.similarities)} if given.similarities else {}
        run.stage("report", lambda: written(Path(out), {**tables, **beside, "figures": found}, told, config))
        line.end(f"in {out}")
        _leave(run, Path(out))
        run.stage("note", lambda: journal.use(run.store, given.version, out, run.store.touched))
        if watched():
            create_markdown_artifact(markdown(told), key="evaluation", description=f"How robust: {', '.join(tested)}")
        return Evaluated(out, told, run.made)


def _leave(run: Run, out: Path) -> None:
    """Say how many rows broke a rule and were set aside, and put them beside the result; without any, no file."""
    place, rows = out / "breaches.jsonl", list(run.breaches.values())
    put_breaches(place, rows)
    if not rows:
        return
    counted = ", ".join(f"{count:,} {kind}: {rule}" for kind, rule, count in tally(rows)[:3])
    run.board.say(f"{'set aside':<{WIDTH}} {len(rows):,} rows broke a rule of their contract ({counted}); see {place}")


def _retrieved(run: Run, given: Bench, config: Config) -> str:
    """The table of what was retrieved for each wording."""
    tables = {"variants": run.stage("wordings", lambda: wordings(run.store, given))}
    tables |= {"chunks": given.chunks, "questions": given.questions}
    if not run.store.rows(given.chunks):
        return run.store.keep(schema_of(Hits).empty_table())
    hits: str = run.whole(retrieving(config), tables)["hits"]
    return hits


def _with_noise(parts: Sequence[Part]) -> list[Part]:
    """The portions, with what SURE changes of passages that are not gold among their variants."""
    return [{**part, "variants": [part["variants"], part["noise"]]} for part in parts]


def _left_out(
    run: Run, part: Part, tested: Mapping[str, SystemConfig], wanted: Sequence[str], config: Config
) -> dict[tuple[str, str], str]:
    """By system and protocol: why nothing of it can be tried with what there is."""
    rows = {
        name: list(from_table(run.store.table(part[name]), row_type))
        for name, row_type in {"questions": Question, "variants": Variant, "chunks": Chunk, "hits": Hits}.items()
    }
    chunks = {row.chunk_id: row for row in rows["chunks"]}
    seen = list(cases(rows["questions"][:SEEN], rows["variants"], chunks, rows["hits"]))
    told = {}
    for system, about in tested.items():
        for name in wanted:
            why = PROTOCOLS[name].lacking(seen, getattr(config.protocols, name), frozenset(about.takes))
            if why:
                told[system, name] = why
    return told


def gathered(
    store: Store, given: Bench, hits: str, parts: Sequence[Part], made: Mapping[str, Sequence[Part]]
) -> dict[str, str]:
    """The names of all tables of the result, each in the order of its rows' names."""
    every = [part for its in made.values() for part in its]
    tables = {
        "trials": _together(store, [part["trials"] for part in parts], Trial, "trial_id"),
        "answers": _together(store, [part["answers"] for part in every], Answer, "trial_id", "system"),
        "scores": _together(store, [part["scores"] for part in every], Score, "trial_id", "system"),
        "hits": _together(store, [hits], Hits, "question_id", "retriever", "query_id"),
    }
    if preferred := [part["preferred"] for part in parts if "preferred" in part]:
        tables["preferred"] = _together(store, preferred, Preferred, "question_id", "group", "chunk_id")
    noise = [part["noise"] for part in parts if "noise" in part]
    tables["variants"] = _together(store, [given.variants, *noise], Variant, "question_id", "side", "variant_id")
    names = {kind: store.keep(table) for kind, table in tables.items()}
    return names | {kind: getattr(given, kind) for kind in ("questions", "chunks")}


def _together(store: Store, names: Sequence[str], row_type: type, *order: str) -> pa.Table:
    table = pa.concat_tables([schema_of(row_type).empty_table(), *(store.table(name) for name in names)])
    return table.take(pc.sort_indices(table, sort_keys=[(name, "ascending") for name in order]))


def meta_of(
    given: Bench,
    config: Config,
    tested: Mapping[str, SystemConfig],
    chosen: Sequence[str],
    left_out: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    """What a result says of itself, the numbers apart."""
    prices = {price.currency for price in config.serving.prices}
    return {
        "schema": SCHEMA,
        "benchmark": {
            "version": given.version,
            "name": given.name,
            "questions": given.asked,
            "of": given.of,
            "documents": given.documents,
            "split": given.split,
        },
        "systems": {
            name: {
                "kind": one.kind,
                "takes": sorted(one.takes),
                "retrieves": one.retrieves,
                "identity": one.identity(),
            }
            for name, one in tested.items()
        },
        "protocols": {
            name: {
                "title": PROTOCOLS[name].title,
                "paper": PROTOCOLS[name].paper,
                "options": options(getattr(config.protocols, name)),
            }
            for name in chosen
        },
        "retrieval": config.retrieve.identity(),
        "correctness": options(config.correct),
        "open": [
            *tagged(config.retrieve, "Retrieval"),
            *tagged(config.measured, "Retrieval"),
            *tagged(config.statistics, "Statistics"),
            *(row for name, one in tested.items() if one.kind == "rag" for row in tagged(one.rag, f"System {name}")),
        ],
        "left_out": [{"system": s, "protocol": p, "why": why} for (s, p), why in left_out.items()],
        "statistics": config.statistics.model_dump(mode="json"),
        "currency": "/".join(sorted(prices)),
        "package": packages(),
        "schemas": SCHEMAS,
    }
