"""Noise passages taken unchanged from near the gold one or from other documents (Magic Mushroom §3.2; IBM §3)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.other_values import is_name_mentioned
from rarefy.tasks.perturb.passages import split_passages
from rarefy.tasks.text.dates import MONTHS
from rarefy.tasks.text.names import without_form
from rarefy.tasks.text.notations import contains_answer
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
LONGEST = 20_000  # characters of a passage that a retriever may return
SHORTEST = 4  # letters of a word that says what a question is about
SHARED = 1  # topic words of the question that an off-topic passage may contain


@dataclass(frozen=True, slots=True)
class NearbyPassage:
    """A passage near a gold one, of a chunk that is not gold."""

    chunk_id: str
    text: str
    kind: str  # text | table, of its chunk
    title: str
    section: str
    language: str


def find_nearby_passages(case: Case, config: PerturbConfig) -> Iterator[NearbyPassage]:
    """Passages near the gold ones without the answer or clues to it: the first of each chunk, then the second, ..."""
    names, clues = case.pool.neighbours if case.pool else (), find_clues(case)
    cuts = [(case.chunks[name], split_passages(case.chunks[name].text, config.passage)) for name in names]
    for turn in range(max((len(found) for _, found in cuts), default=0)):
        for chunk, found in cuts:
            if turn < len(found):
                text = chunk.text[slice(*found[turn])]
                if text not in case.text and _is_free_of_clues(text, case, clues):
                    yield NearbyPassage(chunk.chunk_id, text, chunk.kind, chunk.title, chunk.section, chunk.language)


def inconsequential(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Passages near the gold one that do not hold the answer, nearest first."""
    for near in find_nearby_passages(case, config):
        yield Draft(near.text, chunk_id=near.chunk_id)


def irrelevant(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Passages of other documents that share neither the answer nor the topic."""
    for name, text in _find_distant_passages(case, config):
        yield Draft(text, chunk_id=name)


def distraction_before(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A passage of another document, then the gold one."""
    for name, text in _find_distant_passages(case, config):
        at = len(text) + 2
        yield Draft(f"{text}\n\n{case.text}", (Move(0, len(case.text), at),), f"before it: {name}")


def distraction_after(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The gold passage, then one of another document."""
    for name, text in _find_distant_passages(case, config):
        yield Draft(f"{case.text}\n\n{text}", (Move(0, len(case.text), 0),), f"after it: {name}")


def _find_distant_passages(case: Case, config: PerturbConfig) -> Iterator[tuple[str, str]]:
    """Chunk ids and texts of off-topic passages of other documents without the answer, one per chunk, by hash."""
    clues, topic = find_clues(case), topic_stems(case.question)
    for name in case.pool.strangers if case.pool else ():
        chunk = case.chunks[name]
        found = split_passages(chunk.text, config.passage)
        if found:
            start, end = found[int(row_id(case.question_id, name), 16) % len(found)]
            text = chunk.text[start:end]
            near = len(topic.intersection(stems(text))) > SHARED or _mentions_entity(text, case.entity)
            if not near and _is_free_of_clues(text, case, clues):
                yield name, text


def find_clues(case: Case) -> tuple[str, ...]:
    """What noise must not contain besides the answer: gold sentences, and names that connect hops.

    Headers of tables and sentences of fewer than four words are common and support nothing alone.
    """
    golds = [case.chunks[name].text for name in case.golds if name in case.chunks] or [case.text]
    clues = [
        _normalise_space(sentence)
        for sentence in case.evidence
        if len(re.findall(r"[^\W_]{2,}", sentence)) > 3
        and not any(f"{sentence.strip()}\n|--" in gold for gold in golds)
    ]
    if len(set(case.golds)) > 1:  # "the company whose chief executive officer is Andrew R. Jassy"
        evidence, entity = " ".join(map(_normalise_space, case.evidence)), _normalise_space(case.entity)
        names = (_normalise_space(match.group().rstrip(" ,.?")) for match in _NAMED.finditer(case.question))
        clues += [name for name in names if " " in name and name in evidence and name not in entity]
    return tuple(dict.fromkeys(clues))


def _is_free_of_clues(text: str, case: Case, clues: tuple[str, ...]) -> bool:
    """Whether a passage contains neither the answer nor a clue to it."""
    if (
        len(text) > LONGEST
        or contains_answer(text, case.answer, case.aliases)
        or is_name_mentioned(text, case.answer, case.question)
    ):
        return False
    plain = _normalise_space(text)
    return not any(sentence in plain for sentence in clues)


def _normalise_space(text: str) -> str:
    return " ".join(text.casefold().split())


def topic_stems(question: str) -> set[str]:
    """Stems of the words that say what a question is about."""
    return {stem(word) for word in words(question) if len(word) >= SHORTEST and word[0].isalpha()} - _COMMON


def _mentions_entity(text: str, entity: str) -> bool:
    """Whether a passage names the entity that the question is about."""
    short = re.sub(r"\.com.*$", "", without_form(entity))
    return bool(short) and short.casefold() in text.casefold()
