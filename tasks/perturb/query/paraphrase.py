"""Paraphrase a question by rules: other orders, voices, set phrases and synonyms (IBM §3)."""

import re
from collections.abc import Iterator
from random import Random

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text.syntax import (
    parse_measure_question,
    reorder_question,
    rephrase_measure_question,
    replacements,
    reword_terms,
)

LONGEST = 600  # characters of a question
PIVOTS = frozenset({"company", "companies"})  # never replaced
WORDS = 2  # synonyms in one paraphrase, at most, as their small differences add up
REWORDED = 0.6  # probability that a time, a unit or a company is reworded as well

_NAMED = re.compile(r"[^\W\d_]{2,}")


def paraphrase(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Paraphrases of the question: first in other orders or frames, then with synonyms alone.

    Numbers, dates, names and units stay. None for a text that is not a question of one sentence.
    """
    question = case.text.strip()
    if not question or len(question) > LONGEST or "\n" in question:
        return
    parts = parse_measure_question(question)
    framed = list(rephrase_measure_question(parts)) if parts else list(reorder_question(question))
    named = {word.lower() for word in _NAMED.findall(case.entity)}
    exchanges = _find_exchanges(question, named)
    seen = {question}
    for what, text in [*_alternate_frames(framed, random), *(("words", question) for _ in range(config.paraphrases))]:
        new_text, details = text, [what]
        for name, choices in _list_rewordings(text).items():
            if random.random() < REWORDED or what == "words":
                new_text = random.choice(choices)
                details.append(name)
                break
        new_text, words = _exchange_words(new_text, exchanges, random)
        details += words
        if what in ("words", "which") and len(details) < 2:
            continue
        if new_text not in seen and not _has_doubled_word(new_text):
            seen.add(new_text)
            yield Draft(new_text, detail=", ".join(details))


def _alternate_frames(framed: list[tuple[str, str]], random: Random) -> list[tuple[str, str]]:
    """The frames in random order, one of each kind first."""
    drawn = list(framed)
    random.shuffle(drawn)
    first: dict[str, tuple[str, str]] = {}
    for frame in drawn:
        first.setdefault(frame[0], frame)
    later = [frame for frame in drawn if first[frame[0]] is not frame]
    # the smallest change is the last
    return sorted(first.values(), key=lambda frame: frame[0] == "which") + later


def _list_rewordings(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, renamed in reword_terms(text):
        found.setdefault(name, []).append(renamed)
    return found


def _find_exchanges(question: str, named: set[str]) -> list[list[tuple[str, str]]]:
    """The possible replacements (old, new) of each word or phrase of the question that has some."""
    found = []
    for edits in replacements(question):
        pairs = [(question[edit.start : edit.end], edit.new) for edit in edits]
        # a repeated word may mean two things
        alone = all(len(_find_places(old, question)) == 1 and old.lower() not in PIVOTS for old, _ in pairs)
        if alone and not named & {word.lower() for old, _ in pairs for word in _NAMED.findall(old)}:
            found.append(pairs)
    return found


def _exchange_words(text: str, exchanges: list[list[tuple[str, str]]], random: Random) -> tuple[str, list[str]]:
    drawn = [random.choice(pairs) for pairs in random.sample(exchanges, len(exchanges))]
    details: list[str] = []
    for old, new in drawn:
        places = _find_places(old, text)
        if len(places) == 1 and len(details) < WORDS:
            text = text[: places[0]] + new + text[places[0] + len(old) :]
            details.append(f"{old} > {new}")
    return text, details


def _find_places(old: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text)]


def _has_doubled_word(text: str) -> bool:
    """Whether a word or mark is doubled ("in in", ",,")."""
    return re.search(r"\b(\w+) \1\b|\.\.|,,|,\?", text) is not None
