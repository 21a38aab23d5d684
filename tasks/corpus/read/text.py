"""Read plain text and Markdown as documents."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from statistics import median
from textwrap import dedent
from typing import Any

from rarefy.data_contracts.rows import Document, Link
from rarefy.tasks.corpus.read.compose import (
    LONG,
    Piece,
    clean_characters,
    leads_elsewhere,
    mark_captions,
    recover_paragraphs,
    render_table,
)
from rarefy.tasks.corpus.read.heads import build_grids_of_texts
from rarefy.tasks.corpus.read.html_flow import LIMIT, close_mark, open_mark, resolve_marks
from rarefy.tasks.corpus.read.html_tables import render_grid
from rarefy.tasks.corpus.read.lines import Line, Word, find_aligned_table
from rarefy.tasks.corpus.read.metadata import DATES, build_document, fill_fields, find_long_dates
from rarefy.tasks.corpus.read.unreadable import Unreadable
from rarefy.tasks.text.markdown import CELL_BAR

FURNITURE = {
    "page_numbers": re.compile(r"(?:page )?[-–—\s]{0,20}\d{1,4}[-–—\s]{0,20}(?:of \d{1,4})?", re.I),
    "rules": re.compile(r"[-=_*~·.\s─-╿]{3,}"),
    "markup": re.compile(r"(?:\s{0,9}</?[A-Z]{1,12}\d?>)+", re.I),  # EDGAR's, in filings that are plain text
}
UNDERLINED = re.compile(r"^([ \t]*\S.{0,98})\n[ \t]*(([=~-])\3{2,})[ \t]*$", re.M)
BULLET = re.compile(r"(?:[•·▪◦●■*‣–—-]|\(?[a-z0-9]{1,3}[.)])\s+(?=\S)")
FIELD_LINE = re.compile(r":(?:\s{2}|\t)")  # "CITY:      CHICAGO"
NAVIGATION = re.compile(r"\s?(?:Return to text|Back to top|Return to top)\b")


def read_text(text: str, source: str) -> Document:
    """The document that a plain text is."""
    dropped: Counter[str] = Counter()
    text = clean_characters(text, dropped)
    unlinked = NAVIGATION.sub("", text)
    dropped["navigation"] += len(text) - len(unlinked)
    pieces = list(mark_captions(list(_pieces(unlinked, dropped))))
    title = PurePosixPath(source).stem
    if pieces and pieces[0].kind == "heading":
        title = pieces[0].text
        day = next((p.text for p in pieces[1:2] if len(p.text) < 40 and find_long_dates(p.text)), "")
        title = f"{title}, {day}" if day else title
    return build_document(source, title, "text/plain", pieces, dropped)


def _pieces(text: str, dropped: Counter[str]) -> Iterator[Piece]:
    first = True
    for stretch, rows in split_tables(text):
        if rows:
            yield Piece("table", render_table(rows))
            first = False
            continue
        for paragraph in _paragraphs(stretch):
            furniture = next((kind for kind, sign in FURNITURE.items() if sign.fullmatch(paragraph)), "")
            if furniture:
                dropped[furniture] += len(paragraph)
                continue
            if len(paragraph) > LONG:
                for kind, words in recover_paragraphs(paragraph):
                    yield Piece(kind, words, 1 if first else 2)
                    first = False
            elif is_title(paragraph):
                yield Piece("heading", paragraph, 1 if first else 2)
            else:
                yield Piece("text", paragraph)
            first = False


def _paragraphs(text: str) -> Iterator[str]:
    """Stretches between blank lines; where there are none, lines, indented stretches, or the whole.

    A line that is underlined is a stretch of its own, and so is what underlines it.
    """
    for stretch in re.split(r"\n\s*\n", UNDERLINED.sub(_part_underlined, text)):
        lines = [line.rstrip() for line in stretch.split("\n") if line.strip()]
        if len(lines) < 2:
            yield from (line.strip() for line in lines)
        elif _is_wrapped(lines):
            yield from _unwrap_lines(lines)
        else:
            yield from (line.strip() for line in lines)


def _part_underlined(found: re.Match[str]) -> str:
    """A line and the rule below it with blank lines around; as they are where they differ in length."""
    alike = abs(len(found[1].strip()) - len(found[2])) <= 3
    return f"\n{found[1]}\n\n{found[2]}\n" if alike else found[0]


def _is_wrapped(lines: list[str]) -> bool:
    """Whether line ends mean nothing: most lines about equally long, and broken amid a sentence."""
    ends = sum(line.rstrip().endswith((".", "!", "?", ":", ";")) for line in lines[:-1])
    return bool(median([len(line) for line in lines]) <= 120 and ends < 0.5 * (len(lines) - 1))


def _unwrap_lines(lines: list[str]) -> Iterator[str]:
    """Lines joined to paragraphs, a new one at each indented line or list item; words cut at line ends stay cut."""
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    gathered: list[str] = []
    for line in lines:
        indented = len(line) - len(line.lstrip()) > margin + 1
        if gathered and (indented or BULLET.match(line.lstrip())):
            yield " ".join(gathered)
            gathered = []
        gathered.append(line.strip())
    yield " ".join(gathered)


def is_title(paragraph: str) -> bool:
    """Whether a line reads as a heading: short, no full stop, most of its longer words capital."""
    if len(paragraph) > 100 or "\n" in paragraph or paragraph[-1] in ".,;:?!" or not paragraph[0].isupper():
        return False
    if FIELD_LINE.search(paragraph):
        return False
    words: list[str] = [word for word in re.findall(r"[^\W\d_][\w’'-]*", paragraph) if len(word) > 3]
    if not words or find_long_dates(paragraph):
        return False
    return sum(word[0].isupper() for word in words) >= 0.7 * len(words)


# Tables of typewritten text

FIGURE_ROW = re.compile(r"\S\s{2,}[$(]?\s?\d[\d,.]*\)?\s?%?(?:\s|$)")
RULER = re.compile(r"[\s\-=_.|+─-╿]+")
TAG = re.compile(r"\s*</?(?:TABLE|CAPTION|S|C|PAGE|FN|F\d+)>", re.I)  # EDGAR's marks around tables in text filings
WIDTH, HEIGHT, SIZE = 6.0, 12.0, 10.0  # of a letter and a line: one blank parts words, two part cells
ABOVE, BETWEEN = 8, 3  # lines: a header is no longer, and figures stand no further apart


def split_tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """("text", []) stretches and ("", rows) tables of a text, in order."""
    if not FIGURE_ROW.search(text):
        yield text, []
        return
    lines = [TAG.sub("", line).expandtabs() for line in text.split("\n")]
    position = 0
    for first, last in _table_regions(lines):
        first = max(first, position)
        numbers = [n for n in range(first, last) if lines[n].strip() and not RULER.fullmatch(lines[n])]
        found = (
            find_aligned_table([_positioned_line(lines[n], rank) for rank, n in enumerate(numbers)])
            if numbers
            else None
        )
        if found:
            start, end, rows = found
            yield "\n".join(lines[position : numbers[start]]), []
            yield "", rows
            position = numbers[end - 1] + 1
    yield "\n".join(lines[position:]), []


def _table_regions(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where rows of figures follow each other, with the lines above that may be their header."""
    rows = [n for n, line in enumerate(lines) if FIGURE_ROW.search(line)]
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at] - rows[at - 1] > BETWEEN + 1:
            if at - start >= 3:
                yield max(rows[start] - ABOVE, 0), rows[at - 1] + 1
            start = at


def _positioned_line(line: str, rank: int) -> Line:
    """A line of text as if it stood on a page."""
    words = [
        Word(m.group(), m.start() * WIDTH, m.end() * WIDTH, rank * HEIGHT, rank * HEIGHT + SIZE, SIZE, False)
        for m in re.finditer(r"\S+", line)
    ]
    return Line(tuple(words), 1)


# Markdown

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
FIELD = re.compile(r"^([A-Za-z_][\w -]*):[ \t]*(.*)$", re.M)
FRONT = 50_000  # characters: what is longer is no front matter
NESTED = 500  # brackets in it: the parser's time grows with the square of what stands in each other
# What tools that export pages from Notion and Confluence call their dates; the first that is there counts
PAGE_DATES = (
    *DATES, "updated", "lastmod", "last_modified", "modified", "updated_at", "last_updated", "last_edited_time",
    "created", "created_time", "created_at", "created_date",
)  # fmt: skip
# Notion writes a page's properties under its title, and the page's number after the name of its file
PAGE_ID = re.compile(r"[ _-]?[0-9a-f]{32}\Z")
PROPERTY = re.compile(r"([^\W_][^:\n]{0,40}|#):(?:[ \t]+(.*))?")
NOTION = {"created time", "last edited time", "created by", "last edited by", "verification"}
ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")
FENCE = re.compile(r"\s*(```|~~~)")
OPEN_TABLE, CLOSE_TABLE = re.compile(r"<table\b", re.I), re.compile(r"</table\s*>", re.I)
OPEN_COMMENT, CLOSE_COMMENT = re.compile(r"<!--"), re.compile(r"-->")
# Regulations set their subparts and sections as plain lines.
SUBPART = re.compile(r"(?:Subpart|Subchapter|Chapter|Appendix)s? [A-Z0-9]+\b.{0,200}")
SECTION = re.compile(r"§§? ?\d+[a-z]?\.\d+\S*\s.{0,240}")
DOUBLED = re.compile(r"^\*\*(\w+):\*\* \1:")
MARK = r"[!-/:-@\[-`{-~]"  # any of ASCII, as CommonMark has it
ESCAPED = re.compile(rf"\\({MARK})")
SHELTER = 0xE000  # private characters stand in for escaped ones, and those of code, while marks are taken away
SPECIAL = re.compile(r"[*_`<\[\\&{]")
# What pandoc writes of an element's classes, and divisions of a page: exports from Confluence are full of them
ATTRIBUTES = r"""\{(?:[.#][\w:-]|[\w:-]{1,50}=")[^{}]{0,1000}\}"""
# a span of code, as CommonMark has it
CODE = re.compile(rf"(?<![`\\])(`+)(?!`)([^\n]{{1,1000}}?)(?<!`)\1(?!`)(?:{ATTRIBUTES})?")
DIVISION = re.compile(rf"\s*:{{3,}}[ \t]*(?:{ATTRIBUTES}|[\w-]+)?[ \t]*(.*)")
CONTENTS = re.compile(r"\s*(?:\[\[?_?TOC_?\]?\]|\$?\{:?toc(?::[^{}]*)?\})\s*", re.I)
GRID = re.compile(r"\s*\+(?:[-=:]{2,}\+)+\s*")
TAGS = (
    "a|abbr|aside|b|big|blockquote|cite|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|img|ins|kbd|li|"
    "mark|ol|p|picture|pre|s|samp|section|small|source|span|strong|sub|summary|sup|u|ul|var|(?:ac|ri):[a-z-]+"
)
BREAKS = "br|hr|li|p|div|h[1-6]|dd|dt|summary|ul|ol"  # between their words is a space
SPAN = re.compile(rf"\[([^\[\]]{{0,1000}})\]{ATTRIBUTES}"), r"\1"
INLINE = (  # bounded, and without their own mark inside: an opening mark that is never closed must cost nothing
    SPAN,
    (re.compile(rf"(?<=[)`]){ATTRIBUTES}|[ \t]{ATTRIBUTES}\s*\Z"), ""),
    # a picture that is called by its file, or not at all
    (
        re.compile(
            r"!\[(?:(?:Untitled|image)(?: \d+)?|[^\[\]]{0,200}\.(?:png|jpe?g|gif|svg|webp))\]\([^()\s]{0,2000}\)", re.I
        ),
        "",
    ),
    (re.compile(r"!?\[\[(?:[^\[\]|]{1,300}\|)?([^\[\]|]{1,300})\]\](?:\([^()\s]{0,2000}\))?"), r"\1"),
    (re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION|INFO)\]"), r"\1:"),
    (re.compile(r"!\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)"), r"\1"),
    (re.compile(r"\[([^\[\]]{1,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)"), r"\1"),
    (re.compile(r"(?<![\w\]])\[([^\[\]]{1,500})\]\[\]"), r"\1"),  # a link whose words are its label, too
    SPAN,  # again: they stand in each other, and around pictures and links
    SPAN,
    (re.compile(rf"(?<=[)`]){ATTRIBUTES}"), ""),
    (re.compile(r"(\*\*|__)(?=[^\s*_])([^*_]{1,1000})(?<=\S)\1"), r"\2"),
    (re.compile(r"\*\*(?=[^\s*])([^*]{1,1000})(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,1000})(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]{1,1000})(?<=[^\s_])_(?!\w)"), r"\1"),
    (re.compile(r"<ac:parameter ac:name=\"(?!title)[^\"<>]{0,50}\">[^<>]{0,300}</ac:parameter>", re.I), ""),
    (re.compile(rf"\s{{0,9}}</?(?:{BREAKS})\b[^>]{{0,500}}>\s{{0,9}}", re.I), " "),
    (re.compile(rf"</?(?:{TAGS})\b[^>]{{0,500}}>", re.I), ""),
)

# "[Anchor](target)", "[anchor][label]", "[label]", and targets that a site's generator fills in: "({% page "/x/" %})",
# "({{< ref "x.md" >}})".
LINK = re.compile(
    r"(?<!!)\[(?P<anchor>[^\[\]]{1,500})\](?:"
    r"\(<?(?P<target>[^()\s<>]{1,2000})>?(?:\s+\"[^\"]{0,500}\")?\)"
    r"|\(\{[{%]<? *(?:page|link|ref|relref) \"?(?P<made>[^\"\s{}()]{1,2000})\"? *>?[%}]\}\)"
    r"|\[(?P<label>[^\[\]]{0,500})\]|(?![(:\[]))"
)
DEFINITION = re.compile(r"^ {0,3}\[([^\[\]\n]{1,500})\]:[ \t]*<?([^\s<>]{1,2000})", re.M)


def read_markdown(text: str, source: str) -> Document:
    """The document that a Markdown text is; its front matter becomes metadata."""
    dropped: Counter[str] = Counter()
    text = clean_characters(text, dropped)
    about, text = split_front_matter(text)
    properties, text = _split_properties(text, source)
    about = {**properties, **about}
    bare = "".join(part for part, comment in split_enclosed(text, OPEN_COMMENT, CLOSE_COMMENT) if not comment)
    dropped["comments"] += len(text) - len(bare)
    pieces = list(mark_captions(list(_markdown_pieces(bare, source))))
    heading = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    stated = about.pop("title", "")
    title = stated or heading or PAGE_ID.sub("", PurePosixPath(source).stem)
    document = build_document(source, title, "text/markdown", pieces, dropped)
    document = replace(document, title=" ".join(stated.split())) if stated else document  # of a filing, too
    return fill_fields(document, about, PAGE_DATES)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """What a text's front matter says, by names in small letters with underscores, and the text without it."""
    front = FRONT_MATTER.match(text)
    if not front or len(front[1]) > FRONT:
        return {}, text
    fields = _parse_yaml(front[1])
    if fields is None:
        return {}, text
    named = {str(key).strip().lower().replace(" ", "_").replace("-", "_"): value for key, value in fields.items()}
    return {key: said for key, value in named.items() if (said := _say(value))}, text[front.end() :]


def _parse_yaml(text: str) -> dict[Any, Any] | None:
    """The fields of front matter as they are written, none of them taken for a number or date; None for other things.

    Where it is no YAML ("title: A: B") its lines are read one by one. So is what has aliases, which may stand for more
    than memory holds, or brackets without number.
    """
    import yaml

    plain = text.count("[") + text.count("{") <= NESTED
    try:
        if plain and not any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.BaseLoader)):
            fields = yaml.load(text, yaml.BaseLoader)  # makes texts, lists and mappings of them, nothing else
            return fields if isinstance(fields, dict) else None
    except (yaml.YAMLError, RecursionError, ValueError):
        pass
    return {key: value.strip().strip("\"'") for key, value in FIELD.findall(text)} or None


def _say(value: Any) -> str:
    """A value of front matter as a text: a list of words as a person would write it."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ", ".join(part.strip() for part in value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _split_properties(text: str, source: str) -> tuple[dict[str, str], str]:
    """The properties that Notion writes under a page's title ("Owner: Jane"), and the text without them."""
    lines = text.split("\n")
    number = next((n for n, line in enumerate(lines) if line.strip()), 0)
    number += lines[number].startswith("# ")
    start = next((n for n in range(number, len(lines)) if lines[n].strip()), len(lines))
    end = next((n for n in range(start, len(lines)) if not lines[n].strip()), len(lines))
    found = [PROPERTY.fullmatch(line.strip()) for line in lines[start:end]]
    fields = {match[1].strip().lower(): (match[2] or "").strip() for match in found if match}
    exported = PAGE_ID.search(PurePosixPath(source).stem) or NOTION & fields.keys()
    if not found or not all(found) or not exported:
        return {}, text
    said = {key.replace(" ", "_"): strip_inline_markup(value) for key, value in fields.items() if value}
    return said, "\n".join([*lines[:start], *lines[end:]])


def split_enclosed(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """The text in stretches, True with those from an opening to the next closing mark; one never closed is text."""
    position = 0
    for start in opening.finditer(text):
        if start.start() < position:
            continue
        end = closing.search(text, start.end())
        if not end:
            break
        yield text[position : start.start()], False
        yield text[start.start() : end.end()], True
        position = end.end()
    yield text[position:], False


def _markdown_pieces(text: str, source: str) -> Iterator[Piece]:
    labels = {_fold(label): target for label, target in DEFINITION.findall(text)}
    for part, is_table in split_enclosed(text, OPEN_TABLE, CLOSE_TABLE):
        yield from _html_table(part, source) if is_table else _block_pieces(part, labels)


def _html_table(fragment: str, source: str) -> Iterator[Piece]:
    from rarefy.tasks.corpus.read.html import read_html  # late: few Markdown files hold HTML tables

    try:
        document = read_html(f"<html><body>{fragment}</body></html>", source)
    except Unreadable as error:
        if error.reason != "no_text":
            raise
        return
    for block in document.blocks:
        yield Piece(block.kind, document.text[block.start : block.end].lstrip("# "), 6)


def _fold(label: str) -> str:
    return " ".join(label.split()).casefold()


def _block_pieces(text: str, labels: Mapping[str, str]) -> Iterator[Piece]:
    lines = text.split("\n")
    gathered: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        heading, after = ATX.match(line), lines[number + 1] if number + 1 < len(lines) else ""
        if (
            heading
            or not line.strip()
            or RULE.match(line)
            or FENCE.match(line)
            or DIVISION.match(line)
            or GRID.fullmatch(line)
            or ("|" in line and DELIMITER.match(after))
        ):
            yield from _paragraph(gathered, labels)
            gathered = []
        if heading:
            yield Piece("heading", strip_inline_markup(heading.group(2) or ""), len(heading.group(1)))
        elif division := DIVISION.match(line):
            yield from _paragraph([division[1]] if division[1].strip() else [], labels)
        elif GRID.fullmatch(line) and after.lstrip().startswith("|"):
            end = next((n for n in range(number, len(lines)) if lines[n].lstrip()[:1] not in ("+", "|")), len(lines))
            yield from _grid_table(lines[number:end], labels)
            number = end - 1
        elif fence := FENCE.match(line):
            end = next(
                (n for n in range(number + 1, len(lines)) if lines[n].strip().startswith(fence.group(1))), len(lines)
            )
            yield Piece("text", dedent("\n".join(lines[number + 1 : end])), verbatim=True)
            number = end
        elif "|" in line and DELIMITER.match(after) and "|" in after:
            end = next((n for n in range(number + 2, len(lines)) if "|" not in lines[n]), len(lines))
            head = _cells(line)
            yield from table_pieces([head, *(_cells(row, len(head)) for row in lines[number + 2 : end])])
            number = end - 1
        elif gathered and re.fullmatch(r" {0,3}(=+|-+)\s*", line):
            yield Piece("heading", strip_inline_markup(" ".join(gathered)), 1 if "=" in line else 2)
            gathered = []
        elif line.strip() and not RULE.match(line) and not CONTENTS.fullmatch(line):
            gathered.append(line)
        number += 1
    yield from _paragraph(gathered, labels)


def table_pieces(rows: list[list[str]]) -> Iterator[Piece]:
    """A table given as rows of cells, the rows that name its columns put into one; its titles and remarks apart."""
    for grid in build_grids_of_texts(rows):
        yield from (Piece("text", title) for title in grid.titles)
        if grid.rows:
            yield Piece("table", render_grid(grid))
        elif line := " ".join(grid.header).strip():
            yield Piece("text", line)  # one row is no table: "Video | 1:40"
        yield from (Piece("text", note) for note in grid.notes)


def _grid_table(lines: list[str], labels: Mapping[str, str]) -> Iterator[Piece]:
    """A table drawn with lines, as pandoc has it; what a single cell holds is no table."""
    from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError  # late: few files have such tables
    from docutils.statemachine import StringList

    drawn = [line.replace(":", "-") if GRID.fullmatch(line) else line for line in map(str.strip, lines)]
    try:
        _, head, body = GridTableParser().parse(StringList(drawn))
    except TableMarkupError:
        yield from _paragraph([line.strip("+-=| ") for line in lines if line.strip("+-=| ")], labels)
        return
    # a cell that spans others is None in their places, as are cells below it
    cells = [["\n".join(cell[3]) if cell else "" for cell in row] for row in [*head, *body]]
    if sum(map(len, cells)) == 1:
        yield from _block_pieces(cells[0][0], labels)
        return
    rows = [[" ".join(piece.text for piece in _block_pieces(cell, labels)) for cell in row] for row in cells]
    yield from table_pieces(rows)


def _paragraph(lines: list[str], labels: Mapping[str, str]) -> Iterator[Piece]:
    """What stands between blank lines: a section's title, a list, or a paragraph whose lines are joined."""
    if not lines:
        return
    lines = [re.sub(r"^\s*(?:>\s?)+|(?<!\\)\\$", "", line) for line in lines]
    if len(lines) == 1 and (SUBPART.fullmatch(lines[0].strip()) or SECTION.fullmatch(lines[0].strip())):
        yield Piece("heading", strip_inline_markup(lines[0]), 2 if lines[0].strip()[0] != "§" else 3)
        return
    entries: list[list[str]] = []
    for line in lines:
        marker = ITEM.match(line)
        if marker:
            mark = marker.group().strip()
            entries.append([f"{mark if mark[0].isdigit() else '-'} {line[marker.end() :].strip()}"])
        elif entries:
            entries[-1].append(line.strip())
        else:
            entries.append([line.strip()])
    written = [DOUBLED.sub(r"\1:", " ".join(entry)) for entry in entries]
    plain = [strip_inline_markup(words) for words in written]
    text = "\n".join(plain)
    if len(text) > LONG and len(entries) == 1:
        yield from (Piece(kind, words, 6) for kind, words in recover_paragraphs(text))
        return
    links: list[Link] = []
    position = 0
    for words, shown in zip(written, plain, strict=True):
        links += (Link(position + a.start, position + a.end, a.target) for a in _find_links(words, shown, labels))
        position += len(shown) + 1
    yield Piece("text", text, links=tuple(links))


def _find_links(text: str, plain: str, labels: Mapping[str, str]) -> Iterator[Link]:
    """The links of a text by offsets in `plain`, which it is without markup; none where these are not sure."""
    if "[" not in text:
        return
    targets: list[str] = []

    def mark(link: re.Match[str]) -> str:
        anchor = link["anchor"] or ""
        target = link["target"] or link["made"] or labels.get(_fold(link["label"] or anchor), "")
        if not anchor or not leads_elsewhere(target) or len(targets) == LIMIT:
            return link[0]
        targets.append(target)
        number = len(targets) - 1
        return link[0].replace(anchor, f"{open_mark(number)}{anchor}{close_mark(number)}", 1)

    marked = LINK.sub(mark, _shelter_literals(text))
    shown, spans = resolve_marks(strip_inline_markup(marked)) if targets else ("", {})
    if shown == plain:
        yield from (Link(*spans[number], target) for number, target in enumerate(targets) if number in spans)


def _shelter_literals(text: str) -> str:
    """The text with stand-ins for what is no markup: escaped marks, and those of code, which loses its own."""

    def stand_in(span: re.Match[str]) -> str:
        padded = span[2][0] == span[2][-1] == " " and span[2].strip()
        return re.sub(MARK, lambda mark: chr(SHELTER + ord(mark[0])), span[2][1:-1] if padded else span[2])

    return ESCAPED.sub(lambda escaped: chr(SHELTER + ord(escaped[1])), CODE.sub(stand_in, text))


def strip_inline_markup(text: str) -> str:
    """Words without the marks of emphasis, code, links and inline HTML."""
    if not SPECIAL.search(text):
        return text.strip()
    text = _shelter_literals(text)
    for pattern, plain in INLINE:
        text = pattern.sub(plain, text)
    text = html.unescape(text)
    return re.sub("[\ue000-\ue07f]", lambda match: chr(ord(match.group()) - SHELTER), text).strip()


def _cells(line: str, width: int = 0) -> list[str]:
    """The cells of a row; of more than `width` those that bars in code part are one, as some writers have it."""
    body = line.strip()
    body = body[1:] if body.startswith("|") else body
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    cells = CELL_BAR.split(body)
    if width and len(cells) > width:
        kept = CELL_BAR.split(CODE.sub(lambda span: CELL_BAR.sub(r"\\|", span[0]), body))
        cells = kept if len(kept) == width else cells
    return [strip_inline_markup(cell.replace("\\|", "|")) for cell in cells]
