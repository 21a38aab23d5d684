"""One live line per stage on a terminal, plain lines elsewhere, none when quiet."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from rarefy.flows.faults import LONGEST
from rarefy.tasks.models.llm.secrets import redacted

LOG = logging.getLogger("rarefy.llm")
WIDTH = 17  # of the longest stage's name
PULSE = 10.0  # seconds between two plain lines of one stage: a log stays readable, and shows that it lives


class Standing(ProgressColumn):
    """How far a stage has come, and what came of it once it is done."""

    def render(self, task: Task) -> Text:
        """Counts, rate and time left; at the end the stage's own words."""
        if note := task.fields["note"]:
            return Text(note)
        counts = f"{task.completed:,.0f}{f'/{task.total:,.0f}' if task.total else ''} {task.fields['unit']}"
        left = f" · {task.time_remaining:,.0f} s left" if task.time_remaining is not None else ""
        aside = f" · {task.fields['aside']}" if task.fields["aside"] else ""
        return Text(f"{counts}{f' · {task.speed:,.1f}/s' if task.speed else ''}{left}{aside}", style="dim")


class Seen(Protocol):
    """Somewhere else where a board's lines are seen."""

    def say(self, text: str) -> None: ...

    def at(self, stage: str, counts: str, share: float) -> None: ...

    def end(self, stage: str, note: str) -> None: ...


class Line:
    """The line of one stage: `step()` when one more is done."""

    def __init__(self, board: "Board", stage: str, unit: str, total: int | None) -> None:
        self.board, self.stage, self.unit, self.total = board, stage, unit, total
        self.done, self.began, self.told = 0, time.monotonic(), time.monotonic()
        self.task = board.live.add_task(stage, total=total, unit=unit, note="", aside="") if board.live else None

    def step(self, count: int = 1) -> None:
        """So many more are done."""
        self.done += count
        if self.board.seen:
            self.board.seen.at(self.stage, self._counts(), self.done / self.total if self.total else 0.0)
        if self.board.live and self.task is not None:
            self.board.live.update(self.task, completed=self.done)
        elif time.monotonic() - self.told > PULSE:
            self.told = time.monotonic()
            self.board.show(f"{self.stage:<{WIDTH}} {self._counts()}{self._left()}")

    def aside(self, text: str) -> None:
        """What else there is to say of a stage that is under way."""
        if self.board.live and self.task is not None:
            self.board.live.update(self.task, aside=text)
        elif text:
            self.told = time.monotonic()
            self.board.show(f"{self.stage:<{WIDTH}} {self._counts()}{self._left()} · {text}")

    def watch(self, rows: Iterable[Any]) -> Iterator[Any]:
        """The same rows, counted as they pass."""
        for n, row in enumerate(rows, 1):
            yield row
            if n % 100 == 0:
                self.step(100)

    def end(self, note: str) -> None:
        """The stage is done; `note` says what came of it."""
        seconds = time.monotonic() - self.began
        if self.board.seen:
            self.board.seen.end(self.stage, f"{note} · {seconds:.1f} s")
        if self.board.live and self.task is not None:
            self.board.live.update(
                self.task, completed=self.total or 1, total=self.total or 1, note=f"{note} · {seconds:.1f} s"
            )
        else:
            self.board.show(f"{self.stage:<{WIDTH}} {note} · {seconds:.1f} s")

    def _counts(self) -> str:
        return f"{self.done:,}{f'/{self.total:,}' if self.total else ''} {self.unit}"

    def _left(self) -> str:
        spent = time.monotonic() - self.began
        rate = self.done / spent if spent else 0.0
        left = f", {(self.total - self.done) / rate:,.0f} s left" if self.total and rate else ""
        return f", {rate:,.1f}/s{left}"


class BoardHandler(logging.Handler):
    """Shows on a board what is logged."""

    def __init__(self, board: "Board") -> None:
        super().__init__(logging.WARNING)
        self.board = board

    def emit(self, record: logging.LogRecord) -> None:
        """One line."""
        self.board.say(f"{'model':<{WIDTH}} {record.getMessage()}")


class Board:
    """Where stages show their lines."""

    def __init__(self, console: Console, quiet: bool) -> None:
        self.console, self.quiet = console, quiet
        self.live: Progress | None = None
        self.seen: Seen | None = None  # where else it is shown: in Prefect's UI

    @contextmanager
    def open(self) -> Iterator["Board"]:
        """Lines are live in here, if this is a terminal, and those of a flow that a server knows are seen there too."""
        with _elsewhere() as self.seen, self._listening():
            yield from self._opened()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """What those who ask models have to say meanwhile has a line here too."""
        handler = BoardHandler(self)
        if self.seen or not self.quiet:
            LOG.addHandler(handler)
        try:
            yield
        finally:
            LOG.removeHandler(handler)

    def _opened(self) -> Iterator["Board"]:
        if self.quiet or not self.console.is_terminal:
            yield self
            return
        name = TextColumn(f"{{task.description:<{WIDTH}}}")
        with Progress(name, BarColumn(16), Standing(), console=self.console) as live:
            self.live = live
            try:
                yield self
            finally:
                self.live = None

    def line(self, stage: str, unit: str, total: int | None) -> Line:
        """A new line for a stage that goes through `total` of `unit`."""
        return Line(self, stage, unit, total)

    def say(self, text: str) -> None:
        """One plain line, unless quiet."""
        if self.seen:
            self.seen.say(text)
        self.show(text)

    def show(self, text: str) -> None:
        """The same here alone."""
        if not self.quiet:
            self.console.print(redacted(text, LONGEST), highlight=False, markup=False, soft_wrap=True)


def _elsewhere() -> "AbstractContextManager[Seen | None]":
    """Prefect's UI, where a flow is running; a command that is none never imports Prefect."""
    if "prefect" not in sys.modules:
        return nullcontext()
    from rarefy.flows.serving.ui_progress import seen

    return seen()
