"""Questions with one true detail that does not bear on the answer (RARE §5.1, C.1: R26, offline)."""

import re
from collections.abc import Iterator
from random import Random

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.details import Detail, document, said, spoken, topics
from rarefy.tasks.perturb.query.edited import edited
from rarefy.tasks.perturb.query.letter_case import OPENING
from rarefy.tasks.perturb.query.question_parts import AUX, LONGEST
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.notations import occurs

PASSAGES = 12  # that are read for a question: more details than are ever tried
_WORD = re.compile(r"[^\W\d_]{3,}")
_END = re.compile(r"\s*\?\s*\Z")
# What may follow a name that is no part of a longer one ("Apple Inc. director")
_FREE = re.compile(rf" (?:{AUX}|as of|in|on|at|during|for|from|according to)\b|,|\s*\?", re.IGNORECASE)
# What a report's form alone says of the one who filed it, and of the report
_FILER = {
    "10-K": ("files its annual report on Form 10-K", "also files quarterly reports"),
    "20-F": ("files its annual report on Form 20-F",),
}
_ANY_FILER = (
    "files its annual report with the Securities and Exchange Commission",
    "reports to the Securities and Exchange Commission",
    "has its annual statements audited by an independent firm",
)
_REPORT = ("filed on Form {}", "filed with the Securities and Exchange Commission")
# A question that names its source is not asked "according to" another
_SOURCED = re.compile(
    r"according to|\bas (?:stated|disclosed|reported|described)\b|\b(?:10|20)-[KQF]\b|annual report", re.I
)
_SAME = frozenset("the and its for with from that this which what was were are has have had how many much who".split())


def irrelevant_detail(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with one detail more, taken from passages around the gold one; none where nothing true is at hand.

    Of the question's entity only what is said where it is named, so that nothing hidden is given away; no figures; and
    nothing that shares a word with what is asked, or that holds the answer.
    """
    if len(case.text) > LONGEST or not case.text.strip() or "\n" in case.text.strip():
        return
    passages = _passages(case)
    found = list(dict.fromkeys(d for c in passages for d in _details(case, c) if _apart(case, d)))
    filed = [d for c in passages[:1] for d in _filed(case, c) if _apart(case, d)]
    random.shuffle(found)
    random.shuffle(filed)
    found += filed  # said of every report, so it comes after what only this one says
    seen = {case.text}
    for detail in found:
        for draft in _placed(case, detail, random):
            if draft.text not in seen:
                seen.add(draft.text)
                yield draft


def _passages(case: Case) -> list[Chunk]:
    ids = [*case.golds, *(case.pool.neighbours if case.pool else ())]
    return [case.chunks[i] for i in list(dict.fromkeys(ids))[:PASSAGES] if i in case.chunks]


def _details(case: Case, chunk: Chunk) -> Iterator[Detail]:
    named = _named(case)
    if named and chunk.entity == case.entity:
        yield from (Detail(named, d.told, d.source) for d in spoken(chunk.chunk_id, chunk.text, chunk.entity))
    yield from (d for d in said(chunk.chunk_id, chunk.text) if re.search(rf"\b{re.escape(d.who)}\b", case.text))
    if chunk.chunk_id not in case.golds:  # what stands above the answer is about it
        yield from topics(chunk)


def _filed(case: Case, chunk: Chunk) -> Iterator[Detail]:
    """What its form says of a report, and of the one who filed it."""
    named = _named(case)
    for form, own in _FILER.items():
        if f"Form {form}" in chunk.title:
            if named and chunk.entity == case.entity:
                yield from (Detail(named, told, chunk.chunk_id) for told in (*own, *_ANY_FILER))
            yield from (Detail("", told.format(form), chunk.chunk_id) for told in _REPORT)


def _named(case: Case) -> str:
    """The question's entity as the question names it; "" where it does not."""
    entity = case.entity.removeprefix("The ")
    at = case.text.find(entity) if entity else -1
    if at < 0:
        return ""
    the = case.text[max(at - 4, 0) : at]
    return ("the " if the.lower() == "the " else "") + entity


def _apart(case: Case, detail: Detail) -> bool:
    """Is this about something else than what is asked, and does it hold no answer?"""
    if occurs(detail.told, case.answer, case.aliases):
        return False
    asked = {_lemma(w) for w in _WORD.findall(case.text.lower())} - {
        _lemma(w) for w in _WORD.findall(detail.who.lower())
    }
    told = {_lemma(w) for w in _WORD.findall(detail.told.lower())}
    return not (told & asked) - _SAME and not told & {_lemma(w) for w in _WORD.findall(case.answer.lower())} - _SAME


def _lemma(word: str) -> str:
    return next((r.lemma for r in wordnet.readings(word)), word)


def _placed(case: Case, detail: Detail, random: Random) -> Iterator[Draft]:
    """The question with the detail in one of the places where it may stand."""
    text = case.text
    if not detail.who:
        if (end := _END.search(text)) and not _SOURCED.search(text):
            passage = case.chunks[detail.source]
            also = "" if detail.told.startswith("filed ") else "that also discusses "
            told = f", according to {document(passage.title)} {also}{detail.told}"
            yield edited(text, [(end.start(), end.start(), told)], detail.told)
        return
    at = text.find(detail.who)
    after = at + len(detail.who)
    if at >= 0 and _FREE.match(text, after) and not detail.told.startswith(("is ", "are ", "was ", "were ")):
        comma = "" if text[after : after + 1] in (",", "?") else ","
        yield edited(text, [(after, after, f", which {detail.told}{comma}")], detail.told)
    first = re.match(r"\w+", text)
    if first and (first.group().lower() in OPENING or first.group() in ("Which", "Who", "Whose", "Whom")):
        who = detail.who[:1].upper() + detail.who[1:]
        opened = [f"Given that {detail.who} {detail.told}, ", f"{who} {detail.told}; "]
        lower = text[0].lower()
        random.shuffle(opened)
        for opening in opened:
            same = lower == text[0]  # a question that began small goes on as it was
            yield edited(text, [(0, 0, opening)] if same else [(0, 1, opening + lower)], detail.told)
