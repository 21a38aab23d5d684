"""Judges answers in words: equal to the gold answer, or stating it and not merely containing it (RARE R35, guarded)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import repeat
from operator import eq

from rarefy.tasks.evaluate.correct.by_code import (
    ASKS_ADDRESS,
    CODE_LETTER,
    STREET,
    UNNAMED,
    bare_code,
    is_address,
    is_another_code,
    is_another_code_name,
    is_another_telephone,
    is_literal,
    is_part_of_address,
    is_prose_for_code,
    split_code_name,
    widen_code_name,
)
from rarefy.tasks.evaluate.correct.by_noun import are_related, is_another_thing
from rarefy.tasks.evaluate.correct.by_version import find_versions
from rarefy.tasks.evaluate.correct.claim_status import (
    DOWN,
    NEGATION,
    TURNS,
    UP,
    YES_NO_QUESTION,
    Outcome,
    is_denied,
    is_doubted,
    is_former,
    is_in_brackets,
    right,
    says_none,
    sentence_bounds,
    unclear,
    wrong,
)
from rarefy.tasks.evaluate.correct.gold import Expectation, GoldAnswer
from rarefy.tasks.evaluate.correct.normalise import (
    COUNTRIES,
    EMPTY,
    GENERIC,
    LEGAL,
    NAME,
    OF_PLACES,
    PLACES,
    SHORT,
    STATEMENT,
    Word,
    expand_abbreviations,
    find_values,
    initials,
    is_code_name,
    split_tokens,
    split_words,
    stems,
    strip_legal_form,
)
from rarefy.tasks.knowledge.extract.entity_types import entity_type
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.names import STREETS
from rarefy.tasks.text.stems import stem

_BESIDE_FIGURES = EMPTY | frozenset(
    "up down about approximately and fiscal year years quarter ended least most more less than over under within "
    "version release".split()
)
_ASKS_FIGURES = re.compile(
    r"\b(?:when|how (?:many|much|long|old|often|far|large|big|high))\b|\b(?:what|which) (?:\w+ ){0,3}"
    r"(?:number|year|date|time|age|amount|percent\w*|share|rate|period|episode|season|version|score)\b",
    re.IGNORECASE,
)
_BETWEEN = 4  # other words allowed among those of a scattered answer
_STATES_NAME = re.compile(r"\w (?:is|was|are|were) \w")  # "The auditor is Deloitte."
_BEHIND = re.compile(
    r"\b(?:than(?: that of| those of| in)?|followed by|ahead of|replacing|succeeding|in favou?r of"
    r"|t(?:aking|akes|ook) over from)"
    r" (?:the )?$",
    re.IGNORECASE,
)
_COMES_BEHIND = re.compile(
    r"\s(?:\w+\s){0,2}?(?:comes?|came|ranks?|ranked) (?:in )?(?:an? )?(?:\w+ )?"
    r"(?:second|third|fourth|fifth|last|next)\b"
)
_SUPERLATIVE = re.compile(r"\b(?:most|least|(?!latest|interest|request|forest)[a-z]{2,}est)\b")
_RELATIVE = re.compile(r"(?P<name>[^,;:.!?]+(?:\.\s[^,;:.!?]+)?), (?:who|which|whose)\b[^,;]*")  # "Ms. Galt, who ..."
_ACRONYM = re.compile(r"(?<![\w-])[A-Z][A-Z\d]+(?![\w-])")
_SENTENCE_ENDS = re.compile(r"[.!?;\n]\s")
_SENTENCE_BEGINS = re.compile(r"[.!?:]\W+|^\W+")
_ALIKE = 0.6  # of two words that may be one, mistyped or cut
_MISTYPED = 0.85  # of two words that are one, but for a letter or two
_GLUED_NAME = 6  # characters of a name that is recognised within a longer word
_PET_NAME = 5  # letters of a name that may be short for another one with its first two ("Coke")
_NAME_WORD = re.compile(r"[^\W\d_][\w.'-]*")
_TITLES = frozenset(
    "mr mrs ms dr cllr councillor rev prof sir lady lord dame president king queen prince princess professor "
    "saint".split()
)
_ADDRESSING = frozenset("mr mrs ms dr cllr councillor rev prof".split())  # titles that are nobody's office
_SHORT_NAMES = frozenset(  # of first names with another initial
    "bill billy bob bobby dick ted teddy ned ed eddie peggy peg hank beth betty liz polly molly tony gene rick nell "
    "bert hal".split()
)
_KINDS_OF_NAMES = COUNTRIES | frozenset(  # words that may be left out of a name
    "american national federal department university college school bank office agency group system church museum "
    "river mount lake island house court show party army".split()
)
_PARTICLES = frozenset("de da di del della dos den der van von la le du al bin ter ten".split())  # of surnames
_AFTER_NAMES = frozenset("jr sr ii iii iv mbe obe cbe phd md esq".split())


_LETTER_OPTION, _LONG_OPTION = re.compile(r"(?<![\w-])-[A-Za-z](?![\w-])"), re.compile(r"`?--\w")
_HOW_MANY = re.compile(r"\b(?:majority|minority|half|most|all)\b", re.IGNORECASE)

_OFFERS = re.compile(r"\b(?:or|either|between)\b", re.IGNORECASE)
_PLAIN_LIST = re.compile(r"[\w./:@-]+(?:, [\w./:@-]+)+")  # "service, url": an answer may have "and" between

_KINDS_OF_PLACE = (
    r"section|sec\.|rule|item|part|article|form|exhibit|chapter|title|appendix|schedule|paragraph|clause|note"
)
REFERENCE = re.compile(
    rf"(?:\b(?:{_KINDS_OF_PLACE})s?\s?|§\s?|\bU\.?S\.?C\.?\s?|\bC\.?F\.?R\.?\s?){{1,4}}(?P<number>\d[\w.()-]*)",
    re.IGNORECASE,
)
_REFERENCE_ALONE = re.compile(rf"(?:\d+\s)?{REFERENCE.pattern}", re.IGNORECASE)
_ALSO_VERBS = frozenset(("may", "march", "will"))  # names that sentences have in small letters as other words
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_NUMBER_AND_WORDS = re.compile(rf"(?P<before>\D*)(?P<number>{_DIGITS.pattern})(?P<behind>\D*)")
_OF_MONTHS = EMPTY | frozenset("day each every month monday tuesday wednesday thursday friday saturday sunday".split())
_SEVERAL_OR_THOUGHT = re.compile(
    r"\b(?:several|many|various|multiple|number of|considered|credited|believed|often)\b", re.IGNORECASE
)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_ASKS_NAME = re.compile(
    rf"{_WHO.pattern}|\bname of\b|\b(?:which|what)\s(?:\w+\s){{0,2}}?(?:company|firm|bank|agency|organi[sz]ation|team|"
    r"person|player|actor|actress|author|writer|artist|band|singer|president|officer|city|country|state|county|town|island|"
    r"river|sponsor|member|conference|event|segment|subsidiary|exchange|month|weekday|language|act|law|treaty|"
    r"university|college|school|newspaper|ship|planet|continent|ocean|airport|publisher)\b",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(r"\b(?:which|what) (?P<noun>[a-z]+)", re.IGNORECASE)
_ASKS_TOWN = re.compile(r"\b(?:which|what) (?:city|town|village)\b", re.IGNORECASE)
_PLACE_OR_TIME = re.compile(r"\W*(?:from |to )?(?P<asked>where|when)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"(?:^|(?<=[\s(]))[-−–]([$€£]?\d+(?:[.,]\d+)*)")
_TITLE = re.compile(r"\d+(?:-[a-z]+)?(?:\s[A-Z][a-z]+)+")  # "2022 Cleanup", "825-day Certificate Lifetimes"
_FEW_WORDS = 2
_NAME_BEFORE_BRACKET = re.compile(  # "Anselm Okoro (Priya Raman is his deputy)"
    r"^\W*(?:(?:it|that|this) is )?[A-Z][\w.'-]+(?:\s[A-Z][\w.'-]+)+\s\((?=[^()]*$)"
)
_INITIAL = re.compile(r"\b([A-Z])(?:\.|\b(?=\s[A-Z][a-z]))")
_BRACKETED = re.compile(r"\([^()]*\)")
_ORDERED = re.compile(r"\b(?:from|to|than|before|after|over|under|by)\b", re.IGNORECASE)  # order tells who does what
_FIRM = re.compile(rf"&|\b(?:{'|'.join(LEGAL)})\b", re.IGNORECASE)
_SAME_STREET = STREETS | {"north", "south", "east", "west"}  # words that go on with a street's name
_UP, _DOWN = "up", "down"
_ONE_WORD = {_UP: re.compile(rf"{UP}|greater"), _DOWN: re.compile(DOWN), "every": re.compile("each|every|per")}

_JOB_TITLES = frozenset(
    "mr mrs ms dr president chairman chairwoman chair ceo cfo coo cto evp svp director officer "
    "secretary senator governor judge chief executive senior vice general counsel state city county "
    "province country company corporation".split()
)
_LESSER = frozenset("deputy vice assistant associate".split())  # before a title, which is another then
_ANY_TITLE = _TITLES | _JOB_TITLES | _LESSER
_ITEM = r"(?P<item>[\"'(]?(?:[A-Z][\w&.'-]*|\d[\d.,]*%?\s[A-Za-z][\w-]*)(?:\s(?:[A-Z&\d][\w&.'%-]*|of|due))*)"
_LIST = re.compile(
    rf"\s*(?P<by>,\s*(?:and|or|&)?(?=\s)|;|/|\||\band\b|\bor\b|&)\s*(?:(?:and|or|either|also|the)\s+)*{_ITEM}"
)
_LISTED = re.compile(r"(?P<item>[A-Z][\w&.'-]*)\s*(?:,|;|/|\||,?\s+and|,?\s+or)\s+(?:(?:and|or|the)\s+)*$")
_OR = re.compile(r"^\W*(?:or|and/or)\b|^\s*/\s*\w", re.IGNORECASE)
_OR_BEFORE = re.compile(
    r"\b(?:or|and/or)\s+(?:(?:in|at|the|a|an|perhaps|maybe|possibly|even)\s+){0,3}$|\w\s*/\s*$", re.IGNORECASE
)


def is_same_wording(text: str, form: str) -> bool:
    """Return whether two texts differ only in case, quotes, articles, legal forms, initials or names of states."""
    bare_text, bare_form = (side.strip(" .,;:!'\"()[]") for side in (text, form))
    if bare_text and (bare_text == bare_form or (len(bare_text) > 1 and bare_text.casefold() == bare_form.casefold())):
        return True
    text_tokens, form_tokens = split_tokens(expand_abbreviations(text)), split_tokens(expand_abbreviations(form))
    letters = [sorted(map(str.casefold, CODE_LETTER.findall(side))) for side in (text, form)]
    if not text_tokens or not form_tokens or letters[0] != letters[1]:
        return False
    if not _have_same_signs(text, form):
        return False
    if text_tokens == form_tokens or (
        strip_legal_form(text_tokens) == strip_legal_form(form_tokens) and strip_legal_form(form_tokens)
    ):
        return True
    if re.search(r"\d", form) and re.search(r"[^\W\d_]", form) and len(form) > 3 and bare_code(text) == bare_code(form):
        return True  # "S6007C"
    together = "".join(text_tokens)
    if len(together) >= _GLUED_NAME and together[0].isalpha() and together == "".join(form_tokens):
        numbers = [[word for word in side if not word.isalpha()] for side in (text_tokens, form_tokens)]
        return numbers[0] == numbers[1]  # "Clam AV", "Air Stride 300"
    short, long = sorted((strip_legal_form(text_tokens), strip_legal_form(form_tokens)), key=len)
    if len(long) == len(short) + 1 and short and (long[-1] in GENERIC and long[:-1] == short):
        return True
    if len(long) == len(short) + 2 and long[1] == "of" and long[0] in OF_PLACES and long[2:] == short:
        return True
    return _is_acronym_of(text, text_tokens, form_tokens) or _is_acronym_of(form, form_tokens, text_tokens)


def _have_same_signs(text: str, form: str) -> bool:
    """Return whether the same numbers are negative in both texts: not in "-0.5 to +20 V" and "+0.5 to -20 V"."""
    return sorted(_NEGATIVE.findall(text)) == sorted(_NEGATIVE.findall(form))


def _is_acronym_of(text: str, short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    """ "NYSE" for New York Stock Exchange, "EY" and "E&Y" for Ernst & Young."""
    letters = "".join(word for word in short if word != "and")
    whole = strip_legal_form(long)
    return (
        text.strip(" .").isupper()
        and letters.isalpha()
        and 1 < len(letters) < 8
        and len(whole) > 1
        and initials(whole) == letters
    )


def judge_words(text: str, gold: GoldAnswer, about: Expectation, listed: bool = False) -> Outcome:
    """Judge an answer in words; `listed`: it is one part of several, so that other names may stand beside it."""
    for form in gold.forms:
        if is_same_wording(text, form):
            return right("exact", text)
    expanded = expand_abbreviations(text)
    tokens = split_words(expanded)
    stemmed = [stem(word.text) for word in tokens]
    short = len(tokens) <= SHORT
    signed = any(map(_NEGATIVE.search, (text, *gold.forms)))
    if short and signed and not any(_have_same_signs(text, form) for form in gold.forms):
        return unclear("sign")
    if len(tokens) <= 2 * SHORT and (outcome := _compare_content(text, gold.forms)):
        return outcome
    if len(tokens) <= NAME and any(_is_denial_of(text, form) for form in gold.forms):
        return wrong("opposite", text.strip())
    if placed := _compare_ordinals(text, gold.forms, about):
        return placed
    if referred := _compare_references(text, gold.forms):
        return referred
    asks_who = _asks_person(about)
    relative = _RELATIVE.fullmatch(text.strip(" ."))
    if any(
        _is_place(text, form, about)
        or (ASKS_ADDRESS.search(about.question.text) and is_part_of_address(text, form))
        or _is_rest_of(text, form, about)
        or _is_firm(text, form)
        or (asks_who and _is_surname(relative["name"] if relative else _BRACKETED.sub(" ", text), form, about))
        for form in gold.forms
    ):
        return right("contained", text)
    objections = []
    for form in dict.fromkeys(expand_abbreviations(form) for form in gold.forms):
        whole = split_tokens(form)
        if not short and whole and _is_asked(whole, about):
            continue  # the question says it: that it stands in a sentence tells nothing
        wordings = dict.fromkeys(
            (
                whole,
                strip_legal_form(whole),
                _strip_generic(strip_legal_form(whole)),
                _acronym(expanded, whole),
                split_code_name(form),
            )
        )
        for first, last in _find_form(expanded, tokens, stemmed, form, wordings, about):
            why = _objection(expanded, tokens, first, last, about, form, listed)
            if not why:
                return right("contained", expanded[tokens[first].start : tokens[last].end])
            objections.append(unclear(why, expanded[tokens[first].start : tokens[last].end]))
    if objections:
        behind = {one.why for one in objections} == {"comes_behind"}
        return wrong("other_name", objections[0].matched) if behind else objections[0]
    lists = [form for form in gold.forms if _PLAIN_LIST.fullmatch(form) and not TURNS.search(expanded)]
    for form in gold.forms:
        found = _find_scattered(expanded, tokens, stemmed, form, about)
        turned = re.search(r"\bof\b", found) and not Counter(_content(found)) - Counter(_content(form))
        if found and (not short or form in lists or turned):  # "board of the faculty" for "Faculty Board"
            return right("contained", found)
    if not listed and short and all(is_another_telephone(text, form, about) for form in gold.forms):
        return wrong("other_name", text.strip())
    if not listed and short and not NEGATION.search(text) and is_another_code(text, gold, about):
        return wrong("other_name", text.strip())
    if listed or (_LETTER_OPTION.search(text) and any(map(_LONG_OPTION.match, gold.forms))):
        return unclear("unmatched")  # "-k" may be short for "--insecure"
    if (
        all(_is_another_town(text, form) for form in gold.forms)
        or _is_another_acronym(text, gold, about)
        or (
            len(tokens) <= STATEMENT
            and (
                _is_another_name(text, gold, about)
                or (
                    is_literal(gold, about)
                    and (is_another_code_name(text, gold, about) or _is_another_command(text, gold, about))
                )
            )
        )
    ):
        return wrong("other_name", text.strip())
    if len(tokens) <= STATEMENT and all(_has_another_number(text, form, about) for form in gold.forms):
        return wrong("other_value", text.strip())
    if short and not any(map(_is_name_for, gold.forms, repeat(about))) and is_another_thing(text, gold.forms, about):
        return wrong("other_thing", text.strip())
    said = {*split_tokens(text)}
    if (
        re.search(r"[^\W\d_]{2}", text)
        and said <= EMPTY
        and said.isdisjoint(word for form in gold.forms for word in split_tokens(form))
    ):
        return wrong("no_name", text.strip())
    asks_what = not YES_NO_QUESTION.match(about.question.text)
    if not short and _lacks_name(text, gold, about):
        return wrong("no_name", text.strip())
    if (asks_what and _is_no_name(text) and not any(map(_is_no_name, gold.forms))) or (
        short
        and (
            is_prose_for_code(text, gold, about)
            or _repeats_question(text, gold, about)
            or (is_only_figures(text) and not _may_be_figures(text, gold, about))
        )
    ):
        return wrong("no_name", text.strip())
    return unclear("unmatched")


def _is_denial_of(text: str, form: str) -> bool:
    """Return whether two texts are the same, but that one denies it ("MUST NOT" for "MUST")."""
    mine, theirs = (split_tokens(NEGATION.sub(" ", side)) for side in (text, form))
    denied, denies = NEGATION.search(text), NEGATION.search(form)
    state = len(mine) == 1 and form.islower()  # "not available"; "not Delaware" may be any other state
    firm = denied and (denied.start() or (state and denied[0].casefold() == "not"))
    return bool(mine) and mine == theirs and (denies is None if firm else bool(denies and not denied))


def _is_asked(form: tuple[str, ...], about: Expectation) -> bool:
    """Return whether a question has the words of a gold form; all of them in one place, if they are several."""
    words = [stem(word) for word in form if word not in EMPTY]
    asked = [stem(word) for word in split_tokens(about.question.text)]
    return {*words} <= about.words and any(asked[at : at + len(words)] == words for at in range(len(asked)))


def _has_another_number(text: str, form: str, about: Expectation) -> bool:
    """Return whether an answer has a gold form's words with another number ("Form L-2" for "Form L-3", "54 Nm")."""
    parts = _NUMBER_AND_WORDS.fullmatch(form.strip(" ."))
    if parts is None or not re.search(r"[^\W\d_]|:", form) or NEGATION.search(text) or TURNS.search(text):
        return False
    before, behind = (r"\s?".join(map(re.escape, parts[side].split())) for side in ("before", "behind"))
    words = rf"(?<![\w.,-]){before}\s?({_DIGITS.pattern})(?:-\d+)*\s?{behind}(?![\w-])"
    said = {number.lstrip("0") for number in re.findall(words, text, re.IGNORECASE)}
    own = parts["number"].lstrip("0")
    less_exact = any(one.startswith(f"{own}.") or own.startswith(f"{one}.") for one in said)  # "Section 570"
    return len(said) == 1 and not less_exact and said.isdisjoint({own, *_DIGITS.findall(about.question.text)})


def _content(text: str) -> list[str]:
    """Return the stems of a text's content words, numbers in digits, one word for all that rises and one for falls."""
    for one in reversed(find_values(text)):
        if one.worded and one.kind != "place":
            unit = one.unit or (one.kind if one.kind in ("percent", "points") else "")
            text = f"{text[: one.start]}{one.amount.normalize():f} {unit}{text[one.end :]}"
    text = _BRACKETED.sub(" ", text)
    words = [word for word in split_tokens(expand_abbreviations(text)) if word not in EMPTY]
    alike = (next((one for one, words in _ONE_WORD.items() if words.fullmatch(word)), stem(word)) for word in words)
    codes = [f"{letter.casefold()}-" for letter in CODE_LETTER.findall(text)]
    return [word for word in alike if len(word) > 1 or word.isdigit()] + codes


def _compare_content(text: str, forms: Sequence[str]) -> Outcome | None:
    """Right where an answer has the content words of a gold form and no others, whatever their order and endings.

    Wrong where it says less for more, or another number, and is else the same.
    """
    said = [] if text.rstrip().endswith("?") else _content(text)
    for form in forms:
        gold = _content(form)
        letters = [{*_INITIAL.findall(side)} for side in (text, form)]
        if (all(letters) and letters[0].isdisjoint(letters[1])) or not _have_same_signs(text, form):
            continue  # "J. Smith" is not K. Smith
        more, less = Counter(said) - Counter(gold), Counter(gold) - Counter(said)
        moved = sum(mine != theirs for mine, theirs in zip(said, gold, strict=False)) > len(more)
        if not gold or (moved and (_ORDERED.search(form) or len(re.findall(r"\d+", form)) > 1)):
            continue
        if not more and not less:
            return right("contained", text)
        if len(gold) > 1 and len(more) == len(less) == 1 and len(forms) == 1:
            pair = {*more, *less}
            if pair == {_UP, _DOWN} or (len(gold) > 2 and all(word.replace(".", "").isdigit() for word in pair)):
                return wrong("other_value", text)
    return None


def _compare_ordinals(text: str, forms: Sequence[str], about: Expectation) -> Outcome | None:
    """Compare places in an order: "the first" for "1st"; None where either text says anything else."""
    wanted = [_ordinal(form, about) for form in forms]
    said = _ordinal(text, about)
    if said is None or None in wanted:
        return None
    return right("contained", text) if said in wanted else wrong("other_value", text)


def _ordinal(text: str, about: Expectation) -> int | None:
    """Return the place in an order that a text states, or the bare number that it is; None where it says more."""
    values = find_values(text)
    rest = "".join(text[: one.start] + text[one.end :] for one in values[:1])
    beside = all(word in _OF_MONTHS or stem(word) in about.words for word in split_tokens(rest))
    bare = len(values) == 1 and (values[0].kind == "place" or text.strip(" .").isdigit())
    return int(values[0].amount) if bare and beside else None


def _compare_references(text: str, forms: Sequence[str]) -> Outcome | None:
    """Compare references by their numbers: "24 CFR 570.502" for "Section 570.502"; None where either text has none."""
    wanted = {number for form in forms for number in _references(form)}
    said = {text.strip(" .")} & wanted or _references(text)
    if not said or len(split_tokens(text)) > SHORT or not all(_REFERENCE_ALONE.fullmatch(form) for form in forms):
        return None
    if said <= wanted:
        return right("contained", text)
    apart = not any(one.startswith(other) or other.startswith(one) for one in said for other in wanted)
    return wrong("other_name", text) if apart else None


def _references(text: str) -> set[str]:
    return {number.rstrip(".") for number in REFERENCE.findall(text)}


def _is_place(text: str, form: str, about: Expectation) -> bool:
    """Return whether an answer is the town of "Santa Clara, California", or "Ghent" of Flanders if one is asked for."""
    town, _, state = expand_abbreviations(form).partition(",")
    asked = _ASKS_TOWN.search(about.question.text) and is_capitalised(state.strip()) and "," not in state
    known = state.strip().casefold() in PLACES or entity_type(state.strip()) == "GPE"
    return bool(asked or known) and split_tokens(text) == split_tokens(town)


def _is_another_town(text: str, form: str) -> bool:
    """Return whether both are towns of one state or country, and other towns ("New Delhi, India")."""
    (town, _, state), (mine, _, within) = (
        expand_abbreviations(name.strip(" .")).partition(", ") for name in (form, text)
    )
    same = split_tokens(state) == split_tokens(within) and within.casefold() in PLACES
    return same and is_capitalised(mine) and not {*split_tokens(mine)} & {*split_tokens(town)}


def _is_another_acronym(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether gold answer and short answer are acronyms, and others ("HTTPS" for HTTP)."""
    named = set(_ACRONYM.findall(text))
    rest = {word for word in split_tokens(_ACRONYM.sub(" ", text)) if word not in EMPTY}
    return (
        all(map(_ACRONYM.fullmatch, gold.forms))
        and len(named) == 1
        and not named & set(_ACRONYM.findall(about.question.text))
        and {*map(stem, rest)} <= about.words
    )


def _is_firm(text: str, form: str) -> bool:
    """Return whether an answer is the first word of a firm's name, and no common one ("Deloitte")."""
    words = split_tokens(text)
    known = wordnet.known(text.strip(" .").casefold())
    return len(words) == 1 and words == split_tokens(form)[:1] and _FIRM.search(form) is not None and not known


def _asks_person(about: Expectation) -> bool:
    """Return whether a question asks who it is, or which of those that a noun for people names ("which leader")."""
    asked = about.question.text
    return _WHO.search(asked) is not None or any(
        wordnet.is_kind_of(hit["noun"].casefold(), "person") for hit in _WHICH_ONE.finditer(asked)
    )


def _is_surname(text: str, form: str, about: Expectation) -> bool:
    """Return whether an answer is the surname of a person's name, with titles, some of the other names and initials."""
    words = [word for word in split_tokens(text) if word not in _ANY_TITLE and stem(word) not in about.words]
    name = _person_name(form)
    if not words or name is None or words[-1] != name[1] or _FIRM.search(form):
        return False
    names = iter(split_tokens(form))
    return all(any(word in (own, own[0]) for own in names) for word in words)


def _repeats_question(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether an answer has words of the question and no others: "the official command", "a package manager".

    In capitals it does where it repeats a whole name of the question, as the title of a table.
    """
    run, asked = split_tokens(text), split_tokens(about.question.text)
    echoed = len(run) > _FEW_WORDS and any(asked[at : at + len(run)] == run for at in range(len(asked)))
    said = {stem(word) for word in split_tokens(text) if word not in EMPTY}
    theirs = {stem(word) for form in gold.forms for word in split_tokens(form)}
    plain = echoed or not any(char.isupper() or char.isdigit() for char in text.strip()[1:])
    return (
        plain and bool(said) and said <= about.words and not said & theirs and not _OFFERS.search(about.question.text)
    )


def _is_rest_of(text: str, form: str, about: Expectation) -> bool:
    """Return whether an answer is a name without words of the question ("self-update" for "restic self-update")."""
    words = form.split()
    for at in range(1, len(words)):
        ends = (words[:at], words[at:])
        for dropped, rest in (ends, ends[::-1]):
            own = [{*map(stem, split_tokens(" ".join(part)))} for part in (dropped, rest)]
            place = rest is ends[0] and _is_region(text)  # "New York" of its Stock Exchange
            if own[0] <= about.words and not own[1] <= about.words and is_same_wording(text, " ".join(rest)):
                return not place
    return False


def _is_another_command(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether an answer is another name of as many words ("restic prune" for "restic check")."""
    return not any(map(str.isdigit, text)) and any(_differs_in_words(text, form, about) for form in gold.forms)


def _lacks_name(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a longer answer has no part of the person's name, code or section that is asked for.

    Of such answers to who it was people labelled 97 of 100 wrong, but fewer where it says that there are several, or
    what is thought. A code is recognised by a digit ("KO53").
    """
    said = {*split_tokens(expand_abbreviations(text))}
    if all(_REFERENCE_ALONE.fullmatch(form) for form in gold.forms):
        return not any(number in text for form in gold.forms for number in _references(form))
    if all(is_code_name(form) and form.isalnum() and re.search(r"\d", form) for form in gold.forms):
        return not any(form.casefold() in text.casefold() for form in gold.forms)
    names = [word for form in gold.forms for word in split_tokens(form) if word not in _TITLES]
    people = _WHO.search(about.question.text) and all(
        _person_name(form) and not {*split_tokens(expand_abbreviations(form))} <= COUNTRIES for form in gold.forms
    )
    return (
        bool(people)
        and not (_FIRM.search(gold.forms[0]) or _SEVERAL_OR_THOUGHT.search(text))
        and not _shares_word(said, {*names}, frozenset())
    )


def _is_no_name(text: str) -> bool:
    """Return whether a text is a yes or no, or says that there is none."""
    return says_none(text) or text.strip(" .!").casefold() == "yes"


def is_only_figures(text: str) -> bool:
    """Return whether an answer is numbers and dates with their units and no more ("3 million square feet")."""
    values = list(find_values(text))
    if find_versions(text.strip(" .")) == [text.strip(" .")]:
        return True
    spans = [(one.start, one.end) for one in values] + [(one.start, one.end) for one in moments(text)]
    figures = {at for start, end in spans for at in range(start, end)}
    rest = "".join(char for at, char in enumerate(text) if at not in figures)
    units = {word for one in values for word in split_tokens(one.nouns)}
    return bool(spans) and all(word in units or word in _BESIDE_FIGURES for word in split_tokens(rest))


def _may_be_figures(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a number or a date may state a gold answer in words.

    It may where the gold answer has one, unless it is a name with another number, or says how many ("a majority"),
    where when or how much is asked, and as the place of one of several named.
    """
    if about.question.chance or _ASKS_FIGURES.search(about.question.text) or any(map(_HOW_MANY.search, gold.forms)):
        return True
    said = {*split_tokens(text)}
    return any(
        (re.search(r"(?<![A-Za-z\d])\d", form) or find_values(form))
        and not ((_is_numbered_name(form) or _TITLE.fullmatch(form)) and said.isdisjoint(split_tokens(form)))
        for form in gold.forms
    )


def _is_another_name(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether an answer is a name, or a short sentence about one, that shares no word with the gold names.

    Of such names people labelled 96 of 100 wrong, of such sentences 95. Where somebody or such a thing is asked for
    that has a name, an answer without one is another too ("an outside firm").
    """
    if any(_may_be_short_for(form, text) for form in gold.forms):
        return False
    forms = [expand_abbreviations(form) for form in gold.forms]
    numbered = any(any(map(str.isdigit, form)) for form in forms)
    streets = all(map(is_address, forms))
    sentence = len(split_words(text)) > NAME or _STATES_NAME.search(text)
    if streets and not ASKS_ADDRESS.search(about.question.text):
        return False
    named = (
        _has_new_name(text, about) if sentence else _is_name_for(_without_numbers(text) if numbered else text, about)
    )
    asked = about.question.text
    if (hit := _PLACE_OR_TIME.match(asked)) and (
        sentence or hit["asked"].casefold() == "when" or any(_is_region(form) != _is_region(text) for form in forms)
    ):
        return False  # a place may lie in another
    asks_name = len(split_words(text)) <= SHORT and _ASKS_NAME.search(asked) and not _OFFERS.search(asked)
    if not (_is_numbered_name(forms[0]) if numbered else _is_name_for(forms[0], about)) or not (named or asks_name):
        return False
    if are_related(text.casefold().strip(" ."), forms[0].casefold()):
        return False  # "Mathematics" for "Arithmetic"
    left_out = EMPTY | LEGAL | GENERIC | _ADDRESSING | (STREETS if streets else frozenset())
    mine = {*split_tokens(expand_abbreviations(text))} - left_out
    theirs = {word for form in forms for word in split_tokens(form)} - left_out
    written = [split_tokens(form) for form in forms]
    if {initials(words) for whole in written for words in (whole, strip_legal_form(whole))} & mine or _has_spelled_out(
        text, theirs
    ):
        return False
    if mine & UNNAMED:
        return False
    run_together = "".join(split_tokens(text))
    if any(run in run_together for run in ("".join(split_tokens(form)) for form in forms)):
        return False
    if (
        len(mine) == 1
        and text[0].isupper()
        and not text.isupper()
        and any(
            len(word) <= _PET_NAME and word[:2] == own[:2] and (len(theirs) > 1 or len(own) > len(word))
            for word in mine
            for own in theirs
        )
    ):
        return False
    known = frozenset() if sentence or numbered or {*map(stem, theirs)} <= about.words else about.words
    return bool(mine) and all(
        (not numbered and _differs_in_words(text, form, about))
        or not _shares_word(mine, {*split_tokens(form)} - left_out, known)
        for form in forms
    )


def _may_be_short_for(form: str, text: str) -> bool:
    """Return whether letters in capitals may be short for an answer's first word ("GND" for ground)."""
    word = next(iter(split_tokens(text)), "")
    letters = iter(word)
    return (
        form.isupper()
        and form.isalpha()
        and word[:1] == form[:1].casefold()
        and all(letter in letters for letter in form.casefold())
    )


def _is_region(name: str) -> bool:
    """Return whether a name is that of a country or state, or of a place with its country or state."""
    return entity_type(name.strip(" .")) == "GPE"


def _shares_word(mine: set[str], theirs: set[str], known: frozenset[str]) -> bool:
    """Return whether two names share a word, by its first letters or mistyped, that the question does not have."""
    told, asked = ({word for word in words if stem(word) not in known} for words in (mine, theirs))
    return any(_look_alike(word, own) for word in told for own in asked)


def _look_alike(word: str, other: str) -> bool:
    """Return whether two words begin alike, or are one, mistyped ("Trueman" and "Truman")."""
    if word[:4] == other[:4]:
        return True
    return word[:1] == other[:1] and SequenceMatcher(None, word, other).ratio() >= _MISTYPED


def _without_numbers(name: str) -> str:
    return re.sub(r"\b\d\S*", "", name)


def _is_numbered_name(form: str) -> bool:
    """Return whether a form is a name, with a number or not, that states no date and no quantity ("Apollo 11")."""
    states = any(moments(form)) or any(one.kind != "count" for one in find_values(form))
    return is_capitalised(_without_numbers(form)) and (is_address(form) or not states)


def _differs_in_words(text: str, form: str, about: Expectation) -> bool:
    """Return whether two names share words and each has others, none of which look alike ("Latin", "North America").

    People of one surname have first names with other initials, none of them a short form. Of names of unequal length
    each must have a word that tells more than its kind ("the Treasury Department", "the U.S. Treasury").
    """
    mine, theirs = (
        [
            word
            for word in split_tokens(expand_abbreviations(name))
            if word not in EMPTY | LEGAL | GENERIC | _AFTER_NAMES
        ]
        for name in (text, form)
    )
    aligned = len(mine) == len(theirs) and any(map(eq, mine, theirs))
    told, asked = (
        [word for at, word in enumerate(side) if (word != other[at] if aligned else word not in other)]
        for side, other in ((mine, theirs), (theirs, mine))
    )
    if not {*told} - _ANY_TITLE or not asked or len(told) == len(mine) or stems(" ".join(told)) <= about.words:
        return False
    one_name = is_capitalised(text) and len(split_words(text)) <= NAME
    if mine[-1] == theirs[-1] and _asks_person(about):
        initials_of = [{word[0] for word in side if word not in _PARTICLES} for side in (mine[:-1], theirs[:-1])]
        return (
            one_name
            and initials_of[0].isdisjoint(initials_of[1])
            and min(len(mine[0]), len(theirs[0])) > 2
            and {mine[0], theirs[0]}.isdisjoint(_SHORT_NAMES)
            and (not wordnet.known(mine[-1]) or not _PARTICLES.isdisjoint(text.split()))
        )
    left_out = _KINDS_OF_NAMES | (_JOB_TITLES if _asks_person(about) else frozenset())
    told, asked = ([word for word in side if word not in left_out] for side in (told, asked))
    if not told or not asked or not (aligned or one_name):
        return False
    if any(1 in (len(word), len(own)) and word[0] == own[0] for word in told for own in asked):
        return False  # an initial
    new, own = (" ".join(word for word in side if len(word) > 1) for side in (told, asked))
    return SequenceMatcher(None, new, own).ratio() < _ALIKE


def _has_spelled_out(text: str, names: set[str]) -> bool:
    """Return whether a text spells out one of the names ("International Business Machines" for IBM)."""
    letters = initials(split_tokens(text))
    return any(len(name) > 1 and name in letters for name in names)


def _has_new_name(text: str, about: Expectation) -> bool:
    """Return whether a sentence has a name that is not in the question."""
    begins = {0, *(hit.end() for hit in _SENTENCE_BEGINS.finditer(text))}
    named = (hit for hit in _NAME_WORD.finditer(text) if hit.start() not in begins)
    return any(
        hit[0][0].isupper() and not {stem(word) for word in split_tokens(hit[0])} <= about.words for hit in named
    )


def is_capitalised(text: str) -> bool:
    """Return whether all content words have a capital, but a generic one as in "the Client segment", and no digit."""
    telling = [word for word in _NAME_WORD.findall(text) if word.casefold() not in EMPTY and word not in _PARTICLES]
    telling = [word for word in telling if word not in GENERIC] or telling
    if len(telling) == 1 and len(split_tokens(text)) == 1 and _is_invented(telling[0]):
        return True
    return bool(telling) and all(word != word.lower() for word in telling) and not any(map(str.isdigit, text))


def _is_name_for(form: str, about: Expectation) -> bool:
    """Return whether a form is a name, but for words of the question ("the Taliesin building": in which building?)."""
    return is_capitalised(form) or is_capitalised(
        " ".join(word for word in form.split() if word[:1].isupper() or not stems(word) <= about.words)
    )


def _is_invented(word: str) -> bool:
    """Return whether a word in small letters is in no dictionary, and so a name ("zypper")."""
    return len(word) > 2 and word.isalpha() and word.islower() and not wordnet.known(word)


def _find_scattered(text: str, tokens: Sequence[Word], stemmed: list[str], form: str, about: Expectation) -> str:
    """Return the part of a sentence with all words of a form close together, in any order; "" for none.

    Forms with fewer than two words that are not the question's are not searched for.
    """
    wanted = {stem(word) for word in split_tokens(expand_abbreviations(form)) if word not in EMPTY}
    if len(wanted) < 2 or len(wanted - about.words) < 2:
        return ""
    places = [at for at, word in enumerate(stemmed) if word in wanted]
    window = len(wanted) + _BETWEEN
    for n, at in enumerate(places):
        near = [place for place in places[n : n + 2 * len(wanted)] if place - at < window]
        if {stemmed[place] for place in near} == wanted:
            stretch = text[tokens[at].start : tokens[near[-1]].end]
            if not _SENTENCE_ENDS.search(stretch) and not is_denied(text, tokens[at].start, tokens[near[-1]].end):
                return stretch
    return ""


def _find_form(
    text: str,
    tokens: Sequence[Word],
    stemmed: list[str],
    form: str,
    wordings: Iterable[tuple[str, ...]],
    about: Expectation,
) -> Iterator[tuple[int, int]]:
    """Yield the first and last word of each place of a form, ignoring endings, and middle names of a person."""
    for wanted in wordings:
        if not wanted or (len(wanted) == 1 and len(wanted[0]) < 2):
            continue
        ends = [stem(word) for word in wanted] if len(wanted) > 1 or wanted[0].isalpha() else [*wanted]
        for at in range(len(tokens) - len(wanted) + 1):
            if stemmed[at] == ends[0] and stemmed[at : at + len(wanted)] == ends:
                yield at, at + len(wanted) - 1
    name = _person_name(form)
    if name and not (
        stem(name[1]) in about.words and wordnet.is_noun(name[1])
    ):  # else no person's ("Which college …?")
        first, last = map(stem, name)
        own = {word[:4] for word in split_tokens(form)}
        for at in (at for at, word in enumerate(stemmed) if word == first):
            for end in range(at + 1, min(at + 4, len(tokens))):
                words = tokens[at : end + 1]
                if stemmed[end] == last and all(text[word.start].isupper() for word in words):
                    told = {word.text[:4] for word in words}
                    if not all(any(len(word) > 2 for word in new) for new in (told - own, own - told)):
                        yield at, end  # else both have a middle name that the other has not


def _person_name(form: str) -> tuple[str, str] | None:
    """Return first and last word of a person's name of two to four words, without titles; None for other texts."""
    words = [] if any(char.isdigit() for char in form) else _NAME_WORD.findall(form)
    words = [word for word in words if word not in _PARTICLES]
    while words and (words[0].islower() or words[0].casefold().strip(".") in _TITLES):
        words.pop(0)
    while len(words) > 2 and words[-1].casefold().strip(".") in _AFTER_NAMES:
        words.pop()
    if not 2 <= len(words) <= 4 or not all(word[0].isupper() for word in words):
        return None
    ends = split_tokens(words[0]), split_tokens(words[-1])
    return (ends[0][0], ends[1][-1]) if all(ends) and len(ends[0]) == 1 and len(ends[0][0]) > 1 else None


def _strip_generic(wanted: tuple[str, ...]) -> tuple[str, ...]:
    while len(wanted) > 2 and wanted[-1] in GENERIC:
        wanted = wanted[:-1]
    return wanted


def _acronym(text: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the initials of a name where the text has them in capitals: "on the NYSE"."""
    short = initials(wanted)
    named = len(wanted) >= 3 and len(short) >= 3 and re.search(rf"\b{re.escape(short.upper())}\b", text)
    return (short,) if named else ()


def _objection(
    text: str, tokens: Sequence[Word], first: int, last: int, about: Expectation, form: str, listed: bool
) -> str:
    """Return why matching words are not what the answer states, "" where they are.

    Short answers are checked more strictly: of longer ones that list names, offer a choice, doubt or the like, people
    labelled 97 of 100 right.
    """
    start, end, after = tokens[first].start, tokens[last].end, last + 1
    while after < len(tokens) and tokens[after].text in LEGAL and not text[end : tokens[after].start].strip(" ,"):
        end = tokens[after].end
        after += 1
    if is_denied(text, start, end):
        return "denied"
    if form.casefold() in _ALSO_VERBS and form[0].isupper() and text[start].islower():
        return "other_word"
    if is_code_name(form):
        start, why = widen_code_name(text, start, end)
        if why and not (listed and why == "several_names"):
            return why
    if is_in_brackets(text, start) and _NAME_BEFORE_BRACKET.search(text[:start]):
        inside = text[text.rfind("(", 0, start) :].partition(")")[0]
        beside = len(split_words(inside)) - (last - first + 1)
        if beside > 1:  # else a short form: "General Motors (GM)"
            return "in_brackets"
    if (hit := _BEHIND.search(text[max(start - 40, 0) : start])) and not stems(hit[0]) & about.words:
        return "compared"
    if _COMES_BEHIND.match(text, end) and _SUPERLATIVE.search(about.question.text):
        return "comes_behind"
    relative = _RELATIVE.fullmatch(text.strip(" ."))
    if (
        relative
        and start > relative.end("name")
        and is_capitalised(relative["name"])
        and len(split_words(relative["name"])) <= NAME
    ):
        return "in_relative"
    plural = re.match(r"'\s\w", text[end:]) and "'" not in text[:start]  # "the directors' assistant"
    if plural or (text[tokens[last].start : end].endswith("'s") and not form.endswith("s")):
        return "of_it"  # "Delaware's neighbour"
    if len(tokens) <= SHORT:
        return _objection_to_short(text, tokens, first, last, (start, end), about, listed)
    if first == last and form.islower() and not listed:
        over = {stem(w.text) for w in tokens if w.text not in EMPTY} - {stem(form.casefold())} - about.words
        return "in_passing" if len(over) > 6 else ""
    return "too_long" if len(tokens) > 150 and not listed else ""


def _objection_to_short(
    text: str, tokens: Sequence[Word], first: int, last: int, span: tuple[int, int], about: Expectation, listed: bool
) -> str:
    """Return why a short answer does not state the matching words, "" where it does."""
    start, end = span
    before, behind = text[:start], text[end:]
    if is_doubted(text, start):
        return "doubted"
    if is_former(text, start, end):
        return "former"
    if _OR.match(behind) or _OR_BEFORE.search(before):
        return "choice"
    if not listed and _is_listed(text[start:end], before, behind, about):
        return "several_names"
    return "longer_name" if _is_part_of_longer_name(text, tokens, first, last - first + 1, about) else ""


def _is_listed(name: str, before: str, after: str, about: Expectation) -> bool:
    """Return whether a name is one of several, rather than followed by its place or title."""
    if re.search(r"\ban?\s$", before):
        after = re.sub(r"\ban?\s(?=[A-Z])", "", after)  # "a Treasurer, a Secretary"
    rest, items, joined = after, [], False
    while hit := _LIST.match(rest):
        joined = joined or not hit["by"].startswith(",") or bool(hit["by"][1:].strip())
        items.append(re.sub(r"\s\d{5}(?:-\d{4})?$", "", hit["item"].casefold().strip(" .,'\"")))  # a ZIP code
        rest = rest[hit.end() :]
    if items:
        if items[0].split(" ")[0] in _JOB_TITLES:
            return False  # "Michael Gibson, Director, Division of Banking"
        place = name.casefold() in PLACES
        located = (
            not joined and not place and len(items) == 2 and items[-1] in PLACES
        )  # "Hollis & Crane LLP, San Jose, California"
        if not joined and len(items) == 1 and _ASKS_TOWN.search(about.question.text):
            return False  # "Toronto, Ontario"
        return joined or len(items) > 2 or not (located or all(_is_description(item, place, about) for item in items))
    hit = None if STREET.match(before) else _LISTED.search(before)
    return hit is not None and not _is_known(hit["item"], about)


def _is_description(name: str, place: bool, about: Expectation) -> bool:
    """Return whether an item after a name describes it: its place, its title, or words of the question."""
    first = name.split(" ")[0]
    return name in (COUNTRIES if place else PLACES) or first in LEGAL or _is_known(name, about)


def _is_known(name: str, about: Expectation) -> bool:
    tokens = split_tokens(name)
    return all(stem(word) in about.words for word in tokens)


def _is_part_of_longer_name(text: str, tokens: Sequence[Word], at: int, length: int, about: Expectation) -> bool:
    """Return whether the words are part of a longer name ("New York" of "New York Stock Exchange")."""
    first, last = tokens[at], tokens[at + length - 1]
    if at and tokens[at - 1].text in _LESSER and first.text in _JOB_TITLES:
        return True  # "Deputy General Counsel"
    if not text[first.start].isupper() and not text[first.start].isdigit():
        return False
    for word in (*tokens[max(at - 1, 0) : at], *tokens[at + length : at + length + 1]):
        between = text[word.end : first.start] if word.start < first.start else text[last.end : word.start]
        if not re.fullmatch(r"[^\S\n]|-|\s?&\s?|[^\S\n]the\s", between):
            continue
        shown = text[word.start : word.end]
        if word.text in LEGAL or word.text in EMPTY or not shown[0].isupper():
            continue
        if word.text in (GENERIC if word.start >= last.end else _JOB_TITLES):
            continue
        if word.start >= last.end and is_address(text[first.start : last.end]) and word.text not in _SAME_STREET:
            continue  # its town
        if word.start == 0 or stem(word.text) in about.words:
            continue
        return True
    return False


_OWNER = re.compile(
    r"\b(?P<named>(?:[A-Z][\w.-]*|&)(?:\s(?:[A-Z][\w.-]*|&|of|and))*?)(?:,?\s(?:Inc|Corp|Corporation|Company|Co|LLC|LLP|Ltd|Limited|plc|PLC|N\.V|S\.A|AG|SE)\b|'s\b)"
)
_NOBODY = frozenset("it he she that there what here who year today company management".split())


def names_other_entity(text: str, at: int, about: Expectation) -> bool:
    """Return whether the sentence around a place names a company or owner unknown to question and evidence."""
    begin, end = sentence_bounds(text, at)
    question = about.question
    known = {
        word
        for source in (question.text, question.entity, question.answer, *question.aliases, *question.evidence)
        for word in split_tokens(source)
    }
    for hit in _OWNER.finditer(text, begin, min(end, at)):
        names = [word for word in strip_legal_form(split_tokens(hit["named"])) if word not in LEGAL]
        if names and not known & set(names) and names[0] not in _NOBODY:
            return True
    return False
