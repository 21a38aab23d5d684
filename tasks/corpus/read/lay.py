"""A table's cells at the columns where its spans put them, with signs and marks in the cell of their number."""

from dataclasses import dataclass

from rarefy.tasks.corpus.read.cells import NOTES, PREFIX, SUFFIX, is_value, tidy, tighten
from rarefy.tasks.corpus.read.flow import Paragraph, Table
from rarefy.tasks.corpus.read.layout import text_of
from rarefy.tasks.corpus.read.marks import plain

AGAIN = 1_000_000  # letters that the cells of many rows may repeat in a table, each cell counted as WEIGHT more
WEIGHT = 20


@dataclass(slots=True)
class Item:
    """A filled cell: its text (marked and plain) and the columns `[start, end)` it takes."""

    text: str
    plain: str
    start: int
    end: int
    bold: bool = False
    heading: bool = False
    ruled: bool = False

    @property
    def value(self) -> bool:
        """Whether it is a number or stands for one."""
        return is_value(self.plain)


Row = list[Item]


def lay(table: Table) -> list[Row]:
    """The filled cells of each row, at the columns that spans put them; a cell of many rows stands in each.

    Where they would stand again too often (`AGAIN`), cells of many rows stand in the first of them alone from there on.
    """
    rows: list[Row] = []
    hanging: dict[int, tuple[int, Item | None, int]] = {}  # column -> rows left, what hangs there, columns
    left_over = AGAIN
    for cells in table.rows:
        row: Row = []
        at = position = 0
        waiting = sorted(hanging, reverse=True)  # columns, the next one last
        while True:
            while waiting and waiting[-1] < at:
                waiting.pop()  # a wide cell stands over it
            if waiting and (waiting[-1] == at or position >= len(cells)):
                at = waiting.pop()
                left, item, wide = hanging.pop(at)
                if item:
                    row.append(item)
                    left_over -= WEIGHT + len(item.text)
                if left > 1:
                    hanging[at] = (left - 1, item, wide)
                at += wide
                continue
            if position >= len(cells):
                break
            cell = cells[position]
            position += 1
            text = text_of(cell)
            bare = plain(text)
            made = None
            if bare:
                bold = all(part.bold for part in cell.content if isinstance(part, Paragraph))
                made = Item(text, bare, at, at + cell.colspan, bold, cell.heading, cell.ruled)
                row.append(made)
                left_over += len(text)  # a long table may repeat as much again
            if cell.rowspan > 1:
                hanging[at] = (cell.rowspan - 1, made, cell.colspan)
            at += cell.colspan
        rows.append(row)
        if left_over < 0:
            hanging.clear()
    rows = [row for row in rows if row]
    marks = _mark_columns(rows)
    return [_merged(row, marks) for row in rows]


def _mark_columns(rows: list[Row]) -> set[int]:
    """The columns in which nothing stands but marks of footnotes and closing signs."""
    kinds: dict[int, bool] = {}
    for row in rows:
        for item in row:
            sign = bool(NOTES.match(item.plain) or SUFFIX.match(item.plain))
            kinds[item.start] = kinds.get(item.start, True) and sign
    return {column for column, only in kinds.items() if only}


def _merged(row: Row, marks: set[int]) -> Row:
    """The row with currency signs, brackets, per cents and footnote marks in the cell of their number."""
    out: Row = []
    held: Item | None = None  # an opening sign that waits for its number
    for item in row:
        if held is not None:
            if item.value or item.plain[:1].isdigit() or PREFIX.match(item.plain):
                item = _joint(held, item, "")
            else:
                out.append(held)
            held = None
        before = out[-1] if out else None
        if PREFIX.match(item.plain):
            held = item
        elif before and SUFFIX.match(item.plain) and _numeric(before.plain) and item.start - before.end <= 2:
            out[-1] = _joint(before, item, "")
        elif before and NOTES.match(item.plain) and item.start in marks and item.start - before.end <= 2:
            out[-1] = _joint(before, item, " ")
        else:
            out.append(item)
    if held is not None:
        out.append(held)
    for item in out:
        item.text = tidy(item.text) if is_value(item.plain) else tighten(item.text)
        item.plain = plain(item.text)
    return out


def _numeric(text: str) -> bool:
    return is_value(text) or is_value(text.strip("([$ ")) or text[-1:].isdigit()


def _joint(one: Item, two: Item, between: str) -> Item:
    text = f"{one.text}{between}{two.text}"
    return Item(text, plain(text), one.start, two.end, one.bold and two.bold, one.heading, one.ruled or two.ruled)
