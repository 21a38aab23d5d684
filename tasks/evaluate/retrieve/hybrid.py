"""Reciprocal rank fusion of several lists (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from collections import defaultdict
from collections.abc import Sequence

from rarefy.tasks.evaluate.retrieve.search import Ranked

DIGITS = 10  # sums of the same fractions in another order must tie


def fused(lists: Sequence[Ranked], constant: int) -> Ranked:
    """All passages of these lists by the sum of 1 / (constant + rank), ranks from 1; ties by chunk_id."""
    sums: defaultdict[str, float] = defaultdict(float)
    for ranked in lists:
        for rank, chunk_id in enumerate(ranked.chunk_ids, 1):
            sums[chunk_id] += 1 / (constant + rank)
    told = sorted(((name, round(value, DIGITS)) for name, value in sums.items()), key=lambda pair: (-pair[1], pair[0]))
    return Ranked(tuple(name for name, _ in told), tuple(value for _, value in told))
