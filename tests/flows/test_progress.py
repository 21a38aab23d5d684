"""Stages show what they do: live on a terminal, in plain lines elsewhere, not at all when quiet."""

from io import StringIO

import pytest
from rich.console import Console

from rarefy.flows.engine import progress
from rarefy.flows.engine.progress import ProgressBoard


def shown(terminal: bool, quiet: bool = False) -> str:
    out = StringIO()
    board = ProgressBoard(Console(file=out, force_terminal=terminal, width=120), quiet)
    with board.open():
        line = board.line("chunk", "documents", 12)
        for _ in range(12):
            line.step()
        line.end("12 documents")
        board.say("said")
    return out.getvalue()


def test_a_terminal_gets_a_live_line_with_counts():
    told = shown(terminal=True)
    assert "\x1b[" in told and "chunk" in told and "12 documents" in told and "said" in told


def test_the_live_line_has_counts_rate_and_time_left():
    columns = ProgressBoard(Console(file=StringIO(), force_terminal=True, width=120), quiet=False)
    with columns.open():
        line = columns.line("chunk", "documents", 12)
        line.step(5)
        assert columns.live
        (task,) = columns.live.tasks
        assert "5/12 documents" in progress.ProgressText().render(task).plain


def test_a_pipe_gets_plain_lines():
    told = shown(terminal=False)
    assert told.splitlines() == [f"{'chunk':<{progress.WIDTH}} 12 documents · 0.0 s", "said"]


def test_a_short_stage_over_whole_tables_is_shown_where_all_is_to_be(monkeypatch):
    for terminal, verbose, seconds, seen in (
        (False, False, 1, False), (False, True, 1, True), (False, False, 60, True), (True, False, 1, False),
    ):  # fmt: skip
        out = StringIO()
        board = ProgressBoard(Console(file=out, force_terminal=terminal, width=120), quiet=False, verbose=verbose)
        with board.open():
            line = board.line("gather", "rows", None)
            line.began -= seconds
            line.end("61 triplets", minor=True)
        assert ("61 triplets" in out.getvalue()) is seen


def test_quiet_gets_nothing():
    assert shown(terminal=False, quiet=True) == shown(terminal=True, quiet=True) == ""


def test_a_long_stage_tells_rate_and_time_left_now_and_then(monkeypatch):
    clock = iter(range(0, 10_000, 4))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    out = StringIO()
    line = ProgressBoard(Console(file=out, width=120), quiet=False).line("extract", "documents", 100)
    for _ in range(8):
        line.step()
    lines = out.getvalue().splitlines()
    assert 1 <= len(lines) < 8
    assert "/100 documents" in lines[0] and "/s" in lines[0] and "s left" in lines[0]


def test_the_time_left_does_not_count_how_long_a_stage_took_to_begin(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    out = StringIO()
    line = ProgressBoard(Console(file=out, width=120), quiet=False).line("vary", "questions", 100)
    for now[0] in (60.0, 71.0, 82.0):  # a minute to load models, then ten questions in eleven seconds
        line.step(10)
    first, *_, last = out.getvalue().splitlines()
    assert first.endswith("10/100 questions") and last.endswith("30/100 questions, 0.9/s, 77 s left")


@pytest.mark.parametrize("rows", [0, 1, 250])
def test_watched_rows_pass_unchanged(rows):
    line = ProgressBoard(Console(file=StringIO()), quiet=True).line("ask", "rows", rows)
    assert list(line.watch(range(rows))) == list(range(rows))
