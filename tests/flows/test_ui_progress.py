"""What a run shows in Prefect's UI: sent by a thread, the newest alone, and never at the cost of a stage."""

import logging
import threading
from uuid import UUID, uuid4

import pytest
from httpx import ConnectError

from rarefy.flows.serving import ui_progress
from rarefy.flows.serving.ui_progress import UIProgress


class Server:
    """Artifacts as Prefect's API would keep them; while `open` is not set a call takes its time."""

    def __init__(self) -> None:
        self.artifacts: dict[UUID, list] = {}  # key, progress, description
        self.tables: list[tuple[list[dict], str, str]] = []
        self.calls, self.open, self.failing = 0, threading.Event(), list[Exception]()
        self.open.set()

    def _called(self) -> None:
        self.open.wait(60)
        self.calls += 1
        if self.failing:
            raise self.failing.pop(0)

    def create(self, progress, key=None, description=None) -> UUID:
        self._called()
        made = uuid4()
        self.artifacts[made] = [key, progress, description]
        return made

    def update(self, made, progress, description=None) -> None:
        self._called()
        self.artifacts[made][1:] = [progress, description]

    def table(self, table, key=None, description=None) -> None:
        self._called()
        self.tables.append((table, key, description))

    def shown(self) -> list[list]:
        return list(self.artifacts.values())


@pytest.fixture
def server(monkeypatch) -> Server:
    there = Server()
    monkeypatch.setattr(ui_progress, "create_progress_artifact", there.create)
    monkeypatch.setattr(ui_progress, "update_progress_artifact", there.update)
    monkeypatch.setattr(ui_progress, "create_table_artifact", there.table)
    return there


def begun() -> UIProgress:
    return UIProgress(logging.getLogger("rarefy.test"), ("read", "chunk"), "/somewhere/Bench")


def test_each_stage_that_counts_has_an_artifact_beside_that_of_the_run(server, monkeypatch):
    monkeypatch.setattr(ui_progress, "PULSE", 0.0)
    shown = begun()
    shown.at("read", "1/4 documents", 0.25)
    shown.at("read", "2/4 documents", 0.5)
    shown.end("read", "4 documents")
    shown.end("gather", "4 rows")  # a stage that counted nothing has none
    shown.close("done", 100.0)
    assert sorted(server.shown(), key=str) == [
        ["bench-progress", 100.0, "done"],
        [None, 100.0, "read: 4 documents"],
    ]


def test_a_server_that_stands_still_holds_up_no_stage_and_gets_the_newest_alone(server, monkeypatch):
    monkeypatch.setattr(ui_progress, "PULSE", 0.0)
    server.open.clear()
    shown = begun()
    for done in range(100):
        shown.at("read", f"{done}/100 documents", done / 100)
    server.open.set()
    shown.close("done", 100.0)
    assert server.calls < 10
    assert [100.0, "done"] in [row[1:] for row in server.shown()]


def test_what_a_stage_failed_on_is_a_table_of_what_a_browser_shows(server, monkeypatch):
    monkeypatch.setattr(ui_progress, "LONGEST", 100)
    shown = begun()
    rows = [{"document": f"{n}.pdf", "reason": "encrypted", "detail": "x" * 20} for n in range(10)]
    shown.fail("read", rows)
    shown.close("done", 100.0)
    ((table, key, description),) = server.tables
    assert (len(table), key) == (3, "bench-failed") and table[0] == rows[0]
    assert description == "read failed on 10; the first 3 are shown"


def test_a_call_that_fails_is_logged_and_made_again_where_the_server_was_away(server, monkeypatch, caplog):
    monkeypatch.setattr(ui_progress, "AGAIN", 0.0)
    server.failing = [ConnectError("nobody there"), ConnectError("nobody there")]
    shown = begun()
    shown.sender.join(0.5)  # it goes on
    shown.close("done", 100.0)
    assert server.shown() == [["bench-progress", 100.0, "done"]]
    assert "progress is not shown: run: nobody there" in caplog.text


def test_a_call_that_the_server_refuses_ends_nothing(server, caplog):
    server.failing = [ValueError("no such field")] * 2
    shown = begun()
    shown.at("read", "1/4 documents", 0.25)
    shown.close("done", 100.0)
    assert not shown.sender.is_alive()
    assert "no such field" in caplog.text
