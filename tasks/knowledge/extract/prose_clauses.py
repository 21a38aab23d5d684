"""Knows how a clause becomes subject, relation and object, by the dependencies between its words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rarefy.tasks.knowledge.extract.prose_names import Name, Registrant
from rarefy.tasks.knowledge.extract.prose_objections import (
    holds_for,
    shorten,
    trouble_with_level,
    trouble_with_list,
    trouble_with_value,
    trouble_with_words,
)
from rarefy.tasks.knowledge.extract.prose_phrases import citation, name_of, named
from rarefy.tasks.knowledge.extract.prose_values import is_time, is_vague_time, period, times, value_over
from rarefy.tasks.knowledge.extract.prose_verbs import members, onward, predicates, subjects, trouble_with, words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PREPOSITIONS = frozenset("in at by with from to into on of under against within as".split())
_LIGHT = frozenset(
    "adjacent variety number range majority portion part lot total series amount set group kind type lots".split()
)
_UNSURE = frozenset(
    """
    proposed potential former alleged possible prior pending no few any definitive preliminary similar other such
    real certain some several most many substantial additional remaining various non-binding tentative first
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
class Claim:
    """What a clause says, before it is tied to its place in the chunk."""

    subject: Name
    relation: str
    object: Name
    period: str = ""
    fields: dict[str, str] = field(default_factory=dict)  # value, unit, scale
    trouble: str = ""


def clauses(doc: "Doc", registrant: Registrant) -> Iterator[Claim]:
    """Every claim that a sentence's clauses make of two named things, or of one and an amount."""
    said = times(doc.text, registrant.domain == "economics")
    duties = registrant.domain == "policy"
    for verb in predicates(iter(doc)):
        whole = onward(verb)
        if whole is None:
            continue
        heads = subjects(verb)
        who = [name_of(head, registrant) for head in heads]
        trouble = trouble_with(verb, duties) or (trouble_with(whole, duties) if whole is not verb else "")
        if len(heads) > 1 and _TOGETHER.search(doc.text):
            trouble = trouble or "joint_subject"
        if len(heads) == 2:
            trouble = trouble or trouble_with_list(heads[0])
        for subject in who:
            singular = subject.said.lower() == "we" or len(heads) > 1
            verb_words = words(verb, singular) if whole is verb else [*words(verb, singular), *_going_on(whole)]
            for relation, thing in _objects(whole, verb_words):
                claim = _claim(doc, subject, relation, thing, said, trouble, registrant, whole)
                if {claim.subject.trouble, claim.object.trouble} != {"not_a_name"}:
                    yield claim


def _going_on(verb: "Token") -> list[str]:
    return [*(child.lower_ for child in verb.children if child.lower_ == "to" and child.dep_ == "mark"), verb.lower_]


def _objects(verb: "Token", said: list[str]) -> Iterator[tuple[list[str], "Token"]]:
    """(relation, head of the object) for whatever the verb says something of."""
    complements = [child for child in verb.children if child.dep_ in ("obj", "obl", "obl:agent")]
    direct = [
        child for child in complements if child.dep_ == "obj" and not any(c.dep_ == "case" for c in child.children)
    ]
    oblique = [child for child in complements if child not in direct]
    copular = any(child.dep_ == "cop" for child in verb.children)
    carries = copular or verb.lemma_.lower() in _CARRIERS
    if copular and verb.pos_ in ("NOUN", "PROPN", "NUM", "SYM"):
        be = said[:-1]
        if verb.pos_ != "NOUN" or named(verb):
            yield from ((be, member) for member in members(verb))
        elif not direct:
            yield from _through(
                verb, [*be, verb.lemma_.lower() if be[0] in ("is", "was", "has") else verb.lower_], again=False
            )
        return
    for head in direct:
        if named(head) or _amount(head):
            yield from ((said, member) for member in members(head))
        elif carries:
            yield from _through(head, said)
    if any(named(head) or _amount(head) for head in direct):
        return
    for head in oblique:
        preposition = _preposition(head)
        if not preposition or (verb.pos_ == "ADJ" and head.left_edge.i != verb.i + 1):
            continue
        if direct:
            generic = direct[0]
            if carries and _plain(generic):
                yield from (([*said, generic.lower_, preposition], member) for member in members(head))
        else:
            yield from (([*said, preposition], member) for member in members(head))
            if carries and not named(head) and not _amount(head):
                yield from _through(head, [*said, preposition])


def _through(generic: "Token", said: list[str], again: bool = True) -> Iterator[tuple[list[str], "Token"]]:
    """ "entered into agreement with" Intel: a common noun on the way to the thing."""
    if not _plain(generic):
        return
    for child in generic.children:
        preposition = _preposition(child)
        if child.dep_ == "nmod" and preposition and (again or preposition in ("of", "in")):
            noun = [generic.lower_] if again else []
            yield from (([*said, *noun, preposition], member) for member in members(child))


def _plain(noun: "Token") -> bool:
    """Whether a common noun may lose its modifiers without the sentence turning false."""
    if noun.pos_ != "NOUN" or noun.lemma_.lower() in _LIGHT or any(child.dep_ == "conj" for child in noun.children):
        return False
    return not any(
        child.lower_ in _UNSURE or child.dep_ in ("acl", "acl:relcl", "nummod", "nmod:poss") for child in noun.children
    )


def _preposition(noun: "Token") -> str:
    cases = [child for child in noun.children if child.dep_ == "case"]
    return cases[0].lower_ if len(cases) == 1 and cases[0].lower_ in _PREPOSITIONS else ""


def _amount(head: "Token") -> bool:
    return citation(head) is None and value_over(head.doc.text, head.idx, head.idx + len(head)) is not None


def _claim(
    doc: "Doc", subject: Name, relation: list[str], thing: "Token", said: list[str],
    trouble: str, registrant: Registrant, verb: "Token",
) -> Claim:  # fmt: skip
    value = value_over(doc.text, thing.idx, thing.idx + len(thing)) if citation(thing) is None else None
    when, at = period(doc.text, registrant.domain == "economics")
    if when and not holds_for(doc, at, verb):
        when = ""
    if value is not None:
        obj = Name(value.said, value.said, value.type)
        if subject.type == "ORG" and verb.i == thing.i:
            trouble = trouble or "amount_of_nothing"
        if subject.type == "MEASURE" and value.type == "PERCENT":
            said_whole = value.said.removeprefix("up to ")  # "edged up to 4.1 percent": "up" is the verb's
            obj = Name(said_whole, said_whole, value.type)
            relation = [*relation[:-1], "up", "to"] if relation[-1] == "up" and said_whole != value.said else relation
            trouble = trouble or trouble_with_level(doc.text, value.end, when, thing, verb, relation)
            return Claim(subject, shorten(relation), obj, when, value.fields(), trouble)
        trouble = trouble or subject.trouble or trouble_with_value(doc, value.type, value.end, said, when, thing, verb)
        relation = _counting(relation, value.unit)
        return Claim(subject, shorten(relation), obj, when, value.fields(), trouble or trouble_with_words(relation))
    obj = name_of(thing, registrant)
    if thing.dep_ == "conj" or any(child.dep_ == "conj" for child in thing.children):
        trouble = trouble or trouble_with_list(thing)
    if subject.type == "MEASURE" or obj.type == "MEASURE":
        trouble = trouble or "measure_without_amount"
    if verb.i == thing.i and not trouble:
        trouble = "bare_copula"
    if verb.lemma_.lower() in _INTO_OFFICE and not (_OFFICE.search(obj.text) and obj.type != "PERSON"):
        trouble = trouble or "not_an_office"
    if shorten(relation) in ("competes with", "is subsidiary of") and obj.type == "NAME":
        obj = replace(obj, type="ORG")
    first = thing.head if thing.dep_ == "conj" else thing
    if thing.dep_ == "obj" and sum(child.dep_ in ("obj", "iobj") for child in verb.children) > 1:
        trouble = trouble or "two_objects"
    if first.i < verb.i:
        trouble = trouble or "object_before_verb"
    if first.i - verb.i > _FAR:
        trouble = trouble or "far_from_verb"
    if thing.dep_ == "obj" and any(
        _preposition(child) in ("from", "as", "with") for child in verb.children if child.dep_ == "obl"
    ):
        trouble = trouble or "restricted_clause"
    if is_vague_time(obj.text):
        trouble = trouble or "time_as_object"
    elif is_time(obj.text):
        obj = Name(obj.text, obj.said, "DATE")
        trouble = trouble or ("" if _DATED.search(" ".join(relation)) else "time_as_object")
        when = ""
    trouble = trouble or subject.trouble or obj.trouble or trouble_with_words(relation)
    if not trouble and subject.text == obj.text:
        trouble = "of_itself"
    return Claim(subject, shorten(relation), obj, when, {}, trouble)


def _counting(relation: list[str], unit: str) -> list[str]:
    """ "had" people is to have employed them."""
    if unit in _PEOPLE and relation in (["had"], ["has"]):
        return ["employed" if relation == ["had"] else "employs"]
    return relation
