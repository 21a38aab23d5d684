"""What stands in a document for its pages' sake: page numbers, running headers and footers, tables of contents."""

import re
from collections import Counter

from rarefy.tasks.corpus.read.flow import Flow, PageBreak, Paragraph, Table
from rarefy.tasks.corpus.read.layout import text_of
from rarefy.tasks.corpus.read.marks import plain

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


def strip(flow: Flow) -> tuple[Flow, dict[str, int]]:
    """The flow without what belongs to the page, and how many characters of each kind were dropped."""
    dropped: Counter[str] = Counter()
    running = _running(flow)
    edges = _edges(flow)
    numbers = _sequence(flow)
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
            elif position in edges and (key := _key(text)) in running:
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
        texts = [plain(text_of(cell)) for cell in row]
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


def contents_lines(flow: Flow) -> set[int]:
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


def _key(text: str) -> str:
    """What is the same of a line on every page; "" for what is said often without being a page's."""
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


def _running(flow: Flow) -> set[str]:
    """What is repeated at the edges of at least three pages, numbers aside, and hardly ever within them."""
    everywhere: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    edges = _edges(flow)
    for position, part in enumerate(flow):
        if isinstance(part, Paragraph) and len(part.text) < 150:
            text = plain(part.text)
            everywhere[_key(text)] += 1
            if position in edges:
                texts[_key(text)] += 1
                exact[text] += 1
    running = {
        key
        for key, count in texts.items()
        if key not in ("", ITEMS) and count >= 3 and count * 10 >= everywhere[key] * 7
    }
    # "Item 1A" alone on each page of the item: so is then "Items 1A, 1B" on the page where two of them meet
    if any(count >= 3 and _key(text) == ITEMS for text, count in exact.items()):
        running.add(ITEMS)
    return running


_PAGE_NUMBER = re.compile(r"\d{1,9}")


def _sequence(flow: Flow) -> set[int]:
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
