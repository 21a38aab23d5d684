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
_QUARTER = re.compile(r"\b(?:three|six|nine) months|\b(?!5[23]\b)\d\d?[ -]weeks|quarter|\bQ[1-4]\b", re.I)
_SPAN = re.compile(
    r"\b(?:fiscal )?years?[\s-]ended|\b(?:5[23]|fifty[ -](?:two|three))[\s-]weeks[\s-]ended|\btwelve months"
    r"|\bfiscal(?: years?)?\b|\bfor the years?\b|\bFY ?\d"
    r"|\bstatements? of (?:consolidated )?(?:income|operations|earnings|cash flows)\b|\bincome statements?\b",
    re.I,
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


def spell_date(day: date) -> str:
    """A date as a filing writes it: "September 28, 2024"."""
    return f"{NAMES[day.month - 1]} {day.day}, {day.year}"


def period_of_fact(fact: Fact, document: Document) -> Period | None:
    """The period of a tagged value if it is a fiscal year or a point in time; None for quarters and the rest."""
    try:
        end = date.fromisoformat(fact.period_end)
        start = date.fromisoformat(fact.period_start) if fact.period_start else None
    except ValueError:
        return None
    if start is None:
        return Period("", fact.period_end, spell_date(end))
    year = fiscal_year(end, document)
    if not 350 <= (end - start).days <= 380 or year is None:
        return None
    return Period(fact.period_start, fact.period_end, f"fiscal year {year}")


def year_of_report(document: Document) -> str:
    """ "fiscal year 2024", of what an annual report says without a time; "" for a report of months."""
    of_months = bool(document.period_end) and fiscal_year(date.fromisoformat(document.period_end), document) is None
    return f"fiscal year {document.fiscal_year}" if document.fiscal_year and not of_months else ""


def fiscal_year(end: date, document: Document) -> int | None:
    """The number that the registrant gives the fiscal year ending on this day; None where its years end elsewhere."""
    close = _close_of_year(document)
    if close is None or not document.fiscal_year:
        return None
    # 52/53-week years end up to a week apart, and may cross New Year
    for year in (end.year - 1, end.year, end.year + 1):
        if abs(end - _in_year(close, year)) <= timedelta(days=8):
            return document.fiscal_year + year - close.year
    return None


_WHOLE_YEAR = 350  # days, which a report of months does not span


def _close_of_year(document: Document) -> date | None:
    """The last day of the fiscal year that a document reports on; None where it does not say.

    A report of months ends within its year, and they begin with it; an annual one may be of a shorter first year.
    """
    if not document.period_end:
        return None
    end = date.fromisoformat(document.period_end)
    start = date.fromisoformat(document.period_start) if document.period_start else None
    if start and (end - start).days < _WHOLE_YEAR and not _OF_A_YEAR.match(document.form):
        before = start - timedelta(days=1)
        return _in_year(before, before.year + 1)
    return None if _OF_MONTHS.match(document.form) else end


_OF_A_YEAR = re.compile(r"10-?K|[24]0-?F", re.I)
_OF_MONTHS = re.compile(r"10-?Q|6-?K", re.I)


def period_of_header(header: str, caption: str, document: Document) -> Period | None:
    """The period that a column header means, given the words around the table.

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
    span, point = bool(_SPAN.search(header)), bool(_POINT.search(header))
    if not span and not point:
        span, point = bool(_SPAN.search(caption)), bool(_POINT.search(caption))
        if full and not span:
            point = True
    if span == point or (_QUARTER.search(caption) and not span):
        return None
    if point:
        when = _to_date(full) if full else _day_in_year(f"{caption}\n{header}", year)
        return Period("", when.isoformat(), spell_date(when)) if when else None
    if full:
        when = _to_date(full)
        named = fiscal_year(when, document) if when else None
        if when is None or named is None:
            return None
        return Period(_first_day(when).isoformat(), when.isoformat(), f"fiscal year {named}")
    if not document.period_end:
        return Period(f"{year}-01-01", f"{year}-12-31", f"fiscal year {year}")
    close = _close_of_year(document)
    if close is None:
        return None
    end = _in_year(close, close.year + year - (document.fiscal_year or close.year))
    return Period(_first_day(end).isoformat(), end.isoformat(), f"fiscal year {year}")


def _to_date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match[3]), month_number(match[1]), int(match[2]))
    except ValueError:
        return None


def _day_in_year(text: str, year: int) -> date | None:
    """The one day of the year that a text names ("June 30," above the years 2013 and 2012)."""
    days = {(m[1].lower(), int(m[2])) for m in _DAY.finditer(text)}
    if len(days) != 1:
        return None
    month, day = days.pop()
    try:
        return date(year, month_number(month), day)
    except ValueError:
        return None


def _in_year(day: date, year: int) -> date:
    """The same day of another year; 28 February for the 29th where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def _first_day(end: date) -> date:
    """The first day of the year that ends on this day."""
    return _in_year(end, end.year - 1) + timedelta(days=1)
