"""Passages that are taken as they stand, from near the gold one or from elsewhere (Magic Mushroom §3.2; IBM §3)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.names import called
from rarefy.tasks.perturb.passages import windows
from rarefy.tasks.text.dates import MONTHS
from rarefy.tasks.text.names import without_form
from rarefy.tasks.text.notations import occurs
from rarefy.tasks.text.stems import stem, stems, words

# Words that questions on anything in a corpus share, in whichever form
_COMMON = frozenset(
    stems(
        """
        what which when where whose were that this with from have does year years fiscal company companies total other
        same million millions billion billions thousand thousands dollar dollars share shares percentage percent
        according annual report ended during between based headquartered issued among than into
        """
    )
) | frozenset(map(stem, MONTHS))
# "4.875% Notes due 2039", "Balaji Purushothaman"
_NAMED = re.compile(r"(?<!^)\b[A-Z0-9][\w.%&’'-]*(?:\s(?:[A-Z0-9][\w.%&’'-]*|due|of|and|the|&))*")
LONGEST = 20_000  # characters: a longer one is a file's line that never ends, and nothing that a retriever gives
SHORTEST = 4  # letters of a word that says what a question is about
SHARED = 1  # of the other words of a question so many may stand in a passage that is off its topic


@dataclass(frozen=True, slots=True)
class Near:
    """A passage of a chunk that is no gold one."""

    chunk_id: str
    text: str
    kind: str  # text | table, of its chunk
    title: str
    section: str
    language: str


def around(case: Case, config: PerturbConfig) -> Iterator[Near]:
    """The passages near the gold ones that neither answer nor lead there: each chunk's first, then its second, ..."""
    names, told = case.pool.neighbours if case.pool else (), telltales(case)
    cuts = [(case.chunks[name], windows(case.chunks[name].text, config.passage)) for name in names]
    for turn in range(max((len(found) for _, found in cuts), default=0)):
        for chunk, found in cuts:
            if turn < len(found):
                text = chunk.text[slice(*found[turn])]
                if text not in case.text and _says_nothing(text, case, told):
                    yield Near(chunk.chunk_id, text, chunk.kind, chunk.title, chunk.section, chunk.language)


def inconsequential(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passages that stand near the gold one and do not hold the answer, nearest first."""
    for near in around(case, config):
        yield Draft(near.text, chunk_id=near.chunk_id)


def irrelevant(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Passages of other questions' documents that share neither the answer nor the topic."""
    for name, text in _strangers(case, config):
        yield Draft(text, chunk_id=name)


def distraction_before(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A passage of another document, then the gold one."""
    for name, text in _strangers(case, config):
        at = len(text) + 2
        yield Draft(f"{text}\n\n{case.text}", (Move(0, len(case.text), at),), f"before it: {name}")


def distraction_after(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The gold passage, then one of another document."""
    for name, text in _strangers(case, config):
        yield Draft(f"{case.text}\n\n{text}", (Move(0, len(case.text), 0),), f"after it: {name}")


def _strangers(case: Case, config: PerturbConfig) -> Iterator[tuple[str, str]]:
    """Passages of other documents off the topic that do not hold the answer, one of each chunk, by hash."""
    told, topic = telltales(case), _topic(case.question)
    for name in case.pool.strangers if case.pool else ():
        chunk = case.chunks[name]
        found = windows(chunk.text, config.passage)
        if found:
            start, end = found[int(row_id(case.question_id, name), 16) % len(found)]
            text = chunk.text[start:end]
            near = len(topic.intersection(stems(text))) > SHARED or _mentions(text, case.entity)
            if not near and _says_nothing(text, case, told):
                yield name, text


def telltales(case: Case) -> tuple[str, ...]:
    """What must not stand in noise besides the answer: gold sentences, and the names by which a question is led on.

    Headers of tables and what has no four words stand in many places and support nothing alone.
    """
    golds = [case.chunks[name].text for name in case.golds if name in case.chunks] or [case.text]
    told = [
        _plain(sentence)
        for sentence in case.evidence
        if len(re.findall(r"[^\W_]{2,}", sentence)) > 3
        and not any(f"{sentence.strip()}\n|--" in gold for gold in golds)
    ]
    if len(set(case.golds)) > 1:  # "the company whose chief executive officer is Andrew R. Jassy"
        evidence, entity = " ".join(map(_plain, case.evidence)), _plain(case.entity)
        names = (_plain(match.group().rstrip(" ,.?")) for match in _NAMED.finditer(case.question))
        told += [name for name in names if " " in name and name in evidence and name not in entity]
    return tuple(dict.fromkeys(told))


def _says_nothing(text: str, case: Case, told: tuple[str, ...]) -> bool:
    """Is the answer not in a passage, and nothing that leads to it?"""
    if len(text) > LONGEST or occurs(text, case.answer, case.aliases) or called(text, case.answer, case.question):
        return False
    plain = _plain(text)
    return not any(sentence in plain for sentence in told)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _topic(question: str) -> set[str]:
    """The stems of what a question is about."""
    return {stem(word) for word in words(question) if len(word) >= SHORTEST and word[0].isalpha()} - _COMMON


def _mentions(text: str, entity: str) -> bool:
    """Does a passage name whom the question is about?"""
    short = re.sub(r"\.com.*$", "", without_form(entity))
    return bool(short) and short.casefold() in text.casefold()
