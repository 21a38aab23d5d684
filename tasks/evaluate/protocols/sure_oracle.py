"""SURE's first experiment: does a model prefer documents for what does not matter? (SURE §2, App. B)."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Figure, Hits, Passage, Question, Variant, row_id
from rarefy.tasks.evaluate.protocols.case import QuestionVariants, cases
from rarefy.tasks.evaluate.protocols.sure import holds_answer
from rarefy.tasks.evaluate.systems.rag.likelihood import (
    NO_LOGPROBS,
    NOT_AVAILABLE,
    Likelihood,
    LikelihoodConfig,
    OracleQuestion,
    score_continuations,
    score_oracle,
)
from rarefy.tasks.models.llm import LLM
from rarefy.tasks.text.readability import reading_ease

if TYPE_CHECKING:
    from spacy.tokens import Token

# Text features (Appendix B)

_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
Depth = Literal["deepest", "mean"]


@dataclass(frozen=True, slots=True)
class Features:
    """The five features of Tables 3 and 4; NaN where there is nothing to measure."""

    flesch: float
    distinct: float  # different words of all words
    depth: float  # arcs from the root of a sentence to its deepest word
    perplexity: float = math.nan  # of the model that is looked at
    tokens: float = math.nan  # of that model


NAMES = {
    "flesch": "Flesch score",
    "distinct": "Distinct-1",
    "depth": "dependency tree depth",
    "perplexity": "perplexity",
    "tokens": "token length",
}


def features(texts: Sequence[str], depth: Depth = "deepest") -> Iterator[Features]:
    """Flesch, Distinct-1 and depth of each text. English alone: all three are made for it."""
    from rarefy.tasks.text.language import load

    for text, doc in zip(texts, load().pipe(texts, disable=["ner"]), strict=True):
        words = [word.casefold() for word in _WORD.findall(text)]
        arcs = [
            max(map(_depth_of, sentence)) for sentence in doc.sents if any(not token.is_space for token in sentence)
        ]
        yield Features(
            reading_ease(text) if words else math.nan,
            len(set(words)) / len(words) if words else math.nan,
            float(max(arcs) if depth == "deepest" else sum(arcs) / len(arcs)) if arcs else math.nan,
        )


def _depth_of(token: "Token") -> int:
    """The number of arcs from a word to the root of its sentence."""
    count = 0
    while token.head.i != token.i:
        token = token.head
        count += 1
    return count


def perplexity(logprob: float, scored: int) -> float:
    """exp of the mean negative log-probability (natural) of the tokens that have one; NaN where none has."""
    return math.exp(-logprob / scored) if scored else math.nan


VERSION = 2  # nothing of what the corpus does not answer
GROUPS = ("first", "last", "control_1", "control_2")
SETS = {"first and last": GROUPS[:2], "control": GROUPS[2:]}


class OracleConfig(BaseModel, frozen=True, extra="forbid"):
    """The model whose preferences are measured, and over which documents."""

    likelihood: LikelihoodConfig = Field(
        default_factory=lambda: LikelihoodConfig.model_validate({}),
        description="the model, at an endpoint that tells log-probabilities",
    )
    retriever: str = Field("dense", description="of the documents that are ranked anew; the paper's is Contriever")
    depth: int = Field(100, ge=2, description="documents retrieved per question")
    alpha: float = Field(0.05, gt=0, lt=1, description="of the Kolmogorov-Smirnov test")
    seed: int = Field(0, description="of the two random documents of the control, drawn per question")
    tree: Depth = Field(
        "deepest",
        description="depth of a document of several sentences: that of the deepest, or the mean",
        json_schema_extra={"tag": "open", "source": "SURE Appendix B (depth of a sentence alone)"},
    )


@dataclass(frozen=True, slots=True)
class Preferred:
    """A document that the oracle put first or last for a question, or chance picked, with its features.

    `error` says why there is none: no_hits | few_documents (fewer than two hold the answer) | a code of Likelihood.
    """

    question_id: str
    group: str = ""  # first | last | control_1 | control_2
    chunk_id: str = ""
    oracle: float = math.nan  # Σ log p of the answer, mean of its short forms (eq. 1)
    documents: int = 0  # that were ranked
    flesch: float = math.nan
    distinct: float = math.nan
    depth: float = math.nan
    perplexity: float = math.nan
    tokens: float = math.nan
    error: str = ""
    detail: str = ""


def preferred(
    questions: Iterable[Question],
    config: OracleConfig,
    *,
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk],
    hits: Mapping[str, Hits],
    llm: LLM,
) -> Iterator[Preferred]:
    """Four documents of each question that has two or more with its answer: the first and the last, and two by chance.

    All hold the answer (in any notation), so that what tells them apart is something else. Questions without an answer
    of few tokens, or without two such documents, are a row that says so.
    """
    held: dict[str, tuple[QuestionVariants, list[Chunk]]] = {}
    for case in cases(questions, variants.values(), chunks, hits.values()):
        if case.question.pattern == "absent":
            continue
        found = case.hits.get((config.retriever, case.original.variant_id))
        if found is None:
            yield Preferred(case.question.question_id, error="no_hits", detail=f"by {config.retriever!r}")
            continue
        ranked = [case.chunks[name] for name in found.chunk_ids[: config.depth]]
        golden = [chunk for chunk in ranked if holds_answer(case, chunk)]
        if len(golden) < 2:
            yield Preferred(case.question.question_id, documents=len(golden), error="few_documents")
            continue
        held[case.question.question_id] = case, golden
    scores = _score_documents(held, config, llm)
    rows: list[Preferred] = []
    for question_id, (_, golden) in held.items():
        mine = [scores[question_id, chunk.chunk_id] for chunk in golden]
        failed = next((one for one in mine if one.logprob is None), None)
        if failed:
            yield Preferred(question_id, documents=len(golden), error=failed.error, detail=failed.detail)
        else:
            rows += _select_documents(question_id, golden, mine, config.seed)
    yield from _add_features(rows, chunks, config, llm)


def _score_documents(
    held: Mapping[str, tuple[QuestionVariants, Sequence[Chunk]]], config: OracleConfig, llm: LLM
) -> dict[tuple[str, str], Likelihood]:
    """Oracle(x, y, θ) of each question with each of its documents."""
    keys = [(name, chunk.chunk_id) for name, (_, golden) in held.items() for chunk in golden]

    def puts() -> Iterator[OracleQuestion]:
        for name, (case, golden) in held.items():
            of = case.question
            for chunk in golden:
                passage = Passage(chunk.chunk_id, chunk.text, chunk.title)
                yield f"{name} {chunk.chunk_id}", case.original.text, passage, (of.answer, *of.aliases)

    return dict(zip(keys, score_oracle(puts(), config.likelihood, llm), strict=True))


def _select_documents(
    question_id: str, golden: Sequence[Chunk], scores: Sequence[Likelihood], seed: int
) -> Iterator[Preferred]:
    """First and last by the oracle, ties by name, and two by chance."""
    logprobs = {chunk.chunk_id: score.logprob or 0.0 for chunk, score in zip(golden, scores, strict=True)}
    order = sorted(logprobs, key=lambda name: (-logprobs[name], name))
    drawn = Random(row_id("oracle", seed, question_id)).sample(sorted(logprobs), 2)
    for group, name in zip(GROUPS, (order[0], order[-1], *drawn), strict=True):
        yield Preferred(question_id, group, name, logprobs[name], len(golden))


def _add_features(
    rows: Sequence[Preferred], chunks: Mapping[str, Chunk], config: OracleConfig, llm: LLM
) -> Iterator[Preferred]:
    """The rows with their features; each text is parsed and scored by the model once."""
    names = sorted({row.chunk_id for row in rows})
    texts = [chunks[name].text for name in names]
    scores = score_continuations(((name, (), text) for name, text in zip(names, texts, strict=True)), llm)
    found: dict[str, Features] = {}
    for name, plain, score in zip(names, features(texts, config.tree), scores, strict=True):
        if score.logprob is not None:
            plain = replace(plain, perplexity=perplexity(score.logprob, score.scored), tokens=float(score.tokens))
        found[name] = plain
    for row in rows:
        yield replace(row, **dict(zip(NAMES, astuple(found[row.chunk_id]), strict=True)))


def compare_features(rows: Iterable[Preferred], config: OracleConfig, *, system: str) -> Iterator[Figure]:
    """Tables 3 and 4: the K-S statistic of each feature between first and last, and between the two of the control.

    Each figure's note has its p. Without log-probabilities each says "not available: ..." instead of a value.
    """
    from rarefy.tasks.evaluate.statistics.significance import ks

    all_rows = list(rows)
    chosen = [row for row in all_rows if row.group]
    lost = sum(bool(row.error) for row in all_rows)
    without = not chosen and any(row.error == NO_LOGPROBS for row in all_rows)
    for slice_, (one, other) in SETS.items():
        for field, name in NAMES.items():
            sides = [
                [getattr(row, field) for row in chosen if row.group == group and not math.isnan(getattr(row, field))]
                for group in (one, other)
            ]
            n = min(map(len, sides))
            metric = f"K-S, {name}"
            figure = Figure(row_id("figure", system, "sure", metric, slice_), system, "sure", metric, slice_, None)
            figure = replace(figure, n_scored=n, n_skipped=lost, unit="documents a side")
            if without:
                yield replace(figure, note=NOT_AVAILABLE)
            elif n:
                test = ks(*sides)
                verdict = "differ" if test.p < config.alpha else "not shown to differ"
                note = f"p = {test.p:.3g}; {verdict} at {config.alpha:g}"
                yield replace(figure, value=test.statistic, clusters=n, note=note)
            else:
                yield replace(figure, note="no question has two documents with its answer, each scored")
