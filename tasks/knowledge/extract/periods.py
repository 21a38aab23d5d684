"""When a figure held: periods read from column headers, or from the tags that mark the figure."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.text.dates import NAMES, month_number

# Headers are set without commas, and give a day above several years: text.dates reads whole dates
_DATE = re.compile(rf"\b({'|'.join(NAMES)})\s+(\d{{1,2}})\s*,?\s+((?:19|20)\d\d)\b", re.I)
_DAY = re.compile(rf"\b({'|'.join(NAMES)})\s+(\d{{1,2}})\b", re.I)
_YEAR = re.compile(r"(?<![\d,.$])((?:19|20)\d\d)(?![\d,]|\.\d)")
_QUARTER = re.compile(r"\b(?:three|six|nine) months|quarter|\bQ[1-4]\b", re.I)
_SPAN = re.compile(
    r"\b(?:fiscal )?years?[\s-]ended|\btwelve months|\bfiscal(?: years?)?\b|\bfor the years?\b|\bFY ?\d", re.I
)
_POINT = re.compile(r"\bas (?:of|at)\b|\bbalance sheets?\b|\bat (?:year[- ]end|" + "|".join(NAMES) + r")", re.I)
_CHANGE = re.compile(
    r"chang|\bvs\b|versus|increase|decrease|growth|\bvariance\b|percent of|% of|compared|average|pro ?forma|\btotal\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Period:
    """`[start, end]` in ISO dates, `start` "" for a point in time; `label` as a person says it."""

    start: str
    end: str
    label: str


def spoken(day: date) -> str:
    """A date as a filing writes it: "September 28, 2024"."""
    return f"{NAMES[day.month - 1]} {day.day}, {day.year}"


def of_fact(fact: Fact, document: Document) -> Period | None:
    """The period of a tagged value if it is a fiscal year or a point in time; None for quarters and the rest."""
    try:
        end = date.fromisoformat(fact.period_end)
        start = date.fromisoformat(fact.period_start) if fact.period_start else None
    except ValueError:
        return None
    if start is None:
        return Period("", fact.period_end, spoken(end))
    year = fiscal_year(end, document)
    if not 350 <= (end - start).days <= 380 or year is None:
        return None
    return Period(fact.period_start, fact.period_end, f"fiscal year {year}")


def fiscal_year(end: date, document: Document) -> int | None:
    """The number that the registrant gives the fiscal year ending on this day; None where its years end elsewhere."""
    if not document.period_end or not document.fiscal_year:
        return None
    close = date.fromisoformat(document.period_end)
    # 52/53-week years end up to a week apart, and may cross New Year
    for year in (end.year - 1, end.year, end.year + 1):
        try:
            same_day = close.replace(year=year)
        except ValueError:  # 29 February
            same_day = close.replace(year=year, day=28)
        if abs(end - same_day) <= timedelta(days=8):
            return document.fiscal_year + year - close.year
    return None


def of_header(header: str, said: str, document: Document) -> Period | None:
    """The period that a column header means, helped by what is said around the table.

    None where the column is a change, a share or a quarter, or where it cannot be told whether the column is a year
    or a point in time: a wrong period is worse than none.
    """
    if _CHANGE.search(header) or _QUARTER.search(header):
        return None
    years = {m.group(1) for m in _YEAR.finditer(header)}
    if len(years) != 1:
        return None
    year = int(years.pop())
    full = _DATE.search(header)
    around = f"{said}\n{header}"
    span, point = bool(_SPAN.search(header)), bool(_POINT.search(header))
    if not span and not point:
        span, point = bool(_SPAN.search(said)), bool(_POINT.search(said))
        if full and not span:
            point = True
    if span == point or (_QUARTER.search(said) and not span):
        return None
    if point:
        day = full or _date_of(around, year)
        if day is None:
            return None
        when = _to_date(day) if isinstance(day, re.Match) else day
        return Period("", when.isoformat(), spoken(when)) if when else None
    if full:
        when = _to_date(full)
        named = fiscal_year(when, document) if when else None
        if when is None or named is None:
            return None
        return Period(_year_before(when).isoformat(), when.isoformat(), f"fiscal year {named}")
    if not document.period_end:
        return Period(f"{year}-01-01", f"{year}-12-31", f"fiscal year {year}")
    close = date.fromisoformat(document.period_end)
    shift = year - (document.fiscal_year or close.year)
    try:
        end = close.replace(year=close.year + shift)
    except ValueError:
        end = close.replace(year=close.year + shift, day=28)
    return Period(_year_before(end).isoformat(), end.isoformat(), f"fiscal year {year}")


def _to_date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[3]), month_number(match[1]), int(match[2]))
    except ValueError:
        return None


def _date_of(text: str, year: int) -> date | None:
    """The one day of the year that a text names ("June 30," above the years 2013 and 2012)."""
    days = {(m[1].lower(), int(m[2])) for m in _DAY.finditer(text)}
    if len(days) != 1:
        return None
    month, day = days.pop()
    try:
        return date(year, month_number(month), day)
    except ValueError:
        return None


def _year_before(end: date) -> date:
    try:
        return end.replace(year=end.year - 1) + timedelta(days=1)
    except ValueError:
        return end.replace(year=end.year - 1, day=28) + timedelta(days=1)
