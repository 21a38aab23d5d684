"""Whether a row or a sentence states what share of a whole a part makes: "31% of our consolidated revenue in 2023"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.knowledge.graph.computed import is_of_shares
from rarefy.tasks.questions.gates.changes import CHANGE_HEADS
from rarefy.tasks.questions.gates.figures import is_at, is_figure, is_then, roundings
from rarefy.tasks.questions.gates.measure_words import initials, measure_and_part, telling
from rarefy.tasks.questions.gates.statements import Statement, digits_of, moments_in

# "% of our consolidated revenue", and what may stand between that and another share of it: " in 2023, 32% in 2022, "
_OF_WHOLE = re.compile(
    r"(?:%| percent) of (?:(?:our|its|the|company['’]s|total|consolidated|net|worldwide|annual|overall|fiscal"
    r"|(?:19|20)\d\d) )*(?P<whole>[a-z][a-z &-]*?)(?= (?:in|for|during)\b|[,.;:]|$)",
    re.IGNORECASE,
)
_SERIES = re.compile(r"(?:[\s,]|\b(?:and|in|for|fiscal|years?|percent|\d[\d.]*)\b|%)*", re.IGNORECASE)
_BEHIND = re.compile(r"[^%;]*?(?=(?:,| and| or)? \$?\d[\d.,]* ?(?:%|percent)|;|$)")  # up to the next percentage


@dataclass(frozen=True, slots=True)
class Share:
    """What share of a company's figure one of its parts makes, or another figure of its own: spending of revenue."""

    part: Triplet
    whole: Triplet

    @classmethod
    def asked_for(cls, question: Question, facts: Sequence[Triplet]) -> "Share | None":
        """The share that a question asks for; None where it asks for none."""
        if question.pattern != "share" or len(facts) != 2 or not all(map(is_figure, facts)):
            return None
        return cls(*facts)

    @classmethod
    def of_measures(cls, question: Question, facts: Sequence[Triplet]) -> "list[Share]":
        """What a question sets in proportion of a company's own figures, one for each company."""
        if question.pattern == "share":
            pairs = [facts] if len(facts) == 2 and facts[0].subject == facts[1].subject else []
        else:
            paired = question.pattern in ("comparison", "superlative") and is_of_shares(facts)
            pairs = [facts[at : at + 2] for at in range(0, len(facts), 2)] if paired else []
        return [cls(part, whole) for part, whole in pairs]

    @property
    def percent(self) -> Decimal:
        """How much of the whole the part is."""
        return Decimal(self.part.value) / Decimal(self.whole.value) * 100

    @property
    def home(self) -> str:
        """The chunk from which it is asked."""
        return self.part.chunk_id

    def digits(self) -> Iterator[str]:
        """The digits that it may be written in."""
        return roundings(digits_of(self.percent.quantize(Decimal("0.01"))), 1)

    @property
    def of_two_measures(self) -> bool:
        """Whether the part is another figure of the company, not one of its parts."""
        return self.part.subject == self.whole.subject

    def may_be_said(self, said: Statement, chunk: Chunk) -> bool:
        """Does a passage that speaks of both measures have the percentage, whatever of?"""
        words = measure_and_part(self.part)[0] | measure_and_part(self.whole)[0]
        return self._is_its_percentage(said) and words <= telling(chunk.text)

    def is_said(self, said: Statement, chunk: Chunk) -> bool:
        """Does a row or a sentence state it, with its time?"""
        if self.of_two_measures or not self._is_its_percentage(said):
            return False
        return self._row_says(said, chunk) if said.row else self._sentence_says(said, chunk)

    def _is_its_percentage(self, said: Statement) -> bool:
        near = abs(self.percent - said.quantity.amount) <= said.quantity.grain / 2
        return said.quantity.kind == "percent" and near

    def _row_says(self, said: Statement, chunk: Chunk) -> bool:
        parts, whole = measure_and_part(self.part)[1], measure_and_part(self.whole)[0]
        of_growth = CHANGE_HEADS.search(said.when) is not None
        return (
            bool(parts)
            and said.label == parts
            and whole <= said.around
            and not of_growth
            and is_then(self.part, said, chunk)
        )

    def _sentence_says(self, said: Statement, chunk: Chunk) -> bool:
        figure = said.quantity
        of = next((one for one in reversed([*_OF_WHOLE.finditer(said.text)]) if one.start() < figure.end), None)
        if of is None or "respective" in said.text:
            return False
        parts, before = measure_and_part(self.part)[1], telling(said.text[: of.start()])
        named = parts <= before or not initials(self.part).isdisjoint(before)
        of_it = telling(of["whole"]) == measure_and_part(self.whole)[0]
        if not named or not of_it or not _SERIES.fullmatch(said.text[of.end() : figure.start]):
            return False
        behind = _BEHIND.match(said.text, figure.end)
        told = moments_in(behind[0]) if behind else ()
        return any(is_at(self.part, one, chunk) for one in told) if told else is_then(self.part, said, chunk)
