"""How many sets of facts around a hub have different ends: exact, by generating functions (R13, R14)."""

from math import factorial

import numpy as np

from rarefy.tasks.knowledge.graph.facts import Array

# Sets of up to four of n facts are counted modulo 2**64, which is right while n**4 < 2**63; then by Python's ints.
LARGE = 50_000


def total(values: Array) -> int:
    """The exact sum of 64-bit integers, or of Python's."""
    if values.dtype == object:
        return int(sum(values.tolist()))
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def bell(cumulants: list[Array], size: int) -> Array:
    """The sets of `size` facts in each hub, from the signed number of ways in which 1, 2, ... facts clash."""
    w = [cumulants[0], *cumulants]
    if size == 1:
        ordered = w[1]
    elif size == 2:
        ordered = w[1] ** 2 + w[2]
    elif size == 3:
        ordered = w[1] ** 3 + 3 * w[1] * w[2] + w[3]
    else:
        ordered = w[1] ** 4 + 6 * w[1] ** 2 * w[2] + 4 * w[1] * w[3] + 3 * w[2] ** 2 + w[4]
    return ordered // factorial(size)


def starts(*columns: Array) -> Array:
    """Where a new value begins in columns sorted together."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def subsets(hub: Array, end: Array, sizes: tuple[int, ...], sign: Array | None = None) -> dict[int, int]:
    """By size: the sets of facts of one hub with different ends, each counted with the sign of its hub."""
    order = np.lexsort((end, hub))
    hub, end = hub[order], end[order]
    ends = starts(hub, end)
    if not len(ends):
        return dict.fromkeys(sizes, 0)
    repeats = np.diff(ends, append=len(hub))
    hubs = starts(hub[ends])
    signs = np.ones(len(hubs), np.int64) if sign is None else sign[order][ends][hubs]
    degree = np.add.reduceat(repeats, hubs)
    counts = dict.fromkeys(sizes, 0)
    for large in (False, True):
        chosen = (degree > LARGE) == large
        if not chosen.any():
            continue
        here = np.repeat(chosen, np.diff(hubs, append=len(ends)))
        powers = repeats[here].astype(object) if large else repeats[here]
        first = starts(hub[ends][here])
        cumulants = [
            (-1) ** (j - 1) * factorial(j - 1) * np.add.reduceat(powers**j, first) for j in range(1, max(sizes) + 1)
        ]
        for size in sizes:
            counts[size] += total(bell(cumulants, size) * signs[chosen])
    return counts
