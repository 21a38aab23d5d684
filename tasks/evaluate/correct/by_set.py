"""Judges answers that are sets of names: right where every member is said, and no other of the candidates."""

import re

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.choice import name_forms, names_none
from rarefy.tasks.evaluate.correct.claim_status import TURNS, Outcome, right, says_none, unclear, wrong
from rarefy.tasks.evaluate.correct.normalise import (
    EMPTY,
    FIGURES_ALONE,
    LEGAL,
    plain_text,
    split_tokens,
    stems,
)
from rarefy.tasks.questions.operands import candidates_of

_EXTRA = 2  # words beside names and the question's own in an answer that is still a plain list
_LISTING = frozenset(
    "and or both only just also these those following answer are is was were did had have has with each at all of the "
    "company companies segment segments region regions product products lines line they them".split()
)
_LESS = r"below|under|less|fewer|lower"
# Denials, doubts and contrasts: whose names they are about is for a judge to say
_TURNS = re.compile(rf"{TURNS.pattern}|\b(?:{_LESS})\b", re.IGNORECASE)
# What is said of others: "; NVIDIA did not", ", but not NVIDIA", "(not NVIDIA)", ". NVIDIA's were only $5"
_CONTRAST = re.compile(r"\([^()]*\)|(?:[.;]\s|,?\s\bbut\s|,\s(?=not\s)|\b(?:while|whereas)\s).*", re.DOTALL)
_CONTRASTS = re.compile(rf"n't\b|\b(?:not|only|neither|nor|short of|{_LESS})\b", re.IGNORECASE)
_ALL = re.compile(
    r"\W*(?:all(?: (?:of (?:them|these|those)|(?:the )?(?:two|three|four|five|six)|companies))*)\W*", re.I
)


def judge_set(text: str, question: Question) -> Outcome:
    """Judge an answer as right, wrong or open.

    Wrong is a plain list that leaves a member out or names another candidate. An answer that denies, doubts or
    contrasts anything, or that says more than names, is wrong by no rule.
    """
    text = plain_text(text, question.language)
    said, rest = _find_names(_without_contrast(text, question), question)
    turned = _TURNS.search(rest) is not None
    plain = not turned and _is_plain(rest, question)
    lost = [name for name in question.members if name not in said]
    others = [name for name in candidates_of(question) if name in said and name not in question.members]
    covered = 1 - len(lost) / len(question.members)
    words = "; ".join(name for name in question.members if name in said)
    if not said and (
        says_none(text, both=False) or FIGURES_ALONE.fullmatch(text) or names_none(text, _member_forms(question))
    ):
        return wrong("no_member", text.strip())
    if turned or (not said and not _ALL.fullmatch(text)):
        return unclear("set_in_prose" if said else "unmatched", words, 0.0)
    if not said:
        return wrong("other_member", text.strip())
    if not lost and not others:
        strange = plain and _has_stranger(rest, question)
        return unclear("other_name", words, covered) if strange else right("contained", words)
    if not plain or _has_stranger(rest, question):
        return unclear("some_parts", words, covered)
    return wrong("other_member", "; ".join(others)) if others else wrong("missing_member", words)


def _without_contrast(text: str, question: Question) -> str:
    """The text without what it says, in contrast, of others than members alone."""
    for hit in reversed([*_CONTRAST.finditer(text)]):
        said = _find_names(hit[0], question)[0]
        if said and said.isdisjoint(question.members) and _CONTRASTS.search(hit[0]):
            text = text[: hit.start()] + text[hit.end() :]
    return text


def _member_forms(question: Question) -> tuple[str, ...]:
    return tuple(form for name in question.members for form in (name, *name_forms(name, candidates_of(question))))


def _find_names(text: str, question: Question) -> tuple[set[str], str]:
    """The candidates that a text names, and the text without them."""
    names = candidates_of(question)
    forms = [(plain_text(form), name) for name in names for form in name_forms(name, names)]
    said: set[str] = set()
    rest = text
    for form, name in sorted(forms, key=lambda pair: (-len(pair[0]), pair)):  # "Walmart U.S." before "Walmart"
        found = re.compile(rf"(?<![\w-]){re.escape(form)}(?:['’]s?)?(?![\w-])", 0 if len(form) < 4 else re.IGNORECASE)
        rest, times = found.subn(" | ", rest)
        if times:
            said.add(name)
    return said, rest


def _is_plain(rest: str, question: Question) -> bool:
    """Whether an answer without its names is no more than what joins them, in the question's own words."""
    rest = re.sub(r"\([^)]*\)", " ", rest)
    own = stems(question.text)
    left = [word for word in split_tokens(rest) if not _is_said(word, own)]
    return len(left) <= _EXTRA and len(re.findall(r"[.!?]\s+\S", rest)) == 0


def _is_said(word: str, own: frozenset[str]) -> bool:
    return word in _LISTING or word in EMPTY or word in LEGAL or bool(stems(word) & own) or word[0].isdigit()


def _has_stranger(rest: str, question: Question) -> bool:
    """Whether a list has a name that is no candidate ("Apple, Meta and Google")."""
    own = stems(question.text)
    named = re.findall(r"(?<=\|)\W*(?:and\s+|or\s+)?([A-Z][\w&.'-]+)|([A-Z][\w&.'-]+)\W*(?:and\s+|or\s+)?(?=\|)", rest)
    return any(not _is_said(word.casefold().strip("."), own) for pair in named for word in pair if word)
