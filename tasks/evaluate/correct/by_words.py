"""Answers in words: the same words, or the gold ones said in the answer as they are meant (RARE R35 with guards)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from rarefy.tasks.evaluate.correct.claim_status import denied, doubted, former
from rarefy.tasks.evaluate.correct.gold import Expectation, Gold
from rarefy.tasks.evaluate.correct.outcome import Outcome, right, unclear, wrong
from rarefy.tasks.evaluate.correct.words import (
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
    tokens,
    words,
)
from rarefy.tasks.text.stems import stem

_BETWEEN = 4  # other words among those of an answer that is worded differently
_SENTENCE_ENDS = re.compile(r"[.!?;\n]\s")
_UNNAMED = frozenset(("another", "other", "others", "elsewhere"))  # "and later in another state"
_SENTENCE_BEGINS = re.compile(r"[.!?:]\W+|^\W+")
_GLUED_NAME = 6  # characters of a name that is told from a longer word
_SMALL = "in|on|by|at|from|and|of|is|was|who|with"
NAME = 6  # words of an answer that may be one name
SHORT = 12  # words of an answer that says one thing
STATEMENT = 20  # words of an answer that says it of one name, with what the question said of it
_NAME_WORD = re.compile(r"[^\W\d_][\w.'-]*")
_TITLES = frozenset("mr mrs ms dr sir lady lord dame president king queen prince princess professor saint".split())
_AFTER_NAMES = frozenset("jr sr ii iii iv mbe obe cbe phd md esq".split())


_JOB_TITLES = frozenset(
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


def by_words(text: str, gold: Gold, about: Expectation, listed: bool = False) -> Outcome:
    """What the words of an answer make it; in a `listed` answer others may stand beside."""
    for form in gold.forms:
        if equal(text, form):
            return right("exact", text)
    plain = spelt(_unglued(text, gold.forms))
    said = words(plain)
    stemmed = [stem(word.text) for word in said]
    short = len(said) <= SHORT
    open_: list[Outcome] = []
    for form in dict.fromkeys(spelt(form) for form in gold.forms):
        whole = tokens(form)
        if not short and whole and {stem(word) for word in whole if word not in EMPTY} <= about.words:
            continue  # the question says it: that it stands in a sentence tells nothing
        wordings = dict.fromkeys((whole, bare(whole), _without_generic(bare(whole)), _abbreviated(plain, whole)))
        for first, last in _spans(plain, said, stemmed, form, wordings):
            why = _objection(plain, said, first, last, about, form, listed)
            if not why:
                return right("contained", plain[said[first].start : said[last].end])
            open_.append(unclear(why, plain[said[first].start : said[last].end]))
    if not open_ and len(said) > SHORT:
        for form in gold.forms:
            if found := _in_one_sentence(plain, said, stemmed, form, about):
                return right("contained", found)
    if not open_ and not listed and len(said) <= STATEMENT and _is_another_name(text, gold, about, len(said) > NAME):
        return wrong("other_name", text.strip())
    return open_[0] if open_ else unclear("unmatched")


def _unglued(text: str, forms: Sequence[str]) -> str:
    """The text with the blank that was lost behind a name given back: "Surprised Whoin the film"."""
    for form in forms:
        if len(form) >= _GLUED_NAME and form[0].isupper() and form in text:
            text = re.sub(rf"({re.escape(form)})({_SMALL})\b", r"\1 \2", text)
    return text


def _is_another_name(text: str, gold: Gold, about: Expectation, sentence: bool) -> bool:
    """Is an answer a name, as the gold one is, or a short sentence about one, and not a word of it alike?

    Of such names people call 96 of 100 wrong, of such sentences 95.
    """
    forms = [spelt(form) for form in gold.forms]
    if not all(_capital(form) for form in forms) or not (_names_another(text, about) if sentence else _capital(text)):
        return False
    mine = {word for word in tokens(spelt(text)) if word not in EMPTY}
    theirs = {word for form in forms for word in tokens(form) if word not in EMPTY}
    if {initials(tokens(form)) for form in forms} & mine or _spell_out(text, theirs):
        return False
    if mine & _UNNAMED:
        return False
    run_together = "".join(tokens(text))
    if any(run and run in run_together for run in ("".join(tokens(form)) for form in forms)):
        return False
    return bool(mine) and not {word[:4] for word in mine} & {word[:4] for word in theirs}


def _spell_out(text: str, names: set[str]) -> bool:
    """Do words that follow each other begin with the letters of a name ("International Business Machines" for IBM)?"""
    letters = initials(tokens(text))
    return any(len(name) > 1 and name in letters for name in names)


def _names_another(text: str, about: Expectation) -> bool:
    """Does a sentence hold a name that the question has not?"""
    begins = {0, *(hit.end() for hit in _SENTENCE_BEGINS.finditer(text))}
    named = (hit for hit in _NAME_WORD.finditer(text) if hit.start() not in begins)
    return any(hit[0][0].isupper() and not {stem(word) for word in tokens(hit[0])} <= about.words for hit in named)


def _capital(text: str) -> bool:
    """Are all its words but small ones written with capitals, and none a number?"""
    telling = [word for word in _NAME_WORD.findall(text) if word.casefold() not in EMPTY]
    return bool(telling) and all(word[0].isupper() for word in telling) and not any(map(str.isdigit, text))


def _in_one_sentence(text: str, said: Sequence[Word], stemmed: list[str], form: str, about: Expectation) -> str:
    """The stretch of one sentence that holds all words of a form, in whichever order, close to each other; "" for none.

    A form of one word, or one whose words the question has too, is not looked for like that.
    """
    wanted = {stem(word) for word in tokens(spelt(form)) if word not in EMPTY}
    if len(wanted) < 2 or len(wanted - about.words) < 2:
        return ""
    places = [at for at, word in enumerate(stemmed) if word in wanted]
    window = len(wanted) + _BETWEEN
    for n, at in enumerate(places):
        near = [place for place in places[n : n + 2 * len(wanted)] if place - at < window]
        if {stemmed[place] for place in near} == wanted:
            stretch = text[said[at].start : said[near[-1]].end]
            if not _SENTENCE_ENDS.search(stretch) and not denied(text, said[at].start, said[near[-1]].end):
                return stretch
    return ""


def _spans(
    text: str, said: Sequence[Word], stemmed: list[str], form: str, wordings: Iterable[tuple[str, ...]]
) -> Iterator[tuple[int, int]]:
    """Where a form stands: first and last word. Endings do not matter, nor do the middle names of a person."""
    for wanted in wordings:
        if not wanted or (len(wanted) == 1 and len(wanted[0]) < 2):
            continue
        ends = [stem(word) for word in wanted] if len(wanted) > 1 or wanted[0].isalpha() else [*wanted]
        for at in range(len(said) - len(wanted) + 1):
            if stemmed[at] == ends[0] and stemmed[at : at + len(wanted)] == ends:
                yield at, at + len(wanted) - 1
    name = _person(form)
    if name:
        first, last = map(stem, name)
        for at in (at for at, word in enumerate(stemmed) if word == first):
            for end in range(at + 1, min(at + 4, len(said))):
                between = said[at + 1 : end]
                if stemmed[end] == last and all(text[word.start].isupper() for word in (said[at], *between, said[end])):
                    yield at, end


def _person(form: str) -> tuple[str, str] | None:
    """First and last word of a name of two to four words, what stands before it in small letters left out."""
    found = [] if any(char.isdigit() for char in form) else _NAME_WORD.findall(form)
    while found and (found[0].islower() or found[0].casefold().strip(".") in _TITLES):
        found.pop(0)
    while len(found) > 2 and found[-1].casefold().strip(".") in _AFTER_NAMES:
        found.pop()
    if not 2 <= len(found) <= 4 or not all(word[0].isupper() for word in found):
        return None
    ends = tokens(found[0]), tokens(found[-1])
    return (ends[0][0], ends[1][-1]) if all(ends) and len(ends[0][0]) > 1 else None


def _without_generic(wanted: tuple[str, ...]) -> tuple[str, ...]:
    return wanted[:-1] if len(wanted) > 2 and wanted[-1] in GENERIC else wanted


def _abbreviated(text: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """The initials of a name, where the text has them as such: "on the NYSE"."""
    short = initials(wanted)
    named = len(wanted) >= 3 and len(short) >= 3 and re.search(rf"\b{re.escape(short.upper())}\b", text)
    return (short,) if named else ()


def _objection(
    text: str, said: Sequence[Word], first: int, last: int, about: Expectation, form: str, listed: bool
) -> str:
    """Why words that stand there are not what the answer says; "" where they are.

    In answers of sentences, what stands among other names, in a longer name, as one of a choice, doubted or as what
    was, is right in 97 of 100 that people labelled. An answer of a few words that is nothing else is another matter.
    """
    start, end, after = said[first].start, said[last].end, last + 1
    while after < len(said) and said[after].text in LEGAL and not text[end : said[after].start].strip(" ,"):
        end = said[after].end
        after += 1
    if denied(text, start, end):
        return "denied"
    if text[said[last].start : end].endswith("'s") and not form.endswith("s"):
        return "of_it"  # "Delaware's neighbour"
    if len(said) <= SHORT:
        return _objection_to_short(text, said, first, last, (start, end), about, listed)
    if first == last and form.islower() and not listed:
        over = {stem(w.text) for w in said if w.text not in EMPTY} - {stem(form.casefold())} - about.words
        return "in_passing" if len(over) > 6 else ""
    return "too_long" if len(said) > 150 and not listed else ""


def _objection_to_short(
    text: str, said: Sequence[Word], first: int, last: int, span: tuple[int, int], about: Expectation, listed: bool
) -> str:
    """Why an answer of a few words does not say what stands in it; "" where it does."""
    start, end = span
    before, behind = text[:start], text[end:]
    if doubted(text, start):
        return "doubted"
    if former(text, start, end):
        return "former"
    if _OR.match(behind) or _OR_BEFORE.search(before):
        return "choice"
    if not listed and _in_a_list(text[start:end], before, behind, about):
        return "several_names"
    return "longer_name" if _longer(text, said, first, last - first + 1, about) else ""


def _in_a_list(name: str, before: str, after: str, about: Expectation) -> bool:
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
    return hit is not None and not (_known(hit["item"], about) or hit["item"].casefold() in _JOB_TITLES)


def _aside(name: str, place: bool, about: Expectation) -> bool:
    """May it stand behind a name without being another answer: its place, its title, what was asked about?"""
    first = name.split(" ")[0]
    return name in (COUNTRIES if place else PLACES) or first in _JOB_TITLES or first in LEGAL or _known(name, about)


def _known(name: str, about: Expectation) -> bool:
    found = tokens(name)
    return bool(found) and all(stem(word) in about.words or word in LEGAL or word in EMPTY for word in found)


def _longer(text: str, said: Sequence[Word], at: int, length: int, about: Expectation) -> bool:
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
        if word.text in (GENERIC if word.start >= last.end else _JOB_TITLES):
            continue
        if word.start == 0 or stem(word.text) in about.words:
            continue
        return True
    return False
