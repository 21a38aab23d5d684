"""Input and output types of a perturbation."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from rarefy.data_contracts.rows import Chunk, Pool, Question
from rarefy.tasks.perturb.config import PerturbConfig


@dataclass(frozen=True, slots=True)
class Case:
    """A question, or a passage of one, to be changed. Offsets count the characters of `text`."""

    case_id: str  # seeds all random draws for it
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
    # of a passage, where the answer is computed: `answer` and `aliases` are the operands, which passages print
    computed: Question | None = None
    chunks: Mapping[str, Chunk] = field(default_factory=dict, compare=False)  # those that the pool names, at least


@dataclass(frozen=True, slots=True)
class Move:
    """`original[start:end]` stands unchanged at `variant[at : at + end - start]`."""

    start: int
    end: int
    at: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A changed text, not yet checked."""

    text: str
    moves: tuple[Move, ...] = ()  # what stayed in place, to project spans; () where they must be searched
    detail: str = ""  # what was changed: "$47.5 billion for $60.9 billion"
    chunk_id: str = ""  # the chunk it was taken from, where that is not the case's own
    refused: str = ""  # a reason against it that its maker knows
    replaced: str = ""  # the operand of a computed answer that it states otherwise, so that the answer is another


Make = Callable[[Case, PerturbConfig, Random], Iterator[Draft]]
"""Yields different drafts for a case, the best first; none where nothing can be changed."""


def join_pieces(text: str, parts: Iterable[tuple[int, int] | str], detail: str = "") -> Draft:
    """A draft put together from stretches `(start, end)` of a text, in any order, and new strings."""
    pieces: list[str] = []
    moves: list[Move] = []
    at = 0
    for part in parts:
        piece = part if isinstance(part, str) else text[part[0] : part[1]]
        if not isinstance(part, str) and piece:
            moves.append(Move(part[0], part[1], at))
        pieces.append(piece)
        at += len(piece)
    return Draft("".join(pieces), tuple(moves), detail)
