"""Where a gold passage was changed or deleted, no other passage that states the same stands beside it."""

from dataclasses import replace

import pytest
from framed import made, tried

from rarefy.data_contracts.rows import Variant
from rarefy.tasks.evaluate.protocols import PROTOCOLS, ProtocolsConfig


def with_alternatives():
    """Cases in which a second passage states what the first gold one states: retrieved, and offered as noise."""
    context = ("golden", "inconsequential", "distraction_before")
    for case in made(4, gold=2, context=context, documents=("answer_deleted", "back_translation", "markdown")):
        question, same = case.question, f"same-{case.question.question_id}"
        lists = ((same,), *(() for _ in question.chunk_ids[1:]))
        told = replace(case.chunks[question.chunk_ids[0]], chunk_id=same)
        hits = {
            key: replace(row, chunk_ids=(*row.chunk_ids, same), scores=(*row.scores, 0.5), best=(*row.best, same))
            for key, row in case.hits.items()
        }
        noise = Variant(f"{same}:noise", question.question_id, "context", "inconsequential", "it is said again", same)
        yield replace(
            case,
            question=replace(question, alternatives=lists),
            chunks={**case.chunks, same: told},
            context=(*case.context, replace(noise, family="inconsequential")),
            hits=hits,
        )


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_no_trial_shows_a_changed_gold_passage_beside_one_that_states_the_same(name: str) -> None:
    cases = list(with_alternatives())
    of = {case.question.question_id: case for case in cases}
    rows = tried(PROTOCOLS[name], cases, getattr(ProtocolsConfig(), name))
    seen = 0
    for row in rows:
        case = of[row.question_id]
        taken = {one.variant_id: one for one in (*case.documents, *case.context)}
        shown = [taken[one].chunk_id if one in taken else one for one in row.passage_ids]
        gold = case.question.every_gold - set(case.question.chunk_ids)
        changed = any(one in taken and taken[one].chunk_id in case.question.chunk_ids for one in row.passage_ids)
        seen += changed
        assert not (changed and gold.intersection(shown)), row
    assert seen or name == "retrieval_robustness"  # which shows passages as they were retrieved
