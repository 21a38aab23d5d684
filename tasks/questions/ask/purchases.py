"""Inverted stars of companies that met in their buyer: which other one it bought in a certain month."""

import re
from datetime import date

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.questions.ask.aliases import short_name
from rarefy.tasks.questions.ask.facts import choose
from rarefy.tasks.questions.ask.index import CorpusIndex, object_of, relation_of, subject_of
from rarefy.tasks.text.dates import NAMES

_MONTH = re.compile(rf"({'|'.join(NAMES)}) (?:\d{{1,2}}, )?(\d{{4}})")
_YEAR = re.compile(r"(fiscal )?(?:year )?(\d{4})")
_BOUGHT = re.compile(r"\bacquired\b|\bcompleted (?:the|its|our) acquisition")


def ask_purchase(arms: list[Triplet], index: CorpusIndex) -> tuple[str, Triplet | None]:
    """The question for one of two purchases by its month, the other one given, and the one asked for; ("", None)."""
    for given, answer in (arms, arms[::-1]):
        month = _MONTH.fullmatch(answer.period)
        if month is None or not answer.answer or any(map(_is_cut, arms)):
            continue
        if not _is_only_one(answer, month[1], int(month[2]), index) or not _others_bought(answer, index):
            continue
        forms = (
            "Which company did the acquirer of {given} buy in {month}?",
            "Which company was acquired in {month} by the company that also bought {given}?",
            "Which company did the owner of {given} acquire in {month}?",
        )
        text = choose(forms, answer.subject, given.subject)
        return text.format(given=short_name(given.subject), month=f"{month[1]} {month[2]}"), answer
    return "", None


def _is_cut(fact: Triplet) -> bool:
    """Whether the name of what was bought goes on: "Traction Sales" and Marketing."""
    return re.search(rf"{re.escape(fact.subject)} (?:and|&) [A-Z]", fact.source_sentence) is not None


def _others_bought(answer: Triplet, index: CorpusIndex) -> bool:
    """Whether somebody else bought something in that month, too: else the month alone tells the answer."""
    return any(
        fact.period == answer.period and object_of(fact) != object_of(answer)
        for (subject, relation), facts in index.facts.items()
        if relation == relation_of(answer)
        for fact in facts
    )


def _is_only_one(answer: Triplet, month: str, year: int, index: CorpusIndex) -> bool:
    """Whether the buyer bought nothing else in that month, by all facts and by all that its documents say."""
    at = year * 12 + NAMES.index(month)
    for other in index.subjects[relation_of(answer), object_of(answer)] - {subject_of(answer)}:
        for fact in index.facts[other, relation_of(answer)]:
            first, last = _months_of(fact, index.documents[fact.doc_id])
            if first <= at <= last:
                return False
    dated = re.compile(rf"\b{month} (?:\d{{1,2}}, )?{year}\b")
    said = (
        sentence
        for document in index.documents_about(answer.entity)
        for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z])", document.text)
    )
    name = short_name(answer.subject).split()[0]  # "Shockwave", which a filing calls Shockwave Medical once
    return not any(dated.search(words) and _BOUGHT.search(words) and name not in words for words in said)


def _months_of(fact: Triplet, document: Document) -> tuple[int, int]:
    """The first and the last month, counted from year 0, in which a purchase may have been; all where none is known."""
    if month := _MONTH.fullmatch(fact.period):
        at = int(month[2]) * 12 + NAMES.index(month[1])
        return at, at
    year = _YEAR.fullmatch(fact.period)
    if year and not year[1]:
        return int(year[2]) * 12, int(year[2]) * 12 + 11
    if year and document.fiscal_year and document.period_end:
        end = date.fromisoformat(document.period_end)
        last = (end.year - document.fiscal_year + int(year[2])) * 12 + end.month - 1
        return last - 12, last
    return 0, 12 * 10_000
