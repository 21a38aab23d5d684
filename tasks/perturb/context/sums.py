"""Sums of a table that a changed cell belongs to: what must change with it, so that they still add up."""

import re
from collections.abc import Sequence
from decimal import Decimal

from rarefy.tasks.perturb.context.figures import like
from rarefy.tasks.perturb.context.swaps import Edit
from rarefy.tasks.perturb.context.tables import Cell, Place, Sum, holds, sums_of

CHANGED = 6  # cells that change with one: beyond, the table is another one


def balanced(text: str, edits: Sequence[Edit]) -> list[Edit] | None:
    """These edits, with those that keep the sums of their tables right; None where no few changes would.

    Of a sum whose part is changed the total changes, of one whose total is changed its largest part; and so on where
    that is in a sum of its own.
    """
    cells, sums = sums_of(text)
    if not sums:
        return list(edits)
    now = {place: cell.value for place, cell in cells.items()}
    changed: list[Place] = []
    for start, end, new in edits:
        place = next((p for p, cell in cells.items() if cell.start < end and start < cell.end), None)
        digits = re.search(r"\d[\d,]*(?:\.\d+)?", new)
        if place is not None and digits:
            sign = -1 if cells[place].value < 0 else 1
            now[place] = sign * Decimal(digits.group().replace(",", ""))
            changed.append(place)
    given = set(changed)
    while (broken := next((s for s in sums if not holds(s, now)), None)) is not None:
        place = _free(broken, changed, cells, text)
        if place is None or len(changed) - len(given) >= CHANGED:
            return None
        now[place] = _solved(broken, place, now)
        if not _plausible(cells[place].value, now[place]):
            return None
        changed.append(place)
    found = list(edits)
    for place in changed:
        if place not in given:
            cell = cells[place]
            found.append((cell.start, cell.end, like(text[cell.start : cell.end], abs(now[place]))))
    return sorted(found)


def _free(broken: Sum, changed: Sequence[Place], cells: dict[Place, Cell], text: str) -> Place | None:
    """The cell that a sum is put right by: its total, or, where that is given, its largest part.

    None that the passage says again: a year's opening balance is the closing one of the year before.
    """
    places = [broken.total] if broken.total not in changed else [place for place, _ in broken.parts]
    once = [p for p in places if p not in changed and cells[p].value and _said(text, cells[p]) == 1]
    return max(once, key=lambda place: (abs(cells[place].value), place), default=None)


def _said(text: str, cell: Cell) -> int:
    return len(re.findall(rf"(?<![\d.,]){re.escape(text[cell.start : cell.end])}(?![\d]|[.,]\d)", text))


def _solved(broken: Sum, place: Place, now: dict[Place, Decimal]) -> Decimal:
    rest = sum((sign * now[p] for p, sign in broken.parts if p != place), Decimal(0))
    if place == broken.total:
        return rest
    sign = next(sign for p, sign in broken.parts if p == place)
    return sign * (now[broken.total] - rest)


def _plausible(old: Decimal, new: Decimal) -> bool:
    """Is the sign the same, and the size about the same?"""
    return old * new > 0 and abs(old) / 3 <= abs(new) <= abs(old) * 3
