"""A question with its variants, chunks and retrieved passages: what protocols make their trials from."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rarefy.data_contracts.rows import Chunk, Hits, Question, Variant

NONE = "none"  # the perturbation of the unperturbed question


@dataclass(frozen=True)
class QuestionVariants:
    """A question, its kept variants, and what was retrieved for each of its wordings."""

    question: Question
    queries: tuple[Variant, ...]  # the unperturbed wording first
    documents: tuple[Variant, ...]  # changed gold chunks
    context: tuple[Variant, ...]  # passages, gold and noise
    chunks: Mapping[str, Chunk]  # of the whole benchmark
    hits: Mapping[tuple[str, str], Hits] = field(default_factory=dict)  # by retriever and query_id
    turned_down: Mapping[tuple[str, str], str] = field(
        default_factory=dict
    )  # (side, perturbation) none is kept of: why
    noise: tuple[Variant, ...] = ()  # changed chunks that are not gold (SURE)

    @property
    def original(self) -> Variant:
        """The unperturbed wording."""
        return self.queries[0]

    def reworded(self, perturbation: str) -> tuple[Variant, ...]:
        """The kept wordings by this perturbation."""
        return tuple(row for row in self.queries if row.perturbation == perturbation)

    def changed(self, perturbation: str, chunk_id: str = "") -> tuple[Variant, ...]:
        """The kept gold chunks by this perturbation, of all gold chunks or of one."""
        return tuple(
            row for row in self.documents if row.perturbation == perturbation and chunk_id in ("", row.chunk_id)
        )

    def why_not(self, side: str, perturbation: str) -> str:
        """Why there is no variant by this perturbation: that it was not made, or why it was rejected."""
        code = re.sub(r"\W+", "_", perturbation.lower()).strip("_")  # of one from outside, module:function
        return self.turned_down.get((side, perturbation), f"no_{code}")


def cases(
    questions: Iterable[Question], variants: Iterable[Variant], chunks: Mapping[str, Chunk], hits: Iterable[Hits] = ()
) -> Iterator[QuestionVariants]:
    """The case of each accepted question, in their order.

    A question without a row for its unperturbed wording gets one, named after itself, so that a benchmark that was
    never perturbed can be evaluated too.
    """
    sides: dict[str, dict[str, list[Variant]]] = defaultdict(lambda: defaultdict(list))
    lost: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for row in variants:
        if row.rejected_because:
            lost[row.question_id].setdefault((row.side, row.perturbation), row.rejected_because)
        else:
            sides[row.question_id][row.side].append(row)
    found: dict[str, dict[tuple[str, str], Hits]] = defaultdict(dict)
    for hit in hits:
        found[hit.question_id][hit.retriever, hit.query_id] = hit
    for question in questions:
        if question.rejected_because:
            continue
        name = question.question_id
        have = sides.pop(name, {})
        queries = sorted(
            have.get("query", ()), key=lambda row: (row.perturbation != NONE, row.perturbation, row.number)
        )
        if not queries or queries[0].perturbation != NONE:
            queries.insert(0, Variant(name, name, "query", NONE, question.text))
        kept = {(row.side, row.perturbation) for rows in have.values() for row in rows}
        yield QuestionVariants(
            question,
            tuple(queries),
            tuple(have.get("document", ())),
            tuple(have.get("context", ())),
            chunks,
            found.pop(name, {}),
            {key: why for key, why in lost.pop(name, {}).items() if key not in kept},
            tuple(have.get("noise", ())),
        )
