"""Remove what HTML has for the sake of its pages: page furniture, tables that only lay out text, absolute positions."""

import re
from collections import Counter
from dataclasses import replace

from rarefy.tasks.corpus.read.cells import BULLET, ENUMERATOR, is_period, is_value
from rarefy.tasks.corpus.read.html_flow import Cell, Flow, PageBreak, Paragraph, Table, plain

# Absolutely positioned pages

Line = list[Paragraph]  # from left to right
STEP = 3.0  # points that count as one column: a third of a letter's usual height
LETTER = 0.5  # of its height, the usual width of a letter


def join_positioned(flow: Flow) -> Flow:
    """The flow with its placed pieces joined to lines, lines to paragraphs, and lines of figures to tables."""
    out: Flow = []
    placed: list[Paragraph] = []
    for part in flow:
        if isinstance(part, Paragraph) and part.place:
            placed.append(part)
            continue
        out += _join_page(placed)
        placed = []
        out.append(part)
    return out + _join_page(placed)


def _join_page(pieces: list[Paragraph]) -> Flow:
    lines: list[Line] = []
    for piece in pieces:  # in the order of the source: a page's columns stay apart
        if lines and abs(_top(lines[-1][-1]) - _top(piece)) < piece.size * 0.4:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    out: Flow = []
    figures: list[Line] = []
    above = 0.0
    for line in lines:
        line.sort(key=lambda piece: piece.place or (0.0, 0.0))
        line.sort(key=lambda piece: piece.place[1] if piece.place else 0.0)
        line = _join_words(line)
        if len(line) > 1 or (figures and is_value(plain(line[0].text))):
            figures.append(line)
        elif figures and _top(line[0]) - _top(figures[-1][0]) < line[0].size * 2 and _is_followed(line, lines):
            figures.append(line)  # the title of a group of rows
        else:
            out += _table_of_lines(figures)
            figures = []
            before = out[-1] if out else None
            near = 0 < _top(line[0]) - above < line[0].size * 1.5
            if near and isinstance(before, Paragraph) and before.place and before.bold == line[0].bold:
                before.text = f"{before.text} {line[0].text}"
            else:
                out.append(line[0])
        above = _top(line[0])
    return out + _table_of_lines(figures)


def _is_followed(line: Line, lines: list[Line]) -> bool:
    below = [other for other in lines if 0 < _top(other[0]) - _top(line[0]) < line[0].size * 2]
    return any(len(other) > 1 for other in below)


def _top(piece: Paragraph) -> float:
    return piece.place[0] if piece.place else 0.0


def _left(piece: Paragraph) -> float:
    return piece.place[1] if piece.place else 0.0


def _width(piece: Paragraph) -> float:
    return len(plain(piece.text)) * piece.size * LETTER


def _join_words(line: Line) -> Line:
    """The line with pieces joined that stand a blank apart: a change of font, not of column."""
    out: Line = []
    for piece in line:
        if out and _left(piece) - _left(out[-1]) - _width(out[-1]) < piece.size:
            out[-1] = replace(out[-1], text=f"{out[-1].text} {piece.text}", bold=out[-1].bold and piece.bold)
        else:
            out.append(piece)
    return out


def _table_of_lines(lines: list[Line]) -> Flow:
    if not any(is_value(plain(piece.text)) for line in lines for piece in line):
        return [replace(line[0], text=" ".join(piece.text for piece in line), row=True) for line in lines]
    rows = []
    for line in lines:
        row: list[Cell] = []
        at = 0
        for piece in line:
            start = max(round(_left(piece) / STEP), at)
            if start > at:
                row.append(Cell(colspan=start - at))
            wide = max(round(_width(piece) / STEP), 1)
            row.append(Cell([replace(piece, place=None)], colspan=wide))
            at = start + wide
        rows.append(row)
    return [Table(rows)]


# Page numbers, running headers and footers, tables of contents

EDGE = 4  # how many lines from a page's end may belong to its header or footer
_NUMBER = re.compile(
    r"^(?:[-–—|\s]*(?:page\s*)?(?:[A-Z]{1,2}-?)?(?:\d{1,3}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,3})?[-–—|\s.]*)$", re.I
)
_BACK = re.compile(
    r"^(?:(?:back|return) to )?\(?(?:(?:the )?(?:table of )?contents|"
    r"index(?: to (?:consolidated )?financial statements)?)\)?$",
    re.I,
)
_RULE = re.compile(r"^[_\-–—=*\s.·~]{3,}$")
_ENTRY = re.compile(r"^(?:part\s+[ivx]+\b|items?\s+\d{1,2}[a-c]?\b|note\s+\d+|signatures?|index|exhibit|page\b)", re.I)
ITEMS = "item alone"
_ITEMS_ALONE = re.compile(
    r"^(?:part\s+[ivx]+[\s,.–—-]*)?items?\s+\d+[a-c]?\.?(?:\s*(?:,|and|&|[-–])\s*(?:items?\s+)?\d+[a-c]?)*\.?$", re.I
)
_DOTS = re.compile(r"(?:\.\s?){6,}\s*\d+$")
_LEADER = re.compile(r"(?:\.\s?){4,}|\s[A-Z]?-?\d{1,3}$")


def drop_furniture(flow: Flow) -> tuple[Flow, dict[str, int]]:
    """The flow without what belongs to the page, and how many characters of each kind were dropped."""
    dropped: Counter[str] = Counter()
    running = _running_titles(flow)
    edges = _edges(flow)
    numbers = _counted_page_numbers(flow)
    out: Flow = []
    seen: set[str] = set()
    for position, part in enumerate(flow):
        kind = ""
        if isinstance(part, Paragraph):
            text = plain(part.text)
            if _RULE.match(text):
                kind = "rule"
            elif (position in edges or position in numbers) and _NUMBER.match(text):
                kind = "page_number"
            elif _BACK.match(text) and (part.linked or position in edges):
                kind = "table_of_contents"
            elif position in edges and re.fullmatch(r"\(?continued\)?", text, re.I):
                kind = "running_header"
            elif position in edges and (key := _line_key(text)) in running:
                # the first of a running title may be the title itself
                title = key not in seen and not re.search(r"\d", text) and not re.search("continued", text, re.I)
                seen.add(key)
                kind = "" if title and part.bold else "running_header"
            if kind:
                dropped[kind] += len(text)
                continue
        out.append(part)
    return out, dict(dropped)


def is_contents(table: Table) -> bool:
    """Whether a table lists the parts of the document with their pages."""
    entries = numbered = rows = 0
    for row in table.rows:
        texts = [plain(cell_text(cell)) for cell in row]
        texts = [text for text in texts if text]
        if not texts:
            continue
        rows += 1
        linked = any(part.linked for cell in row for part in cell.content if isinstance(part, Paragraph))
        entry = bool(_ENTRY.match(texts[0]))
        paged = len(texts) > 1 and bool(_NUMBER.match(texts[-1]))
        entries += entry or (linked and paged)
        numbered += linked or paged
    return rows >= 4 and entries * 10 >= rows * 4 and numbered * 10 >= rows * 5


def find_contents_lines(flow: Flow) -> set[int]:
    """The paragraphs that are lines of a table of contents: runs of entries that end in a page or are links."""
    out: set[int] = set()
    run: list[int] = []
    for position, part in enumerate([*flow, PageBreak()]):
        if isinstance(part, Paragraph):
            text = plain(part.text)
            short = len(text) < 160
            led = bool(_ENTRY.match(text) and _LEADER.search(text)) or bool(_DOTS.search(text))
            if short and (part.linked or led):
                run.append(position)
                continue
            if short and run and (_NUMBER.match(text) or _ENTRY.match(text)):
                run.append(position)
                continue
        elif isinstance(part, PageBreak) and position < len(flow):
            continue
        if len(run) >= 6:
            out.update(run)
        run = []
    return out


def _line_key(text: str) -> str:
    """What a running title has in common on all pages; "" for lines that are frequent within pages too."""
    if re.match(r"(?:none|not applicable|n/?a|reserved|omitted|total)\W*$", text, re.I):
        return ""
    if text.endswith(".") and text.count(" ") > 4:
        return text  # a sentence: its numbers are part of it
    if _ITEMS_ALONE.match(text):
        return ITEMS
    text = re.sub(r"\(?continued\)?", "", text.lower())
    return re.sub(r"[\d\W_]+", " ", re.sub(r"\b[ivx]+\b", "#", text)).strip()


def _edges(flow: Flow) -> set[int]:
    """The positions of the lines nearest to a page's end, on both sides of it."""
    out: set[int] = set()
    breaks = [-1, *(n for n, part in enumerate(flow) if isinstance(part, PageBreak)), len(flow)]
    for at in breaks:
        for step in (-1, 1):
            position, left = at + step, EDGE
            while 0 <= position < len(flow) and left and isinstance(part := flow[position], Paragraph):
                if len(plain(part.text)) > 150:
                    break
                out.add(position)
                left -= 1
                position += step
    return out


def _running_titles(flow: Flow) -> set[str]:
    """What is repeated at the edges of at least three pages, numbers aside, and hardly ever within them."""
    everywhere: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    edges = _edges(flow)
    for position, part in enumerate(flow):
        if isinstance(part, Paragraph) and len(part.text) < 150:
            text = plain(part.text)
            everywhere[_line_key(text)] += 1
            if position in edges:
                texts[_line_key(text)] += 1
                exact[text] += 1
    running = {
        key
        for key, count in texts.items()
        if key not in ("", ITEMS) and count >= 3 and count * 10 >= everywhere[key] * 7
    }
    # "Item 1A" alone on each page of the item: so is then "Items 1A, 1B" on the page where two of them meet
    if any(count >= 3 and _line_key(text) == ITEMS for text, count in exact.items()):
        running.add(ITEMS)
    return running


_PAGE_NUMBER = re.compile(r"\d{1,9}")


def _counted_page_numbers(flow: Flow) -> set[int]:
    """Lines that are a number alone and count up by one, three times at least: page numbers without page breaks."""
    out: set[int] = set()
    run: list[int] = []
    last = -1
    for position, part in enumerate(flow):
        if isinstance(part, Paragraph) and _PAGE_NUMBER.fullmatch(plain(part.text)):
            number = int(plain(part.text))
            if number != last + 1:
                run = []
            run.append(position)
            last = number
            if len(run) >= 3:
                out.update(run)
    return out


# Tables that only lay out text

_COVER = re.compile(  # and not "(mark-to-market impacts)" of a table of figures
    r"\((?:states?(?:\)| or| of)|address|zip|i\.?r\.?s|exact|registrant|commission|former (?:name|address)|telephone"
    r"|area code|mark one|jurisdiction)",
    re.IGNORECASE,
)

COVER = 200  # cells: no cover page has more


def unwrap_layout_tables(flow: Flow) -> Flow:
    """The flow with every table that only lays out text replaced by that text, the innermost first."""
    nested: list[Cell] = []
    waiting = [part for part in flow if isinstance(part, Table)]
    while waiting:  # by a list, since a page may nest tables deeper than calls may be nested
        cells = [cell for row in waiting.pop().rows for cell in row]
        nested += cells
        waiting += [part for cell in cells for part in cell.content if isinstance(part, Table)]
    for cell in reversed(nested):
        cell.content = [part for part in _unwrap_each(cell.content) if not isinstance(part, PageBreak)]
    return _unwrap_each(flow)


def _unwrap_each(flow: Flow) -> Flow:
    return [inner for part in flow for inner in (_unwrap_table(part) if isinstance(part, Table) else [part])]


def _is_filled(cell: Cell) -> bool:
    return any(isinstance(part, Table) or (isinstance(part, Paragraph) and plain(part.text)) for part in cell.content)


def _unwrap_table(table: Table) -> Flow:
    rows = [[cell for cell in row if _is_filled(cell)] for row in table.rows]
    rows = [row for row in rows if row]
    if any(isinstance(part, Table) for row in rows for cell in row for part in cell.content):
        return [part for row in rows for cell in row for part in cell.content]
    if all(len(row) == 1 for row in rows):
        return [part for row in rows for part in cell_paragraphs(row[0])]
    if (listed := _list_items(rows)) is not None:
        return listed
    if (stacked := _unstack(rows[-1])) is not None:
        return unwrap_layout_tables([Table([*table.rows[: _last_row(table)], *stacked])])
    texts = [[cell_text(cell) for cell in row] for row in rows]
    values = sum(is_value(plain(text)) for row in texts for text in row)
    if len(rows) == 1 and (values == 0 or (values == 1 and len(texts[0]) <= 3 and not _has_tags(texts[0]))):
        return [_join_cells(rows[0])]
    if (
        len(rows) <= 14
        and sum(map(len, rows)) <= COVER
        and any(_COVER.search(plain(text)) for row in texts for text in row)
    ):
        return _cover_page_pairs(table)
    if any(plain(text) in "☐☒☑" for row in texts for text in row) and not values:
        return [_join_cells(row) for row in rows]
    return [table]


def _last_row(table: Table) -> int:
    return max(n for n, row in enumerate(table.rows) if any(map(_is_filled, row)))


def _unstack(row: list[Cell]) -> list[list[Cell]] | None:
    """The last row as many, where each of its cells holds a column of a table: as many lines as the others."""
    heights = {len(cell.content) for cell in row}
    if len(row) < 2 or len(heights) > 1 or (height := heights.pop()) < 3:
        return None
    lines = [[plain(part.text) if isinstance(part, Paragraph) else "" for part in cell.content] for cell in row]
    counted = [sum(is_value(line) or is_period(line) for line in column) >= height - 1 for column in lines]
    if not any(counted) and height < 8:
        return None
    return [[Cell([cell.content[n]], cell.colspan, 1, cell.heading, cell.ruled) for cell in row] for n in range(height)]


def cell_paragraphs(cell: Cell) -> Flow:
    """The paragraphs of a cell that is alone in its row."""
    return [replace(part, row=True) if isinstance(part, Paragraph) else part for part in cell.content]


def cell_text(cell: Cell) -> str:
    """The marked text of a cell on one line."""
    return " ".join(part.text for part in cell.content if isinstance(part, Paragraph))


def _has_tags(texts: list[str]) -> bool:
    return any(plain(text) != text for text in texts)


def _list_items(rows: list[list[Cell]]) -> Flow | None:
    """The items, where every row is a bullet or a number and its text (or more text of the item above)."""
    out: Flow = []
    marked = 0
    for row in rows:
        first = plain(cell_text(row[0]))
        if len(row) == 1 and not is_value(first):
            out.extend(cell_paragraphs(row[0]))
        elif len(row) == 2 and BULLET.match(first) and not is_value(plain(cell_text(row[1]))):
            marked += 1
            items = cell_paragraphs(row[1])
            out.extend(replace(p, listed=True) if p is items[0] and isinstance(p, Paragraph) else p for p in items)
        elif len(row) == 2 and ENUMERATOR.match(first) and len(plain(cell_text(row[1]))) > 12:
            marked += 1
            out.append(_join_cells(row))
        else:
            return None
    return out if marked else None


def _join_cells(row: list[Cell]) -> Paragraph:
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


def _cover_page_pairs(table: Table) -> Flow:
    """Each caption of a cover page with what stands above it: "Delaware" with "(State of incorporation)" below."""
    out: Flow = []
    upper: list[tuple[int, int, Cell]] = []
    captions: list[tuple[int, int, list[Cell]]] = []
    for row in [*table.rows, []]:
        at = 0
        placed = []
        for cell in row:
            if _is_filled(cell):
                placed.append((at, at + cell.colspan, cell))
            at += cell.colspan
        first = plain(cell_text(placed[0][2])) if placed else ""
        going_on = bool(captions) and not plain(cell_text(captions[0][2][-1])).endswith(")")
        if placed and (first.startswith("(") or going_on):
            for start, end, cell in placed:
                met = next((caption for caption in captions if caption[0] < end and start < caption[1]), None)
                if met:
                    met[2].append(cell)
                else:
                    captions.append((start, end, [cell]))
            continue
        if captions and (placed or not row):
            out += _join_captions(upper, captions)
            upper, captions = [], []
        upper += placed
    return out + [_join_cells([cell]) for _, _, cell in upper]


def _join_captions(upper: list[tuple[int, int, Cell]], captions: list[tuple[int, int, list[Cell]]]) -> Flow:
    stacks: list[list[Cell]] = [[] for _ in captions]
    for start, end, cell in upper:
        apart = [max(caption[0] - end, start - caption[1]) for caption in captions]
        stacks[apart.index(min(apart))].append(cell)
    return [_join_cells(stack + caption[2]) for stack, caption in zip(stacks, captions, strict=True)]
