"""What sentences and table rows of a passage say, as sets of words and figures that can be held against each other."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.text.figures import figured, kind
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import stem

_WORD = re.compile(r"\x02(?P<figure>\d+)\x03|(?P<word>[^\W\d_][\w&]*(?:[-.'’&][\w&]+)*)")
# words that any two sentences share
_EMPTY = frozenset(
    """
    a about after all also an and any are as at be been before being both but by can could did do does during each
    either for from had has have he her his how i if in including into is it its itself may might more most no nor not
    of on only or other our over own per same she should so some such than that the their them then there these they
    this those through to under until up us was we were what when where which while who whom whose why will with within
    would you your according following respectively company companies
    """.split()
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or row."""

    text: str
    words: frozenset[str]  # stems of its words of content
    figures: frozenset[str]  # each in one notation: "$97300000000", "75%", "@2024"
    names: frozenset[str]  # those of its words that begin with a capital and not the sentence


def pieces(text: str) -> list[str]:
    """The sentences and rows of a text."""
    return [text[start:end] for start, end in sentences(text)]


def folded(text: str) -> str:
    """A text but for case and white space."""
    return " ".join(text.casefold().split())


def statements(text: str) -> list[Statement]:
    """The sentences and rows of a text that say anything."""
    return [one for one in map(statement, pieces(text)) if one.words or one.figures]


@lru_cache(20_000)
def statement(text: str) -> Statement:
    """A text as one statement."""
    marked, figures = figured(text.replace("’", "'"))
    words, names = set(), set()
    first = True
    for hit in _WORD.finditer(marked):
        for plain in (hit["word"] or "").removesuffix("'s").split("-"):
            if plain and plain.lower() not in _EMPTY:
                words.add(stem(plain))
                if plain[0].isupper() and not first:
                    names.add(stem(plain))
        first = False
    return Statement(text, frozenset(words), frozenset(figures), frozenset(names))


def joined(parts: Iterable[Statement]) -> Statement:
    """Several statements as one."""
    rows = list(parts)
    return Statement(
        " ".join(row.text for row in rows),
        frozenset().union(*(row.words for row in rows)),
        frozenset().union(*(row.figures for row in rows)),
        frozenset().union(*(row.names for row in rows)),
    )


def covered(wanted: Statement, by: Statement, apart: Statement | None = None) -> float:
    """The share of what one statement says that another one says too, without what stands `apart`.

    Figures and names weigh twice as much as other words: they are what a statement is about.
    """
    without = apart or _NOTHING
    total = found = 0
    for item in wanted.words - without.words:
        weight = 2 if item in wanted.names else 1
        total += weight
        found += weight * (item in by.words)
    for item in wanted.figures - without.figures:
        total += 2
        found += 2 * (item in by.figures)
    return found / total if total else 0.0


def nearest(wanted: Statement, among: Sequence[Statement], apart: Statement | None = None) -> tuple[float, int]:
    """How far the best of these statements covers the one wanted, and its place; (0, -1) where none does at all."""
    shares = [(covered(wanted, one, apart), -at) for at, one in enumerate(among)]
    share, place = max(shares, default=(0.0, 1))
    return (share, -place) if share else (0.0, -1)


def around(place: int, among: Sequence[Statement], reach: int = 1) -> Statement:
    """A statement with its neighbours, over which a rewording may have spread it; a row of a table alone."""
    return among[place] if row(among[place]) else joined(among[max(place - reach, 0) : place + reach + 1])


def headed(place: int, among: Sequence[Statement]) -> Statement:
    """A row of a table with its header and what stands above the table."""
    first = place
    while first > 0 and row(among[first - 1]):
        first -= 1
    return joined([*among[max(first - 1, 0) : first + 1], among[place]])


def row(one: Statement) -> bool:
    """Whether this is a row of a table: its neighbours say other things."""
    return one.text.lstrip().startswith("|")


def rivals(value: Statement, said: Statement, known: Statement) -> list[str]:
    """Figures of the kind of `value`'s that a statement says, and that are not `known` anyway."""
    kinds = {kind(figure) for figure in value.figures}
    return sorted(figure for figure in said.figures - known.figures if kind(figure) in kinds)


_NOTHING = Statement("", frozenset(), frozenset(), frozenset())
