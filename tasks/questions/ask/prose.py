"""Questions about facts found in prose: by the forms of relation that make a sentence an analyst would ask."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.measures import inside
from rarefy.tasks.text.quantities import quantities

_OBJECT = {  # relation → the question its object answers; "{when}" is the day or year
    "acquired": "Which company was acquired {when} by {holder}?",
    "completed acquisition of": "Which company was acquired {when} by {holder}?",
    "was acquired for": "For what price was {holder} acquired?",
    "was founded in": "In which year was {holder} founded?",
    "was founded by": "By whom was {holder} founded?",
    "is subsidiary of": "Of which company is {holder} a subsidiary?",
    "is headquartered in": "In which city is {holder} headquartered?",
    "had workforce of": "How large was the workforce of {holder} {when}?",
}

# An act of one day: what a filing dates it with singles it out
_ACTS = {
    "announced": "announce",
    "entered into agreement with": "enter into an agreement with",
    "introduced": "introduce",
    "launched": "launch",
    "released": "release",
    "sold": "sell",
}
_INTEREST = re.compile(r"(?:has|had|holds|held|owns|owned) interest in")
_SHARE = re.compile(r"(?<![\d.%–-])(\d{1,3}(?:\.\d+)?%) (?:[a-z]+ ){0,3}interest in ")
_BY = re.compile(r"(is|are|was|were) (\w+(?:ed|[aeiou]ught|[aeo]ld|wn|en)) by")
_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}")
_PAST = {  # what filings count, done and undone: the plain form that "did" takes
    "delivered": "deliver",
    "deployed": "deploy",
    "employed": "employ",
    "had": "have",
    "has": "have",
    "operated": "operate",
    "opened": "open",
    "owned": "own",
    "produced": "produce",
    "repurchased": "repurchase",
    "sold": "sell",
    "shipped": "ship",
}


def of_prose(triplet: Triplet, holder: str) -> str | None:
    """The question that a prose triplet's object answers; None where no form fits."""
    when, holder = _when(triplet), inside(holder)
    form = _OBJECT.get(triplet.relation)
    if form is not None:
        return form.format(holder=holder, when=when) if when or "{when}" not in form else None
    if passive := _BY.fullmatch(triplet.relation):
        return f"By whom {passive[1]} {holder} {passive[2]}?"
    if triplet.relation in _ACTS and _DAY.search(triplet.period):
        verb, _, preposition = _ACTS[triplet.relation].partition(" with")
        asked = "With whom" if " with" in _ACTS[triplet.relation] else "What"
        return f"{asked} did {holder} {verb}{preposition} {when}?"
    counted = next(iter(quantities(triplet.answer)), None)
    plain = _PAST.get(triplet.relation)
    if triplet.object_type == "NUMBER" and counted and plain and when:
        things = triplet.answer[counted.end :].strip()
        return f"How many {things} did {holder} {plain} {when}?" if things else None
    return None


def turned(triplet: Triplet) -> tuple[str, str] | None:
    """A question about another part of a fact than its object, with its answer; None where there is none."""
    share = _SHARE.search(triplet.source_sentence)
    if _INTEREST.fullmatch(triplet.relation) and share and triplet.object in triplet.source_sentence[share.end() :]:
        verb = "did" if triplet.relation.startswith(("owned", "held", "had")) else "does"
        return f"What percentage interest {verb} {inside(triplet.subject)} have in {triplet.object}?", share[1]
    whole = triplet.subject in triplet.source_sentence and triplet.subject != triplet.entity
    if triplet.relation == "includes" and whole and triplet.entity and triplet.object_type == "TEXT":
        return f"Of which unit of {inside(triplet.entity)} is {triplet.object} a part?", triplet.subject
    return None


def _when(triplet: Triplet) -> str:
    if not triplet.period:
        return ""
    if triplet.relation in {"had", "has", "employed", "owned", "operated"} and _DAY.search(triplet.period):
        return f"as of {triplet.period}"
    return f"{'on' if _DAY.search(triplet.period) else 'in'} {triplet.period}"
