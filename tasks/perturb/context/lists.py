"""Names that a text lists together are of one kind: "the Americas, Europe, Greater China and Japan"."""

import re
from collections import defaultdict
from collections.abc import Iterable

MOST = 40  # names kept beside one, so that a name of every list costs no more than others

_WORD = r"(?:[A-Z]\.|[A-Z][\w’'&-]*)"
_ONE = rf"(?:{_WORD}(?:\s(?:of\s)?{_WORD}){{0,3}})"
# Only lists of three or more: of two, "Apple and California" may be anything
_LIST = re.compile(rf"{_ONE}(?:,\s{_ONE})+,?\s(?:and|or)\s(?:the\s)?{_ONE}")
_ITEM = re.compile(r",?\s(?:and|or)\s(?:the\s)?|,\s")
_OPENERS = frozenset("The In On At For From Of As By With And Or But If When While Since After Before".split())
_LONGEST = 600  # characters of a list; what is longer is an index


def listed(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each name of a list, and the names that stand in a list with it, in order of the alphabet."""
    beside: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        for match in _LIST.finditer(text):
            if len(match.group()) > _LONGEST:
                continue
            names = [_bare(name) for name in _ITEM.split(match.group())]
            names = [name for name in dict.fromkeys(names) if len(name) > 2]
            for name in names if len(names) > 2 else ():
                if len(beside[name]) < MOST:
                    beside[name].update(other for other in names if other != name)
    return {name: tuple(sorted(others)[:MOST]) for name, others in beside.items() if others}


def _bare(name: str) -> str:
    first, _, rest = name.strip(" .").partition(" ")
    return rest if first in _OPENERS else f"{first} {rest}".strip()
