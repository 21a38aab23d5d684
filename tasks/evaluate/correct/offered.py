"""What a question itself offers to choose from ("Which was higher: A, B or C?"), where no benchmark says what it is."""

import re
from dataclasses import replace

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.choice import name_forms
from rarefy.tasks.questions.operands import candidates_of, write_arithmetic

_MOST = 8  # words of one thing
_YEAR = re.compile(r"(?:fiscal(?: year)? |FY ?)?((?:19|20)\d\d)", re.IGNORECASE)
_LAST = r"(?:,?\s+(?:and|or)\s+)"
_NAME = r"(?:the\s)?[A-Z0-9][\w.&'-]*(?:\s(?:[A-Z&][\w.&'-]*|of(?=\s[A-Z])))*"
_LISTS = (
    re.compile(r":\s*(?P<list>[^:?]+)\?\s*$"),  # "... lowest: in fiscal 2022, 2023 or 2024?"
    re.compile(r"^(?:among|of)\s(?P<list>.+?),\s(?:which|what|who|when|where)\b", re.IGNORECASE),
    re.compile(
        rf"\b(?i:among|(?:which|who) of|of the (?:fiscal )?years)\s(?P<list>{_NAME}(?:,\s{_NAME})*{_LAST}{_NAME})"
    ),
    re.compile(rf",\s(?:in\s)?(?P<list>{_NAME}(?:,\s{_NAME})*{_LAST}{_NAME}(?:\s\([^()]*\))?)\?\s*$"),
    re.compile(rf"(?:[,:]|\bbetween)\s(?P<list>[^,?:]{{2,40}}?{_LAST}[^,?:]{{2,40}})\?\s*$"),
)  # fmt: skip
_FIGURES = re.compile(r"\s+\([^()]*\d[^()]*\)$")  # "Packaging ($640 million against $512 million)"


def with_offers(question: Question) -> Question:
    """The question with what its words offer to choose from, where its answer is one of that, or several.

    Figures in brackets behind the answer are left to its aliases.
    """
    if question.chance or candidates_of(question) or not question.answer:
        return question
    bare = _FIGURES.sub("", question.answer)
    if bare not in (question.answer, "") and question.answer not in question.text:
        named = with_offers(replace(question, answer=bare, aliases=(question.answer, *question.aliases)))
        return named if named.chance else question
    for pattern in _LISTS:
        hit = pattern.search(question.text)
        things = _split(hit["list"]) if hit else []
        if len(things) > 1 and len(set(things)) == len(things):
            found = _offered(question, things)
            if found is not None:
                return found
    return question


def _offered(question: Question, things: list[str]) -> Question | None:
    """The question with these things to choose from; None where its answer is none of them."""
    chosen = tuple(
        next((thing for thing in things if _is_one(part, thing, things)), "") for part in _split(question.answer)
    )
    if len(chosen) < 2 or not all(chosen) or len(set(chosen)) < len(chosen):
        chosen = ()
        alike = [at for at, thing in enumerate(things) if _is_one(question.answer, thing, things)]
        own = [at for at in alike if things[at] == question.answer] or alike
        if len(own) != 1:
            return None
        if not _YEAR.fullmatch(question.answer):
            things[own[0]] = question.answer
    listed = write_arithmetic("chosen", (), things, question.answer)
    return replace(question, arithmetic=listed, chance=1 / len(things), members=chosen)


def _split(text: str) -> list[str]:
    """The things of a list, years as they are asked for: "fiscal year 2025"."""
    between = rf";\s+(?:and\s|or\s)?|{_LAST}" if ";" in text else rf"{_LAST}|,\s+"
    items = [
        re.sub(r"^(?:in|the fiscal years?|fiscal years?(?=\s\D))\s", "", item.strip(" .,"))
        for item in re.split(between, text)
    ]
    if not all(item and len(item.split()) <= _MOST for item in items):
        return []
    years = [_YEAR.fullmatch(item) for item in items]
    return [f"fiscal year {year[1]}" for year in years if year] if all(years) else items


def _is_one(name: str, thing: str, things: list[str]) -> bool:
    """Whether two texts name one thing."""
    years = [_YEAR.fullmatch(text) for text in (name, thing)]
    if all(years):
        return years[0][1] == years[1][1]  # type: ignore[index]
    mine, theirs = ({form.casefold() for form in (text, *name_forms(text, things))} for text in (name, thing))
    return not mine.isdisjoint(theirs)
