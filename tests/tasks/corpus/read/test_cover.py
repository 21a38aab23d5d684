"""A filing's cover says who files it and what period it covers, tagged or not."""

from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Block
from rarefy.tasks.corpus.read import cover
from rarefy.tasks.corpus.read.cover import describe_filing
from rarefy.tasks.corpus.read.html import read_html

COVER = """FORM 10-K

For the fiscal year ended December 31, 2007

Commission file number 1-1234

ACME ANVIL CORP.

(Exact name of registrant as specified in its charter)

Delaware

(State or other jurisdiction of incorporation or organization)

36-1234567

(I.R.S. Employer Identification No.)

100 North Riverside Plaza, Chicago, Illinois

(Address of principal executive offices)

(312) 555-1000

Securities registered pursuant to Section 12(b) of the Act: Common Stock New York Stock Exchange, Inc.

The aggregate market value of common stock held by non-affiliates was $1.2 billion.

At February 1, 2008 there were 45,123,456 shares outstanding.

Acme Anvil Corporation makes anvils. Acme Anvil Corporation was founded in 1900."""


def test_a_cover_without_tags_is_read_by_its_words() -> None:
    about = describe_filing(COVER, _blocks(COVER), (), "")
    assert (about.entity, about.form) == ("Acme Anvil Corporation", "10-K")
    assert (about.fiscal_year, about.period_start, about.period_end) == (2007, "2007-01-01", "2007-12-31")
    assert about.metadata == {
        "file_number": "1-1234",
        "ein": "36-1234567",
        "state_of_incorporation": "Delaware",
        "address": "100 North Riverside Plaza",
        "city": "Chicago",
        "state": "Illinois",
        "phone": "(312) 555-1000",
        "exchange": "New York Stock Exchange",
        "public_float": "1200000000",
        "shares_outstanding": "45123456",
    }


def test_what_is_no_filing_has_no_form_and_no_entity() -> None:
    about = describe_filing("Minutes of a meeting of anvil makers in 2007.", (), (), "")
    assert (about.form, about.entity, about.metadata) == ("", "", {})


@pytest.mark.parametrize(
    ("name", "identity", "entity", "year", "start", "end"),
    [
        ("nvda-fy2024", "0001045810:10-K:2024-01-28", "NVIDIA Corporation", 2024, "2023-01-30", "2024-01-28"),
        ("aapl-fy2025", "0000320193:10-K:2025-09-27", "Apple Inc.", 2025, "2024-09-29", "2025-09-27"),
        ("wmt-fy2025", "0000104169:10-K:2025-01-31", "Walmart Inc.", 2025, "2024-02-01", "2025-01-31"),
        ("jnj-fy2024", "0000200406:10-K:2024-12-29", "Johnson & Johnson", 2024, "2024-01-01", "2024-12-29"),
        ("msft-fy2013", "msft-fy2013.html", "Microsoft Corporation", 2013, "2012-07-01", "2013-06-30"),
    ],
)
def test_real_filings_say_who_and_when(
    shared: Path, name: str, identity: str, entity: str, year: int, start: str, end: str
) -> None:
    path = shared / "corpora" / "finance" / "10k-html" / f"{name}.html"
    document = read_html(path.read_text(encoding="utf-8", errors="replace"), path.name)
    assert (document.doc_id, document.entity, document.form) == (identity, entity, "10-K")
    assert (document.fiscal_year, document.period_start, document.period_end) == (year, start, end)
    assert {"state_of_incorporation", "exchange", "auditor", "city", "state", "phone"} <= document.metadata.keys()


def test_a_year_that_ends_early_is_named_as_the_filing_names_it() -> None:
    text = COVER.replace("December 31, 2007", "February 2, 2008") + " In fiscal 2007 sales rose; fiscal 2007 was good."
    assert describe_filing(text, _blocks(text), (), "").fiscal_year == 2007


@pytest.mark.parametrize(
    ("words", "day"),
    [("June 30, 2013", "2013-06-30"), ("2013-06-30", "2013-06-30"), ("June 31, 2013", ""), ("soon", "")],
)
def test_dates_are_read_or_left(words: str, day: str) -> None:
    assert cover.parse_cover_date(words) == day


@pytest.mark.parametrize(
    ("end", "start"),
    [("2013-06-30", "2012-07-01"), ("2007-12-31", "2007-01-01"), ("2024-02-29", "2023-03-01"), ("2024-01-28", "")],
)
def test_a_year_of_months_begins_the_day_after_the_last(end: str, start: str) -> None:
    assert cover.period_start(end) == start


def _blocks(text: str) -> tuple[Block, ...]:
    blocks, at = [], 0
    for part in text.split("\n\n"):
        blocks.append(Block("text", at, at + len(part)))
        at += len(part) + 2
    return tuple(blocks)


@pytest.mark.parametrize(
    "lines, street, city",
    [
        (["235 East 42nd Street, New York, New York 10017"], "235 East 42nd Street", "New York"),
        (["Delaware 13-5315170", "929 Long Bridge Drive Arlington, VA 22202"], "929 Long Bridge Drive", "Arlington"),
        (["200 Vesey Street New York, New York 10285"], "200 Vesey Street", "New York"),
        (
            ["14201 Wireless Way, Suite 300", "Oklahoma City, OK 73134"],
            "14201 Wireless Way, Suite 300",
            "Oklahoma City",
        ),
        (["| 7601 Penn Avenue South |  | 55423 |", "| Richfield, Minnesota |  | (Zip Code) |"], "", "Richfield"),
        (["600 N. Dearborn Rose Hill Chicago, Illinois 60606"], "", ""),  # where the street ends nobody can tell
        (["410 Terry Avenue North Seattle, Washington 98109"], "", ""),
        (["1095 Avenue of the Americas New York, New York 10036"], "", ""),
        (["2701 Olympic Boulevard Building B Santa Monica, CA 90404"], "", ""),
        (["3001 Green Bay Road, North Chicago, Illinois 60064"], "3001 Green Bay Road", "North Chicago"),
        (["Principal executive offices: 3M Center, St. Paul, Minnesota 55144"], "3M Center", "St. Paul"),
    ],
)
def test_a_city_begins_where_the_street_ends(lines, street, city):
    found = cover._address("\n".join([*lines, "(Address of principal executive offices) (Zip Code)"]))
    assert (found.get("address", ""), found.get("city", "")) == (street, city)


def test_an_address_between_the_name_and_its_caption_is_not_the_registrant():
    lines = [
        "FORM 10-K",
        "ACME CORP",
        "2788 San Tomas Expressway, Santa Clara, California 95051",
        "(Exact name of registrant as specified in its charter)",
    ]
    assert cover._registrant(lines) == "ACME CORP"


@pytest.mark.parametrize(
    "cover_page, state",
    [
        ("State of Incorporation: Delaware\n\nI.R.S. Employer Identification No. 41-0417775", "Delaware"),
        (
            "## Delaware 77-0019522\n\n(State or other jurisdiction of (I.R.S. Employer incorporation or organization)",
            "Delaware",
        ),
        (
            "##### Delaware 54-1163725\n\n###### (State or other jurisdiction of incorporation or organization)",
            "Delaware",
        ),
        (
            "| California |  | 94-2404110 |\n| (State or other jurisdiction (I.R.S. Employer Identification No.) | |",
            "California",
        ),
        ("##### DE 71-0415188\n\n(State or other jurisdiction of (IRS Employer Identification No.)", "Delaware"),
        ("##### WASHINGTON 91-1144442\n\n##### (STATE OF INCORPORATION) (I.R.S. ID)", "Washington"),
        ("or other jurisdiction of incorporation: see Part I", None),
    ],
)
def test_the_state_stands_above_its_caption_or_behind_it(cover_page, state):
    assert cover.read_cover_page(f"FORM 10-K\n\n{cover_page}", ()).get("state_of_incorporation") == state


def test_a_caption_in_two_lines_is_not_the_registrant_who_is_then_named_in_the_text():
    front = (
        "FORM 10-K\n\nCommission File No. 1-10299\n\n(Exact name of registrant as specified in its charter)\n\n"
        "New York 13-3513936\n\n"
        "(State or other jurisdiction of (I.R.S. Employer Identification No.)\n\nincorporation or organization)\n\n"
        "For the fiscal year ended January 28, 2023"
    )
    text = f"{front}\n\nFoot Locker, Inc. and its subsidiaries are referred to as the “Company.”"
    assert "registrant" not in cover.read_cover_page(front, ())
    assert cover.describe_filing(text, (), (), "").entity == "Foot Locker, Inc."
