import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
from rarefy.tasks.evaluate.systems.interface import SystemOutput

WHOLE = SystemOutput(
    "a", "an ânswer", False, (Passage("c1", "text", "title", 0.5), Passage("c2", "")), 7, 3, 1, 0.25, 0.01, "some model"
)


def test_an_answer_is_found_as_it_was_kept_by_whoever_opens_the_file(tmp_path):
    AnswerStore(tmp_path / "b.sqlite", {"kind": "x"}).keep(WHOLE)
    assert AnswerStore(tmp_path / "b.sqlite", {"kind": "x"}).find(["a", "b"]) == {"a": WHOLE}


def test_another_system_finds_nothing_of_it(tmp_path):
    AnswerStore(tmp_path / "b.sqlite", {"kind": "x"}).keep(WHOLE)
    assert AnswerStore(tmp_path / "b.sqlite", {"kind": "x", "version": "2"}).find(["a"]) == {}


def test_an_error_is_never_kept(tmp_path):
    book = AnswerStore(tmp_path / "b.sqlite", {})
    failed = SystemOutput("a", error="timeout")
    assert book.keep(failed) is failed and book.find(["a"]) == {}


def test_an_empty_answer_is_one(tmp_path):
    book = AnswerStore(tmp_path / "b.sqlite", {})
    book.keep(SystemOutput("a", ""))
    assert book.find(["a"]) == {"a": SystemOutput("a", "")}


def test_the_first_answer_stays(tmp_path):
    book = AnswerStore(tmp_path / "b.sqlite", {})
    book.keep(SystemOutput("a", "first"))
    assert book.keep(SystemOutput("a", "second")).text == "first"


def test_thousands_are_found_at_once(tmp_path):
    book = AnswerStore(tmp_path / "b.sqlite", {})
    for n in range(1_200):
        book.keep(SystemOutput(str(n), f"answer {n}"))
    assert len(book.find([str(n) for n in range(2_000)])) == 1_200


def test_threads_share_a_book(tmp_path):
    book = AnswerStore(tmp_path / "b.sqlite", {})
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: book.keep(SystemOutput(str(n % 50), f"answer {n % 50}")), range(400)))
    assert {name: said.text for name, said in book.find([str(n) for n in range(50)]).items()} == {
        str(n): f"answer {n}" for n in range(50)
    }


WRITES = """
import sys
from pathlib import Path
from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
book = AnswerStore(Path(sys.argv[1]), {"kind": "x"})
for n in range(200):
    book.keep(SystemOutput(str(n), f"answer {n}"))
"""


def test_processes_that_begin_a_book_at_once_share_it(tmp_path):
    file = tmp_path / "b.sqlite"
    running = [subprocess.Popen([sys.executable, "-c", WRITES, str(file)]) for _ in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0]
    found = AnswerStore(file, {"kind": "x"}).find([str(n) for n in range(200)])
    assert {name: said.text for name, said in found.items()} == {str(n): f"answer {n}" for n in range(200)}


def test_a_damaged_file_is_named_with_the_way_out(tmp_path):
    (tmp_path / "b.sqlite").write_bytes(b"no database, and long enough to be looked at as one " * 100)
    with pytest.raises(OSError, match=r"b\.sqlite.*move it away"):
        AnswerStore(tmp_path / "b.sqlite", {}).find(["a"])


def test_a_database_of_something_else_is_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "b.sqlite") as file:
        file.execute("CREATE TABLE mine (x)")
    with pytest.raises(OSError, match="a database of something else"):
        AnswerStore(tmp_path / "b.sqlite", {}).find(["a"])


def test_a_file_of_a_newer_release_is_left_alone(tmp_path):
    AnswerStore(tmp_path / "b.sqlite", {}).keep(WHOLE)
    with sqlite3.connect(tmp_path / "b.sqlite") as file:
        file.execute("PRAGMA user_version = 99")
    with pytest.raises(OSError, match="newer rarefy"):
        AnswerStore(tmp_path / "b.sqlite", {}).find(["a"])
