"""Find where the gold evidence of a passage is in a variant of it."""

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import unescape

from rapidfuzz import fuzz

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.text.notations import contains_answer
from rarefy.tasks.text.sentences import sentences

LIKE = 55.0  # least similarity of words, of 100; measured in tests/tasks/perturb/test_spans.py
NEAR = 12  # sentences compared closely, those that share most words with the evidence
TOGETHER = 4  # sentences that one of the original may have become
PLACES = 1_000  # occurrences of a text that are considered
LONGEST = 5_000  # characters of evidence or of a sentence that are compared

_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W_]+")
_ESCAPE = re.compile(
    r"&(?:#\d+|#x[0-9a-f]+|[a-z]+);|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|[nrtbf])|<[^<>]{1,200}>", re.IGNORECASE
)

Spans = tuple[tuple[int, int], ...]
Follow = Callable[[int, int], list[tuple[int, int]]]


def project_spans(case: Case, draft: Draft) -> Spans:
    """The case's spans in the draft's text, in order, without those that are gone.

    The draft's moves give them exactly: what moved, and replacements between two pieces that are still adjacent.
    Evidence that was split gives several spans. Without moves the evidence is searched: verbatim, then by its letters
    and digits, then as the most similar sentences, which must hold the answer where the evidence did.
    """
    if not case.spans:
        return ()
    follow = _follow_moves(draft.moves) if draft.moves else None
    found: set[tuple[int, int]] = set()
    for start, end in case.spans:
        spans = follow(start, end) if follow else _search_span(case, start, end, draft.text)
        pieces = [_trim(draft.text, a, b) for a, b in _join_spans(sorted(spans))]
        found.update(piece for piece in pieces if piece[0] < piece[1])
    return tuple(sorted(found))


def _follow_moves(moves: Sequence[Move]) -> Follow:
    """A function that gives the spans in the draft of a span of the original."""
    ordered = sorted(moves, key=lambda move: (move.start, move.end))
    places = sorted(range(len(ordered)), key=lambda i: (ordered[i].at, ordered[i].end - ordered[i].start, i))
    rank = {i: place for place, i in enumerate(places)}
    starts = [move.start for move in ordered]

    def follow(start: int, end: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        first = max(bisect_right(starts, start) - 1, 0)
        while first and ordered[first - 1].end > start:
            first -= 1
        for i in range(first, len(ordered)):
            move = ordered[i]
            if move.start >= end:
                break
            if move.end > start:
                low, high = max(start, move.start), min(end, move.end)
                found.append((move.at + low - move.start, move.at + high - move.start))
            follows = i + 1 < len(ordered) and rank[i + 1] == rank[i] + 1
            if follows and move.end < end and start < ordered[i + 1].start:  # a replacement in between
                found.append((move.at + move.end - move.start, ordered[i + 1].at))
        return found

    return follow


def _search_span(case: Case, start: int, end: int, text: str) -> Iterator[tuple[int, int]]:
    evidence = case.text[start:end].strip()
    if not evidence:
        return
    about = start * len(text) // max(len(case.text), 1)  # its expected position
    for at in _find_occurrences(text, evidence, about):
        if _has_word_boundaries(text, at, at + len(evidence)):
            yield at, at + len(evidence)
            return
    for escapes in (False, True) if _ESCAPE.search(text) else (False,):
        letters, places = _extract_letters(text, escapes)
        wanted = _extract_letters(evidence, False)[0]
        for at in _find_occurrences(letters, wanted, len(letters) * about // max(len(text), 1)) if wanted else ():
            a, b = places[at], places[at + len(wanted) - 1] + 1
            if _has_word_boundaries(text, a, b):
                yield a, b
                return
    holds = contains_answer(evidence, case.answer, case.aliases)
    yield from _find_similar_sentences(evidence, text, (case.answer, case.aliases) if holds else None)


def _find_occurrences(text: str, wanted: str, about: int) -> list[int]:
    """Positions of a text, the nearest to `about` first."""
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(found) < PLACES:
        found.append(at)
        at = text.find(wanted, at + 1)
    return sorted(found, key=lambda at: abs(at - about))


def _has_word_boundaries(text: str, start: int, end: int) -> bool:
    """Whether neither end is inside a word or a number."""
    inside = (text[start - 1 : start + 1], text[end - 1 : end + 1])
    return not any(len(pair) == 2 and pair.isalnum() for pair in (inside if start else inside[1:]))


def _extract_letters(text: str, escapes: bool) -> tuple[str, list[int]]:
    """The letters and digits in lower case with their positions; with `escapes`, those that escapes stand for."""
    letters: list[str] = []
    places: list[int] = []
    skipped = 0
    for match in _ESCAPE.finditer(text) if escapes else ():
        _append_letters(text, skipped, match.start(), letters, places)
        sign = _decode_escape(match.group())
        if sign.isalnum():
            letters.append(sign)
            places.append(match.start())
        skipped = match.end()
    _append_letters(text, skipped, len(text), letters, places)
    return "".join(letters), places


def _decode_escape(escape: str) -> str:
    """The single character that an escape stands for, in lower case; else ""."""
    if escape[0] == "&":
        sign = unescape(escape)
    else:
        code = int(escape[2:], 16) if escape[0] == "\\" and escape[1] in "uUxX" else sys.maxunicode + 1
        sign = chr(code) if code <= sys.maxunicode else ""
    return sign.lower() if len(sign.lower()) == 1 else ""


def _append_letters(text: str, start: int, end: int, letters: list[str], places: list[int]) -> None:
    for match in _LETTERS.finditer(text, start, end):
        run = match.group().lower()
        if len(run) == match.end() - match.start():
            letters.append(run)
            places.extend(range(*match.span()))
        else:  # "İ" is two characters in lower case
            for at in range(*match.span()):
                if len(text[at].lower()) == 1:
                    letters.append(text[at].lower())
                    places.append(at)


def _find_similar_sentences(
    evidence: str, text: str, answer: tuple[str, Sequence[str]] | None
) -> Iterator[tuple[int, int]]:
    """The most similar run of sentences, if similar enough; with the answer, if one is given."""
    if len(evidence) > LONGEST:
        return
    spans = [
        span
        for start, end in _split_lines(text)
        for span in ((start + a, start + b) for a, b in sentences(text[start:end]))
    ]
    words = Counter(_WORD.findall(evidence.lower()))
    shared = [
        sum((words & Counter(_WORD.findall(text[a:b].lower()))).values()) if b - a <= LONGEST else 0 for a, b in spans
    ]
    near = sorted(range(len(spans)), key=lambda i: (-shared[i], i))[:NEAR]
    runs = sorted(
        {
            (first, last)
            for i in near
            if shared[i]
            for first in range(max(i - TOGETHER + 1, 0), i + 1)
            for last in range(i, min(first + TOGETHER, len(spans)))
            if spans[last][1] - spans[first][0] <= LONGEST
        }
    )
    best: tuple[float, int, int] | None = None
    wanted = " ".join(_WORD.findall(evidence.lower()))
    for first, last in runs:
        start, end = spans[first][0], spans[last][1]
        score = fuzz.token_sort_ratio(wanted, " ".join(_WORD.findall(text[start:end].lower())))
        if (
            score >= LIKE
            and (best is None or score > best[0])
            and (not answer or contains_answer(text[start:end], *answer))
        ):
            best = (score, start, end)
    if best:
        yield best[1], best[2]


def _split_lines(text: str) -> Iterator[tuple[int, int]]:
    """Spans of paragraphs and of table rows."""
    for match in re.finditer(r"\|[^\n]*|[^\n|](?:[^\n]|\n(?![\n|]))*", text):
        yield match.span()


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _join_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted spans, joined where they overlap or touch."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
