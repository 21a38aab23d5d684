"""Replace the answer in the gold passage by another value, and keep its tables consistent (Magic Mushroom §3.2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from random import Random

from rarefy.data_contracts.rows import Swap
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.other_values import is_name_mentioned
from rarefy.tasks.perturb.context.swaps import Edit, apply_edits, format_like, replace_value
from rarefy.tasks.perturb.passages import DIVIDER
from rarefy.tasks.questions.other_answers import leads_elsewhere
from rarefy.tasks.text.notations import contains_answer
from rarefy.tasks.text.quantities import number
from rarefy.tasks.text.states import STATES

# Sums in tables

_CELL = re.compile(r"(?<=\|)[^|\n]*(?=\|)")
_NOTE = re.compile(r"\(\w\)")  # a footnote's mark
_NOTHING = ("—", "–", "-")
ROWS = 400  # of a passage; what is longer is a data file, and looked at no further
RUN = 30  # rows that are summed at most
LARGE = 1000  # least largest amount of a sum that cannot be chance, even in a single column
LEAST = 100  # least total of such a sum

Place = tuple[int, int]  # row, column


@dataclass(frozen=True, slots=True)
class Cell:
    """An amount in a table: `text[start:end]` are its digits."""

    start: int
    end: int
    value: Decimal  # with its sign


@dataclass(frozen=True, slots=True)
class TableSum:
    """A cell that is the signed sum of others."""

    total: Place
    parts: tuple[tuple[Place, int], ...]  # with 1 or -1


def does_sum_hold(table_sum: TableSum, values: dict[Place, Decimal]) -> bool:
    """Whether the total is the sum of the parts, by these values."""
    return values[table_sum.total] == sum((sign * values[place] for place, sign in table_sum.parts), Decimal(0))


@lru_cache(200)  # a passage is asked for each value that could be put into it
def find_sums(text: str) -> tuple[dict[Place, Cell], tuple[TableSum, ...]]:
    """The amounts of a text's tables by row and column, and the sums that hold among them."""
    cells: dict[Place, Cell] = {}
    tables: list[list[int]] = []
    labels: dict[int, str] = {}
    last = -1
    for row, line in enumerate(re.finditer(r"^\|.*$", text, re.MULTILINE)):
        if row >= ROWS:
            break
        if line.start() != last + 1 or not tables:
            tables.append([])
        last = line.end()
        if DIVIDER.match(line.group()):
            for above in tables[-1]:  # years are no amounts
                cells = {place: cell for place, cell in cells.items() if place[0] != above}
            tables[-1].clear()
            continue
        tables[-1].append(row)
        labels[row] = _NOTE.sub("", line.group().strip("| ").partition("|")[0]).strip().casefold()
        for column, match in enumerate(_CELL.finditer(text, *line.span())):
            if column:
                cell = _parse_cell(match)
                if cell:
                    cells[row, column] = cell
    found: dict[TableSum, None] = {}
    for rows in filter(None, tables):
        found |= dict.fromkeys(_find_row_sums(cells, rows))
        found |= dict.fromkeys(_find_column_sums(cells, rows))
        found |= dict.fromkeys(_find_label_sums(cells, {row: labels[row] for row in rows}))
    return cells, tuple(found)


def _parse_cell(match: re.Match[str]) -> Cell | None:
    cell = match.group()
    if cell.strip() in _NOTHING:
        return Cell(match.start(), match.start(), Decimal(0))
    quantity = number(cell.strip())
    if quantity is None or quantity.worded or quantity.scale or quantity.kind not in ("money", "bare"):
        return None  # words, and shares, of which no sums are made
    start = match.start() + len(cell) - len(cell.lstrip())
    return Cell(start + quantity.digits[0], start + quantity.digits[1], quantity.value)


def _find_row_sums(cells: dict[Place, Cell], rows: Sequence[int]) -> Iterator[TableSum]:
    """Rows whose last cell is the sum of those before it, where several rows of the table are."""
    wide = max((column for row, column in cells if row in range(rows[0], rows[-1] + 1)), default=0)
    found = []
    for row in rows:
        parts = [(row, column) for column in range(1, wide) if (row, column) in cells]
        table_sum = TableSum((row, wide), tuple((place, 1) for place in parts))
        values = {place: cells[place].value for place in (*parts, (row, wide)) if place in cells}
        if (row, wide) in cells and sum(values[p] != 0 for p in parts) > 1 and does_sum_hold(table_sum, values):
            found.append(table_sum)
    if len(found) > 1:  # once may be chance
        yield from found


def _find_column_sums(cells: dict[Place, Cell], rows: Sequence[int]) -> Iterator[TableSum]:
    """Rows that are the sum of the rows above, or the first minus the others, in most columns."""
    columns = sorted({column for row, column in cells if rows[0] <= row <= rows[-1]})
    filled_rows = [row for row in rows if any((row, column) in cells for column in columns)]
    for at, row in enumerate(filled_rows):
        for first in range(at - 2, max(-1, at - RUN - 1), -1):
            for sign in (1, -1):
                holding = []
                failed = 0
                for column in columns:
                    if (row, column) not in cells:
                        continue
                    parts = [(r, column) for r in filled_rows[first:at] if (r, column) in cells]
                    amounts = [cells[place].value for place in parts]
                    if len(amounts) - amounts.count(Decimal(0)) < 2:
                        continue
                    total = cells[row, column].value
                    if total and total == amounts[0] + sign * sum(amounts[1:]):
                        signs = (1, *[sign] * (len(parts) - 1))
                        holding.append(TableSum((row, column), tuple(zip(parts, signs, strict=True))))
                    else:
                        failed += 1
                large = any(_has_large_amount(table_sum, cells) for table_sum in holding)
                if holding and (len(holding) > failed) and (large or len(holding) > 1):
                    yield from holding


def _has_large_amount(table_sum: TableSum, cells: dict[Place, Cell]) -> bool:
    sizes = [abs(cells[place].value) for place in (table_sum.total, *(place for place, _ in table_sum.parts))]
    return sizes[0] >= LEAST and max(sizes) >= LARGE


def _find_label_sums(cells: dict[Place, Cell], labels: dict[int, str]) -> Iterator[TableSum]:
    """Rows of the same label of which the last is the sum of the others, as of segments."""
    of_label: dict[str, list[int]] = {}
    for row, label in labels.items():
        of_label.setdefault(label, []).append(row)
    for rows in of_label.values():
        for column in sorted({c for r, c in cells if r == rows[-1]}) if len(rows) > 2 else ():
            places = [(row, column) for row in rows]
            if all(place in cells for place in places):
                table_sum = TableSum(places[-1], tuple((place, 1) for place in places[:-1]))
                values = {place: cells[place].value for place in places}
                if _has_large_amount(table_sum, cells) and does_sum_hold(table_sum, values):
                    yield table_sum


# Keep the sums of a table right when a cell changes

CHANGED = 6  # cells that may change with those edited


def balance_sums(text: str, edits: Sequence[Edit]) -> list[Edit] | None:
    """The edits, and those that keep the tables' sums right; None where more than `CHANGED` cells would change.

    Where a part changes, its total does; where a total changes, its largest part; and so on through other sums.
    """
    cells, sums = find_sums(text)
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
    # as printed all sums hold, so that only one with a changed cell can be broken
    while (broken := next((s for s in sums if _has_any(s, changed) and not does_sum_hold(s, now)), None)) is not None:
        place = _choose_correction_cell(broken, changed, cells, text)
        if place is None or len(changed) - len(given) >= CHANGED:
            return None
        now[place] = _solve_sum(broken, place, now)
        if not _is_plausible(cells[place].value, now[place]):
            return None
        changed.append(place)
    found = list(edits)
    for place in changed:
        if place not in given:
            cell = cells[place]
            found.append((cell.start, cell.end, format_like(text[cell.start : cell.end], abs(now[place]))))
    return sorted(found)


def _has_any(table_sum: TableSum, places: Sequence[Place]) -> bool:
    return table_sum.total in places or any(place in places for place, _ in table_sum.parts)


def _choose_correction_cell(
    broken: TableSum, changed: Sequence[Place], cells: dict[Place, Cell], text: str
) -> Place | None:
    """The cell to correct a sum with: its total, or, where that is given, its largest part.

    Only cells whose figure the passage has once: a year's opening balance is also the closing one before.
    """
    places = [broken.total] if broken.total not in changed else [place for place, _ in broken.parts]
    once = [
        place
        for place in places
        if place not in changed
        and cells[place].value
        and _count_mentions(text, text[cells[place].start : cells[place].end]) == 1
    ]
    return max(once, key=lambda place: (abs(cells[place].value), place), default=None)


@lru_cache(10_000)  # a sum is corrected for each value that could be put into the passage
def _count_mentions(text: str, figure: str) -> int:
    return len(re.findall(rf"(?<![\d.,]){re.escape(figure)}(?![\d]|[.,]\d)", text))


def _solve_sum(broken: TableSum, place: Place, now: dict[Place, Decimal]) -> Decimal:
    """The value of one cell that makes the sum hold."""
    rest = sum((sign * now[p] for p, sign in broken.parts if p != place), Decimal(0))
    if place == broken.total:
        return rest
    sign = next(sign for p, sign in broken.parts if p == place)
    return sign * (now[broken.total] - rest)


def _is_plausible(old: Decimal, new: Decimal) -> bool:
    """Whether the new amount has the sign of the old one and is at most three times as large or small."""
    return old * new > 0 and abs(old) / 3 <= abs(new) <= abs(old) * 3


# Check that a changed cell keeps its rank among the others

# Rows compared on either side: all of a printed table, and the neighbours
REACHES = (40, 2)

Row = tuple[tuple[int, int], ...]


def measure_misfit(text: str, edits: Sequence[Edit]) -> int:
    """How badly changed cells fit their tables: 0 to 2.

    Where all columns rank two rows alike, the changed cell should too: 0 if it does among all rows, 1 if only among
    the rows next to it (its parts, total or like), else 2.
    """
    return next(
        (i for i, reach in enumerate(REACHES) if all(_does_edit_fit(text, edit, reach) for edit in edits)), len(REACHES)
    )


def _does_edit_fit(text: str, edit: Edit, reach: int) -> bool:
    start, end, new = edit
    line = text.rfind("\n", 0, start) + 1
    if not text.startswith("|", line) or not re.search(r"\d", new):
        return True
    rows = _find_rows(text)
    own = next((row for row in rows if row and row[0][0] > line and row[0][0] <= start + 1 and row[-1][1] >= end), None)
    if own is None:
        return True
    column = next((i for i, (a, b) in enumerate(own) if a <= start and end <= b), -1)
    if column < 1:
        return True
    a, b = own[column]
    table = _parse_rows(text)
    at = rows.index(own)
    before = table[at]
    after = _parse_amount(text[a:start] + new + text[end:b])
    if after is None:
        return True
    for others in table[max(0, at - reach) : at + reach + 1]:
        pairs = [(x, y) for x, y in zip(before, others, strict=False) if x is not None and y is not None]
        if others is before or len(pairs) < 2 or column >= len(others):
            continue
        other_amount = others[column]
        if other_amount is None:
            continue
        if all(x > y for x, y in pairs) and after <= other_amount:
            return False
        if all(x < y for x, y in pairs) and after >= other_amount:
            return False
    return True


@lru_cache(200)
def _find_rows(text: str) -> tuple[Row, ...]:
    """The spans of the cells of each table row."""
    lines = re.finditer(r"^\|.*$", text, re.MULTILINE)
    return tuple(tuple(cell.span() for cell in _CELL.finditer(text, *line.span())) for line in lines)


@lru_cache(200)
def _parse_rows(text: str) -> tuple[tuple[Decimal | None, ...], ...]:
    """The unsigned amounts of each row's cells; None for its label."""
    return tuple((None, *(_parse_amount(text[a:b]) for a, b in row[1:])) for row in _find_rows(text))


def _parse_amount(cell: str) -> Decimal | None:
    quantity = number(cell.strip())
    return quantity.amount if quantity and not quantity.worded else None


# "7,000,000 square kilometres (2,700,000 sq mi)": the other measure would give the answer away
_UNITS = (
    r"(?:sq|square|mi|miles?|km|kilomet\w+|ft|feet|foot|m|met\w+|lbs?|pounds?|kg|acres?|ha|hectares?|°[CF]|in|inch\w*|cm|mm|gal\w*"
    r"|mph|km/h)(?![A-Za-z])"
)
_CONVERTED = re.compile(rf"[^()\n.]{{0,40}}\([^()\n]{{0,20}}\d[^()\n]{{0,20}}?{_UNITS}[^()\n]{{0,20}}\)")
_CONVERSION = re.compile(rf"\d[\d.,]*[\s-]?{_UNITS}[^()\n]{{0,20}}\([^()\n]{{0,20}}$")

# "Cupertino, California": there is no Cupertino in Delaware
_CITY = re.compile(r"[A-Z][\w.’'-]+,\s$")


def distracting(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Passages with another value in place of the answer, changed everywhere, the best fitting first.

    Where the passage leads to the answer without holding it, what the question names in it is changed instead. Of a
    computed answer one operand is changed, to a figure with which the answer is another. Sums of tables are corrected.
    No draft where no such value is known, sums cannot be corrected, or the answer stays readable.
    """
    if case.pool is None:
        return
    direct = contains_answer(case.text, case.answer, case.aliases)
    aliases = case.aliases if direct and not case.computed else ()
    later: dict[int, list[tuple[Swap, list[Edit]]]] = {1: [], 2: []}
    for swap in case.pool.swaps:
        if case.computed and not leads_elsewhere(case.computed, swap.old, swap.new):
            continue
        if not case.computed and (swap.old == case.answer) != direct:
            continue
        edits = replace_value(case.text, swap.old, aliases, swap.new, swap.kind)
        if swap.old in STATES.values():
            edits = [edit for edit in edits if not _CITY.search(case.text[max(0, edit[0] - 40) : edit[0]])]
        if any(_is_converted(case.text, start, end) for start, end, _ in edits):
            continue
        if edits and (_changes_evidence(case, edits) or (direct and swap.kind == "ORG")):
            whole = balance_sums(case.text, edits)
            if whole is None:
                continue
            edits = whole
            if misfit := measure_misfit(case.text, edits):
                later[misfit].append((swap, edits))
            else:
                yield from _apply_swap(case, swap, edits)
    for swap, edits in (*later[1], *later[2]):
        yield from _apply_swap(case, swap, edits)


def _apply_swap(case: Case, swap: Swap, edits: list[Edit]) -> Iterator[Draft]:
    text, moves = apply_edits(case.text, edits)
    addresses = re.sub(rf"{_CITY.pattern[:-1]}{re.escape(swap.old)}", "", text) if swap.old in STATES.values() else text
    if is_name_mentioned(text, case.answer, case.question) or _renames_question_subject(case, swap, edits):
        return
    gone = swap.old if case.computed else case.answer
    if not contains_answer(text, gone, () if case.computed else case.aliases) and (
        swap.old == case.answer or not contains_answer(addresses, swap.old)
    ):
        yield Draft(text, moves, f"{swap.new} for {swap.old}", replaced=swap.old if case.computed else "")


def _is_converted(text: str, start: int, end: int) -> bool:
    """Whether a figure stands beside the same in another measure."""
    before = text[max(0, start - 80) : start]
    return _CONVERTED.match(text, end) is not None or _CONVERSION.search(before) is not None


def _changes_evidence(case: Case, edits: list[Edit]) -> bool:
    """Whether the edits touch the evidence; else the words are there by accident, and the support stays."""
    return not case.spans or any(a < end and start < b for a, b, _ in edits for start, end in case.spans)


def _renames_question_subject(case: Case, swap: Swap, edits: list[Edit]) -> bool:
    """Whether the edits rename what the question is about: "Roe Tower" for "Eiffel Tower"."""
    if swap.old != case.answer or not case.question:
        return False
    return any(
        case.text[a:b] != swap.old
        and any(c.isalpha() for c in case.text[a:b])
        and case.text[a:b] in case.question
        and case.text[a:b][:1].isupper()
        for a, b, _ in edits
    )
