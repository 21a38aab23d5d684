"""Rows of what models say of questions (RARE R16, R19, R23)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model that did not write a question says of it, 1 to 5 (RARE R23)."""

    judgement_id: str
    question_id: str
    judge: str  # first | second: which of the judges, as configured
    round: int  # 0, 1, ... where a judgement is repeated
    readability: int = 0  # 0: not judged, see `error`
    clarity: int = 0
    correctness: int = 0
    reason: str = ""
    model: str = ""  # that judged, as the provider names it
    error: str = ""  # as Reply.error


@dataclass(frozen=True, slots=True)
class Probe:
    """A multi-hop question asked with one of its gold chunks alone (RARE R16, R19): it must not be answerable."""

    probe_id: str
    question_id: str
    chunk_id: str
    answer: str = ""  # "" where the model found none in the chunk
    right: bool = False
    error: str = ""
