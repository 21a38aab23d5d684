"""Compare numbers, sums and dates in their notations: "$47,525" and "$47.5 billion" are one sum in millions."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rarefy.data_contracts.rows import VERDICTS
from rarefy.tasks.text.characters import plain
from rarefy.tasks.text.dates import Moment, Parts, moments
from rarefy.tasks.text.memo import cache_short_texts
from rarefy.tasks.text.quantities import CURRENCIES, MEASURES, MOST_DIGITS, SCALES, Quantity, quantities

_DIGITS = re.compile(r"\d(?:[.,' \u00a0]?\d)*")
_ONE_NUMBER = re.compile(r"\d+(?:\.\d+)?|\d{1,3}(?:,\d{3})+(?:\.\d+)?")  # in every language, if it is any
_RUN = re.compile(r"\d+")
_FRACTION = re.compile(r"[½¼¾⅛⅜⅝⅞]|\d/\d")
# A text that a containment metric would find by accident ("5" is in "2015") must stand between token boundaries.
SHORT = 4
ANSWERS = 10_000  # whose forms are kept as they were read: an answer is looked for in many texts in a row


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, without its sign."""

    figures: str  # its significant digits, without zeros at the end: "47525" of 47,525.0
    power: int  # of ten, of the first of them
    scale: int  # the power of ten of its scale word; -1: none
    percent: bool
    year: bool  # looks like one: plain four digits from 1900 to 2099


@cache_short_texts  # the rows of a chunk are searched for the answer of each of its questions
def find_numbers(text: str, language: str = "en") -> tuple[Number, ...]:
    """Every number written in digits in a text, in order, zeros and places in a row apart."""
    return tuple(to_number(one) for one in _digital(text, language))


def _digital(text: str, language: str = "en") -> Iterator[Quantity]:
    return (one for one in quantities(text, language=language) if one.value and one.kind != "place" and not one.worded)


def to_number(one: Quantity) -> Number:
    """A quantity, other than nothing, without its sign."""
    _, digits, exponent = one.amount.scaleb(-one.scale).normalize().as_tuple()
    assert isinstance(exponent, int)  # of a finite number
    return Number(
        figures="".join(map(str, digits)),
        power=len(digits) + exponent,
        scale=one.scale or -1,
        percent=one.kind in ("percent", "points"),
        year=one.year,
    )


def is_same_number(answer: Number, other: Number, fewest: int = 2) -> bool:
    """Would a reader take `other` for `answer`: equal, counted in another unit, or rounded to `fewest` digits or more?

    Tables count in thousands or millions without saying so in the row, so a number without a scale word may be any of
    them, as long as it shows three digits or more: shorter ones ("12", "5%") are equal only as they stand.
    """
    if answer.figures[0] != other.figures[0] or (other.year and not answer.year):
        return False
    short = min(len(answer.figures), len(other.figures)) < 3
    if short and answer.percent != other.percent:
        return False
    shift = other.power - answer.power
    plain = [n for n in (answer, other) if n.scale < 0]
    if not plain:
        fits = shift == answer.scale - other.scale
    elif short and len(plain) == 1:  # "$2 billion" and "2,000" may be the same, "Item 2" is not
        fits = shift % 3 == 0 and plain[0].power >= 4
    else:
        fits = shift == 0 if short else shift % 3 == 0
    return fits and _rounds(answer.figures, other.figures, fewest)


def _rounds(answer: str, other: str, fewest: int) -> bool:
    """Are these figures equal, or the answer's rounded to `fewest` at least, or the other's to three?"""
    if answer == other:
        return True
    longer, shorter = (answer, other) if len(answer) > len(other) else (other, answer)
    kept = len(shorter)
    if kept == len(longer) or kept < (fewest if shorter is other else 3):
        return False
    return (int(longer[: kept + 1]) + 5) // 10 == int(shorter)


def contains_answer(text: str, answer: str, aliases: Iterable[str] = (), languages: Sequence[str] = ("en",)) -> bool:
    """Can the answer still be read in this text: itself, an alias, or its number in another notation?

    Words are looked for as a containment metric would, whatever their case and spacing; short answers and numbers
    between token boundaries. A verdict (yes, no, true, false) is not looked for: what speaks for it has other words.
    `languages` are those that the numbers in the text may be of: "1.234" is another one in German.
    """
    forms, sought = _read_answer((answer, *aliases))
    folded = _folded(text)
    if any(_contains(folded, form) for form in forms):
        return True
    if not sought or not may_state_number(text, {number.figures for number in sought}):
        return False
    firsts = {number.figures[0] for number in sought}  # no two that begin otherwise are the same
    likely = (n for language in languages for n in find_numbers(text, language) if n.figures[0] in firsts)
    return any(is_same_number(number, other) for other in likely for number in sought)


@lru_cache(ANSWERS)
def _read_answer(forms: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[Number, ...]]:
    """The forms of an answer, folded, and the numbers that they are."""
    wanted = [form for form in forms if form.strip() and form.strip(" .").casefold() not in VERDICTS]
    numbers = filter(None, map(parse_only_number, wanted))
    return tuple(dict.fromkeys(map(_folded, wanted))), tuple(dict.fromkeys(numbers))


def may_state_number(text: str, figures: Iterable[str]) -> bool:
    """False where no number in digits in the text, in any notation, can be the same as one of these significant digits.

    Looks at no more than the digits themselves, since reading numbers takes a hundred times as long.
    """
    written = written_digits(text)
    return written is None or any(_may_be_among(written, one) for one in figures)


@cache_short_texts
def written_digits(text: str) -> tuple[str, ...] | None:
    """The significant digits of whatever may be a number in a text, sorted; None where it has fractions, too."""
    told = plain(text)
    if _FRACTION.search(told):
        return None
    found: set[str] = set()
    for hit in _DIGITS.finditer(told):
        one = _ONE_NUMBER.fullmatch(hit[0])
        runs = [hit[0].replace(",", "").replace(".", "")] if one else _RUN.findall(hit[0])
        for at in range(len(runs)):
            digits = ""
            for run in runs[at:]:
                digits = (digits + run).lstrip("0")
                if len(digits) > MOST_DIGITS:
                    break
                found.add(digits.rstrip("0"))
    return tuple(sorted(found - {""}))


def _may_be_among(written: Sequence[str], figures: str) -> bool:
    """Whether one of these has the same digits, or one is the other rounded, as `_rounds` allows; they are sorted."""
    return any(_is_any_between(written, least, most) for least, most in _ranges_of(figures))


@lru_cache(ANSWERS)
def _ranges_of(figures: str) -> tuple[tuple[str, str], ...]:
    """The digits that may be the same as these: themselves, rounded, and what is rounded to them."""
    rounded = (str((int(figures[: kept + 1]) + 5) // 10) for kept in range(2, len(figures)))
    found = [(one, one) for one in (figures, *rounded)]
    if len(figures) > 2:
        least = 10 * int(figures) - 5
        found.append((str(least), f"{least + 9}:"))  # ":" comes after "9"
    return tuple(found)


def _is_any_between(ordered: Sequence[str], least: str, most: str) -> bool:
    at = bisect_left(ordered, least)
    return at < len(ordered) and ordered[at] <= most


def _contains(text: str, wanted: str) -> bool:
    if len(wanted) >= SHORT and not wanted[0].isdigit() and not wanted[-1].isdigit():
        return wanted in text
    return wanted in text and _whole(wanted).search(text) is not None


@lru_cache(ANSWERS)  # re itself keeps 512
def _whole(wanted: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){re.escape(wanted)}(?![\w%]|[.,]\d)")


@cache_short_texts  # a passage is searched for many answers in a row
def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@cache_short_texts
def parse_only_number(answer: str) -> Number | None:
    """The number that a text is, with its unit and little else, so that its value is all that matters."""
    found = find_numbers(answer)
    if len(found) != 1:
        return None
    one = next(_digital(answer))
    beside = re.findall(r"[^\W\d_]{3,}", f"{answer[: one.start]} {answer[one.end :]}".casefold())
    return found[0] if all(word in _BESIDE or word.removesuffix("s") in _BESIDE for word in beside) else None


# Words beside a number that say nothing but how exactly it is meant and what is counted
_BESIDE = {"approximately", "about", "around", "roughly", "nearly", "almost", "per", "share", "employee", "people",
           "square", "store", *MEASURES, *CURRENCIES}  # fmt: skip

# Sums, shares, dates and periods in one notation each

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_UNITS = {"percent": "%", "points": "pp", "times": "x", "place": "th"}
_KINDS = ("%", "pp", "th", "x")


@dataclass(frozen=True, slots=True)
class Figure:
    """A sum, share, count, date or period where it stands."""

    text: str  # "$97300000000", "75%", "@2024-09-28", "@q1", "@2024", "0.25pp", "3x", "3th", "24"
    unit: str  # of a measure: "day", "mile"; "" for all else
    start: int
    end: int


def mark_figures(text: str) -> tuple[str, list[str]]:
    """The text with each figure as a mark (\\x02, its number, \\x03), and the figures in one notation each.

    A year is read the same whether it is called fiscal or not, as filings call one year by both.
    """
    found = find_figures(text)
    parts, at = [], 0
    for number, one in enumerate(found):
        parts.append(f"{text[at : one.start]} \x02{number}\x03 ")
        at = max(at, one.end)
    return "".join([*parts, text[at:]]), [one.text for one in found]


@cache_short_texts
def find_figures(text: str, language: str = "en") -> tuple[Figure, ...]:
    """Every figure of a text in order; what is said in words of a share or place ("half", "first") stays a word."""
    found = [figure for one in moments(text) for figure in _of_moment(one)]
    taken = bytearray(len(text) + 1)
    for one in found:
        taken[one.start : one.end] = b"\x01" * (one.end - one.start)
    told = plain(text)
    found += [
        Figure(_notation(one), one.unit if one.kind == "measure" else "", one.start, one.end)
        for one in quantities(text, language=language)
        if not any(taken[one.start : one.end]) and not _is_word(one, told)
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def figure_kind(figure: str) -> str:
    """What a figure counts: $ (money of any kind), @ (time), %, pp, x (times), th (a place in a row) or "" (things)."""
    if figure.startswith("@"):
        return "@"
    if any(currency in figure for currency in "$€£¥¤"):
        return "$"
    return next((unit for unit in _KINDS if figure.endswith(unit)), "")


def _is_word(one: Quantity, text: str) -> bool:
    """Is it a word that is compared as a word: a place in a row, "twice", a fraction?"""
    if not one.worded:
        return False
    return (one.kind in ("place", "times") and not text[one.end - 1].isdigit()) or (not one.grain and one.value < 1)


def _notation(one: Quantity) -> str:
    # brackets around a bare number mean less than nothing in one layout of a table and not in another: kept as they are
    bare = one.enclosed and one.kind not in ("money", "percent", "points")
    sign = "(" if bare else "-" if one.value < 0 else "+" if one.sign == "+" else ""
    money = _SYMBOLS.get(one.currency, f"¤{one.currency}") if one.kind == "money" else ""
    return f"{sign}{money}{one.amount.normalize():f}{_UNITS.get(one.kind, '')}"


def _of_moment(one: Moment) -> Iterator[Figure]:
    """A day, month or year, in all ways in which it can be read; of a quarter its number, and its year apart."""
    way = max(one.ways)
    part = f"@q{way.quarter}" if way.quarter else f"@h{way.half}" if way.half else ""
    if part:
        yield Figure(part, "", one.start, one.end)
    if not part or way.year:
        told = "|".join(sorted(map(_date, one.ways)))
        yield Figure(f"@{told}{'s' if one.decade else ''}", "", one.start, one.end)


def _date(way: Parts) -> str:
    year = str(way.year or "")
    return f"{year}-{way.month:02d}" + (f"-{way.day:02d}" if way.day else "") if way.month else year


# Scales stated in captions: "(in millions, except share and per share data)"

POWER_NAMES = {
    3: "thousand",
    5: "lakh",
    6: "million",
    7: "crore",
    9: "billion",
    12: "trillion",
}  # powers of ten, in the singular

_WORD = f"(?:{'|'.join(POWER_NAMES.values())})"
_MONEY = r"(?:(?:US|CA?|AU?|HK)?[$€£¥]|USD|EUR|GBP|JPY|CHF|U\.S\. dollars|dollars|euros)"
_STATED = re.compile(
    rf"\bin (?:{_MONEY} ?)?(?P<in>{_WORD})s?(?![\w-])"  # "in millions", "in € million"
    rf"|\((?:{_MONEY} ?)?(?P<open>{_WORD})s?(?![\w-])"  # "(thousands)", "(US$ million)"
    rf"|[$€£¥] ?(?P<money>{_WORD})s?(?![\w-])"  # "$ millions"; "$5 million" has a scale of its own
    rf"|\b(?P<of>{_WORD})s of (?:U\.?S\.? )?(?:dollars|euros|pounds|yen)\b"
    r"|(?:\bin )?(?<![\d,.])(?P<zeros>000[’']?s)\b"
    rf"|^[^\w\n]*(?P<alone>{_WORD})s[^\w\n]*$",  # of a cell or line of its own
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSE = re.compile(r"(?:[^,;)\n]|,(?= which\b))+")
_SHARE = re.compile(r"\bshares?\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper[ -](?:\w+ ){0,2}shares?\b", re.IGNORECASE)
_EXCEPTED = re.compile(r"\bexcept(?:ing)?\b[^.;)]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale where it is stated."""

    power: int  # of ten
    start: int
    end: int
    shares: bool  # of shares alone: "(in millions, shares in thousands)"


def scales(text: str) -> tuple[Scale, ...]:
    """Every scale that a caption states, in order."""
    found = [(hit, _power(hit)) for hit in _STATED.finditer(text)]
    own = set(_of_shares(text, [hit.start() for hit, _ in found])) if found else set()
    return tuple(Scale(power, *hit.span(), hit.start() in own) for hit, power in found)


def counted_in(text: str, *, shares: bool = False) -> int | None:
    """The power of ten that a caption states for sums, or for numbers of shares; the last one where it states several.

    0 where it takes shares out ("except share data") and states nothing for them; None where it states nothing at all.
    """
    found = scales(text)
    if not found:
        return None
    own, others = [one for one in found if one.shares], [one for one in found if not one.shares]
    if not shares:
        return (others or own)[-1].power
    if own:
        return own[0].power
    taken_out = _EXCEPTED.search(text, others[-1].start)
    return 0 if taken_out and _SHARE.search(_PER_SHARE.sub("", taken_out[0])) else others[-1].power


def without_scales(text: str) -> str:
    """A header without what it says that its figures are counted in, and what that excepts."""
    kept, at = [], 0
    for one in scales(text):
        if one.start < at:
            continue
        opened = text.rfind("(", at, one.end)  # "(dollars in millions)"
        start = one.start if opened < 0 or ")" in text[opened : one.start] else opened
        closed = text.find(")", one.end)
        kept.append(text[at:start])
        at = len(text) if closed < 0 else closed + 1
    return " ".join([*kept, text[at:]])


def _power(hit: re.Match[str]) -> int:
    return 3 if hit["zeros"] else SCALES[next(word for word in hit.groups() if word).lower()]


def _of_shares(text: str, starts: list[int]) -> list[int]:
    """Those of the scales that stand behind shares in their own clause; each clause is read once."""
    found = []
    waiting = iter(starts)
    start = next(waiting, None)
    for clause in _CLAUSE.finditer(text):
        said = _SHARE.search(text, *clause.span())
        taken = said is None
        while start is not None and start < clause.end():
            if not taken and said and start >= said.end():
                found.append(start)
                taken = True
            start = next(waiting, None)
    return found
