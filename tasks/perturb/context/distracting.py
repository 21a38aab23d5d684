"""The gold passage with what answers the question replaced by another of its kind (Magic Mushroom §3.2)."""

import re
from collections.abc import Iterator
from random import Random

from rarefy.data_contracts.rows import Swap
from rarefy.tasks.knowledge.extract.places import STATES
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.names import called
from rarefy.tasks.perturb.context.ranks import misfit
from rarefy.tasks.perturb.context.sums import balanced
from rarefy.tasks.perturb.context.swaps import Edit, edited, of_value
from rarefy.tasks.text.notations import occurs

# "Cupertino, California": there is no Cupertino in Delaware
_CITY = re.compile(r"[A-Z][\w.’'-]+,\s$")


def distracting(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passage that answers otherwise, the same figure or name changed everywhere, the likeliest first.

    Where the passage does not hold the answer but leads to it, what the question names in it is changed, so that it
    leads elsewhere. Of a table the sums that it was in are put right. None where nothing of the kind is known, where
    a table could not be put right, and none in which the answer can still be read.
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
        if swap.old in STATES.values():
            edits = [edit for edit in edits if not _CITY.search(case.text[max(0, edit[0] - 40) : edit[0]])]
        if edits and (_supports(case, edits) or (direct and swap.kind == "ORG")):
            whole = balanced(case.text, edits)
            if whole is None:
                continue
            edits = whole
            how = misfit(case.text, edits)
            if how:
                later[how].append((swap, edits))
            else:
                yield from _changed(case, swap, edits)
    for swap, edits in (*later[1], *later[2]):
        yield from _changed(case, swap, edits)


def _changed(case: Case, swap: Swap, edits: list[Edit]) -> Iterator[Draft]:
    text, moves = edited(case.text, edits)
    addresses = re.sub(rf"{_CITY.pattern[:-1]}{re.escape(swap.old)}", "", text) if swap.old in STATES.values() else text
    if called(text, case.answer, case.question) or _touched(case, swap, edits):
        return
    if not occurs(text, case.answer, case.aliases) and (swap.old == case.answer or not occurs(addresses, swap.old)):
        yield Draft(text, moves, f"{swap.new} for {swap.old}")


def _supports(case: Case, edits: list[Edit]) -> bool:
    """Is the evidence among what is changed? Else the words are there by accident, and what supports it stays."""
    return not case.spans or any(a < end and start < b for a, b, _ in edits for start, end in case.spans)


def _touched(case: Case, swap: Swap, edits: list[Edit]) -> bool:
    """Would the passage be about another thing than the question, "Roe Tower" for "Eiffel Tower"?"""
    if swap.old != case.answer or not case.question:
        return False
    return any(
        case.text[a:b] != swap.old
        and any(c.isalpha() for c in case.text[a:b])
        and case.text[a:b] in case.question
        and case.text[a:b][:1].isupper()
        for a, b, _ in edits
    )
