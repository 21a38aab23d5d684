"""Which short texts around a table belong to it: its title and units before, its notes after."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rarefy.tasks.corpus.read.cells import is_units
from rarefy.tasks.corpus.read.compose import Piece

CAPTION = re.compile(r"(?:Table|Figure|Exhibit|Chart|Schedule)\s+(?:[A-Z]?\d+|[IVX]+)[\w.:—–-]*.*", re.I | re.S)
NOTE = re.compile(r"(?:\(?(?:\d{1,2}|[a-z])\)\s|[*†‡§]+\s?|Notes?\s?:|Sources?\s?:|\d{1,2}/\s|[¹²³⁴⁵⁶⁷⁸⁹])\S?", re.I)
LONGEST = 400  # characters: what is longer is a paragraph of its own


def mark_captions(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces with captions before tables and footnotes after them marked as such."""
    before = ""
    for number, piece in enumerate(pieces):
        following = pieces[number + 1].kind if number + 1 < len(pieces) else ""
        after = pieces[number + 2].kind if number + 2 < len(pieces) else ""
        if piece.kind == "text" and len(piece.text) <= LONGEST:
            heads = following == "table" or (
                after == "table" and following == "text" and is_units(pieces[number + 1].text)
            )
            if heads and (is_units(piece.text) or CAPTION.fullmatch(piece.text)):
                piece = replace(piece, kind="caption")
            elif before in ("table", "footnote") and NOTE.match(piece.text):
                piece = replace(piece, kind="footnote")
        before = piece.kind
        yield piece
