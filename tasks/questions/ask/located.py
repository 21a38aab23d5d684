"""Where a model's answer stands: in the sentence of a fact at whose end it is, in the document's own words (R20)."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.locate import words_within
from rarefy.tasks.questions.ask.aliases import aliases, names
from rarefy.tasks.questions.ask.index import Index
from rarefy.tasks.questions.ask.roles import End, Roles
from rarefy.tasks.questions.ask.wording import Wording, refuse
from rarefy.tasks.text.notations import numbers, same
from rarefy.tasks.text.quantities import number, quantities
from rarefy.tasks.text.stems import stem, words

SHARED = 0.5  # of the shorter's telling words: more than that, and an answer is what its fact's end says

_EMPTY = frozenset(
    "a an the of in on at to by for from with and or as its their his her our that which who is are was were be been "
    "approximately about roughly nearly around over under more less than least most up any all such other".split()
)
# words before the answer that are the model's own sentence: "through paid licenses", "as a subscription"
_LEAD = re.compile(
    r"^(?:(?:in|at|on|by|to|from|for|of|with|through|under|via|into|within|as|because of|due to)\s+)?"
    r"(?:(?:the|an?|about|approximately|around|roughly|nearly)\s+)?",
    re.IGNORECASE,
)


def located(answer: str, roles: Roles, known: Index) -> Wording:
    """The wording (without its text) of an answer at one of the path's ends; refused where it is at none.

    The answer is what the document writes: another case, other quotes or spaces, or a number in another notation are
    the model's own, and the notation becomes an alias.
    """
    somewhere = False
    for end in reversed(roles.ends):
        for told in _sentences(end.triplet):
            true = _written(answer, told, end.triplet)
            if not true:
                continue
            somewhere = True
            if _bare(true) in {_bare(name) for pivot in roles.pivots for name in names(pivot)}:
                return refuse("answer_is_pivot")
            if _is_at(true, end):
                forms = _other_forms(answer, true, end.triplet)
                spelt = (end.name,) if _abbreviates(true, end.name) else ()
                return Wording(answer=true, target=end.triplet, aliases=(*forms, *spelt))
    return _named(answer, roles, known) or refuse("answer_not_at_end" if somewhere else "answer_not_located")


def stems(text: str) -> set[str]:
    """The stems of the telling words of a text; numbers without their commas."""
    return {stem(word.replace(",", "")) for word in words(text) if word not in _EMPTY}


def _sentences(triplet: Triplet) -> Iterator[str]:
    yield from (words for words in (triplet.source_sentence, triplet.group, triplet.header) if words)


def _written(answer: str, words: str, triplet: Triplet) -> str:
    """The answer as these words of a document have it; "" where they do not."""
    for said in (answer, _LEAD.sub("", answer)):
        if span := words_within(said, words):
            true = " ".join(words[slice(*span)].split()) if said not in words else said
            kept = true if said[-1:] in ".!?," else true.rstrip(" .!?,;:")
            return kept if kept in words else ""
    meant = numbers(answer)
    if len(meant) != 1 or number(answer) is None:
        return ""
    cells = [triplet.answer] if triplet.answer and triplet.answer in words else _amounts(words)
    fits = [cell for cell in cells for other in numbers(cell) if same(meant[0], other, fewest=3)]
    return fits[0] if len(set(fits)) == 1 else ""


def _amounts(words: str) -> list[str]:
    """The amounts in figures of a text, as written, without their scale words."""
    return [
        words[one.start : one.end if not one.scale else one.digits[1]] for one in quantities(words) if not one.worded
    ]


def _is_at(true: str, end: End) -> bool:
    """Whether what is answered is what the fact has at this end, in more words or fewer."""
    if not end.head and true == end.triplet.answer:
        return True
    said = stems(true)
    for name in {end.name} if end.head else {end.name, end.triplet.answer}:
        wanted = stems(name)
        numerals = {word for word in said if word[0].isdigit()}
        alike = said and wanted and len(said & wanted) > SHARED * min(len(said), len(wanted))
        # of a row or a list the right number is wanted, not one beside it
        if alike and (not numerals or numerals & wanted or not any(word[0].isdigit() for word in wanted)):
            return True
        if true == name or _abbreviates(true, name) or (len(numerals) == len(said) == 1 and _one_number(true, name)):
            return True
    return False


def _one_number(one: str, other: str) -> bool:
    mine, theirs = numbers(one), numbers(other)
    return len(mine) == len(theirs) == 1 and same(mine[0], theirs[0], fewest=3)


def _named(answer: str, roles: Roles, known: Index) -> Wording | None:
    """A document's entity as the answer, written elsewhere in its document where the sentence says "the Company"."""
    for end in reversed(roles.ends):
        document = known.documents[end.triplet.doc_id]
        own = {_plain(name) for name in names(document.entity)} if document.entity else set()
        if end.head and _plain(answer) in own and {_plain(name) for name in names(end.name)} & own:
            line = known.naming(document, [end.triplet.chunk_id])
            if line and (
                true := _written(answer, known.chunks[line.chunk_id].text[line.start : line.end], end.triplet)
            ):
                return Wording(answer=true, target=end.triplet, naming=(line,))
    return None


def _other_forms(answer: str, true: str, target: Triplet) -> tuple[str, ...]:
    """How else the answer may be written, beyond what its triplet knows."""
    found = {answer} if _plain(answer) != _plain(true) else set()
    amount, meant = number(true), number(answer)
    if amount is None or amount.worded or true == target.answer or amount.year:
        return tuple(found)
    bare = true[amount.start :]
    found |= {bare} if amount.scale else {bare, bare.lstrip("$€£¥")}
    scaled = meant if meant and meant.scale else amount
    row = target.source_sentence.startswith("|")
    if scaled.scale or amount.kind == "percent" or not row:  # a cell without a word may count in thousands or millions
        unit = "percent" if amount.kind == "percent" else amount.currency
        found |= set(aliases(replace(target, answer=bare, value=f"{scaled.amount:f}", unit=unit, scale="")))
    return tuple(sorted(found - {true}, key=lambda form: (len(form), form)))


def _abbreviates(one: str, other: str) -> bool:
    """Whether either holds the initials of the other: AWS and Amazon Web Services."""
    for short, long in ((one, other), (other, one)):
        initials = "".join(w[0] for w in re.findall(r"[^\W_]+", long) if w.lower() not in _EMPTY).upper()
        letters = (word.replace("&", "") for word in re.findall(r"\b[A-Z](?:&?[A-Z]){2,5}\b", short))
        if any(initials.startswith(word) for word in letters if len(word) > 2):
            return True
    return False


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _bare(text: str) -> str:
    return re.sub(r"\W", "", text.casefold())
