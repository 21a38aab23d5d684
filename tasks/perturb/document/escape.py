"""A text written into a template, with what must be escaped in it, so that its spans can be followed."""

import re
from collections.abc import Iterable

from rarefy.tasks.perturb.case import Draft, Move

Edit = tuple[int, int, str]
"""`text[start:end]` is written as this."""


def escaped(text: str, edits: Iterable[Edit], before: str = "", after: str = "") -> Draft:
    """`before`, the text with its edits (in order, none over another), `after`; all that is not edited moves.

    Empty moves mark where the text begins and ends, so that an escape at either end belongs to it and not to the
    template.
    """
    written, moves, at, length = [before], [Move(0, 0, len(before))], 0, len(before)
    for start, end, replacement in edits:
        if start > at:
            moves.append(Move(at, start, length))
            written.append(text[at:start])
            length += start - at
        written.append(replacement)
        length += len(replacement)
        at = end
    if at < len(text):
        moves.append(Move(at, len(text), length))
        written.append(text[at:])
        length += len(text) - at
    moves.append(Move(len(text), len(text), length))
    written.append(after)
    return Draft("".join(written), tuple(moves))


def plain(text: str, edits: Iterable[Edit]) -> str:
    """The text with its edits, where nothing needs to be followed."""
    return escaped(text, edits).text


def unwritable(pattern: re.Pattern[str], title: str, text: str) -> Draft | None:
    """The refusal of a passage that holds what a format cannot, by the pattern of that; None where it does not."""
    for name, part in (("text", text), ("title", title)):
        if found := pattern.search(part):
            detail = f"U+{ord(found.group()[0]):04X} at {found.start()} of the {name}"
            return Draft(text, refused="not_representable", detail=detail)
    return None
