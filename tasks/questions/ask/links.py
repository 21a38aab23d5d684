"""The other end of a link between documents, described by what the one document says of it."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.link.companies import read_link
from rarefy.tasks.knowledge.link.meetings import APPROVED, FOLLOWED
from rarefy.tasks.questions.ask.facts import ask_reading, possessive
from rarefy.tasks.questions.ask.index import CorpusIndex, relation_of, subject_of
from rarefy.tasks.text.names import without_form

_VOTE = re.compile(r"notation vote completed on \w+ \d{1,2}, \d{4}")
_MEETING = "Federal Open Market Committee meeting"


def leads_to_one(link: Triplet, index: CorpusIndex) -> bool:
    """Whether its subject has this relation to one other record alone."""
    return len(index.objects[subject_of(link), relation_of(link)]) == 1


def describe_linked(link: Triplet) -> str:
    """The other end of a link in words; "" where no form fits.

    "the Federal Open Market Committee meeting that followed that of June 18-19, 2019"
    """
    if link.relation in (FOLLOWED, APPROVED):
        return _describe_meeting(link)
    return _describe_company(link)


def ask_link(link: Triplet, index: CorpusIndex) -> str | None:
    """The question that the other end of a link answers; None where its description makes none."""
    described = describe_linked(link) if link.answer and leads_to_one(link, index) else ""
    question = re.sub(r"^the company that ", "Which company ", described)
    return f"{question}?" if question != described else None


def _describe_meeting(link: Triplet) -> str:
    day = link.subject.rpartition(" of ")[2]
    if link.relation == FOLLOWED:
        return f"the {_MEETING} that followed that of {day}"
    vote = _VOTE.search(link.source_sentence)
    return f"the {_MEETING} whose minutes were approved " + (
        f"by the {vote[0]}" if vote else f"at the meeting of {day}"
    )


_CLAUSES = {  # relation → what is said of its object; "{S}" is its subject, the rest is what the sentence says
    "has as a major customer": "that accounted for {share} of {S's} {sales} in {when}",
    "is a major customer of": "that got {share} of its {sales} in {when} from {S}",
    "formerly worked at": "at which {S} {did} {time}",
    "formerly employed an officer of": "one of whose executives {did} at {S} {years}",
    "has an agreement with": "that has {agreement} with {S}",
}


def _describe_company(link: Triplet) -> str:
    """ "the company that accounted for approximately 16% of Procter & Gamble's total sales in 2025"."""
    other = link.subject if link.entity == link.object else link.object
    parts = read_link(link.relation, link.source_sentence, other, link.entity)
    template = _CLAUSES.get(link.relation)
    named = link.subject if link.subject_type == "PERSON" else without_form(link.subject)
    lead = parts.get("lead", "")
    parts |= {"S": named, "S's": possessive(named)}
    parts |= {"time": re.sub(r"^prior to", "before", lead[:1].lower() + lead[1:])} if lead else {}
    parts |= {"years": parts["time"]} if lead.startswith("From") else {}
    if parts.get("did", "").startswith("held "):
        parts["did"] = "worked"
    if "purpose" in parts:
        parts["agreement"] = f"an agreement for {parts['purpose']}"
    elif "deal" in parts:
        parts["agreement"] = parts["deal"]
    if template is None or set(re.findall(r"\{([\w']+)\}", template)) - parts.keys():
        return ""
    return "the company " + re.sub(r"\{([\w']+)\}", lambda part: parts[part[1]], template)


def ask_of_record(target: Triplet, link: Triplet, holder: str, index: CorpusIndex) -> str | None:
    """The question for a fact of a record that is described rather than named; None where it would not need that."""
    if target.subject != link.object or target.relation == "preceded meeting of":
        return None  # a calendar of meetings, which nobody would ask for in this way
    return ask_reading(target, index, holder.removeprefix("the "))
