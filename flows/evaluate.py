"""From a benchmark and the systems under test to how robust they are (architecture §6)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from prefect import flow

from rarefy.data_contracts.breaches import KINDS
from rarefy.data_contracts.rows import GIVEN, Answer, Chunk, Hits, Passage, Question, Score, Trial, Variant
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.data_contracts.tables import RowsById, from_table, schema_of
from rarefy.flows.config import Config
from rarefy.flows.engine.aggregate import (
    SCHEMA,
    aggregate_scores,
    list_open_options,
    list_options,
    package_versions,
    write_result,
)
from rarefy.flows.engine.benchmark_folder import (
    OpenedBenchmark,
    batch_evaluation,
    narrow_benchmark,
    narrow_table,
    open_benchmark,
    select_wordings,
)
from rarefy.flows.engine.config_check import (
    keep_run,
    models_of_evaluation,
    pin_versions,
    resolve_protocols,
    resolve_systems,
)
from rarefy.flows.engine.prefect_server import create_artifact
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Part, Run, is_shown_in_prefect, run_id
from rarefy.flows.engine.stages import CASE, answering, preferring, retrieving, scoring, sure_noise, trying
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import accounting
from rarefy.flows.reports.build_report import count_breaches
from rarefy.flows.reports.console import Terminal
from rarefy.flows.reports.failure_notes import tell_failures, tell_unscored
from rarefy.tasks.evaluate.correct.verdict import is_decided_by_rules
from rarefy.tasks.evaluate.protocols import PROTOCOLS, cases
from rarefy.tasks.evaluate.protocols.budget import (
    FIRST,
    FIRST_QUESTIONS,
    LOOK,
    QUICK,
    draw_trials,
    list_units,
    order_units,
    place_of,
)
from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.frame import NOT_DRAWN
from rarefy.tasks.evaluate.protocols.sure_oracle import Preferred
from rarefy.tasks.evaluate.results import markdown
from rarefy.tasks.evaluate.retrieve.system_hits import gold_shares
from rarefy.tasks.evaluate.systems.answer import TrialRenderer
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.export.files import put_breaches
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import mark_run
from rarefy.tasks.store.tables import Store


class EvaluationResult:
    """What came of an evaluation; no dataclass, each value of which Prefect would look through for a second."""

    def __init__(self, out: str, summary: dict[str, Any], made: int) -> None:
        self.out, self.summary = out, summary
        self.made = made  # tables made now, rather than found


@flow(name="rarefy evaluate", flow_run_name="evaluate {names} on {bench}", persist_result=False)
def evaluate(
    bench: str,
    out: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    names: Sequence[str] = (),
    protocol: Sequence[str] = (),
    split: str = "",
    questions: int = 0,
    budget: int = 0,
    quick: bool = False,
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    quiet: bool = False,
    verbose: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
    only: Sequence[str] = (),
) -> EvaluationResult:
    """Put systems to the test on a benchmark, and write what comes of it into the folder `out`.

    `only`: ids of the questions that are asked, of those that `split` and `questions` choose; all where there is none.
    `budget`: so many calls of all systems together, at most, to a sample of the trials; 0: all of them. `quick`: QUICK
    calls to whole questions, of the protocols FIRST where none is named; `budget` is not looked at.
    """
    board = ProgressBoard(Terminal(stderr=True), quiet, verbose)
    systems, wanted, context, token = resolve_evaluation(config, names, protocol, out, quick, max_calls, max_cost)
    mark = mark_run(Store(store), f"evaluate {out}", board.say)
    with board.open(), mark, connect_workers(workers, dask) as pool:
        run = Run(Store(store), board, pool, context, budget=config.breach_budget)
        asked = (Path(bench), systems, wanted, config, split, questions, only)
        plan, drawn = plan_sample(run, *asked, budget=budget, quick=quick)
        opened, chosen, parts = plan.opened, plan.chosen, plan.parts
        if "sure" in chosen and config.oracle.likelihood.llm.provider and not drawn:
            parts = run.each(preferring(config), parts, "questions")
        keep_run(Path(out), token)
        scored = {name: _answer_and_score(run, parts, name, system, opened, config) for name, system in systems.items()}
        table_names = run.stage("gather", lambda: gather_tables(run.store, opened, plan.hits, parts, scored))
        for row_type in (Trial, Answer, Score):
            table_names = run.hold(KINDS[row_type], row_type, table_names)
        tables = {kind: run.store.table(name) for kind, name in table_names.items()}
        meta = describe_result(opened, config, systems, chosen, plan.left_out) | drawn
        summary = _report(run, opened, tables, meta, Path(out), config)
        return EvaluationResult(out, summary, run.made)


def resolve_evaluation(
    config: Config,
    names: Sequence[str],
    protocol: Sequence[str],
    out: str,
    quick: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
) -> tuple[dict[str, SystemConfig], Sequence[str], InferenceContext, str]:
    """The systems by name as they are asked, the protocols, within which limits models are asked, and what `keep_run`
    writes before the first answer."""
    systems, token = pin_versions(resolve_systems(config, names), Path(out))
    models = models_of_evaluation(config, systems)
    context = accounting.inference_context(config, run_id(), max_calls, max_cost, models)
    return systems, resolve_protocols(protocol or FIRST * quick), context, token


@dataclass(frozen=True)
class TrialPlan:
    """The trials of an evaluation, before a system is asked."""

    opened: OpenedBenchmark
    hits: str  # name of the table
    parts: list[Part]  # with their trials
    chosen: list[str]  # protocols
    left_out: dict[tuple[str, str], str]  # by system and protocol: why nothing of it is tried


def _open(run: Run, bench: Path, split: str, questions: int, only: Sequence[str]) -> OpenedBenchmark:
    opened = run.stage("open", lambda: open_benchmark(bench, run.store, split=split, most=questions, only=only))
    whose = f"asks the {opened.asked:,} questions of the {opened.split} split of {opened.name}"
    if opened.split == "all":
        whose = f"asks {opened.asked:,} of {opened.of:,} questions of {opened.name}"
    rest = (
        f"; --split all asks all {opened.every:,}"
        if opened.split != "all" and opened.every > opened.asked and not questions
        else ""
    )
    run.board.note("open", whose + rest)
    return opened


def plan_opened(
    run: Run,
    opened: OpenedBenchmark,
    systems: Mapping[str, SystemConfig],
    wanted: Sequence[str],
    config: Config,
) -> TrialPlan:
    """The trials of a benchmark that is in the store; nothing is asked of any system.

    Passages are retrieved where a system is given any.
    """
    hits = _find_hits(run, opened, systems, config)
    parts = run.stage("portion", lambda: batch_evaluation(run.store, opened, hits))
    left_out = _find_left_out(run, parts, systems, wanted, config)
    chosen = [name for name in wanted if any((system, name) not in left_out for system in systems)]
    return TrialPlan(opened, hits, _make_trials(run, parts, systems, chosen, config), chosen, left_out)


def render_calls(store: Store, plan: TrialPlan, name: str, system: SystemConfig) -> Iterator[tuple[Trial, SystemInput]]:
    """Each trial that a system is put, with what it would be asked; trials with the same `asked_id` are one call."""
    for part in plan.parts:
        named = {kind: [part[kind]] if isinstance(part[kind], str) else part[kind] for kind in CASE}
        rows = {kind: RowsById(map(store.table, named[kind]), row_type) for kind, row_type in CASE.items()}
        renderer = TrialRenderer(system, **rows, corpus=answering(name, system, plan.opened.corpus).config.corpus)
        for put, question in renderer.render_trials(list(from_table(store.table(part["trials"]), Trial))):
            yield put.trial, question


def plan_sample(
    run: Run,
    bench: Path,
    systems: Mapping[str, SystemConfig],
    wanted: Sequence[str],
    config: Config,
    split: str,
    questions: int,
    only: Sequence[str] = (),
    budget: int = 0,
    quick: bool = False,
) -> tuple[TrialPlan, dict[str, Any]]:
    """The trials of these protocols for these systems, as `plan_opened` makes them, and what is said of the budget.

    Nothing is asked of any system.

    `budget`: what is not drawn is skipped as `not_drawn`. `quick`: whole questions are drawn, within QUICK calls; the
    plan has these questions alone.
    """
    opened = _open(run, bench, split, questions, only)
    if quick:
        return _plan_first_look(run, opened, systems, wanted, config)
    plan = plan_opened(run, opened, systems, wanted, config)
    if not budget:
        return plan, {}
    draw = run.stage("draw", lambda: _draw(run.store, plan, systems, config, budget))
    if not draw.trials:
        raise UsageFault(
            f"--budget {budget}: too few for one question of one protocol; a first look, --quick, has {QUICK}"
        )
    run.board.note("draw", f"{draw.asked:,} of {draw.of:,} calls")
    look = draw.asked < draw.of and draw.asked < LOOK * len(systems)
    about = {"calls": budget, "asked": draw.asked, "of": draw.of, "look": look}
    return _keep_drawn(run.store, plan, draw), {"budget": about}


def _plan_first_look(
    run: Run,
    opened: OpenedBenchmark,
    systems: Mapping[str, SystemConfig],
    wanted: Sequence[str],
    config: Config,
) -> tuple[TrialPlan, dict[str, Any]]:
    """The trials of the questions that QUICK calls allow, whole, and what the summary says of the budget.

    They are those that would be drawn of all; passages are found for no more questions than that takes. Without a
    judge, questions come first that rules decide: what nothing scores shows nothing.
    """
    asked = list(from_table(run.store.table(opened.questions), Question))
    unjudged = not config.correct.judge.provider and config.correct.unmatched != "wrong"
    decided = {row.question_id for row in asked if not unjudged or is_decided_by_rules(row)}
    order = sorted((row.question_id for row in asked), key=lambda name: (name not in decided, place_of(name)))
    first = min(FIRST_QUESTIONS, len(decided) or len(order))
    while True:
        some = narrow_benchmark(run.store, opened, order[:first])
        plan = plan_opened(run, some, systems, wanted, config)
        draw = run.stage("draw", partial(_draw, run.store, plan, systems, config, QUICK, whole=True))
        # further ones may have what these have not
        if first >= len(order) or not (draw.exhausted or _lacks_questions(plan, systems, config)):
            break
        more = max(first + 4, min(2 * first, first * QUICK // max(draw.asked, 1)))
        first = min(more, len(decided)) if first < len(decided) else more  # others only where these are too few
    if not draw.trials:
        raise UsageFault(
            f"--quick: one whole question takes more than {QUICK} calls; name fewer systems, or give --budget"
            if draw.of
            else "--quick: nothing of what it asks can be tried, as said above; name another --protocol"
        )
    run.board.note("draw", f"{draw.asked:,} calls, all that {len(draw.questions):,} questions take")
    all_ = first >= len(order) and draw.asked == draw.of
    about = {"calls": QUICK, "asked": draw.asked, "look": not all_, "questions": len(draw.questions)}
    about |= {"of": draw.of} if all_ else {}
    about |= {"decided_by_rules": True} if unjudged and draw.questions <= decided and len(decided) < len(asked) else {}
    plan = _keep_drawn(run.store, plan, draw)
    parts = [_narrow_part(run.store, part, draw.questions) for part in plan.parts]
    hits = narrow_table(run.store, plan.hits, draw.questions)
    narrowed = narrow_benchmark(run.store, opened, draw.questions)
    return replace(plan, opened=narrowed, hits=hits, parts=[part for part in parts if part["rows"]]), {"budget": about}


def _lacks_questions(plan: TrialPlan, systems: Mapping[str, SystemConfig], config: Config) -> bool:
    """Whether a protocol is left out for what its questions lack, and not for what a system cannot do."""
    return any(
        _lacking(name, config, systems[system].takes, []) == _lacking(name, config, GIVEN, [])
        for system, name in plan.left_out
    )


def _narrow_part(store: Store, part: Part, names: Set[str]) -> Part:
    def narrow(name: Any) -> Any:  # SURE's noise stands beside the variants
        return narrow_table(store, name, names) if isinstance(name, str) else [narrow(one) for one in name]

    narrowed = {kind: narrow(part[kind]) for kind in ("questions", "variants", "hits", "trials")}
    return {**part, **narrowed, "rows": store.rows(narrowed["questions"])}


@dataclass(frozen=True)
class _Draw:
    """What a budget draws of a plan's trials."""

    trials: Set[str]
    left: Set[str]  # what could be asked and is not drawn
    questions: Set[str]  # of the drawn trials
    asked: int  # calls
    of: int  # calls of all trials
    exhausted: bool  # nothing is left of a protocol, or there is nothing at all


def _draw(
    store: Store, plan: TrialPlan, systems: Mapping[str, SystemConfig], config: Config, most: int, whole: bool = False
) -> _Draw:
    calls: dict[str, set[str]] = defaultdict(set)
    trials: dict[str, Trial] = {}
    for name, system in systems.items():
        for trial, question in render_calls(store, plan, name, system):
            calls[trial.trial_id].add(f"{name} {question.asked_id}")
            trials[trial.trial_id] = trial
    ordered = order_units(list_units(trials.values(), config.protocols, whole))
    drawn = draw_trials(ordered, calls, most)
    last = [units[-1] for units in ordered.values()]
    return _Draw(
        trials=drawn,
        left=calls.keys() - drawn,
        questions={trials[name].question_id for name in drawn},
        asked=len(set().union(*(calls[name] for name in drawn))),
        of=len(set().union(*calls.values())),
        exhausted=not last or any(drawn.issuperset(unit.trial_ids) for unit in last),
    )


def _keep_drawn(store: Store, plan: TrialPlan, draw: _Draw) -> TrialPlan:
    """The plan, what is not drawn skipped as `not_drawn`."""
    parts = [{**part, "trials": _skip_trials(store, part["trials"], draw.left)} for part in plan.parts]
    return replace(plan, parts=parts)


def _skip_trials(store: Store, name: str, left: Set[str]) -> str:
    """The name of a table of trials, those of these names skipped as not drawn."""
    table = store.table(name)
    reasons = [
        NOT_DRAWN if trial_id in left else why
        for trial_id, why in zip(table["trial_id"].to_pylist(), table["skipped_because"].to_pylist(), strict=True)
    ]
    place = table.schema.get_field_index("skipped_because")
    return store.keep(table.set_column(place, table.schema.field(place), pa.array(reasons, pa.string())))


def _find_hits(run: Run, opened: OpenedBenchmark, systems: Mapping[str, SystemConfig], config: Config) -> str:
    """The table of what was retrieved for these systems, empty where all of them retrieve for themselves."""
    if any("passages" in system.takes for system in systems.values()):
        return _retrieve(run, opened, config)
    return run.store.keep(schema_of(Hits).empty_table())


def _retrieve(run: Run, opened: OpenedBenchmark, config: Config) -> str:
    """The name of the table of what was retrieved for each wording."""
    tables = {"variants": run.stage("wordings", lambda: select_wordings(run.store, opened))}
    tables |= {"chunks": opened.chunks, "questions": opened.questions}
    if not run.store.rows(opened.chunks):
        return run.store.keep(schema_of(Hits).empty_table())
    hits: str = run.whole(retrieving(config), tables)["hits"]
    return hits


def _find_left_out(
    run: Run, parts: Sequence[Part], systems: Mapping[str, SystemConfig], wanted: Sequence[str], config: Config
) -> dict[tuple[str, str], str]:
    """By system and protocol: why nothing of it can be tried with what there is; it is printed, too.

    Parts are looked at until each protocol has found one with something to try, and none for what a system lacks.
    """

    takes = {system: about.takes for system, about in systems.items()}
    left_out = {(system, name): _lacking(name, config, takes[system], []) for system in systems for name in wanted}
    # what one that takes everything would lack, too, is for the questions to have
    undecided = [pair for pair, why in left_out.items() if why == _lacking(pair[1], config, GIVEN, [])]
    for part in parts:
        if not undecided:
            break
        looked_at = list(_cases_of(run, part))
        left_out |= {(system, name): _lacking(name, config, takes[system], looked_at) for system, name in undecided}
        undecided = [pair for pair in undecided if left_out[pair]]
    left_out = {pair: why for pair, why in left_out.items() if why}
    for (system, name), why in left_out.items():
        run.board.note("left out", f"{name} for {system}: {why}")
    return left_out


def _lacking(name: str, config: Config, takes: Iterable[str], looked_at: list[QuestionVariants]) -> str:
    return PROTOCOLS[name].lacking(looked_at, getattr(config.protocols, name), frozenset(takes))


def _cases_of(run: Run, part: Part) -> Iterator[QuestionVariants]:
    rows = {
        name: list(from_table(run.store.table(part[name]), row_type))
        for name, row_type in {"questions": Question, "variants": Variant, "chunks": Chunk, "hits": Hits}.items()
    }
    return cases(rows["questions"], rows["variants"], {row.chunk_id: row for row in rows["chunks"]}, rows["hits"])


def _make_trials(
    run: Run, parts: list[Part], systems: Mapping[str, SystemConfig], chosen: Sequence[str], config: Config
) -> list[Part]:
    """The parts with the trials of the chosen protocols; for SURE with its noise."""
    if "sure" in chosen and config.protocols.sure.noise:
        parts = run.each(sure_noise(config), parts, "questions")
        parts = [{**part, "variants": [part["variants"], part["noise"]]} for part in parts]
    takes = {kind for system in systems.values() for kind in system.takes}
    return run.each(trying(config, chosen, takes), parts, "questions")


def _answer_and_score(
    run: Run, parts: list[Part], name: str, system: SystemConfig, opened: OpenedBenchmark, config: Config
) -> list[Part]:
    """The parts with the answers of a system and their scores; failures are printed."""
    answered = run.each(answering(name, system, opened.corpus), parts, "questions")
    tell_failures(run, name, answered)
    scored = run.each(scoring(config, name), answered, "questions")
    tell_unscored(run, name, scored)
    return scored


def _report(
    run: Run, opened: OpenedBenchmark, tables: dict[str, pa.Table], meta: dict[str, Any], out: Path, config: Config
) -> dict[str, Any]:
    """Aggregate the scores and write the result's folder; returns its summary."""
    line = run.board.line("conclude", "figures", None)
    figures, summary = run.stage("conclude", lambda: aggregate_scores(tables, meta, config))
    line.end(f"{figures.num_rows:,} figures", minor=True)
    line = run.board.line("report", "files", None)
    beside = {"similarities": run.store.table(opened.similarities)} if opened.similarities else {}
    run.stage("report", lambda: write_result(out, {**tables, **beside, "figures": figures}, summary, config))
    line.end(f"in {out}", minor=True)
    _write_breaches(run, out)
    run.stage("note", lambda: journal.record_evaluation(run.store, opened.version, str(out), run.store.touched))
    if is_shown_in_prefect():
        about = f"How robust: {', '.join(meta['systems'])}"
        create_artifact("", "evaluation", about, markdown(summary, out.name))
    return summary


def _write_breaches(run: Run, out: Path) -> None:
    """Put the rows that broke a rule beside the result, and print how many; without any, there is no file."""
    place, rows = out / "breaches.jsonl", list(run.breaches.values())
    put_breaches(place, rows)
    if not rows:
        return
    counts = ", ".join(f"{count:,} {kind}: {rule}" for kind, rule, count in count_breaches(rows)[:3])
    run.board.note("set aside", f"{len(rows):,} rows broke a rule of their contract ({counts}); see {place}")


def gather_tables(
    store: Store, opened: OpenedBenchmark, hits: str, parts: Sequence[Part], scored: Mapping[str, Sequence[Part]]
) -> dict[str, str]:
    """The names of all tables of the result, each in the order of its rows' names."""
    every = [part for of_system in scored.values() for part in of_system]
    trials = _concatenate(store, [part["trials"] for part in parts], Trial, "trial_id")
    answers = _concatenate(store, [part["answers"] for part in every], Answer, "trial_id", "system")
    tables = {
        "trials": trials,
        "answers": _credit_own_passages(answers, trials, store.table(opened.questions), store.table(opened.chunks)),
        "scores": _concatenate(store, [part["scores"] for part in every], Score, "trial_id", "system"),
        "hits": _concatenate(store, [hits], Hits, "question_id", "retriever", "query_id"),
    }
    if preferred := [part["preferred"] for part in parts if "preferred" in part]:
        tables["preferred"] = _concatenate(store, preferred, Preferred, "question_id", "group", "chunk_id")
    noise = [part["noise"] for part in parts if "noise" in part]
    tables["variants"] = _concatenate(store, [opened.variants, *noise], Variant, "question_id", "side", "variant_id")
    names = {kind: store.keep(table) for kind, table in tables.items()}
    return names | {kind: getattr(opened, kind) for kind in ("questions", "chunks")}


def _credit_own_passages(answers: pa.Table, trials: pa.Table, questions: pa.Table, chunks: pa.Table) -> pa.Table:
    """The answers with `gold` by the words of passages, where a system retrieved some that have names of its own.

    An answer is made beside the chunks of its part of the questions alone; words are compared with all chunks.
    """
    known = set(chunks["chunk_id"].to_pylist())
    columns = zip(*(trials[name].to_pylist() for name in ("trial_id", "question_id", "given")), strict=True)
    own = {name: question_id for name, question_id, given in columns if given == "own"}
    found: dict[str, tuple[str, list[Passage]]] = {}
    rows = zip(*(answers[name].to_pylist() for name in ("trial_id", "retrieved")), strict=True)
    for at, (name, retrieved) in enumerate(rows):
        if name in own and any(one["passage_id"] not in known for one in retrieved):
            found[str(at)] = own[name], [Passage(**one) for one in retrieved]
    if not found:
        return answers
    shares = gold_shares(
        found,
        {row.question_id: row for row in from_table(questions, Question)},
        {row.chunk_id: row for row in from_table(chunks, Chunk)},
    )
    gold = [shares.get(str(at), share) for at, share in enumerate(answers["gold"].to_pylist())]
    place = answers.schema.get_field_index("gold")
    return answers.set_column(place, answers.schema.field(place), pa.array(gold, answers.schema.field(place).type))


def _concatenate(store: Store, names: Sequence[str], row_type: type, *order: str) -> pa.Table:
    """One table of several, sorted by these columns."""
    table = pa.concat_tables([schema_of(row_type).empty_table(), *(store.table(name) for name in names)])
    return table.take(pc.sort_indices(table, sort_keys=[(name, "ascending") for name in order]))


def describe_result(
    opened: OpenedBenchmark,
    config: Config,
    systems: Mapping[str, SystemConfig],
    chosen: Sequence[str],
    left_out: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    """What a summary says of a result besides its numbers."""
    prices = {price.currency for price in config.serving.prices}
    return {
        "schema": SCHEMA,
        "benchmark": {
            "version": opened.version,
            "name": opened.name,
            "questions": opened.asked,
            "of": opened.of,
            "documents": opened.documents,
            "split": opened.split,
        },
        "systems": {
            name: {
                "kind": one.kind,
                "takes": sorted(one.takes),
                "retrieves": one.retrieves,
                "identity": one.identity(),
            }
            for name, one in systems.items()
        },
        "protocols": {
            name: {
                "title": PROTOCOLS[name].title,
                "paper": PROTOCOLS[name].paper,
                "options": list_options(getattr(config.protocols, name)),
            }
            for name in chosen
        },
        "retrieval": config.retrieve.identity(),
        "correctness": list_options(config.correct),
        "open": [
            *list_open_options(config.retrieve, "Retrieval"),
            *list_open_options(config.measured, "Retrieval"),
            *list_open_options(config.statistics, "Statistics"),
            *(
                row
                for name, one in systems.items()
                if one.kind == "rag"
                for row in list_open_options(one.rag, f"System {name}")
            ),
        ],
        "left_out": [{"system": s, "protocol": p, "why": why} for (s, p), why in left_out.items()],
        "statistics": config.statistics.model_dump(mode="json"),
        "currency": "/".join(sorted(prices)),
        "package": package_versions(),
        "schemas": SCHEMAS,
    }
