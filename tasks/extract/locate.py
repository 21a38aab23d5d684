"""Where a quoted sentence stands in a text: exactly, or the same words in other dress (RARE R8).

A model that copies a sentence changes quotes, dashes, spaces, line ends, marks and emphasis, and drops the middle with
an ellipsis. Words and numbers may not differ: what is kept is the text's own span, never the quotation.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_DROPPED = frozenset("®™©℠¹²³⁰⁴⁵⁶⁷⁸⁹\u00ad\u200b\u200c\u200d\u2060\ufeff")
_SHORTEST = 8  # letters and digits: fewer are found anywhere
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|(?:\. ){2,}\.|…)\s*")
_LONGEST_GAP = 1_000  # characters that an ellipsis may stand for
_OPENERS = "([{“\"‘'«*|$€£¥•-–—−"
_CLOSERS = ".,;:!?)]}”\"’'»*|%®™"
# what a page has between two halves of a sentence
_FURNITURE = re.compile(
    r"\n\s*(?:(?:page )?[-–]?\s*[A-Z]?-?\d{1,4}\s*[-–]?|table of contents|[^\n|]{0,60}\|[^\n|]{0,60}\|\s*\d{1,4})\s*(?=\n)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """The letters and digits of a text, folded, and where each stands in it."""

    letters: str
    at: tuple[int, ...]


def spans(quote: str, text: str, since: int = 0) -> list[tuple[int, int]]:
    """Where in `text[since:]` the quotation stands: verbatim, else word for word, else around an ellipsis.

    The spans `[start, end)` are those of the text's own words; none where a word or number differs.
    """
    bare = quote.strip()
    if len(folded(bare).letters) < _SHORTEST:
        return []
    found = list(_verbatim(bare, text, since)) or list(_in_other_dress(bare, text, since, folded(text)))
    if not found and _FURNITURE.search(text):
        found = list(_in_other_dress(bare, text, since, _unfurnished(text)))
    return found or list(_around_ellipsis(bare, text, since))


def _verbatim(quote: str, text: str, since: int) -> Iterator[tuple[int, int]]:
    at = text.find(quote, since)
    while at >= 0:
        if not _within_word(text, at, at + len(quote)):
            yield at, at + len(quote)
        at = text.find(quote, at + 1)


def _in_other_dress(quote: str, text: str, since: int, where: Folded) -> Iterator[tuple[int, int]]:
    wanted = folded(quote)
    at = where.letters.find(wanted.letters)
    while at >= 0:
        start, end = where.at[at], where.at[at + len(wanted.letters) - 1] + 1
        if start >= since and not _within_word(text, start, end):
            yield _edged(text, start, end, quote[: wanted.at[0]], quote[wanted.at[-1] + 1 :])
        at = where.letters.find(wanted.letters, at + 1)


def _around_ellipsis(quote: str, text: str, since: int) -> Iterator[tuple[int, int]]:
    """From the first to the last words that the quotation keeps, with what it leaves out, in one paragraph."""
    parts = [part for part in _ELLIPSIS.split(quote) if part]
    if not parts or any(len(folded(part).letters) < _SHORTEST for part in parts) or parts == [quote]:
        return
    first, *others = parts
    for start, end in spans(first, text, since):
        for part in others:
            following = [span for span in spans(part, text, end) if span[0] - end <= _LONGEST_GAP]
            if not following or "\n\n" in text[end : following[0][0]]:
                break
            end = following[0][1]
        else:
            yield start, end


def words_within(said: str, sentence: str) -> tuple[int, int] | None:
    """Where the words of `said` stand in a sentence, however short they are; the first place. None for nowhere."""
    at = sentence.find(said)
    while at >= 0:
        if not _within_word(sentence, at, at + len(said)):
            return at, at + len(said)
        at = sentence.find(said, at + 1)
    if not folded(said).letters:
        return None
    return next(_in_other_dress(said, sentence, 0, folded(sentence)), None)


@lru_cache(maxsize=256)
def folded(text: str) -> Folded:
    """Letters and digits without case, accents and ligatures; of the rest only "%" and the point of a number."""
    letters: list[str] = []
    at: list[int] = []
    for i, character in enumerate(text):
        if character == ".":
            kept = "." if text[i - 1 : i].isdigit() and text[i + 1 : i + 2].isdigit() else ""
        else:
            kept = _fold(character)
        letters.append(kept)
        at.extend([i] * len(kept))
    return Folded("".join(letters), tuple(at))


@lru_cache(maxsize=4096)
def _fold(character: str) -> str:
    if character in _DROPPED:
        return ""
    plain = unicodedata.normalize("NFKD", character).casefold()
    return "".join(c for c in plain if c.isalnum() or c == "%")


def _unfurnished(text: str) -> Folded:
    whole = folded(text)
    gone = {i for match in _FURNITURE.finditer(text) for i in range(match.start(), match.end())}
    kept = [(letter, at) for letter, at in zip(whole.letters, whole.at, strict=True) if at not in gone]
    return Folded("".join(letter for letter, _ in kept), tuple(at for _, at in kept))


def _within_word(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends inside a word or a number."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    inside = before.isalnum() and text[start].isalnum() or after.isalnum() and text[end - 1].isalnum()
    number = text[end - 1].isdigit() and re.match(r"[.,]\d", text[end : end + 2])
    return inside or bool(number) or bool(text[start].isdigit() and re.search(r"\d[.,]$", text[max(start - 2, 0) : start]))


def _edged(text: str, start: int, end: int, head: str, tail: str) -> tuple[int, int]:
    """The span with the marks around it that the quotation has around its words, and with its full stop."""
    for _ in range(len(head.strip()) + 1):
        back = len(text[:start]) - len(text[:start].rstrip(" ")) if head.strip() else 0
        if head.strip() and start - back > 0 and text[start - back - 1] in _OPENERS:
            start -= back + 1
    for _ in range(len(tail.strip()) + 1):
        space = len(text[end:]) - len(text[end:].lstrip(" ")) if "|" in tail else 0
        if tail.strip() and text[end + space : end + space + 1] and text[end + space] in _CLOSERS:
            end += space + 1
    if re.match(r"[.!?](?:\s|$)", text[end : end + 2]):
        end += 1
    return start, end
