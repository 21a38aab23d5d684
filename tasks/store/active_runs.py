"""Marks of the runs that work on a store: a sweep must not remove what they have made and not published yet (§5).

A run writes its mark and then looks for a sweep; a sweep writes its own and then looks for runs. Of two that begin at
once at least one sees the other (Dekker's order of writes and reads).
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, ValidationError

from rarefy.tasks.store.lease import describe_process, is_gone
from rarefy.tasks.store.tables import ABANDONED_AFTER, Store, StoredFile, list_files

FOLDER = "runs"  # of a store: <id>.json
BEAT = 10.0  # seconds between two heartbeats
SILENT = 60.0  # seconds without one after which nobody waits for a sweep: by then it has lost its lease
LOOK = 1.0  # seconds between two looks at a sweep


class RunMark(BaseModel):
    """The content of a run's file. `beat` rises while the run lives; `since` is for people and never compared."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    what: str
    host: str
    pid: int
    since: str  # UTC, ISO
    sweeps: bool = False  # it is a sweep, which removes what no version needs
    beat: int = 0
    machine: str = ""  # boot and namespace in which the pid counts; "" where they cannot be known
    started: str = ""  # when that process began, in ticks since the boot: pids are used again

    def __str__(self) -> str:
        return f"{self.what} (pid {self.pid} on {self.host}, since {self.since})"


class StoreInUse(Exception):
    """Other runs work on the store; the message says which, and what to do."""


@contextlib.contextmanager
def mark_run(store: Store, what: str, say: Callable[[str], object] = lambda _: None) -> Iterator[None]:
    """Keep sweeps from beginning in this block; one that is under way is waited for, and `say` gets a line on it.

    A store that takes no mark (it is full, or read-only) stops no run: there may be nothing to write. `say` gets a
    line, and the mark is written as soon as it can be.
    """
    with _keep_mark(store, what, False) as (name, trouble):
        if trouble:
            say(f"rarefy gc must not run on this store now: {trouble}, which keeps it from seeing this run")
        _wait_for_sweeps(store, name, say)
        yield


@contextlib.contextmanager
def mark_sweep(store: Store, what: str) -> Iterator[None]:
    """Sweep in this block: runs that begin meanwhile wait. Marks of dead runs are removed.

    StoreInUse where a run is alive; OSError where no mark can be written.
    """
    with _keep_mark(store, what, True) as (name, trouble):
        if trouble:
            raise trouble
        if runs := [str(mark) for mark in living_runs(store, name).values() if not mark.sweeps]:
            raise StoreInUse(
                f"{'; '.join(sorted(runs))}: what it has made is in no journal yet, so nothing is removed from "
                f"{store.told}; wait for it to end, or end it"
            )
        _remove_dead_marks(store, name)
        yield


def living_runs(store: Store, own: str = "") -> dict[str, RunMark]:
    """The marks of other runs that are alive, by file.

    A run counts as dead without a heartbeat for an hour of the store's clock, or when its process is gone from this
    machine. `own` is the name of this run's file, which gives that clock.
    """
    return {file.path: mark for file, mark in _marks(store, own) if mark}


def _marks(store: Store, own: str) -> list[tuple[StoredFile, RunMark | None]]:
    """The files of other runs, each with its mark, or None where the run is dead."""
    found = [file for file in list_files(store, FOLDER) if file.name.endswith(".json")]
    now = next((file.written for file in found if file.name == own), time.time())
    return [(file, _read(store, file, now)) for file in found if file.name != own]


def _read(store: Store, file: StoredFile, now: float) -> RunMark | None:
    if file.written < now - ABANDONED_AFTER:
        return None
    try:
        mark = RunMark.model_validate_json(store.read(f"{FOLDER}/{file.name}"))
    except FileNotFoundError:  # it ended just now
        return None
    except ValidationError:
        return RunMark(
            what=f"a run whose mark {file.path} cannot be read", host="an unknown host", pid=0, since="unknown"
        )
    return None if is_gone(mark.pid, mark.started, mark.machine) else mark


def _remove_dead_marks(store: Store, own: str) -> None:
    """Remove the marks of runs that died."""
    for file, mark in _marks(store, own):
        if mark is None:
            with contextlib.suppress(FileNotFoundError):
                store.fs.rm_file(file.path)


def _wait_for_sweeps(store: Store, own: str, say: Callable[[str], object]) -> None:
    """Wait until no sweep is under way, or the one that is gave no heartbeat for a minute of this run's clock."""
    seen: dict[str, int] = {}
    begun = time.monotonic()
    while sweeps := {path: mark for path, mark in living_runs(store, own).items() if mark.sweeps}:
        beats = {path: mark.beat for path, mark in sweeps.items()}
        if not seen:
            say(f"waiting for {'; '.join(map(str, sweeps.values()))}")
        if beats != seen:
            seen, begun = beats, time.monotonic()
        elif time.monotonic() - begun > SILENT:
            return
        time.sleep(LOOK)


@contextlib.contextmanager
def _keep_mark(store: Store, what: str, sweeps: bool) -> Iterator[tuple[str, OSError | None]]:
    """Write a mark and keep its heartbeat up in this block; gives the name of its file, and why it is not there yet."""
    name = f"{uuid4().hex}.json"
    mark = RunMark(what=what, sweeps=sweeps, **describe_process())
    ended = threading.Event()
    life = threading.Thread(target=_beat_until, args=(store, name, mark, ended), name=f"mark {name}", daemon=True)
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


def _beat_until(store: Store, name: str, mark: RunMark, ended: threading.Event) -> None:
    beat = 0
    while not ended.wait(BEAT):
        beat += 1
        # a full disk, a lost connection: it may pass within the hour that a mark counts, else the run fails by itself
        with contextlib.suppress(Exception):
            _write(store, name, mark.model_copy(update={"beat": beat}))


def _write(store: Store, name: str, mark: RunMark) -> None:
    store.write(f"{FOLDER}/{name}", mark.model_dump_json(indent=1).encode())
