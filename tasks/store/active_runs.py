"""Which runs work on a store now: what they have made is in no journal yet, and no sweep may take it (§5).

A run puts its mark down and looks for a sweep then; a sweep puts its own down and looks for runs then. Of two that
begin at once at least one sees the other (Dekker's order of writes and reads).
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from rarefy.tasks.listed import File, files
from rarefy.tasks.processes import gone, myself
from rarefy.tasks.store.tables import FORGOTTEN, Store

FOLDER = "runs"  # of a store: <id>.json
BEAT = 10.0  # seconds between two signs of life
SILENT = 60.0  # seconds without one after which nobody waits for a sweep: by then it has lost its lease
LOOK = 1.0  # seconds between two looks at a sweep


class Mark(BaseModel):
    """What a run's file says. `beat` moves while it lives; `since` is told and never compared."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    what: str
    host: str
    pid: int
    since: str  # UTC, ISO
    sweeps: bool = False  # it removes what no version needs
    beat: int = 0
    machine: str = ""  # boot and namespace in which the pid counts; "" where they cannot be known
    started: str = ""  # when that process began, in ticks since the boot: pids are used again

    def __str__(self) -> str:
        return f"{self.what} (pid {self.pid} on {self.host}, since {self.since})"


class Running(Exception):
    """Others work on the store; the message says who and what to do."""


@contextlib.contextmanager
def marked(store: Store, what: str, say: Callable[[str], object] = lambda _: None) -> Iterator[None]:
    """Let no sweep begin in here; one that is under way is waited for, of which `say` is told.

    A store that takes no mark (it is full, or read-only) stops no run: there may be nothing to write. `say` is told,
    and the mark is there as soon as it can be.
    """
    with _shown(store, what, False) as (name, trouble):
        if trouble:
            say(f"rarefy gc must not run on this store now: {trouble}, which keeps it from seeing this run")
        _let_pass(store, name, say)
        yield


@contextlib.contextmanager
def alone(store: Store, what: str) -> Iterator[None]:
    """Sweep in here: runs that begin meanwhile wait. Marks of dead runs are tidied.

    Running where there is a living one; OSError where no mark can be written.
    """
    with _shown(store, what, True) as (name, trouble):
        if trouble:
            raise trouble
        if runs := [str(mark) for mark in living(store, name).values() if not mark.sweeps]:
            raise Running(
                f"{'; '.join(sorted(runs))}: what it has made is in no journal yet, so nothing is removed from "
                f"{store.told}; wait for it to end, or end it"
            )
        _tidy(store, name)
        yield


def living(store: Store, own: str = "") -> dict[str, Mark]:
    """The marks of others that live, by file: none without a sign of life for an hour by the store's clock, none whose
    process is gone from this machine. `own` is the name of this run's file, which tells that clock."""
    return {file.path: mark for file, mark in _marks(store, own) if mark}


def _marks(store: Store, own: str) -> list[tuple[File, Mark | None]]:
    """The files of others, with the mark of each that lives."""
    found = [file for file in files(store, FOLDER) if file.name.endswith(".json")]
    now = next((file.written for file in found if file.name == own), time.time())
    return [(file, _read(store, file, now)) for file in found if file.name != own]


def _read(store: Store, file: File, now: float) -> Mark | None:
    if file.written < now - FORGOTTEN:
        return None
    try:
        mark = Mark.model_validate_json(store.read(f"{FOLDER}/{file.name}"))
    except FileNotFoundError:  # it ended just now
        return None
    except ValidationError:
        return Mark(what=f"a run whose mark {file.path} cannot be read", host="an unknown host", pid=0, since="unknown")
    return None if gone(mark.pid, mark.started, mark.machine) else mark


def _tidy(store: Store, own: str) -> None:
    """Remove the marks of those that died."""
    for file, mark in _marks(store, own):
        if mark is None:
            with contextlib.suppress(FileNotFoundError):
                store.fs.rm_file(file.path)


def _let_pass(store: Store, own: str, say: Callable[[str], object]) -> None:
    """Wait until no sweep is under way, or the one that is gave no sign of life for a minute of this run's clock."""
    seen: dict[str, int] = {}
    begun = time.monotonic()
    while sweeps := {path: mark for path, mark in living(store, own).items() if mark.sweeps}:
        beats = {path: mark.beat for path, mark in sweeps.items()}
        if not seen:
            say(f"waiting for {'; '.join(map(str, sweeps.values()))}")
        if beats != seen:
            seen, begun = beats, time.monotonic()
        elif time.monotonic() - begun > SILENT:
            return
        time.sleep(LOOK)


@contextlib.contextmanager
def _shown(store: Store, what: str, sweeps: bool) -> Iterator[tuple[str, OSError | None]]:
    """Keep a mark alive in here: the name of its file, and why it is not there yet."""
    name = f"{uuid4().hex}.json"
    mark = Mark(what=what, sweeps=sweeps, **myself())
    ended = threading.Event()
    life = threading.Thread(target=_live, args=(store, name, mark, ended), name=f"mark {name}", daemon=True)
    trouble = None
    try:
        _write(store, name, mark)
    except OSError as error:
        trouble = error
    life.start()
    try:
        yield name, trouble
    finally:
        ended.set()
        life.join(BEAT)  # it may hang on a medium that does
        with contextlib.suppress(OSError):  # what cannot be removed counts for nothing once this process is gone
            store.fs.rm_file(f"{store.root}/{FOLDER}/{name}")


def _live(store: Store, name: str, mark: Mark, ended: threading.Event) -> None:
    beat = 0
    while not ended.wait(BEAT):
        beat += 1
        # a full disk, a lost connection: it may pass within the hour that a mark counts, else the run fails by itself
        with contextlib.suppress(Exception):
            _write(store, name, mark.model_copy(update={"beat": beat}))


def _write(store: Store, name: str, mark: Mark) -> None:
    store.write(f"{FOLDER}/{name}", mark.model_dump_json(indent=1).encode())
