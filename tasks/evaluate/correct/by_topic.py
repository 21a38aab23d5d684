"""What an answer repeats of its question, and answers that are about something else."""

import re

from rarefy.tasks.evaluate.correct.by_words import is_capitalised
from rarefy.tasks.evaluate.correct.claim_status import NEGATION
from rarefy.tasks.evaluate.correct.gold import Expectation, GoldAnswer
from rarefy.tasks.evaluate.correct.normalise import EMPTY, split_tokens, split_words
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.stems import stem

_TITLED = re.compile(r"(?:\b[Aa]ccording to|”,? in|\",? in) [“\"](?P<title>[^“”]{3,160}?)[”\"](?=[\s,?])")
_STATED = re.compile(r"\s(?:is|are|was|were)\s+(?=\S)")
_LISTED_AS = re.compile(
    r"^\W*(?:it|this|that)\s(?:is|was)\s(?:listed|given|shown|stated|recorded)\sas\s(?=\S)", re.IGNORECASE
)
_OF_ANSWERS = frozenset(map(stem, "answer value figure amount listed given according document".split()))
_POINTS_BACK = re.compile(
    r"\W*(?:it|they|he|she|that|this|these|those|there|you|we|yes|no|both|neither)\b", re.IGNORECASE
)
_NOTHING = re.compile(r"\b(?:nothing|without|unable|lacks?)\b", re.IGNORECASE)
_SENTENCE = 10  # words of a sentence that shows what it is about
_LONGEST = 60  # of what a reader sees at one glance to be about something else
_TELLING = 3  # letters of a word that does


def strip_repeated_titles(text: str, question: str) -> str:
    """Return an answer without the titles of tables and pages that its question names, or all of it.

    They are those that stand in quotes behind "according to" or "in"; their numbers and years answer nothing.
    """
    titles = [hit["title"] for hit in _TITLED.finditer(question)]
    kept = text
    for title in dict.fromkeys(titles):
        kept = re.sub(
            rf"(?:,?\s?\b(?:according to|in)\s)?[“\"]{re.escape(title)}[”\"],?\s?", " ", kept, flags=re.IGNORECASE
        )
    return kept.strip() if kept != text and re.search(r"\w", kept) else text


def strip_echo(text: str, about: Expectation) -> str:
    """Return what an answer states behind the words of its question: "$65" of "The previous fee of X is $65."."""
    text = _LISTED_AS.sub("", text)
    for hit in _STATED.finditer(text):
        before = text[: hit.start()]
        words = {stem(word) for word in split_tokens(before) if word not in EMPTY}
        if not words <= about.words | _OF_ANSWERS or is_capitalised(before) or re.search(r"[.;!?]\s", before):
            break  # a name may be the answer: "The Tasse is longer."
        stated = text[hit.end() :]
        new = {stem(word) for word in split_tokens(stated) if word not in EMPTY} - about.words
        if words & about.words and new and not NEGATION.match(stated):
            return stated
    return text


def is_off_topic(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a sentence has no word of the question or of the gold answer, nor a synonym of one.

    Of 62 such answers that were open, people and careful readers called all wrong. Not said of what may point back to
    the question ("It was called off") or decline, nor where a yes or no is asked for.
    """
    if gold.kind == "verdict" or not _SENTENCE <= len(split_words(text)) <= _LONGEST or _POINTS_BACK.match(text):
        return False
    if NEGATION.search(text) or _NOTHING.search(text):
        return False  # it may decline
    mine = _telling_words(text)
    theirs = _telling_words(about.question.text).union(*map(_telling_words, gold.forms))
    if {*map(stem, mine)} & {*map(stem, theirs)}:
        return False
    return theirs.isdisjoint(same for word in mine for pos in "nvar" for same in wordnet.synonyms(word, pos))


def _telling_words(text: str) -> set[str]:
    return {word for word in split_tokens(text) if len(word) >= _TELLING and word.isalpha() and word not in EMPTY}
