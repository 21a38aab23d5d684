"""Names of documents that come from elsewhere."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.corpus.read.sources import ABOUT
from rarefy.tasks.refresh.feeds.arrivals import put_document, safe_stem

ADDRESS = "https://docs.example.com/reports/annual%202024.pdf?x=1"


def test_a_plain_id_is_the_name():
    assert safe_stem("report-2024_v1.2", ADDRESS) == "report-2024_v1.2"


def test_without_an_id_the_address_is_the_identity():
    name = safe_stem("", ADDRESS)
    assert re.fullmatch(r"annual-2024\.[0-9a-f]{16}", name)
    assert name == safe_stem("", ADDRESS) != safe_stem("", ADDRESS + "2")


@pytest.mark.parametrize(
    "id_",
    [
        "../../etc/passwd",
        "..",
        ".hidden",
        "a/b",
        "a\\b",
        "/etc/passwd",
        "C:\\x",
        "con",
        "NUL.txt",
        "x" * 500,
        "ünïcode",
        "a\0b",
        "a\nb",
        "a.part",
        "name~",
        "readme",
        "license",
        "thumbs.db",
        "UPPER",
        "ends.with.dot.",
        "%2e%2e%2fx",
        "a b",
        "name.0123456789abcdef",
    ],
)
def test_an_id_that_is_no_plain_name_becomes_one_told_apart_by_a_digest(id_, tmp_path):
    name = safe_stem(id_, ADDRESS)
    assert re.fullmatch(r"[A-Za-z0-9-]{1,60}\.[0-9a-f]{16}", name)
    put_document(b"x", tmp_path / "arrived", name, ".txt")
    [path] = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert path.parent == tmp_path / "arrived" and path.stem.lower() not in ABOUT


@given(st.text(max_size=40), st.text(max_size=40))
def test_names_lead_nowhere_and_different_ids_have_different_names_on_any_disk(one, other):
    first, second = safe_stem(one, ADDRESS), safe_stem(other, ADDRESS)
    assert "/" not in first and "\\" not in first and not first.startswith(".") and len(first) <= 80
    assert (first.lower() == second.lower()) == (one == other)


def test_a_document_is_put_in_place_whole_and_an_equal_one_not_again(tmp_path):
    assert put_document(b"one", tmp_path, "a", ".txt") == "added"
    before = (tmp_path / "a.txt").stat().st_mtime_ns
    assert put_document(b"one", tmp_path, "a", ".txt") == "unchanged"
    assert (tmp_path / "a.txt").stat().st_mtime_ns == before
    assert put_document(b"two", tmp_path, "a", ".txt") == "edited"
    assert (tmp_path / "a.txt").read_bytes() == b"two"


def test_a_document_that_changes_its_kind_takes_the_place_of_the_one_before(tmp_path):
    put_document(b"<p>one</p>", tmp_path, "a", ".html")
    put_document(b"other", tmp_path, "ab", ".html")
    assert put_document(b"%PDF-1", tmp_path, "a", ".pdf") == "edited"
    assert sorted(Path(path).name for path in tmp_path.iterdir()) == ["a.pdf", "ab.html"]
