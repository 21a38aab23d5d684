"""What a sentence is made of, for comparison: figures, turning words, names and other words, in their order."""

import re
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.models.nli.marks import CONTRARY, marked
from rarefy.tasks.text.figures import figured
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.syntax.words import exchangeable
from rarefy.tasks.text.wordnet import readings, senses

_ITEM = re.compile(
    r"\x02(?P<figure>\d+)\x03|\x04(?P<mark>[A-Z]+)\x05|(?P<word>[^\W\d_][\w&]*(?:[-.'’&][\w&]+)*)"
    r"|(?P<rest>\d[\w.]*|[<>=≤≥≠±~+×÷/*^|#@%])"  # whatever else may mean something
)
# words without content of their own; what turns or bounds a statement is a mark, and none of these
_EMPTY = frozenset(
    """
    a an the this that these those such of in on at to for with as and is are am be being has have had having do does
    did it its itself they them their theirs there here which than then also so too into onto upon via respectively
    collectively e.g i.e etc through throughout along including include includes included whose who whom what
    how way ways thing things addition additionally moreover furthermore together likewise similarly well
    like upon among amongst
    between regarding concerning respect associated related relating pertaining namely such example instance terms
    means manner order accordance pursuant own other others
    """.split()
)
# its own contrary, or a synonym only by a sense that filings do not mean
_AMBIGUOUS = frozenset("lease rent let hire sanction oversight interest principal stock share bond bill note".split())


@dataclass(frozen=True, slots=True)
class Item:
    """A figure, mark, name or other word of a sentence, under everything it may be called."""

    sort: str  # figure | mark | name | word
    name: str  # as it is told
    forms: frozenset[str]


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@lru_cache(4_096)
def items_of(sentence: str) -> tuple[Item, ...]:
    text, figures = figured(sentence.replace("’", "'"))
    items = []
    for hit in _ITEM.finditer(marked(text)):
        word = hit["word"]
        if hit["figure"]:
            figure = figures[int(hit["figure"])]
            items.append(Item("figure", figure, frozenset((figure,))))
        elif hit["mark"]:
            items.append(Item("mark", hit["mark"], frozenset((hit["mark"],))))
        elif hit["rest"]:
            items.append(Item("name", hit["rest"], frozenset((hit["rest"],))))
        elif (
            (plain := word.removesuffix("'s").rstrip("'")).lower() not in _EMPTY
            or plain in ("US", "IT")
            or (plain == "A" and items)
        ):
            items.append(_word(plain, first=not items))
    return tuple(items)


def _word(word: str, first: bool) -> Item:
    lower = word.lower()
    known = readings(lower)
    # a capital at the beginning says nothing of a word that English knows
    if not word.islower() and not (first and known and word[1:].islower()):
        return Item("name", word, frozenset((lower, *(lemmas(lower) if word[1:].islower() else ()))))
    return Item("word", lower, frozenset((lower, *lemmas(lower))))


def lemmas(word: str) -> set[str]:
    # degrees of comparison stay apart: higher is not high, and highest is neither
    return {reading.lemma for reading in readings(word) if reading.form not in ("comparative", "superlative")}


@lru_cache(50_000)
def alike(word: str) -> frozenset[str]:
    """Lemmas that mean the same in the commonest sense of a word."""
    found: set[str] = set()
    for reading in readings(word):
        if reading.lemma not in _AMBIGUOUS and reading.lemma not in CONTRARY and reading.form != "superlative":
            found.update(*senses(reading.lemma, reading.pos)[:1])
    return frozenset(found - _AMBIGUOUS - CONTRARY.keys())


def is_same(one: Item, other: Item) -> bool:
    if {one.sort, other.sort} & {"figure", "mark"}:
        return one.sort == other.sort and one.name == other.name
    if one.forms & other.forms:
        return True
    # each in the commonest sense of the other: the chairman is a president, the president may be no chairman
    if one.sort != "word" or other.sort != "word":
        return False
    if exchangeable(one.name) & other.forms:  # read by hand, either way
        return True
    return bool(alike(one.name) & other.forms and alike(other.name) & one.forms)
