"""What names a document: its path, the filing that it is, or the id that its record brings."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from larkfield import report

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.metadata import filing_id

FILING = ReadConfig(identity="filing")
NAME = "0000999001:10-K:2023-12-31"
ROWS = [("Net sales", ("$ 4,060", "$ 3,950"))]
PAPER = "# A paper\n\nIt says that the pumps of Acme work well in the north.\n"


def names(corpus: Path, config: ReadConfig) -> dict[str, str]:
    """The documents' names by their sources."""
    rows = list(read_corpus(corpus, config))
    assert all(isinstance(row, Document) for row in rows), rows
    return {row.source: row.doc_id for row in rows}


def test_a_filing_that_was_moved_is_the_same_document_and_what_is_no_filing_keeps_its_path(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "larkfield.html").write_text(report("10-K", 2023, ROWS, "20240215"))
    (tmp_path / "new" / "moved.htm").write_text(report("10-K", 2023, ROWS, "20240215"))
    (tmp_path / "amended.html").write_text(report("10-K/A", 2023, ROWS, "20240620"))
    (tmp_path / "undated.html").write_text(report("10-K", 2023, ROWS))
    (tmp_path / "paper.md").write_text(PAPER)
    assert names(tmp_path, FILING) == {
        "larkfield.html": NAME,
        "new/moved.htm": NAME,
        "amended.html": "0000999001:10-K/A:2023-12-31",
        "undated.html": "undated.html",  # its cover names no CIK
        "paper.md": "paper.md",
    }
    assert all(name == source for source, name in names(tmp_path, ReadConfig()).items())


def test_a_record_keeps_the_id_that_it_brings_and_a_filing_in_json_is_one(tmp_path: Path) -> None:
    items = {f"item_{n}": f"Item {n}. It says that the pumps of Acme work well in the north." for n in ("1", "2", "3")}
    filing = {"cik": "999001", "company": "Larkfield Robotics Inc", "filing_type": "10-K", "filing_date": "2024-02-15",
              "period_of_report": "2023-12-31", **items}  # fmt: skip
    (tmp_path / "filing.json").write_text(json.dumps(filing))
    records = [{"id": "mine", "text": PAPER, "cik": "999001", "form": "10-K", "period_end": "2023-12-31"}]
    (tmp_path / "records.jsonl").write_text("\n".join(map(json.dumps, records)))
    assert names(tmp_path, FILING) == {"filing.json": NAME, "records.jsonl#1": "records.jsonl#mine"}


@pytest.mark.parametrize("lack", [{"form": ""}, {"period_end": ""}, {"metadata": {}}, {"metadata": {"cik": "unknown"}}])
def test_a_filing_that_does_not_say_all_three_keeps_its_path(lack: dict[str, object]) -> None:
    whole = Document("a.html", "", "a.html", "", "text/html", "", form="10-K", period_end="2023-12-31",
                     metadata={"cik": "999001"})  # fmt: skip
    assert filing_id(whole) == NAME
    assert filing_id(replace(whole, **lack)) == "a.html"
    assert filing_id(replace(whole, doc_id="my own")) == "my own"
