"""Which class of Magic Mushroom a retrieved passage is of, for its question (§2, Appendix A)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rarefy.data_contracts.contexts import Classified, Retrieved
from rarefy.data_contracts.rows import Chunk, Question, Unanswered
from rarefy.tasks.models.llm import LLM
from rarefy.tasks.perturb.mix.by_model import asked
from rarefy.tasks.perturb.mix.classify_config import ClassifyConfig
from rarefy.tasks.perturb.mix.corpus import Corpus
from rarefy.tasks.perturb.mix.gold import Gold, gold_of
from rarefy.tasks.perturb.mix.signs import BLANK, Finding, found
from rarefy.tasks.perturb.proof import Embed

UNCLEAR = "unclear"


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
