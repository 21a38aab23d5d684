"""Passages on the topic that help nobody: false ones, and the remnants of broken ones (Magic Mushroom §3.2-3.3)."""

from collections.abc import Iterator
from random import Random

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.broken import wrecks
from rarefy.tasks.perturb.context.false import falsified
from rarefy.tasks.perturb.context.selected import Near, around
from rarefy.tasks.perturb.context.swaps import edited
from rarefy.tasks.text.notations import occurs

TOLD = 6  # changes named in a row's detail


def counterfactual(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Passages near the gold one, fluent and without contradiction, in which figures, names or rows are others.

    Those with several changes first. None of them holds the answer, before or after.
    """
    swaps = case.pool.counterfacts if case.pool else ()
    scarce: list[Draft] = []
    for near in around(case, config):
        own = Random(row_id(case.question_id, near.chunk_id, near.text))
        edits = falsified(near.text, swaps, own)
        text, _ = edited(near.text, edits)
        if not edits or occurs(text, case.answer, case.aliases):
            continue
        told = "; ".join(f"{new} for {near.text[a:b]}" for a, b, new in edits[:TOLD])
        draft = Draft(text, detail=told, chunk_id=near.chunk_id)
        if len(edits) > 1:
            yield draft
        else:
            scarce.append(draft)
    yield from scarce


def debris(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """What a bad extraction leaves of passages near the gold one: of each chunk's last, the farthest chunk first."""
    of_chunk: dict[str, list[Near]] = {}
    for near in around(case, config):
        of_chunk.setdefault(near.chunk_id, []).append(near)
    far = list(reversed(of_chunk.values()))
    turns = max((len(found) for found in far), default=0)
    for near in (found[-1 - turn] for turn in range(turns) for found in far if turn < len(found)):
        own = Random(row_id(case.question_id, near.chunk_id, near.text))
        for text, how in wrecks(near, own):
            if not occurs(text, case.answer, case.aliases):
                yield Draft(text, detail=how, chunk_id=near.chunk_id)
                break
