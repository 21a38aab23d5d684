"""Write tables whose cells have known rows and columns (sheets, CSV, Word, slides) as pieces."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from rarefy.tasks.corpus.places import join_names
from rarefy.tasks.corpus.read.cells import RANGE, is_period, is_units, is_value, reads_as_row
from rarefy.tasks.corpus.read.compose import EMPTY, FILLED, FOOTNOTE, Piece, render_placed_table
from rarefy.tasks.corpus.read.heads import spread_heads
from rarefy.tasks.corpus.read.html_tables import Band, Item, Row, find_band, label_end, name_columns

LONGEST_NAME = 500  # characters: the questions of surveys are names of columns too; a row with a longer cell is none
TOP = 5  # rows: what stands lower is no period of the whole table
REMARK = 60  # characters: a lone cell as long as this below a table is a remark on it
ROWS = 40  # of a table; a longer one becomes several, each under the names of its columns
AGAIN = 100_000  # cells that merged cells of one table may stand in, beyond the first


@dataclass(frozen=True, slots=True)
class GridCell:
    """A filled cell: its row and column as its source counts them, and how many of each it takes."""

    text: str
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    bold: bool = False
    place: str = ""  # in the source: "Sheet1!C7"

    @property
    def end(self) -> int:
        """The column after its last."""
        return self.column + self.columns


GridRow = list[GridCell]  # from left to right
NameRange = Callable[[int, int, int, int], str]  # first row and column, last row and column -> place of the table


def arrange_rows(cells: Iterable[GridCell]) -> list[GridRow]:
    """The cells in rows from top to bottom; a cell of many rows stands in each of them, as far as `AGAIN` allows."""
    rows: dict[int, GridRow] = {}
    left = AGAIN
    for cell in cells:
        if not cell.text:
            continue
        rows.setdefault(cell.row, []).append(cell)
        if cell.rows > 1 and (left := left - cell.rows) >= 0:
            for row in range(cell.row + 1, cell.row + cell.rows):
                rows.setdefault(row, []).append(replace(cell, row=row))
    return [sorted(row, key=lambda cell: cell.column) for _, row in sorted(rows.items())]


def build_table(rows: list[GridRow], place: str = "", name_range: NameRange | None = None) -> list[Piece]:
    """The pieces that a table makes: captions above it, the table, footnotes below it.

    All are at `place`, unless there is `name_range`: then the table is at the range it gives, the others where their
    cells are. A table of one row is a line of text.
    """
    titles, rows, notes = _peel(rows)
    columns = _find_columns(rows)
    items = _make_items(rows, columns)
    band = _find_band(rows, items, columns)
    origin = {id(row): cells for row, cells in zip(items, rows, strict=True)}
    head, body = [[origin[id(row)] for row in part] for part in (band.head, band.body)]
    notes = [origin[id(row)] for row in band.notes] + notes
    out = [_say("caption", row, place) for row in titles + [origin[id(row)] for row in band.titles]]
    if not body or len(columns) * len(body) > EMPTY + FILLED * sum(map(len, body)):
        out += [_say("text", row, place) for row in head + body]
        return out + [_say("footnote", row, place) for row in notes]
    band.head = spread_heads(band.head, band.label_end, len(columns))
    names, units = name_columns(band, [[number, number + 1] for number in range(len(columns))])
    for text in units:
        stated = next((cell.place for row in head for cell in row if cell.text == text), "")
        out.append(Piece("caption", text, place=place or stated))
    last = max(cell.column for row in (*head, *body) for cell in row)
    for part in _split_body(body):
        lines = [_fill_line(row, columns) for row in part]
        texts, places = [names, *(line for line, _ in lines)], [_place_names(head, columns), *(at for _, at in lines)]
        if name_range:
            first = head[0][0].row if head and part[0] is body[0] else part[0][0].row
            place = name_range(first, columns[0], part[-1][0].row, max(last, columns[-1]))
        text, shown = render_placed_table(texts, places)
        out.append(Piece("table", text, place=place, cells=shown))
    return out + [_say("footnote", row, "" if name_range else place) for row in notes]


def _split_body(body: list[GridRow]) -> Iterator[list[GridRow]]:
    """The rows in parts of `ROWS`, each to stand under the names of the columns: nobody retrieves ten thousand at once.

    A row that is alone in its line heads those below it, and stands again above those that go on in the next part.
    """
    if len(body) <= 2 * ROWS:
        yield body
        return
    title: GridRow | None = None
    for start in range(0, len(body), ROWS):
        part = body[start : start + ROWS]
        again = [title] if title and len(part[0]) > 1 else []
        yield [*again, *part]
        title = next((row for row in reversed(part) if len(row) == 1), title)


def _fill_line(row: GridRow, columns: list[int]) -> tuple[list[str], list[str]]:
    """The texts of a row by column, and the places of its cells."""
    line, found = [""] * len(columns), [""] * len(columns)
    for cell in row:
        number = _number(columns, cell.column)
        line[number] = f"{line[number]} {cell.text}".strip()
        found[number] = found[number] or cell.place
    return line, found


def has_head(rows: list[GridRow]) -> bool:
    """Whether rows above the first of its data name the table's columns."""
    _, rows, _ = _peel(rows)
    columns = _find_columns(rows)
    return bool(_find_band(rows, _make_items(rows, columns), columns).head)


def drop_repeated(rows: list[GridRow]) -> list[GridRow]:
    """The rows without those that hold nothing but the one cell that already fills the row above."""
    out = rows[:1]
    for before, row in pairwise(rows):
        same = len(before) == len(row) == 1 and row[0].rows > 1
        if not (same and (before[0].column, before[0].text) == (row[0].column, row[0].text)):
            out.append(row)
    return out


def _say(kind: str, row: GridRow, place: str) -> Piece:
    shown_at = place or join_names(cell.place for cell in (row[0], row[-1]) if cell.place)
    return Piece(kind, " ".join(cell.text for cell in row), place=shown_at)


def _peel(rows: list[GridRow]) -> tuple[list[GridRow], list[GridRow], list[GridRow]]:
    """Rows of one cell that stand above the table as its title, the table, and rows of one cell that are remarks."""
    rows = drop_repeated(rows)
    first, last = 0, len(rows)
    if all(len(row) == 1 for row in rows):
        return [], rows, []
    left = min(row[0].column for row in rows)
    while len(rows[first]) == 1 and first + 1 < last:
        cell = rows[first][0]
        over = cell.column == left  # else it names columns
        if not over or (is_period(cell.text) and len(cell.text) < 40) or is_value(cell.text):
            break
        first += 1
    while last > first + 1 and len(rows[last - 1]) == 1:
        text = rows[last - 1][0].text
        if is_value(text) or not (FOOTNOTE.match(text) or len(text) > REMARK):
            break
        last -= 1
    return rows[:first], rows[first:last], rows[last:]


def _find_columns(rows: list[GridRow]) -> list[int]:
    """The columns in which something stands that takes but one; and those of wide cells that are over none of these."""
    columns = {cell.column for row in rows for cell in row if cell.columns == 1}
    ordered = sorted(columns)
    for row in rows:
        for cell in row:
            if cell.columns > 1 and bisect_left(ordered, cell.column) == bisect_left(ordered, cell.end):
                columns.add(cell.column)
    return sorted(columns)


def _number(columns: list[int], column: int) -> int:
    return min(bisect_left(columns, column), len(columns) - 1)


def _find_band(rows: list[GridRow], items: list[Row], columns: list[int]) -> Band:
    """What names the columns of these rows, and what stands below the names; `items` are the cells of the rows."""
    if len(columns) > 1 and (length := _names_all(rows, columns)) is not None:
        return Band([], items[:length], items[length:], [], label_end(items))
    end = label_end(items)
    if length := _merged_head(rows):
        return Band([], items[:length], items[length:], [], end)
    for row in items[:TOP]:
        others = [item for item in row if item.start >= end]
        if len(others) == 1 and is_period(others[0].plain) and all(is_units(item.plain) for item in row[:-1]):
            others[0].start, others[0].end = end, len(columns)  # one period is about all columns, wherever it stands
    return find_band(items)


def _make_items(rows: list[GridRow], columns: list[int]) -> list[Row]:
    """The cells as the header's rules know them; one of several rows is the same item in each."""
    tall: dict[tuple[int, str], Item] = {}
    items: list[Row] = []
    for row in rows:
        line: Row = []
        for cell in row:
            start = _number(columns, cell.column)
            end = max(bisect_left(columns, cell.end), start + 1)
            item = Item(cell.text, cell.text, start, end, cell.bold)
            line.append(tall.setdefault((cell.column, cell.text), item) if cell.rows > 1 else item)
        items.append(line)
    return items


def _names_all(rows: list[GridRow], columns: list[int]) -> int | None:
    """1 where the first row alone names every column, 0 where all rows are labels and values, None where none says."""
    first = rows[0]
    texts = [cell.text for cell in first]
    if len(first) < len(columns) or any(cell.columns > 1 or cell.rows > 1 for cell in first):
        return None
    if any(is_value(text) for text in texts) or max(map(len, texts)) > LONGEST_NAME:
        return None
    if len(columns) == 2 and _is_form(rows):
        return 0
    if len(set(texts)) < len(texts) and not all(cell.bold for cell in first):
        return None
    if not first[0].bold and reads_as_row(texts, [[cell.text for cell in row] for row in rows[1:4]]):
        return 0
    # years beside words may be data ("Casablanca | 1942"), unless all but the first are years or dates
    dated = [_is_dated(text) for text in texts]
    return 1 if not any(dated) or all(dated[1:]) or first[0].bold or not _reads_alike(first, rows[1:20]) else None


def _merged_head(rows: list[GridRow]) -> int:
    """How many rows name the columns, where cells merged over several columns or rows say so; 0 where none do.

    What is below a name of several columns is a name itself: also "18-24", a group and no value.
    """
    length = 0 if any(_is_plain_value(cell) for cell in rows[0]) else 1
    left = min(row[0].column for row in rows)
    while 0 < length < min(len(rows) - 1, TOP):
        above, row = rows[length - 1], rows[length]
        reaches = any(cell.rows > 1 and (cell.column, cell.text) in {(c.column, c.text) for c in above} for cell in row)
        over = any(cell.columns > 1 and cell.column > left for cell in above)
        if not (reaches or over) or any(_is_plain_value(cell) for cell in row):
            break
        length += 1
    return length if length > 1 else 0


def _is_plain_value(cell: GridCell) -> bool:
    return is_value(cell.text) and not RANGE.match(cell.text)


def _is_form(rows: list[GridRow]) -> bool:
    """Whether two columns are names of fields and what was filled in."""
    pairs = [row for row in rows if len(row) == 2]
    marked = all(one.text.endswith(":") for one, _ in pairs)
    return marked or (len(pairs) > 1 and all(one.bold and not other.bold for one, other in pairs))


def _reads_alike(first: GridRow, below: list[GridRow]) -> bool:
    """Whether in some column a period stands in the first row and below it."""
    dated = {cell.column for cell in first if _is_dated(cell.text)}
    return any(cell.column in dated and _is_dated(cell.text) for row in below for cell in row)


def _is_dated(text: str) -> bool:
    """Whether it is a period and says which: "Year" names a column of them."""
    return is_period(text) and any(map(str.isdigit, text))


def _place_names(head: list[GridRow], columns: list[int]) -> list[str]:
    """For each column the place of the lowest cell that names it."""
    places = [""] * len(columns)
    for row in head:
        for cell in row:
            if is_units(cell.text) and len(row) == 1:
                continue
            for number in range(_number(columns, cell.column), max(bisect_left(columns, cell.end), 1)):
                places[number] = cell.place
    return places
