"""The gold passage with what answers the question replaced by another of its kind (Magic Mushroom §3.2)."""

from collections.abc import Iterator
from random import Random

from rarefy.data_contracts.rows import Swap
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.ranks import misfit
from rarefy.tasks.perturb.context.swaps import Edit, edited, of_value
from rarefy.tasks.perturb.notations import occurs


def distracting(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passage that answers otherwise, the same figure or name changed everywhere, the likeliest first.

    Where the passage does not hold the answer but leads to it, what the question names in it is changed, so that it
    leads elsewhere. None where nothing of the kind is known, and none in which the answer can still be read.
    """
    if case.pool is None:
        return
    direct = occurs(case.text, case.answer, case.aliases)
    aliases = case.aliases if direct else ()
    later: dict[int, list[tuple[Swap, list[Edit]]]] = {1: [], 2: []}
    for swap in case.pool.swaps:
        if (swap.old == case.answer) != direct:
            continue
        edits = of_value(case.text, swap.old, aliases, swap.new, swap.kind)
        if edits and (_supports(case, edits) or (direct and swap.kind == "ORG")):
            how = misfit(case.text, edits)
            if how:
                later[how].append((swap, edits))
            else:
                yield from _changed(case, swap, edits)
    for swap, edits in (*later[1], *later[2]):
        yield from _changed(case, swap, edits)


def _changed(case: Case, swap: Swap, edits: list[Edit]) -> Iterator[Draft]:
    text, moves = edited(case.text, edits)
    if not occurs(text, case.answer, case.aliases) and (swap.old == case.answer or not occurs(text, swap.old)):
        yield Draft(text, moves, f"{swap.new} for {swap.old}")


def _supports(case: Case, edits: list[Edit]) -> bool:
    """Is the evidence among what is changed? Else the words are there by accident, and what supports it stays."""
    return not case.spans or any(a < end and start < b for a, b, _ in edits for start, end in case.spans)
