"""Progress: one live line per stage on a terminal, plain lines elsewhere, none when quiet."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from rarefy.flows.faults import LONGEST
from rarefy.tasks.models.llm.secrets import redacted

LOGS = {"rarefy.llm": "model", "rarefy.retrieve": "retrieve"}  # by logger: the word that its messages stand under
WIDTH = 17  # of the longest stage's name
SHORT = 5.0  # seconds of a stage over whole tables that nobody need hear of
PULSE = 10.0  # seconds between two plain lines of one stage: a log stays readable, and shows that it lives


class ProgressText(ProgressColumn):
    """The column that says how far a stage has come, and what came of it once it is done."""

    def render(self, task: Task) -> Text:
        """Counts, rate and time left; at the end the stage's own words."""
        if note := task.fields["note"]:
            return Text(note)
        counts = f"{task.completed:,.0f}{f'/{task.total:,.0f}' if task.total else ''} {task.fields['unit']}"
        left = f" · {task.time_remaining:,.0f} s left" if task.time_remaining is not None else ""
        aside = f" · {task.fields['aside']}" if task.fields["aside"] else ""
        return Text(f"{counts}{f' · {task.speed:,.1f}/s' if task.speed else ''}{left}{aside}", style="dim")


class ProgressListener(Protocol):
    """Gets the lines of a board, to show them elsewhere."""

    def say(self, text: str) -> None: ...

    def at(self, stage: str, counts: str, share: float) -> None: ...

    def end(self, stage: str, note: str) -> None: ...

    def fail(self, stage: str, rows: Sequence[Mapping[str, str]]) -> None: ...


class ProgressLine:
    """The line of one stage: `step()` when one more is done."""

    def __init__(self, board: "ProgressBoard", stage: str, unit: str, total: int | None) -> None:
        self.board, self.stage, self.unit, self.total = board, stage, unit, total
        self.done, self.began, self.printed = 0, time.monotonic(), time.monotonic()
        self.first: tuple[float, int] | None = None  # when the first were done, and how many: until then it warms up
        self.task = board.live.add_task(stage, total=total, unit=unit, note="", aside="") if board.live else None

    def step(self, count: int = 1) -> None:
        """Count so many more as done."""
        self.done += count
        self.first = self.first or (time.monotonic(), self.done)
        if self.board.listener:
            self.board.listener.at(self.stage, self._counts(), self.done / self.total if self.total else 0.0)
        if self.board.live and self.task is not None:
            self.board.live.update(self.task, completed=self.done)
        elif time.monotonic() - self.printed > PULSE:
            self.printed = time.monotonic()
            self.board.show(f"{self.stage:<{WIDTH}} {self._counts()}{self._left()}")

    def aside(self, text: str) -> None:
        """Show a remark beside the counts of a stage that is under way."""
        if self.board.live and self.task is not None:
            self.board.live.update(self.task, aside=text)
        elif text:
            self.printed = time.monotonic()
            self.board.show(f"{self.stage:<{WIDTH}} {self._counts()}{self._left()} · {text}")

    def watch(self, rows: Iterable[Any]) -> Iterator[Any]:
        """Yield the same rows, counting them."""
        for n, row in enumerate(rows, 1):
            yield row
            if n % 100 == 0:
                self.step(100)

    def end(self, note: str, *, minor: bool = False) -> None:
        """End the line with what came of the stage; of a `minor` one that was short only where all is to be shown."""
        seconds = time.monotonic() - self.began
        if self.board.listener:
            self.board.listener.end(self.stage, f"{note} · {seconds:.1f} s")
        unseen = minor and seconds < SHORT and not self.board.verbose
        if self.board.live and self.task is not None and unseen:
            self.board.live.remove_task(self.task)
        elif self.board.live and self.task is not None:
            self.board.live.update(
                self.task, completed=self.total or 1, total=self.total or 1, note=f"{note} · {seconds:.1f} s"
            )
        elif not unseen:
            self.board.show(f"{self.stage:<{WIDTH}} {note} · {seconds:.1f} s")

    def _counts(self) -> str:
        return f"{self.done:,}{f'/{self.total:,}' if self.total else ''} {self.unit}"

    def _left(self) -> str:
        """The rate since the first were done, and the time left at it; nothing before there is one."""
        if self.first is None or self.done <= self.first[1]:
            return ""
        rate = (self.done - self.first[1]) / max(time.monotonic() - self.first[0], 1e-9)
        left = f", {(self.total - self.done) / rate:,.0f} s left" if self.total else ""
        return f", {rate:,.1f}/s{left}"


class BoardHandler(logging.Handler):
    """Prints log records on a board."""

    def __init__(self, board: "ProgressBoard") -> None:
        super().__init__(logging.INFO)
        self.board = board

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        self.board.note(LOGS[record.name], record.getMessage())


class ProgressBoard:
    """Prints the progress of stages on a console and, where a flow is running, in Prefect's UI."""

    def __init__(self, console: Console, quiet: bool, verbose: bool = False) -> None:
        self.console, self.quiet, self.verbose = console, quiet, verbose
        self.live: Progress | None = None
        self.listener: ProgressListener | None = None  # in Prefect's UI

    @contextmanager
    def open(self) -> Iterator["ProgressBoard"]:
        """Within it, lines are live on a terminal, and shown in Prefect's UI where a server knows this flow."""
        with _prefect_listener() as self.listener, self._listening():
            yield from self._opened()

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """Within it, what model clients and retrievers tell is printed, too."""
        handler = BoardHandler(self)
        if self.listener or not self.quiet:
            for name in LOGS:
                logging.getLogger(name).addHandler(handler)
                logging.getLogger(name).setLevel(logging.INFO)
        try:
            yield
        finally:
            for name in LOGS:
                logging.getLogger(name).removeHandler(handler)

    def _opened(self) -> Iterator["ProgressBoard"]:
        if self.quiet or not self.console.is_terminal:
            yield self
            return
        name = TextColumn(f"{{task.description:<{WIDTH}}}")
        with Progress(name, BarColumn(16), ProgressText(), console=self.console) as live:
            self.live = live
            try:
                yield self
            finally:
                self.live = None

    def line(self, stage: str, unit: str, total: int | None) -> ProgressLine:
        """A new line for a stage that goes through `total` of `unit`."""
        return ProgressLine(self, stage, unit, total)

    def say(self, text: str) -> None:
        """Print one plain line, unless quiet, and pass it to the listener."""
        if self.listener:
            self.listener.say(text)
        self.show(text)

    def note(self, stage: str, text: str) -> None:
        """Print a line under the name of a stage, or a word of its kind."""
        self.say(f"{stage:<{WIDTH}} {text}")

    def fail(self, stage: str, rows: Sequence[Mapping[str, str]]) -> None:
        """Pass what a stage failed on to the listener, row by row: the console gets a few lines of it otherwise."""
        if self.listener and rows:
            self.listener.fail(stage, rows)

    def show(self, text: str) -> None:
        """Print one line on the console alone, unless quiet."""
        if not self.quiet:
            self.console.print(redacted(text, LONGEST), highlight=False, markup=False, soft_wrap=True)


def _prefect_listener() -> "AbstractContextManager[ProgressListener | None]":
    """Prefect's UI as a listener, where a flow is running; a plain command never imports Prefect."""
    if "prefect" not in sys.modules:
        return nullcontext()
    from rarefy.flows.serving.ui_progress import show_in_prefect

    return show_in_prefect()
