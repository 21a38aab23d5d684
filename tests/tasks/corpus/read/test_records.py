import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.records import RecordsConfig

WORDS = "The Company sells its products in many countries."
RECORDS = [
    {
        "id": "a",
        "title": "First",
        "text": WORDS,
        "date": "2024-03-01T00:00",
        "company": "Acme",
        "topic": "tools",
        "rank": 3,
    },
    {"id": "b", "title": "Second", "text": f"# Head\n\n{WORDS}\n\n|x|y|\n|---|---|\n|1|2|\n", "fiscal_year": 2023},
]


def documents(corpus: Path, config: ReadConfig | None = None) -> list[Document]:
    return [row for row in read_corpus(corpus, config or ReadConfig()) if isinstance(row, Document)]


def test_jsonl_and_parquet_give_the_same_documents(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    keys = sorted({key for record in RECORDS for key in record})
    pq.write_table(
        pa.Table.from_pylist([{key: record.get(key) for key in keys} for record in RECORDS]), tmp_path / "r.parquet"
    )
    lines, table = documents(tmp_path / "r.jsonl"), documents(tmp_path / "r.parquet")
    assert [d.doc_id for d in lines] == [d.doc_id for d in table] == ["a", "b"]
    assert [(d.text, d.metadata) for d in lines] == [(d.text, d.metadata) for d in table]
    first, second = lines
    assert (first.title, first.as_of, first.entity) == ("First", "2024-03-01", "Acme")
    assert first.metadata == {"topic": "tools", "rank": "3", "entity_from": "metadata"}
    assert second.fiscal_year == 2023 and [b.kind for b in second.blocks] == ["heading", "text", "table"]


def test_in_a_folder_an_own_id_is_told_apart_by_its_file(tmp_path: Path) -> None:
    for name in ("x.jsonl", "y.jsonl"):
        (tmp_path / name).write_text(json.dumps(RECORDS[0]))
    assert [d.doc_id for d in documents(tmp_path)] == ["x.jsonl#a", "y.jsonl#a"]


def test_a_bad_line_is_quarantined_by_itself(tmp_path: Path) -> None:
    lines = [json.dumps(RECORDS[0]), "{cut", '"a string"', "{}", json.dumps(RECORDS[0]), json.dumps(RECORDS[1]), ""]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    rows = list(read_corpus(tmp_path / "r.jsonl", ReadConfig()))
    assert [(r.source, r.reason) for r in rows if isinstance(r, Quarantined)] == [
        ("r.jsonl#2", "bad_record"), ("r.jsonl#3", "bad_record"), ("r.jsonl#4", "no_text"),
        ("r.jsonl#5", "duplicate_id"),
    ]  # fmt: skip
    assert [r.doc_id for r in rows if isinstance(r, Document)] == ["a", "b"]


def test_the_fields_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps({"key": 7, "prose": WORDS, "text": "not this one"}))
    config = ReadConfig(records=RecordsConfig(text=("prose",), id=("key",)))
    (row,) = documents(tmp_path / "r.jsonl", config)
    assert (row.doc_id, row.text, row.metadata) == ("7", WORDS, {"text": "not this one"})


def test_a_change_to_one_record_changes_its_version_alone(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(map(json.dumps, RECORDS)))
    before = [d.content_hash for d in documents(file)]
    file.write_text("\n".join(map(json.dumps, [RECORDS[0], RECORDS[1] | {"text": WORDS}])))
    after = [d.content_hash for d in documents(file)]
    assert before[0] == after[0] and before[1] != after[1]


def test_an_integer_too_long_to_be_one_stays_as_written_and_the_neighbour_goes_through(tmp_path: Path) -> None:
    long = "7" * 5000
    lines = [f'{{"id": "a", "text": "{WORDS}", "n": {long}}}', json.dumps(RECORDS[1])]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    (tmp_path / "r.json").write_text(f"[{','.join(lines)}]")
    for file in ("r.jsonl", "r.json"):
        first, second = documents(tmp_path / file)
        assert (first.metadata["n"], second.doc_id) == (long, "b")


def test_a_record_nested_too_deep_is_quarantined_by_itself(tmp_path: Path) -> None:
    deep = f'{{"text": "{WORDS}", "n": {"[" * 5000}{"]" * 5000}}}'
    (tmp_path / "r.jsonl").write_text(f"{deep}\n{json.dumps(RECORDS[1])}")
    bad, good = read_corpus(tmp_path / "r.jsonl", ReadConfig())
    assert isinstance(bad, Quarantined) and (bad.source, bad.reason) == ("r.jsonl#1", "bad_record")
    assert isinstance(good, Document)


def test_a_line_over_the_limit_shifts_no_number_of_those_after_it(tmp_path: Path) -> None:
    fits = json.dumps({"text": WORDS, "pad": ""})
    line = json.dumps({"text": WORDS, "pad": "x" * (300 - len(fits))})
    long = json.dumps({"text": WORDS * 100})
    (tmp_path / "r.jsonl").write_text(f"{line}\n{long}\n{line}\n{long}")
    rows = list(read_corpus(tmp_path / "r.jsonl", ReadConfig(max_bytes=300)))
    assert [(row.source, isinstance(row, Document) or row.reason) for row in rows] == [
        ("r.jsonl#1", True), ("r.jsonl#2", "too_large"), ("r.jsonl#3", True), ("r.jsonl#4", "too_large"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "rows_of_a_group", "limit", "found"),
    [
        ([WORDS, "Words without an end. " * 9000, WORDS], 1, 20_000, ["", "r.parquet#2-2", ""]),  # a row group
        ([WORDS, "Words without an end. " * 9000, WORDS], 3, 150_000, ["r.parquet#1-3"]),
        ([WORDS, [WORDS] * 900, WORDS], 1, 10_000, ["", "r.parquet#2", ""]),  # a text, larger than it is stored
        ([f"{n} {WORDS}" for n in range(90)], 9, 1000, ["r.parquet"]),  # the file
    ],
)
def test_the_limit_holds_for_a_table_its_row_groups_and_its_texts(
    tmp_path: Path, texts: list[str | list[str]], rows_of_a_group: int, limit: int, found: list[str]
) -> None:
    lists = [text if isinstance(text, list) else [text] for text in texts]
    table = pa.table({"text": lists if lists != [[text] for text in texts] else texts})
    pq.write_table(table, tmp_path / "r.parquet", row_group_size=rows_of_a_group, compression="zstd")
    rows = list(read_corpus(tmp_path / "r.parquet", ReadConfig(max_bytes=limit)))
    assert [row.source if isinstance(row, Quarantined) and row.reason == "too_large" else "" for row in rows] == found
