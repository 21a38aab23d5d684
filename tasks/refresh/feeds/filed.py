"""What is known of the filings of companies, between two looks at the SEC."""

from pydantic import BaseModel

from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.sec import Seen


class Company(BaseModel):
    """What is known of a company's filings."""

    asked: str = ""  # for which forms and since when
    complete: bool = False  # all that was listed then was dealt with
    seen: dict[str, Seen] = {}  # of each list, where all that it names was taken
    had: dict[str, tuple[str, str]] = {}  # accession → path, day of filing
    missing: dict[str, int] = {}  # accession → how often its document was not there
    waiting: dict[str, tuple[str, str, str, str]] = {}  # of those: form, filed, period, document
    refused: dict[str, str] = {}  # accession → why its document is not taken


class Known(BaseModel):
    """What is known of a corpus that follows the SEC."""

    format: int = 1
    companies: dict[int, Company] = {}
    tickers: dict[str, int] = {}
    rung: str = ""  # the newest entry of the feed of all latest filings that was seen


def asked(config: EdgarConfig) -> str:
    """What a company is asked for."""
    return f"{' '.join(sorted(config.forms))} since {config.since} up to {config.max_bytes} bytes"


def unfinished(company: Company | None, config: EdgarConfig) -> bool:
    """Must the company be asked, whatever the bell says?"""
    return company is None or company.asked != asked(config) or not company.complete or bool(company.waiting)


def dealt(company: Company) -> set[str]:
    """The filings that nothing is to be done about."""
    return {*company.had, *company.missing, *company.refused}
