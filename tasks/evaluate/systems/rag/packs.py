"""A protocol's prompts: which file each step of a strategy shows, and how the answer stands in the reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rarefy.data_contracts.rows import Message, Passage
from rarefy.tasks.models import prompts

GENERAL = "general"
STAGE = "systems"


@dataclass(frozen=True)
class Pack:
    """The prompts of one paper; files are tasks/evaluate/systems/prompts/<role>.<domain>.j2.

    A file that the paper prints is copied; `made` names the steps that it has no prompt for and that were written in
    its manner, for the results to tell.
    """

    name: str
    paper: str  # where its prompts are printed
    reads: str  # of final.READERS: how the answer stands in a reply
    notes: str = "noted"  # and in one of ChainOfNote
    made: tuple[str, ...] = ()

    def role(self, step: str) -> str:
        """The prompt's role for one of STEPS."""
        return f"{self.name}_{step}"


PACKS: dict[str, Pack] = {
    pack.name: pack
    for pack in (
        Pack("rare", "arXiv 2506.00789, role of its code", "json", made=("own_know", "chain_of_note"), notes="json"),
        Pack("sure", "arXiv 2503.05587 Figure 11", "plain", made=("closed_book", "own_know", "chain_of_note")),
        Pack("retrieval_robustness", "arXiv 2505.21870 appendix C", "labelled", made=("chain_of_note",)),
        Pack("effect_size", "arXiv 2408.01963 A.4", "plain", made=("passages", "own_know", "chain_of_note")),
        Pack("magic_mushroom", "arXiv 2506.03901 Figures 15-17", "plain", made=("own_know",), notes="whole"),
        Pack(GENERAL, "", "labelled"),
    )
}
STEPS = ("closed_book", "passages", "own_know", "chain_of_note")
SHARED = ("s2a", "skr")  # the first step of a strategy, the same whatever the protocol: as the one paper prints it


def pack_of(protocol: str, chosen: str = "") -> Pack:
    """The pack that is shown to a protocol's questions; ValueError for one that nobody has."""
    name = chosen or protocol or GENERAL
    if name not in PACKS:
        raise ValueError(f"no prompts {name!r}; have {', '.join(PACKS)}: set rag.prompts to one of them")
    return PACKS[name]


def shown(
    role: str, domain: str, query: str, passages: Sequence[Passage], refusal: str, *, titles: bool, **more: Any
) -> tuple[Message, ...]:
    """The messages of a role: its prompt with question, passages from top to bottom, and the words to refuse with."""
    sources = [
        {"title": passage.title if titles else "", "text": passage.text, "number": number}
        for number, passage in enumerate(passages, 1)
    ]
    values = {
        "question": query,
        "sources": sources,
        "refusal": refusal,
        "field": domain,
        "draft": "",
        "form": "",
    } | more
    return prompts.messages(STAGE, role, domain, **values)
