"""One odd value costs neither its document nor the build: every document that leaves a reader keeps its contract."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Block, Document, Fact, Quarantined
from rarefy.data_contracts.suites.corpus import DOCUMENT
from rarefy.data_contracts.suites.rule import RowRule
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.metadata import date_facts, language_code, normalise_document
from rarefy.tasks.corpus.read.unreadable import Unreadable

WORDS = "The Company sells its products in many countries."
PLAIN = Document("a", "0" * 16, "a.txt", "A", "text/plain", WORDS, (Block("text", 0, len(WORDS)),))


def complaints(document: Document) -> list[str]:
    """What the contract says against it, told apart from how the reader itself asks."""
    found = []
    for rule in DOCUMENT.rules:
        if isinstance(rule, RowRule):
            values = []
            for column in rule.columns:
                field, _, inner = column.partition(".")
                value: Any = getattr(document, field)
                values.append([getattr(part, inner) for part in value] if inner else value)
            found += [said] if (said := rule.judge({})(*values)) else []
    return found


@pytest.mark.parametrize(
    ("odd", "field", "value", "kept"),
    [
        ({"date": "March 5, 2024"}, "as_of", "2024-03-05", ""),
        ({"date": "some time in spring"}, "as_of", "", "some time in spring"),
        ({"date": ["2024"]}, "as_of", "", '["2024"]'),
        ({"period_end": "12/31/2024"}, "period_end", "2024-12-31", ""),
        ({"period_start": "2024-12-31", "period_end": "2024-01-01"}, "period_start", "", "2024-12-31"),
        ({"language": "English"}, "language", "en", ""),
        ({"language": "Deutsch"}, "language", "de", ""),
        ({"language": "what they speak there"}, "language", "", "what they speak there"),
        ({"language": None}, "language", "en", ""),
        ({"fiscal_year": "0166"}, "fiscal_year", 0, "166"),
        ({"fiscal_year": 2023.0}, "fiscal_year", 2023, ""),
        ({"id": "one\ntwo\t"}, "doc_id", "one\\x0atwo", ""),
        ({"id": "half \ud800"}, "doc_id", "half \\ud800", ""),
        ({"title": "half \udfff\nof it"}, "title", "half \ufffd of it", ""),
        ({"text": WORDS + " \ud800"}, "text", WORDS + " \ufffd", ""),
        ({"note": "\ud800"}, "metadata", {"note": "\ufffd"}, ""),
        ({"\ud800": "note"}, "metadata", {"\ufffd": "note"}, ""),
        ({"domain": " \n"}, "domain", "default", ""),
    ],
)
def test_an_odd_value_goes_into_its_form_and_the_neighbour_goes_through(
    tmp_path: Path, odd: dict[str, Any], field: str, value: Any, kept: str
) -> None:
    lines = [{"id": "odd", "text": WORDS} | odd, {"id": "good", "text": WORDS}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    rows = list(read_corpus(tmp_path / "r.jsonl", ReadConfig()))
    first, second = (row for row in rows if isinstance(row, Document))
    assert second.doc_id == "good" and getattr(first, field) == value
    assert first.metadata.get(f"{field}_as_given", "") == kept
    assert complaints(first) == [] and list(from_table(to_table([first], Document), Document)) == [first]


@pytest.mark.parametrize("year", ["²", 10**30, 20240101, "9" * 30, -5, "٢٠٢٤"])
def test_a_year_that_is_none_is_zero_and_kept_as_it_was(tmp_path: Path, year: Any) -> None:
    (tmp_path / "r.json").write_text(json.dumps([{"fiscal_year": year, "text": WORDS}, {"text": WORDS}]))
    first, second = (row for row in read_corpus(tmp_path, ReadConfig()) if isinstance(row, Document))
    assert (first.fiscal_year, first.metadata["fiscal_year"]) == (0, str(year)) and not second.metadata


def test_times_and_gaps_of_a_table_are_read_as_days_and_nothing(tmp_path: Path) -> None:
    table = {"text": [WORDS, WORDS], "date": pa.array([1709596800000, None], pa.timestamp("ms"))}
    pq.write_table(pa.table(table | {"id": [float("nan"), 7.0]}), tmp_path / "r.parquet")
    first, second = (row for row in read_corpus(tmp_path, ReadConfig()) if isinstance(row, Document))
    assert (first.as_of, second.as_of) == ("2024-03-05", "")
    assert (first.doc_id, second.doc_id) == ("r.parquet#1", "r.parquet#7.0")


def test_facts_with_days_that_are_none_lose_them_and_are_counted() -> None:
    dates = [("2024-01-01", "12/31/2024"), ("", "2024"), ("2024-12-31", "2024-01-01"), ("", "2024-12-31")]
    facts, undated = date_facts(Fact(0, 0, "a:b", "1", "USD", start, end) for start, end in dates)
    assert undated == 2
    assert [(fact.period_start, fact.period_end) for fact in facts] == [
        ("2024-01-01", "2024-12-31"), ("", ""), ("", ""), ("", "2024-12-31"),
    ]  # fmt: skip


def test_a_reader_that_gives_no_blocks_gets_one_a_paragraph() -> None:
    text = f"{WORDS}\nand on.\n \n\n{WORDS}"
    made = normalise_document(replace(PLAIN, text=text, blocks=(), media_type="shouting", content_hash="v2"))
    assert [text[block.start : block.end] for block in made.blocks] == [f"{WORDS}\nand on.", WORDS]
    assert complaints(made) == [] and made.media_type == "application/octet-stream" and len(made.content_hash) == 16


def test_what_breaks_the_contract_all_the_same_is_set_aside_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "from rarefy.data_contracts.rows import Block, Document\n"
    module += "def read(source, config):\n"
    module += f"    yield Document('bad', '', 'a.own', 'x', 'a/b', {WORDS!r}, (Block('text', 5, 900),))\n"
    module += f"    yield Document('good', '', 'a.own', 'x', 'a/b', {WORDS!r})\n"
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "mine.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    (tmp_path / "a.own").write_text("x")
    bad, good = read_corpus(tmp_path / "a.own", ReadConfig(readers={".own": "mine:read"}))
    assert isinstance(bad, Quarantined) and bad.reason == "breaks_contract" and "900" in bad.detail
    assert isinstance(good, Document) and good.doc_id == "good"


def test_a_document_in_form_stays_as_it_is() -> None:
    assert normalise_document(PLAIN) == PLAIN
    with pytest.raises(Unreadable, match="breaks_contract"):
        normalise_document(replace(PLAIN, blocks=(Block("poem", 0, len(WORDS)),)))


@pytest.mark.parametrize(
    ("said", "code"),
    [("en-US", "en"), ("EN_us", "en"), ("eng", "en"), ("American English", "en"), ("zh-Hans", "zh"), ("yue", "yue"),
     ('["fr"]', "fr"), ("unknown", ""), ("N/A", ""), ("und", ""), ("the language is unclear", ""), ("", "")],
)  # fmt: skip
def test_a_language_is_named_by_its_code(said: str, code: str) -> None:
    assert language_code(said) == code
