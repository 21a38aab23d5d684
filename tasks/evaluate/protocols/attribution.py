"""Attribution of wrong answers to retriever or generator: did the system have all gold, or at least the answer?"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rarefy.tasks.evaluate.protocols.frame import Frame, Mask, select_columns, slices
from rarefy.tasks.evaluate.statistics.measure import Measure, Metric

GENERATOR, RETRIEVER, SHOWN, UNKNOWN = (
    "Generator at fault",
    "Retriever at fault",
    "Answer shown without all gold",
    "Fault not known",
)
COMPLETE, RIGHT, RIGHT_WITHOUT, REFUSED = (
    "All gold retrieved",
    "Right with all gold",
    "Right without all gold",
    "Refused though all gold was there",
)
ABOUT = {
    GENERATOR: "of the wrong answers: every gold chunk was there",
    RETRIEVER: "of the wrong answers: a gold chunk was not there, nor the answer in any passage",
    SHOWN: "of the wrong answers: a gold chunk was not there, but another passage has the answer",
    UNKNOWN: "of the wrong answers: the system does not tell what it retrieved",
}


def measures(frame: Frame) -> Iterator[Metric]:
    """Of the trials with retrieved passages: the shares of wrong answers by who is at fault, which sum to 1.

    Wrong is what does not score 1, refusals too. Beside them: how often all gold was there, and how often the answer
    was right with it and without. Nothing where a protocol has no retrieved passages.
    """
    frame = select_columns(frame.drawn(), ("retriever", "document", "gold", "answer_shown"))
    # what was changed after it was retrieved (SURE) is no longer the retriever's
    elsewhere = frame.has("retriever", "") | ~frame.has("document", "") | frame.has("pattern", "absent")
    retrieved = frame.where(~elsewhere)
    if retrieved.has("status", "skipped").all():
        return
    for name, part in slices(retrieved, ("retriever", "pattern", "domain", "hops")):
        yield from _of(part, name)


def _of(part: Frame, name: str) -> Iterator[Measure]:
    scored = part.has("status", "scored")
    gold = part.column("gold").astype(float)
    known = ~np.isnan(gold) & (gold >= 0)
    full = known & (gold >= 1)
    shown = part.has("answer_shown", True)
    right = scored & (part.column("value") >= 1)
    wrong = scored & ~right
    faults = {GENERATOR: full, RETRIEVER: known & ~full & ~shown, SHOWN: known & ~full & shown, UNKNOWN: ~known}
    for metric, which in faults.items():
        if metric != UNKNOWN or (wrong & which).any():
            yield _fault(part, metric, name, wrong, which)
    refused = part.column("refused")
    with_all, without = part.where(full | ~known), part.where(~full)  # what has no score may be one of these
    yield _share(part, REFUSED, name, wrong & full & refused, scored & full, of_all=with_all, limits=(1.0, 0.0))
    # what was retrieved is known without a verdict
    yield _share(part, COMPLETE, name, full, known, of_all=part.where(~known))
    yield _share(part, RIGHT, name, right & full, scored & full, of_all=with_all)
    yield _share(part, RIGHT_WITHOUT, name, right & known & ~full, scored & known & ~full, of_all=without)


def _share(
    part: Frame,
    metric: str,
    name: str,
    these: object,
    of: object,
    *,
    of_all: Frame,
    limits: tuple[float, float] = (0.0, 1.0),
) -> Measure:
    """The share of `these` among `of`; the failed and missing of `of_all` could have been any of them."""
    below = part.sums(of)
    counts = replace(of_all.counts(), scored=int(below.sum()))
    return Measure(metric, name, part.sums(these), below, counts, limits=limits)


def _fault(part: Frame, metric: str, name: str, wrong: Mask, which: Mask) -> Measure:
    """The share of `which` among the wrong answers.

    An answer without a score may be wrong, too; whose fault it would be is known, so that it moves the share one way.
    """
    lost = part.has("status", "failed", "missing")
    mine, all_, open_, others = (int(mask.sum()) for mask in (wrong & which, wrong, lost & which, lost & ~which))
    bounds = (mine / (all_ + others), (mine + open_) / (all_ + open_)) if all_ else None
    counts = replace(part.counts(), scored=all_)
    if bounds and bounds[0] == bounds[1]:
        counts = replace(counts, failed=0, missing=0)
    return Measure(
        metric,
        name,
        part.sums(wrong & which),
        part.sums(wrong),
        counts,
        note=ABOUT[metric],
        neutral=True,
        bounds=bounds,
    )
