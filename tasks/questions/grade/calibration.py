"""How far a judge's scores are those of people who read the same questions (RARE §3.4, R23; Wilson 1927)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import sqrt
from random import Random

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.questions.grade.agreement import MISSED, NORMAL, Agreement, Weights, point
from rarefy.tasks.questions.grade.verdict import DIMENSIONS

Scores = Mapping[str, int]  # by dimension; a person may have left some out
Kept = tuple[bool, bool]  # by the judge, by the person

RESAMPLES = 2_000
LEAST_DEFINED = 0.95  # of the resamples; below that an interval would leave out the cases that matter
BOTH = 2.241403  # two-sided 97.5 %: two intervals of that hold together at least 95 % of the time


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its 95 % interval; None where it cannot be told, and `undefined` why."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A judge beside people. Kappas, offsets and recall are weighted to all judged questions, counts are not."""

    rows: int  # in the sheet
    labelled: int  # with a score at least
    complete: int  # with all three
    population: Mapping[bool, int]  # judged questions of the benchmark, by kept
    agreements: tuple[Agreement, ...]  # judge / person, by dimension and for kept
    offsets: Mapping[str, float]  # mean of judge minus person, by dimension labelled
    confusion: Mapping[Kept, int]
    precision: Share  # of what the judge keeps, how much people would keep
    recall: Share  # of what people would keep, how much the judge keeps
    keep_above: int


def compare(judged: Mapping[str, Scores], labels: Mapping[str, Scores], keep_above: int) -> Calibrated:
    """The judge's scores of all that it judged beside the people's of some of it.

    Those labelled may hold more rejected questions than the benchmark does, as a sheet's sample has: each counts as
    often as there are judged questions of its side (kept, rejected) for each labelled one.
    """
    population = Counter(_kept(scores, keep_above) for scores in judged.values())
    some = {name: scores for name, scores in sorted(labels.items()) if scores}
    whole = {name: scores for name, scores in some.items() if len(scores) == len(DIMENSIONS)}
    made, offsets = [], {}
    for of in DIMENSIONS:
        pairs = [
            (_kept(judged[name], keep_above), (judged[name][of], scores[of]))
            for name, scores in some.items()
            if of in scores
        ]
        made += [_agreement(pairs, population, of, weights) for weights in ("none", "quadratic")]
        if pairs:
            offsets[of] = sum(part * (a - b) for (a, b), part in _shares(pairs, population).items())
    kept = [(_kept(judged[name], keep_above), _kept(scores, keep_above)) for name, scores in whole.items()]
    made.append(_agreement([(judge, (int(judge), int(person))) for judge, person in kept], population, "kept", "none"))
    confusion = {(judge, person): kept.count((judge, person)) for judge, person in product((True, False), repeat=2)}
    return Calibrated(
        rows=len(labels),
        labelled=len(some),
        complete=len(whole),
        population={side: population[side] for side in (True, False)},
        agreements=tuple(made),
        offsets=offsets,
        confusion=confusion,
        precision=_precision(confusion),
        recall=_recall(confusion, population),
        keep_above=keep_above,
    )


def wilson(hits: int, n: int, z: float = NORMAL) -> tuple[float, float]:
    """The interval of a share by Wilson's score; from 0 to 1 where nothing was counted."""
    if not n:
        return 0.0, 1.0
    share, spread = hits / n, z * z / n
    middle, half = share + spread / 2, z * sqrt(share * (1 - share) / n + spread / (4 * n))
    return max((middle - half) / (1 + spread), 0.0), min((middle + half) / (1 + spread), 1.0)


def _kept(scores: Scores, keep_above: int) -> bool:
    return min(scores.values()) > keep_above


def _precision(confusion: Mapping[Kept, int]) -> Share:
    hits, n = confusion[True, True], confusion[True, True] + confusion[True, False]
    if not n:
        return Share(None, None, None, 0, "no question that the judge keeps was labelled")
    return Share(hits / n, *wilson(hits, n), n)


def _recall(confusion: Mapping[Kept, int], population: Mapping[bool, int]) -> Share:
    """From the share of either side that people would keep; its interval from those of the two at 97.5 % each."""
    n = confusion[True, True] + confusion[False, True]
    sides: dict[bool, tuple[float, float, float]] = {}
    for side in (True, False):
        hits, labelled = confusion[side, True], confusion[side, True] + confusion[side, False]
        if population[side] and not labelled:
            what = "keeps" if side else "rejects"
            return Share(None, None, None, n, f"no question that the judge {what} was labelled")
        size = population[side]
        bounds = wilson(hits, labelled, BOTH) if size else (0.0, 0.0)
        sides[side] = (size * hits / max(labelled, 1), size * bounds[0], size * bounds[1])
    (kept, kept_low, kept_high), (lost, lost_low, lost_high) = sides[True], sides[False]
    if not kept + lost:
        return Share(None, None, None, n, "people would keep none of those labelled")
    return Share(kept / (kept + lost), kept_low / (kept_low + lost_high), kept_high / (kept_high + lost_low), n)


Sided = tuple[bool, tuple[int, int]]  # kept by the judge; judge's and person's rating


def _agreement(pairs: Sequence[Sided], population: Mapping[bool, int], of: str, weights: Weights) -> Agreement:
    observed, expected, value, undefined = point(_shares(pairs, population), weights)
    undefined = undefined.replace("the first", "the judge").replace("the second", "the people")
    undefined = undefined.replace("nothing was rated by both", "nothing was labelled")
    between = ("judge", "people")
    made = Agreement(between, of, weights, len(pairs), 0, observed, expected, value, None, None, undefined)
    if value is None:
        return made
    if all(a == b for _, (a, b) in pairs):  # as in agreement.kappa: resampling would say that 1 is certain
        return replace(made, low=max((MISSED ** (1 / len(pairs)) - expected) / (1 - expected), -1.0), high=1.0)
    found = sorted(_resampled(pairs, population, weights, Random(row_id("calibrate", of, weights, len(pairs)))))
    if len(found) < LEAST_DEFINED * RESAMPLES:
        return made
    return replace(made, low=found[int(MISSED * len(found))], high=found[-int(MISSED * len(found)) - 1])


def _shares(pairs: Iterable[Sided], population: Mapping[bool, int]) -> dict[tuple[int, int], float]:
    """What share of all judged questions each pair of ratings stands for."""
    counts = Counter(pairs)
    labelled = {side: sum(count for (one, _), count in counts.items() if one is side) for side in (True, False)}
    total = sum(population[side] for side, count in labelled.items() if count)
    shares: dict[tuple[int, int], float] = defaultdict(float)
    for (side, pair), count in sorted(counts.items()):  # in order, so that sums round alike
        shares[pair] += count * population[side] / labelled[side] / total
    return dict(shares)


def _resampled(pairs: Sequence[Sided], population: Mapping[bool, int], weights: Weights, random: Random) -> list[float]:
    """Kappas of samples drawn from either side as it was labelled, those that are defined."""
    sides = [some for side in (True, False) if (some := [one for one in pairs if one[0] is side])]
    found: list[float] = []
    for _ in range(RESAMPLES):
        drawn = [one for some in sides for one in random.choices(some, k=len(some))]
        value = point(_shares(drawn, population), weights)[2]
        if value is not None:
            found.append(value)
    return found
