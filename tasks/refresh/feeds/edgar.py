"""Filings of companies, as they are filed with the SEC, into a corpus: each once, whole, whatever breaks off."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from rarefy.tasks.atomic_write import open_atomic
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.faults import FeedFault, Refused
from rarefy.tasks.refresh.feeds.feed_memory import load_memory, save_memory, short_hash
from rarefy.tasks.refresh.feeds.sec_client import (
    READABLE,
    Filing,
    SecClient,
    Submissions,
    Validators,
    parse_page,
    parse_submissions,
    parse_tickers,
    select_filings,
)
from rarefy.tasks.store.tables import Store

SAVE_EVERY = 10  # documents; a crash costs little, since what lies in the corpus is known anyway
MAX_TRIES = 5  # polls after which a document that is not there is given up


class Company(BaseModel):
    """What is remembered of a company's filings."""

    asked: str = ""  # for which forms and since when
    seen: dict[str, Validators] = {}  # of each list, where all that it names was taken
    had: dict[str, tuple[str, str]] = {}  # accession → path, day of filing
    missing: dict[str, int] = {}  # accession → how often its document was not there
    waiting: dict[str, tuple[str, str, str, str]] = {}  # of those: form, filed, period, document
    refused: dict[str, str] = {}  # accession → why its document is not taken


class FilingMemory(BaseModel):
    """What is remembered of a corpus that follows the SEC."""

    format: int = 1
    companies: dict[int, Company] = {}
    tickers: dict[str, int] = {}


def describe_scope(config: EdgarConfig) -> str:
    """The forms, first day and size limit that a company's filings were taken by; another scope takes them anew."""
    return f"{' '.join(sorted(config.forms))} since {config.since} up to {config.max_bytes} bytes"


def settled_filings(company: Company) -> set[str]:
    """Accession numbers of the filings that were taken, are missing or were refused."""
    return {*company.had, *company.missing, *company.refused}


def resolve_companies(named: Iterable[str], known: FilingMemory, sec: SecClient) -> list[int]:
    """CIKs of companies that are named by CIK or ticker; FeedFault names a ticker that the SEC does not know."""
    wanted = [name.strip().upper().removeprefix("CIK") for name in named]
    if any(not name.isdecimal() and name not in known.tickers for name in wanted):
        listed = parse_tickers(sec.www("files/company_tickers.json").content)
        known.tickers = {name: listed[name] for name in wanted if name in listed}
    unknown = [name for name in wanted if not name.isdecimal() and name not in known.tickers]
    if unknown:
        raise FeedFault(f"the SEC knows no ticker {', '.join(unknown)}; name the company by its CIK")
    if not wanted:
        raise FeedFault('no companies: name them with --cik, or companies = ["320193", "NVDA"] in [feeds.edgar]')
    return sorted({int(name) if name.isdecimal() else known.tickers[name] for name in wanted})


@dataclass
class FeedResult:
    """The result of one poll of the SEC."""

    added: list[str] = field(default_factory=list)  # paths in the corpus
    missing: list[str] = field(default_factory=list)  # paths whose document is not there
    refused: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # companies that the SEC does not know, or of whom it says nonsense
    asked: int = 0  # requests

    def told(self) -> str:
        """In words."""
        parts = [f"{len(self.added):,} new filings"] + [
            f"{len(paths):,} {what} ({', '.join(paths[:3])}{', …' if len(paths) > 3 else ''})"
            for what, paths in (
                ("whose document is not there", self.missing),
                ("not taken", self.refused),
                ("no longer listed", self.withdrawn),
            )
            if paths
        ]
        return "; ".join([*parts, f"{self.asked:,} requests"])


@dataclass(frozen=True)
class _Poll:
    """One poll of the SEC: where documents go, the client, the callbacks, and what came of it so far."""

    into: Path
    config: EdgarConfig
    sec: SecClient
    say: Callable[[str], None]
    came: Callable[[str], None]
    keep: Callable[[], None]
    result: FeedResult = field(default_factory=FeedResult)


def follow_filings(
    store: Store,
    into: Path,
    config: EdgarConfig,
    sec: SecClient,
    say: Callable[[str], None] = lambda line: None,
    came: Callable[[str], None] = lambda path: None,
) -> FeedResult:
    """Take what the companies of the config have filed; what was taken before is neither asked for nor written again.

    `came` is told of every document that came or went, before it counts as known: what a crash comes between is told
    twice, and never not. Raises FeedFault where the SEC does not answer; what came until then is there, and known.
    """
    name = f"edgar-{short_hash(str(into.resolve()))}"
    known, damage = load_memory(store, name, FilingMemory)
    if damage:
        say(damage)
    poll = _Poll(into, config, sec, say, came, lambda: save_memory(store, name, known))
    try:
        for cik in resolve_companies(config.companies, known, sec):
            try:
                _read_company(cik, known.companies.setdefault(cik, Company()), poll)
            except Refused as fault:  # this company's own: the others are asked all the same
                poll.result.faults.append(str(fault))
                say(str(fault))
    finally:
        poll.result.asked = sec.asked
        poll.keep()
    return poll.result


def _read_company(cik: int, company: Company, poll: _Poll) -> None:
    """Take the filings of one company that its submissions list and that are not settled yet."""
    config, sec = poll.config, poll.sec
    if company.asked != describe_scope(config):
        company.asked, company.seen, company.refused = describe_scope(config), {}, {}
    for accession, (form, filed, period, document) in sorted(company.waiting.items()):
        _take_filing(Filing(cik, accession, form, filed, period, document), company, poll)
    main = f"submissions/CIK{cik:010d}.json"
    reply = sec.data(main, company.seen.get(main))
    if reply.status == 404:
        raise Refused(f"the SEC knows no company with CIK {cik}; look it up by its ticker")
    if reply.status == 304:
        return
    listing = parse_submissions(reply.content, cik)
    lists = [(main, listing.filings, reply.seen)]
    for page in listing.pages:
        name = f"submissions/{page.name}"
        if page.to >= config.since:
            older = sec.data(name, company.seen.get(name))
            if older.status == 404:
                raise Refused(f"{name}: the SEC names this page and has it not; run again later")
            if older.status == 200:
                lists.append((name, parse_page(older.content, cik, page.name), older.seen))
    # the oldest list first, so that filings come in the order in which they were filed
    for name, filings, seen in reversed(lists):
        for count, filing in enumerate(select_filings(filings, config.forms, config.since), 1):
            if filing.accession not in settled_filings(company):
                _take_filing(filing, company, poll)
                if count % SAVE_EVERY == 0:
                    poll.keep()
        if name == main:  # the last
            _report_withdrawn(company, listing, poll)
        company.seen[name] = seen  # all that it names was taken: only now is there nothing to ask of it
        poll.keep()


def _take_filing(filing: Filing, company: Company, poll: _Poll) -> None:
    """Take one filing's document, unless it lies there: then a crash came between it and the memory of it."""
    place, path = poll.into / filing.path, filing.path
    try:
        if not path.endswith(READABLE):
            raise Refused(f"its main document {filing.document} is nothing that is read; left out")
        if not place.is_file():
            with open_atomic(place) as file:
                if not poll.sec.document(filing.address, file):
                    file.drop()
    except Refused as fault:
        company.refused[filing.accession] = str(fault)
        poll.result.refused.append(path)
        poll.say(f"{path}: {fault}")
        return
    if not place.is_file():
        tries = company.missing[filing.accession] = company.missing.get(filing.accession, 0) + 1
        company.waiting[filing.accession] = (filing.form, filing.filed, filing.period, filing.document)
        if tries >= MAX_TRIES:
            del company.waiting[filing.accession]
        poll.result.missing.append(path)
        then = "looked for again next time" if tries < MAX_TRIES else "given up"
        poll.say(f"{path}: listed, and not there (404, {tries} times); {then}")
        return
    poll.result.added.append(path)
    poll.say(f"{path}: {filing.form} of {filing.filed}")
    poll.came(path)
    company.had[filing.accession] = (path, filing.filed)
    company.missing.pop(filing.accession, None)
    company.waiting.pop(filing.accession, None)


def _report_withdrawn(company: Company, listing: Submissions, poll: _Poll) -> None:
    """Tell of filings that were taken, and that the newest list no longer names though it reaches so far back."""
    if not listing.filings:
        return
    oldest = min(filing.filed for filing in listing.filings)
    listed = {filing.accession for filing in listing.filings}
    remove = poll.config.withdrawn == "remove"
    for accession, (path, filed) in sorted(company.had.items()):
        # of the first day itself, some may stand on the older page
        if filed > oldest and accession not in listed:
            poll.result.withdrawn.append(path)
            if remove:
                (poll.into / path).unlink(missing_ok=True)
                poll.result.removed.append(path)
                poll.came(path)
            del company.had[accession]
            poll.say(f"{path}: the SEC lists it no longer; {'removed' if remove else 'kept'}")
