"""What a writer hands back: a question in words with its answer, or the reason why there is none."""

from dataclasses import dataclass

from rarefy.data_contracts.rows import Span, Triplet


@dataclass(frozen=True, slots=True)
class Wording:
    """A worded question; `target` is the triplet that holds the answer, `naming` where a named answer is written."""

    text: str = ""
    answer: str = ""
    target: Triplet | None = None
    naming: tuple[Span, ...] = ()
    restrictions: tuple[Triplet, ...] = ()  # facts beyond the path that narrow the question to one answer
    aliases: tuple[str, ...] = ()  # other forms of the answer that its triplet does not know
    rejected_because: str = ""


def answered(text: str | None, triplet: Triplet, otherwise: str = "no_wording") -> Wording:
    """The question that a triplet answers, or the reason why there are no words for it."""
    return Wording(text, triplet.answer, triplet) if text else refuse(otherwise)


def refuse(reason: str) -> Wording:
    """No question, and why (RARE R21: rejection is an empty question)."""
    return Wording(rejected_because=reason)
