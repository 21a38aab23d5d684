"""Represent a changed text as pieces of the original with new words between them, so that moves can be traced."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """`source[start:end]`, unchanged."""

    start: int
    end: int


Piece = Kept | str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A text made of another one."""

    rule: str  # what was done, by name
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """`source[start:end]` is to become `new`."""

    start: int
    end: int
    new: str


def join_pieces(source: str, pieces: Iterable[Piece]) -> str:
    """The text that the pieces make up."""
    return "".join(piece if isinstance(piece, str) else source[piece.start : piece.end] for piece in pieces)


def moves(pieces: Iterable[Piece]) -> Iterator[tuple[int, int, int]]:
    """(start, end, at) of each stretch of the source and where in the new text it stands; neighbours are joined."""
    at = 0
    held: tuple[int, int, int] | None = None
    for piece in pieces:
        if isinstance(piece, str):
            at += len(piece)
            continue
        length = piece.end - piece.start
        if length <= 0:
            continue
        if held and held[1] == piece.start and held[2] + held[1] - held[0] == at:
            held = held[0], piece.end, held[2]
        else:
            if held:
                yield held
            held = piece.start, piece.end, at
        at += length
    if held:
        yield held


def shifted(pieces: Iterable[Piece], by: int) -> Iterator[Piece]:
    """The pieces of a part as pieces of the whole, in which the part begins at `by`."""
    for piece in pieces:
        yield piece if isinstance(piece, str) else Kept(piece.start + by, piece.end + by)


def edited(pieces: Iterable[Piece], edits: Sequence[Edit]) -> Iterator[Piece]:
    """The pieces with the edits made in them; an edit that is not whole within one piece is left out."""
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
            continue
        at = piece.start
        for edit in sorted(edits, key=lambda e: e.start):
            if at <= edit.start and edit.end <= piece.end:
                yield Kept(at, edit.start)
                yield edit.new
                at = edit.end
        yield Kept(at, piece.end)
