"""Punctuation that a text can do without: none of a number, an abbreviation, a name or a code (IBM §3)."""

import re
from collections.abc import Iterator

from rarefy.tasks.text.dates import month_number
from rarefy.tasks.text.names import TITLES

CLOSING = '?!,;:.”»…؟،؛。？！"'
OPENING = '“«¿¡"'

_TOKEN = re.compile(r"\S+")
_CODE = re.compile(r"`[^`]*`")  # starts over at the next mark: linear in any text
# "U.S.", "Ph.D.", "a.m.": the last point belongs to them as much as the others do
_DOTTED = re.compile(r"\W*(?:[^\W\d_]{1,3}\.){2,}")
# A point that says that more is to come: "No. 5", "Art. 17"
_SHORT = TITLES | {"p", "ca", "cl"}


def removable(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of punctuation at the ends of words, and between them, whose loss leaves every word as it is.

    Apostrophes, hyphens, brackets and signs stay: "Target's", "10-K", "income (loss)" and "47.5%" say something else
    without them; so does all that stands in code.
    """
    tokens = list(_TOKEN.finditer(text))
    code, at = [match.span() for match in _CODE.finditer(text)], 0
    for i, token in enumerate(tokens):
        written = token.group()
        while at < len(code) and code[at][1] <= token.start():
            at += 1
        if at < len(code) and code[at][0] < token.end():
            continue  # within code every mark is meant
        if not any(c.isalnum() for c in written):
            continue  # a table's bar, a dash, an ellipsis that stands alone
        lead = len(written) - len(written.lstrip(OPENING))
        if lead:
            yield token.start(), token.start() + lead
        tail = _tail(written)
        if tail < len(written) and not _parts_numbers(tokens, i, written[tail:]):
            yield token.start() + tail, token.end()


def _tail(written: str) -> int:
    """Where the closing punctuation of a token begins that may go."""
    end = len(written)
    while end and written[end - 1] in CLOSING:
        mark, before = written[end - 1], written[: end - 1]
        if mark == "." and (_DOTTED.fullmatch(written[:end]) or before.strip(OPENING + "(").lower() in _SHORT):
            break
        if mark == '"' and before[-1:].isdigit():
            break  # inches
        end -= 1
    return end


def _parts_numbers(tokens: list[re.Match[str]], i: int, tail: str) -> bool:
    """Would two numbers run together that are not the day and the year of a date?"""
    if "," not in tail and ";" not in tail and ":" not in tail:
        return False
    before, after = tokens[i].group(), tokens[i + 1].group() if i + 1 < len(tokens) else ""
    if not (before[:1].isdigit() and after[:1].isdigit()):
        return False
    return not (i and month_number(tokens[i - 1].group()))
