"""A question in the order of a statement: "Apple Inc. had how many employees as of September 28, 2024?"."""

import re
from collections.abc import Iterator
from itertools import pairwise

from rarefy.tasks.perturb.query.hanging import BE, PREPOSITIONS, PRONOUNS, SAYING, nominal
from rarefy.tasks.perturb.query.question_parts import CLAUSE, ParsedQuestion
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.syntax.verbs import past

Parts = list[tuple[int, int] | str]

LONGEST = 8  # words of what is asked for, and of a subject
MODALS = frozenset("can could will would may might must shall should".split())
_WORD = re.compile(r"\S+")
_SUBJECT = re.compile(
    r" (?P<name>(?:the )?[A-Z][\w.&’'-]*(?: (?:[A-Z&][\w.&’'-]*|(?:and|of|the|and the|of the)(?= [A-Z])))*)(?= [a-z])"
)


def declared(question: ParsedQuestion) -> Iterator[Parts]:
    """The question with what it asks for at the place of the answer, without its closing punctuation."""
    if question.front or question.aux == (0, 0):
        return
    if not question.wh:
        yield from _stated(question)
        return
    asks = (question.start, question.aux[0] - 1)
    if len(_WORD.findall(question.text[asks[0] : asks[1]])) > LONGEST:
        return
    auxiliary = question.text[question.aux[0] : question.aux[1]].lower()
    if auxiliary in BE:
        placed = question.to > question.start or question.wh in ("where", "when")
        yield from _passive(question, asks) if placed else _copula(question, asks)
    elif auxiliary in ("do", "does", "did") or auxiliary in MODALS:
        yield from _done(question, asks, auxiliary)


def stranded(question: ParsedQuestion) -> tuple[tuple[int, int], str] | None:
    """A question without the preposition that it begins with, and that: "which segment are its sales included", in."""
    text, (low, high) = question.text, question.body
    before = text[question.start : question.to].strip().lower()
    if question.front or question.tails or before not in ("in", "to", "from", "on", "at", "with", "by", "for"):
        return None
    last = text[low:high].split()[-1:]
    passive = text[question.aux[0] : question.aux[1]].lower() in BE
    verb = last and (_participle(last[0]) if passive else _base(last[0]))
    if question.wh not in ("what", "which") or question.aux == (0, 0) or not verb or CLAUSE.search(text, low, high):
        return None
    return (question.to, high), before


def _copula(question: ParsedQuestion, asks: tuple[int, int]) -> Iterator[Parts]:
    """X's income in 2024 was what, in millions of dollars?"""
    text, low = question.text, question.body[0]
    if text[asks[0] : asks[1]].lower() not in ("what", "who") or not nominal(question):
        return
    last = [piece for piece in question.tails if piece.kind != "time" or piece.comma]
    till = last[0].start - 1 - last[0].comma if last else question.end
    yield [(low + 1, till), " ", question.aux, " ", *_lowered(text, *asks), (till, question.end)]


def _stated(question: ParsedQuestion) -> Iterator[Parts]:
    """The Laleli Mosque and Esma Sultan Mansion are located in the same neighborhood?"""
    text, (low, high) = question.text, question.body
    auxiliary = text[slice(*question.aux)].lower()
    subject = _SUBJECT.match(text, low, high)
    if auxiliary not in BE and auxiliary not in MODALS | {"has", "have", "had"}:
        return
    choice = " or " in text[low:high]
    if (
        subject
        and not choice
        and not subject["name"].endswith(("'s", "’s", "'", "’"))
        and not CLAUSE.search(text, low, high)
    ):
        end = subject.end("name")
        yield [subject.span("name"), " ", text[slice(*question.aux)].lower(), (end, question.end)]


def _passive(question: ParsedQuestion, asks: tuple[int, int]) -> Iterator[Parts]:
    """Its sales are included in which segment?"""
    text, (low, high) = question.text, question.body
    said = text[low:high].split()
    if len(said) < 2 or CLAUSE.search(text, low, high) or not _participle(said[-1]):
        return
    if any(_participle(word) and said[i + 1] in PREPOSITIONS for i, word in enumerate(said[:-1])):
        return
    at = high - len(said[-1])
    yield [(low + 1, at - 1), " ", question.aux, " ", (at, high), " ", *_lowered(text, *asks), (high, question.end)]


def _done(question: ParsedQuestion, asks: tuple[int, int], auxiliary: str) -> Iterator[Parts]:
    """Apple Inc. had how many employees as of September 28, 2024?"""
    text, (low, high) = question.text, question.body
    tokens = list(_WORD.finditer(text, low, high))
    found = _verb([token.group() for token in tokens])
    if not found or CLAUSE.search(text, low, high):
        return
    verb, rest = tokens[found], [token.group() for token in tokens[found + 1 :]]
    form = verb.group() if auxiliary in MODALS else _form(verb.group(), auxiliary)
    named = any(r.pos == "n" for r in wordnet.readings(verb.group()))
    if named and (rest[:1] == ["of"] or any(_base(word) and i and _free(rest[i - 1]) for i, word in enumerate(rest))):
        return  # "the will of the duke", "a red sky at night mean": it may be a noun, and the verb is to come
    if rest[:1] == ["to"] and len(rest) > 1 and any(r.pos == "v" for r in wordnet.readings(rest[1])):
        return  # "offer to do": what is asked for is what is done
    if verb.group() in SAYING or any(word.lower() in PRONOUNS for word in rest):
        return
    if not form or any(word in ("and", "or") and _base(after) for word, after in pairwise(rest)):
        return
    told: Parts = [(low + 1, verb.start()), *(((question.aux), " ") if auxiliary in MODALS else ()), form]
    asked_for = [" ", *_lowered(text, *asks)]
    if question.to > question.start or question.wh in ("where", "when"):
        yield [*told, (verb.end(), high), *asked_for, (high, question.end)]
    elif not rest or (len(rest) > 1 and rest[0] in PREPOSITIONS and rest[1] not in PREPOSITIONS):
        # else an object stands after the verb, or a preposition alone: what is asked for is not what follows the verb
        yield [*told, *asked_for, (verb.end(), question.end)]


def _verb(said: list[str]) -> int:
    """Where the verb stands whose subject is a name, or a noun with its article; 0 where that is not plain."""
    plain = said[0].lower() in ("the", "its", "their", "a", "an") if said else False
    for i, word in enumerate(said[: LONGEST + 1]):
        name = word[:1].isupper() or word[:1].isdigit() or word in ("&", "of", "the") or not word[:1].isalpha()
        if not i or (name and not (plain and i > 1 and word.islower())) or word.endswith("ly"):
            continue
        candidates = [at for at in range(i, min(len(said), i + 4)) if _base(said[at])]
        owns = said[i - 1].endswith(("'s", "’s", "'", "’"))
        if not owns and (not plain or any(w[:1].isupper() for w in said[:i])):
            return i if _base(word) else 0
        return candidates[0] if len(candidates) == 1 and candidates[0] - i < 3 else 0
    return 0


def _form(verb: str, auxiliary: str) -> str | None:
    """The verb in the form that its auxiliary stood for; None where that is not certain."""
    if auxiliary == "do":
        return verb
    if auxiliary == "does":
        return wordnet.inflect(verb, "v", "s")
    return past(verb)


def _free(before: str) -> bool:
    """May a verb follow this word?"""
    return before.lower() not in PREPOSITIONS | {"the", "a", "an", "its", "their", "his", "her", "no", "any", "this"}


def _base(word: str) -> bool:
    return word.islower() and any(r.pos == "v" and r.form == "base" for r in wordnet.readings(word))


def _participle(word: str) -> bool:
    forms = {r.form for r in wordnet.readings(word) if r.pos == "v"} if word.islower() else set()
    return word == "born" or bool(forms & {"ed", "participle"})


def _lowered(text: str, start: int, end: int) -> Parts:
    return [text[start].lower(), (start + 1, end)]
