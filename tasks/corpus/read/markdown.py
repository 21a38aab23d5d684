"""Markdown as a document: headings, lists, pipe and HTML tables, front matter."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.captions import mark_captions
from rarefy.tasks.corpus.read.clean import clean
from rarefy.tasks.corpus.read.compose import Piece, compose, table
from rarefy.tasks.corpus.read.identify import introduce
from rarefy.tasks.corpus.read.sentences import LONG, recover_paragraphs
from rarefy.tasks.corpus.read.unreadable import Unreadable

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
FIELD = re.compile(r"^([A-Za-z_][\w -]*):[ \t]*(.*)$", re.M)
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
ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!>~|-])")
SHELTER = 0xE000  # private characters stand in for escaped ones while marks are taken away
SPECIAL = re.compile(r"[*_`<\[\\&]")
INLINE = (  # bounded, and without their own mark inside: an opening mark that is never closed must cost nothing
    (re.compile(r"!\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)"), r"\1"),
    (re.compile(r"\[([^\[\]]{1,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,500}\")?\)"), r"\1"),
    (re.compile(r"(\*\*|__)(?=[^\s*_])([^*_]{1,1000})(?<=\S)\1"), r"\2"),
    (re.compile(r"\*\*(?=[^\s*])([^*]{1,1000})(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,1000})(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=[^\s_])([^_\n]{1,1000})(?<=[^\s_])_(?!\w)"), r"\1"),
    (re.compile(r"(?<!`)`([^`\n]{1,1000})`(?!`)"), r"\1"),
    (re.compile(r"<br\s*/?>", re.I), " "),
    (re.compile(r"</?(?:a|abbr|b|big|code|div|em|font|i|img|p|small|span|strong|sub|sup|u)\b[^>]{0,500}>", re.I), ""),
)


def read_markdown(text: str, source: str) -> Document:
    """The document that a Markdown text is; its front matter becomes metadata."""
    dropped: Counter[str] = Counter()
    text = clean(text, dropped)
    metadata: dict[str, str] = {}
    front = FRONT_MATTER.match(text)
    if front:
        metadata = {key.strip().lower(): value.strip().strip("\"'") for key, value in FIELD.findall(front.group(1))}
        text = text[front.end() :]
    bare = "".join(part for part, comment in enclosed(text, OPEN_COMMENT, CLOSE_COMMENT) if not comment)
    dropped["comments"] += len(text) - len(bare)
    pieces = list(mark_captions(list(_pieces(bare, source))))
    body, blocks = compose(pieces)
    heading = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    document = Document(
        doc_id=source,
        content_hash="",
        source=source,
        title=" ".join((metadata.pop("title", "") or heading or PurePosixPath(source).stem).split()),
        media_type="text/markdown",
        text=body,
        blocks=blocks,
        dropped={kind: count for kind, count in dropped.items() if count},
    )
    return introduce(replace(document, metadata=metadata))


def enclosed(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
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


def _pieces(text: str, source: str) -> Iterator[Piece]:
    for part, is_table in enclosed(text, OPEN_TABLE, CLOSE_TABLE):
        yield from _html_table(part, source) if is_table else _blocks(part)


def _html_table(fragment: str, source: str) -> Iterator[Piece]:
    from rarefy.tasks.corpus.read.html import read_html  # late: few Markdown files hold HTML tables

    try:
        made = read_html(f"<html><body>{fragment}</body></html>", source)
    except Unreadable as error:
        if error.reason != "no_text":
            raise
        return
    for block in made.blocks:
        yield Piece(block.kind, made.text[block.start : block.end].lstrip("# "), 6)


def _blocks(text: str) -> Iterator[Piece]:
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
            or ("|" in line and DELIMITER.match(after))
        ):
            yield from _paragraph(gathered)
            gathered = []
        if heading:
            yield Piece("heading", inline(heading.group(2) or ""), len(heading.group(1)))
        elif fence := FENCE.match(line):
            end = next(
                (n for n in range(number + 1, len(lines)) if lines[n].strip().startswith(fence.group(1))), len(lines)
            )
            yield Piece("text", "\n".join(lines[number + 1 : end]))
            number = end
        elif "|" in line and DELIMITER.match(after) and "|" in after:
            end = next((n for n in range(number + 2, len(lines)) if "|" not in lines[n]), len(lines))
            yield Piece("table", table([_cells(row) for row in (line, *lines[number + 2 : end])]))
            number = end - 1
        elif gathered and re.fullmatch(r" {0,3}(=+|-+)\s*", line):
            yield Piece("heading", inline(" ".join(gathered)), 1 if "=" in line else 2)
            gathered = []
        elif line.strip() and not RULE.match(line):
            gathered.append(line)
        number += 1
    yield from _paragraph(gathered)


def _paragraph(lines: list[str]) -> Iterator[Piece]:
    """What stands between blank lines: a section's title, a list, or a paragraph whose lines are joined."""
    if not lines:
        return
    lines = [re.sub(r"^\s*(?:>\s?)+", "", line) for line in lines]
    if len(lines) == 1 and (SUBPART.fullmatch(lines[0].strip()) or SECTION.fullmatch(lines[0].strip())):
        yield Piece("heading", inline(lines[0]), 2 if lines[0].strip()[0] != "§" else 3)
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
    text = "\n".join(inline(DOUBLED.sub(r"\1:", " ".join(entry))) for entry in entries)
    if len(text) > LONG and len(entries) == 1:
        yield from (Piece(kind, words, 6) for kind, words in recover_paragraphs(text))
    else:
        yield Piece("text", text)


def inline(text: str) -> str:
    """Words without the marks of emphasis, links and inline HTML."""
    if not SPECIAL.search(text):
        return text.strip()
    text = ESCAPED.sub(lambda match: chr(SHELTER + ord(match.group(1))), text)
    for pattern, plain in INLINE:
        text = pattern.sub(plain, text)
    text = re.sub("[\ue000-\ue07f]", lambda match: chr(ord(match.group()) - SHELTER), text)
    return html.unescape(text).strip()


def _cells(line: str) -> list[str]:
    body = line.strip()
    body = body[1:] if body.startswith("|") else body
    body = body[:-1] if body.endswith("|") and not body.endswith("\\|") else body
    return [inline(cell.replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", body)]
