"""One refresh of a store at a time, with takeover after a crash, by no clock but one's own (Gray & Cheriton, 1989)."""

import contextlib
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rarefy.tasks.store.tables import Store

FOLDER = "leases"  # of a store: <name>/<number>.json
BEATS = 6  # heartbeats in the time after which a holder is taken for dead
LOOKS = 12  # of a challenger in that time, at least
LOOK = 1.0  # seconds between two of them, at most
UNREADABLE = "a run whose lease cannot be read"
_FILE = re.compile(r"(\d{1,18})\.json")


class Holding(BaseModel):
    """The content of a lease's file. `beat` rises while the holder lives; `since` is for people and never compared."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    holder: str
    host: str
    pid: int
    since: str  # UTC, ISO
    ttl: float = Field(gt=0, le=86_400)
    token: str
    beat: int = 0
    machine: str = ""  # boot and namespace in which the pid counts; "" where they cannot be known
    started: str = ""  # when that process began, in ticks since the boot: pids are used again
    ended: bool = False

    def __str__(self) -> str:
        return f"{self.holder} (pid {self.pid} on {self.host}, since {self.since})"


class LeaseBusy(Exception):
    """Another run holds the lease: `holding` says which; None where its file cannot be read."""

    def __init__(self, place: str, holding: Holding | None) -> None:
        self.place, self.holding = place, holding
        super().__init__(
            f"{place} is held by {holding or UNREADABLE}; "
            "wait for it to end, or end it: a dead run's lease is taken over by the next"
        )

    @property
    def holder(self) -> str:
        """The holder's name; "" where it cannot be read."""
        return self.holding.holder if self.holding else ""


class LeaseLost(Exception):
    """This run lost its lease: it may publish nothing more."""


def no_fence() -> None:
    """Do nothing: the fence of a run without a lease, which builds into a folder of its own."""


class Lease:
    """The right to publish from a store, for as long as its file is the newest and was renewed in time."""

    def __init__(self, store: Store, name: str, number: int, holding: Holding, begun: float) -> None:
        self.store, self.name, self.number, self.holding = store, name, number, holding
        self._renewed = begun  # this machine's clock, when the last renewal that succeeded was begun
        self._lost = self._trouble = ""

    @property
    def place(self) -> str:
        """The file of the lease, for messages."""
        return f"{self.store.told}/{_file(self.name, self.number)}"

    def check(self) -> None:
        """Raise LeaseLost where the lease is not held any more, now and ever after; OSError where the store is away."""
        if not self._lost:
            self._lost = self._fault()
        if self._lost:
            raise LeaseLost(
                f"{self.holding.holder} holds {self.place} no more: {self._lost}; "
                "nothing more is published; run again and it goes on from here"
            )

    def _fault(self) -> str:
        """Why the lease is lost; "" while it is held."""
        silent = _now() - self._renewed
        if silent > self.holding.ttl:  # a challenger that watched all the while takes it now
            return f"this process was frozen, or the store out of reach, for {silent:.0f} s{self._trouble}"
        number, content = newest_file(self.store, self.name)
        holding = parse_holding(content)
        if number > self.number:
            return f"{holding or 'another run'} took it over"
        if number < self.number:
            return "its file is gone"
        if holding is None:
            return "its file is damaged"
        return "" if holding.token == self.holding.token else f"{holding} wrote over it"

    def renew(self) -> None:
        """Write a heartbeat; LeaseLost as `check`, OSError where it cannot be written."""
        self.check()
        begun = _now()
        holding = self.holding.model_copy(update={"beat": self.holding.beat + 1})
        self.store.write(_file(self.name, self.number), _bytes(holding))
        self.holding, self._renewed = holding, begun

    def _live(self, ended: threading.Event) -> None:
        """Renew until `ended` is set; `check` finds a lease that is lost, or was not renewed for its ttl."""
        while not ended.wait(self.holding.ttl / BEATS):
            try:
                self.renew()
            except LeaseLost:
                return
            except Exception as error:  # a full disk, a lost connection: it may pass in time, or `check` tells of it
                self._trouble = f" ({error})"

    def _end(self) -> None:
        """Mark the lease as ended: the next run need not wait. Its number stays, so that it is never given twice."""
        try:
            self.check()
            over = self.holding.model_copy(update={"ended": True})
            try:
                self.store.write(_file(self.name, self.number), _bytes(over))
            except OSError:  # a full disk: to remove a file takes no room
                self.store.fs.rm_file(f"{self.store.root}/{_file(self.name, self.number)}")
        except Exception:
            return  # another's by now, or out of reach: who comes next waits for as long as a crash costs


@contextlib.contextmanager
def hold_lease(
    store: Store,
    holder: str,
    ttl: float = 60.0,
    name: str = "refresh",
    say: Callable[[str], None] | None = None,
) -> Iterator[Lease]:
    """Hold the lease of this name in this block; LeaseBusy where another run does, OSError where the store has none.

    `holder` is the name that others see. A lease without a heartbeat for `ttl` seconds (or for its own ttl, if that is
    longer) while this call watched is taken over; one of this machine whose process is gone is taken over at once.
    `say` gets a line on a wait. Call `Lease.check()` just before anything is published.
    """
    lease = _take(store, holder, ttl, name, say or (lambda _: None))
    ended = threading.Event()
    life = threading.Thread(target=lease._live, args=(ended,), name=f"lease {name}", daemon=True)
    life.start()
    try:
        yield lease
    finally:
        ended.set()
        life.join(ttl)  # it may hang on a medium that does
        lease._end()


def current_holder(store: Store, name: str = "refresh") -> Holding | None:
    """Who holds the lease, as its file says; None where nobody does, or the process that did is gone."""
    _, content = newest_file(store, name)
    holding = parse_holding(content)
    return None if holding is None or _has_ended(holding) else holding


def newest_file(store: Store, name: str) -> tuple[int, bytes]:
    """Number and content of the newest file of a lease; number 0 where there is none."""
    numbers = _numbers(store, name)
    if not numbers:
        return 0, b""
    try:
        return max(numbers), store.read(_file(name, max(numbers)))
    except FileNotFoundError:  # just now taken over and removed: whoever looks again sees by whom
        return max(numbers), b""


def parse_holding(content: bytes) -> Holding | None:
    """The parsed content of a lease's file; None where it is damaged."""
    try:
        return Holding.model_validate_json(content)
    except ValidationError:
        return None


def _take(store: Store, holder: str, ttl: float, name: str, say: Callable[[str], None]) -> Lease:
    number, content = newest_file(store, name)
    if number:
        number = _wait_until_free(store, name, ttl, number, content, say)
    begun = _now()
    holding = Holding(holder=holder, ttl=ttl, token=uuid4().hex, **describe_process())
    mine = _file(name, number + 1)
    if not store.create(mine, _bytes(holding)):
        raise LeaseBusy(
            f"{store.told}/{FOLDER}/{name}", parse_holding(newest_file(store, name)[1])
        )  # another one was faster
    if not store.local and store.create(mine, b"{}"):
        store.fs.rm_file(f"{store.root}/{mine}")
        raise OSError(
            f"{store.told} writes over what must not be written over: it cannot keep two refreshes apart; "
            "use a service with conditional writes (If-None-Match), or a folder"
        )
    for old in _numbers(store, name):
        if old <= number:
            with contextlib.suppress(FileNotFoundError):
                store.fs.rm_file(f"{store.root}/{_file(name, old)}")
    return Lease(store, name, number + 1, holding, begun)


def _wait_until_free(
    store: Store, name: str, ttl: float, number: int, content: bytes, say: Callable[[str], None]
) -> int:
    """The number of the lease that may be taken over, once its holder is surely gone; LeaseBusy where it lives."""
    before, begun, told = (number, content), _now(), False
    while number and not ((holding := parse_holding(content)) and _has_ended(holding)):
        if (number, content) != before:
            if holding:
                raise LeaseBusy(f"{store.told}/{FOLDER}/{name}", holding)
            before, begun = (number, content), _now()
        patience = max(ttl, holding.ttl if holding else 0.0)
        if _now() - begun > patience:
            break
        if not told:
            say(f"{holding or UNREADABLE} has the lease; taken over if it gives no sign of life for {patience:.0f} s")
            told = True
        time.sleep(min(patience / LOOKS, LOOK))  # a process may be dying right now
        number, content = newest_file(store, name)  # the last look comes right before the lease is taken
    return number


def _has_ended(holding: Holding) -> bool:
    """Has the holder ended, as it wrote itself or because its process is gone?"""
    return holding.ended or is_gone(holding.pid, holding.started, holding.machine)


def _numbers(store: Store, name: str) -> list[int]:
    folder = f"{store.root}/{FOLDER}/{name}"
    store.fs.invalidate_cache(folder)  # another machine may have written since
    try:
        paths = store.fs.ls(folder, detail=False)
    except FileNotFoundError:
        return []
    return [int(found[1]) for path in paths if (found := _FILE.fullmatch(str(path).rpartition("/")[2]))]


def _file(name: str, number: int) -> str:
    return f"{FOLDER}/{name}/{number:012d}.json"


def _bytes(holding: Holding) -> bytes:
    return holding.model_dump_json(indent=1).encode()


def _now() -> float:
    """Seconds of a clock that is never set and goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def machine_id() -> str:
    """Where a pid names one process: boot of this machine and pid namespace; "" off Linux."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def process_state(pid: int) -> tuple[bool, str]:
    """Whether there is such a process, and its start in ticks; a killed, unwaited one is none: proc(5)."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return state not in "ZXx", fields[18]
    except (OSError, ValueError):  # gone, or another user's and hidden
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False, ""
    except OSError:
        return True, ""
    return True, ""


def describe_process() -> dict[str, Any]:
    """What a file says of the process that writes it: host, pid, start, and what tells that pid from a later one."""
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine_id(),
        "started": process_state(os.getpid())[1],
    }


def is_gone(pid: int, since: str, on: str) -> bool:
    """Is the process of that pid, start and machine gone? False where that cannot be known from here."""
    if not on or on != machine_id():
        return False  # only its heartbeats can tell
    alive, started = process_state(pid)
    return not alive or (started != "" and started != since)
