"""How far two judges, or two rounds of one, agree beyond chance: Cohen's kappa (Cohen 1960, 1968) with its interval."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from typing import Literal

from rarefy.data_contracts.rows import Judgement
from rarefy.tasks.questions.grade.verdict import DIMENSIONS, scores

Weights = Literal["none", "quadratic"]
Pair = tuple[int, int]

NORMAL = 1.959964  # two-sided 95 %
MISSED = 0.025  # one side of it


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on one scale. `kappa` is None where it says nothing, and `undefined` why."""

    between: tuple[str, str]
    of: str  # readability | clarity | correctness | kept
    weights: str  # none | quadratic: a distance of two counts four times a distance of one
    n: int  # rated by both
    missing: int  # rated by one of them alone
    observed: float  # share of pairs that are equal; weighted, the mean closeness
    expected: float  # the same, if each rated at random as often as it did
    kappa: float | None
    low: float | None  # 95 % interval
    high: float | None
    undefined: str = ""


def kappa(
    pairs: Iterable[Pair],
    weights: Weights = "none",
    *,
    between: tuple[str, str] = ("first", "second"),
    of: str = "",
    missing: int = 0,
) -> Agreement:
    """Cohen's kappa of these pairs of ratings, with the large-sample interval of Fleiss, Cohen and Everitt (1969).

    Where a rater gave all the same rating there is nothing to agree on beyond chance: the kappa is undefined, neither
    0 nor 1. Where all pairs are equal that interval has no width; its lower end is then what the exact 95 % bound of
    the share of equal pairs gives.
    """
    counts = Counter(pairs)
    n = counts.total()
    share = {pair: count / n for pair, count in counts.items()}
    observed, expected, value, undefined = point(share, weights)
    made = Agreement(between, of, weights, n, missing, observed, expected, value, None, None, undefined)
    if value is None:
        return made
    if all(a == b for a, b in counts):
        return replace(made, low=max((MISSED ** (1 / n) - expected) / (1 - expected), -1.0), high=1.0)
    half = NORMAL * sqrt(_variance(share, weights, observed, expected, n))
    return replace(made, low=max(value - half, -1.0), high=min(value + half, 1.0))


def point(share: Mapping[Pair, float], weights: Weights = "none") -> tuple[float, float, float | None, str]:
    """Observed and expected agreement, kappa, and why there is none, of shares of pairs that sum to one."""
    if not share:
        return 0.0, 0.0, None, "nothing was rated by both"
    first, second = _margins(share)
    near = _closeness(first, second, weights)
    observed = sum(part * near[pair] for pair, part in share.items())
    expected = sum(first[a] * second[b] * near[a, b] for a, b in near)
    for name, margin in (("first", first), ("second", second)):
        if len(margin) == 1:
            rating = next(iter(margin))
            who = "both" if len(first) == len(second) == 1 and first.keys() == second.keys() else f"the {name}"
            return observed, expected, None, f"{who} rated everything {rating}: nothing to agree on beyond chance"
    return observed, expected, min((observed - expected) / (1 - expected), 1.0), ""  # sums round


def agreements(judgements: Iterable[Judgement], keep_above: int) -> list[Agreement]:
    """The first judge against the second by what each decided, and each judge's first round against its others.

    Each dimension without weights and with quadratic ones, and whether a question would be kept.
    """
    by: dict[str, dict[str, list[Judgement]]] = defaultdict(lambda: defaultdict(list))  # judge -> question -> rounds
    for one in judgements:
        by[one.judge][one.question_id].append(one)
    compared: list[tuple[tuple[str, str], Mapping[str, list[Judgement]], Mapping[str, list[Judgement]]]] = []
    judges = sorted(by)
    if len(judges) > 1:
        compared.append(((judges[0], judges[1]), by[judges[0]], by[judges[1]]))
    for judge in judges:
        rounds: dict[int, dict[str, list[Judgement]]] = defaultdict(lambda: defaultdict(list))
        for one in (one for many in by[judge].values() for one in many):
            rounds[one.round][one.question_id].append(one)
        begin, *others = sorted(rounds)
        compared += [
            ((f"{judge}, round {begin + 1}", f"round {other + 1}"), rounds[begin], rounds[other]) for other in others
        ]
    return [one for between, a, b in compared for one in _compared(between, a, b, keep_above)]


def told(one: Agreement) -> str:
    """One line: who, on what, how far, on how many."""
    of = f"{one.of} ({'quadratic weights' if one.weights == 'quadratic' else 'unweighted'})"
    lost = f", {one.missing:,} rated by one alone" if one.missing else ""
    if one.kappa is None:
        value = f"kappa not defined ({one.undefined})"
    elif one.low is None or one.high is None:
        value = f"kappa {one.kappa:.2f}, on too few for an interval"
    else:
        value = f"kappa {one.kappa:.2f}, 95 % {one.low:.2f} to {one.high:.2f}"
    return f"{one.between[0]} / {one.between[1]}: {of}: {value}; n = {one.n:,}{lost}"


def _compared(
    between: tuple[str, str], a: Mapping[str, Sequence[Judgement]], b: Mapping[str, Sequence[Judgement]], above: int
) -> Iterable[Agreement]:
    rated = [(scores(a.get(name, ())), scores(b.get(name, ()))) for name in sorted({*a, *b})]
    both = [pair for pair in rated if all(pair)]
    missing = sum(any(pair) for pair in rated) - len(both)
    for of, weights in product(DIMENSIONS, ("none", "quadratic")):
        pairs = [(x[of], y[of]) for x, y in both]
        yield kappa(pairs, weights, between=between, of=of, missing=missing)  # type: ignore[arg-type]
    kept = [(int(min(x.values()) > above), int(min(y.values()) > above)) for x, y in both]
    yield kappa(kept, between=between, of="kept", missing=missing)


def _margins(share: Mapping[Pair, float]) -> tuple[dict[int, float], dict[int, float]]:
    first: dict[int, float] = defaultdict(float)
    second: dict[int, float] = defaultdict(float)
    for (a, b), part in share.items():
        first[a] += part
        second[b] += part
    return dict(first), dict(second)


def _closeness(first: Iterable[int], second: Iterable[int], weights: Weights) -> dict[Pair, float]:
    """How much of an agreement each pair of ratings is, from 0 to 1."""
    ratings = {*first, *second}
    span = max(ratings) - min(ratings) or 1
    if weights == "none":
        return {(a, b): float(a == b) for a in first for b in second}
    return {(a, b): 1 - ((a - b) / span) ** 2 for a in first for b in second}


def _variance(share: Mapping[Pair, float], weights: Weights, observed: float, expected: float, n: int) -> float:
    """Of kappa, as in Fleiss, Cohen and Everitt (1969), equation 13; the unweighted kappa is a case of it."""
    first, second = _margins(share)
    near = _closeness(first, second, weights)
    of_first = {a: sum(near[a, b] * part for b, part in second.items()) for a in first}
    of_second = {b: sum(near[a, b] * part for a, part in first.items()) for b in second}
    spread = sum(
        part * (near[a, b] * (1 - expected) - (of_first[a] + of_second[b]) * (1 - observed)) ** 2
        for (a, b), part in share.items()
    )
    return max(spread - (observed * expected - 2 * expected + observed) ** 2, 0.0) / (n * (1 - expected) ** 4)
