"""What a perturbation is given, and what it gives back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from rarefy.data_contracts.rows import Chunk, Pool
from rarefy.tasks.perturb.config import PerturbConfig


@dataclass(frozen=True, slots=True)
class Case:
    """A question, or a passage that belongs to one, that is to be changed. Offsets count the characters of `text`."""

    case_id: str  # what it is made of: seeds whatever is drawn for it
    side: str  # query | document | context
    text: str
    question_id: str = ""
    question: str = ""
    answer: str = ""
    aliases: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()  # the gold evidence in a passage
    evidence: tuple[str, ...] = ()  # the question's gold sentences, of all its chunks
    golds: tuple[str, ...] = ()  # the question's gold chunks
    chunk_id: str = ""  # where a passage was taken from
    title: str = ""  # of a passage's document
    kind: str = "text"  # text | table
    entity: str = ""  # whom the question is about
    domain: str = "default"
    language: str = "en"
    pool: Pool | None = None  # what noise can be made of, on the context side
    chunks: Mapping[str, Chunk] = field(default_factory=dict, compare=False)  # those that the pool names, at least


@dataclass(frozen=True, slots=True)
class Move:
    """`original[start:end]` stands unchanged at `variant[at : at + end - start]`."""

    start: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A changed text that has yet to pass its checks."""

    text: str
    moves: tuple[Move, ...] = ()  # what stayed, so that spans can follow; () leaves them to be looked for
    detail: str = ""  # what was changed: "$47.5 billion for $60.9 billion"
    chunk_id: str = ""  # the chunk it was taken from, where that is not the case's own
    refused: str = ""  # a reason why it is no variant, known to the one who made it


Make = Callable[[Case, PerturbConfig, Random], Iterator[Draft]]
"""Different drafts for a case, the best first, each made when it is wanted; none where nothing can be changed."""
