"""Days, months, quarters, halves and years of a text, in whichever notation, and the periods that end on them.

"9/28/2024", "28 September 2024" and "le 28 septembre 2024" are one day. This is the one list of months."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import NamedTuple

from rarefy.tasks.text.characters import plain
from rarefy.tasks.text.memo import cache_short_texts

MONTHS = "january february march april may june july august september october november december".split()
NAMES = tuple(name.capitalize() for name in MONTHS)  # as English prints them
NAME = f"(?:{'|'.join(NAMES)})"  # a pattern for one of them, whole
SHORT = tuple("Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec".split())
FOREIGN = (
    "januar janvier enero|februar fevrier febrero|marz mars marzo|april avril abril|mai mayo|juni juin junio"
    "|juli juillet julio|august aout agosto|september septembre septiembre|oktober octobre octubre"
    "|november novembre noviembre|dezember decembre diciembre"
)
NUMBERS = {name: n for n, name in enumerate(MONTHS, 1)} | {name[:3]: n for n, name in enumerate(MONTHS, 1)}
NUMBERS |= {"sept": 9} | {name: n for n, names in enumerate(FOREIGN.split("|"), 1) for name in names.split()}
# A pattern for a month in English, whole or cut ("Sept.", "Apr"), without a group of its own.
MONTH = "(?:" + "|".join(rf"{name[:3]}(?:{name[3:]}|t)?\.?" if len(name) > 3 else name for name in MONTHS) + ")"
_ALIEN = "|".join(sorted({n for names in FOREIGN.split("|") for n in names.split()} - set(MONTHS), key=len)[::-1])
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_ORDINAL = "|".join(_ORDER)
_DAYS = (
    r"(?P<{d}>\d{{1,2}})(?:st|nd|rd|th)?(?:\s?(?:-|to|and|through)\s?(?P<{e}>\d{{1,2}})(?:st|nd|rd|th)?(?![\d,.]?\d))?"
)
_FISCAL = r"(?:(?:of|in|for)\s)?(?:the\s)?(?:fiscal(?:\syear)?\s?|calendar(?:\syear)?\s?|FY\s?)?'?"
_GAP = r"[\s\u00a0]{1,3}"
# What a pattern can begin with is looked for first: most letters of a text begin nothing.
_NAMED = re.compile(
    r"(?=[jfmasond\d])(?<![^\W_])(?:"
    rf"(?P<m>{MONTH}){_GAP}{_DAYS.format(d='d', e='e')}(?:,?{_GAP}(?P<y>\d{{4}}))?(?![^\W_]|[.,]\d)|"
    rf"{_DAYS.format(d='d2', e='e2')}\.?{_GAP}(?:of\s)?(?:the\s)?(?P<m2>{MONTH})"
    rf"(?:,?{_GAP}(?P<y2>\d{{4}}))?(?![^\W_]|[.,]\d)|"
    rf"(?P<m4>{MONTH}),?{_GAP}(?:of\s)?(?P<y4>1\d{{3}}|20\d\d)(?![^\W_]|[.,]\d))",
    re.IGNORECASE,
)
_OTHER = re.compile(
    rf"(?<!\w)(?=[adefjmnos\d])(?:"
    rf"(?P<d>\d{{1,2}})(?:\.|er|o|º)?{_GAP}(?:de\s)?(?P<m>{_ALIEN})\.?{_GAP}(?:de\s)?(?P<y>\d{{4}})(?!\d)"
    rf"|(?P<m2>{_ALIEN}){_GAP}(?:de\s)?(?P<y2>(?:19|20)\d\d)(?!\d))",
    re.IGNORECASE,
)
_NUMERIC = re.compile(
    r"(?=\d)(?<![\d/.-])(?:(?P<y>\d{4})(?P<by>[/.-])(?P<m>\d{1,2})(?P=by)(?P<d>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<by2>[/.-])(?P<b>\d{1,2})(?P=by2)(?P<y2>\d{4}|\d\d))(?![\d/-]|\.\d)"
)
_QUARTER = re.compile(
    rf"(?=[fst1-4q])(?<![^\W_])(?:(?P<o>{_ORDINAL})(?:\sfiscal)?[\s-]quarter|Q(?P<q>[1-4])|(?P<q2>[1-4])Q)"
    rf"(?:[\s,-]{{0,3}}{_FISCAL}(?P<y>(?:19|20)\d\d|\d\d(?!\w)))?(?!\d)",
    re.IGNORECASE,
)
_HALF = re.compile(
    r"(?=[fs12h])(?<![^\W_])(?:(?P<o>first|second|1st|2nd)(?:\sfiscal)?[\s-]half|H(?P<h>[12])|(?P<h2>[12])H)"
    rf"[\s,-]{{0,3}}{_FISCAL}(?P<y>(?:19|20)\d\d|\d\d(?!\w))(?!\d)",
    re.IGNORECASE,
)
_FISCAL_YEAR = re.compile(
    r"(?=f)(?<![^\W_])(?:fiscal(?:\syears?)?|FY)\s?'?(?P<y>(?:19|20)\d\d|\d\d)(?:[-/](?P<y2>(?:19|20)\d\d"
    r"|\d\d))?(?!\w|[,.]\d|%)",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(?=[12])(?<![\w.,$€£¥+/-])(?P<y>1\d{3}|20\d\d)(?:-|\s-\s|/)(?P<y2>1\d{3}|20\d\d|\d\d)(?![\w%]|[.,/-]\d)"
)
_SEVERAL = re.compile(r"(?=[12])(?<![\w.,$€£¥+-])(?P<y>1[5-9]\d0|20\d0)'?s(?!\w)")
_YEAR = re.compile(
    r"(?=[12])(?<![\w.,$€£¥+/-])(?<![$€£¥(]\s)(?P<y>(?:19|20)\d\d)"
    r"(?![\d%]|[^\W\d_]|[.,/]\d|-\d|\s?(?:%|percent|thousand|million|billion|trillion)(?!\w))"
)
_OLD = re.compile(  # before 1900 four digits are a year only where the words around say so
    r"(?=[(abcdefilmostuwy])(?:\b(?P<p>in|since|of|by|until|till|from|to|during|before|after|circa|ca\.|c\.|around"
    r"|about|year|and|early|late|mid|founded|born|died|est\.)"
    r"[\s-]|\()(?P<y>1[0-8]\d\d)(?![\w%$]|[.,/]\d|-\d|'s\s\w|\s?[%$]|(?:\s(?!(?:and|or|to|by|in|on|at|for|as"
    r"|the|with|when|where|who|which|while|but|though|although|not|then|also|this|its|his|her|their|there|since"
    r"|during|because|through|into|under|published|founded|built|born"
    r"|was|were|is|until|after|before|from|he|she|it|they|that|had|has)\b)[a-z]+))",
    re.IGNORECASE,
)


class Parts(NamedTuple):
    """What of a moment is said; 0 where it is not."""

    year: int = 0
    month: int = 0
    day: int = 0
    quarter: int = 0
    half: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, month, quarter, half or year where it stands, in all the ways in which its numbers can be read."""

    ways: frozenset[Parts]
    start: int
    end: int
    fiscal: bool = False
    decade: bool = False  # "the 1990s": the year is the first of ten

    @property
    def years(self) -> frozenset[int]:
        """The years it may be in."""
        return frozenset(way.year for way in self.ways if way.year)

    @property
    def kind(self) -> str:
        """day | month | quarter | half | year."""
        way = max(self.ways)
        for name in ("day", "month", "quarter", "half"):
            if getattr(way, name):
                return name
        return "year"

    @property
    def only_year(self) -> bool:
        """Is it a year and no more, so that the digits may also be a number?"""
        return self.kind == "year"


def compare_moments(gold: Moment, other: Moment) -> str:
    """same: all that `gold` says is said; less: not all of it; other: something else is. A year is in its decade."""
    if gold.decade or other.decade:
        if not any(mine // 10 == theirs // 10 for mine in gold.years for theirs in other.years):
            return "other"
        return "same" if gold.decade else "less"
    verdicts = {_against(mine, theirs) for mine in gold.ways for theirs in other.ways}
    return "same" if "same" in verdicts else "less" if "less" in verdicts else "other"


def _against(gold: Parts, other: Parts) -> str:
    if any(mine and theirs and mine != theirs for mine, theirs in zip(gold, other, strict=True)):
        return "other"
    quarter_of = gold.quarter and other.month and not other.quarter  # a month says no fiscal quarter
    missing = any(mine and not theirs for mine, theirs in zip(gold, other, strict=True))
    return "less" if quarter_of or missing else "same"


@cache_short_texts
def moments(text: str) -> tuple[Moment, ...]:
    """Every moment in a text, in order.

    The days of "July 28-29, 2015" are two, of one span; so are the years of "2019-2020" and "1979-80".
    """
    text = plain(text)
    found: list[Moment] = []
    taken = bytearray(len(text) + 1)
    for pattern in (_NUMERIC, _NAMED, _OTHER, _QUARTER, _HALF, _FISCAL_YEAR, _SPAN, _SEVERAL, _YEAR, _OLD):
        scanned = _unaccented(text) if pattern is _OTHER else text
        for hit in pattern.finditer(scanned):
            start, end = (hit.start("y"), hit.end()) if pattern is _OLD else hit.span()
            if any(taken[start:end]):
                continue
            ways = list(_ways(hit, pattern))
            if ways:
                taken[start:end] = b"\x01" * (end - start)
                fiscal = pattern is _FISCAL_YEAR or re.search(r"fiscal|FY", hit[0]) is not None
                found += [Moment(frozenset(way), start, end, fiscal, pattern is _SEVERAL) for way in ways]
    return tuple(sorted(found, key=lambda one: (one.start, sorted(one.ways))))


def years(*texts: str) -> frozenset[int]:
    """All years that these texts name."""
    return frozenset(year for text in texts for moment in moments(text) for year in moment.years)


def iso_day(moment: Moment) -> str:
    """The day as an ISO date; "" where it is no day of one year, or may be one of two."""
    days = {_iso(way) for way in moment.ways}
    return days.pop() if len(days) == 1 else ""


def days_between(first: str, last: str) -> int:
    """The days from one ISO day to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def month_number(name: str) -> int:
    """1 for "January", "jan." and "janvier"; 0 for what is no month."""
    bare = _unaccented(plain(name)).strip(" .").lower()
    return NUMBERS.get(bare, 0)


def _iso(way: Parts) -> str:
    try:
        return date(way.year, way.month, way.day).isoformat()
    except ValueError:
        return ""


def _unaccented(text: str) -> str:
    """The text of the same length without accents."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", char)[0] for char in text)


def _ways(hit: re.Match[str], pattern: re.Pattern[str]) -> Iterator[set[Parts]]:
    parts = {name: value for name, value in hit.groupdict().items() if value}
    year = _year(parts.get("y") or (parts.get("y2") if pattern is not _SPAN else "") or parts.get("y4") or "")
    if pattern is _SPAN or (pattern is _FISCAL_YEAR and "y2" in parts):
        yield from _two_years(year, parts["y2"])
    elif "a" in parts:
        pairs = ((int(parts["a"]), int(parts["b"])), (int(parts["b"]), int(parts["a"])))
        if ways := {Parts(year, m, d) for m, d in pairs if 1 <= m <= 12 and 1 <= d <= 31}:
            yield ways
    elif "by" in parts:
        if 1 <= int(parts["m"]) <= 12 and 1 <= int(parts["d"]) <= 31:
            yield {Parts(year, int(parts["m"]), int(parts["d"]))}
    elif named := parts.get("m") or parts.get("m2") or parts.get("m4"):
        month = NUMBERS.get(named.lower()) or NUMBERS[named.lower()[:3]]
        days = [int(day) for name in ("d", "e", "d2", "e2") if (day := parts.get(name))]
        if not year and named[0].islower() and named.lower() in ("may", "mar", "march", "sep", "dec"):
            return  # "5 may", "march 3 miles"
        if all(1 <= day <= 31 for day in days):
            yield from ({Parts(year, month, day)} for day in days or [0])
    elif half := parts.get("h") or parts.get("h2") or (pattern is _HALF and parts.get("o")):
        yield {Parts(year, half=_ORDER.get(str(half).lower()) or int(half))}
    elif quarter := parts.get("o") or parts.get("q") or parts.get("q2"):
        yield {Parts(year, quarter=_ORDER.get(quarter.lower()) or int(quarter))}
    elif year:
        yield {Parts(year)}


def _two_years(first: int, written: str) -> Iterator[set[Parts]]:
    last = int(written) if len(written) == 4 else first - first % 100 + int(written)
    if len(written) == 2 and last < first:
        last += 100  # 1999-00
    if first < last <= first + 200:
        yield {Parts(first)}
        yield {Parts(last)}


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text) if text else 0


# Days of metadata fields

_MONTH_GROUP = rf"(?P<month>{MONTH})"
# What may follow a day: nothing, or a time, a zone, a note, but no other date
_NO_OTHER_DATE = r"(?!\d)(?!.*\b\d{4}\b)"
_DAY_FORMS = tuple(
    re.compile(rf"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?{form}", re.I | re.S)
    for form in (
        r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)",
        rf"(?P<y>\d{{4}})[/.](?P<m>\d{{1,2}})[/.](?P<d>\d{{1,2}}){_NO_OTHER_DATE}",
        r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)(?:T?\d{6}(?:\.\d+)?Z?|\.0+)?\s*$",
        rf"(?P<m>\d{{1,2}})[/-](?P<d>\d{{1,2}})[/-](?P<y>\d{{4}}){_NO_OTHER_DATE}",
        rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>\d{{4}}){_NO_OTHER_DATE}",
        rf"{_MONTH_GROUP}\s*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?P<y>\d{{4}}){_NO_OTHER_DATE}",
        rf"(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+{_MONTH_GROUP}[\s,-]+(?P<y>\d{{4}}){_NO_OTHER_DATE}",
        rf"(?P<y>\d{{4}})[\s-]+{_MONTH_GROUP}[\s-]+(?P<d>\d{{1,2}}){_NO_OTHER_DATE}",
    )
)
_UNIX_TIME = re.compile(r"(\d{10})(\d{3}|\d{6}|\d{9})?(?:\.\d+)?$")  # since 1970, down to nanoseconds


def parse_day(text: str) -> str:
    """The ISO date that a text is, or begins with; "" where it is none that is sure.

    03/05/2024 is read as in the United States; where the first number can be no month, as elsewhere.
    """
    text = text.strip().strip("\"'").strip()[:200]
    for form in _DAY_FORMS:
        if found := form.match(text):
            said = found.groupdict()
            month = month_number(said["month"]) if said.get("month") else int(said["m"])
            return iso_date(int(said["y"]), month, int(said["d"])) or (
                iso_date(int(said["y"]), int(said["d"]), month) if re.match(r"\d{1,2}[/-]", text) else ""
            )
    if text.isascii() and (seconds := _UNIX_TIME.match(text)):
        return datetime.fromtimestamp(int(seconds[1]), UTC).date().isoformat()
    return ""


def iso_date(year: int, month: int, of_month: int) -> str:
    """The ISO date of these numbers; "" where there is no such day, or one that stands for "never"."""
    try:
        return date(year, month, of_month).isoformat() if 1000 <= year < 3000 else ""
    except ValueError:
        return ""
