"""Which class of Magic Mushroom a retrieved passage is of, for its question (§2, Appendix A)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.contexts import Classified, Retrieved
from rarefy.data_contracts.rows import Chunk, Question, Unanswered
from rarefy.tasks.models.llm import LLM
from rarefy.tasks.perturb.mix.by_model import asked
from rarefy.tasks.perturb.mix.corpus import Corpus
from rarefy.tasks.perturb.mix.gold import Gold, gold_of
from rarefy.tasks.perturb.mix.signs import BLANK, Finding, found
from rarefy.tasks.perturb.proof import Embed

UNCLEAR = "unclear"


class ClassifyConfig(BaseModel, frozen=True, extra="forbid"):
    """How retrieved passages are told apart."""

    by: Literal["rules", "model"] = Field(
        "rules", description="rules: offline; model: the model is asked about every passage"
    )
    evidence: float = Field(
        0.6, gt=0, le=1, description="share of an evidence sentence that a passage must say to say the same"
    )
    rival: float = Field(
        0.6,
        gt=0,
        le=1,
        description="share of it, without the answer, that a passage must say to say something against it",
    )
    debris: float = Field(
        0.5, gt=0, le=1, description="from here on a passage is debris: 0 in good order, 1 nothing else"
    )
    altered: float = Field(
        0.2, gt=0, le=1, description="share of a passage's sentences that say otherwise than the gold document does"
    )
    topic: tuple[float, float] = Field(
        (0.2, 0.4),
        description="share of the question that a passage of an unknown document must say: below the first it is "
        "irrelevant, from the second on it is on topic, in between that is unclear",
    )
    alike: tuple[float, float] = Field(
        (0.25, 0.45), description="as `topic`, by the cosine of an embedder, where one is given"
    )
    reach: int = Field(
        5, ge=0, description="chunks before and after a gold chunk that a passage is checked against for altered facts"
    )
    temperature: float = Field(0.0, ge=0, le=2, description="of the model")
    max_tokens: int = Field(200, ge=1, description="of its reply")
    seed: int = Field(0, description="of the model, for a provider that takes one")


def classify(
    retrieved: Iterable[Retrieved],
    config: ClassifyConfig,
    *,
    questions: Mapping[str, Question],
    chunks: Mapping[str, Chunk] | None = None,
    embed: Embed | None = None,
    llm: LLM | None = None,
) -> Iterator[Classified | Unanswered]:
    """What each retrieved passage is to its question, question by question and then by rank.

    `chunks` are the corpus, as far as there is one: they tell which documents the gold chunks are of, and what these
    say. Without them only the evidence of the question is known, and facts altered elsewhere in a passage pass
    unseen. `unclear` is what the rules, or the model, would not decide, and every passage of a question that is not
    known. A request that got no answer is an Unanswered row too. ValueError where a model is wanted and none is given.
    """
    if config.by == "model" and llm is None:
        raise ValueError('by = "model" needs a model')
    of_question: dict[str, list[Retrieved]] = defaultdict(list)
    for passage in retrieved:
        of_question[passage.question_id].append(passage)
    corpus = Corpus(chunks or {})
    todo: list[tuple[Retrieved, Gold]] = []
    for question_id, passages in of_question.items():
        question = questions.get(question_id)
        if question is None:
            yield from (_row(one, BLANK, "no such question") for one in passages)
            continue
        gold = gold_of(question, corpus, config.reach)
        placed = (corpus.placed(passage, gold.documents) for passage in passages)
        ordered = sorted(placed, key=lambda passage: (passage.rank, passage.passage_id, passage.text))
        if config.by == "model":
            todo += [(one, gold) for one in ordered]
            continue
        alike = _alike(question, ordered, embed)
        for one, cosine in zip(ordered, alike, strict=True):
            yield _row(one, found(one, gold, config, cosine))
    if todo and llm is not None:
        yield from asked(todo, config, llm)


def _row(passage: Retrieved, finding: Finding, why: str = "") -> Classified:
    return Classified(
        passage.question_id, passage.rank, passage.passage_id, finding.label, why or finding.why, "rules",
        dict(finding.scores),
    )  # fmt: skip


def _alike(question: Question, passages: list[Retrieved], embed: Embed | None) -> list[float | None]:
    if embed is None or not passages:
        return [None] * len(passages)
    vectors = embed([question.text, *(passage.text for passage in passages)])
    return [round(float(vector @ vectors[0]), 4) for vector in vectors[1:]]
