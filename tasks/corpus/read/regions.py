"""Find the tables and the texts on a sheet: regions of cells between blank rows and columns."""

from rarefy.tasks.corpus.read.cells import is_value
from rarefy.tasks.corpus.read.compose import Piece
from rarefy.tasks.corpus.read.grids import GridRow, NameRange, build_table, drop_repeated, has_head

LONGEST_TITLE = 200  # characters: a longer text above a table is no title of it
LIST = 4  # cells: so many short ones in one column are a list, which is given as a table
SHORT = 80  # characters
NEAR = 2  # blank rows that may stand inside a table
BESIDE = 8  # tables beside each other, at the most
DEEP = 20  # times that a region is cut anew

Region = list[GridRow]


def find_pieces(rows: list[GridRow], hidden: frozenset[int], name_range: NameRange, side_by_side: bool) -> list[Piece]:
    """The pieces that the rows of a sheet make up, in reading order; `hidden` rows are no blank ones.

    `side_by_side`: tables may stand beside each other, with blank columns between them.
    """
    regions = _join(_cut(rows, hidden, 0) if side_by_side else _cut_rows(rows, hidden))
    out: list[Piece] = []
    for number, region in enumerate(regions):
        if _width(region) > 1 or _is_list(region):
            out += build_table(region, name_range=name_range)
            continue
        heads = number + 1 < len(regions) and _width(regions[number + 1]) > 1
        for row in drop_repeated(region):
            for cell in row:
                kind = "caption" if heads and len(cell.text) <= LONGEST_TITLE else "text"
                out.append(Piece(kind, cell.text, place=cell.place))
    return out


def _width(region: Region) -> int:
    """The most cells in a row."""
    return max(map(len, region))


def _is_list(region: Region) -> bool:
    cells = [cell for row in region for cell in row]
    return len(cells) >= LIST and all(len(cell.text) <= SHORT for cell in cells)


def _cut(rows: Region, hidden: frozenset[int], depth: int) -> list[Region]:
    """The regions between blank rows, each cut at blank columns, and so on."""
    out: list[Region] = []
    for band in _cut_rows(rows, hidden):
        parts = _cut_columns(band)
        if len(parts) == 1 or depth == DEEP:
            out.append(band)
        else:
            for part in parts:
                out += _cut(part, hidden, depth + 1)
    return out


def _cut_rows(rows: Region, hidden: frozenset[int]) -> list[Region]:
    out: list[Region] = []
    for row in rows:
        if out and not _is_blank_between(out[-1][-1][0].row, row[0].row, hidden):
            out[-1].append(row)
        else:
            out.append([row])
    return out


def _is_blank_between(first: int, second: int, hidden: frozenset[int]) -> bool:
    return any(number not in hidden for number in range(first + 1, second))


def _cut_columns(region: Region) -> list[Region]:
    """The region at its blank columns, where what is right of one has labels of its own: else it is only set apart.

    A row of one cell, such as a title over all, fills no column.
    """
    filled: set[int] = set()
    for row in region:
        if len(row) > 1:
            for cell in row:
                filled.update(range(cell.column, min(cell.end, cell.column + 1000)))
    starts = [column for column in sorted(filled) if column - 1 not in filled][1:]
    starts = [start for start in starts if _has_labels(region, start, [s for s in starts if s > start][:1])]
    if not starts:
        return [region]
    parts: list[Region] = [[] for _ in range(len(starts) + 1)]
    for row in region:
        split: list[GridRow] = [[] for _ in parts]
        for cell in row:
            split[sum(start <= cell.column for start in starts)].append(cell)
        for part, cells in zip(parts, split, strict=True):
            if cells:
                part.append(cells)
    return [part for part in parts if part]


def _has_labels(region: Region, start: int, following: list[int]) -> bool:
    """Whether the columns from here on are a table: several, with names, and words in most cells of the first.

    Else the blank column is one that only sets the columns of one table apart.
    """
    end = following[0] if following else 1 << 30
    inside = [[cell for cell in row if start <= cell.column < end] for row in region]
    inside = [row for row in inside if row]
    if max(map(len, inside)) < 2 or len(inside) < 2 or not has_head(inside):
        return False
    first = [cell.text for row in inside for cell in row if cell.column == start]
    words = sum(not is_value(text) for text in first[1:])
    return 2 * words > len(first[1:]) > 0


def _join(regions: list[Region]) -> list[Region]:
    """The regions, with those made one that blank rows part amid a table: the lower one names no columns of its own."""
    out: list[Region] = []
    for region in regions:
        while len(out) > 1 and _goes_on(out[-2], out[-1], lone=True) and _goes_on(out[-2], region, after=out[-1]):
            out[-2:] = [out[-2] + out[-1]]
        # what stands beside the upper part comes between the two
        upper = next(
            (at for at in range(len(out) - 1, max(len(out) - 1 - BESIDE, -1), -1) if _goes_on(out[at], region)), -1
        )
        if upper >= 0:
            out[upper] = out[upper] + region
        else:
            out.append(region)
    return out


def _goes_on(upper: Region, lower: Region, lone: bool = False, after: Region | None = None) -> bool:
    """Whether `lower` is more of the table `upper`; `lone`: it is one label, `after` which the table goes on."""
    gap = lower[0][0].row - (after or upper)[-1][-1].row
    columns = [cell for row in upper for cell in row]
    left, right = min(cell.column for cell in columns), max(cell.end for cell in columns)
    inside = all(left <= cell.column and cell.end <= right for row in lower for cell in row)
    if not (0 < gap <= NEAR + 1 and inside and _width(upper) > 1):
        return False
    if lone:
        return len(lower) == len(lower[0]) == 1 and lower[0][0].column == left and len(lower[0][0].text) <= SHORT
    valued = any(is_value(cell.text) for row in lower for cell in row[1:])
    return _width(lower) > 1 and valued and lower[0][0].column == left and not has_head(lower)
