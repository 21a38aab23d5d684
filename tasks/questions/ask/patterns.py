"""Questions for the four patterns, by grammar: pivots are described, one end is asked for (RARE §3.4, R19, R20)."""

import re
from dataclasses import dataclass, replace

from rarefy.data_contracts.rows import LITERALS, Path, Span, Triplet, row_id
from rarefy.tasks.knowledge.graph.facts import is_in_a_role
from rarefy.tasks.knowledge.graph.years import is_through_year
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.cells import ask_for_cell, cell_fault, is_under_segment
from rarefy.tasks.questions.ask.facts import (
    OFFICE,
    ask_deadline,
    ask_for_figure,
    ask_for_object,
    ask_for_subject,
    ask_prose_fact,
    ask_prose_share,
    ask_reading,
    choose,
    mid_sentence,
)
from rarefy.tasks.questions.ask.index import CorpusIndex, object_of, relation_of, subject_of
from rarefy.tasks.questions.ask.links import ask_link, ask_of_record, describe_linked, leads_to_one
from rarefy.tasks.questions.ask.measures import describe_measure
from rarefy.tasks.questions.ask.purchases import ask_purchase
from rarefy.tasks.questions.ask.ranks import ask_by_rank
from rarefy.tasks.questions.ask.years import ask_by_year
from rarefy.tasks.text.states import STATES


@dataclass(frozen=True, slots=True)
class Wording:
    """What a writer returns: a question, its answer and the triplet that holds it, or a reason why there is none."""

    text: str = ""
    answer: str = ""
    target: Triplet | None = None
    naming: tuple[Span, ...] = ()  # where an answer that is a name is written
    restrictions: tuple[Triplet, ...] = ()  # facts beyond the path that narrow the question to one answer
    aliases: tuple[str, ...] = ()  # other forms of the answer that its triplet does not know
    members: tuple[str, ...] = ()  # as Question.members
    arithmetic: str = ""  # as Question.arithmetic, of an answer that was computed
    chance: float = 0.0  # as Question.chance
    rejected_because: str = ""


def make_wording(text: str | None, triplet: Triplet, otherwise: str = "no_wording") -> Wording:
    """The wording of a question that a triplet answers; refused with the reason `otherwise` where it has no text."""
    return Wording(text, triplet.answer, triplet) if text else refuse(otherwise)


def refuse(reason: str) -> Wording:
    """A wording without a question, with the reason (RARE R21: rejection is an empty question)."""
    return Wording(rejected_because=reason)


# What anybody knows of a listed company without its filing; as a clue it is worth more
_COMMON = frozenset(("trades under symbol", "is headquartered in", "is based in", "is listed on"))


def single(path: Path, index: CorpusIndex) -> Wording:
    """The question for one triplet."""
    return ask_fact(index.triplets[path.triplet_ids[0]], index)


def ask_fact(triplet: Triplet, index: CorpusIndex) -> Wording:
    """The question about one fact of a named subject."""
    if triplet.method == "link":
        return make_wording(ask_link(triplet, index), triplet)
    if triplet.subject_type == "TABLE":
        reason = describe_measure(triplet).rejected_because or cell_fault(triplet)
        if not reason and is_under_segment(triplet, index.chunks[triplet.chunk_id]):
            reason = "table_of_others"
        return refuse(reason) if reason else make_wording(ask_for_cell(triplet, index), triplet)
    if triplet.method == "deadline":
        return make_wording(ask_deadline(triplet), triplet)
    if triplet.method == "reading":
        return make_wording(ask_reading(triplet, index), triplet)
    named = triplet.answer == triplet.subject or triplet.relation == "is part of"
    if triplet.method == "prose" and not named and " officer of" not in triplet.relation:
        if share := ask_prose_share(triplet):
            return Wording(*share, triplet)
        return make_wording(ask_prose_fact(triplet, triplet.subject), triplet)
    if is_in_a_role(triplet):
        return refuse("part_without_a_name")
    if triplet.object_type in LITERALS - {"TEXT"}:
        text = ask_for_figure(triplet, index.call(triplet.entity))
        return make_wording(text, triplet, describe_measure(triplet).rejected_because or "unit_or_period_unknown")
    if triplet.relation in _COMMON and triplet.method == "cover":
        return refuse("common_knowledge")
    backwards = triplet.answer == triplet.subject  # a ticker or a person is the short end of its fact
    if backwards and any(
        f.triplet_id != triplet.triplet_id and f.period == triplet.period
        for other in index.subjects[relation_of(triplet), object_of(triplet)] - {subject_of(triplet)}
        for f in index.facts[other, relation_of(triplet)]
    ):
        return refuse("answer_not_unique")
    given = triplet.object if backwards else triplet.subject
    called = index.call(given) if given == triplet.entity else given
    return make_wording((ask_for_subject if backwards else ask_for_object)(triplet, called), triplet)


def star(path: Path, index: CorpusIndex) -> Wording:
    """A question for the last triplet's object, the head described by the others."""
    *clues, target = (index.triplets[i] for i in path.triplet_ids)
    if index.share_a_chunk([*clues, target]):
        return refuse("facts_share_a_chunk")
    if len(clues) == 1 and clues[0].value:
        text, others, reason = ask_by_rank(clues[0], target, index)
        return replace(make_wording(text, target, reason), restrictions=others)
    kind = common_noun(target.subject_type, target.entity, target.subject)
    if not kind:
        return refuse("pivot_has_no_noun")
    if any(clue.object_type in LITERALS for clue in clues):
        return refuse("clue_is_a_number")
    stated = [clue for clue in clues if not is_implied(clue, clues)]
    if all(clue.relation in _WHERE and clue.method == "cover" for clue in stated):
        return refuse("filer_would_be_named")  # who knows its head office knows its name
    if len(set.intersection(*(index.may_hold(clue) for clue in stated))) != 1:
        return refuse("pivot_not_unique")
    apposable = all(clue.relation in _APPOSED for clue in stated)
    clauses = [apposed(clue) if apposable else subject_clause(clue) for clue in stated]
    holder = f"the {kind} {'' if apposable else 'that '}" + join_clauses(clauses)
    return ask_about(target, holder, index)


_WHERE = ("is headquartered in", "is based in")


def is_implied(clue: Triplet, clues: list[Triplet]) -> bool:
    """Whether another clue implies this one: a city is in its state."""
    if clue.relation not in _WHERE:
        return False
    return any(c.relation in _WHERE[: _WHERE.index(clue.relation)] for c in clues)


def without_legal_form(name: str) -> str:
    """A company's name as others may write it, without its legal form."""
    return min(company_names(name), key=len)


def join_clauses(clauses: list[str]) -> str:
    """ "a", "a and b", "a, b, and c"."""
    return " and ".join(clauses) if len(clauses) < 3 else f"{', '.join(clauses[:-1])}, and {clauses[-1]}"


def ask_about(target: Triplet, holder: str, index: CorpusIndex) -> Wording:
    """A question for the object of a triplet whose subject is described."""
    if target.method == "prose" and target.object_type not in {"MONEY", "NUMBER", "PERCENT"}:
        return refuse("pivot_not_needed")  # the day of an act, or its other party, gives it away alone
    if target.method == "prose":
        text = ask_prose_fact(target, holder)
    elif target.object_type in LITERALS:
        text = ask_for_figure(target, holder, index.fiscal_year_label(target))
        return make_wording(text, target, describe_measure(target).rejected_because or "no_wording")
    elif target.relation in _COMMON:
        return refuse("common_knowledge")
    else:
        text = ask_for_object(target, holder)
    return make_wording(text, target)


def chain(path: Path, index: CorpusIndex) -> Wording:
    """A question for the last tail; each pivot is described by the link that leads to it."""
    *links, target = (index.triplets[i] for i in path.triplet_ids)
    if index.share_a_chunk([*links, target]):
        return refuse("facts_share_a_chunk")
    if is_through_year(links[0], target):
        text, others, reason = ask_by_year(links[0], target, index)
        return replace(make_wording(text, target, reason), restrictions=others)
    holder = ""
    for link in links:
        if link.method == "link":
            if not leads_to_one(link, index):
                return refuse("pivot_not_unique")
            holder = describe_linked(link)
            if not holder:
                return refuse("no_wording")
            continue
        kind = common_noun(link.object_type, link.entity, link.object)
        if not kind or link.object_type in LITERALS:
            return refuse("pivot_has_no_noun")
        if len(index.objects[subject_of(link), relation_of(link)]) != 1:
            return refuse("pivot_not_unique")
        if link.relation == "is part of" and not holder:
            holder = describe_part(link, kind, index)  # names the company, so that no other is meant
            continue
        if index.entities_mentioning(link.subject) - {link.entity}:
            return refuse("pivot_not_unique")  # another company's exhibits list these notes too
        clause = object_clause(link)
        if holder:
            clause = clause.replace(without_legal_form(link.subject), holder)
            if holder not in clause:
                return refuse("no_wording")
        holder = f"the {kind} {clause}"
    if target.method == "reading":
        return make_wording(ask_of_record(target, links[-1], holder, index), target)
    return ask_about(target, holder, index)


def describe_part(link: Triplet, kind: str, index: CorpusIndex) -> str:
    """ "the Procter & Gamble segment that sells Tide": the part of a company to which something belongs."""
    thing = without_legal_form(link.subject)
    forms = [f"that includes {thing}"]
    if link.method == "table":  # of brands
        forms += [f"that sells {thing}", f"that sells {thing}", f"behind {thing}"]
    return f"the {index.call(link.entity)} {kind} {choose(forms, link.subject, link.object)}"


_SHARED = {  # relation → questions for the {company} that has the same object as {other}
    "is audited by": (
        "Which {company} shares its auditor with {other}?",
        "Which {company} does the auditor of {other} also audit?",
        "Which {company} uses the same accounting firm as {other}?",
        "Besides {other}, which {company} has the same auditor?",
    ),
    "is listed on": (
        "Which {company} trades on the same stock exchange as {other}?",
        "Besides {other}, which {company} is listed on the same stock exchange?",
    ),
    "is incorporated in": (
        "Which {company} is incorporated in the same state as {other}?",
        "Besides {other}, which {company} is incorporated in the same state?",
        "Which {company} shares its state of incorporation with {other}?",
    ),
    "is headquartered in": (
        "Which {company} is headquartered in the same city as {other}?",
        "Besides {other}, which {company} has its headquarters in the same city?",
    ),
    "is based in": (
        "Which {company} has its headquarters in the same state as {other}?",
        "Besides {other}, which {company} is based in the same state?",
        "Which {company} shares its home state with {other}?",
    ),
}


def inverted_star(path: Path, index: CorpusIndex) -> Wording:
    """A question for another head of the shared tail, narrowed by a trait where several share it."""
    arms = [index.triplets[i] for i in path.triplet_ids]
    if len({relation_of(arm) for arm in arms}) != 1:
        return refuse("heads_share_no_meaning")
    named_by_all = index.subjects[relation_of(arms[0]), object_of(arms[0])]
    if index.share_a_chunk(arms):
        return refuse("facts_share_a_chunk")
    if arms[0].relation == "was acquired by":
        text, bought = ask_purchase(arms, index) if len(arms) == 2 else ("", None)
        return make_wording(text, bought) if bought else refuse("answer_not_unique")
    if index.may_hold(arms[0]) - named_by_all:
        return refuse("others_not_ruled_out")
    refused = refuse("answer_not_unique")
    for at, answer in enumerate(arms):
        given = arms[:at] + arms[at + 1 :]
        if any(index.has_several(arm) for arm in given):
            continue  # "the same exchange" as one that is listed on two
        others = named_by_all - {subject_of(arm) for arm in given}
        # with a trait one named company says enough; several are named only where each has to be ruled out
        trait = None if len(others) == 1 or len(given) > 1 else narrowing_trait(given, answer, others, index)
        if len(others) == 1 or trait:
            wording = word_question(given, answer, trait, index)
            if wording.text:
                return wording
            refused = wording
    return refused


def narrowing_trait(given: list[Triplet], second: Triplet, others: set[str], index: CorpusIndex) -> Triplet | None:
    """A trait that only the answer has of all that share the tail, but that does not single it out alone; or None.

    Another one for each that may be named, as far as there are several, so that their questions are not alike.
    """
    fits = []
    for trait in index.traits.get(subject_of(second), ()):
        holders = index.subjects[relation_of(trait), object_of(trait)]
        narrows = (
            others & index.may_hold(trait) == {subject_of(second)}
            and len(holders - {subject_of(arm) for arm in given}) > 1
        )
        if narrows and relation_of(trait) != relation_of(second) and trait.doc_id == second.doc_id:
            fits.append(trait)
    named = {subject_of(arm) for arm in given}
    place = sum(subject < min(named) for subject in others | named)
    fits.sort(key=lambda t: row_id(second.triplet_id, t.triplet_id))
    return fits[place % len(fits)] if fits else None


def word_question(given: list[Triplet], second: Triplet, trait: Triplet | None, index: CorpusIndex) -> Wording:
    """The question for the second head, whose name must stand in its own document."""
    kind = common_noun(second.subject_type, second.entity, second.subject)
    names = sorted(mid_sentence(index.call(arm.subject)) for arm in given)
    document = index.documents[second.doc_id]
    traits = (trait,) if trait else ()
    naming = index.find_name(document, [*(t.chunk_id for t in (second, *traits)), *index.chunks_stating(second)])
    holders = index.subjects[relation_of(trait), object_of(trait)] if trait else {subject_of(arm) for arm in given}
    other = "" if holders.isdisjoint(subject_of(arm) for arm in given) else "other "
    company = other + (with_trait(kind, trait) if trait else kind)
    text = ask_for_sharer(second, company, join_clauses(names))
    if not kind or not text:
        return refuse("no_wording")
    if naming is None or second.subject != document.entity:
        return refuse("answer_not_named")
    line = index.chunks[naming.chunk_id].text[naming.start : naming.end]
    printed = second.subject if second.subject in line else second.subject.upper()
    return Wording(text, printed, second, (naming,), restrictions=traits, aliases=(second.subject,))


def ask_for_sharer(fact: Triplet, company: str, others: str) -> str:
    """ "Which company shares its auditor with Tesla?"; "" for relations that two things do not share in words."""
    forms = _SHARED.get(fact.relation, ())
    if not company.startswith("other "):  # "Besides Acme, which Ohio-based company" would put Acme in Ohio
        forms = tuple(form for form in forms if not form.startswith("Besides"))
    if not forms or ("state" in forms[0] and fact.object not in STATES.values()):
        return ""
    text = choose(forms, fact.subject, company, others).format(company=company, other=others)
    return text.replace("which other ", "which ") if text.startswith("Besides ") else text


_BEFORE = {"New York Stock Exchange": "NYSE-listed", "Nasdaq": "Nasdaq-listed"}


def with_trait(kind: str, trait: Triplet) -> str:
    """ "California-based company", "NYSE-listed company", "company audited by KPMG"."""
    if trait.relation == "is based in":
        return f"{trait.object}-based {kind}"
    before = _BEFORE.get(trait.object) if trait.relation == "is listed on" else None
    return f"{before} {kind}" if before else f"{kind} {apposed(trait)}"


# type → common noun
_NOUN_PAIRS = "ORG:company PERSON:person SEGMENT:segment PRODUCT:product GPE:place LAW:law SECURITY:security"
_NOUNS = dict(pair.split(":") for pair in _NOUN_PAIRS.split())
_PREPOSITIONS = frozenset("in at by to from with on of under for as through into over against within".split())


_OUT = {  # relation → predicate about its subject
    "is listed on": "has its common stock listed on {object}",
    "completed acquisition of": "acquired {object}",
    "has subsidiary": "owns {object}",
    "is subsidiary of": "is a subsidiary of {object}",
}


_IN = {  # relation → relative clause about its object
    "are issued by": "that issued the {subject}",
    "is subsidiary of": "that owns {subject}",
    "was acquired by": "that acquired {subject}",
    "is part of": "that includes {subject}",
}


_LED = {  # office → clauses about the company
    "chief executive officer": ("run by {who}", "led by {who}", "whose chief executive was {who}"),
    "chief financial officer": ("whose CFO was {who}", "whose finance chief was {who}"),
}


def common_noun(kind: str, entity: str = "", name: str = "") -> str:
    """The common noun for a thing of this type, "body" for an institution; "" where there is none."""
    if kind == "ORG" and re.search(
        r"\b(?:Committee|Board|Bank|Commission|Agency|Department|Council|Authority)\b", name
    ):
        return "body"
    return _NOUNS.get(kind, "")


def subject_clause(triplet: Triplet) -> str:
    """The predicate of a relative clause about a triplet's subject: "is headquartered in Cupertino, California"."""
    thing = with_article(triplet.object, triplet.object_type)
    return _OUT.get(triplet.relation, f"{triplet.relation} {{object}}").format(object=thing)


_APPOSED = {  # relation → what stands behind its subject without a verb
    "is listed on": "listed on {object}",
    "is audited by": "audited by {object}",
    "is incorporated in": "incorporated in {object}",
    "is headquartered in": "headquartered in {object}",
    "is based in": "based in {object}",
}


def apposed(triplet: Triplet) -> str:
    """What is said of a triplet's subject, behind it: "audited by KPMG"; a relative clause for other relations."""
    if triplet.relation not in _APPOSED:
        return f"that {subject_clause(triplet)}"
    thing = without_legal_form(triplet.object) if triplet.relation == "is audited by" else triplet.object
    return _APPOSED[triplet.relation].format(object=with_article(thing, triplet.object_type))


def object_clause(triplet: Triplet) -> str:
    """The relative clause about a triplet's object: "whose chief financial officer is Luca Maestri"."""
    if triplet.relation in _IN:
        named = triplet.subject if triplet.subject_type != "ORG" else without_legal_form(triplet.subject)
        return _IN[triplet.relation].format(subject=named)
    office = OFFICE.fullmatch(triplet.relation)
    if office:
        forms = _LED.get(office[1], ("whose {office} was {who}",))
        return choose(forms, triplet.subject, triplet.period).format(office=office[1], who=triplet.subject)
    words = triplet.relation.split()
    subject = with_article(triplet.subject, triplet.subject_type)
    if words[-1] in _PREPOSITIONS and len(words) > 1:
        return f"{words[-1]} which {subject} {' '.join(words[:-1])}"
    return f"that {subject} {triplet.relation}"


def with_article(name: str, kind: str) -> str:
    """A name with the article that English wants: exchanges, laws and boards take one."""
    if re.match(r"(?:the|a|an)\s", name, re.I):
        return re.sub(r"^The ", "the ", name)
    if (
        re.search(
            r"\b(?:Act|Exchange|Market|Committee|Commission|Board|Department|Union|Regulation|States|Kingdom)\b", name
        )
        and kind != "PERSON"
    ):
        return f"the {name}"
    return name
