"""Lines of a PDF put together to paragraphs, headings and list items, by their places, sizes and weights."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from rarefy.tasks.corpus.read.clean import clean
from rarefy.tasks.corpus.read.compose import Piece, table
from rarefy.tasks.corpus.read.pdf_lines import Line
from rarefy.tasks.corpus.read.pdf_tables import is_contents

BULLET = re.compile(r"[•·▪◦●■‣∙\uf0b7\uf0a7]\s*")
LABEL = re.compile(r"\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s")
CUT = re.compile(r"([^\W\d_]+)[-\u00ad\u2010]$")
RAISED = re.compile(r" ([®™©℠])(?: (?=[,.;:)]))?")  # marks set small and high look like words of their own
LARGER = 1.12  # times the size of the text: what is set so large is a heading

Rows = list[list[str]]
Item = Line | Rows


class Layout:
    """What is usual in the document: the size of its text, the space between lines, its right margins."""

    def __init__(self, lines: list[Line]) -> None:
        sizes: Counter[float] = Counter()
        self.margins: dict[tuple[int, int], float] = {}
        for line in lines:
            sizes[line.size] += len(line.text)
            place = (line.page, line.column)
            self.margins[place] = max(self.margins.get(place, 0.0), line.x1)
        self.body = sizes.most_common(1)[0][0] if sizes else 10.0
        self.larger = sorted({size for size in sizes if size > LARGER * self.body}, reverse=True)
        pairs = [(a, b) for a, b in pairwise(lines) if (a.page, a.column) == (b.page, b.column)]
        gaps = [
            b.top - a.bottom
            for a, b in pairs
            if a.size == b.size == self.body and 0 <= b.top - a.bottom < 3 * self.body
        ]
        # Most lines are followed by a line of their own paragraph: the lower third of the gaps is the space within one.
        self.leading = sorted(gaps)[len(gaps) // 3] if len(gaps) > 5 else 0.3 * self.body
        self.compounds = Counter(re.findall(r"[a-z]+-[a-z]+", " ".join(line.text for line in lines)))

    def is_short(self, line: Line) -> bool:
        """Whether a line ends well before its column's right margin."""
        margin = self.margins[line.page, line.column]
        return line.x1 < margin - 0.12 * (margin - line.x0)


def pieces_of(items: list[Item], dropped: Counter[str]) -> Iterator[Piece]:
    """Headings, paragraphs and tables; a table of contents is counted and left out."""
    layout = Layout([item for item in items if isinstance(item, Line)])
    gathered: list[Line] = []

    def flush() -> Iterator[Piece]:
        if not gathered:
            return
        text = clean(_joined([line.text for line in gathered], layout), dropped)
        level = _level(gathered, text, layout)
        text = text if level else BULLET.sub("- ", text, count=1) if BULLET.match(text) else text
        yield Piece("heading" if level else "text", text, level)
        gathered.clear()

    for item in items:
        if isinstance(item, Line):
            if gathered and _begins(item, gathered, layout):
                yield from flush()
            gathered.append(item)
            continue
        yield from flush()
        made = clean(table(item), dropped)
        if is_contents(item):
            dropped["table_of_contents"] += len(made)
        else:
            yield Piece("table", made)
    yield from flush()


def _level(lines: list[Line], text: str, layout: Layout) -> int:
    """How high a heading these lines are, 0 for a paragraph."""
    if not text or len(text) > 200 or text[-1] in ".;," or len(lines) > 3 or BULLET.match(text):
        return 0
    if not any(map(str.isalpha, text)):
        return 0
    if lines[0].size > LARGER * layout.body:
        return min(layout.larger.index(lines[0].size) + 1, 5)
    if all(line.bold for line in lines) and text[-1] != ":":
        return min(len(layout.larger) + 1, 6)
    return 0


def _begins(line: Line, gathered: list[Line], layout: Layout) -> bool:
    """Whether a line begins a new paragraph after the lines gathered so far."""
    before = gathered[-1]
    if abs(line.size - before.size) > 0.08 * before.size or BULLET.match(line.text):
        return True
    if line.bold != before.bold and (line.bold or all(other.bold for other in gathered)):
        return True
    ended = before.text.rstrip("”\")'’")[-1:] in (".", "!", "?", ":")
    if (line.page, line.column) != (before.page, before.column):
        onward = line.text[:1].islower() or before.text[-1:] in ",-"
        return ended or not (onward or (line.text[:1].isalpha() and not layout.is_short(before)))
    if line.top - before.bottom > layout.leading + 0.4 * before.size:
        return True
    if ended and (LABEL.match(line.text) or layout.is_short(before)):
        return True
    left = median(other.x0 for other in gathered[1:]) if len(gathered) > 1 else before.x0
    return ended and line.x0 - left > 0.8 * layout.body


def _joined(texts: list[str], layout: Layout) -> str:
    """Lines as one paragraph; a word divided at a line's end is whole again, unless it is a compound elsewhere."""
    text = texts[0]
    for line in texts[1:]:
        cut, onward = CUT.search(text), re.match(r"[a-zà-ÿ]+", line)
        if cut and onward:
            compound = text[-1] == "-" and f"{cut.group(1).lower()}-{onward.group()}" in layout.compounds
            text = text + line if compound else text[:-1] + line
        elif text.endswith("-") and line[:1].isdigit():
            text += line
        else:
            text = f"{text} {line}"
    return RAISED.sub(r"\1", text)
