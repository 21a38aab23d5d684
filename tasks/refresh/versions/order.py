"""What kept its place in a sequence, and what was taken out and put elsewhere."""

from bisect import bisect_left
from collections.abc import Sequence


def displaced(places: Sequence[int]) -> set[int]:
    """Positions of the fewest numbers that, taken out, leave the rest ascending; O(n log n)."""
    ends: list[int] = []  # of the ascending run of each length, the smallest last number
    at: list[int] = []  # where that number stands
    before = [-1] * len(places)
    for position, place in enumerate(places):
        length = bisect_left(ends, place)
        before[position] = at[length - 1] if length else -1
        if length == len(ends):
            ends.append(place)
            at.append(position)
        else:
            ends[length] = place
            at[length] = position
    kept, position = set(), at[-1] if at else -1
    while position >= 0:
        kept.add(position)
        position = before[position]
    return set(range(len(places))) - kept
