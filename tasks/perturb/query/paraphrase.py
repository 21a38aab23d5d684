"""The same question in other words and another syntax (IBM §3): orders, voices, frames, set wordings, synonyms."""

import re
from collections.abc import Iterator
from random import Random

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text.syntax import asked, asked_otherwise, measured, replacements, reworded

LONGEST = 600  # characters of a question: what is longer is a text with a question in it
PIVOTS = frozenset({"company", "companies"})  # what is sought is called what the corpus calls it
WORDS = 2  # synonyms in one paraphrase at most: with more, their small differences add up
REWORDED = 0.6  # how often a time, a unit or a company is said otherwise besides

_NAMED = re.compile(r"[^\W\d_]{2,}")


def paraphrase(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question asked otherwise, each time in another order or frame first, then in other words alone.

    Numbers, dates, names and units stay. Nothing for a text that is no question of one sentence.
    """
    question = case.text.strip()
    if not question or len(question) > LONGEST or "\n" in question:
        return
    parts = measured(question)
    framed = list(asked_otherwise(parts)) if parts else list(asked(question))
    named = {word.lower() for word in _NAMED.findall(case.entity)}
    exchanges = _exchanges(question, named)
    seen = {question}
    for what, text in [*_in_turn(framed, random), *(("words", question) for _ in range(config.paraphrases))]:
        made, details = text, [what]
        for name, choices in _by_name(text).items():
            if random.random() < REWORDED or what == "words":
                made = random.choice(choices)
                details.append(name)
                break
        made, words = _other_words(made, exchanges, random)
        details += words
        if what in ("words", "which") and len(details) < 2:
            continue
        if made not in seen and not _doubled(made):
            seen.add(made)
            yield Draft(made, detail=", ".join(details))


def _in_turn(framed: list[tuple[str, str]], random: Random) -> list[tuple[str, str]]:
    """One of each frame in an order that is drawn, then the others."""
    drawn = list(framed)
    random.shuffle(drawn)
    first: dict[str, tuple[str, str]] = {}
    for frame in drawn:
        first.setdefault(frame[0], frame)
    later = [frame for frame in drawn if first[frame[0]] is not frame]
    # the smallest change is the last
    return sorted(first.values(), key=lambda frame: frame[0] == "which") + later


def _by_name(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, made in reworded(text):
        found.setdefault(name, []).append(made)
    return found


def _exchanges(question: str, named: set[str]) -> list[list[tuple[str, str]]]:
    """For each word or phrase of the question that may be another: what stands there, and what may instead."""
    found = []
    for edits in replacements(question):
        pairs = [(question[edit.start : edit.end], edit.new) for edit in edits]
        # a word that stands twice may mean two things
        alone = all(len(_places(old, question)) == 1 and old.lower() not in PIVOTS for old, _ in pairs)
        if alone and not named & {word.lower() for old, _ in pairs for word in _NAMED.findall(old)}:
            found.append(pairs)
    return found


def _other_words(text: str, exchanges: list[list[tuple[str, str]]], random: Random) -> tuple[str, list[str]]:
    drawn = [random.choice(pairs) for pairs in random.sample(exchanges, len(exchanges))]
    told: list[str] = []
    for old, new in drawn:
        places = _places(old, text)
        if len(places) == 1 and len(told) < WORDS:
            text = text[: places[0]] + new + text[places[0] + len(old) :]
            told.append(f"{old} > {new}")
    return text, told


def _places(old: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text)]


def _doubled(text: str) -> bool:
    """Did two changes meet and say a word twice ("in in", "the the")?"""
    return re.search(r"\b(\w+) \1\b|\.\.|,,|,\?", text) is not None
