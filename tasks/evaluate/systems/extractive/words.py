"""Words as the baseline compares them: stems, periods told in one way."""

import re
from functools import lru_cache

from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.dates import years as dated_years
from rarefy.tasks.text.stems import stem

_WORD = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_YEAR = re.compile(r"\d{4}")
# Stop words: the legal forms among them are those of most names, which tell no two apart
EMPTY = frozenset(
    "a an the of in on at to for from by with as and or is are was were be been being do does did has have had having "
    "its it their his her this that these those which what who whose whom when where how much many according per into "
    "during under over there than then we our us any each also such i.e e.g "
    "year years ended ending fiscal inc corp corporation company co ltd llc plc".split()
)


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """The telling words of a text, dates and years apart from them."""
    return frozenset(stem(word) for word in _WORD.findall(undated(text).lower()) if word not in EMPTY and len(word) > 1)


@lru_cache(maxsize=50_000)
def dates(text: str) -> frozenset[tuple[int, int, int]]:
    """The days that a text names, as (year, month, day)."""
    return frozenset(
        (way.year, way.month, way.day) for one in moments(text) for way in one.ways if way.year and way.day
    )


@lru_cache(maxsize=50_000)
def years(text: str) -> frozenset[int]:
    """The years that a text names, in days or alone."""
    return dated_years(text)


def undated(text: str) -> str:
    """The text without its days and years; of "first quarter of 2015" and "May 2015" the year alone goes."""
    parts, end = [], 0
    for one in moments(text):
        if one.years and one.end > end:
            held = text[one.start : one.end]
            parts += [text[end : one.start], _YEAR.sub(" ", held) if one.kind not in ("day", "year") else " "]
            end = one.end
    return "".join([*parts, text[end:]])
