"""A reader that hangs, eats memory or dies costs its document alone."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, child, list_sources
from rarefy.tasks.corpus.read.sources import Source
from rarefy.tasks.store.recipe import PASSING_REASONS, Job, make
from rarefy.tasks.store.tables import Store

WORDS = "These are words enough to be a sentence."
OUTSIDER = f'''
import os, signal, sys, time
from rarefy.data_contracts.rows import Document

def document(source):
    return Document(source.path, "", source.path, "", "x", "{WORDS}")

def read(source, config):
    yield document(source)

def loops(source, config):
    yield document(source)
    while True:
        pass

def eats(source, config):
    kept = []
    while True:
        kept.append(bytearray(50_000_000))

def dies(source, config):
    os.kill(os.getpid(), signal.SIGSEGV)
    yield document(source)

def leaves(source, config):
    sys.exit(3)
    yield document(source)

def raises(source, config):
    class Odd(Exception):
        pass
    raise Odd(f"nobody knows this one {{object()}}")
    yield document(source)

def says(source, config):
    print("on standard output")
    yield document(source)
'''


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one file, whose ending has a reader of somebody's own."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "outsider.py").write_text(OUTSIDER)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    children = child._Children()  # that know this module
    monkeypatch.setattr(child, "_CHILDREN", children)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.odd").write_text(WORDS)
    yield tmp_path / "corpus"
    children.end()


def of(function: str, **limits: float) -> ReadConfig:
    return ReadConfig(readers={".odd": f"outsider:{function}"}, **limits)


def rows(corpus: Path, config: ReadConfig) -> list[Document | Quarantined]:
    (source,) = list_sources(corpus)
    return list(child.read(source, config))


@pytest.mark.parametrize(
    ("function", "limits", "reason"),
    [
        ("loops", {"seconds": 0.5}, "read_timeout"),
        ("eats", {"memory_bytes": 500_000_000}, "read_memory"),
        ("dies", {}, "reader_died"),
        ("leaves", {}, "reader_died"),
        ("raises", {}, "reader_failed"),
    ],
)
def test_whatever_a_reader_does_its_document_alone_is_quarantined(
    corpus: Path, function: str, limits: dict[str, float], reason: str
) -> None:
    *before, last = rows(corpus, of(function, **limits))
    assert isinstance(last, Quarantined) and last.reason == reason and last.source == "a.odd"
    assert len(before) == (function == "loops")  # what came before is kept
    (after,) = rows(corpus, of("read"))
    assert isinstance(after, Document)


def test_an_exception_is_told_by_its_class_and_message_without_addresses(corpus: Path) -> None:
    (row,) = rows(corpus, of("raises"))
    assert isinstance(row, Quarantined) and row.detail.startswith("Odd: nobody knows this one <object object>")


def test_what_a_reader_prints_disturbs_nothing(corpus: Path) -> None:
    assert isinstance(rows(corpus, of("says"))[0], Document)


def test_one_child_reads_many_documents_and_another_follows_one_that_was_killed(corpus: Path) -> None:
    def pid() -> int:
        rows(corpus, of("read"))
        (waiting,) = child._CHILDREN._idle
        return waiting.process.pid

    first = pid()
    assert pid() == first
    rows(corpus, of("dies"))
    assert pid() != first


def test_a_large_process_does_not_make_its_children_large(corpus: Path) -> None:
    """Linux gives a new process the peak of the one that started it."""
    large = bytes(range(256)) * (child.GROWN // 256 + 1)
    rows(corpus, of("read"))
    assert len(large) > child.GROWN and len(child._CHILDREN._idle) == 1


def test_a_child_that_died_while_it_waited_is_replaced(corpus: Path) -> None:
    rows(corpus, of("read"))
    (waiting,) = child._CHILDREN._idle
    waiting.process.kill()
    waiting.process.wait()
    assert isinstance(rows(corpus, of("read"))[0], Document)


LATER = """
import os
from rarefy.data_contracts.rows import Document

def read(source, config):
    yield Document(source.path, "", source.path, "", "x", os.environ["SAID_LATER"])
"""


def test_a_child_that_waited_meets_the_modules_and_variables_of_now(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows(corpus, of("read"))
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "written_later.py").write_text(LATER)
    monkeypatch.syspath_prepend(tmp_path / "later")
    for said in (WORDS, f"{WORDS} They are others."):
        monkeypatch.setenv("SAID_LATER", said)
        (row,) = rows(corpus, ReadConfig(readers={".odd": "written_later:read"}))
        assert isinstance(row, Document) and row.text == said


def test_threads_read_with_children_of_their_own(corpus: Path) -> None:
    found: list[Document | Quarantined] = []
    threads = [threading.Thread(target=lambda: found.extend(rows(corpus, of("read")))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(row) for row in found] == [Document] * 3


def _in_daemon(corpus: Path, answers: "multiprocessing.Queue[str]") -> None:
    (row,) = rows(corpus, ReadConfig())
    answers.put(type(row).__name__)


def test_a_daemonic_process_reads_too(tmp_path: Path) -> None:
    """As Dask's workers are, whose multiprocessing allows no children."""
    (tmp_path / "a.html").write_text(f"<html><body><p>{WORDS}</p></body></html>")
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[str] = context.Queue()
    process = context.Process(target=_in_daemon, args=(tmp_path, answers), daemon=True)
    process.start()
    assert answers.get(timeout=120) == "Document"
    process.join()


def test_small_plain_texts_need_no_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "_Child", None)
    (tmp_path / "a.txt").write_text(WORDS)
    (tmp_path / "b.jsonl").write_text('{"text": "' + WORDS + '"}\n')
    os.mkfifo(tmp_path / "c.pdf")
    kinds = [type(row) for source in list_sources(tmp_path) for row in child.read(source, ReadConfig())]
    assert kinds == [Document, Document, Quarantined]


@pytest.mark.parametrize(
    "content", [b"%PDF-1.4", f"<html><body>{WORDS}</body></html>".encode(), b"x" * (child.SMALL + 1)]
)
def test_what_only_is_called_a_text_is_read_in_a_child(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    (source,) = list_sources(tmp_path)
    assert not child._is_harmless(source, ReadConfig())


def test_what_ran_out_of_time_is_kept_for_this_run_and_tried_again_by_the_next(corpus: Path, tmp_path: Path) -> None:
    makes: dict[str, type] = {"documents": Document, "quarantine": Quarantined}
    job = Job("read", "rarefy.tasks.corpus.read.child:read", 1, {"source": Source}, makes, of("loops", seconds=0.5))
    (source,) = list_sources(corpus)
    store = Store(str(tmp_path / "store"))
    made = make({"source": source}, job, store.url)
    table: pa.Table = store.table(made["quarantine"])
    assert table["reason"].to_pylist() == ["read_timeout"] and "read_timeout" in PASSING_REASONS
    assert store.find(job.recipe({"source": source})) is None


def test_limits_decide_the_same_in_a_child_and_without(tmp_path: Path) -> None:
    from rarefy.tasks.corpus.read import read

    (tmp_path / "a.txt").write_text(WORDS * 10_000)
    (source,) = list_sources(tmp_path)
    config = ReadConfig(max_characters=1000)
    found = list(child.read(source, config))
    assert found == list(read(source, config)) and [getattr(row, "reason", "") for row in found] == ["too_large"]
