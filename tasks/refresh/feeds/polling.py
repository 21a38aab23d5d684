"""Which companies have filed something new: every one is asked, or a feed that says so is read first."""

from collections.abc import Callable, Iterable

from rarefy.tasks.refresh.feeds import atom, submissions
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.filed import Company, Known, dealt, unfinished
from rarefy.tasks.refresh.feeds.sec import Sec

PAGES = 20  # of the feed of all latest filings, before every company is asked instead


def companies(named: Iterable[str], known: Known, sec: Sec) -> list[int]:
    """CIKs of companies that are named by CIK or ticker; FeedFault names a ticker that the SEC does not know."""
    wanted = [name.strip().upper().removeprefix("CIK") for name in named]
    if any(not name.isdecimal() and name not in known.tickers for name in wanted):
        told = submissions.tickers(sec.www("files/company_tickers.json").content)
        known.tickers = {name: told[name] for name in wanted if name in told}
    unknown = [name for name in wanted if not name.isdecimal() and name not in known.tickers]
    if unknown:
        raise FeedFault(f"the SEC knows no ticker {', '.join(unknown)}; name the company by its CIK")
    if not wanted:
        raise FeedFault('no companies: name them with --cik, or companies = ["320193", "NVDA"] in [feeds.edgar]')
    return sorted({int(name) if name.isdecimal() else known.tickers[name] for name in wanted})


def rung(named: list[int], config: EdgarConfig, known: Known, sec: Sec, say: Callable[[str], None]) -> Iterable[int]:
    """Those of the companies to be asked: whose filings are new, not known yet, or asked for anew."""
    must = {cik for cik in named if unfinished(known.companies.get(cik), config)}
    if config.bell == "company":
        for cik in named:
            known_here = known.companies.get(cik, Company())
            for form in _roots(config.forms) if cik not in must else ():
                content = sec.www(atom.company(cik, form)).content
                listed = atom.entries(content) if content else []
                if any(one.form in config.forms and one.accession not in dealt(known_here) for one in listed):
                    must.add(cik)
    elif config.bell == "current":
        ringing, first, whole = _current(config, known.rung, sec)
        if not whole:
            say("more was filed since the last look than the feed of latest filings holds: every company is asked")
        must |= set(named) if not whole else ringing & set(named)
        yield from (cik for cik in named if cik in must)
        known.rung = first or known.rung  # once all of them were asked
        return
    else:
        must = set(named)
    yield from (cik for cik in named if cik in must)


def _current(config: EdgarConfig, until: str, sec: Sec) -> tuple[set[int], str, bool]:
    """Companies with an entry newer than the one named, the newest entry, and whether that one was reached."""
    ringing, firsts, whole = set[int](), list[str](), True
    last = dict(one.split(" ", 1) for one in until.split(",") if " " in one)
    for form in _roots(config.forms):
        reached, first = not until, ""
        for start in range(0, PAGES * atom.COUNT, atom.COUNT):
            listed = atom.entries(sec.www(atom.current(form, start)).content)
            first = first or (listed[0].accession if listed else "")
            for one in listed:
                if one.accession == last.get(form):
                    reached = True
                    break
                if one.form in config.forms:
                    ringing.add(one.cik)
            if reached or len(listed) < atom.COUNT:
                break
        # the feed forgets after some days: who was not reached may have been missed
        whole = whole and reached
        firsts.append(f"{form} {first or last.get(form, '')}")
    return ringing, ",".join(firsts), whole


def _roots(forms: Iterable[str]) -> list[str]:
    """What to ask feeds for, which go by how a form begins: 10-K for 10-K and 10-K/A."""
    return sorted({form.removesuffix("/A") for form in forms})
