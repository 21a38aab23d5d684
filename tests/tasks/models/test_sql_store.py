"""Files that earlier releases wrote are read as they are, and written on; what a start without a database imports."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rarefy.data_contracts.rows import Message, Passage, Reply, Request, Token
from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.models.embed.vector_cache import VectorCache
from rarefy.tasks.models.llm.reply_store import Call, StoredReply, open_reply_store, reply_key

BEFORE = Path(__file__).parent / "stores_before"  # what release 0.1 wrote, as SQL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the three files of an earlier release."""
    for script in BEFORE.glob("*.sql"):
        with sqlite3.connect(tmp_path / f"{script.stem}.sqlite") as file:
            file.executescript(script.read_text(encoding="utf-8"))
        file.close()
    return tmp_path


def test_replies_and_ledger_of_an_earlier_release_are_read_and_go_on(folder: Path) -> None:
    books = open_reply_store("", folder)
    first, made_of = reply_key({"model": "m"}, Request("q9", (Message("user", "Who audits it?"),)))
    second, _ = reply_key({"model": "m"}, Request("q9", (Message("user", "Tell \udcff\0 it at length"),)))
    replies = books.find([first, second])
    assert replies[first] == Reply(
        "q1",
        "Deloitte",
        finish_reason="stop",
        prompt_tokens=100,
        completion_tokens=20,
        model="m-2024",
        logprobs=(Token("Del", -0.5, ("Del", "KP"), (-0.5, -1.5)),),
    )
    assert replies[second].text == "at length, " * 200
    assert books.explain("q1") == [StoredReply(first, made_of, replies[first])]
    usage = {(line.outcome, line.parse): line for line in books.usage("run")}
    assert usage["answered", "clean"].cost == 7 and usage["answered", ""].completion_tokens == 900
    assert usage["remembered", ""].calls == 3 and usage["answered", "clean"].final is True
    assert books.held("m", 1000.0) == pytest.approx(30) and not books.reserve("run", 0, (1, 0))
    books.keep([Call("run", "ask", "m", "q3", "answered")], [StoredReply(first, "{}", Reply("q3", "another"))])
    assert books.find([first])[first].text == "Deloitte" and sum(line.calls for line in books.usage("run")) == 6


def test_vectors_of_an_earlier_release_are_not_made_again(folder: Path) -> None:
    def embed(texts: list[str]) -> list[tuple[list[str], np.ndarray]]:
        assert texts == ["c"]
        return [(texts, np.array([[1, 1]], dtype=np.float32))]

    assert VectorCache(folder)(b"x" * 32, ["b", "a", "c"], embed).tolist() == [[0, 1], [1, 0], [1, 1]]


def test_answers_of_an_earlier_release_are_found(folder: Path) -> None:
    answers = AnswerStore(folder / "answers.sqlite", {"kind": "x"})
    passages = (Passage("c1", "text", "title", 0.5),)
    assert answers.find(["a", "b"]) == {"a": SystemOutput("a", "an ânswer", False, passages, 7, 3, 1, 0.25, 0.01, "m")}
    assert answers.keep(SystemOutput("a", "another")).text == "an ânswer" and answers.count() == 1


def test_a_start_without_a_database_does_not_import_sqlalchemy() -> None:
    modules = "rarefy.tasks.models.embed, rarefy.tasks.models.llm.engine, rarefy.tasks.evaluate.systems.answer_store"
    look = f"import sys, {modules}; print('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout.strip() == "False"
