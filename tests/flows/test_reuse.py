"""A new version of a benchmark is put to a system that counts who asks it: only what it was never shown is asked."""

import hashlib
import importlib
import json
import shutil
from pathlib import Path

import known
import pyarrow.parquet as pq
import pytest
from evaluated import evaluate

from rarefy.data_contracts.rows import row_id

COUNTED = """
from known import reads

ASKED = []


def answer(asked):
    ASKED.append(asked)
    return reads(asked)


answer.takes = ("closed_book", "passages", "own")
"""
SYSTEMS = """
[systems.follows]
kind = "counted:answer"
version = "1"

[systems.fixed]
kind = "counted:answer"
version = "1"
index = "fixed"

[systems.passages]
kind = "counted:answer"
version = "1"
takes = ["closed_book", "passages"]
"""
PROTOCOLS = ("--protocol", "rare", "--protocol", "retrieval_robustness")


def other_version(old: Path, new: Path) -> None:
    """The same benchmark with one more document, which is found for every question about Company 3."""
    shutil.copytree(old, new)
    chunk = json.loads((new / "chunks.jsonl").read_text().splitlines()[3])
    text = "Company 3 is based in a new house. Company 3 says where company 3 is based. Where is company 3 based?"
    chunk |= {"chunk_id": row_id("chunk", "news"), "doc_id": "doc-news", "text": text, "title": "News"}
    with (new / "chunks.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(chunk) + "\n")
    files = {
        name: hashlib.sha256((new / name).read_bytes()).hexdigest()
        for name in ("questions.jsonl", "chunks.jsonl", "variants.jsonl")
    }
    (new / "manifest.json").write_text(json.dumps({"recipe": row_id(*sorted(files.values())), "files": files}))


@pytest.fixture
def place(tmp_path, monkeypatch, api):
    known.benchmark(tmp_path / "bench")
    other_version(tmp_path / "bench", tmp_path / "later")
    (tmp_path / "counted.py").write_text(COUNTED)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my.toml").write_text(f'{SYSTEMS}\n[correct]\nunmatched = "wrong"\n[statistics]\ndraws = 100\n')
    return tmp_path


def asked_of(place: Path, name: str, bench: str) -> list:
    """What a system is asked in an evaluation."""
    heard = importlib.import_module("counted").ASKED
    heard.clear()
    assert evaluate(place, f"{bench} {name}", "--system", name, *PROTOCOLS, bench=bench) == 0
    return [*heard]


def shown(place: Path, result: str) -> dict:
    """Of each trial put to the system: what it asks for, and what it shows."""
    rows = pq.read_table(place / result / "trials.parquet").to_pylist()
    return {row["trial_id"]: (row["query_id"], row["given"], tuple(row["passage_ids"])) for row in rows}


def test_the_same_passages_and_wordings_are_never_asked_again(place):
    first = asked_of(place, "passages", "bench")
    second = asked_of(place, "passages", "later")
    old, new = (set(shown(place, f"{one} passages").values()) for one in ("bench", "later"))
    other = {key for key in new - old if key[1] == "passages" and key[2]}
    assert other, "the new document is found for some question"
    assert 0 < len(second) == len({one.asked_id for one in second}) <= len(other)
    assert all("News" in {passage.title for passage in one.passages} for one in second)
    assert not {one.asked_id for one in first} & {one.asked_id for one in second}
    assert asked_of(place, "passages", "later") == []


def test_an_index_that_follows_the_documents_is_asked_anew_and_a_fixed_one_is_not(place):
    first = [one for one in asked_of(place, "follows", "bench") if one.passages is None]
    again = [one for one in asked_of(place, "follows", "later") if one.passages is None]
    assert first and [one.query for one in again] == [one.query for one in first]
    assert not {one.asked_id for one in first} & {one.asked_id for one in again}
    assert asked_of(place, "follows", "later") == []
    before = [one for one in asked_of(place, "fixed", "bench") if one.passages is None]
    assert len(before) == len(first)
    assert [one for one in asked_of(place, "fixed", "later") if one.passages is None] == []
