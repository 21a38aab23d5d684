"""Names and relations are written one way, and of one type, however a model writes them."""

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.claims import Proof, is_specific, normalise_relation, resolve_entity
from rarefy.tasks.knowledge.extract.entity_types import entity_type
from rarefy.tasks.knowledge.extract.model import ModelExtractConfig


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("the Company", "Acme Inc."),
        ("We", "Acme Inc."),
        ("Acme", "Acme Inc."),
        ("our Drives segment", "Acme Inc. Drives segment"),
        ("the Company’s auditor", "Acme Inc. auditor"),
        (" “Apple  Card®” ", "Apple Card"),
        ("“Zen 3” core architecture", "“Zen 3” core architecture"),
        ("Acme Bank", "Acme Bank"),
        ("the company that it bought", "the company that it bought"),
        ("", ""),
    ],
)
def test_who_we_are_is_written_out(said, written):
    assert resolve_entity(said, "Acme Inc.") == written


def test_a_filer_may_be_called_by_its_initials():
    assert resolve_entity("AMD", "Advanced Micro Devices, Inc.") == "Advanced Micro Devices, Inc."
    assert resolve_entity("AMD", "Advanced Motor Company") == resolve_entity("AMD", "") == "AMD"


@pytest.mark.parametrize(
    ("text", "sentence", "named"),
    [
        ("The Manager shall be responsible for: a. Staff; b. Keeping the records.", "Keeping the records.", True),
        ("The Manager shall:\n\n- Lead.\n- Keep the records.", "Keep the records.", True),
        ("## Manager\n\n1. Keeps the records.", "Keeps the records.", True),
        ("## Manager\n\nRecords are kept.\n\n- Clerks keep the records.", "Clerks keep the records.", False),
        ("The Manager shall lead. Clerks keep the records.", "Clerks keep the records.", False),
    ],
)
def test_an_item_of_a_list_is_about_whom_its_lead_in_names(text: str, sentence: str, named: bool):
    start = text.index(sentence)
    row = Triplet(
        "t", "c", "d", start, start + len(sentence), "Manager", "keeps", "records", sentence, "model", "ROLE", "NAME"
    )
    assert (Proof(row, text, "").subject_objection() == "") is named


@pytest.mark.parametrize(
    ("subject", "named"), [("riscv64 runner", True), ("rust riscv64", True), ("riscv64 Azure", False), ("x86", False)]
)
def test_an_item_under_a_heading_is_about_it_whatever_common_words_stand_beside_its_name(subject: str, named: bool):
    text, sentence = "### riscv64\n\n- max concurrency: 4\n", "max concurrency: 4"
    start = text.index(sentence)
    row = Triplet("t", "c", "d", start, start + len(sentence), subject, "has", "4", sentence, "model", "NAME", "NUMBER")
    assert (Proof(row, text, "").subject_objection() == "") is named


def test_where_nobody_is_known_we_stays_we():
    assert resolve_entity("the Company", "") == "the Company"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("HAS_SEGMENT", "has segment"),
        ("hasSegment", "has Segment"),
        ("Was acquired by", "was acquired by"),
        ("is CEO of", "is CEO of"),
        ("acquired.", "acquired"),
        ("had\nnet sales of", "had net sales of"),
    ],
)
def test_a_relation_is_plain_words(said, written):
    assert normalise_relation(said).lower() == written.lower()


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("is President of", "is president of"),
        ("is First Vice President of", "is first vice president of"),
        ("is General Counsel of", "is general counsel of"),
        ("is CEO of", "is CEO of"),
        ("is sold by Walmart in", "is sold by Walmart in"),
    ],
)
def test_an_office_in_a_relation_is_no_name(said, written):
    assert normalise_relation(said) == written


@pytest.mark.parametrize("name", ["revenue", "Total net sales", "the increase", "other operating expenses", "Segment"])
def test_a_measure_or_kind_alone_is_not_specific(name):
    assert not is_specific(name)


@pytest.mark.parametrize("name", ["Apple R&D expense", "Greater China", "Term Deposit Facility", "dwelling unit"])
def test_a_named_or_described_thing_is_specific(name):
    assert is_specific(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Ernst & Young LLP", "ORG"),
        ("the Coca-Cola Company", "ORG"),
        ("Federal Reserve Bank of New York", "ORG"),
        ("Acme Inc.", "ORG"),
        ("Drives segment", "SEGMENT"),
        ("Securities Act of 1933", "LAW"),
        ("24 CFR part 5", "LAW"),
        ("§ 3280.405(e)", "LAW"),
        ("Ireland", "GPE"),
        ("Lathrop, California", "GPE"),
        ("Apple Card", "NAME"),
        ("headcount-related expenses", "NAME"),
    ],
)
def test_a_name_has_one_type(name, kind):
    assert entity_type(name, "Acme Inc.") == kind


def test_fewest_cannot_be_more_than_most():
    with pytest.raises(ValueError, match="fewest"):
        ModelExtractConfig(fewest=30)


@pytest.mark.parametrize(
    ("text", "sentence", "title", "proven"),
    [
        ("The Works Council (WC) shall:\n\n- Keep the records.", "Keep the records.", "", True),
        ("The Works Council meets.\n\nThe WC keeps the records.", "The WC keeps the records.", "", True),
        ("The WC keeps the records.", "The WC keeps the records.", "", False),
        ("- Keep the records.", "Keep the records.", "Works Council", True),
        ("This council keeps the records.", "This council keeps the records.", "Works Council", True),
        ("Clerks keep the records.", "Clerks keep the records.", "Works Council", False),
    ],
)
def test_who_does_it_may_stand_above_or_be_what_the_page_is_about(
    text: str, sentence: str, title: str, proven: bool
) -> None:
    start = text.index(sentence)
    row = Triplet(
        *("t", "c", "d", start, start + len(sentence), "records", "are kept by", "Works Council"),
        *(sentence, "model", "NAME", "ORG"),
    )
    proof = Proof(row, text, "", document=text, title=title)
    assert (bool(proof.find_short_answer()) or proof.object_objection() == "") is proven


def test_a_label_above_a_list_and_a_heading_with_all_its_words_name_the_subject() -> None:
    text = "## Client laptop is lost\n\nTell the manager, who disables the device.\n\nISO 9001\n- Next review: 2025"
    for subject, sentence in (
        ("lost client laptop", "Tell the manager, who disables the device."),
        ("ISO 9001 certificate", "Next review: 2025"),
    ):
        start = text.index(sentence)
        row = Triplet(
            *("t", "c", "d", start, start + len(sentence), subject, "has", "x", sentence, "model", "NAME", "NAME")
        )
        assert Proof(row, text, "").subject_objection() == ""
        assert Proof(row, text, "", near=False).subject_objection() == "subject_not_in_sentence"
