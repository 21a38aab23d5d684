"""What a run says, and how far it has come, in the UI of the server that knows it."""

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from httpx import HTTPError
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.context import FlowRunContext
from prefect.logging import get_run_logger

from rarefy.flows.engine import prefect_server
from rarefy.flows.engine.prefect_server import artifact_key
from rarefy.flows.engine.stages import NAMES
from rarefy.tasks.models.llm.secrets import redacted

PULSE = 5.0  # seconds between two updates of the same stage
STAGES_OF_FLOWS = {  # in the order in which a run ends them, by the beginning of its flow's name
    "rarefy evaluate": ("retrieve", "noise", "try", "answer", "score", "conclude", "report"),
    "": (*NAMES, "export"),
}
_WIDE = re.compile(r"^(\S+(?: \S+)*?) {2,}")  # the board's column of stages


class UIProgress:
    """A run's log, and one artifact that says how much of it is done."""

    def __init__(self, log: Any, stages: tuple[str, ...], place: str) -> None:
        self.log, self.stages = log, stages
        self.artifact: UUID | None = create_progress_artifact(
            0.0, key=artifact_key(place, "progress"), description="begun"
        )
        self.share, self.told, self.lock = 0.0, time.monotonic(), threading.Lock()

    def say(self, text: str) -> None:
        """A line of the log."""
        self.log.info(redacted(_WIDE.sub(r"\1: ", text), 5_000))

    def at(self, stage: str, counts: str, share: float) -> None:
        """Show how far a stage is, every few seconds."""
        if time.monotonic() - self.told > PULSE:
            self._tell(stage, counts, share)

    def end(self, stage: str, note: str) -> None:
        """Show that a stage is done."""
        self.say(f"{stage}  {note}")
        self._tell(stage, note, 1.0)

    def close(self, text: str, share: float) -> None:
        """Show that the run is over."""
        self.share = max(share, self.share)
        self._put(text)

    def _tell(self, stage: str, text: str, share: float) -> None:
        name = next((one for one in self.stages if stage.startswith(one)), None)
        if name is None:
            return
        place = self.stages.index(name)
        with self.lock:
            self.told = time.monotonic()
            self.share = max(self.share, (place + min(share, 1.0)) / len(self.stages) * 100)
        self._put(f"{stage} ({place + 1} of {len(self.stages)}): {text}")

    def _put(self, text: str) -> None:
        """Update the artifact; where the server does not take it, that is logged once, and the run goes on without."""
        if self.artifact is None:
            return
        try:
            update_progress_artifact(self.artifact, progress=min(self.share, 100.0), description=redacted(text))
        except (HTTPError, OSError, RuntimeError) as error:
            self.artifact = None
            self.log.warning("progress is not shown any more: %s", redacted(str(error)))


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
