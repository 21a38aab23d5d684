"""What a run says, and how far it has come, in the UI of the server that knows it."""

import contextvars
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from httpx import HTTPStatusError, TransportError
from prefect.artifacts import create_progress_artifact, create_table_artifact, update_progress_artifact
from prefect.context import FlowRunContext
from prefect.logging import get_run_logger

from rarefy.flows.engine import prefect_server
from rarefy.flows.engine.prefect_server import LONGEST, artifact_key
from rarefy.flows.engine.stages import NAMES
from rarefy.tasks.models.llm.secrets import redacted

PULSE = 5.0  # seconds between two updates of the same stage
AGAIN = 30.0  # seconds until the next try where the server did not take one
LAST = 10.0  # seconds that the end of a run waits for what is still to be sent
STAGES_OF_FLOWS = {  # in the order in which a run ends them, by the beginning of its flow's name
    "rarefy evaluate": ("retrieve", "noise", "try", "answer", "score", "conclude", "report"),
    "": (*NAMES, "export"),
}
_WIDE = re.compile(r"^(\S+(?: \S+)*?) {2,}")  # the board's column of stages


class UIProgress:
    """A run's log, an artifact that says how much of it is done, and one for each stage that counts what it works on.

    A thread sends them, always the newest: neither a slow server nor one that is gone holds up a stage.
    """

    def __init__(self, log: Any, stages: tuple[str, ...], place: str) -> None:
        self.log, self.stages, self.place = log, stages, place
        self.share = 0.0  # of the run
        self.shown: dict[str, float] = {}  # when a stage was last shown
        self.artifacts: dict[str, UUID] = {}  # by stage; "": of the run
        self.waiting: dict[str, Callable[[], None]] = {}  # calls of Prefect's API, the newest for each artifact
        self.changed, self.over = threading.Condition(), False
        self.sender = threading.Thread(target=self._send, name="rarefy-progress", daemon=True)
        self.sender.start()
        self._put("", 0.0, "begun")

    def say(self, text: str) -> None:
        """A line of the log."""
        self.log.info(redacted(_WIDE.sub(r"\1: ", text), 5_000))

    def at(self, stage: str, counts: str, share: float) -> None:
        """Show how far a stage is, every few seconds."""
        now = time.monotonic()
        if now - self.shown.get(stage, -PULSE) >= PULSE:
            self.shown[stage] = now
            self._put(stage, share * 100, f"{stage}: {counts}")
            self._put_run(stage, counts, share)

    def end(self, stage: str, note: str) -> None:
        """Show that a stage is done."""
        self.say(f"{stage}  {note}")
        if self.shown.pop(stage, None) is not None:
            self._put(stage, 100.0, f"{stage}: {note}", last=True)
        self._put_run(stage, note, 1.0)

    def fail(self, stage: str, rows: Sequence[Mapping[str, str]]) -> None:
        """Show what a stage failed on, as a table."""
        table, size = list[dict[str, str]](), 0
        for row in rows:
            table.append({name: redacted(value) for name, value in row.items()})
            size += sum(map(len, table[-1].values()))
            if size > LONGEST:
                break
        rest = f"; the first {len(table):,} are shown" if len(table) < len(rows) else ""
        key, description = artifact_key(self.place, "failed"), f"{stage} failed on {len(rows):,}{rest}"
        self._queue(f"failures of {stage}", lambda: create_table_artifact(table, key=key, description=description))

    def close(self, text: str, share: float) -> None:
        """Show that the run is over, and wait a little until the server has all."""
        self.share = max(share, self.share)
        self._put("", self.share, text)
        with self.changed:
            self.over = True
            self.changed.notify()
        self.sender.join(LAST)
        if self.sender.is_alive():
            self.log.warning("the server does not take the end of the progress: the run ends without")

    def _put_run(self, stage: str, text: str, share: float) -> None:
        name = next((one for one in self.stages if stage.startswith(one)), None)
        if name is None:
            return
        place = self.stages.index(name)
        self.share = max(self.share, (place + min(share, 1.0)) / len(self.stages) * 100)
        self._put("", self.share, f"{stage} ({place + 1} of {len(self.stages)}): {text}")

    def _put(self, stage: str, progress: float, text: str, last: bool = False) -> None:
        """Have the artifact of a stage, or of the run, created or updated; `last`: a later one is another."""
        progress, text = min(progress, 100.0), redacted(text)

        def put() -> None:
            if made := self.artifacts.get(stage):
                update_progress_artifact(made, progress, text)
            else:  # that of a stage is found with its task's run: only those with a key are among all artifacts
                key = None if stage else artifact_key(self.place, "progress")
                self.artifacts[stage] = create_progress_artifact(progress, key, text)
            if last:
                self.artifacts.pop(stage, None)

        self._queue(stage, put)

    def _queue(self, name: str, call: Callable[[], object]) -> None:
        """Have a call made in the context of now, in which Prefect sees the runs of flow and task."""
        context = contextvars.copy_context()
        with self.changed:
            self.waiting[name] = lambda: context.run(call)
            self.changed.notify()

    def _send(self) -> None:
        """Make the calls; where the server does not take one, that is logged, and the rest waits for a while."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.over)
                if not self.waiting:
                    return
                calls, self.waiting = self.waiting, {}
            for name, call in calls.items():
                try:
                    call()
                except Exception as error:  # whatever Prefect's client raises: a stage is worth more than its picture
                    self.log.warning("progress is not shown: %s", redacted(f"{name or 'run'}: {error}"))
                    with self.changed:
                        if _is_passing(error) and not self.over:
                            self.waiting.setdefault(name, call)  # unless there is a newer one
                            self.changed.wait_for(lambda: self.over, AGAIN)


def _is_passing(error: Exception) -> bool:
    """Whether a server that cannot be reached, or that its database cannot, is the cause."""
    if isinstance(error, HTTPStatusError):
        return error.response.status_code >= 500
    return isinstance(error, TransportError)


@contextmanager
def show_in_prefect() -> Iterator[UIProgress | None]:
    """Within it, progress is shown in Prefect's UI; yields None outside of a flow, and where nobody can look."""
    context = FlowRunContext.get()
    if context is None or context.flow is None or prefect_server.is_temporary():
        yield None
        return
    name = context.flow.name
    stages = next(stages for begins, stages in STAGES_OF_FLOWS.items() if name.startswith(begins))
    given = context.parameters or {}
    shown = UIProgress(get_run_logger(), stages, str(given.get("out") or given.get("results") or ""))
    try:
        yield shown
    except BaseException as error:
        shown.close(f"ended by {type(error).__name__}", 0.0)
        raise
    shown.close("done", 100.0)
