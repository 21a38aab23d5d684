"""Where a quoted sentence stands in a text: exactly, or the same words in other dress (RARE R8).

A model that copies a sentence changes quotes, dashes, spaces, line ends, marks and emphasis, and drops the middle with
an ellipsis. Words and numbers may not differ: what is kept is the text's own span, never the quotation.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

_DROPPED = frozenset("®™©℠¹²³⁰⁴⁵⁶⁷⁸⁹\u00ad\u200b\u200c\u200d\u2060\ufeff")
_SHORTEST = 8  # letters and digits: fewer are found anywhere
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|(?:\. ){2,}\.|…)\s*")
_LONGEST_GAP = 1_000  # characters between two parts of a quotation
_ALIKE = ('“”„"«»', "‘’'`", "-–—−‑", "*®™©℠", "•*·●▪", "…")
_STOP = re.compile(r"(?:[®™©℠*]{0,2}[.!?][*”\"’')\]]{0,2}(?=\s|$))?")
# Any place where a quotation may have been put together of two: more than sentences end at
_BETWEEN_SENTENCES = re.compile(r"(?<=[.;:!?])\s+|\n+")
# what a page has between two halves of a sentence
_FURNITURE = re.compile(
    r"\n\s*(?:(?:page )?[-–]?\s*[A-Z]?-?\d{1,4}\s*[-–]?|table of contents|[^\n|]{0,60}\|[^\n|]{0,60}\|\s*\d{1,4})"
    r"\s*(?=\n)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """The letters and digits of a text, folded, and where each stands in it."""

    letters: str
    at: "array[int]"


def spans(quote: str, text: str, since: int = 0) -> list[tuple[int, int]]:
    """Where in `text[since:]` the quotation stands: verbatim, else word for word, else in parts with what is between.

    The spans `[start, end)` are those of the text's own words; none where a word or number differs. Parts, around an
    ellipsis or as sentences, stand in their order in one paragraph, or are the lead-in of a list and one of its items.
    """
    for said in dict.fromkeys((quote.strip(), _bare(quote))):
        if len(folded(said).letters) < _SHORTEST:
            continue
        found = list(_verbatim(said, text, since)) or list(_in_other_dress(said, text, since, folded(text)))
        if not found and _FURNITURE.search(text):
            found = list(_in_other_dress(said, text, since, _unfurnished(text)))
        found = found or list(_in_parts(_ELLIPSIS.split(said), text, since))
        found = found or list(_in_parts(_BETWEEN_SENTENCES.split(said), text, since))
        if found:
            # a sentence ends with its full stop, whether it was copied or not
            return [(start, end + len(_STOP.match(text, end)[0])) for start, end in found]  # type: ignore[index]
    return []


def _bare(quote: str) -> str:
    """The quotation without what belongs to the reply or the prompt: entities, escapes, the chunk's label."""
    plain = re.sub(r"\\[nrt]", " ", unescape(quote)).replace("\\", "")
    return re.sub(r"^\s*[\[(<]?(?:chunk )?c\d{1,3}[\])>:]+\s*", "", plain).strip()


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


def _in_parts(parts: list[str], text: str, since: int) -> Iterator[tuple[int, int]]:
    """From the first to the last of these parts, with what stands between them."""
    first, *others = [part.strip() for part in parts if folded(part).letters] or [""]
    if not others or len(folded(first).letters) < _SHORTEST:
        return
    if any(len(folded(part).letters) < _SHORTEST // 2 for part in others):
        return
    where = folded(text)
    for start, end in dict.fromkeys([*_verbatim(first, text, since), *_in_other_dress(first, text, since, where)]):
        before = first
        for part in others:
            following = sorted([*_verbatim(part, text, end), *_in_other_dress(part, text, end, where)])
            if part[-1] in ".!?":  # where the sentence ends, before any place where the words only stand
                following = [f for f in following if text[f[1] - 1] in ".!?"] or following
            if not following or not _belongs(before, text, end, following[0][0]):
                break
            end, before = following[0][1], part
        else:
            yield start, end


def _belongs(before: str, text: str, end: int, start: int) -> bool:
    """Whether what follows a gap `text[end:start]` still belongs to what stands before it."""
    if start - end > _LONGEST_GAP:
        return False
    breaks = re.findall(r"(\S)\s*\n\s*\n\s*(\S)", text[max(end - 1, 0) : start + 1])
    # a page may end within a sentence, and a list begin
    return before.endswith(":") or all(
        left == ":" or (left not in ".;!?" and right.islower()) for left, right in breaks
    )


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


@lru_cache(maxsize=512)
def folded(text: str) -> Folded:
    """Letters and digits without case, accents and ligatures; of the rest only "%" and the point of a number."""
    letters: list[str] = []
    at = array("I")
    for i, character in enumerate(text):
        if character == ".":
            kept = "." if text[i - 1 : i].isdigit() and text[i + 1 : i + 2].isdigit() else ""
        else:
            kept = _fold(character)
        letters.append(kept)
        at.extend([i] * len(kept))
    return Folded("".join(letters), at)


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
    return Folded("".join(letter for letter, _ in kept), array("I", (at for _, at in kept)))


def _within_word(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends inside a word or a number."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    inside = (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())
    number = text[end - 1].isdigit() and re.match(r"[.,]\d", text[end : end + 2])
    return (
        inside or bool(number) or bool(text[start].isdigit() and re.search(r"\d[.,]$", text[max(start - 2, 0) : start]))
    )


def _edged(text: str, start: int, end: int, head: str, tail: str) -> tuple[int, int]:
    """The span with the marks around it that the quotation has around its words."""
    before, after = _marks(head), _marks(tail)
    while start and (text[start - 1] in before or (text[start - 1] == " " and text[start - 2 : start - 1] in before)):
        start -= 1 if text[start - 1] in before else 2
    while end < len(text) and (text[end] in after or (text[end] == " " and text[end + 1 : end + 2] in after)):
        end += 1 if text[end] in after else 2
    return start, end


def _marks(around: str) -> frozenset[str]:
    """The marks of an end of a quotation, and those that a text may have in their place."""
    kinds = [kind for kind in _ALIKE if set(kind) & set(around)]
    return frozenset("".join(kinds)) | {c for c in around if not c.isspace()}
