"""Noise documents for SURE's K-N and U-N: retrieved chunks without the answer, changed by rules (SURE §3.3, S5, S8)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from rarefy.data_contracts.rows import VERDICTS, Chunk, Hits, Question, Variant
from rarefy.tasks.evaluate.protocols.case import QuestionVariants, cases
from rarefy.tasks.evaluate.protocols.sure import NOISE, SureConfig, is_asked, tried_perturbations
from rarefy.tasks.perturb.catalogue import CATALOGUE
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.vary import vary
from rarefy.tasks.questions.operands import as_passages_state_it
from rarefy.tasks.text.answers import contains_words, core_forms, find_readable, fold

VERSION = 3  # no passage that states the same or a part of it, or an operand of a computed answer
GAINED = "answer_gained"


class NoiseConfig(BaseModel, frozen=True, extra="forbid"):
    """The options of SURE, and those by which the benchmark's own variants were made."""

    sure: SureConfig
    perturb: PerturbConfig


def noise(
    questions: Iterable[Question],
    config: NoiseConfig,
    *,
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk],
    hits: Mapping[str, Hits],
) -> Iterator[Variant]:
    """The changed Noise documents of each question that SURE asks, kept or rejected.

    A Noise document is one of the first that were retrieved for the original wording, is not gold of the question, and
    does not hold its answer in any notation (a chunk that happens to is neither Golden nor Noise here: it is left
    out). A variant that gains the answer, as a timestamp can, is rejected (S5). Only what rules make is made. Nothing
    is made for an answer that no string match finds (yes, no).
    """
    names = tuple(name for name in tried_perturbations(config.sure) if name in CATALOGUE and CATALOGUE[name].rules)
    if not config.sure.noise or not names:
        return
    # alike by their words: an embedder would read two passages for each variant
    only = {"query": (), "document": names, "context": (), "by": "rules", "document_similarity": "words"}
    rules = config.perturb.model_copy(update=only)
    named = {row.retriever for row in hits.values()}
    retriever = next((name for name in config.sure.noise_from if name in named), "")
    of: dict[str, Question] = {}
    for case in cases(questions, variants.values(), chunks, hits.values()):
        found = _select_noise_chunks(case, retriever, config.sure)
        if found:
            of[case.question.question_id] = replace(
                case.question, chunk_ids=found, alternatives=(), parts=(), evidence=(), evidence_spans=()
            )
    for row in vary(of.values(), rules, chunks=chunks, embed=_no_embedder):
        if isinstance(row, Variant) and row.side == "document":
            yield replace(row, side=NOISE) if row.rejected_because else _check_answer_gained(row, of[row.question_id])


def _select_noise_chunks(case: QuestionVariants, retriever: str, config: SureConfig) -> tuple[str, ...]:
    """The best retrieved chunks without the answer in text or title, which a prompt shows."""
    question = case.question
    found = case.hits.get((retriever, case.original.variant_id))
    if found is None or not is_asked(case, config) or fold(question.answer) in VERDICTS:
        return ()
    kept: list[str] = []
    gold = question.stating
    for chunk_id in found.chunk_ids:
        if len(kept) == config.noise:
            break
        chunk = case.chunks[chunk_id]
        if chunk_id not in gold and not _find_answer(question, f"{chunk.title}\n{chunk.text}"):
            kept.append(chunk_id)
    return tuple(kept)


def _check_answer_gained(row: Variant, question: Question) -> Variant:
    """A Noise document is discarded if it gains the answer by its change (S5): as a string, anywhere in it.

    Notations are looked for only where they can come from, the date or link of metadata: the chunk was read for them.
    """
    text = fold(row.text)
    stated = as_passages_state_it(question)
    forms = (form for form in (stated.answer, *stated.aliases) if form.strip())
    gained = next((form for form in forms if any(contains_words(text, core) for core in core_forms(form))), "")
    if not gained and row.family == "metadata":
        gained = _find_answer(question, row.detail)
    if not gained:
        return replace(row, side=NOISE, checks=(*row.checks, "no_answer"))
    return replace(row, side=NOISE, rejected_because=GAINED, detail=gained, spans=())


def _find_answer(question: Question, text: str) -> str:
    """The stretch of a text that states the answer, or an operand of it, in any notation; "" where none does."""
    stated = as_passages_state_it(question)
    return find_readable(text, stated.answer, stated.aliases)


def _no_embedder(texts: Sequence[str]) -> Any:
    raise ValueError("rule-made variants of documents are compared by their words, not by embeddings")
