"""Two results side by side: is this system better than that one, on the trials that both were scored in?"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rarefy.data_contracts.rows import Chunk, Figure, Question
from rarefy.data_contracts.tables import from_table
from rarefy.flows.engine.aggregate import list_own_passages
from rarefy.flows.engine.comparison_inputs import (
    ASKED_IN,
    OTHER,
    SAME,
    UNKNOWN,
    CommonQuestions,
    Side,
    Tables,
    align_names,
    build_frames,
    compare_questions,
    describe_other_differences,
    describe_unlike_options,
    digest_passages,
    documents_of_questions,
    load_sides,
    load_tables,
    options_of_protocol,
    pair_trials,
    shared_protocols,
)
from rarefy.flows.faults import RegressionFault, UndecidedFault, UsageFault
from rarefy.tasks.evaluate.protocols.frame import QUESTION, Frame
from rarefy.tasks.evaluate.results.findings import CLOSED, GOLD, OWN, RETRIEVED, select_unchanged
from rarefy.tasks.evaluate.results.wording import RETRIEVAL
from rarefy.tasks.evaluate.retrieve.measured import MeasuredConfig
from rarefy.tasks.evaluate.retrieve.system_hits import measured_of_system
from rarefy.tasks.evaluate.statistics import figures
from rarefy.tasks.evaluate.statistics.compare import UNCHANGED, WHOLE, Difference, add_verdicts, differences, extremes
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.gate import Rule, RuleResult, apply_rule, matching_differences, parse_rule
from rarefy.tasks.evaluate.statistics.measure import Metric
from rarefy.tasks.evaluate.statistics.significance import mcnemar

RIGHT = "right answers (all trials)"  # the number that tells trials with the same passages from those with others
RECALL = re.compile(r"Recall@(\d+)")
SETTINGS = {
    OWN: "own retrieval",
    RETRIEVED: "retrieved passages",
    GOLD: "the right passages shown",
    CLOSED: "no passages",
}  # in brackets behind the right answers to unchanged questions


@dataclass(frozen=True)
class PairedTrials:
    """How many trials of a protocol are compared, and how their correctness changed, trial by trial."""

    protocol: str
    first: int  # trials that it was put, skipped ones left out
    second: int
    shared: int  # put to both
    scored_first: int  # of the shared ones
    scored_second: int
    common: int  # scored on both sides: what is compared
    questions: int  # of the shared ones
    won: int = 0  # trials that were wrong and are right
    lost: int = 0
    exact: float | None = None  # McNemar, every trial taken for independent: as is usual, and too sure
    chi2: float | None = None
    other: int = 0  # of those that are compared: shown other passages in the second version of the benchmark
    unknown: int = 0  # of those: found by the system itself, which does not say what


@dataclass(frozen=True)
class OneSidedFigure:
    """A figure of questions that only one version of the benchmark has, so that it is in no difference."""

    of: str  # retired: of the first version | new: of the second
    questions: int  # that the protocol puts
    figure: Figure


NumberKey = tuple[str, str, str]  # protocol, metric, slice


@dataclass(frozen=True)
class WithheldNumber:
    """A number on both sides, on the trials that both were put."""

    first: Metric
    second: Metric
    clusters: Sequence[str] | None


@dataclass(frozen=True)
class Comparison:
    """The second side against the first."""

    first: Side
    second: Side
    paired: tuple[PairedTrials, ...]
    differences: tuple[Difference, ...]  # headlines first
    remarks: tuple[str, ...]  # what else is not the same on both sides
    config: StatisticsConfig
    core: CommonQuestions | None = None  # of two versions of a benchmark: which questions `differences` are of
    apart: tuple[OneSidedFigure, ...] = ()  # of the others
    rules: tuple[RuleResult, ...] = ()  # what became of each rule that was given
    # of the numbers that are withheld, what they are made of
    withheld: Mapping[NumberKey, WithheldNumber] = field(default_factory=dict, repr=False, compare=False)


def compare(
    a: Path,
    b: Path,
    *,
    config: StatisticsConfig,
    systems: Sequence[str] = (),
    protocols: Sequence[str] = (),
    anyway: bool = False,
) -> Comparison:
    """What changed from the result in folder `a` to that in `b`: headlines with their slices, and every other number.

    `systems`: none where each folder has one, one for both folders, or one for each; `a` and `b` may be one folder.
    Of two versions of a benchmark the differences are of the questions that are the same in both, and those that are
    not are told apart.
    UsageFault where there is nothing to compare, or where the sides were not judged or added up alike and `anyway` is
    not set; with it the options of `b` add up both.
    """
    from rarefy.tasks.evaluate.protocols import PROTOCOLS  # late: the protocols' own modules

    if len(systems) > 2:
        raise UsageFault(
            f"two systems can be compared, not {len(systems)}: name one for both results, or one for each (--system)"
        )
    first, second = load_sides(a, b, systems)
    wanted = shared_protocols(first, second, protocols)
    odd = describe_unlike_options(first, second, wanted)
    if odd and not anyway:
        way_out = "Make one of them again with the same options (`rarefy rescore` asks no system anew), or add --anyway"
        raise UsageFault("the results were not made alike:\n  " + "\n  ".join(odd) + f"\n{way_out}")
    versions = first.benchmark != second.benchmark
    tables = [load_tables(one, *(("variants",) if versions else ())) for one in (first, second)]
    if versions:
        tables[0] = align_names(*tables)
    ours, theirs = build_frames(first, wanted, tables[0]), build_frames(second, wanted, tables[1])
    same = compare_questions(tables[0]["questions"], tables[1]["questions"]) if versions else None
    if same and not same.kept:
        raise UsageFault(f"no question reads the same in both versions, {a} and {b}: there is nothing to compare")
    paired, found, apart, remarks = [], [], [], [*describe_other_differences(first, second), *odd]
    matched: dict[str, tuple[Frame, Frame]] = {}
    withheld: dict[NumberKey, WithheldNumber] = {}
    for name in wanted:
        if name not in ours or name not in theirs:
            remarks.append(f"{name}: no trials on one side, not compared")
            continue
        chosen, measures = options_of_protocol(PROTOCOLS[name].config, second, name), PROTOCOLS[name].numbers
        parts = ours[name], theirs[name]
        if same:
            apart += [
                one
                for of, frame, mine, names in zip(
                    ("retired", "new"), parts, (first, second), (same.retired, same.new), strict=True
                )
                for one in _one_sided_figures(of, select_questions(frame, names), mine.system, name, chosen, config)
            ]
            left, right, counts, alike = match_common_questions(
                name, *(select_questions(one, same.kept) for one in parts), tables, first, second
            )
        else:
            left, right, counts = match_trials(name, *parts)
        paired.append(counts)
        if not counts.common:
            remarks.append(f"{name}: no trial is scored on both sides, not compared")
            continue
        matched[name] = left, right
        clusters = documents_of_questions(left) if config.cluster == "document" else None
        numbers = [_select_measures(measures(side, chosen)) for side in (left, right)]
        if same:
            numbers = [[*its, *_by_passages(one, alike)] for its, one in zip(numbers, (left, right), strict=True)]
        made = differences(*numbers, protocol=name, config=config, clusters=clusters)
        found += made
        withheld |= _keep_withheld(made, *numbers, clusters)
    if not any(one.common for one in paired):
        raise UsageFault(f"no trial is scored in both {a} and {b}: results of one benchmark can be compared")
    retrieval, depths = _compare_retrieval((first, second), tables, same, config)
    remarks += depths
    unchanged, kept = _compare_unchanged(matched, tables[1]["trials"], config)
    withheld |= kept
    found = [*unchanged, *found, *retrieval]
    rows = sorted(add_verdicts(found, config), key=lambda row: (not row.headline, row.slice != "all"))
    return Comparison(
        first, second, tuple(paired), tuple(rows), tuple(remarks), config, same, tuple(apart), withheld=withheld
    )


def _compare_unchanged(
    matched: Mapping[str, tuple[Frame, Frame]], trials: Any, config: StatisticsConfig
) -> tuple[list[Difference], dict[NumberKey, WithheldNumber]]:
    """The right answers to unchanged questions, which a result begins with, on the trials that both sides have."""
    gold = dict(zip(*(trials[name].to_pylist() for name in ("trial_id", "gold")), strict=True))
    answerable = {
        name: [one.where((right.rows["pattern"] != "absent").to_numpy()) for one in (left, right)]
        for name, (left, right) in matched.items()
    }
    chosen = select_unchanged(
        {
            name: right.rows.assign(gold_shown=right.rows["trial_id"].map(gold).to_numpy(dtype=float))
            for name, (_, right) in answerable.items()
        }
    )
    if chosen is None:
        return [], {}
    protocol, setting, mask = chosen
    both = [one.where(mask) for one in answerable[protocol]]
    clusters = documents_of_questions(both[1]) if config.cluster == "document" else None
    name = f"{UNCHANGED} ({SETTINGS[setting]})"
    rights = [(one.rows["value"] >= 1).astype(float).where(one.rows["status"] == "scored") for one in both]
    numbers = [[one.mean(name, WHOLE, right, headline=True)] for one, right in zip(both, rights, strict=True)]
    a, b = (int(right.sum()) for right in rights)
    found = [
        # what is scored on both sides is told where no number is, as the summary of one result tells its ranges
        replace(row, note=f"{row.note}; of these {a:,} → {b:,} right") if row.first is None and row.n_first else row
        for row in differences(*numbers, protocol=protocol, config=config, clusters=clusters)
    ]
    return found, _keep_withheld(found, *numbers, clusters)


def _keep_withheld(
    found: Iterable[Difference], first: Iterable[Metric], second: Iterable[Metric], clusters: Sequence[str] | None
) -> dict[NumberKey, WithheldNumber]:
    """What the numbers that are withheld are made of, for rules that what has no score cannot change."""
    ours, theirs = ({(one.metric, one.slice): one for one in side} for side in (first, second))
    return {
        (row.protocol, *key): WithheldNumber(ours[key], theirs[key], clusters)
        for row in found
        if row.note.startswith("withheld") and (key := (row.metric, row.slice))
    }


def _compare_retrieval(
    sides: tuple[Side, Side], tables: Sequence[Tables], same: CommonQuestions | None, config: StatisticsConfig
) -> tuple[list[Difference], list[str]]:
    """How well both systems' own retrievers find the gold of unchanged questions, and a remark where they differ in k.

    Nothing where either does not say what it retrieved.
    """
    if not all(one.about["systems"][one.system]["retrieves"] for one in sides):
        return [], []
    lists = [list_own_passages(one.system, its, unchanged=True) for one, its in zip(sides, tables, strict=True)]
    asked = [
        {row.question_id: row for row in from_table(its["questions"], Question) if row.pattern != "absent"}
        for its in tables
    ]
    both = sorted(set.intersection(*map(set, (*lists, *asked))) & {*(same.kept if same else asked[1])})
    numbers = []
    for side, its, questions, found in zip(sides, tables, asked, lists, strict=True):
        # one that failed on either side counts on neither
        kept = {name: None if any(one[name] is None for one in lists) else found[name] for name in both}
        chunks = {row.chunk_id: row for row in from_table(its["chunks"], Chunk)}
        chosen = {name: questions[name] for name in both}
        measures = measured_of_system(side.system, kept, chosen, chunks, {}, MeasuredConfig())
        whole = f"retriever={side.system}, perturbation=none"
        numbers.append([replace(one, slice=WHOLE) for one in measures if one.slice == whole])
    clusters = None
    if config.cluster == "document":
        of = {row.chunk_id: row.doc_id for row in from_table(tables[1]["chunks"], Chunk)}
        clusters = [of.get(next(iter(asked[1][name].chunk_ids), ""), name) for name in both]
    deepest = [max((len(one[name] or ()) for name in both), default=0) for one in lists]
    shared = [RECALL.match(one.metric) for one in numbers[0] if one.metric in {other.metric for other in numbers[1]}]
    most = max((int(hit[1]) for hit in shared if hit), default=0)
    remark = (
        f"own retrieval: A gives up to {deepest[0]:,} passages a question and B up to {deepest[1]:,}; Recall@k is "
        f"compared for k up to {most:,}, the answers with all that each gave"
    )
    found = differences(*numbers, protocol=RETRIEVAL, config=config, clusters=clusters)
    return found, [remark] if deepest[0] != deepest[1] and most else []


def select_questions(frame: Frame, names: Sequence[str]) -> Frame:
    """The frame with the trials of these questions alone."""
    rows = frame.rows[frame.rows["question_id"].isin(set(names))].reset_index(drop=True)
    there = sorted(set(rows["question_id"]))
    place = {name: at for at, name in enumerate(there)}
    return Frame(rows.assign(at=rows["question_id"].map(place).astype(int)), there)


def match_common_questions(
    protocol: str, first: Frame, second: Frame, tables: Sequence[Any], a: Side, b: Side
) -> tuple[Frame, Frame, PairedTrials, list[str]]:
    """`match_trials` for two versions of a benchmark, and for each pair whether both sides had the same passages."""
    ours, theirs = (frame.rows[frame.rows["status"] != "skipped"] for frame in (first, second))
    both = pair_trials(ours, theirs)
    left, right, counts = match_trials(protocol, first, second, both)
    passages = [
        digest_passages(table, one.system, names)
        for table, one, names in zip(tables, (a, b), zip(*both, strict=True) if both else ((), ()), strict=True)
    ]
    alike = {
        new: UNKNOWN
        if old not in passages[0] or new not in passages[1]
        else SAME
        if passages[0][old] == passages[1][new]
        else OTHER
        for old, new in both
    }
    marks = [alike[name] for name in right.rows["trial_id"]]
    scored = [mark for mark, status in zip(marks, right.rows["status"], strict=True) if status == "scored"]
    return left, right, replace(counts, other=scored.count(OTHER), unknown=scored.count(UNKNOWN)), marks


def _by_passages(frame: Frame, alike: Sequence[str]) -> Iterator[Metric]:
    """Share of right trials, over all pairs and by whether their passages are the same; each trial counts once."""
    yield frame.mean(RIGHT, WHOLE)
    for mark in (SAME, OTHER, UNKNOWN):
        mask = np.array([one == mark for one in alike], dtype=bool)
        if mask.any():
            yield frame.where(mask).mean(RIGHT, f"passages={mark}")


def _one_sided_figures(
    of: str, frame: Frame, system: str, protocol: str, options: Any, config: StatisticsConfig
) -> list[OneSidedFigure]:
    """The numbers of questions that only one version has, with the intervals that they have by themselves."""
    if not len(frame.rows):
        return []
    from rarefy.tasks.evaluate.protocols import PROTOCOLS

    clusters = documents_of_questions(frame) if config.cluster == "document" else None
    measures = [one for one in PROTOCOLS[protocol].numbers(frame, options) if one.slice == WHOLE]
    made = figures(measures, system=system, protocol=protocol, config=config, clusters=clusters)
    return [OneSidedFigure(of, len(frame.questions), one) for one in made]


def _select_measures(measures: Iterable[Metric]) -> list[Metric]:
    """Headlines with all their slices, and the whole of every other number."""
    found = list(measures)
    headlines = {one.metric for one in found if one.headline}
    return [one for one in found if one.metric in headlines or one.slice == WHOLE]


def check_rules(comparison: Comparison, rules: Sequence[str]) -> Comparison:
    """The comparison with the outcome of each of these rules; UsageFault where one cannot be parsed."""
    return replace(comparison, rules=tuple(_came_of(rule, comparison) for rule in _parse_rules(rules)))


def _came_of(rule: Rule, comparison: Comparison) -> RuleResult:
    """The outcome of a rule; what is withheld is looked at as it may be whatever has no score."""

    def extremes_of(row: Difference) -> tuple[Difference, Difference] | None:
        made_of = comparison.withheld.get((row.protocol, row.metric, row.slice))
        if made_of is None:
            return None
        return extremes(
            made_of.first,
            made_of.second,
            protocol=row.protocol,
            config=comparison.config,
            clusters=made_of.clusters,
        )

    return apply_rule(rule, comparison.differences, comparison.config, extremes_of)


def gate(comparison: Comparison, rules: Sequence[str]) -> None:
    """RegressionFault (exit code 3) where any of these rules is broken; UsageFault where one cannot be parsed, or is
    about a number that is not there.

    UndecidedFault (exit code 4) where none is broken and one is not decided: too few questions leave open that its
    number went so far, or it is withheld or undefined.
    """
    parsed = _parse_rules(rules)
    try:
        for rule in parsed:
            matching_differences(rule, comparison.differences)
    except LookupError as error:
        raise UsageFault(str(error.args[0])) from error
    outcomes = [_came_of(rule, comparison) for rule in parsed]
    for came, fault in (("broken", RegressionFault), ("not decided", UndecidedFault)):
        if found := [f"rule {one.rule!r} {came}: {one.why}" for one in outcomes if one.came == came]:
            raise fault("\n".join(found))


def _parse_rules(rules: Sequence[str]) -> list[Rule]:
    try:
        return [parse_rule(rule) for rule in rules]
    except ValueError as error:
        raise UsageFault(str(error)) from error


def match_trials(
    protocol: str, first: Frame, second: Frame, both: Sequence[tuple[str, str]] | None = None
) -> tuple[Frame, Frame, PairedTrials]:
    """Both frames with the trials that were put to both systems, over the same questions, and their counts.

    `both`: which trial of the second is which of the first; those of the same name where it is None.

    A trial that is scored on one side alone is missing on both, so that pairs and groups of trials are the same ones.
    What is told of a question (pattern, domain, ...) is the second side's on both, and so is what came of a mixed
    context's length and order, so that slices are of the same pairs.
    """
    ours, theirs = (frame.rows[frame.rows["status"] != "skipped"].set_index("trial_id") for frame in (first, second))
    if both is None:
        both = [(name, name) for name in ours.index.intersection(theirs.index)]
    shared = sorted(both, key=lambda pair: pair[1])
    left, right = ours.loc[[old for old, _ in shared]], theirs.loc[[new for _, new in shared]]
    scored = [side["status"].to_numpy() == "scored" for side in (left, right)]
    common = scored[0] & scored[1]
    left, right = left.reset_index(), right.reset_index()
    for name in (*QUESTION, "hops", "doc_id", *ASKED_IN):
        left[name] = right[name]
    names = sorted(set(right["question_id"]))
    place = {name: at for at, name in enumerate(names)}
    for one in (left, right):
        one["at"] = one["question_id"].map(place).astype(int)
        one["status"] = one["status"].where(common, "missing")
        one["value"] = one["value"].where(common)
        one["refused"] = one["refused"] & common
    binary = left["value"].isin((0, 1)) & right["value"].isin((0, 1))
    won = int((binary & (right["value"] > left["value"])).sum())
    lost = int((binary & (right["value"] < left["value"])).sum())
    counts = PairedTrials(
        protocol,
        len(ours),
        len(theirs),
        len(shared),
        int(scored[0].sum()),
        int(scored[1].sum()),
        int(common.sum()),
        len(names),
        won,
        lost,
        mcnemar(lost, won).p,
        mcnemar(lost, won, method="chi2").p,
    )
    return Frame(left, names), Frame(right, names), counts
