"""Whether an answer stands in a text, as a string match or a reader would find it (SURE S5, RARE R28).

A string match is one of any gold answer or alias, whatever its case, spacing, accents and kind of quotes, from the
beginning of a word to the end of one: "5" is not in "2015". Its article, or an "approximately", need not be there. What
is answered by yes or no is in no string, so that nothing can be said of it.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from rarefy.data_contracts.rows import VERDICTS
from rarefy.tasks.text import characters
from rarefy.tasks.text.memo import cache_short_texts
from rarefy.tasks.text.names import ENDING
from rarefy.tasks.text.notations import ANSWERS, contains_answer, find_figures, mark_figures, written_digits
from rarefy.tasks.text.quantities import NUMBER_IN_WORDS, SCALE_WORDS

LANGUAGES = ("en", "de")  # of numbers: "1.234" is another one in German
_LEAD = re.compile(r"^(?:(?:the|an?|approximately|about|around|roughly|nearly|almost|some)\s+)+(?=\S)")
_INITIAL = re.compile(r"(?<=\w\s)[a-z]\.\s(?=\w)")
_QUOTES = dict.fromkeys("’‘", "'") | dict.fromkeys("“”", '"') | {"\u00ad": ""}
_QUOTES |= dict.fromkeys("–—−\u2010\u2011\u2012\u2015\ufe58\ufe63\uff0d", "-")
_MARKS = re.compile("[" + "".join(_QUOTES) + "]")
_DOTTED = re.compile(r"\b(?:[a-z]\.){2,}")  # "U.S. dollar" is the US dollar
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MOMENT_LEAD = re.compile(r"^\s*(?:on|by|in|as of|until|since)\s")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,24}\d{0,2});", re.IGNORECASE)
_SPACED = re.compile(r"(?<![\d.,' ])(?<!\d )\d{1,3}(?:[ '_]\d{3}){1,5}(?![\d'])")
# Numbers in words that may have three significant digits or more: "two hundred five", "twenty-two and three quarters"
_LONG_IN_WORDS = re.compile(
    rf"(?i)[^\W\d_][\s-]+(?:{SCALE_WORDS})\b|\band[\s-]+\w+[\s-]+(?:hal|quarter|third|fourth|fifth|sixth|eighth|tenth)"
)
_UNUSUAL = re.compile("[^\x00-\x7f]")
_UNSEEN = {*map(chr, range(0xFE00, 0xFE10)), *"\u034f\u115f\u1160\u3164"}  # that Unicode does not call format


def find_verbatim(text: str, answer: str, aliases: Iterable[str] = ()) -> str:
    """The form of the answer that the text holds word for word; "" where it holds none."""
    forms = _forms((answer, *aliases))
    if verbatim := next((form for form in forms if form in text and contains_words(text, form)), ""):
        return verbatim  # by far the most
    folded = fold(text)
    return next((form for form in forms if any(contains_words(folded, core) for core in _kept_as(form))), "")


def find_readable(text: str, answer: str, aliases: Iterable[str] = ()) -> str:
    """How the answer can be read in the text, in any notation or language of numbers; "" where it is absent."""
    wanted = _read_answer((answer, *aliases))
    if not wanted:
        return ""
    plain = _legible(text)
    folded = fold(plain)
    for form in wanted:
        if any(contains_words(folded, core) for core in form.cores):
            return form.text
        if (
            form.figures
            and _may_state(plain, form)  # a text's own take long to find
            and not all(form.figures.isdisjoint(_figures(plain, language)) for language in LANGUAGES)
        ):
            return f"{form.text}, in another notation"
    return "in another notation" if contains_answer(plain, answer, aliases, LANGUAGES) else ""


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of an answer, what it is looked for as, and the figures that it may be, each in one notation."""

    text: str
    cores: tuple[str, ...]
    figures: frozenset[str]
    digits: frozenset[str]  # of the figures; empty where they are said of time, in many ways


@lru_cache(ANSWERS)
def _read_answer(forms: tuple[str, ...]) -> tuple[_Form, ...]:
    return tuple(map(_read_form, _forms(forms)))


def _read_form(form: str) -> _Form:
    said = _legible(form)
    figures = _one_figure(said)
    timed = any(figure.startswith("@") for figure in figures)
    digits = frozenset(() if timed else (re.sub(r"\D", "", figure).strip("0") for figure in figures))
    return _Form(form, tuple(core_forms(said)), figures, digits)


def _may_state(text: str, form: _Form) -> bool:
    """False where the text cannot state the form's figure, in digits or in words."""
    written = written_digits(text)
    if written is None or not form.digits or "" in form.digits:  # zeros are not among them
        return True
    short = any(len(digits) < 3 for digits in form.digits)
    return not form.digits.isdisjoint(written) or _has_number_in_words(text, short)


@cache_short_texts
def _has_number_in_words(text: str, short: bool) -> bool:
    """Whether a number stands there in words, of three digits or more unless `short`."""
    return (NUMBER_IN_WORDS if short else _LONG_IN_WORDS).search(text) is not None


def _forms(forms: Iterable[str]) -> list[str]:
    return [form for form in forms if form.strip() and fold(form) not in VERDICTS]


def contains_words(text: str, form: str) -> bool:
    """Is this form in this text, both folded, as whole words?"""
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        before, after = text[max(at - 2, 0) : at], text[end : end + 2]
        if not _joins(before[::-1], form[0]) and not _joins(after, form[-1]):
            return True
        at = text.find(form, at + 1)
    return False


def core_forms(form: str) -> Iterator[str]:
    """A form, folded, and what is left of it without an article, a company's suffix, an initial."""
    folded = fold(form)
    seen = {folded, _LEAD.sub("", folded)}
    seen |= {ENDING.sub("", one) for one in seen}
    seen |= {_INITIAL.sub("", one) for one in seen}
    yield from sorted(one for one in seen if one)


def _fold(text: str) -> str:
    """The text in lower case with plain quotes and single spaces, without accents and what cannot be seen."""
    plain = text if text.isascii() else _MARKS.sub(lambda hit: _QUOTES[hit[0]], text)
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
        plain = _INVISIBLE.sub("", plain)
    return " ".join(_DOTTED.sub(lambda hit: hit[0].replace(".", ""), plain.casefold()).split())


fold = cache_short_texts(_fold)


def _kept_as(form: str) -> set[str]:
    folded = fold(form)
    return {one for one in (folded, _LEAD.sub("", folded)) if one}


def _joins(beside: str, edge: str) -> bool:
    """Does what stands beside an edge belong to the same word or number? `beside` is read away from the edge."""
    if not beside or not edge.isalnum():
        return False
    if beside[0].isalnum() or beside[0] == "_":
        return True
    return edge.isdigit() and beside[0] in ".," and len(beside) > 1 and beside[1].isdigit()


def _legible(text: str) -> str:
    """The text as it is read: without entities, signs that cannot be seen, and blanks within its numbers."""
    seen = unescape(text) if "&" in text and _ENTITY.search(text) else text
    if not seen.isascii():
        seen = _UNUSUAL.sub(lambda hit: "" if _is_unseen(hit[0]) else hit[0], characters.plain(seen))
    return _SPACED.sub(lambda hit: re.sub(r"\D", "", hit[0]), seen.replace("\u00a0", " "))


def _is_unseen(char: str) -> bool:
    return char in _UNSEEN or unicodedata.category(char) == "Cf"


def _one_figure(form: str) -> frozenset[str]:
    """The one figure that a form is, in one notation, or each that it may be; empty for all else."""
    marked, found = mark_figures(form)
    rest = re.sub(r"\x02\d+\x03", " ", _LEAD.sub("", fold(_MOMENT_LEAD.sub("", marked))))
    return _ways(found[0]) if len(found) == 1 and not re.search(r"[^\W\d_]{2,}", rest) else frozenset()


@cache_short_texts
def _figures(text: str, language: str = "en") -> frozenset[str]:
    return frozenset(way for one in find_figures(text, language) for way in _ways(one.text))


def _ways(figure: str) -> frozenset[str]:
    """A date in numbers may be one of two."""
    return frozenset(f"@{day}" for day in figure[1:].split("|")) if figure.startswith("@") else frozenset((figure,))
