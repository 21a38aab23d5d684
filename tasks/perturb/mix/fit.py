"""Measure which mix of classes a retriever returns, and write it as a scenario (Magic Mushroom Appendix A)."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rarefy.data_contracts.rows import Classified, Question
from rarefy.tasks.perturb.mix.classify import UNCLEAR
from rarefy.tasks.perturb.mix.config import CLASSES, FITTED

DEPTHS = (5, 10, 15, 20, 25, 30)  # passages, as in Figure 7
RESAMPLES = 1_000  # of the questions, for a 95 % interval


@dataclass(frozen=True, slots=True)
class Share:
    """The share of a class and its 95 % interval (the share itself for a single question)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ObservedMix:
    """The classes of the first `k` passages of a group of questions."""

    group: str  # "all", "pattern chain", "domain finance"
    k: int
    questions: int  # with any passages
    passages: int  # among the first k of each, unclear ones included
    unclear: int  # not counted in the shares
    short: int  # questions with fewer than k passages
    shares: Mapping[str, Share]  # by class; none where every passage is unclear


def measure_mix(
    classified: Iterable[Classified], questions: Mapping[str, Question], depths: Sequence[int] = ()
) -> list[ObservedMix]:
    """The mix at each depth: of all questions, then by pattern and by domain where there are several.

    Depths beyond all rankings are left out; by default those of Figure 7 and the deepest. Intervals are bootstrapped
    over questions, since the passages of one question are alike; equal rows give equal intervals.
    """
    of_question: dict[str, list[Classified]] = defaultdict(list)
    for row in classified:
        of_question[row.question_id].append(row)
    ranked = {name: sorted(rows, key=lambda row: row.rank) for name, rows in sorted(of_question.items())}
    deepest = max(map(len, ranked.values()), default=0)
    wanted = sorted({k for k in depths or (*DEPTHS, deepest) if 0 < k <= deepest})
    return [
        _measure_group(group, k, [ranked[name] for name in names])
        for group, names in _group_questions(ranked, questions).items()
        for k in wanted
    ]


def _group_questions(names: Iterable[str], questions: Mapping[str, Question]) -> dict[str, list[str]]:
    every = list(names)
    found = {"all": every}
    for field in ("pattern", "domain"):
        parts: dict[str, list[str]] = defaultdict(list)
        for name in every:
            if name in questions:
                parts[f"{field} {getattr(questions[name], field)}"].append(name)
        if len(parts) > 1:
            found |= dict(sorted(parts.items()))
    return found


def _measure_group(group: str, k: int, rows: Sequence[Sequence[Classified]]) -> ObservedMix:
    counts = [Counter(row.label for row in ranked[:k]) for ranked in rows]
    unclear = sum(count[UNCLEAR] for count in counts)
    table = np.array([[count[name] for name in CLASSES] for count in counts], dtype=float).reshape(-1, len(CLASSES))
    return ObservedMix(
        group=group,
        k=k,
        questions=len(rows),
        passages=sum(count.total() for count in counts),
        unclear=unclear,
        short=sum(len(ranked) < k for ranked in rows),
        shares=_estimate_shares(table),
    )


def _estimate_shares(table: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> dict[str, Share]:
    total = table.sum()
    if not total:
        return {}
    values = table.sum(axis=0) / total
    low, high = values, values
    if len(table) > 1:
        random = np.random.default_rng(len(table))  # equal rows give equal intervals
        sums = np.stack([table[random.integers(0, len(table), len(table))].sum(axis=0) for _ in range(RESAMPLES)])
        drawn = sums[sums.sum(axis=1) > 0]
        low, high = np.percentile(drawn / drawn.sum(axis=1, keepdims=True), [2.5, 97.5], axis=0)
    return {
        name: Share(*(round(float(part[at]), 4) for part in (values, low, high))) for at, name in enumerate(CLASSES)
    }


def render_scenario_file(name: str, measured: ObservedMix) -> str:
    """A TOML file for `rarefy mix --scenarios`: the shares, and what they were measured on.

    ValueError where no passage was classified.
    """
    if not measured.shares:
        raise ValueError(f"none of the {measured.passages:,} passages was told apart, so that there is nothing to fit")
    key = json.dumps(name)  # a JSON string is a TOML one
    rows = [f"{part} = {share.value}" for part, share in measured.shares.items()]
    intervals = [f"{part} = [{share.low}, {share.high}]" for part, share in measured.shares.items()]
    facts = [f"{part} = {getattr(measured, part)}" for part in ("k", "questions", "passages", "unclear", "short")]
    return "\n".join(
        [
            "# the mix that a retriever was seen to give, for `rarefy mix --scenarios`",
            f"[{key}]",
            *rows,
            "",
            f"[{key}.{FITTED}]  # what it was seen in; the shares are of the passages that are not unclear",
            *facts,
            "",
            f"[{key}.{FITTED}.intervals]  # 95 %, of questions drawn anew",
            *intervals,
            "",
        ]
    )


def render_observed(rows: Sequence[ObservedMix]) -> str:
    """The mixes as a table in per cent, with a line per group and depth."""
    wide = max([len("questions"), *(len(row.group) for row in rows)])
    head = f"{'of':{wide}}  {'k':>3}  {'questions':>9}  {'passages':>8}  " + "  ".join(f"{n[:14]:>15}" for n in CLASSES)
    lines = [head + "   unclear"]
    for row in rows:
        cells = "  ".join(_render_share(row.shares.get(name)) for name in CLASSES)
        unclear = 100 * row.unclear / row.passages if row.passages else 0.0
        lines.append(
            f"{row.group:{wide}}  {row.k:>3}  {row.questions:>9,}  {row.passages:>8,}  {cells}  {unclear:>6.1f} %"
        )
    return "\n".join(lines)


def _render_share(share: Share | None) -> str:
    if share is None:
        return f"{'-':>15}"
    return f"{100 * share.value:>5.1f} ({100 * share.low:.0f}-{100 * share.high:.0f})".rjust(15)
