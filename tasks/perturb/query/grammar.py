"""The same words in another order, with other punctuation or another construction (RARE §5.1, C.1: R27, offline)."""

import re
from collections.abc import Iterator
from random import Random

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.clauses import cleft, relatives, turned, turned_back
from rarefy.tasks.perturb.query.declared import declared, stranded
from rarefy.tasks.perturb.query.edited import edited, pieced
from rarefy.tasks.perturb.query.hanging import hangs_on_all
from rarefy.tasks.perturb.query.owned import inside, owned
from rarefy.tasks.perturb.query.question_parts import CLAUSE, DAY, TIME, UNIT, ParsedQuestion, Piece, asked
from rarefy.tasks.text.wordnet import readings

Parts = list[tuple[int, int] | str]

_UNIT = re.compile(rf", (?:{UNIT})(?=,)", re.IGNORECASE)
_TIME = re.compile(TIME, re.IGNORECASE)
_BALANCE = re.compile(rf" (?P<it>as of {DAY})", re.IGNORECASE)
_SHORT_IS = re.compile(r"(?P<wh>what|who|where|when|how)(?P<s>['’]s)(?= (?:the|a|an|your|his|her|its|their)\b)", re.I)
_LONG_IS = re.compile(r"(?:what|who|where|how)(?P<is> is)(?= (?:the|a|an)\b)", re.I)


def grammar(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Questions in the same words with another order, construction or punctuation; none where that is not safe.

    Orders come before mere punctuation; which order comes first is drawn, so that a benchmark has all of them.
    """
    question = asked(case.text)
    if question is None:
        yield from _turned_back(case.text)
        return
    orders = [*_fronted(question), *_inserted(question), *_put_last(question), *_declared(question), *_turned(question)]
    orders += [*_taken_out(question), *_in_what_year(question)]
    owners = (*owned(question, case.entity), *inside(question, case.entity))
    orders += [edited(case.text, edits, "the owner said otherwise") for edits in owners]
    orders += [edited(case.text, edits, "a clause begun otherwise") for edits in relatives(question)]
    orders += [edited(case.text, edits, "what is asked for brought out") for edits in cleft(question)]
    random.shuffle(orders)
    seen = {case.text}
    for draft in (*orders, *_marks(question)):
        if draft.text not in seen:
            seen.add(draft.text)
            yield draft


def _fronted(question: ParsedQuestion) -> Iterator[Draft]:
    """In 2024, what was ...?"""
    if question.front:
        return
    for piece in question.tails:
        if hangs_on_all(question, piece):
            before = piece.start - 1 - piece.comma
            body = [*_low(question, question.start, before), (piece.end, len(question.text))]
            yield _draft(question, [*_high(question, piece.start, piece.end), ", ", *body], piece, "first")


def _inserted(question: ParsedQuestion) -> Iterator[Draft]:
    """What, in 2024, was ...?"""
    text, piece = question.text, question.front
    at = question.aux[0] - 1 if question.aux != (0, 0) else question.to + len(question.wh)
    if not question.wh or (question.aux == (0, 0) and not re.match(r" [a-z]+(?:ed|s) ", text[at : at + 30])):
        return
    if question.aux == (0, 0) and question.wh in ("which", "what"):
        after = text[at : at + 30].split()[0]
        if any(r.pos == "n" for r in readings(after)):
            return  # "which companies shut": a noun that is asked for
    asks = text[question.start : at]
    if "," in asks or len(asks.split()) > 8:
        return
    if piece and piece.comma:
        low = _low(question, piece.start, piece.end)
        parts = [*_high(question, question.start, at), ", ", *low, ",", (at, len(text))]
        yield _draft(question, parts, piece, "after what is asked for")
        return
    for tail in question.tails:
        if tail.kind != "unit" and not piece and hangs_on_all(question, tail):
            before = tail.start - 1 - tail.comma
            parts = [(0, at), ", ", (tail.start, tail.end), ",", (at, before), (tail.end, len(text))]
            yield _draft(question, parts, tail, "after what is asked for")


def _taken_out(question: ParsedQuestion) -> Iterator[Draft]:
    """As of June 30, 2024, which of its debts was due? A balance's date is said of the whole wherever it stands."""
    text, match = question.text, _BALANCE.search(question.text, question.to, question.end)
    if match is None or question.front or match.end() == question.end or not question.wh:
        return
    alone = len(_TIME.findall(text)) == 1 and not CLAUSE.search(text, question.to + len(question.wh), match.start())
    if alone and text[match.end()] == " ":
        piece = Piece("time", match.start("it"), match.end("it"))
        parts = [*_low(question, question.start, match.start()), (match.end(), len(text))]
        yield _draft(question, [*_high(question, *match.span("it")), ", ", *parts], piece, "first")


def _in_what_year(question: ParsedQuestion) -> Iterator[Draft]:
    """In what year was it released? For "What year was it released?"."""
    text = question.text
    asks = text[question.start : question.aux[0]].lower().split()
    if (
        question.front
        or len(asks) != 2
        or asks[0] not in ("what", "which")
        or asks[1] not in ("year", "month", "decade")
    ):
        return
    last = text[slice(*question.body)].split()[-1:]
    verb = last and any(r.pos == "v" and r.form in ("ed", "participle") for r in readings(last[0].lower()))
    if verb and text[slice(*question.aux)].lower() in ("was", "were"):
        start = question.start
        head = "In " if text[start].isupper() else "in "
        yield pieced(text, [head, *_low(question, start, len(text))], "in: first")


def _put_last(question: ParsedQuestion) -> Iterator[Draft]:
    """What was ... in 2024?"""
    text, piece = question.text, question.front
    if piece is None or piece.kind == "other" or question.aux == (0, 0):
        return
    low, high = question.body
    unit = _UNIT.search(text, low, high)
    if unit and unit.end() < high:
        high = unit.start()  # "..., in millions of US dollars, of the company that ...": before that
    last = Piece(piece.kind, high, high)
    kept = question.wh and not _TIME.search(text, low, high) and hangs_on_all(question, last)
    if kept and not CLAUSE.search(text, low, high):
        comma = "," if piece.kind == "source" or "," in text[low:high] else ""
        moved = [f"{comma} ", *_low(question, piece.start, piece.end)]
        parts = [*_high(question, question.start, high), *moved, (high, len(text))]
        yield _draft(question, parts, piece, "behind")


def _declared(question: ParsedQuestion) -> Iterator[Draft]:
    for parts in declared(question):
        first = parts[0]
        if isinstance(first, tuple):
            parts = [*_high(question, *first), *parts[1:], (question.end, len(question.text))]
            yield pieced(question.text, parts, "in the order of a statement")
    if found := stranded(question):
        (start, end), preposition = found
        parts = [*_high(question, start, end), f" {preposition}", (question.end, len(question.text))]
        yield pieced(question.text, parts, f"{preposition}: last")


def _turned(question: ParsedQuestion) -> Iterator[Draft]:
    if found := turned(question):
        condition, main = found
        parts = [*_high(question, *condition), ", ", *_low(question, *main), (question.end, len(question.text))]
        yield pieced(question.text, parts, f"{question.text[condition[0] :].partition(' ')[0]}: first")


def _turned_back(text: str) -> Iterator[Draft]:
    if found := turned_back(text):
        start, end, main = found
        head = text[main].upper() if text[start].isupper() else text[main]
        parts: Parts = [head, (main + 1, len(text) - 1), " ", text[start].lower(), (start + 1, end), text[-1]]
        yield pieced(text, parts, f"{text[start:].partition(' ')[0].lower()}: last")


def _marks(question: ParsedQuestion) -> Iterator[Draft]:
    """Changes of punctuation and of contractions, the last resort."""
    text, front = question.text, question.front
    if short := _SHORT_IS.match(text, question.start):
        yield edited(text, [(short.start("s"), short.end("s"), " is")], "a contraction undone")
    elif question.wh and (long := _LONG_IS.match(text, question.start)):
        yield edited(text, [(long.start("is"), long.end("is"), "'s")], "a contraction")
    if front and front.comma:
        yield edited(text, [(front.end, front.end + 1, "")], "no comma after what comes first")
    stop = question.end
    if text[stop:].strip() == "?":
        yield edited(text, [(stop, len(text), "")], "no question mark")
    elif not text[stop:].strip() and question.wh:
        first = question.start if not front else front.start
        yield edited(text, [(first, first + 1, text[first].upper()), (stop, len(text), "?")], "capital, question mark")


def _draft(question: ParsedQuestion, parts: Parts, piece: Piece, where: str) -> Draft:
    return pieced(question.text, parts, f"{question.text[piece.start : piece.end]}: {where}")


def _high(question: ParsedQuestion, start: int, end: int) -> Parts:
    """A piece to begin the question with: with a capital where the question had one."""
    first = question.text[question.front.start if question.front else question.start]
    letter = question.text[start]
    return [letter.upper(), (start + 1, end)] if first.isupper() and letter.islower() else [(start, end)]


def _low(question: ParsedQuestion, start: int, end: int) -> Parts:
    """A piece that began the question and does so no more; it begins with a word of grammar, not with a name."""
    letter = question.text[start]
    return [letter.lower(), (start + 1, end)] if letter.isupper() else [(start, end)]
