"""Tables that only lay text out: bullets in two cells, paragraphs in one, headings, the pairs of a cover page."""

import re
from dataclasses import replace

from rarefy.tasks.corpus.read.cells import BULLET, ENUMERATOR, is_period, is_value
from rarefy.tasks.corpus.read.flow import Cell, Flow, PageBreak, Paragraph, Table
from rarefy.tasks.corpus.read.marks import plain

_COVER = re.compile(
    r"\((?:state|address|zip|i\.?r\.?s|exact|registrant|commission|former|telephone|area|mark|jurisdiction)", re.I
)

COVER = 200  # cells: no cover page has more


def unwrap(flow: Flow) -> Flow:
    """The flow with every table that only lays out text replaced by that text, the innermost first."""
    nested: list[Cell] = []
    waiting = [part for part in flow if isinstance(part, Table)]
    while waiting:  # by a list, since a page may nest tables deeper than calls may be nested
        cells = [cell for row in waiting.pop().rows for cell in row]
        nested += cells
        waiting += [part for cell in cells for part in cell.content if isinstance(part, Table)]
    for cell in reversed(nested):
        cell.content = [part for part in _each(cell.content) if not isinstance(part, PageBreak)]
    return _each(flow)


def _each(flow: Flow) -> Flow:
    out: Flow = []
    for part in flow:
        if isinstance(part, Table):
            out.extend(_unwrapped(part))
        else:
            out.append(part)
    return out


def _filled(cell: Cell) -> bool:
    return any(isinstance(part, Table) or (isinstance(part, Paragraph) and plain(part.text)) for part in cell.content)


def _unwrapped(table: Table) -> Flow:
    rows = [[cell for cell in row if _filled(cell)] for row in table.rows]
    rows = [row for row in rows if row]
    if any(isinstance(part, Table) for row in rows for cell in row for part in cell.content):
        return [part for row in rows for cell in row for part in cell.content]
    if all(len(row) == 1 for row in rows):
        return [part for row in rows for part in rows_of_one(row[0])]
    if (listed := _listed(rows)) is not None:
        return listed
    if (stacked := _unstacked(rows[-1])) is not None:
        return unwrap([Table([*table.rows[: _last_row(table)], *stacked])])
    texts = [[text_of(cell) for cell in row] for row in rows]
    values = sum(is_value(plain(text)) for row in texts for text in row)
    if len(rows) == 1 and (values == 0 or (values == 1 and len(texts[0]) <= 3 and not _tagged(texts[0]))):
        return [_joined(rows[0])]
    if (
        len(rows) <= 14
        and sum(map(len, rows)) <= COVER
        and any(_COVER.search(plain(text)) for row in texts for text in row)
    ):
        return _columns(table)
    if any(plain(text) in "☐☒☑" for row in texts for text in row) and not values:
        return [_joined(row) for row in rows]
    return [table]


def _last_row(table: Table) -> int:
    return max(n for n, row in enumerate(table.rows) if any(map(_filled, row)))


def _unstacked(row: list[Cell]) -> list[list[Cell]] | None:
    """The last row as many, where each of its cells holds a column of a table: as many lines as the others."""
    heights = {len(cell.content) for cell in row}
    if len(row) < 2 or len(heights) > 1 or (height := heights.pop()) < 3:
        return None
    lines = [[plain(part.text) if isinstance(part, Paragraph) else "" for part in cell.content] for cell in row]
    counted = [sum(is_value(line) or is_period(line) for line in column) >= height - 1 for column in lines]
    if not any(counted) and height < 8:
        return None
    return [[Cell([cell.content[n]], cell.colspan, 1, cell.heading, cell.ruled) for cell in row] for n in range(height)]


def rows_of_one(cell: Cell) -> Flow:
    """What a cell that is alone in its row holds, as text of its own."""
    return [replace(part, row=True) if isinstance(part, Paragraph) else part for part in cell.content]


def text_of(cell: Cell) -> str:
    """All that stands in a cell, on one line; marked."""
    return " ".join(part.text for part in cell.content if isinstance(part, Paragraph))


def _tagged(texts: list[str]) -> bool:
    return any(plain(text) != text for text in texts)


def _listed(rows: list[list[Cell]]) -> Flow | None:
    """The items, where every row is a bullet or a number and its text (or more text of the item above)."""
    out: Flow = []
    marked = 0
    for row in rows:
        first = plain(text_of(row[0]))
        if len(row) == 1 and not is_value(first):
            out.extend(rows_of_one(row[0]))
        elif len(row) == 2 and BULLET.match(first) and not is_value(plain(text_of(row[1]))):
            marked += 1
            items = rows_of_one(row[1])
            out.extend(replace(p, listed=True) if p is items[0] and isinstance(p, Paragraph) else p for p in items)
        elif len(row) == 2 and ENUMERATOR.match(first) and len(plain(text_of(row[1]))) > 12:
            marked += 1
            out.append(_joined(row))
        else:
            return None
    return out if marked else None


def _joined(row: list[Cell]) -> Paragraph:
    parts = [part for cell in row for part in cell.content if isinstance(part, Paragraph)]
    text = " ".join(part.text for part in parts)
    return replace(
        parts[0],
        text=text,
        bold=all(part.bold for part in parts),
        italic=all(part.italic for part in parts),
        underlined=all(part.underlined for part in parts),
        linked=any(part.linked for part in parts),
        size=max(part.size for part in parts),
        row=True,
    )


def _columns(table: Table) -> Flow:
    """Each caption of a cover page with what stands above it: "Delaware" with "(State of incorporation)" below."""
    out: Flow = []
    upper: list[tuple[int, int, Cell]] = []
    captions: list[tuple[int, int, list[Cell]]] = []
    for row in [*table.rows, []]:
        at = 0
        placed = []
        for cell in row:
            if _filled(cell):
                placed.append((at, at + cell.colspan, cell))
            at += cell.colspan
        first = plain(text_of(placed[0][2])) if placed else ""
        going_on = bool(captions) and not plain(text_of(captions[0][2][-1])).endswith(")")
        if placed and (first.startswith("(") or going_on):
            for start, end, cell in placed:
                met = next((caption for caption in captions if caption[0] < end and start < caption[1]), None)
                if met:
                    met[2].append(cell)
                else:
                    captions.append((start, end, [cell]))
            continue
        if captions and (placed or not row):
            out += _captioned(upper, captions)
            upper, captions = [], []
        upper += placed
    return out + [_joined([cell]) for _, _, cell in upper]


def _captioned(upper: list[tuple[int, int, Cell]], captions: list[tuple[int, int, list[Cell]]]) -> Flow:
    stacks: list[list[Cell]] = [[] for _ in captions]
    for start, end, cell in upper:
        apart = [max(caption[0] - end, start - caption[1]) for caption in captions]
        stacks[apart.index(min(apart))].append(cell)
    return [_joined(stack + caption[2]) for stack, caption in zip(stacks, captions, strict=True)]
