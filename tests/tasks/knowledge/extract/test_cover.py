"""Facts from the cover page."""

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Fact
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.entity_types import canonical_exchange, canonical_state

COVER = """Acme Corp.

(Exact name of registrant as specified in its charter)

Delaware

1 Main Street

Springfield, CA 90001

| Title of each class | Trading symbol | Name of exchange |
|---|---|---|
| Common Stock, $0.01 par value | ACM | The Nasdaq Stock Market LLC |
| 1.375% Notes due 2029 | ACM29 | New York Stock Exchange LLC |

Audited by Ernst & Young LLP"""

TAGS = {
    "Delaware": "dei:EntityIncorporationStateCountryCode",
    "1 Main Street": "dei:EntityAddressAddressLine1",
    "Springfield": "dei:EntityAddressCityOrTown",
    "CA": "dei:EntityAddressStateOrProvince",
    "Common Stock, $0.01 par value": "dei:Security12bTitle",
    "ACM": "dei:TradingSymbol",
    "The Nasdaq Stock Market LLC": "dei:SecurityExchangeName",
    "1.375% Notes due 2029": "dei:Security12bTitle",
    "New York Stock Exchange LLC": "dei:SecurityExchangeName",
    "Ernst & Young LLP": "dei:AuditorName",
}


def facts():
    made = [Fact(COVER.index(words), COVER.index(words) + len(words), tag, words) for words, tag in TAGS.items()]
    return tuple(made)


def found(document):
    chunk = Chunk("c", "d", 0, len(COVER), "text", "", COVER, 1)
    config = ExtractConfig(methods=("cover",))
    return {(t.subject, t.relation, t.object): t for t in extract([chunk], config, documents={"d": document})}


def test_a_tagged_cover_says_where_what_and_by_whom():
    document = Document("d", "h", "s", "t", "text/html", COVER, entity="Acme Corp.", form="10-K", facts=facts())
    said = found(document)
    assert set(said) == {
        ("Acme Corp.", "is incorporated in", "Delaware"),
        ("Acme Corp.", "has principal executive offices at", "1 Main Street"),
        ("Acme Corp.", "is headquartered in", "Springfield, California"),
        ("Acme Corp.", "is based in", "California"),
        ("Acme Corp.", "is listed on", "Nasdaq"),
        ("Acme Corp.", "is audited by", "Ernst & Young LLP"),
        ("Acme Corp.", "trades under symbol", "ACM"),
        ("1.375% Notes due 2029", "are issued by", "Acme Corp."),
    }
    for triplet in said.values():
        assert COVER[triplet.start : triplet.end] == triplet.source_sentence
        assert triplet.answer in triplet.source_sentence
        assert not triplet.rejected_because


def test_a_stock_that_is_listed_twice_is_listed_on_both():
    twice = COVER.replace("1.375% Notes due 2029 | ACM29", "Common Stock, no par value | ACM")
    tagged = tuple(
        Fact(twice.index(words), twice.index(words) + len(words), f"dei:{tag}", words)
        for words, tag in (
            ("Common Stock, $0.01 par value", "Security12bTitle"), ("Common Stock, no par value", "Security12bTitle"),
            ("The Nasdaq Stock Market LLC", "SecurityExchangeName"),
            ("New York Stock Exchange LLC", "SecurityExchangeName"),
        )
    )  # fmt: skip
    document = Document("d", "h", "s", "t", "text/html", twice, entity="Acme Corp.", form="10-K", facts=tagged)
    chunk = Chunk("c", "d", 0, len(twice), "text", "", twice, 1)
    said = extract([chunk], ExtractConfig(methods=("cover",)), documents={"d": document})
    listed = {t.object for t in said if t.relation == "is listed on"}
    assert listed == {"Nasdaq", "New York Stock Exchange"}


def test_an_untagged_cover_is_read_by_its_metadata():
    metadata = {
        "state_of_incorporation": "Delaware",
        "city": "Springfield",
        "state": "CA",
        "auditor": "Ernst & Young LLP",
    }
    document = Document("d", "h", "s", "t", "text/html", COVER, entity="Acme Corp.", form="10-K", metadata=metadata)
    said = found(document)
    assert ("Acme Corp.", "is headquartered in", "Springfield, California") in said
    assert ("Acme Corp.", "is audited by", "Ernst & Young LLP") in said


def test_an_auditor_is_taken_from_where_it_signs():
    text = "Acme Corp.\n\nMs. Roe worked at Ernst & Young LLP until 1999.\n\n/s/ Ernst & Young LLP\n\nSpringfield"
    document = Document("d", "h", "s", "t", "text/html", text, entity="Acme Corp.", form="10-K",
                        metadata={"auditor": "Ernst & Young LLP"})  # fmt: skip
    chunk = Chunk("c", "d", 0, len(text), "text", "", text, 1)
    (said,) = extract([chunk], ExtractConfig(methods=("cover",)), documents={"d": document})
    assert said.relation == "is audited by" and said.source_sentence == "/s/ Ernst & Young LLP"


def test_the_address_of_the_commission_is_not_the_registrants():
    text = "Washington, D.C. 20549\n\nAcme Corp.\n\nSeattle, Washington 98109"
    metadata = {"city": "Seattle", "state": "Washington", "state_of_incorporation": "Washington"}
    document = Document("d", "h", "s", "t", "text/html", text, entity="Acme Corp.", form="10-K", metadata=metadata)
    chunk = Chunk("c", "d", 0, len(text), "text", "", text, 1)
    for triplet in extract([chunk], ExtractConfig(methods=("cover",)), documents={"d": document}):
        assert triplet.source_sentence == "Seattle, Washington 98109"


def test_a_document_that_is_no_filing_has_no_cover():
    assert found(Document("d", "h", "s", "t", "text/plain", COVER, entity="Acme Corp.")) == {}


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        ("CA", "California"),
        ("NEW JERSEY", "New Jersey"),
        ("State of Ohio", "Ohio"),
        ("Ireland", "Ireland"),
        ("IRELAND", "Ireland"),
    ],
)
def test_a_state_has_one_name(shown, name):
    assert canonical_state(shown) == name


def test_an_exchange_has_one_name():
    assert (
        canonical_exchange("The NASDAQ Global Select Market")
        == canonical_exchange("Nasdaq Stock Market LLC")
        == "Nasdaq"
    )
    assert (
        canonical_exchange("NYSE") == canonical_exchange("New York Stock Exchange, Inc.") == "New York Stock Exchange"
    )
    assert canonical_exchange("NYSE American") == "NYSE American"


@pytest.mark.parametrize("scale", ["thousand", "million", "billion", "trillion"])
def test_a_public_float_is_told_with_its_scale(scale):
    text = f"The aggregate market value held by non-affiliates was $1.1 {scale}."
    start = text.index("1.1")
    held = Fact(start, start + 3, "dei:EntityPublicFloat", "1100", "USD", period_end="2023-07-28")
    document = Document("d", "h", "s", "t", "text/html", text, entity="Acme Corp.", form="10-K", facts=(held,))
    chunk = Chunk("c", "d", 0, len(text), "text", "", text, 1)
    (row,) = extract([chunk], ExtractConfig(methods=("cover",)), documents={"d": document})
    assert row.answer == f"$1.1 {scale}" and row.rejected_because == ""


SEVERAL = "several_headquarters"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Our corporate co-headquarters are located in Springfield, California and Chicago, Illinois.", SEVERAL),
        ("We own our corporate headquarters.", ""),
        ("We own and lease our corporate headquarters in the Puget Sound region.", ""),
        ("We lease. Our corporate headquarters in Washington’s Puget Sound region and Arlington, Virginia.", SEVERAL),
        ("Our headquarters are located in Springfield, California, and we have operations in Austin, Texas.", ""),
        ("Our Fun business and Toys headquarters are located in New York, New York and Reno, Nevada.", ""),
        (
            "As a remote-first company, we no longer maintain a corporate headquarters office in the U.S.",
            "no_headquarters",
        ),
        ("Employees do not have a desk at headquarters.", ""),
    ],
)
def test_a_company_with_two_headquarters_or_without_one_has_none_that_is_the_one(said: str, why: str):
    text = f"{COVER}\n\n{said}"
    document = Document("d", "h", "d.html", "", "text/html", text, facts=facts(), entity="Acme Corp.", form="10-K")
    for relation, place in (("is headquartered in", "Springfield, California"), ("is based in", "California")):
        assert found(document)["Acme Corp.", relation, place].rejected_because == why


def test_a_postal_district_is_no_part_of_a_city():
    text, shown = COVER.replace("Springfield, CA 90001", "Dublin 2, Ireland"), "Dublin 2"
    city = Fact(text.index(shown), text.index(shown) + len(shown), "dei:EntityAddressCityOrTown", shown)
    document = Document("d", "h", "d.html", "", "text/html", text, facts=(city,), entity="Acme Corp.", form="10-K")
    chunk = Chunk("c", "d", 0, len(text), "text", "", text, 1)
    made = extract([chunk], ExtractConfig(methods=("cover",)), documents={"d": document})
    assert ("is headquartered in", "Dublin", "Dublin 2") in {(t.relation, t.object, t.answer) for t in made}
