"""Variants of questions and of their gold chunks, and how like the original they are (RARE §5, C)."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import sqrt
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarefy.data_contracts.rows import Chunk, Question, Variant, row_id
from rarefy.tasks.find import find
from rarefy.tasks.perturb.answer_deleted import answer_deleted
from rarefy.tasks.perturb.character import character
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.word import word

__all__ = ["DOCUMENT", "PERTURBATIONS", "QUERY", "PerturbConfig", "vary"]

VERSION = 1

QueryPerturbation = Callable[[Question, PerturbConfig, Random], str]
DocumentPerturbation = Callable[[Question, Chunk], tuple[str, str]]
Embed = Callable[[Sequence[str]], NDArray[Any]]

QUERY: dict[str, QueryPerturbation] = {f.__name__: f for f in (character, word)}
DOCUMENT: dict[str, DocumentPerturbation] = {f.__name__: f for f in (answer_deleted,)}
PERTURBATIONS: dict[str, Callable[..., Any]] = {**QUERY, **DOCUMENT}

_WORD = re.compile(r"[\w.,%$]+")

BLOCK = 1024  # questions embedded together: a few long batches instead of thousands of short ones


def vary(
    questions: Iterable[Question], config: PerturbConfig, *, chunks: Mapping[str, Chunk], embed: Embed
) -> Iterator[Variant]:
    """The variants of each accepted question: itself (`none`), its changed texts, its changed gold chunks.

    Of up to `config.candidates` texts the first whose cosine to the original reaches the threshold is taken, otherwise
    the most similar, which is marked and rejected (`below_threshold`). Where nothing can be changed a row says so
    (`no_candidate`). A multi-hop question needs all its chunks changed: one that cannot be rejects the others
    (`other_chunk_rejected`). Similarities have four decimals: the sixth depends on what a text was batched with.
    """
    accepted = (q for q in questions if not q.rejected_because)
    while block := list(islice(accepted, BLOCK)):
        originals = _unit(embed([q.text for q in block])) if config.query else np.zeros((0, 0))
        of_query = {name: _query(block, originals, name, config, embed) for name in config.query}
        for i, question in enumerate(block):
            yield _variant(question, "query", "none", question.text)
            yield from (variants[i] for variants in of_query.values())
            for name in config.document:
                yield from _document(question, name, config, chunks, embed)


def _variant(question: Question, side: str, name: str, text: str, chunk_id: str = "", **more: Any) -> Variant:
    return Variant(
        variant_id=row_id(question.question_id, side, name, chunk_id, text),
        question_id=question.question_id,
        side=side,
        perturbation=name,
        text=text,
        chunk_id=chunk_id,
        **more,
    )


def _query(
    block: Sequence[Question], originals: NDArray[Any], name: str, config: PerturbConfig, embed: Embed
) -> list[Variant]:
    """The variant of each question by this perturbation; later candidates are made only where still needed."""
    change = find(name, QUERY)
    tried: list[dict[str, float]] = [{} for _ in block]  # candidate text -> similarity, per question
    waiting = list(range(len(block)))
    for candidate in range(config.candidates):
        new: list[tuple[int, str]] = []
        for i in waiting:
            text = change(block[i], config, Random(row_id(block[i].question_id, name, candidate)))
            if text and text != block[i].text and text not in tried[i]:
                new.append((i, text))
        if new:
            likeness = (_unit(embed([text for _, text in new])) * originals[[i for i, _ in new]]).sum(axis=1)
            for (i, text), similarity in zip(new, likeness, strict=True):
                tried[i][text] = round(float(similarity), 4)
        waiting = [i for i in waiting if max(tried[i].values(), default=-1.0) < config.threshold]
    return [_chosen(question, name, tried[i], config) for i, question in enumerate(block)]


def _chosen(question: Question, name: str, tried: Mapping[str, float], config: PerturbConfig) -> Variant:
    if not tried:
        return _variant(question, "query", name, question.text, rejected_because="no_candidate")
    text = max(tried, key=tried.__getitem__)  # the one that passed is the last, and the only one above the threshold
    below = tried[text] < config.threshold
    return _variant(
        question,
        "query",
        name,
        text,
        similarity=tried[text],
        below_threshold=below,
        rejected_because="below_threshold" if below else "",
    )


def _document(
    question: Question, name: str, config: PerturbConfig, chunks: Mapping[str, Chunk], embed: Embed
) -> Iterator[Variant]:
    change = find(name, DOCUMENT)
    made = []
    for chunk_id in dict.fromkeys(question.chunk_ids):
        text, reason = change(question, chunks[chunk_id])
        likeness = 1.0 if reason else _likeness(chunks[chunk_id].text, text, config, embed)
        made.append(_variant(question, "document", name, text, chunk_id, similarity=likeness, rejected_because=reason))
    failed = any(v.rejected_because for v in made)
    yield from (
        replace(v, rejected_because=v.rejected_because or "other_chunk_rejected") if failed else v for v in made
    )


def _likeness(original: str, changed: str, config: PerturbConfig, embed: Embed) -> float:
    if config.document_similarity == "embedding":
        first, second = _unit(embed([original, changed]))
        return round(float(first @ second), 4)
    a, b = Counter(_WORD.findall(original.lower())), Counter(_WORD.findall(changed.lower()))
    length = sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return round(sum(n * b[w] for w, n in a.items()) / length, 4) if length else 0.0


def _unit(vectors: NDArray[Any]) -> NDArray[Any]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)
