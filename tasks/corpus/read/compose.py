"""Pieces of a document put together as the normalised text that every span points into."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rarefy.data_contracts.rows import Block

SPACES = re.compile(r"[^\S\n]+")

EMPTY, FILLED = 20_000, 4  # cells added to short rows: so many, and so many for each that is there


@dataclass(frozen=True, slots=True)
class Piece:
    """One block before it has a place; a heading's `level` is 1 to 6, and its text has no number signs."""

    kind: str  # heading | text | table | caption | footnote
    text: str
    level: int = 0


def compose(pieces: Iterable[Piece]) -> tuple[str, tuple[Block, ...]]:
    """Text with one blank line between blocks, and the blocks, each with the titles above it."""
    parts: list[str] = []
    blocks: list[Block] = []
    above: list[tuple[int, str]] = []
    position = 0
    for piece in pieces:
        body = piece.text.strip() if piece.kind == "table" else _tidy(piece.text)
        if not body:
            continue
        if piece.kind == "heading":
            title = body.replace("\n", " ")
            above = [(level, name) for level, name in above if level < piece.level]
            body = f"{'#' * piece.level} {title}"
        blocks.append(Block(piece.kind, position, position + len(body), " > ".join(name for _, name in above)))
        if piece.kind == "heading":
            above.append((piece.level, title))
        parts.append(body)
        position += len(body) + 2
    return "\n\n".join(parts), tuple(blocks)


def _tidy(text: str) -> str:
    """One space between words, no blank line inside."""
    lines = (SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def table(rows: list[list[str]]) -> str:
    """A Markdown pipe table whose first row is the header; rows are made equally long, unless one is absurdly long."""
    width, most = max(map(len, rows)), EMPTY + FILLED * sum(map(len, rows))
    if width * len(rows) > most:
        width = min(len(rows[0]), most // len(rows))  # also the header may be the one
    lines = ["| " + " | ".join([*(_cell(cell) for cell in row), *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")
