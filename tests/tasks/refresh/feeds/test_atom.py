"""The SEC's Atom feeds."""

from pathlib import Path

import pytest

from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.sec_client import FeedEntry, company_feed, latest_feed, parse_feed

SHAPES = Path(__file__).parent / "edgar"


def test_the_feed_of_all_latest_filings_names_company_form_and_accession():
    found = parse_feed((SHAPES / "getcurrent-10-K.atom").read_bytes())
    assert [(one.form, one.cik) for one in found] == [
        ("10-K/A", 1234567),
        ("10-K", 320193),
        ("10-KT", 7654321),
        ("10-K", 1490906),
    ]
    assert found[1] == FeedEntry("0000320193-25-000079", "10-K", 320193, "2025-10-31T17:30:45-04:00")


def test_a_company_s_own_feed_names_them_too():
    found = parse_feed((SHAPES / "getcompany-320193-10-K.atom").read_bytes())
    assert [(one.accession, one.form) for one in found] == [
        ("0000320193-25-000079", "10-K"),
        ("0000320193-24-000123", "10-K"),
        ("0001193125-10-012091", "10-K/A"),
    ]
    assert {one.cik for one in found} == {320193}


def test_a_feed_without_entries_is_an_empty_one():
    assert parse_feed(b'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>') == []


def test_of_a_filing_with_two_companies_each_entry_means_its_own():
    """The SEC keeps such a filing in one company's folder, whatever the entry."""
    content = (SHAPES / "getcurrent-10-K.atom").read_bytes()
    content = content.replace(b"Apple Inc. (0000320193)", b"Apple Sub (0000000777)")
    assert parse_feed(content)[1].cik == 777


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html><body>no feed</body></html>",
        b"{}",
        b'<!DOCTYPE feed [<!ENTITY a "b">]><feed xmlns="http://www.w3.org/2005/Atom">&a;</feed>',
        b'<!DOCTYPE feed SYSTEM "file:///etc/passwd"><feed xmlns="http://www.w3.org/2005/Atom"/>',
    ],
)
def test_what_is_no_feed_or_brings_entities_is_refused(content):
    with pytest.raises(FeedFault, match=r"no Atom feed|document type"):
        parse_feed(content)


def test_feeds_are_asked_for_as_the_sec_documents_it():
    assert company_feed(320193, "10-K").startswith("cgi-bin/browse-edgar?action=getcompany&CIK=0000320193&type=10-K&")
    assert "action=getcurrent&type=10-K&" in latest_feed("10-K", 100) and "start=100" in latest_feed("10-K", 100)
    assert company_feed(1, "10-K").endswith("output=atom") and latest_feed("10-K").endswith("output=atom")
