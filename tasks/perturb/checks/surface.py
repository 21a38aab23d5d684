"""Whether a change of the surface is no more than that: misspelt, unpunctuated, shortened, or with more around it."""

import re
import unicodedata
from collections.abc import Iterator

import yaml

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks.answers import read

_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
_CODE = re.compile(r"\b[A-Z]{2,5}\b")
ERRORS = 4  # letters by which a misspelt word may differ: two errors, each of them a swap


def only_misspelt(case: Case, draft: Draft) -> str:
    """`words_changed` where a word is more than misspelt, came or went; whatever has a digit stands as it was."""
    original, variant = list(_words(case.text)), list(_words(draft.text))
    if len(original) != len(variant):
        return f"words_changed: {len(original)} words became {len(variant)}"
    for old, new in zip(original, variant, strict=True):
        if old != new and (any(c.isdigit() for c in old + new) or not _misspelt(old, new)):
            return f"words_changed: {new!r} for {old!r}"
    return ""


def same_words(case: Case, draft: Draft) -> str:
    """`words_changed` where more than case and punctuation differs between the words."""
    original, variant = list(_words(case.text)), list(_words(draft.text))
    differ = next((pair for pair in zip(original, variant, strict=False) if pair[0] != pair[1]), None)
    if differ or len(original) != len(variant):
        return f"words_changed: {differ[1]!r} for {differ[0]!r}" if differ else "words_changed: a word came or went"
    return ""


def codes_kept(case: Case, draft: Draft) -> str:
    """`code_changed` where a ticker, form or acronym lost its capitals: "US" is not "us"."""
    if case.text.isupper():
        return ""
    lost = [code for code in _CODE.findall(case.text) if code not in draft.text]
    return f"code_changed: {lost[0]}" if lost else ""


def holds_original(case: Case, draft: Draft) -> str:
    """`original_lost` where the text does not stand in the variant as it was."""
    return "" if case.text in draft.text else "original_lost"


def parses_back(case: Case, draft: Draft) -> str:
    """`unreadable`, or `text_changed` where a reader of the format gets another text, white space apart."""
    try:
        text = read(draft.text)
    except (ValueError, yaml.YAMLError) as error:
        return f"unreadable: {str(error).splitlines()[0]}"
    return "" if "".join(text.split()).endswith("".join(case.text.split())) else "text_changed"


def only_deleted(case: Case, draft: Draft) -> str:
    """`words_added` where a word is not one of the original's in their order, `nothing_left` where there is none."""
    variant = draft.text.split()
    rest = iter(case.text.split())
    new = next((word for word in variant if word not in rest), None)
    return f"words_added: {new!r}" if new is not None else "" if variant else "nothing_left"


def _words(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFC", text.casefold()).replace("’", "'")
    for match in _WORD.finditer(folded):
        yield match.group()


def _misspelt(old: str, new: str) -> bool:
    """Do most letters of the word still stand?"""
    if abs(len(old) - len(new)) > 2 or len(old) < 3:
        return False
    left = list(new)
    gone = 0
    for letter in old:
        if letter in left:
            left.remove(letter)
        else:
            gone += 1
    return gone + len(left) <= ERRORS and gone <= len(old) // 2
