"""How far judges agree with each other (Cohen's kappa), and a judge with people (RARE §3.4, R23; Wilson 1927)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from math import sqrt
from random import Random
from typing import Literal

from rarefy.data_contracts.rows import Judgement, row_id
from rarefy.tasks.questions.grade import DIMENSIONS, median_scores

Weights = Literal["none", "quadratic"]
Pair = tuple[int, int]

NORMAL = 1.959964  # two-sided 95 %
MISSED = 0.025  # one side of it


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two raters on one scale; `kappa` is None where it is not defined, and `undefined` says why."""

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


def cohen_kappa(
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
    observed, expected, value, undefined = kappa_point(share, weights)
    agreement = Agreement(between, of, weights, n, missing, observed, expected, value, None, None, undefined)
    if value is None:
        return agreement
    if all(a == b for a, b in counts):
        return replace(agreement, low=max((MISSED ** (1 / n) - expected) / (1 - expected), -1.0), high=1.0)
    half = NORMAL * sqrt(_variance(share, weights, observed, expected, n))
    return replace(agreement, low=max(value - half, -1.0), high=min(value + half, 1.0))


def kappa_point(share: Mapping[Pair, float], weights: Weights = "none") -> tuple[float, float, float | None, str]:
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


def judge_agreements(judgements: Iterable[Judgement], keep_above: int) -> list[Agreement]:
    """The first judge against the second by what each decided, and each judge's first round against its others.

    Each dimension without weights and with quadratic ones, and whether a question would be kept.
    """
    by: dict[str, dict[str, list[Judgement]]] = defaultdict(lambda: defaultdict(list))  # judge -> question -> rounds
    for judgement in judgements:
        by[judgement.judge][judgement.question_id].append(judgement)
    compared: list[tuple[tuple[str, str], Mapping[str, list[Judgement]], Mapping[str, list[Judgement]]]] = []
    judges = sorted(by)
    if len(judges) > 1:
        compared.append(((judges[0], judges[1]), by[judges[0]], by[judges[1]]))
    for judge in judges:
        rounds: dict[int, dict[str, list[Judgement]]] = defaultdict(lambda: defaultdict(list))
        for judgement in chain.from_iterable(by[judge].values()):
            rounds[judgement.round][judgement.question_id].append(judgement)
        begin, *others = sorted(rounds)
        compared += [
            ((f"{judge}, round {begin + 1}", f"round {other + 1}"), rounds[begin], rounds[other]) for other in others
        ]
    return [agreement for between, a, b in compared for agreement in _compare_ratings(between, a, b, keep_above)]


def describe_agreement(agreement: Agreement) -> str:
    """One line of an agreement: raters, scale, kappa with its interval, n."""
    of = f"{agreement.of} ({'quadratic weights' if agreement.weights == 'quadratic' else 'unweighted'})"
    lost = f", {agreement.missing:,} rated by one alone" if agreement.missing else ""
    if agreement.kappa is None:
        value = f"kappa not defined ({agreement.undefined})"
    elif agreement.low is None or agreement.high is None:
        value = f"kappa {agreement.kappa:.2f}, on too few for an interval"
    else:
        value = f"kappa {agreement.kappa:.2f}, 95 % {agreement.low:.2f} to {agreement.high:.2f}"
    return f"{agreement.between[0]} / {agreement.between[1]}: {of}: {value}; n = {agreement.n:,}{lost}"


def _compare_ratings(
    between: tuple[str, str], a: Mapping[str, Sequence[Judgement]], b: Mapping[str, Sequence[Judgement]], above: int
) -> Iterable[Agreement]:
    rated = [(median_scores(a.get(name, ())), median_scores(b.get(name, ()))) for name in sorted({*a, *b})]
    both = [pair for pair in rated if all(pair)]
    missing = sum(any(pair) for pair in rated) - len(both)
    for of, weights in product(DIMENSIONS, ("none", "quadratic")):
        pairs = [(x[of], y[of]) for x, y in both]
        yield cohen_kappa(pairs, weights, between=between, of=of, missing=missing)  # type: ignore[arg-type]
    kept = [(int(min(x.values()) > above), int(min(y.values()) > above)) for x, y in both]
    yield cohen_kappa(kept, between=between, of="kept", missing=missing)


def _margins(share: Mapping[Pair, float]) -> tuple[dict[int, float], dict[int, float]]:
    first: dict[int, float] = defaultdict(float)
    second: dict[int, float] = defaultdict(float)
    for (a, b), part in share.items():
        first[a] += part
        second[b] += part
    return dict(first), dict(second)


def _closeness(first: Iterable[int], second: Iterable[int], weights: Weights) -> dict[Pair, float]:
    """The closeness of each pair of ratings, from 0 to 1 (equal)."""
    ratings = {*first, *second}
    span = max(ratings) - min(ratings) or 1
    if weights == "none":
        return {(a, b): float(a == b) for a in first for b in second}
    return {(a, b): 1 - ((a - b) / span) ** 2 for a in first for b in second}


def _variance(share: Mapping[Pair, float], weights: Weights, observed: float, expected: float, n: int) -> float:
    """The variance of kappa (Fleiss, Cohen and Everitt 1969, equation 13), unweighted or weighted."""
    first, second = _margins(share)
    near = _closeness(first, second, weights)
    of_first = {a: sum(near[a, b] * part for b, part in second.items()) for a in first}
    of_second = {b: sum(near[a, b] * part for a, part in first.items()) for b in second}
    spread = sum(
        part * (near[a, b] * (1 - expected) - (of_first[a] + of_second[b]) * (1 - observed)) ** 2
        for (a, b), part in share.items()
    )
    return max(spread - (observed * expected - 2 * expected + observed) ** 2, 0.0) / (n * (1 - expected) ** 4)


Scores = Mapping[str, int]  # by dimension; a person may have left some out
Kept = tuple[bool, bool]  # by the judge, by the person

RESAMPLES = 2_000
LEAST_DEFINED = 0.95  # of the resamples; below that an interval would leave out the cases that matter
BOTH = 2.241403  # two-sided 97.5 %: two intervals of that hold together at least 95 % of the time


@dataclass(frozen=True, slots=True)
class ShareInterval:
    """A share with its 95 % interval; None where it is not defined, and `undefined` says why."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge compared with people. Kappas, offsets and recall are weighted to all judged questions, counts are not."""

    rows: int  # in the sheet
    labelled: int  # with a score at least
    complete: int  # with all three
    population: Mapping[bool, int]  # judged questions of the benchmark, by kept
    agreements: tuple[Agreement, ...]  # judge / person, by dimension and for kept
    offsets: Mapping[str, float]  # mean of judge minus person, by dimension labelled
    confusion: Mapping[Kept, int]
    precision: ShareInterval  # of what the judge keeps, how much people would keep
    recall: ShareInterval  # of what people would keep, how much the judge keeps
    keep_above: int


def compare_with_people(judged: Mapping[str, Scores], labels: Mapping[str, Scores], keep_above: int) -> Calibration:
    """The judge's scores of all questions compared with people's scores of some of them.

    Those labelled may hold more rejected questions than the benchmark does, as a sheet's sample has: each counts as
    often as there are judged questions of its side (kept, rejected) for each labelled one.
    """
    population = Counter(_is_kept(scores, keep_above) for scores in judged.values())
    some = {name: scores for name, scores in sorted(labels.items()) if scores}
    whole = {name: scores for name, scores in some.items() if len(scores) == len(DIMENSIONS)}
    agreements, offsets = [], {}
    for of in DIMENSIONS:
        pairs = [
            (_is_kept(judged[name], keep_above), (judged[name][of], scores[of]))
            for name, scores in some.items()
            if of in scores
        ]
        agreements += [_weighted_agreement(pairs, population, of, weights) for weights in ("none", "quadratic")]
        if pairs:
            offsets[of] = sum(part * (a - b) for (a, b), part in _shares(pairs, population).items())
    kept = [(_is_kept(judged[name], keep_above), _is_kept(scores, keep_above)) for name, scores in whole.items()]
    agreements.append(
        _weighted_agreement([(judge, (int(judge), int(person))) for judge, person in kept], population, "kept", "none")
    )
    confusion = {(judge, person): kept.count((judge, person)) for judge, person in product((True, False), repeat=2)}
    return Calibration(
        rows=len(labels),
        labelled=len(some),
        complete=len(whole),
        population={side: population[side] for side in (True, False)},
        agreements=tuple(agreements),
        offsets=offsets,
        confusion=confusion,
        precision=_precision(confusion),
        recall=_recall(confusion, population),
        keep_above=keep_above,
    )


def wilson_interval(hits: float, n: int, z: float = NORMAL) -> tuple[float, float]:
    """The interval of a share by Wilson's score; from 0 to 1 where nothing was counted."""
    if not n:
        return 0.0, 1.0
    share, spread = hits / n, z * z / n
    middle, half = share + spread / 2, z * sqrt(share * (1 - share) / n + spread / (4 * n))
    return max((middle - half) / (1 + spread), 0.0), min((middle + half) / (1 + spread), 1.0)


def _is_kept(scores: Scores, keep_above: int) -> bool:
    return min(scores.values()) > keep_above


def _precision(confusion: Mapping[Kept, int]) -> ShareInterval:
    hits, n = confusion[True, True], confusion[True, True] + confusion[True, False]
    if not n:
        return ShareInterval(None, None, None, 0, "no question that the judge keeps was labelled")
    return ShareInterval(hits / n, *wilson_interval(hits, n), n)


def _recall(confusion: Mapping[Kept, int], population: Mapping[bool, int]) -> ShareInterval:
    """Recall from the shares that people would keep of either side; its interval from theirs at 97.5 % each."""
    n = confusion[True, True] + confusion[False, True]
    sides: dict[bool, tuple[float, float, float]] = {}
    for side in (True, False):
        hits, labelled = confusion[side, True], confusion[side, True] + confusion[side, False]
        if population[side] and not labelled:
            what = "keeps" if side else "rejects"
            return ShareInterval(None, None, None, n, f"no question that the judge {what} was labelled")
        size = population[side]
        bounds = wilson_interval(hits, labelled, BOTH) if size else (0.0, 0.0)
        sides[side] = (size * hits / max(labelled, 1), size * bounds[0], size * bounds[1])
    (kept, kept_low, kept_high), (lost, lost_low, lost_high) = sides[True], sides[False]
    if not kept + lost:
        return ShareInterval(None, None, None, n, "people would keep none of those labelled")
    return ShareInterval(kept / (kept + lost), kept_low / (kept_low + lost_high), kept_high / (kept_high + lost_low), n)


Sided = tuple[bool, tuple[int, int]]  # kept by the judge; judge's and person's rating


def _weighted_agreement(pairs: Sequence[Sided], population: Mapping[bool, int], of: str, weights: Weights) -> Agreement:
    observed, expected, value, undefined = kappa_point(_shares(pairs, population), weights)
    undefined = undefined.replace("the first", "the judge").replace("the second", "the people")
    undefined = undefined.replace("nothing was rated by both", "nothing was labelled")
    between = ("judge", "people")
    agreement = Agreement(between, of, weights, len(pairs), 0, observed, expected, value, None, None, undefined)
    if value is None:
        return agreement
    if all(a == b for _, (a, b) in pairs):  # as in cohen_kappa: resampling would say that 1 is certain
        return replace(agreement, low=max((MISSED ** (1 / len(pairs)) - expected) / (1 - expected), -1.0), high=1.0)
    kappas = sorted(_resampled(pairs, population, weights, Random(row_id("calibrate", of, weights, len(pairs)))))
    if len(kappas) < LEAST_DEFINED * RESAMPLES:
        return agreement
    return replace(agreement, low=kappas[int(MISSED * len(kappas))], high=kappas[-int(MISSED * len(kappas)) - 1])


def _shares(pairs: Iterable[Sided], population: Mapping[bool, int]) -> dict[tuple[int, int], float]:
    """The share of all judged questions that each pair of ratings stands for."""
    counts = Counter(pairs)
    labelled = {side: sum(count for (kept, _), count in counts.items() if kept is side) for side in (True, False)}
    total = sum(population[side] for side, count in labelled.items() if count)
    shares: dict[tuple[int, int], float] = defaultdict(float)
    for (side, pair), count in sorted(counts.items()):  # in order, so that sums round alike
        shares[pair] += count * population[side] / labelled[side] / total
    return dict(shares)


def _resampled(pairs: Sequence[Sided], population: Mapping[bool, int], weights: Weights, random: Random) -> list[float]:
    """The defined kappas of samples drawn with replacement from either side (kept, rejected) as labelled."""
    sides = [some for side in (True, False) if (some := [pair for pair in pairs if pair[0] is side])]
    kappas: list[float] = []
    for _ in range(RESAMPLES):
        drawn = [pair for some in sides for pair in random.choices(some, k=len(some))]
        value = kappa_point(_shares(drawn, population), weights)[2]
        if value is not None:
            kappas.append(value)
    return kappas
