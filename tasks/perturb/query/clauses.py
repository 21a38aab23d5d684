"""Clauses of a question that may stand elsewhere, be shortened, or be begun by another word."""

import re
from collections.abc import Iterator

from rarefy.tasks.perturb.query.edited import Edit
from rarefy.tasks.perturb.query.hanging import PREPOSITIONS, SAYING
from rarefy.tasks.perturb.query.question_parts import CLAUSE, LONGEST, WH, ParsedQuestion
from rarefy.tasks.text import wordnet

Span = tuple[int, int]
LEAST = 2  # words of what is asked without its condition: "What, if anything, ...?" is no condition

_CONDITION = r"(?:if|when|while|once|unless|because)"
_LAST = re.compile(rf",? (?P<it>{_CONDITION} (?:\w\S*\s+){{2,}}\S+)\Z")
_FIRST = re.compile(
    rf"(?P<it>{_CONDITION} [^;?.]+?), (?P<main>(?:(?:to|in|on|at|for|from|under|by|with) )?{WH}\b)", re.I
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|itself|they|them|their|he|him|his|she|her|this|these|those|that|such|do|does|did so|there)\b", re.I
)
# After these, "if" and "when" begin what is asked about
_ASKING = SAYING | frozenset(
    "know decide decides ask asks see determine determines depend depends tell understand check remember show time "
    "day date year moment case period point occasion matter care".split()
)
_RELATIVE = re.compile(
    r"(?<=[a-z]) (?P<drop>(?:that|which|who) (?:is|are|was|were) )(?P<verb>[a-z]+) (?:in|by|at|on|to|from|of)\b"
)
_THAT = re.compile(r"\b(?P<before>[A-Za-z]+) (?P<noun>[a-z]+) (?P<that>that|which) (?P<verb>[a-z]+)\b")
_DROPPED = re.compile(r"\b(?P<before>[A-Za-z]+) (?P<noun>[a-z]+)(?P<that> that)(?= [A-Z])")
_DETERMINERS = frozenset("the a an its their each any same of this these those".split())
_FINITE = frozenset("is are was were has had can could would will must may should".split())
# Of these nobody says "which"
_PERSONS = frozenset(
    """
    people person persons man men woman women child children one ones those all anything everything something nothing
    owner owners executive executives director directors employee employees customer customers player actor actress
    singer writer author king queen president participant participants shareholder shareholders holder issuer
    """.split()
)
# Nouns that "that" begins the content of
_CONTENT = frozenset(
    """
    requirement rule condition principle decision ruling fact idea claim belief view statement notion evidence report
    reports news hope fear sign way reason time day
    """.split()
)
_WHO = re.compile(r"(?P<who>who|which [a-z]+|what [a-z]+) (?P<verb>[a-z]+)\b", re.IGNORECASE)


def turned(question: ParsedQuestion) -> tuple[Span, Span] | None:
    """The condition at the end of a question and what stands before it, where it may come first."""
    text, low = question.text, question.body[0]
    last = _LAST.search(text, low, question.end)
    if question.front or not question.wh or last is None:
        return None
    if CLAUSE.search(text, low, last.start()) or CLAUSE.search(text, last.start("it") + 6, question.end):
        return None
    if len(text[question.start : last.start()].split()) < LEAST:
        return None
    word = re.findall(r"\w+", text[low : last.start()])[-1:] or [text[question.start : low].split()[-1]]
    if word[0].lower() in _ASKING or _POINTS_BACK.search(last["it"]):
        return None
    return last.span("it"), (question.start, last.start())


def turned_back(text: str) -> tuple[int, int, int] | None:
    """Where a condition that stands first begins and ends, and what is asked begins; None where it must stay first."""
    first = _FIRST.match(text) if len(text) <= LONGEST else None
    if first is None or text.count("?") != 1 or text[-1] != "?":
        return None
    main = text[first.start("main") : -1]
    if _POINTS_BACK.search(main) or ";" in text or "," in main or CLAUSE.search(main, len(first["main"])):
        return None
    return first.start("it"), first.end("it"), first.start("main")


def relatives(question: ParsedQuestion) -> Iterator[tuple[Edit, ...]]:
    """The edits that make "the company based in Ohio" of "the company that is based in Ohio", or "which" of "that"."""
    text = question.text
    for match in _RELATIVE.finditer(text, question.body[0], question.end):
        if any(r.pos == "v" and r.form in ("ed", "participle") for r in wordnet.readings(match["verb"])):
            yield ((match.start("drop"), match.end("drop"), ""),)
    for match in _THAT.finditer(text, question.body[0], question.end):
        forms = {r.form for r in wordnet.readings(match["verb"]) if r.pos == "v"}
        # after "the rule that" a plural noun would begin what the rule says; a past form or an auxiliary would not
        sure = bool(forms & {"ed", "past"} and "base" not in forms) or match["verb"] in _FINITE
        if _thing(match["before"], match["noun"], sure) and (sure or "s" in forms):
            yield ((*match.span("that"), "which" if match["that"] == "that" else "that"),)
    for match in _DROPPED.finditer(text, question.body[0], question.end):
        if match["before"] in _DETERMINERS and match["noun"] not in _PERSONS | _CONTENT:
            yield ((*match.span("that"), ""),)


def _thing(before: str, noun: str, sure: bool) -> bool:
    """Is this word a noun for a thing here, of which "that" and "which" tell more?"""
    kinds = {r.pos for r in wordnet.readings(noun)}
    if noun in PREPOSITIONS:  # "the business it invests in that offers": "in which" would be read together
        return False
    if "n" not in kinds or noun in _PERSONS or (noun in _CONTENT and not sure):
        return False
    return "v" not in kinds or before in _DETERMINERS or bool({r.pos for r in wordnet.readings(before)} & {"a"})


def cleft(question: ParsedQuestion) -> Iterator[tuple[Edit, ...]]:
    """The edits that make "Who was it that wrote it?" of "Who wrote it?"."""
    match = _WHO.match(question.text, question.start)
    if match is None or question.aux != (0, 0) or question.to > question.start:
        return
    forms = {r.form for r in wordnet.readings(match["verb"].lower()) if r.pos == "v"}
    noun = match["who"].rpartition(" ")[2].lower()
    named = any(r.pos == "n" and r.form == "base" for r in wordnet.readings(noun))
    one = noun == "who" or (named and noun[-1] != "s")
    if one and forms & {"ed", "past"} and "base" not in forms:
        yield ((match.end("who"), match.end("who"), " was it that"),)
