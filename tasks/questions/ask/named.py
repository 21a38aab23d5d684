"""Questions that ask for a named thing of a company: by templates for cover facts, by grammar for the rest."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.places import STATES
from rarefy.tasks.questions.ask.clauses import OFFICE
from rarefy.tasks.questions.ask.measures import inside, possessive

_OBJECT = {  # relation → the question that its object answers
    "is incorporated in": "In which jurisdiction is {holder} incorporated?",
    "is headquartered in": "In which city is {holder} headquartered?",
    "is based in": "In which state or country is {holder} based?",
    "has principal executive offices at": "At which street address does {holder} have its principal executive offices?",
    "is listed on": "On which stock exchange does {holder} have its common stock listed?",
    "trades under symbol": "Under which ticker symbol does the common stock of {holder} trade?",
    "is audited by": "Which accounting firm is the independent auditor of {holder}?",
}
_WHAT = {
    "ORG": "Which organization",
    "PERSON": "Who",
    "GPE": "Which place",
    "LOC": "Which place",
    "PRODUCT": "Which product",
    "LAW": "Which law",
}
_AUX = re.compile(r"^(is|are|was|were|has|have|had|must|shall)\s+(.+)$")


def of_object(triplet: Triplet, holder: str) -> str | None:
    """The question that a triplet's object answers, its subject called `holder`; None where grammar does not reach."""
    if triplet.relation == "is based in" and triplet.object in STATES.values():
        return f"In which state is {inside(holder)} headquartered?"
    if triplet.relation in _OBJECT:
        return _OBJECT[triplet.relation].format(holder=inside(holder))
    what = _WHAT.get(triplet.object_type)
    if what is None:
        return None
    auxiliary = _AUX.match(triplet.relation)
    if auxiliary is None or (auxiliary[1] in {"must", "shall"} and triplet.object_type not in _WHAT):
        return None
    # "was acquired by" → "Which organization was Mellanox acquired by?"
    if what == "Who":
        what = "Whom" if auxiliary[2].split()[-1] not in {"by", "with", "to", "from"} else "Who"
    return f"{what} {auxiliary[1]} {inside(holder)} {auxiliary[2]}?"


def of_subject(triplet: Triplet, holder: str) -> str | None:
    """The question that a triplet's subject answers, its object called `holder`."""
    office = OFFICE.fullmatch(triplet.relation)
    if office and triplet.period:
        holder = inside(holder)
        short = len(holder.split()) < 6
        subject = f"{possessive(holder)} {office[1]}" if short else f"the {office[1]} of {holder}"
        return f"Who was {subject} according to the annual report for {triplet.period}?"
    return None
