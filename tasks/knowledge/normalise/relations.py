"""Relations that say the same thing, whatever order they come in (RARE §3.2; papers.md R9)."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import product

import numpy as np
import numpy.typing as npt

from rarefy.tasks.knowledge.normalise.opposites import signature
from rarefy.tasks.models.embed import Embedder

# A block of similarities of this many labels by all is at most 80 MB at 20,000 labels.
BLOCK = 1_000
PAIRS = 50_000  # computed anew at a time, 300 MB
# In float32 first, then these are computed anew in float64, so that no threshold hangs on the order of a sum.
SLACK = 1e-4

Pair = tuple[str, str]


def near(labels: Sequence[str], embed: Embedder, threshold: float) -> dict[Pair, float]:
    """The pairs nearer than the threshold and not opposed, each in alphabetical order, with their similarity.

    Nothing is nearer than 1, whatever a cosine's last digit says.
    """
    if threshold >= 1:
        return {}
    families: dict[tuple[str, ...], list[str]] = {}
    for label in sorted(set(labels)):
        families.setdefault(signature(label), []).append(label)
    several = [family for family in families.values() if len(family) > 1]
    wanted = sorted(label for family in several for label in family)
    if not wanted:
        return {}
    vectors = dict(zip(wanted, embed(wanted), strict=True))
    found: dict[Pair, float] = {}
    for family in several:
        found |= _near(family, np.stack([vectors[label] for label in family]), threshold)
    return found


def linked(near: Iterable[Pair]) -> list[list[str]]:
    """Sets of labels of which any two are one of these pairs.

    Complete link: a set never grows by a chain of neighbours, and only the set of pairs counts. Pairs that are most
    alike in their letters come first, then the alphabet decides. Nearest first would let the last bits of a vector
    choose: names that differ in case alone have the same vectors, and all their pairs the same cosine.
    """
    pairs = set(near)
    member_of: dict[str, list[str]] = {name: [name] for pair in sorted(pairs) for name in pair}
    for first, second in sorted(pairs, key=lambda pair: (-_lettered(pair), pair)):
        left, right = member_of[first], member_of[second]
        if left is right or any((min(pair), max(pair)) not in pairs for pair in product(left, right)):
            continue
        left += right
        for name in right:
            member_of[name] = left
    distinct = {id(cluster): cluster for cluster in member_of.values() if len(cluster) > 1}
    return [sorted(cluster) for cluster in distinct.values()]


def _lettered(pair: Pair) -> float:
    """How alike two names are letter by letter, 0 to 1: a ratio of two whole numbers, the same on every machine."""
    return SequenceMatcher(None, *pair, autojunk=False).ratio()


def _near(names: Sequence[str], vectors: npt.NDArray[np.float32], threshold: float) -> dict[Pair, float]:
    """The pairs nearer than the threshold, each in alphabetical order."""
    near: dict[Pair, float] = {}
    for at in range(0, len(names), BLOCK):
        block = vectors[at : at + BLOCK] @ vectors[at:].T
        rows, columns = (indices + at for indices in np.nonzero(np.triu(block > threshold - SLACK, k=1)))
        for some in range(0, len(rows), PAIRS):
            left, right = rows[some : some + PAIRS], columns[some : some + PAIRS]
            exact = np.einsum("ij,ij->i", vectors[left].astype(np.float64), vectors[right].astype(np.float64)).round(6)
            for i, j, value in zip(left.tolist(), right.tolist(), exact.tolist(), strict=True):
                if value > threshold:
                    near[names[i], names[j]] = value
    return near
