"""Refreshes, in processes of their own, that end or meet a full disk at their n-th write below a folder."""

import contextlib
import errno
import functools
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LATE = [
    "great_expectations",
    "spacy",
    "rarefy.flows.refresh",
    "rarefy.tasks.knowledge.extract.prose",
    "rarefy.tasks.refresh.versions",
]
CHANGES = {"os.rename", "os.link", "os.remove", "os.rmdir", "os.mkdir"}
NEEDS_ROOM = {"open", "os.mkdir"}  # a rename, a removal and a link to what is there succeed on a full disk
QUICK = {"perturb": {"query": [], "document": [], "context": []}}  # what is tested is how stages are run


def go(place: Path, out: str = "out", **given: Any) -> Any:
    """A refresh in this process; what is damaged is mended as the command does."""
    from rarefy.flows.cli.checks import with_store_repair
    from rarefy.flows.config import Config
    from rarefy.flows.refresh import refresh

    where = (str(place / "corpus"), str(place / out), Config.model_validate(QUICK), str(place / "store"))
    return with_store_repair(where[-1], lambda: refresh.fn(*where, quiet=True, **given))


def gone(place: str, ttl: float = 3600.0) -> str:
    """What a refresh says that came of it, under a lease that gives few signs of life: each of them is a write."""
    from rarefy.flows import refresh as refreshing
    from rarefy.tasks.store import active_runs
    from rarefy.tasks.store.lease import hold_lease

    refreshing.hold_lease = functools.partial(hold_lease, ttl=ttl)
    active_runs.BEAT = ttl
    return str(go(Path(place)).status)


def together(start: Any, said: Any, place: str) -> None:
    """A refresh that begins when all others do."""
    import rarefy.flows.refresh

    assert rarefy
    start.wait()
    said.put(gone(place))


def processes() -> Any:
    """Where processes are started from: they have their imports already."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LATE)
    return context


def killed(place: Path, at: int) -> None:
    """From now on this process is killed just before its write number `at` below the place; the first one is 1."""
    _watch(place, at, lambda _event, _path: os.kill(os.getpid(), signal.SIGKILL))


def full(place: Path, at: int) -> None:
    """From its write number `at` below the place on, this process finds no room on the disk there."""

    def refuse(event: str, path: str) -> None:
        if event in NEEDS_ROOM and not (event == "os.mkdir" and Path(path).is_dir()):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    _watch(place, at, refuse)


def counted(place: Path, told: Path) -> None:
    """All its writes below the place are written down, a line each, in another file."""
    file = told.open("a")

    def note(event: str, path: str) -> None:
        file.write(f"{event} {Path(path).relative_to(place)}\n")
        file.flush()

    _watch(place, 1, note)


def _watch(place: Path, at: int, act: Callable[[str, str], None]) -> None:
    seen = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event == "open":
            path, mode, flags = arguments
            writes = bool(set(mode) & set("wxa+")) if isinstance(mode, str) else bool(flags & (os.O_WRONLY | os.O_RDWR))
        elif event in CHANGES:
            path, writes = arguments[0], True
        else:
            return
        if writes and isinstance(path, str | os.PathLike) and str(path).startswith(f"{place}{os.sep}"):
            if event == "os.mkdir" and Path(path).is_dir():
                return  # nothing is written: it is there
            seen += 1
            if seen >= at:
                act(event, str(path))

    sys.addaudithook(hook)


def run(work: Callable[..., None], *given: object, before: Callable[[], None] | None = None) -> tuple[int, str]:
    """How a process that does this ended (its exit code, or minus the signal), and what it last said of itself."""
    context = processes()
    here, there = context.Pipe()
    process = context.Process(target=_told, args=(there, before, work, given))
    process.start()
    there.close()
    said = ""
    with contextlib.suppress(EOFError):
        said = here.recv()
    process.join()
    here.close()
    return process.exitcode, said


def _told(there: Any, before: Callable[[], None] | None, work: Callable[..., None], given: tuple[object, ...]) -> None:
    try:
        if before:
            before()
        there.send(str(work(*given)))
    except BaseException as error:
        there.send(f"{type(error).__name__}: {error}")
        raise SystemExit(1) from None


def frozen(place: Path, what: str) -> None:
    """This process stops just before the write that is told so (as `counted` does), until it is made to go on."""
    seen = []

    def stop(event: str, path: str) -> None:
        if not seen and f"{event} {Path(path).relative_to(place)}".startswith(what):
            seen.append(what)
            os.kill(os.getpid(), signal.SIGSTOP)

    _watch(place, 1, stop)


def small(largest: int) -> None:
    """From now on no file of this process may grow larger than so many bytes."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))


def read_only(place: Path) -> None:
    """From now on this process can write nothing below the place."""

    def refuse(_event: str, path: str) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    _watch(place, 1, refuse)
