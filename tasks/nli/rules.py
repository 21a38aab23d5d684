"""Whether a text keeps what another one says, by rules that err to one side only; this is no inference.

Each sentence of the hypothesis must have one to three neighbouring sentences of the premise with the very same
figures (in whatever notation), names, turning words (see marks.py) and other words of content (inflected, or a
synonym), in the same order, but that a sentence may begin with its second half and one date may stand elsewhere.
kept: all do, and the texts are similar enough besides. changed: the nearest sentence says another figure, name or the
contrary. not_shown: all else, be it true or not.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path

from rarefy.tasks.chunk.sentences import sentences
from rarefy.tasks.llm.config import Means
from rarefy.tasks.nli import NLI, Label, NLIConfig
from rarefy.tasks.nli.figures import figured, kind
from rarefy.tasks.nli.marks import CONTRARY, marked
from rarefy.tasks.wordnet import readings, senses

BLOCK = 256  # pairs read ahead
RUN = 3  # sentences of a premise that one of a hypothesis may draw on
NEAR = 0.5  # share of a sentence's items that another one has, so that they are about the same thing
_ITEM = re.compile(
    r"\x02(?P<figure>\d+)\x03|\x04(?P<mark>[A-Z]+)\x05|(?P<word>[^\W\d_][\w&]*(?:[-.'’&][\w&]+)*)"
    r"|(?P<rest>\d[\w.]*|[<>=≤≥≠±~+×÷/*^|#@%])"  # whatever else may mean something
)
# words without content of their own; what turns or bounds a statement is a mark, and none of these
_EMPTY = frozenset(
    """
    a an the this that these those such of in on at to for with as and is are am be being has have had having do does
    did it its itself they them their theirs there here which than then also so too into onto upon via respectively
    collectively e.g i.e etc
    """.split()
)
# its own contrary, or a synonym only by a sense that filings do not mean
_AMBIGUOUS = frozenset("lease rent let hire sanction oversight interest principal stock share bond bill note".split())


@dataclass(frozen=True, slots=True)
class _Item:
    """A figure, mark, name or other word of a sentence, under everything it may be called."""

    sort: str  # figure | mark | name | word
    name: str  # as it is told
    forms: frozenset[str]


def rules(config: NLIConfig, cache: Path, *, threads: int, means: Means) -> NLI:
    """The check by rules; it needs an embedder where `config.threshold` is not 0."""
    embed = config.embed.connect(cache, threads=threads, means=means) if config.threshold else None

    def check(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
        source = iter(pairs)
        while block := list(islice(source, BLOCK)):
            labels = [compared(premise, hypothesis) for premise, hypothesis in block]
            like = [place for place, label in enumerate(labels) if label.label == "kept"]
            if embed and like:
                texts = list(dict.fromkeys(text for place in like for text in block[place]))
                vectors = dict(zip(texts, embed(texts), strict=True))
                for place in like:
                    premise, hypothesis = (vectors[text] for text in block[place])
                    likeness = round(min(max(float(premise @ hypothesis), 0.0), 1.0), 4)
                    unlike = likeness < config.threshold
                    why = f"similarity {likeness:.2f}, {config.threshold:g} is wanted" if unlike else ""
                    labels[place] = Label("not_shown" if unlike else "kept", likeness, why)
            yield from labels

    return check


def compared(premise: str, hypothesis: str) -> Label:
    """What the rules find without the similarity; the score is the share of items that were found again."""
    said = [items for items in map(_items, _split(premise)) if items]
    asked = [items for items in map(_items, _split(hypothesis)) if items]
    if not asked:
        return Label("not_shown", 0.0, "the hypothesis says nothing")
    runs = [sum(said[at : at + size], ()) for size in range(1, RUN + 1) for at in range(len(said) - size + 1)]
    first, found = None, 0
    for sentence in asked:
        if any(_same(sentence, run) for run in runs):
            found += len(sentence)
            continue
        near = max(said, key=lambda one: len(_pairs(sentence, one)), default=())
        found += len(_pairs(sentence, near))
        label = _against(sentence, near)
        if first is None or (label.label == "changed" and first.label != "changed"):
            first = label
    share = round(found / sum(map(len, asked)), 4)
    return Label(first.label, share, first.why) if first else Label("kept", share)


def _split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@lru_cache(4_096)
def _items(sentence: str) -> tuple[_Item, ...]:
    text, figures = figured(sentence.replace("’", "'"))
    items = []
    for hit in _ITEM.finditer(marked(text)):
        word = hit["word"]
        if hit["figure"]:
            figure = figures[int(hit["figure"])]
            items.append(_Item("figure", figure, frozenset((figure,))))
        elif hit["mark"]:
            items.append(_Item("mark", hit["mark"], frozenset((hit["mark"],))))
        elif hit["rest"]:
            items.append(_Item("name", hit["rest"], frozenset((hit["rest"],))))
        elif (plain := word.removesuffix("'s").rstrip("'")).lower() not in _EMPTY or plain in ("US", "IT"):
            items.append(_word(plain, first=not items))
    return tuple(items)


def _word(word: str, first: bool) -> _Item:
    lower = word.lower()
    known = readings(lower)
    # a capital at the beginning says nothing of a word that English knows
    if not word.islower() and not (first and known and word[1:].islower()):
        return _Item("name", word, frozenset((lower, *(_lemmas(lower) if word[1:].islower() else ()))))
    return _Item("word", lower, frozenset((lower, *_lemmas(lower))))


def _lemmas(word: str) -> set[str]:
    # degrees of comparison stay apart: higher is not high, and highest is neither
    return {reading.lemma for reading in readings(word) if reading.form not in ("comparative", "superlative")}


@lru_cache(50_000)
def _alike(word: str) -> frozenset[str]:
    """Lemmas that mean the same in the commonest sense of a word."""
    found: set[str] = set()
    for reading in readings(word):
        if reading.lemma not in _AMBIGUOUS and reading.lemma not in CONTRARY and reading.form != "superlative":
            found.update(*senses(reading.lemma, reading.pos)[:1])
    return frozenset(found - _AMBIGUOUS - CONTRARY.keys())


def _is(one: _Item, other: _Item) -> bool:
    if {one.sort, other.sort} & {"figure", "mark"}:
        return one.sort == other.sort and one.name == other.name
    if one.forms & other.forms:
        return True
    # each in the commonest sense of the other: the chairman is a president, the president may be no chairman
    alike = bool(_alike(one.name) & other.forms) and bool(_alike(other.name) & one.forms)
    return one.sort == other.sort == "word" and alike


def _pairs(asked: tuple[_Item, ...], said: tuple[_Item, ...]) -> dict[int, int]:
    """Where each item stands in what is said, each place once and, of several, the one after the last found."""
    free = list(range(len(said)))
    found: dict[int, int] = {}
    last = -1
    for place, item in enumerate(asked):
        fits = [at for at in free if _is(item, said[at])]
        if fits:
            last = found[place] = next((at for at in fits if at > last), fits[0])
            free.remove(last)
    return found


def _same(asked: tuple[_Item, ...], said: tuple[_Item, ...]) -> bool:
    """Whether both say the same items in the same order, or turned once, or with their one date elsewhere."""
    if len(asked) != len(said):
        return False
    order = _pairs(asked, said)
    if len(order) < len(asked):
        return False
    places = [order[place] for place in range(len(asked))]
    dates = [place for place, item in enumerate(asked) if item.sort == "figure" and kind(item.name) == "@"]
    return _turned(places) or (
        len(dates) == 1 and _turned([at for place, at in enumerate(places) if place != dates[0]], at_all=False)
    )


def _turned(places: list[int], at_all: bool = True) -> bool:
    breaks = [place for place in range(1, len(places)) if places[place] < places[place - 1]]
    if not breaks:
        return True
    # two halves of two items at least, the second of which came first: a turned clause, not a swapped word
    return at_all and len(breaks) == 1 and 2 <= breaks[0] <= len(places) - 2 and places[-1] < places[0]


def _against(asked: tuple[_Item, ...], near: tuple[_Item, ...]) -> Label:
    """What stands against a sentence, by the sentence of the premise that is nearest to it."""
    found = _pairs(asked, near)
    new = [item for place, item in enumerate(asked) if place not in found]
    gone = [item for place, item in enumerate(near) if place not in found.values()]
    if len(found) < NEAR * len(asked) or not found:
        return Label("not_shown", 0.0, "no sentence of the premise comes near: " + _told(new))
    nots = [sum(item.name == "NOT" for item in side) % 2 for side in (asked, near)]
    if nots[0] != nots[1]:
        return Label("changed", 0.0, "a negation came or went")
    for item in new:
        contrary = set().union(*(CONTRARY.get(form, ()) for form in item.forms))
        if turned := next((other for other in gone if other.forms & contrary), None):
            return Label("changed", 0.0, f"{item.name} for {turned.name}")
        if item.sort == "figure" and (
            other := next((o for o in gone if o.sort == "figure" and kind(o.name) == kind(item.name)), None)
        ):
            return Label("changed", 0.0, f"{item.name} for {other.name}")
    names = [[item for item in side if item.sort == "name"] for side in (new, gone)]
    if all(names):
        return Label("changed", 0.0, f"{names[0][0].name} for {names[1][0].name}")
    if new or gone:
        parts = [f"{word} {_told(items)}" for word, items in (("new:", new), ("gone:", gone)) if items]
        return Label("not_shown", 0.0, "; ".join(parts))
    return Label("not_shown", 0.0, "the same words in another order")


def _told(items: list[_Item]) -> str:
    return ", ".join(Counter(item.name for item in items)) if len(items) < 6 else f"{len(items)} words"
