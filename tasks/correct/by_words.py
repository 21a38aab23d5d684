"""Answers in words: the same words, or the gold ones said in the answer as they are meant (RARE R35 with guards)."""

import re
from collections.abc import Sequence

from rarefy.tasks.correct.gold import Asked, Gold
from rarefy.tasks.correct.outcome import Outcome, right, unclear
from rarefy.tasks.correct.standing import denied, doubted, former
from rarefy.tasks.correct.words import (
    COUNTRIES,
    EMPTY,
    GENERIC,
    LEGAL,
    OF_PLACES,
    PLACES,
    Word,
    bare,
    initials,
    spelt,
    stem,
    tokens,
    words,
)

_TITLES = frozenset(
    "mr mrs ms dr president chairman chairwoman chair ceo cfo coo cto evp svp director officer "
    "secretary senator governor judge chief executive senior vice general counsel state city county "
    "province country company corporation".split()
)
_ITEM = r"(?P<item>[\"'(]?(?:[A-Z][\w&.'-]*|\d[\d.,]*%?\s[A-Za-z][\w-]*)(?:\s(?:[A-Z&\d][\w&.'%-]*|of|due))*)"
_LIST = re.compile(
    rf"\s*(?P<by>,\s*(?:and|or|&)?(?=\s)|;|/|\||\band\b|\bor\b|&)\s*(?:(?:and|or|either|also|the)\s+)*{_ITEM}"
)
_LISTED = re.compile(r"(?P<item>[A-Z][\w&.'-]*)\s*(?:,|;|/|\||,?\s+and|,?\s+or)\s+(?:(?:and|or|the)\s+)*$")
_OR = re.compile(r"^\W*(?:or|and/or)\b|^\s*/\s*\w", re.IGNORECASE)
_OR_BEFORE = re.compile(
    r"\b(?:or|and/or)\s+(?:(?:in|at|the|a|an|perhaps|maybe|possibly|even)\s+){0,3}$|\w\s*/\s*$", re.IGNORECASE
)


def equal(text: str, form: str) -> bool:
    """Are these the same words, but for case, quotes, articles, legal forms, initials and what a state is called?"""
    bare_text, bare_form = (side.strip(" .,;:!'\"()[]") for side in (text, form))
    if bare_text and (bare_text == bare_form or (len(bare_text) > 1 and bare_text.casefold() == bare_form.casefold())):
        return True
    mine, theirs = tokens(spelt(text)), tokens(spelt(form))
    if not mine or not theirs:
        return False
    if mine == theirs or (bare(mine) == bare(theirs) and bare(theirs)):
        return True
    short, long = sorted((bare(mine), bare(theirs)), key=len)
    if len(long) == len(short) + 1 and short and (long[-1] in GENERIC and long[:-1] == short):
        return True
    if len(long) == len(short) + 2 and long[1] == "of" and long[0] in OF_PLACES and long[2:] == short:
        return True
    return _initialled(text, mine, theirs) or _initialled(form, theirs, mine)


def _initialled(text: str, short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """ "NYSE" for New York Stock Exchange."""
    return (
        len(short) == 1
        and text.strip(" .").isupper()
        and len(short[0]) >= 3
        and len(long) >= 3
        and initials(long) == short[0]
    )


def by_words(text: str, gold: Gold, about: Asked, listed: bool = False) -> Outcome:
    """What the words of an answer make it; in a `listed` answer others may stand beside."""
    for form in gold.forms:
        if equal(text, form):
            return right("exact", text)
    plain = spelt(text)
    said = words(plain)
    open_: list[Outcome] = []
    for form in dict.fromkeys(spelt(form) for form in gold.forms):
        whole = tokens(form)
        for wanted in dict.fromkeys((whole, bare(whole), _without_generic(bare(whole)), _abbreviated(plain, whole))):
            for at in _places(said, wanted):
                span = said[at], said[at + len(wanted) - 1]
                why = _objection(plain, said, at, wanted, span, about, listed)
                if not why:
                    return right("contained", plain[span[0].start : span[1].end])
                open_.append(unclear(why, plain[span[0].start : span[1].end]))
    return open_[0] if open_ else unclear("unmatched")


def _without_generic(wanted: tuple[str, ...]) -> tuple[str, ...]:
    return wanted[:-1] if len(wanted) > 2 and wanted[-1] in GENERIC else wanted


def _abbreviated(text: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The initials of a name, where the text has them as such: "on the NYSE"."""
    short = initials(wanted)
    named = len(wanted) >= 3 and len(short) >= 3 and re.search(rf"\b{re.escape(short.upper())}\b", text)
    return (short,) if named else ()


def _places(said: Sequence[Word], wanted: tuple[str, ...]) -> list[int]:
    if not wanted or (len(wanted) == 1 and len(wanted[0]) < 2):
        return []
    texts = [word.text for word in said]
    return [at for at in range(len(texts) - len(wanted) + 1) if tuple(texts[at : at + len(wanted)]) == wanted]


def _objection(
    text: str,
    said: Sequence[Word],
    at: int,
    wanted: tuple[str, ...],
    span: tuple[Word, Word],
    about: Asked,
    listed: bool,
) -> str:
    """Why words that stand there are not what the answer says; "" where they are."""
    length_after = at + len(wanted)
    start, end = span[0].start, span[1].end
    while (
        length_after < len(said)
        and said[length_after].text in LEGAL
        and not text[end : said[length_after].start].strip(" ,")
    ):
        end = said[length_after].end
        length_after += 1
    if denied(text, start, end):
        return "denied"
    if doubted(text, start):
        return "doubted"
    before, after = text[:start], text[end:]
    if text[span[1].start : end].endswith("'s") and not wanted[-1].endswith("s"):
        return "of_it"  # "Delaware's neighbour"
    if former(text, start, end):
        return "former"
    if _OR.match(after) or _OR_BEFORE.search(before):
        return "choice"
    if not listed and _in_a_list(text[start:end], before, after, about):
        return "several_names"
    if _longer(text, said, at, len(wanted), about):
        return "longer_name"
    over = {stem(w.text) for w in said if w.text not in EMPTY} - {stem(w) for w in wanted} - about.words
    if len(wanted) == 1 and len(over) > 6 and not listed:
        return "in_passing"
    return "too_long" if len(said) > 150 and not listed else ""


def _in_a_list(name: str, before: str, after: str, about: Asked) -> bool:
    """Is it one of several names that are offered, rather than one with its place or title behind it?"""
    rest, items, joined = after, [], False
    while hit := _LIST.match(rest):
        joined = joined or not hit["by"].startswith(",") or bool(hit["by"][1:].strip())
        items.append(re.sub(r"\s\d{5}(?:-\d{4})?$", "", hit["item"].casefold().strip(" .,'\"")))  # a ZIP code
        rest = rest[hit.end() :]
    if items:
        place = name.casefold() in PLACES
        located = (
            not joined and not place and len(items) == 2 and items[-1] in PLACES
        )  # "Hollis & Crane LLP, San Jose, California"
        return joined or len(items) > 2 or not (located or all(_aside(item, place, about) for item in items))
    hit = _LISTED.search(before)
    return hit is not None and not (_known(hit["item"], about) or hit["item"].casefold() in _TITLES)


def _aside(name: str, place: bool, about: Asked) -> bool:
    """May it stand behind a name without being another answer: its place, its title, what was asked about?"""
    first = name.split(" ")[0]
    return name in (COUNTRIES if place else PLACES) or first in _TITLES or first in LEGAL or _known(name, about)


def _known(name: str, about: Asked) -> bool:
    found = tokens(name)
    return bool(found) and all(stem(word) in about.words or word in LEGAL or word in EMPTY for word in found)


def _longer(text: str, said: Sequence[Word], at: int, length: int, about: Asked) -> bool:
    """Is it a piece of a longer name ("New York" of "New York Stock Exchange")?"""
    first, last = said[at], said[at + length - 1]
    if not text[first.start].isupper() and not text[first.start].isdigit():
        return False
    for word in (*said[max(at - 1, 0) : at], *said[at + length : at + length + 1]):
        between = text[word.end : first.start] if word.start < first.start else text[last.end : word.start]
        if not re.fullmatch(r"\s|-|\s?&\s?|\s(?:the\s)?", between):
            continue
        shown = text[word.start : word.end]
        if word.text in LEGAL or word.text in EMPTY or not shown[0].isupper():
            continue
        if word.text in (GENERIC if word.start >= last.end else _TITLES):
            continue
        if word.start == 0 or stem(word.text) in about.words:
            continue
        return True
    return False
