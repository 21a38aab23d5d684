"""Name the place in its source that a stretch of a document's text comes from: page, slide, sheet and cell."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from rarefy.data_contracts.rows import Place

_NUMBERED = re.compile(r"(page|slide)s? (\d+)(?:–(\d+))?")
_CELLS = re.compile(r"(.*!|)([A-Z]{1,3})(\d+)(?::([A-Z]{1,3})(\d+))?", re.S)  # delimited values name no sheet


class PlaceIndex:
    """The places of one document, which lie one within another or apart; made once, asked for many stretches."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._starts = [place.start for place in places]
        self._around: list[int] = []  # of each, the next wider place; -1 for none
        self._after = [len(places)] * len(places)  # of each, the first place that is not within it
        open_places: list[int] = []
        for at, place in enumerate(places):
            while open_places and places[open_places[-1]].end <= place.start:
                self._after[open_places.pop()] = at
            self._around.append(open_places[-1] if open_places else -1)
            open_places.append(at)

    def name(self, start: int, end: int) -> str:
        """The narrowest place of the text `[start, end)`, or the range of those in it; "" where it has none."""
        first = bisect_left(self._starts, start)
        found = [self._places[at].name for at in self._widest_within(first, end)]
        before = first - 1  # the narrowest place that begins before the stretch and reaches into it
        while before >= 0 and self._places[before].end <= start:
            before = self._around[before]
        if before >= 0 and (not found or self._places[before].end < end):
            found.insert(0, self._places[before].name)
        return join_names(found)

    def _widest_within(self, at: int, end: int) -> Iterable[int]:
        """From a place on, those that end within the stretch, and not what is within them; of others, the narrowest."""
        while at < len(self._places) and self._starts[at] < end:
            place, narrower = self._places[at], at + 1
            if place.end > end and narrower < self._after[at] and self._starts[narrower] < end:
                at = narrower
            else:
                yield at
                at = self._after[at]


def name_pages(first: int, last: int) -> str:
    """ "page 3", "pages 3–4"."""
    return _name_numbered("page", first, last)


def join_names(names: Iterable[str]) -> str:
    """One name for several places: "pages 3–4", "Sheet1!A5:F20"; places of several kinds one after the other."""
    numbers: dict[str, tuple[int, ...]] = {}  # by kind or sheet: first and last page, or the corners' columns and rows
    for name in dict.fromkeys(names):
        kind, bounds = _parse_name(name)
        numbers[kind] = _widen(numbers[kind], bounds) if kind in numbers else bounds
    return ", ".join(_name_bounds(kind, bounds) for kind, bounds in numbers.items())


def _parse_name(name: str) -> tuple[str, tuple[int, ...]]:
    """Kind or sheet, and bounds as in `join_names`; the name itself and none where it is of no such form."""
    if found := _NUMBERED.fullmatch(name):
        return found[1], (int(found[2]), int(found[3] or found[2]))
    if found := _CELLS.fullmatch(name):
        column, row, last_column, last_row = found[2], found[3], found[4] or found[2], found[5] or found[3]
        return found[1], (column_number(column), int(row), column_number(last_column), int(last_row))
    return name, ()


def _widen(known: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
    """The bounds around both; the first half of them are the least, the others the greatest."""
    half = len(known) // 2
    return (*map(min, known[:half], more[:half]), *map(max, known[half:], more[half:]))


def _name_bounds(kind: str, bounds: tuple[int, ...]) -> str:
    if len(bounds) == 2:
        return _name_numbered(kind, *bounds)
    if len(bounds) == 4:
        first, last = (f"{column_letters(column)}{row}" for column, row in (bounds[:2], bounds[2:]))
        return kind + (first if first == last else f"{first}:{last}")
    return kind


def _name_numbered(kind: str, first: int, last: int) -> str:
    return f"{kind} {first}" if first == last else f"{kind}s {first}–{last}"


def column_number(letters: str) -> int:
    """The number of a column of a sheet: "AB" is 28."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def column_letters(number: int) -> str:
    """The name of a column of a sheet: 28 is "AB"."""
    letters = ""
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(ord("A") + place) + letters
    return letters
