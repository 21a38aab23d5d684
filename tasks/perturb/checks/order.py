"""Whether a variant says the very same letters, or the very same sentences, as the original."""

import re
import unicodedata
from collections import Counter, defaultdict

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.document.outline import outline

_RUN = re.compile(r"\w+")
KEY = 24  # characters that a sentence is looked up by


def same_letters(case: Case, draft: Draft) -> str:
    """`letters_changed` where more than case and white space differ, or white space came or went inside a word.

    Case as Unicode folds it, not letter by letter: "ß" and "SS", "İ" and "i̇" are the same.
    """
    original, variant = _folded(case.text), _folded(draft.text)
    if "".join(original.split()) != "".join(variant.split()):
        return "letters_changed"
    words, others = _RUN.findall(original), _RUN.findall(variant)
    if words == others:
        return ""
    differ = next((pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]), (words[-1], others[-1]))
    return f"letters_changed: {differ[0]!r} became {differ[1]!r}"


def same_sentences(case: Case, draft: Draft) -> str:
    """`sentences_changed` where the text is not made of the original's sentences, tables and headings, each once.

    They are laid along the text, the longest that fits first, rather than cut out of it anew: where a sentence ends
    depends on what follows it.
    """
    pieces = [case.text[piece.start : piece.end] for piece in outline(case.text)]
    left = Counter(pieces)
    begins: dict[str, list[str]] = defaultdict(list)
    for piece in sorted(left, key=len, reverse=True):
        begins[piece[:KEY]].append(piece)
    lengths = sorted({len(key) for key in begins}, reverse=True)  # those shorter than the key, besides
    text, at = draft.text, _next(draft.text, 0)
    while at < len(text):
        candidates = (piece for length in lengths for piece in begins.get(text[at : at + length], ()))
        fits = next((piece for piece in candidates if left[piece] and text.startswith(piece, at)), None)
        if fits is None:
            return f"sentences_changed: {text[at : at + 40]!r}"
        left[fits] -= 1
        at = _next(text, at + len(fits))
    missing = next((piece for piece in pieces if left[piece]), None)
    return f"sentences_changed: {missing[:40]!r} is gone" if missing else ""


def _folded(text: str) -> str:
    """By Unicode's canonical caseless matching (D145)."""
    folded = unicodedata.normalize("NFD", text).casefold()
    return unicodedata.normalize("NFD", folded)


def _next(text: str, at: int) -> int:
    """The next place that is no white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at
