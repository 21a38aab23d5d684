"""Contexts of so many tokens: which passages to take that their lengths sum into a bin (Magic Mushroom §4.5)."""

import re
from collections.abc import Sequence

BINS = ("0-299", "300-599", "600-899", "900-1199", "1200-1499", "1500+")
LIMIT = 10**9  # what "or more" is counted up to


def limits(name: str) -> tuple[int, int]:
    """The least and the greatest number of tokens of a bin, "300-599" or "1500+"; ValueError for another name."""
    found = re.fullmatch(r"(\d+)\s*(?:[-–]\s*(\d+)|\+)", name.strip())
    low, high = (int(found[1]), int(found[2] or LIMIT)) if found else (1, 0)
    if low > high:
        raise ValueError(f"no length {name!r}; have {', '.join(BINS)}, or write tokens as 200-400 or 2000+")
    return low, high


def bin_of(tokens: int) -> str:
    """The bin of Magic Mushroom that so many tokens fall into."""
    return next(name for name in BINS if limits(name)[0] <= tokens <= limits(name)[1])


Group = tuple[Sequence[int], int]
"""The lengths of some passages, in the order in which they would be taken, and how many of them are to be taken."""


def chosen(groups: Sequence[Group], low: int, high: int) -> list[list[int]] | None:
    """Which passages of each group, by place, so that all lengths sum to `low` to `high`; None where none do.

    Exact: every sum that can be reached is looked at. The sum taken is the one nearest to that of the first passages
    of each group, and of the ways to reach it the one that takes from the front.
    """
    top = min(high, sum(sum(lengths) for lengths, _ in groups))
    tables = [_reachable(lengths, count, top) for lengths, count in groups]
    if any(not table[0][count] for table, (_, count) in zip(tables, groups, strict=True)):
        return None
    suffixes = [1]  # sums of this group and those after it, as bits
    for table, (_, count) in zip(reversed(tables), reversed(groups), strict=True):
        suffixes.append(_sums(suffixes[-1], table[0][count], top))
    suffixes.reverse()
    target = _nearest(suffixes[0], low, top, sum(sum(lengths[:count]) for lengths, count in groups))
    if target is None:
        return None
    picks = []
    for table, rest, (lengths, count) in zip(tables, suffixes[1:], groups, strict=True):
        mine = _share(table[0][count], rest, target, sum(lengths[:count]))
        picks.append(_taken(table, lengths, count, mine))
        target -= mine
    return picks


def _reachable(lengths: Sequence[int], count: int, top: int) -> list[list[int]]:
    """table[i][j]: the sums, as bits, of j passages of those from i on."""
    mask = (1 << (top + 1)) - 1
    table = [[1] + [0] * count]
    for length in reversed(lengths):
        after = table[-1]
        table.append([1] + [(after[j] | after[j - 1] << length) & mask for j in range(1, count + 1)])
    table.reverse()
    return table


def _sums(one: int, other: int, top: int) -> int:
    """The sums of a number of one set and a number of the other, both as bits."""
    fewer, more = sorted((one, other), key=int.bit_count)
    found = 0
    for shift in _bits(fewer):
        found |= more << shift
    return found & ((1 << (top + 1)) - 1)


def _bits(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def _nearest(bits: int, low: int, top: int, wish: int) -> int | None:
    fitting = [total for total in _bits(bits >> low << low) if total <= top]
    return min(fitting, key=lambda total: (abs(total - wish), total), default=None)


def _share(own: int, rest: int, target: int, wish: int) -> int:
    """What of a target this group gives, so that the groups after it can give the rest."""
    fitting = [total for total in _bits(own) if total <= target and rest >> (target - total) & 1]
    return min(fitting, key=lambda total: (abs(total - wish), total))


def _taken(table: list[list[int]], lengths: Sequence[int], count: int, total: int) -> list[int]:
    picks = []
    for place, length in enumerate(lengths):
        if count and total >= length and table[place + 1][count - 1] >> (total - length) & 1:
            picks.append(place)
            count, total = count - 1, total - length
    return picks
