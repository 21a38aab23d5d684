"""Answers that only their own letters and digits give: codes, names of code, addresses, telephone numbers."""

import re

from rarefy.tasks.evaluate.correct.claim_status import joining_word
from rarefy.tasks.evaluate.correct.gold import Expectation, GoldAnswer
from rarefy.tasks.evaluate.correct.normalise import (
    CODE_NAME,
    EMPTY,
    expand_abbreviations,
    is_code_name,
    is_odd,
    split_tokens,
    split_words,
)
from rarefy.tasks.text.names import STREETS

_CODE = re.compile(r"(?<![\w.-])[A-Z]{1,4}-?\d{1,5}[A-Z]?(?![\w-])")  # "SC086", "A2"
CODE_LETTER = re.compile(r"(?<![^\W_])([A-Za-z])-?(?=\d)")  # of "M1", "W-2"
_PAIR = re.compile(r"(?<![\w.,])\d{1,3},\s?\d{1,2}(?![\w,.]*\d)")  # of numbers: "8,1"
_PERIOD = re.compile(r"(?:Q|H|FY)-?\d")
# Such names that no words of prose can mean: signs between or before small letters ("TCP/IP" and "Ph.D" are others)
_SIGNED = re.compile(r"^(?:--?|[.#@$%~/])[\w./]|[a-z]{2}[A-Z]|\w_\w|::|[a-z]{2}[/@:]\w|\w\w\.[a-z]{2}")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")  # of a name of code: "smallest", "First"
_ASKS_LITERAL = re.compile(
    r"\b(?:which|what)(?: is the| are the)?(?: name of (?:the|a))? (?:[\w-]+ ){0,3}?(?:(?:sub)?command|option|flag|"
    r"switch|parameter|variable|keyword|setting|package manager|package|label|host|file|folder|directory|module|"
    r"attribute|header|branch|repository|macro|method|mode|property|field|service|account|cluster|plugin|image)s?\b",
    re.IGNORECASE,
)
_LITERAL = 3  # words of a name that no other words say
_FEW_WORDS = 2
UNNAMED = frozenset("another other others elsewhere one same usual".split())  # "and later in another state"
STREET = re.compile(r"\W*\d+\s[A-Z]")  # "2788 San Tomas Expressway, Santa Clara, California"
ASKS_ADDRESS = re.compile(r"\b(?:address|street)", re.IGNORECASE)  # "where" may be answered by a town
_ASKS_TELEPHONE = re.compile(r"\b(?:phone|telephone|fax|mobile)\b", re.IGNORECASE)
_TELEPHONE = re.compile(r"\+?[\d\s()/-]{9,}")  # however its digits are grouped
_TELEPHONE_ASKED = re.compile(r"\+?[\d(][\d\s()/.-]{5,}")
_LAST_DIGITS = 4  # of a telephone number, by which it is told from others


def is_another_code(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether the gold answer is codes or numbers that stand together, and a short answer has none of them.

    "C6" or "81" for "8,1", "PA9" for "PA2 / PA3", "1.2.1 Revisions" for "SC086". A word or two may say what it is.
    """
    beside = {*split_tokens(text)}
    for code in (_CODE, _PAIR):
        if not all(code.search(form) and {*split_tokens(code.sub(" ", form))} <= beside for form in gold.forms):
            continue
        if any(re.findall(r"\d+", form) == re.findall(r"\d+", text) for form in gold.forms) and code is _PAIR:
            return False  # "8.1"
        wanted = {bare_code(one) for form in gold.forms for one in code.findall(form)}
        said = {bare_code(one) for one in code.findall(text)} - set(map(bare_code, code.findall(about.question.text)))
        run = "".join(split_tokens(text))
        if not wanted.isdisjoint(said) or any(one in run for one in wanted if not one.isdigit()):
            return False
        if any(map(_PERIOD.match, gold.forms)):
            return False  # "the third quarter of 2024"
        other = bool(said) or re.search(r"\d", text) is not None
        return other or (len(split_words(text)) > _FEW_WORDS and max(map(len, wanted)) > _FEW_WORDS)
    return False


def bare_code(code: str) -> str:
    """Return a code without blanks and hyphens, and with one sign for those that part numbers: "p0.23" of "P0_23"."""
    return re.sub(r"(?<=\d)[._/](?=\d)", ".", re.sub(r"[\s-]", "", code)).casefold()


def is_another_code_name(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether an answer is another name of code than a literal gold answer, and not one that was asked about.

    A hyphen alone makes no name of code in small letters ("third-party"), nor do signs in an abbreviation.
    """
    said = {name.casefold() for name in CODE_NAME.findall(text) if is_odd(name)}
    asked = about.question.text.casefold()
    wanted = {"".join(split_tokens(form)) for form in gold.forms}
    said = {name for name in said if name not in asked}
    signs = {form[0] for form in gold.forms}
    alike = {
        "".join(split_tokens(name)): len(name) > 2 and not (name[0] in "-.#" and name[0] in signs) for name in said
    }
    return bool(said) and not any(
        name == form or (within and name in form) for name, within in alike.items() for form in wanted
    )


def is_literal(gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a gold answer can be given in its own letters alone: names of code, of commands and the like."""
    if all(map(is_code_name, gold.forms)):
        return True
    if all(map(is_address, gold.forms)):
        return ASKS_ADDRESS.search(about.question.text) is not None
    return _ASKS_LITERAL.search(about.question.text) is not None and all(
        len(form.split()) <= _LITERAL and not any(map(str.isdigit, form)) for form in gold.forms
    )


def is_prose_for_code(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a short answer is words that have no piece of the gold answer's name of code ("the trash can")."""
    coded = all(map(is_code_name, gold.forms))
    named = not coded or _ASKS_LITERAL.search(about.question.text)
    if not (is_literal(gold, about) if named else all(map(_SIGNED.search, gold.forms))):
        return False
    pieces = {piece.casefold() for form in gold.forms for piece in _PIECE.findall(form) if len(piece) > 1}
    told = {word for word in split_tokens(text) if word not in EMPTY}
    run = "".join(split_tokens(text))
    return (
        bool(told)
        and not told & UNNAMED
        and any(len(piece) > 2 for piece in pieces)
        and not any((len(piece) > 2 and piece in run) or word in piece for piece in pieces for word in told)
    )


def split_code_name(form: str) -> tuple[str, ...]:
    """Return the words of a name that capitals part: "smallest first" for smallestFirst, "clam av" for ClamAV."""
    found = _PIECE.findall(form) if form.isalpha() and re.search(r"[a-z]{2}[A-Z]", form) else []
    return tuple(piece.casefold() for piece in found)


def widen_code_name(text: str, start: int, end: int) -> tuple[int, str]:
    """Return where the name of code around words begins, and why they are not what it states, "" where they are.

    They are as its last step ("/etc/key.pem"), not within others ("https-cert.pem"), nor beside another such name.
    """
    for hit in CODE_NAME.finditer(text):
        if hit.start() <= start and end <= hit.end():
            before, behind = text[hit.start() : start], text[end : hit.end()]
            if re.search(r"\w", behind) or not re.fullmatch(r"\W*|.*(?:/\.?|::|\.)", before):
                return hit.start(), "longer_name"
            start, end = hit.span()
    for hit in CODE_NAME.finditer(text):
        gap = text[hit.end() : start] if hit.end() <= start else text[end : hit.start()] if hit.start() >= end else "x"
        if is_odd(hit[0]) and joining_word(gap) and gap.strip():
            return start, "several_names"
    return start, ""


def is_address(form: str) -> bool:
    """Return whether a form is a street with a number, and its town or not ("1 Tesla Road, Austin, Texas")."""
    return STREET.match(form) is not None and not STREETS.isdisjoint(split_tokens(form))


def is_part_of_address(text: str, form: str) -> bool:
    """Return whether an answer is an address up to one of its commas ("1 Tesla Road" of "1 Tesla Road, Austin")."""
    parts = [split_tokens(part) for part in expand_abbreviations(form).split(",")]
    said = split_tokens(expand_abbreviations(text))
    return is_address(form) and any(said == sum(parts[:end], ()) for end in range(1, len(parts)))


def is_same_telephone(text: str, form: str, about: Expectation) -> bool:
    """Return whether two texts are one telephone number, grouped in whatever way, with or without its country."""
    home, other = sorted((_parse_telephone(side, about) for side in (text, form)), reverse=True)
    if not home or not other:
        return False
    local = home[0] == "0" and home[1:2] != "0"
    abroad = re.fullmatch(r"\+\d{1,3}", other.removesuffix(home[1:]))  # "+49 421 ..." for "0421 ..."
    return (local and abroad is not None) or home.strip("+") == other.strip("+")


def is_another_telephone(text: str, form: str, about: Expectation) -> bool:
    """Return whether a telephone number is asked for, and a short answer has neither it nor its last digits."""
    own = _parse_telephone(form, about) if _ASKS_TELEPHONE.search(about.question.text) else ""
    said = re.sub(r"\D", "", text)
    return own != "" and not (said and own.endswith(said[-_LAST_DIGITS:]))


def _parse_telephone(text: str, about: Expectation) -> str:
    """Return the digits of a telephone number, "" for other texts; dots may part them only where one is asked for."""
    pattern = _TELEPHONE_ASKED if _ASKS_TELEPHONE.search(about.question.text) else _TELEPHONE
    bare = text.strip(" .")
    return re.sub(r"[^\d+]", "", bare.replace("(0)", "")) if pattern.fullmatch(bare) else ""
