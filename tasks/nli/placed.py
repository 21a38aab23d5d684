"""Whether figures, names and directions still belong to what they belonged to, by the words around each."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rarefy.tasks.nli.blocks import Sentence, keys
from rarefy.tasks.nli.figures import kind
from rarefy.tasks.nli.items import Item

WINDOW = 9  # items on either side
NEXT = 6  # how many figures or names further on one may have been swapped with
CLEAR = 1.15  # how much better the swapped reading must fit: words around are seldom quite the same

Place = tuple[Sentence, int]


def swapped(asked: Sequence[Sentence], said: Sequence[Sentence]) -> Iterator[str]:
    """Pairs of figures or names that fit the other's place in the premise better than their own: "12% and 14%"."""
    here, there = _places(asked), _places(said)
    order = [name for name in here if name in there]
    for at, one in enumerate(order):
        for other in order[at + 1 : at + 1 + NEXT]:
            if one[0] != other[0]:
                continue
            straight = _fit(here[one], there[one]) + _fit(here[other], there[other])
            crossed = _fit(here[one], there[other]) + _fit(here[other], there[one])
            if crossed > CLEAR * straight + 0.1:
                yield f"{one[1]} and {other[1]} changed places"


def _places(sentences: Sequence[Sentence]) -> dict[tuple[str, str], list[Place]]:
    """Where each figure and each name stands, by its sort."""
    found: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for sentence in sentences:
        for at, item in enumerate(sentence):
            if item.sort == "figure":
                found[kind(item.name), item.name].append((sentence, at))
            elif item.sort == "name":
                found["name", item.name.lower()].append((sentence, at))
    return {name: places for name, places in found.items() if len(places) <= 4}


def _fit(here: Sequence[Place], there: Sequence[Place]) -> float:
    return max(_alike(_around(*one), _around(*other)) for one in here for other in there)


def _alike(one: dict[str, float], other: dict[str, float]) -> float:
    shared = sum(min(weight, other[key]) for key, weight in one.items() if key in other)
    return shared / max(min(sum(one.values()), sum(other.values())), 0.1)


@lru_cache(16_384)
def _around(sentence: Sentence, at: int) -> dict[str, float]:
    """What stands around an item, the nearer the heavier."""
    weights: dict[str, float] = {}
    for place in range(max(at - WINDOW, 0), min(at + WINDOW + 1, len(sentence))):
        item = sentence[place]
        if place == at or (item.sort == "mark" and item.name not in ("UP", "DOWN", "FROM", "NOT")):
            continue
        for key in _names(item):
            weights[key] = max(weights.get(key, 0.0), 1 / (1 + abs(place - at)))
    return weights


def _names(item: Item) -> set[str] | frozenset[str]:
    return {item.name} if item.sort == "mark" else keys(item)
