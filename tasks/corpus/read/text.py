"""Plain text as a document: paragraphs by blank lines, by lines, or recovered where there are none."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from statistics import median

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.captions import mark_captions
from rarefy.tasks.corpus.read.clean import clean
from rarefy.tasks.corpus.read.compose import Piece, compose, table
from rarefy.tasks.corpus.read.identify import dates, introduce
from rarefy.tasks.corpus.read.sentences import LONG, recover_paragraphs
from rarefy.tasks.corpus.read.typewritten import split_tables

FURNITURE = {
    "page_numbers": re.compile(r"(?:page )?[-–—\s]{0,20}\d{1,4}[-–—\s]{0,20}(?:of \d{1,4})?", re.I),
    "rules": re.compile(r"[-=_*~·.\s]{3,}"),
    "markup": re.compile(r"(?:\s{0,9}</?[A-Z]{1,12}\d?>)+", re.I),  # EDGAR's, in filings that are plain text
}
BULLET = re.compile(r"(?:[•·▪◦●■*‣–—-]|\(?[a-z0-9]{1,3}[.)])\s+(?=\S)")
NAVIGATION = re.compile(r"\s?(?:Return to text|Back to top|Return to top)\b")


def read_text(text: str, source: str) -> Document:
    """The document that a plain text is."""
    dropped: Counter[str] = Counter()
    text = clean(text, dropped)
    unlinked = NAVIGATION.sub("", text)
    dropped["navigation"] += len(text) - len(unlinked)
    pieces = list(mark_captions(list(_pieces(unlinked, dropped))))
    title = PurePosixPath(source).stem
    if pieces and pieces[0].kind == "heading":
        title = pieces[0].text
        day = next((p.text for p in pieces[1:2] if len(p.text) < 40 and dates(p.text)), "")
        title = f"{title}, {day}" if day else title
    body, blocks = compose(pieces)
    return introduce(
        Document(
            doc_id=source,
            content_hash="",
            source=source,
            title=" ".join(title.split()),
            media_type="text/plain",
            text=body,
            blocks=blocks,
            dropped={kind: count for kind, count in dropped.items() if count},
        )
    )


def _pieces(text: str, dropped: Counter[str]) -> Iterator[Piece]:
    first = True
    for stretch, rows in split_tables(text):
        if rows:
            yield Piece("table", table(rows))
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
    """Stretches between blank lines; where there are none, lines, indented stretches, or the whole."""
    for stretch in re.split(r"\n\s*\n", text):
        lines = [line.rstrip() for line in stretch.split("\n") if line.strip()]
        if len(lines) < 2:
            yield from (line.strip() for line in lines)
        elif _wrapped(lines):
            yield from _unwrap(lines)
        else:
            yield from (line.strip() for line in lines)


def _wrapped(lines: list[str]) -> bool:
    """Whether line ends mean nothing: most lines about equally long, and broken amid a sentence."""
    ends = sum(line.rstrip().endswith((".", "!", "?", ":", ";")) for line in lines[:-1])
    return bool(median([len(line) for line in lines]) <= 120 and ends < 0.5 * (len(lines) - 1))


def _unwrap(lines: list[str]) -> Iterator[str]:
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
    words: list[str] = [word for word in re.findall(r"[^\W\d_][\w’'-]*", paragraph) if len(word) > 3]
    if not words or dates(paragraph):
        return False
    return sum(word[0].isupper() for word in words) >= 0.7 * len(words)
