"""Which cell of a table row answers: the column of the period and of the part that the question names."""

import re
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.evaluate.systems.extractive.reading import Unit
from rarefy.tasks.evaluate.systems.extractive.spans import tells
from rarefy.tasks.evaluate.systems.extractive.wanted import Wanted
from rarefy.tasks.evaluate.systems.extractive.words import dates, stems, years
from rarefy.tasks.text.quantities import number
from rarefy.tasks.text.scales import NAMES, counted_in

_WHOLE = stems("total consolidated all company overall amount")
_NAME_WORDS = 10  # of a cell that names something; a longer one tells a story
_KINDS = {"amount": "number", "count": "number", "percent": "percent", "date": "date"}

_COUNTS_SHARES = re.compile(r"\bshares (?:used|outstanding|issued)|average (?:common )?shares|number of shares")
_NOT_SCALED = re.compile(r"per[ -]share|per[ -]unit|par value per|%|percent|ratio")


@dataclass(frozen=True)
class Cell:
    """A cell that may answer."""

    text: str
    header: str
    period: float  # 1: its period is the one asked for; 0.5: nothing tells; below 0: it is another


def cells(unit: Unit, want: Wanted) -> list[Cell]:
    """The cells of a row that are of the kind that is wanted, in their order."""
    kind = _KINDS.get(want.kind, "words" if want.kind != "any" else "")
    found = []
    for at, text in enumerate(unit.cells):
        header = unit.headers[at] if at < len(unit.headers) else ""
        if text.strip("$ ") in ("", "—", "-", "–") or not _of_kind(text, kind, header):
            continue
        if kind == "words" and not tells(text, want):
            continue
        found.append(Cell(text, header, _period(header, unit, want)))
    return found


def written(cell: Cell, unit: Unit, want: Wanted) -> str:
    """A cell as an answer: with the scale that the table counts in, where the cell does not tell."""
    if want.kind not in ("amount", "count", "any") or not _is_figure(cell.text):
        return cell.text
    scale = _scale(unit, cell.header)
    return f"{cell.text} {scale}" if scale else cell.text


def _of_kind(text: str, kind: str, header: str) -> bool:
    if kind == "number":
        return _is_figure(text)
    if kind == "percent":
        return "%" in text or ("%" in header and _is_figure(text))
    if kind == "date":
        return bool(dates(text) or years(text))
    if kind == "words":
        return not _is_figure(text) and bool(re.search(r"[^\W\d_]{2}", text)) and len(text.split()) <= _NAME_WORDS
    return True


def _is_figure(text: str) -> bool:
    one = number(text)
    return one is not None and one.kind in ("money", "bare") and not (one.scale or one.worded or one.bound)


def _period(header: str, unit: Unit, want: Wanted) -> float:
    if not want.years:
        return 0.5
    for told in (header, f"{unit.text} {unit.group}", unit.around):
        if named := years(told):
            if want.days and dates(told):
                if want.days & dates(told):
                    return 1.0
                return 0.4 if want.years & named and told is not header else -1.0
            if want.years & named:
                return 1.0 if told is not unit.around else 0.7
            return -1.0 if told is not unit.around else 0.3
    return 0.5


@lru_cache(maxsize=50_000)
def _scale(unit: Unit, header: str) -> str:
    """thousand, million or billion, as header, caption or headings say it for this row; "" where they do not."""
    row = f"{unit.group} {unit.text}".lower()
    shares = _COUNTS_SHARES.search(row) is not None
    if not shares and _NOT_SCALED.search(row):
        return ""
    stated = (counted_in(said, shares=shares) for said in (header, unit.first, unit.around))
    return NAMES.get(next((power for power in stated if power is not None), 0), "")


def whole(header: str) -> bool:
    """Whether a column is for everything together."""
    return bool(stems(header)) and stems(header) <= _WHOLE
