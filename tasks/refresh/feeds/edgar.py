"""Filings of companies, as they are filed, into a corpus: each once, whole, whatever breaks off."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rarefy.tasks.refresh.feeds import submissions
from rarefy.tasks.refresh.feeds.atomic_file import landing
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.faults import Refused
from rarefy.tasks.refresh.feeds.feed_memory import recall, remember, short
from rarefy.tasks.refresh.feeds.filed import Company, Known, asked, dealt
from rarefy.tasks.refresh.feeds.polling import companies, rung
from rarefy.tasks.refresh.feeds.sec import Sec
from rarefy.tasks.refresh.feeds.submissions import READ, Filing
from rarefy.tasks.store.tables import Store

OFTEN = 10  # documents after which the memory is kept, so that a crash costs little: what lies there is known anyway
MISSING = 5  # looks after which a document that is not there is given up


@dataclass
class Fed:
    """What one look at the SEC came to."""

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
class _Look:
    """One look at the SEC: where documents go, who is asked, and who is told of what."""

    into: Path
    config: EdgarConfig
    sec: Sec
    say: Callable[[str], None]
    came: Callable[[str], None]
    keep: Callable[[], None]
    fed: Fed = field(default_factory=Fed)


def follow(
    store: Store,
    into: Path,
    config: EdgarConfig,
    sec: Sec,
    say: Callable[[str], None] = lambda line: None,
    came: Callable[[str], None] = lambda path: None,
) -> Fed:
    """Take what the companies of the config have filed; what was taken before is neither asked for nor written again.

    `came` is told of every document that came or went, before it counts as known: what a crash comes between is told
    twice, and never not. Raises FeedFault where the SEC does not answer; what came until then is there, and known.
    """
    name = f"edgar-{short(str(into.resolve()))}"
    known, damage = recall(store, name, Known)
    if damage:
        say(damage)
    look = _Look(into, config, sec, say, came, lambda: remember(store, name, known))
    try:
        named = companies(config.companies, known, sec)
        for cik in rung(named, config, known, sec, say):
            try:
                _company(cik, known.companies.setdefault(cik, Company()), look)
            except Refused as fault:  # this company's own: the others are asked all the same
                look.fed.faults.append(str(fault))
                say(str(fault))
    finally:
        look.fed.asked = sec.asked
        look.keep()
    return look.fed


def _company(cik: int, company: Company, look: _Look) -> None:
    """Take what one company has filed."""
    config, sec = look.config, look.sec
    if company.asked != asked(config):
        company.asked, company.complete, company.seen, company.refused = asked(config), False, {}, {}
    for accession, (form, filed, period, document) in sorted(company.waiting.items()):
        _take(Filing(cik, accession, form, filed, period, document), company, look)
    main = f"submissions/CIK{cik:010d}.json"
    reply = sec.data(main, company.seen.get(main))
    if reply.status == 404:
        raise Refused(f"the SEC knows no company with CIK {cik}; look it up by its ticker")
    if reply.status == 304:
        return
    listing = submissions.listing(reply.content, cik)
    lists = [(main, listing.filings, reply.seen)]
    for page in listing.pages:
        name = f"submissions/{page.name}"
        if page.to >= config.since:
            older = sec.data(name, company.seen.get(name))
            if older.status == 404:
                raise Refused(f"{name}: the SEC names this page and has it not; run again later")
            if older.status == 200:
                lists.append((name, submissions.page(older.content, cik, page.name), older.seen))
    # the oldest list first, so that filings come in the order in which they were filed
    for name, filings, seen in reversed(lists):
        for count, filing in enumerate(submissions.wanted(filings, config.forms, config.since), 1):
            if filing.accession not in dealt(company):
                _take(filing, company, look)
                if count % OFTEN == 0:
                    look.keep()
        if name == main:  # the last
            _withdrawn(company, listing, look)
            company.complete = True
        company.seen[name] = seen  # all that it names was taken: only now is there nothing to ask of it
        look.keep()


def _take(filing: Filing, company: Company, look: _Look) -> None:
    """Take one filing's document, unless it lies there: then a crash came between it and the memory of it."""
    place, path = look.into / filing.path, filing.path
    try:
        if not path.endswith(READ):
            raise Refused(f"its main document {filing.document} is nothing that is read; left out")
        if not place.is_file():
            with landing(place) as file:
                if not look.sec.document(filing.address, file):
                    file.drop()
    except Refused as fault:
        company.refused[filing.accession] = str(fault)
        look.fed.refused.append(path)
        look.say(f"{path}: {fault}")
        return
    if not place.is_file():
        tries = company.missing[filing.accession] = company.missing.get(filing.accession, 0) + 1
        company.waiting[filing.accession] = (filing.form, filing.filed, filing.period, filing.document)
        if tries >= MISSING:
            del company.waiting[filing.accession]
        look.fed.missing.append(path)
        then = "looked for again next time" if tries < MISSING else "given up"
        look.say(f"{path}: listed, and not there (404, {tries} times); {then}")
        return
    look.fed.added.append(path)
    look.say(f"{path}: {filing.form} of {filing.filed}")
    look.came(path)
    company.had[filing.accession] = (path, filing.filed)
    company.missing.pop(filing.accession, None)
    company.waiting.pop(filing.accession, None)


def _withdrawn(company: Company, listing: submissions.Listing, look: _Look) -> None:
    """Tell of filings that were taken, and that the newest list no longer names though it reaches so far back."""
    if not listing.filings:
        return
    back = min(one.filed for one in listing.filings)
    there = {one.accession for one in listing.filings}
    remove = look.config.withdrawn == "remove"
    for accession, (path, filed) in sorted(company.had.items()):
        # of the first day itself, some may stand on the older page
        if filed > back and accession not in there:
            look.fed.withdrawn.append(path)
            if remove:
                (look.into / path).unlink(missing_ok=True)
                look.fed.removed.append(path)
                look.came(path)
            del company.had[accession]
            look.say(f"{path}: the SEC lists it no longer; {'removed' if remove else 'kept'}")
