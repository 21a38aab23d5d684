"""The SEC's Atom feeds: what was filed of late, by one company or by all (browse-edgar, getcompany and getcurrent)."""

import re
from dataclasses import dataclass

from rarefy.tasks.refresh.feeds.faults import FeedFault

ATOM = "{http://www.w3.org/2005/Atom}"
ACCESSION = re.compile(r"accession-number=(\d{10}-\d{2}-\d{6})")
CIK = re.compile(r"/edgar/data/(\d{1,10})/")
TITLED = re.compile(r"\((\d{10})\)")  # 10-K - APPLE INC (0000320193) (Filer)
COUNT = 100  # entries of a feed, which is the most that the SEC gives


@dataclass(frozen=True, slots=True)
class Entry:
    """A filing as a feed names it: enough to know whether it is worth asking for."""

    accession: str
    form: str
    cik: int
    updated: str


def company(cik: int, form: str) -> str:
    """The address of one company's feed, below the SEC's site; forms by how they begin: 10-K brings 10-K/A too."""
    return (
        f"cgi-bin/browse-edgar?action=getcompany&CIK={cik:010d}&type={form}&dateb=&owner=include&start=0"
        f"&count={COUNT}&output=atom"
    )


def current(form: str, start: int = 0) -> str:
    """The address of the feed of what was filed last, by anybody; `start` entries are passed over."""
    return (
        f"cgi-bin/browse-edgar?action=getcurrent&type={form}&company=&dateb=&owner=include&start={start}"
        f"&count={COUNT}&output=atom"
    )


def entries(content: bytes) -> list[Entry]:
    """The entries of a feed, newest first, as the SEC orders them; FeedFault where it is no feed.

    An entry that names no filing (a notice) is passed over.
    """
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise FeedFault(f"no Atom feed ({error}; it begins {content[:60]!r})") from error
    if root.getroottree().docinfo.doctype:
        raise FeedFault("an Atom feed with a document type, which the SEC's have not: it is not read")
    if root.tag != f"{ATOM}feed":
        raise FeedFault(f"no Atom feed: it begins with <{root.tag}>")
    found = []
    for node in root.iter(f"{ATOM}entry"):
        accession = ACCESSION.search(_text(node, "id"))
        link = node.find(f"{ATOM}link")
        place = CIK.search((link.get("href") if link is not None else "") or "")
        # of filings with several companies each has an entry of its own; the title names the one meant
        named = TITLED.search(_text(node, "title"))
        category = node.find(f"{ATOM}category")
        if accession and (place or named) and category is not None:
            cik = int(named[1] if named else place[1])  # type: ignore[index]
            found.append(Entry(accession[1], category.get("term", ""), cik, _text(node, "updated")))
    return found


def _text(node: object, name: str) -> str:
    child = node.find(f"{ATOM}{name}")  # type: ignore[attr-defined]
    return "".join(child.itertext()) if child is not None else ""
