"""Which sentences of a text another sentence draws on, by the words that they share."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import log

from rarefy.tasks.models.nli.items import Item
from rarefy.tasks.text.stems import stem
from rarefy.tasks.text.wordnet import readings

MOST = 4  # sentences that one of the other text may draw on
REACH = 4  # how far from the nearest of them the others may stand
COMMON = 60  # sentences that share a word: of more, it says nothing of which are meant

Sentence = tuple[Item, ...]


def nearest(asked: Sequence[Sentence], said: Sequence[Sentence]) -> list[list[int]]:
    """For each sentence those of the premise that it draws on, the nearest first; none where no word is shared."""
    where: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(said):
        for key in {key for item in sentence for key in keys(item)}:
            where[key].append(place)
    return [_drawn(sentence, said, where) for sentence in asked]


def _drawn(sentence: Sentence, said: Sequence[Sentence], where: dict[str, list[int]]) -> list[int]:
    """The sentences of the premise that this one draws on, the nearest first."""
    weights: dict[str, float] = {}
    open_: dict[int, frozenset[str]] = {}
    for at, item in enumerate(sentence):
        if item.sort != "mark":
            open_[at] = keys(item)
    score: dict[int, float] = defaultdict(float)
    for found in open_.values():
        hit: dict[int, float] = {}
        for key in found:
            places = where.get(key, ())
            if places and len(places) <= COMMON:
                weights[key] = weight = (2.0 if key[0] in "@$0123456789" else 1.0) * log(1 + len(said) / len(places))
                for place in places:
                    hit[place] = max(hit.get(place, 0.0), weight)
        for place, weight in hit.items():
            score[place] += weight
    if not score:
        return []
    best = max(score, key=lambda place: (score[place] / (8 + len(said[place])) ** 0.5, -place))
    chosen, left = [best], dict(open_)
    while len(chosen) < MOST:
        had = {key for item in said[chosen[-1]] for key in keys(item)}
        left = {at: found for at, found in left.items() if not found & had}
        gain: dict[int, float] = defaultdict(float)
        for found in left.values():
            for place in {p for key in found if key in weights for p in where[key]}:
                if abs(place - best) <= REACH and place not in chosen:
                    gain[place] += 1
        if not gain:
            break
        more = max(gain, key=lambda place: (gain[place] - 0.3 * abs(place - best), -place))
        if gain[more] < 2 or gain[more] < 0.15 * len(open_):
            break
        chosen.append(more)
    return chosen


def keys(item: Item) -> frozenset[str]:
    """What an item is looked up by: its lemmas and stems, so that adoption meets adopt."""
    if item.sort in ("figure", "mark"):
        return item.forms
    return frozenset(key for form in item.forms for key in _stems(form))


@lru_cache(100_000)
def _stems(form: str) -> tuple[str, ...]:
    lemmas = {r.lemma for r in readings(form)} | {form}
    return tuple(sorted({stem(lemma) for lemma in lemmas}))
