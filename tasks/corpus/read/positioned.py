"""Pages set with absolute positions, as converters from PDF write them: lines, paragraphs and tables found again."""

from dataclasses import replace

from rarefy.tasks.corpus.read.cells import is_value
from rarefy.tasks.corpus.read.flow import Cell, Flow, Paragraph, Table
from rarefy.tasks.corpus.read.marks import plain

Line = list[Paragraph]  # from left to right
STEP = 3.0  # points that count as one column: a third of a letter's usual height
LETTER = 0.5  # of its height, the usual width of a letter


def gather(flow: Flow) -> Flow:
    """The flow with its placed pieces joined to lines, lines to paragraphs, and lines of figures to tables."""
    out: Flow = []
    placed: list[Paragraph] = []
    for part in flow:
        if isinstance(part, Paragraph) and part.place:
            placed.append(part)
            continue
        out += _paged(placed)
        placed = []
        out.append(part)
    return out + _paged(placed)


def _paged(pieces: list[Paragraph]) -> Flow:
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
        line = _words(line)
        if len(line) > 1 or (figures and is_value(plain(line[0].text))):
            figures.append(line)
        elif figures and _top(line[0]) - _top(figures[-1][0]) < line[0].size * 2 and _followed(line, lines):
            figures.append(line)  # the title of a group of rows
        else:
            out += _table(figures)
            figures = []
            before = out[-1] if out else None
            near = 0 < _top(line[0]) - above < line[0].size * 1.5
            if near and isinstance(before, Paragraph) and before.place and before.bold == line[0].bold:
                before.text = f"{before.text} {line[0].text}"
            else:
                out.append(line[0])
        above = _top(line[0])
    return out + _table(figures)


def _followed(line: Line, lines: list[Line]) -> bool:
    below = [other for other in lines if 0 < _top(other[0]) - _top(line[0]) < line[0].size * 2]
    return any(len(other) > 1 for other in below)


def _top(piece: Paragraph) -> float:
    return piece.place[0] if piece.place else 0.0


def _left(piece: Paragraph) -> float:
    return piece.place[1] if piece.place else 0.0


def _width(piece: Paragraph) -> float:
    return len(plain(piece.text)) * piece.size * LETTER


def _words(line: Line) -> Line:
    """The line with pieces joined that stand a blank apart: a change of font, not of column."""
    out: Line = []
    for piece in line:
        if out and _left(piece) - _left(out[-1]) - _width(out[-1]) < piece.size:
            out[-1] = replace(out[-1], text=f"{out[-1].text} {piece.text}", bold=out[-1].bold and piece.bold)
        else:
            out.append(piece)
    return out


def _table(lines: list[Line]) -> Flow:
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
