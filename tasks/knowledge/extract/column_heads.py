"""What the head of a column says: a period, a unit, a category."""

import re
from dataclasses import dataclass

from rarefy.tasks.knowledge.extract.labels import MEASURES as AMOUNTS
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.knowledge.extract.values import SCALES
from rarefy.tasks.text.dates import MONTH
from rarefy.tasks.text.notations import counted_in, without_scales
from rarefy.tasks.text.quantities import CURRENCIES, MEASURES
from rarefy.tasks.text.quantities import SCALES as SCALE_WORDS

# Units

_SIGN = r"(?:US\s?|AU?\s?|CA?\s?|HK\s?|NZ\s?|NT\s?|S\s?|R\s?)?[$€£¥₹]|Rs\.?|[A-Z]{3}"
_SCALE = r"millions?|billions?|thousands?|trillions?|crores?|lakhs?|lacs|mn|mm|bn|m|k|['’]?000['’]?s?"
_UNIT = re.compile(
    r"(?<![A-Za-z])[(\[]?\s*(?:amounts |figures |all amounts )?(?:in |expressed in |stated in )?"
    rf"(?:(?P<sign>{_SIGN})\s?['’]?(?P<scale>(?i:{_SCALE}))?"
    r"|(?P<bare>(?i:millions?|billions?|thousands?|crores?|lakhs?)))"
    r"(?: of (?:U\.?S\.? )?(?P<of>dollar|euro|pound|rupee|yen)s?)?\s*[)\]]?(?![\w.]*\d)(?!\w)"
)
PERCENT = re.compile(r"(?<!\d)(?<!\d )%|\bper ?cent(?:age)?s?\b", re.I)  # not that of "5.5% notes"
# Units of two letters or one, in brackets behind a head; no note is marked so
_SYMBOLS = "kg|km|cm|mm|mg|ml|kw|mw|kb|mb|gb|tb|ms|hz|ft|lb|oz"
_MARK = re.compile(
    rf"\s*(?:\((?:\d{{1,2}}|(?!(?:{_SYMBOLS}|m)\))[a-z]{{1,2}})\)|\[\d{{1,2}}\]|[*†‡§]+|(?<=\s)[¹²³⁴⁵⁶⁷⁸⁹⁰]+)(?=\s|$)"
)


def without_marks(words: str) -> str:
    """Words without the marks of footnotes."""
    return _MARK.sub("", words).strip()


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit where it is stated, `[start, end)` of its text."""

    currency: str  # ISO code; "$" for dollars of which nobody says whose, "" for none
    scale: str | None  # as in values.FACTORS; None where none is stated
    start: int = 0
    end: int = 0


_TWO_UNITS = re.compile(r"[$€£¥₹]\s?(?:US|NT|HK|A|C|S)?[$€£¥₹]")
NO_UNIT = Unit("", None)


def find_unit(text: str) -> Unit | None:
    """The first currency, scale or both that a head or a label states; None where it states none."""
    return next(filter(None, map(_read_unit, _UNIT.finditer(text))), None)


def _read_unit(found: re.Match[str]) -> Unit | None:
    sign = (found["sign"] or "").replace(" ", "").rstrip(".").lower()
    if not found["bare"] and sign not in CURRENCIES:
        return None  # three letters of another meaning
    word = (found["scale"] or found["bare"] or "").lower().lstrip("'’")
    power = SCALE_WORDS.get(word) or SCALE_WORDS.get(word.removesuffix("s"))
    power = 3 if word.startswith("000") else 5 if word == "lacs" else power
    sign = "$" if found["of"] == "dollar" and not sign else sign or found["of"] or ""
    currency = "$" if sign == "$" else CURRENCIES.get(sign, "")
    return Unit(currency, SCALES.get(power) if power else None, *found.span())


UNIT_BEHIND = re.compile(r"(?<=\S) ?(?:\(([^()]{1,20})\)| in ([A-Za-z]+))$")
_SYMBOL = re.compile(rf"{_SYMBOLS}|[gtlhsvw]|min|k?wh|m[²³23]|km/h|mph|rpm|bar|psi|k?pa|nm|db|°[cf]", re.I)


def unit_in_brackets(head: str) -> str:
    """The currency or measure behind a head, in brackets or "in": "EUR" of "Full day (EUR)", "kg" of "Weight in kg".

    "" for none, for a scale, and for "(m)", which is of metres and of millions.
    """
    stated = UNIT_BEHIND.search(head)
    if not stated:
        return ""
    words = (stated[1] or stated[2]).removeprefix("in ")
    unit = find_unit(words)
    if stated[2] and words.lower().removesuffix("s") in CURRENCIES:
        return words
    if unit:
        return words if unit.currency and unit.scale is None else ""
    word = words.lower()
    return words if word in MEASURES or word.removesuffix("s") in MEASURES or _SYMBOL.fullmatch(word) else ""


def stated_unit(caption: str) -> Unit:
    """The unit of all figures that the words around a table state; a scale alone only where it is plain."""
    power = counted_in(caption)
    scale = None if power is None else SCALES.get(power, "")
    for found in _UNIT.finditer(caption):
        unit = _read_unit(found)
        meant = found["scale"] or power is not None or re.match(r"\s*(?:[(\[]|in )", found[0])
        if unit and unit.currency and meant:
            return Unit(unit.currency, scale if unit.scale is None else unit.scale)
    return Unit("", scale)


# Periods

# "2020" beside "thereafter" is what falls due then, no figure of that year
DUE_LATER = re.compile(r"\bthereafter\b|\bpayments? due\b|\bdue (?:by|in) period", re.I)

_DATE = rf"(?:{MONTH} \d{{1,2}},? \d{{4}}|\d{{1,2}} {MONTH},? \d{{4}}|{MONTH} \d{{4}}|\d{{1,2}}/\d{{1,2}}/\d{{2,4}})"
_SPANNED = re.compile(
    r"(?:for (?:the )?)?(?P<span>(?:fiscal |financial |calendar )?"
    r"(?:years?|(?:three|six|nine|twelve|\d{1,2}) (?:months?|weeks)|quarters?|periods?|half[- ]year)"
    rf"[- ](?:ended|ending|end)) (?P<day>{_DATE})",
    re.I,
)
_YEAR = re.compile(
    r"(?:(?P<fiscal>fiscal|financial|FY)(?: ?years?)? ?|years? )?['’]?"
    r"(?P<year>(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?|(?<=FY)\d\d)",
    re.I,
)
_POINT = re.compile(rf"(?:(?P<as>as of|as at|at|on) )?(?P<day>{_DATE})", re.I)
_YEAR_END = re.compile(r"(?:as of|as at|at) (?:(?:fiscal )?year[- ]end )?((?:19|20)\d\d)", re.I)
_QUARTER = re.compile(
    r"(?:Q[1-4]|[1-4]Q|H[12]|[12]H|(?:first|second|third|fourth) (?:quarter|half)) ?(?:of )?(?:FY|fiscal )? ?['’]?"
    r"(?:(?:20|19)?\d\d)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """What the head of a column says."""

    words: str = ""  # the head without footnote marks and units
    period: str = ""  # where the words are a period and nothing else: "fiscal 2019", "the year ended May 31, 2019"
    year: str = ""  # behind what the words measure: "2023" of "Inpatients 2023"; that of a kind stays in the words
    bare_day: bool = False  # the period is a day, of which nobody says whether a stretch of time ends on it
    currency: str = ""
    scale: str | None = None  # as in FACTORS; None where the head states none
    percent: bool = False


# A measure and the year that it is of; what was planned for a year is another thing than what happened in it
_DATED = re.compile(r"(?P<measure>[A-Z][A-Za-z]*(?:[ -][A-Za-z]+)*?)(?P<when>,? (?:in |for )?(?P<year>(?:19|20)\d\d))")
_PLANNED = re.compile(
    r"\b(?:targets?|goals?|budget\w*|plan\w*|forecasts?|expected|estimate\w*|projected|changes?|growth|versus|vs|since"
    r"|before|after|until|by|from|to|versions?|editions?|models?)\b",
    re.I,
)

# What the figures of a year are: planned for it, or what happened in it
_KIND = (
    r"(?:(?:adopted|approved|proposed|revised|amended|original|preliminary) )?(?:actuals?|outturn|budget(?:ed)?"
    r"|estimate[sd]?|forecasts?|planned|projections?|projected|targets?)"
)
_SETTLED = r"adopted|approved|proposed|revised|amended"  # behind a year; "Revised 2024" says when
_WHOLE_YEAR = r"(?:(?:FY|fiscal|financial)(?: year)? ?)?(?:19|20)\d\d(?:[-–/]\d\d(?:\d\d)?)?"
_KIND_OF_YEAR = re.compile(
    r"(?:(?P<measure>(?-i:[A-Z])[A-Za-z]*(?:[ -][A-Za-z]+)*?) )??"
    rf"(?:(?P<year>{_WHOLE_YEAR}),? \(?(?P<kind>{_KIND}|{_SETTLED})\)?"
    rf"|(?P<kind_>{_KIND}),? (?:for )?\(?(?P<year_>{_WHOLE_YEAR})\)?)",
    re.I,
)
_NO_MEASURE = re.compile(
    r"\b(?:of|over|on|against|under|above|below|with|shares?|variance|differences?|deviation)\b", re.I
)


@dataclass(frozen=True, slots=True)
class KindOfYear:
    """What a head says of its figures: that they were budgeted for a year, or happened in it."""

    kind: str  # "budget", "revised estimate", "actual"
    year: str  # as `read_period` names it
    measure: str = ""  # "Expenditure"


def read_kind(head: str) -> KindOfYear | None:
    """Kind and year of a head that says no more, its unit apart: "2025 budget ($ thousands)"; None for all others."""
    unit = find_unit(head)
    words = f"{head[: unit.start]} {head[unit.end :]}" if unit else head
    found = _KIND_OF_YEAR.fullmatch(" ".join(words.split()))
    if not found:
        return None
    measure = found["measure"] or ""
    last = measure.rpartition(" ")[2].lower()
    plain = not measure or (unit and unit.currency) or is_plural(last) or last in AMOUNTS
    if not plain or _PLANNED.search(measure) or _NO_MEASURE.search(measure):
        return None
    return KindOfYear(
        (found["kind"] or found["kind_"]).lower(), read_period(found["year"] or found["year_"])[0], measure
    )


def read_head(head: str) -> ColumnHead:
    """A column's head, taken apart."""
    words = without_marks(" ".join(head.split())).rstrip(":")
    if _TWO_UNITS.search(words):
        return ColumnHead()  # those of two columns: which of them it is of, nobody can tell
    if PERCENT.search(words):
        return ColumnHead(words, percent=True)
    unit, whole = find_unit(words), words
    if unit:
        words = re.sub(r"\s+", " ", f"{words[: unit.start]} {words[unit.end :]}").strip(" ,–—-:")
    currency, scale = (unit.currency, unit.scale) if unit else ("", None)
    if kind := read_kind(whole):
        return ColumnHead(whole, "", kind.year, False, currency, scale)
    if scale is None and (power := counted_in(words)) is not None:
        scale, words = SCALES.get(power, ""), without_scales(words).strip()
    period, bare_day = read_period(words)
    if not period and (dated := _DATED.fullmatch(words)) and not _PLANNED.search(dated["measure"]):
        last = dated["measure"].split()[-1].lower()
        if currency or is_plural(last) or last in AMOUNTS:
            measure = re.sub(rf"\s*{re.escape(dated['when'])}", "", whole, count=1)
            return ColumnHead(measure, "", dated["year"], False, currency, scale)
    # "$ change" stays beside "% change"
    return ColumnHead(words if period else whole, period, "", bare_day, currency, scale)


def read_period(words: str) -> tuple[str, bool]:
    """(period, whether it is a bare day) for words that are a period and nothing else; ("", False) for all others."""
    words = re.sub(r"\s*:\s*", " ", words).strip(" ,")
    if found := _SPANNED.fullmatch(words):
        span = re.sub(r"\b(year|quarter|period)s\b", r"\1", found["span"].lower().replace("-", " "))
        return f"the {re.sub(r'end$|ending$', 'ended', span)} {found['day']}", False
    if found := _YEAR.fullmatch(words):
        kind = (found["fiscal"] or "").lower()
        named = {"": "", "fy": "FY", "financial": "financial year "}.get(kind, "fiscal ")
        return f"{named}{found['year']}", False
    if _QUARTER.fullmatch(words):
        return words, False
    if found := _POINT.fullmatch(words):
        return found["day"], not found["as"]
    if found := _YEAR_END.fullmatch(words):
        return f"the end of {found[1]}", False
    return "", False
