"""Who holds which office."""

from rarefy.data_contracts.rows import Chunk, Document
from rarefy.tasks.knowledge.extract.prose import claims
from rarefy.tasks.knowledge.extract.registrant import extract_officers

TABLE = """| Name | Age | Position |
|---|---|---|
| Jane Q. Doe | 61 | President and Chief Executive Officer |
| John Roe (1) | 50 | Chief Executive Officer – Beauty |
| Ann Poe | 44 | Senior Vice President |
| Max Moe | 58 | Former Chief Financial Officer |
| Sue Boe | 52 | General Counsel since 2021. Chief Compliance Officer from 2019 to 2021 |
| Kim Lee | 47 | Executive Vice President, Chief Financial Officer |"""


def test_an_officer_of_the_whole_registrant_is_a_fact_and_others_are_not():
    document = Document("d", "h", "s", "t", "text/html", TABLE, entity="Acme Corp.", fiscal_year=2024)
    chunk = Chunk("c", "d", 0, len(TABLE), "table", "", TABLE, 1)
    found = {(t.subject, t.relation, t.object) for t in extract_officers(chunk, document)}
    assert found == {
        ("Jane Q. Doe", "chief executive officer of", "Acme Corp."),
        ("Kim Lee", "chief financial officer of", "Acme Corp."),
    }


def test_a_table_of_names_without_offices_is_not_read():
    table = "| Name | Shares |\n|---|---|\n| Jane Q. Doe | Chief Executive Officer |"
    document = Document("d", "h", "s", "t", "text/html", table, entity="Acme Corp.")
    assert list(extract_officers(Chunk("c", "d", 0, len(table), "table", "", table, 1), document)) == []


def test_a_second_title_is_nobodys_name():
    told = "He has previously served as our Chief Operating Officer, Executive Vice President and director."
    assert list(claims(told, "Acme Corp.")) == []
    (claim,) = claims("We depend on our Chief Operating Officer, Jane Doe, and others.", "Acme Corp.")
    assert claim.subject == "Jane Doe"
