"""In which order passages are shown, and where one class of them stands (Magic Mushroom §4.5)."""

from collections.abc import Callable, Sequence

import numpy as np

from rarefy.data_contracts.rows import Question, Variant, row_id
from rarefy.tasks.find import find
from rarefy.tasks.perturb.mix.config import CLASSES, MixConfig
from rarefy.tasks.perturb.proof import Embed

Order = Callable[[Sequence[Variant], Question, int, Embed | None], list[Variant]]
"""The passages as they are shown from top to bottom: (passages, question, seed, embed)."""


def shuffled(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """By chance; two passages stand in the same order in every context of the question that has both."""
    return sorted(chosen, key=lambda variant: row_id("order", question.question_id, seed, variant.variant_id))


def original(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """As they are drawn: golden ones, then noise by class."""
    return sorted(chosen, key=lambda variant: CLASSES.index(variant.family))


def reversed_(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """As they are drawn, the last first."""
    return original(chosen, question, seed, embed)[::-1]


def ranked(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """As a retriever by embeddings would rank them, the most alike the question first; ValueError without embedder."""
    if embed is None:
        raise ValueError('order "ranked" needs an embedder')
    if not chosen:
        return []
    vectors = np.asarray(embed([question.text, *(variant.text for variant in chosen)]))
    alike = [round(float(vector @ vectors[0]), 4) for vector in vectors[1:]]  # the last digits are the machine's
    # equally alike ones stand by their ids, whatever order they came in
    return [v for _, _, v in sorted((-a, v.variant_id, v) for a, v in zip(alike, chosen, strict=True))]


ORDERS: dict[str, Order] = {"shuffled": shuffled, "original": original, "reversed": reversed_, "ranked": ranked}


def arranged(
    chosen: Sequence[Variant], question: Question, config: MixConfig, embed: Embed | None
) -> tuple[list[Variant], str]:
    """The passages as they are shown from top to bottom, and the position that one class got ("": none of it is there).

    Near is next to the question, far at the other end, mid between as many others on either side (one more on the
    side of the question where they are odd).
    """
    order: Order = find(config.order, ORDERS)
    placed = [v for v in chosen if config.position and v.family == config.placed]
    if not placed:
        return order(chosen, question, config.seed, embed), ""
    others = [variant for variant in chosen if variant.family != config.placed]
    block, rest = (order(part, question, config.seed, embed) for part in (placed, others))
    before = {"near": 0, "mid": (len(rest) + 1) // 2, "far": len(rest)}[config.position]
    if config.question == "after":
        before = len(rest) - before
    return [*rest[:before], *block, *rest[before:]], config.position
