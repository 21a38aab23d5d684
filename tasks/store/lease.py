"""One refresh of a store at a time, with takeover after a crash, by no clock but one's own (Gray & Cheriton, 1989)."""

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rarefy.tasks.processes import gone, myself
from rarefy.tasks.store.tables import Store

FOLDER = "leases"  # of a store: <name>/<number>.json
BEATS = 6  # signs of life in the time after which one is taken for dead
LOOKS = 12  # of a challenger in that time, at least
LOOK = 1.0  # seconds between two of them, at most
UNREADABLE = "a run whose lease cannot be read"
_FILE = re.compile(r"(\d{1,18})\.json")


class Holding(BaseModel):
    """What the file of a lease says. `beat` moves while the holder lives; `since` is told and never compared."""

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


class Busy(Exception):
    """Another one holds the lease: `holding` says who; None where its file cannot be read."""

    def __init__(self, place: str, holding: Holding | None) -> None:
        self.place, self.holding = place, holding
        super().__init__(
            f"{place} is held by {holding or UNREADABLE}; "
            "wait for it to end, or end it: a dead run's lease is taken over by the next"
        )

    @property
    def holder(self) -> str:
        """What the holder calls itself; "" where that cannot be read."""
        return self.holding.holder if self.holding else ""


class LeaseLost(Exception):
    """This run holds the lease no more: nothing of it may be published."""


def unfenced() -> None:
    """The fence of a run without a lease: whoever builds into a folder of its own needs none."""


class Lease:
    """The right to publish from a store, for as long as its file is the newest and was renewed in time."""

    def __init__(self, store: Store, name: str, number: int, holding: Holding, begun: float) -> None:
        self.store, self.name, self.number, self.holding = store, name, number, holding
        self._renewed = begun  # this machine's clock, when the last renewal that succeeded was begun
        self._lost = self._trouble = ""

    @property
    def place(self) -> str:
        """The file, as messages name it."""
        return f"{self.store.told}/{_file(self.name, self.number)}"

    def check(self) -> None:
        """Nothing while the lease is held; LeaseLost where it is not, and for ever after. OSError: no store to ask."""
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
        number, content = newest(self.store, self.name)
        said = read(content)
        if number > self.number:
            return f"{said or 'another run'} took it over"
        if number < self.number:
            return "its file is gone"
        if said is None:
            return "its file is damaged"
        return "" if said.token == self.holding.token else f"{said} wrote over it"

    def renew(self) -> None:
        """Give a sign of life; as `check` where the lease is lost, OSError where it cannot be given."""
        self.check()
        begun = _now()
        holding = self.holding.model_copy(update={"beat": self.holding.beat + 1})
        self.store.write(_file(self.name, self.number), _bytes(holding))
        self.holding, self._renewed = holding, begun

    def _live(self, ended: threading.Event) -> None:
        """Renew until told to end; a lease that is lost, or cannot be renewed for its ttl, is found so by `check`."""
        while not ended.wait(self.holding.ttl / BEATS):
            try:
                self.renew()
            except LeaseLost:
                return
            except Exception as error:  # a full disk, a lost connection: it may pass in time, or `check` tells of it
                self._trouble = f" ({error})"

    def _end(self) -> None:
        """Say that it is over: the next one need not wait. The number stays, so that it is never given twice."""
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
def taken(
    store: Store,
    holder: str,
    ttl: float = 60.0,
    name: str = "refresh",
    say: Callable[[str], None] | None = None,
) -> Iterator[Lease]:
    """Hold the lease of this name in here; Busy where another one does. OSError where the store cannot have leases.

    `holder` is what others are told. One that gave no sign of life for `ttl` seconds (or for its own, if that is
    longer) while this call watched is taken over; one of this machine whose process is gone is at once. `say` is told
    of a wait. What is published is checked with `Lease.check()` just before.
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


def held(store: Store, name: str = "refresh") -> Holding | None:
    """Who holds the lease, as far as its file says; None where nobody does, or who did is a process that is gone."""
    _, content = newest(store, name)
    said = read(content)
    return None if said is None or _over(said) else said


def newest(store: Store, name: str) -> tuple[int, bytes]:
    """Number and content of the newest file of a lease; 0 where there is none."""
    numbers = _numbers(store, name)
    if not numbers:
        return 0, b""
    try:
        return max(numbers), store.read(_file(name, max(numbers)))
    except FileNotFoundError:  # just now taken over and removed: whoever looks again sees by whom
        return max(numbers), b""


def read(content: bytes) -> Holding | None:
    """What a file says; None where it is no whole one of ours."""
    try:
        return Holding.model_validate_json(content)
    except ValidationError:
        return None


def _take(store: Store, holder: str, ttl: float, name: str, say: Callable[[str], None]) -> Lease:
    number, content = newest(store, name)
    if number:
        number = _free(store, name, ttl, number, content, say)
    begun = _now()
    holding = Holding(holder=holder, ttl=ttl, token=uuid4().hex, **myself())
    mine = _file(name, number + 1)
    if not store.create(mine, _bytes(holding)):
        raise Busy(f"{store.told}/{FOLDER}/{name}", read(newest(store, name)[1]))  # another one was faster
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


def _free(store: Store, name: str, ttl: float, number: int, content: bytes, say: Callable[[str], None]) -> int:
    """The number of a lease that may be taken over, once it is sure that its holder is gone; Busy where it lives."""
    before, begun, told = (number, content), _now(), False
    while number and not ((said := read(content)) and _over(said)):
        if (number, content) != before:
            if said:
                raise Busy(f"{store.told}/{FOLDER}/{name}", said)
            before, begun = (number, content), _now()
        patience = max(ttl, said.ttl if said else 0.0)
        if _now() - begun > patience:
            break
        if not told:
            say(f"{said or UNREADABLE} has the lease; taken over if it gives no sign of life for {patience:.0f} s")
            told = True
        time.sleep(min(patience / LOOKS, LOOK))  # a process may be dying right now
        number, content = newest(store, name)  # the last look comes right before the lease is taken
    return number


def _over(said: Holding) -> bool:
    """Has the holder ended, by its own word or because its process is gone?"""
    return said.ended or gone(said.pid, said.started, said.machine)


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
    """Seconds of a clock that nobody sets and that goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
