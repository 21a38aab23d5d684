"""Clauses of a parsed sentence as subject, relation and object, with the reason against those that may not stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rarefy.tasks.knowledge.extract.prose_grammar import (
    Name,
    Registrant,
    find_citation,
    find_predicates,
    find_subjects,
    is_name,
    list_members,
    main_verb,
    parse_name,
    relation_words,
    verb_objection,
)
from rarefy.tasks.knowledge.extract.values import (
    find_period,
    find_times,
    find_value_at,
    has_several,
    is_time,
    is_vague_time,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


# What may follow a count that is meant whole: "in Mexico" would make it a count of fewer.
_END_OF_COUNT = re.compile(
    r"(?: worldwide| globally| around the world| throughout the world| in total| as of\b[^.;]*)?[.,;]"
)
_MOVES = frozenset(
    "be rise fall increase decrease decline edge drop climb jump move grow expand total average stand remain".split()
)


def level_objection(text: str, end: int, when: str, thing: "Token", verb: "Token", relation: list[str]) -> str:
    """Why a percentage is not the one value of an economic measure at one time; "" where it is."""
    if not when:
        return "amount_without_one_period"
    if verb.lemma_.lower() not in _MOVES or len(relation) > 3:
        return "amount_out_of_context"
    if has_several(text, "percent"):
        return "several_amounts"
    if re.match(
        r"(?:age)? ?(?:points?\b|of\b|for\b|from\b|above\b|below\b|more\b|less\b|or\b|annual\b|pace\b)",
        text[end:].lstrip(),
    ):
        return "restricted_amount"
    return ""


def is_time_of(doc: "Doc", at: int, verb: "Token") -> bool:
    """Whether the time at this character belongs to this verb, not to a clause within or around it."""
    token = next((token for token in doc if token.idx <= at < token.idx + len(token)), None)
    for _ in range(12):
        if token is None or token.head.i == token.i:
            break
        token = token.head
        if token.pos_ in ("VERB", "AUX") or any(
            child.dep_ in ("cop", "nsubj", "nsubj:pass") for child in token.children
        ):
            break
    if token is None or token.i == verb.i:
        return token is not None
    # a time before two verbs joined by "and" belongs to both, one between them to the first
    return token.i == verb.head.i and (verb.dep_ == "xcomp" or (verb.dep_ == "conj" and at < token.idx))


def list_objection(thing: "Token") -> str:
    """Why two joined names may be one name torn apart: one article for both, or one ends in a common noun."""
    first = thing.head if thing.dep_ == "conj" else thing
    both = list_members(first)
    if thing.i != first.i and not all(is_name(member) for member in both):
        return "torn_list"
    if len({member.text[0].isupper() for member in both}) > 1:
        return "torn_list"
    if any(member.lower_ in ("act", "acts", "code", "law") and not _has_article(member) for member in both[1:]):
        return "torn_list"
    if len(both) != 2:
        return ""
    articles = [_has_article(member) for member in both]
    if articles == [True, False]:
        return "torn_list"
    return ""


def _has_article(noun: "Token") -> bool:
    return any(child.dep_ == "det" for child in noun.children)


def value_objection(doc: "Doc", kind: str, end: int, times: list[str], when: str, thing: "Token", verb: "Token") -> str:
    """Why an amount makes no fact: of what or when is not stated, or it is one of several; "" for none."""
    if kind in ("MONEY", "PERCENT"):
        if len(times) != 1 or not when:
            return "amount_without_one_period"
        if kind == "PERCENT":
            return "percentage_of_what"
        if re.match(r" (?:more|less|higher|lower|greater|of|for|to|from)\b", doc.text[end:]):
            return "restricted_amount"
        if verb.i == thing.i or verb.lemma_.lower() == "total":
            return ""
        return "amount_out_of_context"
    if kind == "NUMBER" and thing.dep_ not in ("obj", "nummod"):
        return "amount_out_of_context"
    if not _END_OF_COUNT.match(doc.text, end) or re.search(r"shares$", doc.text[:end]):
        return "restricted_amount"
    if any(child.dep_ == "conj" for child in thing.children) or thing.dep_ == "conj":
        return "several_amounts"
    return ""


def relation_objection(relation: list[str]) -> str:
    short = shorten_relation(relation).split()
    if short[-2:] in (
        ["acquired", "from"],
        ["purchased", "from"],
        ["sold", "to"],
        ["received", "from"],
        ["bought", "from"],
        ["submit", "to"],
    ):
        return "object_lost"
    if short[:2] in (["entered", "with"], ["entered", "in"], ["entered", "under"]) or short == ["entered"]:
        return "preposition_lost"
    if len(short) > 4:
        return "relation_too_long"
    if any(not re.fullmatch(r"[a-z’'-]+", word) for word in short):
        return "relation_with_a_name"
    return ""


def shorten_relation(relation: list[str]) -> str:
    """Up to four words: "has entered into agreement with" loses its auxiliary."""
    if len(relation) > 4 and relation[0] in ("has", "have", "had") and relation[1].endswith("ed"):
        relation = relation[1:]
    return " ".join(relation)


_PREPOSITIONS = frozenset("in at by with from to into on of under against within as".split())
_LIGHT = frozenset(
    "adjacent variety number range majority portion part lot total series amount set group kind type lots".split()
)
_UNSURE = frozenset(
    """
    proposed potential former alleged possible prior pending no few any definitive preliminary similar other such real
    certain some several most many substantial additional remaining various non-binding tentative first
    """.split()
)
# Verbs that say little without their object: "own" an interest in, "enter" into an agreement with.
_CARRIERS = frozenset(
    """
    have own hold enter sign form acquire make complete purchase sell launch establish maintain join change issue
    announce execute lease grant obtain license be become serve participate invest develop
    """.split()
)
_TOGETHER = re.compile(r"\b(?:jointly|together|collectively|each other|combined|between)\b")
_DATED = re.compile(r"\b(?:founded|incorporated|established|organized|formed) in$")  # what has a date for an answer
_INTO_OFFICE = frozenset("become appoint elect promote".split())
_OFFICE = re.compile(r"(?:Officer|President|Chair\w*|Director|Counsel|Controller|Treasurer|Secretary)$")
_FAR = 12  # tokens from a verb, beyond which its object is more often the parser's guess than the writer's
_PEOPLE = frozenset("people persons employees associates teammates colleagues members".split())


@dataclass(frozen=True, slots=True)
class ProseClaim:
    """A clause as subject, relation and object, not yet tied to its place in the chunk."""

    subject: Name
    relation: str
    object: Name
    period: str = ""
    fields: dict[str, str] = field(default_factory=dict)  # value, unit, scale
    objection: str = ""


def claims_by_grammar(doc: "Doc", registrant: Registrant) -> Iterator[ProseClaim]:
    """Every claim of a parsed sentence about two named things, or one and an amount."""
    times = find_times(doc.text, registrant.domain == "economics")
    duties = registrant.domain == "policy"
    for verb in find_predicates(iter(doc)):
        whole = main_verb(verb)
        if whole is None:
            continue
        heads = find_subjects(verb)
        who = [parse_name(head, registrant) for head in heads]
        objection = verb_objection(verb, duties) or (verb_objection(whole, duties) if whole is not verb else "")
        if len(heads) > 1 and _TOGETHER.search(doc.text):
            objection = objection or "joint_subject"
        if len(heads) == 2:
            objection = objection or list_objection(heads[0])
        for subject in who:
            singular = subject.written.lower() == "we" or len(heads) > 1
            verb_words = (
                relation_words(verb, singular)
                if whole is verb
                else [*relation_words(verb, singular), *_continued_words(whole)]
            )
            for relation, thing in _relation_objects(whole, verb_words):
                claim = _make_claim(doc, subject, relation, thing, times, objection, registrant, whole)
                if {claim.subject.objection, claim.object.objection} != {"not_a_name"}:
                    yield claim


def _continued_words(verb: "Token") -> list[str]:
    return [*(child.lower_ for child in verb.children if child.lower_ == "to" and child.dep_ == "mark"), verb.lower_]


def _relation_objects(verb: "Token", words: list[str]) -> Iterator[tuple[list[str], "Token"]]:
    """(words of the relation, head of the object) for every object of a verb."""
    complements = [child for child in verb.children if child.dep_ in ("obj", "obl", "obl:agent")]
    direct = [
        child for child in complements if child.dep_ == "obj" and not any(c.dep_ == "case" for c in child.children)
    ]
    oblique = [child for child in complements if child not in direct]
    copular = any(child.dep_ == "cop" for child in verb.children)
    carries = copular or verb.lemma_.lower() in _CARRIERS
    if copular and verb.pos_ in ("NOUN", "PROPN", "NUM", "SYM"):
        be = words[:-1]
        if verb.pos_ != "NOUN" or is_name(verb):
            yield from ((be, member) for member in list_members(verb))
        elif not direct:
            yield from _objects_through_noun(
                verb, [*be, verb.lemma_.lower() if be[0] in ("is", "was", "has") else verb.lower_], again=False
            )
        return
    for head in direct:
        if is_name(head) or _is_amount(head):
            yield from ((words, member) for member in list_members(head))
        elif carries:
            yield from _objects_through_noun(head, words)
    if any(is_name(head) or _is_amount(head) for head in direct):
        return
    for head in oblique:
        preposition = _preposition(head)
        if not preposition or (verb.pos_ == "ADJ" and head.left_edge.i != verb.i + 1):
            continue
        if direct:
            generic = direct[0]
            if carries and _is_plain_noun(generic):
                yield from (([*words, generic.lower_, preposition], member) for member in list_members(head))
        else:
            yield from (([*words, preposition], member) for member in list_members(head))
            if carries and not is_name(head) and not _is_amount(head):
                yield from _objects_through_noun(head, [*words, preposition])


def _objects_through_noun(
    generic: "Token", words: list[str], again: bool = True
) -> Iterator[tuple[list[str], "Token"]]:
    """ "entered into agreement with" Intel: a common noun on the way to the thing."""
    if not _is_plain_noun(generic):
        return
    for child in generic.children:
        preposition = _preposition(child)
        if child.dep_ == "nmod" and preposition and (again or preposition in ("of", "in")):
            noun = [generic.lower_] if again else []
            yield from (([*words, *noun, preposition], member) for member in list_members(child))


def _is_plain_noun(noun: "Token") -> bool:
    """Whether a common noun may lose its modifiers without the sentence turning false."""
    if noun.pos_ != "NOUN" or noun.lemma_.lower() in _LIGHT or any(child.dep_ == "conj" for child in noun.children):
        return False
    return not any(
        child.lower_ in _UNSURE or child.dep_ in ("acl", "acl:relcl", "nummod", "nmod:poss") for child in noun.children
    )


def _preposition(noun: "Token") -> str:
    cases = [child for child in noun.children if child.dep_ == "case"]
    return cases[0].lower_ if len(cases) == 1 and cases[0].lower_ in _PREPOSITIONS else ""


def _is_amount(head: "Token") -> bool:
    return find_citation(head) is None and find_value_at(head.doc.text, head.idx, head.idx + len(head)) is not None


def _make_claim(
    doc: "Doc", subject: Name, relation: list[str], thing: "Token", times: list[str],
    objection: str, registrant: Registrant, verb: "Token",
) -> ProseClaim:  # fmt: skip
    value = find_value_at(doc.text, thing.idx, thing.idx + len(thing)) if find_citation(thing) is None else None
    when, at = find_period(doc.text, registrant.domain == "economics")
    if when and not is_time_of(doc, at, verb):
        when = ""
    if value is not None:
        obj = Name(value.written, value.written, value.type)
        if subject.type == "ORG" and verb.i == thing.i:
            objection = objection or "amount_of_nothing"
        if subject.type == "MEASURE" and value.type == "PERCENT":
            said_whole = value.written.removeprefix("up to ")  # "edged up to 4.1 percent": "up" is the verb's
            obj = Name(said_whole, said_whole, value.type)
            relation = (
                [*relation[:-1], "up", "to"] if relation[-1] == "up" and said_whole != value.written else relation
            )
            objection = objection or level_objection(doc.text, value.end, when, thing, verb, relation)
            return ProseClaim(subject, shorten_relation(relation), obj, when, value.fields(), objection)
        objection = (
            objection or subject.objection or value_objection(doc, value.type, value.end, times, when, thing, verb)
        )
        relation = _employ_people(relation, value.unit)
        return ProseClaim(
            subject, shorten_relation(relation), obj, when, value.fields(), objection or relation_objection(relation)
        )
    obj = parse_name(thing, registrant)
    if thing.dep_ == "conj" or any(child.dep_ == "conj" for child in thing.children):
        objection = objection or list_objection(thing)
    if subject.type == "MEASURE" or obj.type == "MEASURE":
        objection = objection or "measure_without_amount"
    if verb.i == thing.i and not objection:
        objection = "bare_copula"
    if verb.lemma_.lower() in _INTO_OFFICE and not (_OFFICE.search(obj.text) and obj.type != "PERSON"):
        objection = objection or "not_an_office"
    if shorten_relation(relation) in ("competes with", "is subsidiary of") and obj.type == "NAME":
        obj = replace(obj, type="ORG")
    first = thing.head if thing.dep_ == "conj" else thing
    if thing.dep_ == "obj" and sum(child.dep_ in ("obj", "iobj") for child in verb.children) > 1:
        objection = objection or "two_objects"
    if first.i < verb.i:
        objection = objection or "object_before_verb"
    if first.i - verb.i > _FAR:
        objection = objection or "far_from_verb"
    if thing.dep_ == "obj" and any(
        _preposition(child) in ("from", "as", "with") for child in verb.children if child.dep_ == "obl"
    ):
        objection = objection or "restricted_clause"
    if is_vague_time(obj.text):
        objection = objection or "time_as_object"
    elif is_time(obj.text):
        obj = Name(obj.text, obj.written, "DATE")
        objection = objection or ("" if _DATED.search(" ".join(relation)) else "time_as_object")
        when = ""
    objection = objection or subject.objection or obj.objection or relation_objection(relation)
    if not objection and subject.text == obj.text:
        objection = "of_itself"
    return ProseClaim(subject, shorten_relation(relation), obj, when, {}, objection)


def _employ_people(relation: list[str], unit: str) -> list[str]:
    """ "employed" in place of "had", where people are counted."""
    if unit in _PEOPLE and relation in (["had"], ["has"]):
        return ["employed" if relation == ["had"] else "employs"]
    return relation
