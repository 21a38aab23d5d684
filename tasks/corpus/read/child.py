"""Read documents in a child process with limits of memory and time, below the limits that the readers apply first.

A stage's worker may be a daemonic process (Dask's are), whose multiprocessing allows no children, and whose pools run
`__main__` again: so a plain child of `subprocess`, and multiprocessing's own framing on a pair of sockets to it. One
child serves many documents, one after the other, and another takes its place when it is killed or has grown.
"""

import atexit
import contextlib
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import (
    DIED,
    OUT_OF_MEMORY,
    OUT_OF_TIME,
    ReadConfig,
    read_local,
    read_zip,
)
from rarefy.tasks.corpus.read.sources import ABOUT_CORPUS, FOLDER, SPECIAL, Member, Source, local_copy, open_file
from rarefy.tasks.corpus.read.unreadable import Unreadable, quarantine_source

try:
    import resource
except ImportError:  # no POSIX system: time by the clock is the only bound
    resource = None  # type: ignore[assignment]

Row = Document | Quarantined
# Bytes of a plain text or JSON that are read without a child: Python alone reads them, in less than a second, and a
# corpus of many such files shall not pay the second that a child takes to start
SMALL = 200_000
PLAIN = ("text/plain", "text/markdown", "application/json", "application/jsonl")
WAITING = 4  # times the seconds of work: so much may pass by the clock, on a machine that is busy
GROWN = 1 << 30  # bytes at its most: a child that took more is not given the next document, which would have less
STARTING = 120  # seconds
_START = (
    "import sys; from multiprocessing.connection import Connection; pipe = Connection(int(sys.argv[1])); "
    "sys.path[:] = pipe.recv(); from rarefy.tasks.corpus.read.child import serve; serve(pipe)"
)


def read(source: Source, config: ReadConfig) -> Iterator[Row]:
    """The documents of one source, or the reason why there are none; whatever its reader does, this process goes on.

    Rows as `rarefy.tasks.corpus.read.read` gives them. A reader over `seconds` or `memory_bytes`, or ended by a signal,
    costs its source alone: what came before is kept, and a row says `read_timeout`, `read_memory` or `reader_died`.
    """
    try:
        with local_copy(source) as near:
            own = Path(near.path).suffix.lower() in config.readers
            if near.media_type == "application/zip" and not own:  # each file in it has a child, and a fault, of its own
                yield from read_local(near, config, partial(read_zip, read=read))
            else:
                yield from read_local(near, config) if _is_harmless(near, config) else _in_child(near, config)
    except Unreadable as error:
        yield quarantine_source(source.path, error)


def _is_harmless(source: Source, config: ReadConfig) -> bool:
    """Whether its reader is Python alone on few bytes; also what no reader gets to see."""
    if source.media_type in (FOLDER, SPECIAL, ABOUT_CORPUS):
        return True
    if source.media_type not in PLAIN or Path(source.path).suffix.lower() in config.readers:
        return False
    try:
        with open_file(source.location) as stream:
            content = stream.read(SMALL + 1)
    except (OSError, Unreadable):
        return True  # the reader meets the same
    if len(content) > SMALL or content.startswith(b"%PDF-"):
        return False
    return source.media_type.startswith("application/") or b"<" not in content[:4096]


def _in_child(source: Source, config: ReadConfig) -> Iterator[Row]:
    child = _CHILDREN.take()
    done = False
    try:
        child.pipe.send((source, config, dict(os.environ)))  # a reader may hang on what has changed since it began
        while True:
            if not child.pipe.poll(WAITING * config.seconds):
                raise Unreadable(*OUT_OF_TIME)
            row, peak, left = pickle.loads(child.pipe.recv_bytes())
            if row is None:
                done = peak <= GROWN
                if isinstance(source, Member):
                    source.unpacked.left = left
                return
            yield row
    except (EOFError, ConnectionError):
        yield quarantine_source(source.path, Unreadable(*child.fate()))
    except Unreadable as error:
        yield quarantine_source(source.path, error)
    finally:  # also where the caller was interrupted, or wants no more rows
        _CHILDREN.give_back(child) if done else child.end()


class _Child:
    """A child process that reads documents, and the pipe to it."""

    def __init__(self) -> None:
        self.path = [*sys.path]
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _START, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},  # others reserve more than they use
            )
        self.pipe = Connection(ours.detach())
        try:
            self.pipe.send(self.path)
            if not self.pipe.poll(STARTING):
                raise OSError(f"it said nothing within {STARTING} seconds")
            self.pipe.recv()
        except (EOFError, OSError) as error:
            self.end()
            raise RuntimeError(
                f"the process that reads documents did not start ({sys.executable}: {error or 'it ended'}); what it "
                "wrote to stderr says why"
            ) from error

    def fate(self) -> tuple[str, str]:
        """Why the process ended: reason and detail for a quarantine row."""
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            code = 0
        if code in (-signal.SIGPROF, -signal.SIGXCPU):
            return OUT_OF_TIME
        if code == -signal.SIGKILL:  # by the system, which had no memory left
            return OUT_OF_MEMORY
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"code {code}"
        return DIED[0], DIED[1].format(name)

    def end(self) -> None:
        """Close the pipe and kill the process."""
        self.pipe.close()
        self.process.kill()
        self.process.wait()


class _Children:
    """The pool of idle child processes: at most one for each thread that reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Child] = []

    def take(self) -> _Child:
        while True:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None:
                return _Child()
            if child.process.poll() is None and child.path == sys.path:
                return child
            child.end()  # dead, or it finds modules where they lay before

    def give_back(self, child: _Child) -> None:
        with self._lock:
            self._idle.append(child)

    def end(self) -> None:
        with self._lock:
            ended, self._idle = self._idle, []
        for child in ended:
            child.end()

    def forget(self) -> None:
        """Drop all children after a fork: they are the parent's."""
        self._lock = threading.Lock()
        self._idle = []


_CHILDREN = _Children()
atexit.register(_CHILDREN.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_CHILDREN.forget)


def serve(pipe: Connection) -> None:
    """Read the sources that come through the pipe, one by one, until its other end is closed: a child's main loop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process of a terminal; the parent ends this one
    logging.disable(logging.WARNING)  # what a parser wonders about is told by the row, not on the terminal
    pipe.send("ready")
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            source, config, variables = pipe.recv()
            os.environ.clear()
            os.environ.update(variables)
            _bound_memory(config)
            found = read_local(source, config)
            while True:  # a row is sent at once: what came before a fault is the same however long it took
                _bound_time(config.seconds)
                row = next(found, None)
                _bound_time(0)
                if row is None:
                    break
                pipe.send_bytes(pickle.dumps((row, 0, 0), pickle.HIGHEST_PROTOCOL))
            pipe.send_bytes(pickle.dumps((None, _peak(), source.unpacked.left if isinstance(source, Member) else 0)))


def _bound_time(seconds: float) -> None:
    """End this process by SIGPROF after so many seconds of its own work; 0: no limit."""
    if hasattr(signal, "setitimer"):  # the kernel ends it: no handler of Python's, which a parser in C would hold up
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _bound_memory(config: ReadConfig) -> None:
    """Limit memory to what the config allows; what is only reserved does not count (RLIMIT_DATA)."""
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        with contextlib.suppress(ValueError, OSError):  # already less than that
            resource.setrlimit(resource.RLIMIT_DATA, (config.memory_bytes, hard))


def _peak() -> int:
    """The peak memory of this process in bytes."""
    with contextlib.suppress(OSError, StopIteration):  # on Linux ru_maxrss begins at the peak of whoever started it
        status = Path("/proc/self/status").read_text()
        return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1])
    if resource is None:
        return 0
    most: Any = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most) * (1 if sys.platform == "darwin" else 1024)
