"""Questions in, questions out, each with the first reason against it or none (RARE §3.4, R19-R23).

Gates look at the question and its evidence (`wording`) or at the whole corpus (`corpus`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.questions.gates.alternatives import Alternatives
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.corpus import (
    find_retrievable,
    near_duplicate,
    one_answer,
    several_chunks,
    worth_asking,
)
from rarefy.tasks.questions.gates.wording import (
    answer_given_away,
    answer_in_evidence,
    pivot_given_away,
    pivot_rarity,
    readable,
    self_contained,
)

__all__ = ["GATES", "GatesConfig", "judge"]

VERSION = 32  # square and cubic units are no marks of notes

# (questions not rejected so far, config, chunks=, triplets=) -> reason by question id, for those that it rejects
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
        worth_asking,
        one_answer,
        several_chunks,
        near_duplicate,
    )
}


def judge(
    questions: Iterable[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> Iterator[Question]:
    """Every question, with the first reason against it or none; those that stand are tagged as retrievable or not.

    Each gets the other passages that state what its gold chunks state. Gates see another gold chunk among them, too.

    A question that comes rejected goes through as it is. Each gate sees all that stood before it, so that of two that
    ask the same the one that stays is one that nothing else is wrong with.
    """
    rows = list(questions)
    index = Alternatives(chunks, triplets)
    others = index.find(q for q in rows if not q.rejected_because)
    found = {q.question_id: others.get(q.question_id, ((), ())) for q in rows}
    rows = [replace(q, alternatives=found[q.question_id][0], parts=found[q.question_id][1]) for q in rows]
    reasons: dict[str, str] = {}
    for name in config.gates:
        standing = [q for q in rows if not q.rejected_because and q.question_id not in reasons]
        reasons |= find(name, GATES)(standing, config, chunks=chunks, triplets=triplets)
    standing = [q for q in rows if not q.rejected_because and q.question_id not in reasons]
    if config.whole_gold:
        reasons |= {q.question_id: "gold_unclear" for q in standing if index.is_unclear(q)}
        standing = [q for q in standing if q.question_id not in reasons]
    tags = find_retrievable(standing, chunks, config.retrieved) if config.retrieved else {}
    for question in rows:
        reason = question.rejected_because or reasons.get(question.question_id, "")
        lists = tuple(
            tuple(name for name in names if name not in question.chunk_ids) for names in question.alternatives
        )
        yield replace(
            question,
            alternatives=lists if any(lists) else (),
            rejected_because=reason,
            retrievable=tags.get(question.question_id),
        )
