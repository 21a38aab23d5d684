"""The mix of classes that a retriever was seen to give, and a scenario made of it (Magic Mushroom Appendix A)."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rarefy.data_contracts.contexts import Classified
from rarefy.data_contracts.rows import Question
from rarefy.tasks.perturb.mix.classify import UNCLEAR
from rarefy.tasks.perturb.mix.config import CLASSES
from rarefy.tasks.perturb.mix.scenarios import FITTED

DEPTHS = (5, 10, 15, 20, 25, 30)  # passages, as in Figure 7
RESAMPLES = 1_000  # of the questions, for an interval of 95 %


@dataclass(frozen=True, slots=True)
class Share:
    """The share of a class, and where it lies with 95 % probability; no interval from a single question."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Observed:
    """What the first `k` passages of a group of questions are."""

    group: str  # "all", "pattern chain", "domain finance"
    k: int
    questions: int  # with any passages
    passages: int  # among the first k of each, those that are unclear included
    unclear: int  # not among the shares, which are of the others
    short: int  # questions with fewer than k passages
    shares: Mapping[str, Share]  # by class; none where every passage is unclear


def observed(
    classified: Iterable[Classified], questions: Mapping[str, Question], depths: Sequence[int] = ()
) -> list[Observed]:
    """The mix at each depth: of all questions, then of each pattern and domain there is more than one of.

    Depths that no question has so many passages for are left out; none given: Figure 7's, and the deepest there is.
    The intervals are of questions drawn anew, since the passages of one question are alike; equal rows give equal ones.
    """
    of_question: dict[str, list[Classified]] = defaultdict(list)
    for row in classified:
        of_question[row.question_id].append(row)
    ranked = {name: sorted(rows, key=lambda row: row.rank) for name, rows in sorted(of_question.items())}
    deepest = max(map(len, ranked.values()), default=0)
    wanted = sorted({k for k in depths or (*DEPTHS, deepest) if 0 < k <= deepest})
    return [
        _of_group(group, k, [ranked[name] for name in names])
        for group, names in _groups(ranked, questions).items()
        for k in wanted
    ]


def _groups(names: Iterable[str], questions: Mapping[str, Question]) -> dict[str, list[str]]:
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


def _of_group(group: str, k: int, rows: Sequence[Sequence[Classified]]) -> Observed:
    counts = [Counter(row.label for row in ranked[:k]) for ranked in rows]
    unclear = sum(count[UNCLEAR] for count in counts)
    table = np.array([[count[name] for name in CLASSES] for count in counts], dtype=float).reshape(-1, len(CLASSES))
    return Observed(
        group=group,
        k=k,
        questions=len(rows),
        passages=sum(count.total() for count in counts),
        unclear=unclear,
        short=sum(len(ranked) < k for ranked in rows),
        shares=_shares(table),
    )


def _shares(table: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> dict[str, Share]:
    total = table.sum()
    if not total:
        return {}
    values = table.sum(axis=0) / total
    low, high = values, values
    if len(table) > 1:
        random = np.random.default_rng(len(table))  # the same rows, the same interval
        sums = np.stack([table[random.integers(0, len(table), len(table))].sum(axis=0) for _ in range(RESAMPLES)])
        drawn = sums[sums.sum(axis=1) > 0]
        low, high = np.percentile(drawn / drawn.sum(axis=1, keepdims=True), [2.5, 97.5], axis=0)
    return {
        name: Share(*(round(float(part[at]), 4) for part in (values, low, high))) for at, name in enumerate(CLASSES)
    }


def scenario_file(name: str, one: Observed) -> str:
    """A file that `rarefy mix --scenarios` reads: the shares, and under them what they are known from.

    ValueError where there is nothing to make one of.
    """
    if not one.shares:
        raise ValueError(f"none of the {one.passages:,} passages was told apart, so that there is nothing to fit")
    key = json.dumps(name)  # a JSON string is a TOML one
    rows = [f"{part} = {share.value}" for part, share in one.shares.items()]
    intervals = [f"{part} = [{share.low}, {share.high}]" for part, share in one.shares.items()]
    facts = [f"{part} = {getattr(one, part)}" for part in ("k", "questions", "passages", "unclear", "short")]
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


def show(rows: Sequence[Observed]) -> str:
    """The mixes as a table in per cent, a line for each depth and group."""
    wide = max([len("questions"), *(len(row.group) for row in rows)])
    head = f"{'of':{wide}}  {'k':>3}  {'questions':>9}  {'passages':>8}  " + "  ".join(f"{n[:14]:>15}" for n in CLASSES)
    lines = [head + "   unclear"]
    for row in rows:
        cells = "  ".join(_told(row.shares.get(name)) for name in CLASSES)
        unclear = 100 * row.unclear / row.passages if row.passages else 0.0
        lines.append(
            f"{row.group:{wide}}  {row.k:>3}  {row.questions:>9,}  {row.passages:>8,}  {cells}  {unclear:>6.1f} %"
        )
    return "\n".join(lines)


def _told(share: Share | None) -> str:
    if share is None:
        return f"{'-':>15}"
    return f"{100 * share.value:>5.1f} ({100 * share.low:.0f}-{100 * share.high:.0f})".rjust(15)
