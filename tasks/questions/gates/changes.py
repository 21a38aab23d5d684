"""Whether a row or a sentence states by how much a figure changed: "a $12 million increase in interest income"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.gates.figures import (
    ENOUGH,
    LEAST,
    PART_OF_A_YEAR,
    is_amount,
    is_at,
    is_figure,
    is_named,
    is_then,
    roundings,
)  # fmt: skip
from rarefy.tasks.questions.gates.measure_words import APART, OWNERS, initials, measure_and_part, telling
from rarefy.tasks.questions.gates.statements import IDLE, NOT_THEN, Statement, digits_of, digits_shown, moments_in
from rarefy.tasks.questions.operands import operation_of
from rarefy.tasks.text.dates import days_between
from rarefy.tasks.text.quantities import quantities

_UP = r"increas\w+|higher|gr[eo]w\w*|rose|risen|up|rising"
_DOWN = r"decreas\w+|lower|declin\w+|fell|fallen|down|reduc\w+|dropp?\w*"
_WAYS = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b", re.IGNORECASE)
_RISE_IN = re.compile(
    r"\b(?:(?P<up>increase|rise|growth)|(?P<down>decrease|decline|reduction)) in (?P<what>[^,.;()]*?)"
    r"(?= (?:for|in|during|from|was|were|is|due|compared)\b|[,.;(])",
    re.IGNORECASE,
)
_PRIOR_YEAR = re.compile(r"\b(?:from|over|than|compared (?:to|with)) the prior(?:[ -]year| fiscal year)(?: period)?\b")
CHANGE_HEADS = re.compile(r"chang|varian|increas|decreas|\bvs\b|versus|compared", re.IGNORECASE)
_GROWTH = re.compile(r"\bgrowth\b", re.IGNORECASE)
_OF_ANOTHER_BASIS = re.compile(
    r"\b(?:excluding|adjusted|organic\w*|constant|comparable|same-store|non-gaap|points?)\b", re.IGNORECASE
)
_PART = re.compile(r"\b(?:(?:operating|reportable) )?segments?\b|\b(?:product )?categor(?:y|ies)\b", re.IGNORECASE)
_NEAR = 60  # characters between a figure and the word that says which way it went, at most
_YEAR = range(350, 381)  # days between the ends of two years, of 52 weeks or of 53


@dataclass(frozen=True, slots=True)
class Change:
    """By how much a figure changed between two facts."""

    older: Triplet
    newer: Triplet
    amount: Decimal
    percent: bool
    rounded: bool = True  # whether it may be
    fewest: int = LEAST  # digits that it is written with

    @classmethod
    def asked_for(cls, question: Question, facts: Sequence[Triplet]) -> "Change | None":
        """The change that a question asks for; None where it asks for none, or for one between a gain and a loss."""
        if question.pattern != "change" or len(facts) != 2 or not all(map(is_figure, facts)):
            return None
        older, newer = sorted(facts, key=lambda fact: fact.period_end)
        one, other = Decimal(older.value), Decimal(newer.value)
        if (one < 0) != (other < 0) or one == other:
            return None
        percent = operation_of(question.arithmetic).startswith("percentage")
        return cls(older, newer, abs(other - one) / abs(one) * 100 if percent else abs(other - one), percent)

    @classmethod
    def rate(cls, older: Triplet, newer: Triplet) -> "Change":
        """The change in percent, however rounded: it tells which way a figure went, and how fast to a point."""
        one, other = Decimal(older.value), Decimal(newer.value)
        return cls(older, newer, abs(other - one) / abs(one) * 100, percent=True, fewest=1)

    @property
    def by_amount(self) -> "Change":
        """The same change as an amount, from which it can be computed."""
        amount = abs(Decimal(self.newer.value) - Decimal(self.older.value))
        return replace(self, amount=amount, percent=False, rounded=False)

    @property
    def home(self) -> str:
        """The chunk from which it is asked."""
        return self.newer.chunk_id

    def digits(self) -> Iterator[str]:
        """The digits that it may be written in."""
        exact = self.amount.quantize(Decimal("0.01")) if self.percent else self.amount
        return roundings(digits_of(exact), self.fewest)

    def is_said(self, said: Statement, chunk: Chunk) -> bool:
        """Does a row or a sentence state it?"""
        exact = digits_of(said.quantity.amount) == digits_of(self.amount)
        if not (self.rounded or exact) or not self._is_its_amount(said) or PART_OF_A_YEAR.search(said.text):
            return False
        needed, parts = measure_and_part(self.newer)
        short = initials(self.newer) & said.around if parts else frozenset[str]()
        if not needed or not (parts <= said.around or short) or (needed & APART) - said.around:
            return False
        parts |= short
        return (
            self._row_says(needed, parts, said, chunk) if said.row else self._sentence_says(needed, parts, said, chunk)
        )

    def may_be_said(self, said: Statement, chunk: Chunk) -> bool:
        """Might a row or a sentence state it? One of its words is enough, with the way, or with digits that tell."""
        needed, _ = measure_and_part(self.newer)
        if needed.isdisjoint(said.own) or digits_shown(said.quantity) < LEAST or PART_OF_A_YEAR.search(said.text):
            return False
        tells = len(digits_of(said.quantity.amount)) >= ENOUGH or _way(said) == self._rises()
        return tells and self._is_its_amount(said) and is_then(self.newer, said, chunk)

    def _is_its_amount(self, said: Statement) -> bool:
        if not self.percent:
            return is_amount(replace(self.newer, value=str(self.amount)), self.amount, said)
        near = abs(self.amount - said.quantity.amount) <= said.quantity.grain / 2
        return said.quantity.kind == "percent" and near and digits_shown(said.quantity) >= self.fewest

    def _row_says(self, needed: frozenset[str], parts: frozenset[str], said: Statement, chunk: Chunk) -> bool:
        times = [moments_in(text) for text in (said.when, *said.later)]
        between = next((found for found in times if len(found) > 1), ())
        grown = _GROWTH.search(said.when) is not None
        if grown and not between:  # of one year, from the one before
            between = (*next(filter(None, times), ()), *moments_in(self.older.period))
        whole = needed <= said.around and len(said.label - needed - parts - telling(self.newer.entity) - OWNERS) == 0
        return (
            whole
            and (bool(CHANGE_HEADS.search(said.when)) or (grown and (said.quantity.value > 0) == self._rises()))
            and not _OF_ANOTHER_BASIS.search(said.when)
            and len(between) == 2
            and all(any(is_at(fact, one, chunk) for one in between) for fact in (self.older, self.newer))
        )

    def _sentence_says(self, needed: frozenset[str], parts: frozenset[str], said: Statement, chunk: Chunk) -> bool:
        behind = said.beside[1][:_NEAR]  # "12.1 percent, excluding the effect of foreign exchange"
        near = said.text[: said.quantity.end] + behind
        if _OF_ANOTHER_BASIS.search(near) or self._rises() != _way(said):
            return False
        if self.fewest < LEAST and not self._is_of_no_other_time(said.text, chunk):
            return False  # "14%" is said of many years
        idle = IDLE | telling(self.newer.entity) | parts
        before, after = (_PART.sub(" ", text) for text in said.beside)
        before = re.sub(r"\bby(?: about| approximately)?(?=\W*$)", "", before)  # "expenses increased by"
        after = re.sub(rf"^\W*(?:{_UP}|{_DOWN})", "", after)
        if not any(is_named(some, (before, after), idle) for some in (needed, needed | parts)):
            return False
        since = [one for hit in NOT_THEN.finditer(said.text) for one in moments_in(hit[0])]
        if since:
            return any(is_at(self.older, one, chunk) for one in since) and is_then(self.newer, said, chunk)
        dated = bool(self.newer.period_end)  # years of a table without tags follow each other, and have no days
        apart = not dated or days_between(self.older.period_end, self.newer.period_end) in _YEAR
        return apart and is_then(self.newer, said, chunk)

    def is_told(self, sentence: str, chunk: Chunk) -> bool:
        """Does a sentence say which way the figure went, by whatever: "operating expenses rose from 2022 to 2023"?"""
        rise, way = _way_told(sentence)
        if way is None or (way["up"] is not None) != self._rises():
            return False
        needed, parts = measure_and_part(self.newer)
        if not needed or not (self._is_of_no_other_time(sentence, chunk) and self._names_its_time(sentence, chunk)):
            return False
        before = sentence[: way.start()]
        figures = {digits_of(one.amount) for one in quantities(before) if not one.year}
        # "The $271.8 million increase in cash from operations"; "Revenue was $15.5 billion, down" may be a segment's
        if figures - ({*self.by_amount.digits()} if rise else set[str]()):
            return False
        what = rise["what"] if rise else before
        return telling(what) - IDLE - telling(self.newer.entity) == needed | parts

    def _names_its_time(self, sentence: str, chunk: Chunk) -> bool:
        """Does a sentence name the later of the two years, or the year before that of its document?"""
        if named := moments_in(sentence):
            return any(is_at(self.newer, one, chunk) for one in named)
        return _PRIOR_YEAR.search(sentence) is not None and chunk.period_end == self.newer.period_end

    def _is_of_no_other_time(self, sentence: str, chunk: Chunk) -> bool:
        return all(is_at(self.newer, one, chunk) or is_at(self.older, one, chunk) for one in moments_in(sentence))

    def _rises(self) -> bool:
        return abs(Decimal(self.newer.value)) > abs(Decimal(self.older.value))


@lru_cache(1 << 15)  # every sentence of a filer is held against each of its changes
def _way_told(sentence: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Where a sentence says "increase in …", and that or else the first word that says a way; None for those missing.

    Of figures on another basis it says none.
    """
    if _OF_ANOTHER_BASIS.search(sentence):
        return None, None
    rise = _RISE_IN.search(sentence)
    return rise, rise or _WAYS.search(sentence)


def _way(said: Statement) -> bool | None:
    """Does a figure of a sentence rise? None where none says so."""
    before, after = said.text[: said.quantity.start], said.text[said.quantity.end :]
    behind = _WAYS.match(after.lstrip(" ,")) or None
    found = behind or next(reversed([*_WAYS.finditer(before[-_NEAR:])]), None) or _WAYS.search(after[: _NEAR // 2])
    return None if found is None else found["up"] is not None
