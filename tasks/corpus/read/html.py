"""Read SEC filings in HTML, of any year, as headings, paragraphs, Markdown tables and tagged values (R3)."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from lxml import etree

from rarefy.data_contracts.rows import Block, Document, Link
from rarefy.tasks.corpus.read import cover, xbrl
from rarefy.tasks.corpus.read.cells import BULLET, ENUMERATOR, is_units
from rarefy.tasks.corpus.read.html_flow import Flow, PageBreak, Paragraph, Reader, Table, plain, resolve_marks
from rarefy.tasks.corpus.read.html_layout import (
    cell_text,
    drop_furniture,
    find_contents_lines,
    is_contents,
    join_positioned,
    unwrap_layout_tables,
)
from rarefy.tasks.corpus.read.html_tables import Grid, build_grids, render_grid
from rarefy.tasks.corpus.read.metadata import date_facts
from rarefy.tasks.corpus.read.unreadable import Unreadable
from rarefy.tasks.text.names import FORM

# Headings and their levels

TOP = 2  # parts and items
LOWEST = 6
_PART = re.compile(r"^part\s+(?:i{1,3}|iv|[1-4])\b[\s.,:—–-]*(?:$|[A-Z(])", re.I)
_ITEM = re.compile(
    r"^items?\s*\d{1,2}\s*\(?[a-c]?\)?\s*(?:(?:and|&|,)\s*\d{1,2}[a-c]?\s*)*(?:[.:—–-]|$|\s+[A-Z“])", re.I
)
_NOTE = re.compile(r"^(?:note\s+\d{1,2}[a-z]?\b|\(?\d{1,2}\)?[.)]\s+\S|note\s+[A-Z]\b)", re.I)
_CLAUSE = re.compile(r"[.!?;,:]$")
_NOT_HEADING = re.compile(
    r"^(?:[(\[*]|\W*$|see\b|/s/|by:|\$?[\d,.()%\s—–-]+$|page\s+\d|yes\b|no\b|or$|table of contents)|"
    r"\bcontinued\)?$",
    re.I,
)
_ENDS_RUN = re.compile(r"^(?:signatures?|exhibit index|power of attorney)$", re.I)

Strength = tuple[float, ...]


class Outline:
    """The headings above the current paragraph: computes heading levels and section paths."""

    def __init__(self) -> None:
        self._top: str = ""
        self._note: str = ""
        self._below: list[tuple[Strength, str]] = []

    def level(self, paragraph: Paragraph) -> int:
        """2 for a part or item, 3 to 6 for what stands below one, 0 for text; a heading is kept as the present one."""
        text = plain(paragraph.text)
        if is_item(paragraph) or (paragraph.bold and _ENDS_RUN.match(text)):
            self._top, self._note, self._below = text, "", []
            return TOP
        if not stands_out(paragraph):
            return 0
        if _NOTE.match(text) and (paragraph.bold or text.lower().startswith("note")) and len(text) < 160:
            self._note, self._below = text, []
            return TOP + 1
        strength = _strength(paragraph)
        while self._below and self._below[-1][0] <= strength:
            self._below.pop()
        if _leaves_notes(text):
            self._note, self._below = "", []
        self._below.append((strength, text))
        return min(TOP + bool(self._note) + len(self._below), LOWEST)

    @property
    def path(self) -> str:
        """The titles above, from the item down."""
        return " > ".join(title for title in (self._top, self._note, *(text for _, text in self._below)) if title)


def _leaves_notes(text: str) -> bool:
    return bool(re.match(r"report of (?:independent|management)|management['’]s report|schedule [ivx]+", text, re.I))


def is_item(paragraph: Paragraph) -> bool:
    """Whether a paragraph is the title of a part or item, not a sentence that begins with the name of one."""
    text = plain(paragraph.text)
    if len(text) > 200:
        return False
    if _PART.match(text) and len(text) < 60:
        return True
    if not _ITEM.match(text):
        return False
    if paragraph.bold or paragraph.heading or paragraph.underlined or text.isupper():
        return True
    return len(text) < 90 and not re.search(r"[a-z]{3,}.*[a-z]\.$|\b(?:of|in|to) (?:this|our|the) ", text)


def stands_out(paragraph: Paragraph) -> bool:
    """Whether a paragraph is set apart by its type, short, and no sentence."""
    text = plain(paragraph.text)
    if paragraph.heading and len(text) < 200:
        return True
    if not 2 < len(text) < 180 or paragraph.listed or _NOT_HEADING.search(text) or not re.search(r"[A-Za-z]{2}", text):
        return False
    if paragraph.row and re.search(r"\d{4}.*\d{4}", text):
        return False
    ends = bool(_CLAUSE.search(text)) and not re.search(rf"\b(?:{FORM}|U\.S\.)(?<=\.)$", text)
    if paragraph.bold:
        return not text.endswith((";", ",")) and (not ends or len(text.split()) <= 14)
    if paragraph.italic or paragraph.underlined:
        return not ends and len(text) < 110 and bool(re.match(r"[A-Z“\"(\d]|[a-z][A-Z]", text))
    letters = [c for c in text if c.isalpha()]
    return text.isupper() and len(letters) > 8 and not ends and (paragraph.centred or len(text) < 90)


def _strength(paragraph: Paragraph) -> Strength:
    text = plain(paragraph.text)
    return (
        float(paragraph.heading and 10 - paragraph.heading),
        round(paragraph.size),
        float(text.isupper()),
        float(paragraph.bold),
        float(paragraph.centred),
        float(paragraph.underlined and not paragraph.italic),
        float(not paragraph.italic),
    )


# comments go, or lxml would hang the text after one on a node that is no element
_PARSING = {"no_network": True, "remove_comments": True, "remove_pis": True}
# A type declaration may define entities, which grow without bound; those that browsers know need no definition
_DECLARED = re.compile(r"<!(?:DOCTYPE|ENTITY)\b", re.I)
_DEFINITIONS = re.compile(
    r"""<!DOCTYPE\b[^>\[]*+\[(?:<!--(?:(?!-->).)*+-->|"[^"]*+"|'[^']*+'|[^\]"'])*+\]\s*+>""", re.I | re.S
)
_ELEMENT = re.compile(r"<\s*(?:html|body|div|table|p|font|!doctype|document|td|span|pre|head|meta|title|br)\b", re.I)
# The parser compares every attribute of an element with all others: with thousands of them it goes without
_LONG_TAG = re.compile(r"<([A-Za-z][\w:-]*)(\s[^<>]{20000,})")
_QUOTED = re.compile(r""""[^"]*+"|'[^']*+'""")
MOST_ATTRIBUTES = 1_000
LONGEST_TITLE = 200  # characters: a longer one is a sentence
LONGEST_COVER = 150  # paragraphs and tables
_BULLET = re.compile(r"^([\U000f0000-\U0010ffff]*)[•●▪■◆◦○‣∙·➢►▶✓§](?=\s|\S)\s*")
_LIST = re.compile(r"^[-–—*o]\s+(?=\S)")
_GLUED_MARK = re.compile(r"^((?:\((?:\w{1,2}|[ivx]+)\)|\*{1,3}|[†‡]|\d{1,2}\.(?=[A-Z]))+)(?=[A-Za-z$“][A-Za-z\d])")
_GLUED_TITLE = re.compile(r"^((?:item|note)\s+\d{1,2}[a-c]?[.:])(?=[A-Z“])", re.I)
_OPEN_END = re.compile(r"[\w,—–\-\)”\"’$]$")


def read_html(text: str, source: str) -> Document:
    """The document that an HTML filing holds. Raises Unreadable where the text is no HTML or shows nothing."""
    root = _parse_html(text)
    reader = Reader()
    reader.read(root)
    flow, dropped, cover_end = _clean_flow(reader.flow)
    pieces = _build_pieces(flow, cover_end)
    if not pieces:
        raise Unreadable("no_text", "the page shows no text; is it a viewer or a frame around the filing?")
    text_, blocks, spans = _compose(pieces)
    facts, undated = date_facts(xbrl.facts(reader.values, spans, text_, root))
    about = cover.describe_filing(text_, blocks, facts, text[:20_000])
    return Document(
        doc_id=about.name or source,
        content_hash="",
        source=source,
        title=about.title or _page_title(root) or source,
        media_type="text/html",
        text=text_,
        blocks=blocks,
        facts=facts,
        links=tuple(_find_links(reader.links, spans, blocks)),
        entity=about.entity,
        domain="finance" if about.form else "default",
        form=about.form,
        fiscal_year=about.fiscal_year,
        period_start=about.period_start,
        period_end=about.period_end,
        as_of=about.as_of,
        dropped=dropped,
        metadata=about.metadata
        | ({"truncated": "yes"} if _is_cut(text) else {})
        | ({"fact_dates_unread": str(undated)} if undated else {}),
    )


def _page_title(root: etree._Element) -> str:
    """What a page is called: its one heading of the first level, else its title; "" where that may be a file's name."""
    tops = [text for h1 in root.iter("h1") if (text := _line_of(h1))]
    head = root.find(".//head/title")
    title = _line_of(head) if head is not None else ""
    name = tops[0] if len(tops) == 1 else title if " " in title else ""
    return name if len(name) <= LONGEST_TITLE else ""


def _line_of(element: etree._Element) -> str:
    """What an element says, in one line: a break between its lines is a blank."""
    said = element.xpath(".//text() | .//br")
    return " ".join("".join(part if isinstance(part, str) else " " for part in said).split())


def _find_links(
    targets: Mapping[int, str], spans: Mapping[int, tuple[int, int]], blocks: Sequence[Block]
) -> Iterator[Link]:
    """The links that are shown in the paragraphs of the text."""
    starts = [block.start for block in blocks]
    last = 0
    for start, end, number in sorted((*spans[number], number) for number in targets if number in spans):
        block = blocks[bisect_right(starts, start) - 1]
        if block.kind == "text" and end <= block.end and start >= last:
            yield Link(start, end, targets[number])
            last = end


def _parse_html(text: str) -> etree._Element:
    head = text[:200_000]
    if not _ELEMENT.search(head):
        raise Unreadable("not_html", "no HTML element stands in its first 200,000 characters; rename it to what it is")
    filing = re.search(r"<TYPE>.*?<TEXT>(.*?)(?:</TEXT>|\Z)", text, re.S) if "<TYPE>" in head else None
    raw = (filing.group(1) if filing else text).lstrip("\ufeff \n\r\t")
    raw = re.sub(r"^<XBRL>\s*", "", raw)
    raw = re.sub(r"^<\?xml[^>]*\?>", "", raw).replace("\x00", "")
    raw = _LONG_TAG.sub(_plain_tag, raw)
    declared = bool(_DECLARED.search(raw))
    raw = (_DEFINITIONS.sub("", raw) if declared else raw).encode("utf-8", "replace")
    if "http://www.w3.org/1999/xhtml" in head[:5000] and not declared:
        with suppress(etree.XMLSyntaxError):  # cut, edited by hand or too deep: read it as browsers do
            return etree.fromstring(raw, etree.XMLParser(resolve_entities=False, **_PARSING))
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, **_PARSING)
    try:
        root = etree.fromstring(raw, parser)
    except etree.ParserError as error:
        raise Unreadable("not_html", f"it holds no element ({error}); is the file what its name says?") from error
    if root is not None and _is_cut_off(parser):
        # elements never closed, as some word processors left them, too deep for the parser: go without the looks
        flat = re.sub(rb"</?(?:font|span|b|i|u|center)\b[^>]*>", b"", raw)
        flat = re.sub(rb"<div\b[^>]*>|</div>", b"<br>", flat)
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, **_PARSING)
        root = etree.fromstring(flat, parser)
        if _is_cut_off(parser):
            raise Unreadable("too_deep", "its elements are nested deeper than a browser would; mend it or remove it")
    if root is None:
        raise Unreadable("not_html", "it holds no element; is the file what its name says?")
    return root


def _plain_tag(found: re.Match[str]) -> str:
    """A tag without its attributes where these are absurdly many; one long value (an image) is none of these."""
    many = len(_QUOTED.sub("", found.group(2)).split()) > MOST_ATTRIBUTES
    return f"<{found.group(1)} " if many else found.group()


def _is_cut_off(parser: etree.HTMLParser) -> bool:
    """Whether the parser gave up at a depth, and left out what stands there."""
    return any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log)


def _is_cut(text: str) -> bool:
    """Whether the source opens a page that it does not close: a download that stopped."""
    opened = re.search(r"<(?:html|body|document)\b", text[:200_000], re.I)
    return bool(opened) and not re.search(r"</(?:html|body|text|document|xbrl)\s*>", text[-3000:], re.I)


def _clean_flow(flow: Flow) -> tuple[list[Paragraph | Grid | PageBreak], dict[str, int], int]:
    """The flow without page furniture, its tables as grids and its cut paragraphs whole; and where its cover ends."""
    kept: Flow = []
    listed = 0
    for part in flow:
        if isinstance(part, Table) and is_contents(part):
            listed += sum(len(plain(cell_text(cell))) for row in part.rows for cell in row)
        else:
            kept.append(part)
    kept = unwrap_layout_tables(join_positioned(kept))
    lines = find_contents_lines(kept)
    listed += sum(len(plain(part.text)) for n, part in enumerate(kept) if n in lines and isinstance(part, Paragraph))
    kept, dropped = drop_furniture([part for n, part in enumerate(kept) if n not in lines])
    if listed:
        dropped["table_of_contents"] = dropped.get("table_of_contents", 0) + listed
    out: list[Paragraph | Grid | PageBreak] = []
    cut = False
    cover_end = -1
    for part in kept:
        if cover_end < 0 and out and (isinstance(part, PageBreak) or (isinstance(part, Paragraph) and is_item(part))):
            cover_end = len(out) if len(out) < LONGEST_COVER and _is_cover(out) else 0
        if isinstance(part, PageBreak):
            cut = True
            continue
        if isinstance(part, Table):
            for grid in build_grids(part):
                _inherit(out, grid)
                line = " ".join([*grid.titles, *grid.header, *grid.notes]).strip()
                out.append(
                    grid if grid.rows else Paragraph(line, row=True)
                )  # one row is no table: "By: | /s/ Jane Doe"
        elif out and isinstance(before := out[-1], Paragraph) and _continues(before, part, cut):
            before.text = f"{before.text} {part.text}"
        else:
            out.append(part)
        cut = False
    return out, dropped, cover_end


def _is_cover(flow: list[Paragraph | Grid | PageBreak]) -> bool:
    words = " ".join(plain(part.text) for part in flow if isinstance(part, Paragraph))
    return bool(re.search(r"securities and exchange commission|commission file", words, re.I))


def _inherit(before: list[Paragraph | Grid | PageBreak], grid: Grid) -> None:
    """Give a table without names of columns those of the table that it goes on from: just before, and as wide."""
    if any(map(plain, grid.header)) or len(grid.header) < 3:
        return
    for part in reversed(before[-2:]):
        if isinstance(part, Grid):
            if len(part.header) == len(grid.header) and all(part.header[1:]):
                grid.header = list(map(plain, part.header))
            return
        if not isinstance(part, Paragraph) or len(plain(part.text)) > 100:
            return


def _continues(before: Paragraph, after: Paragraph, cut: bool) -> bool:
    """Whether the second paragraph is the rest of a sentence that a page's end (`cut`) or a stray division broke."""
    first, rest = plain(before.text), plain(after.text)
    if stands_out(before) or stands_out(after) or is_item(after) or not _OPEN_END.search(first):
        return False
    if after.listed or _BULLET.match(rest) or ENUMERATOR.match(rest.split(" ", 1)[0]):
        return False
    if not cut:
        return len(first) > 60 and len(rest) > 20 and not before.listed and rest[0].islower() and first[-1].islower()
    # a name may begin the rest too, but only where the first part is long and stops in mid-sentence
    return rest[0].islower() or (len(first) > 80 and len(rest) > 20 and not re.search(r"[)”\"\d]$", first))


def _build_pieces(flow: list[Paragraph | Grid | PageBreak], cover_end: int) -> list[tuple[str, str, str]]:
    """(kind, marked text, section) of each block."""
    out: list[tuple[str, str, str]] = []
    outline = Outline()
    flow = flow[:cover_end] + _join_titles(flow[cover_end:]) if cover_end > 0 else _join_titles(flow)
    for position, part in enumerate(flow):
        following = flow[position + 1] if position + 1 < len(flow) else None
        if isinstance(part, Grid):
            out += [("caption", title, outline.path) for title in part.titles]
            if part.rows or any(part.header):
                out.append(("table", render_grid(part), outline.path))
            out += [("footnote", note, outline.path) for note in part.notes]
        elif isinstance(part, Paragraph):
            part.text = _GLUED_TITLE.sub(r"\1 ", _GLUED_MARK.sub(r"\1 ", part.text))
            text = plain(part.text)
            noted = bool(out) and out[-1][0] in ("table", "footnote")
            if isinstance(following, Grid) and is_units(text) and len(text) < 160:
                out.append(("caption", part.text, outline.path))
            elif noted and _is_footnote(text) and not stands_out(part):
                out.append(("footnote", part.text, outline.path))
            elif position >= cover_end and (level := outline.level(part)):
                out.append(("heading", "#" * level + " " + part.text, outline.path))
            elif part.listed or _BULLET.match(text):
                out.append(("text", "- " + _LIST.sub("", _BULLET.sub(r"\1", part.text)), outline.path))
            else:
                out.append(("text", part.text, outline.path))
    return out


def _is_footnote(text: str) -> bool:
    mark = text.split(" ", 1)[0]
    marked = (ENUMERATOR.match(mark) and not BULLET.match(mark)) or mark.startswith("*")
    return len(text) > len(mark) + 3 and bool(marked)


def _join_titles(flow: list[Paragraph | Grid | PageBreak]) -> list[Paragraph | Grid | PageBreak]:
    """The flow with "Item 7." and the title in the next paragraph made one, and a bullet with its text."""
    out: list[Paragraph | Grid | PageBreak] = []
    for part in flow:
        before = out[-1] if out else None
        if isinstance(part, Paragraph) and isinstance(before, Paragraph):
            first, text = plain(before.text), plain(part.text)
            numbered = re.fullmatch(r"(items?|note)\s+\d{1,2}[a-c]?\s*[.:—–-]?", first, re.I)
            if numbered and len(text) < 150 and (numbered[1][0] in "iI" or stands_out(part)):
                out[-1] = replace(part, text=f"{before.text} {part.text}", bold=True)
                continue
            if BULLET.match(first) and text:
                out[-1] = replace(part, listed=True)
                continue
        out.append(part)
    return out


def _compose(pieces: list[tuple[str, str, str]]) -> tuple[str, tuple[Block, ...], dict[int, tuple[int, int]]]:
    """The document's text, its blocks, and the spans of the marked values."""
    joined = "\n\n".join(text for _, text, _ in pieces)
    text, spans = resolve_marks(joined)
    blocks = []
    start = 0
    for kind, marked, section in pieces:
        end = start + len(plain(marked))
        blocks.append(Block(kind, start, end, section))
        start = end + 2
    return text, tuple(blocks), spans
