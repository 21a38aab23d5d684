"""Rules with a measure, taken from sentences of regulations."""

from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.deadlines import cite_section, parse_rule


@pytest.mark.parametrize(
    ("sentence", "answer", "kind", "value"),
    [
        ("The owner must retain copies of all completed applications for three years.", "three years", "DURATION", "3"),
        ("HUD will notify the applicant within 60 days of receipt of the written appeal.", "60 days", "DURATION", "60"),
        ("Motor loads shall not exceed 80 percent of the branch circuit rating.", "80 percent", "PERCENT", "80"),
        ("Each hallway must have a minimum width of 28 inches.", "28 inches", "NUMBER", "28"),
        ("Debtors shall have forty-five (45) days to respond.", "forty-five (45) days", "DURATION", "45"),
        ("The owner must reply within seventeen days.", "seventeen days", "DURATION", "17"),
        (
            "HUD must decide within one hundred and eighty days of receipt.",
            "one hundred and eighty days",
            "DURATION",
            "180",
        ),
        ("The fee must not exceed $1.5 million.", "$1.5 million", "MONEY", "1500000"),
    ],
)
def test_a_plain_rule_gives_its_measure_verbatim(sentence: str, answer: str, kind: str, value: str) -> None:
    found = parse_rule(sentence)
    assert found is not None
    assert (found.answer, found.kind, found.value) == (answer, kind, value)
    assert found.answer in sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "The owner must reply within 30 days unless HUD extends the period.",
        "The owner must reply within 30 days and the agency must decide within 60 days.",
        "They must reply within 30 days of receipt.",
        "The owner must submit such notice within 30 days.",
        "As described in paragraph (b), the owner must reply within 30 days.",
        "The owner must do the following within 30 days:",
        "You must reply within 30 days.",
        "No owner may charge more than 30 percent of income.",
        "Traps shall be not less than 1 inches in diameter.",
        "The owner must pay the rent owed.",
    ],
)
def test_exceptions_lists_several_measures_and_leaning_sentences_give_none(sentence: str) -> None:
    assert parse_rule(sentence) is None


def test_a_condition_and_the_rest_of_the_verb_phrase_are_kept_apart() -> None:
    found = parse_rule("(2) Upon receipt of the final application, HHS will make a determination within 15 days.")
    assert found is not None
    assert found.condition == "Upon receipt of the final application"
    assert (found.subject, found.modal, found.before, found.bound) == ("HHS", "will", "make a determination", "within")


def test_a_rule_is_cited_by_its_section() -> None:
    assert cite_section("24 CFR Part 581", "§ 581.8") == "24 CFR 581.8"
    assert cite_section("24 CFR Part 581", "") == "24 CFR Part 581"
    assert cite_section("Directive (EU) 2019/1023", "Article 12") == "Article 12 of Directive (EU) 2019/1023"


def _document(text: str, name: str = "24 CFR Part 581", domain: str = "policy") -> Document:
    return Document("a", "h", "a", name, "text/plain", text, entity=name, domain=domain)


def _rows(document: Document) -> list[tuple[str, str, str, str]]:
    config = ExtractConfig(methods=("deadlines",))
    rows = extract(chunk([document], ChunkConfig()), config, documents={"a": document})
    return [(row.subject, row.relation, row.answer, row.rejected_because) for row in rows]


def test_triplets_name_the_section_and_bare_things_are_rejected() -> None:
    text = (
        "§ 581.8 Notices.\n\n(a) GSA will send a response to HUD within 45 days.\n\n"
        "§ 581.9 Appeals.\n\nThe petition must be filed within 30 days.\n\n"
        "Distribution will occur within 180 days of the date of withdrawal.\n\n"
        "HUD shall, within 30 days of receipt, send a copy to Congress.\n\n"
        "(b) The owner must:\n\n(1) The owner will notify HUD within 20 days.\n"
    )
    assert _rows(_document(text)) == [
        ("GSA under 24 CFR 581.8", "will send within", "45 days", ""),
        ("petition under 24 CFR 581.9", "must be filed within", "30 days", "leans_on_context"),
        ("Distribution under 24 CFR 581.9", "will occur within", "180 days", "leans_on_context"),
        ("HUD under 24 CFR 581.9", "shall send within", "30 days", ""),
    ]


def test_documents_that_are_no_rules_are_left_alone() -> None:
    assert _rows(_document("The lender must notify Acme Corp. within 45 days.", "Acme Corp.", "finance")) == []


def test_real_parts_give_rules(shared: Path) -> None:
    text = (shared / "corpora/policy/ecfr-title24/title24_chV_part581.md").read_text()
    rows = [row for row in _rows(_document(text)) if not row[3]]
    assert len(rows) >= 5
    assert all(" under 24 CFR 581" in row[0] for row in rows)
