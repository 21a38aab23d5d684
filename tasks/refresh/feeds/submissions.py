"""A company's filings as the SEC lists them: data.sec.gov/submissions/CIK##########.json and its older pages."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rarefy.tasks.refresh.feeds.faults import Refused

ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
PAGE = re.compile(r"CIK\d{10}-submissions-\d{3,}\.json")
DOCUMENT = re.compile(r"[A-Za-z0-9_.%~-]+(?:/[A-Za-z0-9_.%~-]+)?")
COLUMNS = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument")
READ = (".htm", ".html", ".txt", ".pdf")  # endings of documents that are taken


@dataclass(frozen=True, slots=True)
class Filing:
    """One filing of one company."""

    cik: int
    accession: str
    form: str
    filed: str  # ISO day
    period: str  # ISO day; "" where the SEC says none, as for most before 2001
    document: str  # name of the main document; "" where there is but the whole submission as text

    @property
    def address(self) -> str:
        """Where its document lies, below the SEC's site."""
        if not self.document:
            return f"Archives/edgar/data/{self.cik}/{self.accession}.txt"
        return f"Archives/edgar/data/{self.cik}/{self.accession.replace('-', '')}/{self.document}"

    @property
    def path(self) -> str:
        """Where its document is put in the corpus: <cik>/<form>-<period>-<accession>.htm."""
        form = re.sub(r"[^A-Za-z0-9-]+", "_", self.form)
        ending = "." + self.document.rpartition(".")[2].lower() if self.document else ".txt"
        period = self.period or f"filed-{self.filed}"
        return f"{self.cik}/{form}-{period}-{self.accession}{'.htm' if ending == '.html' else ending}"


@dataclass(frozen=True, slots=True)
class Page:
    """An older page of a company's filings, and the last day that it holds."""

    name: str
    to: str


@dataclass(frozen=True)
class Listing:
    """The newest filings of a company, and where the older ones are."""

    cik: int
    name: str
    filings: tuple[Filing, ...]
    pages: tuple[Page, ...]


def listing(content: bytes, cik: int) -> Listing:
    """What a company's submissions say; Refused where they are not of the shape that the SEC documents."""
    told = _json(content, f"submissions of CIK {cik}")
    try:
        said = int(told["cik"])
        filings, files = told["filings"], told["filings"]["files"]
        pages = tuple(Page(_page(one["name"]), _day(one["filingTo"])) for one in files)
        name = str(told.get("name", ""))
        recent = rows(filings["recent"], cik)
    except (KeyError, TypeError, ValueError) as error:
        raise _misshapen(f"submissions of CIK {cik}", error) from error
    if said != cik:
        raise Refused(f"submissions of CIK {cik}: they are those of CIK {said}; ask again, or tell the SEC")
    return Listing(cik, name, recent, pages)


def page(content: bytes, cik: int, name: str) -> tuple[Filing, ...]:
    """The filings of an older page; Refused as above."""
    try:
        return rows(_json(content, name), cik)
    except (KeyError, TypeError, ValueError) as error:
        raise _misshapen(name, error) from error


def rows(columns: dict[str, list[Any]], cik: int) -> tuple[Filing, ...]:
    """The filings of a table that is told column by column."""
    cells = [columns[name] for name in COLUMNS]
    if len({len(cell) for cell in cells}) != 1:
        raise ValueError(f"columns of different length: {[len(cell) for cell in cells]}")
    found = []
    for accession, form, filed, period, document in zip(*cells, strict=True):
        if not ACCESSION.fullmatch(str(accession)):
            raise ValueError(f"accession number {accession!r}")
        found.append(
            Filing(cik, accession, str(form), _day(filed), _day(period) if period else "", _document(document or ""))
        )
    return tuple(found)


def wanted(filings: Iterable[Filing], forms: Iterable[str], since: str) -> list[Filing]:
    """Those of these forms, filed on this day or later, oldest first; each accession number once."""
    named = set(forms)
    found = {one.accession: one for one in filings if one.form in named and one.filed >= since}
    return sorted(found.values(), key=lambda one: (one.filed, one.accession))


def tickers(content: bytes) -> dict[str, int]:
    """Ticker → CIK, of https://www.sec.gov/files/company_tickers.json."""
    told = _json(content, "company_tickers.json")
    try:
        return {str(one["ticker"]).upper(): int(one["cik_str"]) for one in told.values()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _misshapen("company_tickers.json", error) from error


def _json(content: bytes, what: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{what}: no JSON ({content[:60]!r}): is that the SEC's address?") from error


def _misshapen(what: str, error: Exception) -> Refused:
    return Refused(f"{what}: not the shape that the SEC documents ({type(error).__name__}: {error})")


def _day(value: Any) -> str:
    if not DAY.fullmatch(str(value)):
        raise ValueError(f"day {value!r}")
    return str(value)


def _page(value: Any) -> str:
    if not PAGE.fullmatch(str(value)):
        raise ValueError(f"page {value!r}")
    return str(value)


def _document(value: Any) -> str:
    """A document's name as the SEC writes it: a file, at most one folder down, and no way out of it."""
    name = str(value)
    if name and (not DOCUMENT.fullmatch(name) or name.startswith((".", "/")) or ".." in name or "/." in name):
        raise ValueError(f"document {name!r}")
    return name
