"""Which questions are good enough, and why the others are not (RARE §3.4, R19-R23)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.evidence import answer_in_evidence
from rarefy.tasks.questions.gates.given_away import answer_given_away, pivot_given_away
from rarefy.tasks.questions.gates.near_duplicate import near_duplicate
from rarefy.tasks.questions.gates.one_answer import one_answer
from rarefy.tasks.questions.gates.pivot import pivot_rarity
from rarefy.tasks.questions.gates.retrievable import retrievable
from rarefy.tasks.questions.gates.several_chunks import several_chunks
from rarefy.tasks.questions.gates.wording import readable, self_contained

__all__ = ["GATES", "GatesConfig", "judge"]

VERSION = 3

# (questions still standing, config, chunks=, triplets=) -> reason by question id, for those that it rejects
Gate = Callable[..., Mapping[str, str]]
GATES: dict[str, Gate] = {
    f.__name__: f
    for f in (
        answer_in_evidence,
        answer_given_away,
        pivot_given_away,
        pivot_rarity,
        self_contained,
        readable,
        one_answer,
        several_chunks,
        near_duplicate,
    )
}


def judge(
    questions: Iterable[Question],
    config: GatesConfig,
    *,
    chunks: Mapping[str, Chunk],
    triplets: Mapping[str, Triplet],
) -> Iterator[Question]:
    """Every question, with the first reason against it or none; those that stand are tagged as retrievable or not.

    A question that comes rejected goes through as it is. Each gate sees all that stood before it, so that of two that
    ask the same the one that stays is one that nothing else is wrong with.
    """
    rows = list(questions)
    reasons: dict[str, str] = {}
    for name in config.gates:
        standing = [q for q in rows if not q.rejected_because and q.question_id not in reasons]
        reasons |= find(name, GATES)(standing, config, chunks=chunks, triplets=triplets)
    standing = [q for q in rows if not q.rejected_because and q.question_id not in reasons]
    tags = retrievable(standing, chunks, config.retrieved) if config.retrieved else {}
    for question in rows:
        reason = question.rejected_because or reasons.get(question.question_id, "")
        yield replace(question, rejected_because=reason, retrievable=tags.get(question.question_id))
