"""Protection of this process from a user's code: what that changes or prints must not change the result of a run.

The function of a user is called by its name in this very process (see tasks/find.py). It may set the recursion limit,
the locale, how decimals round, who gets signals, where standard output goes; it may print what a terminal takes for
commands. The first is put back, the second made visible. What it does with its own files, threads and child processes
is its own affair, and so is the current folder: ours is never asked for once a command has begun. A child that it
forked and that comes back from it ends there: our work is not done twice.
"""

import decimal
import locale
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STREAMS = ("stdout", "stderr")
# Controls but for tab and line ends (a terminal obeys ESC and C1), marks that turn the direction of what follows, and
# halves of characters, which no terminal could be sent
_OBEYED = (
    {at: chr(0x2400 + at) for at in range(0x20) if at not in (0x09, 0x0A, 0x0D)}
    | dict.fromkeys((*range(128, 160), *range(55296, 57344)), "�")
    | dict.fromkeys((1564, 8206, 8207, *range(8234, 8239), *range(8294, 8298)), "�")
    | {0x7F: "\u2421"}
)
_lock = threading.Lock()
_inside = 0
_before: dict[str, Any] = {}
_theirs: list[Any] = []
_kept: dict[int, int] = {}  # a second descriptor of where standard output and error go, by number


def escape_controls(text: str) -> str:
    """The text with every control character that a terminal would obey made visible: "␛[2J", "␇"."""
    return text if text.isascii() and text.isprintable() else text.translate(_OBEYED)


class EscapingStream:
    """A terminal's stream that makes control characters visible; all else is the stream's own."""

    def __init__(self, stream: Any) -> None:
        # rich writes its own colours past this, as past its own stand-in for such a stream
        self.rich_proxied_file = getattr(stream, "rich_proxied_file", stream)
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text; returns its length."""
        self._stream.write(escape_controls(text) if isinstance(text, str) else text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def protect_process() -> Iterator[None]:
    """Run a user's code in this block: what it prints on a terminal is escaped, what it sets is restored.

    Threads may be in here together: what was there before the first of them came is there after the last has left.
    """
    global _inside
    process = os.getpid()
    with _lock:
        _inside += 1
        if _inside == 1:
            _before.clear()
            _before.update(_save_state())
            _kept.update(_copy_descriptors())
            for name in STREAMS:
                if (stream := _before[name]) is not None and _is_terminal(stream):
                    setattr(sys, name, EscapingStream(stream))
    context = decimal.getcontext().copy()
    try:
        yield
    finally:
        if os.getpid() != process:
            os._exit(0)  # a lock may be held here by a thread that is not: nothing of ours can be gone on with
        decimal.setcontext(context)
        with _lock:
            _inside -= 1
            # too low a limit would break whoever runs meanwhile: not waited with; a higher one may be needed
            if sys.getrecursionlimit() < _before["recursion"]:
                sys.setrecursionlimit(_before["recursion"])
            if not _inside:
                _restore()


def _save_state() -> dict[str, Any]:
    return {
        "recursion": sys.getrecursionlimit(),
        "locale": locale.setlocale(locale.LC_ALL),
        "default": decimal.DefaultContext.copy(),
        **{signum.name: signal.getsignal(signum) for signum in SIGNALS},
        **{name: getattr(sys, name) for name in STREAMS},
    }


def _copy_descriptors() -> dict[int, int]:
    found = {}
    for number in (1, 2):
        with suppress(OSError):  # closed before they came
            found[number] = os.dup(number)
    return found


def _restore_descriptors() -> None:
    """Let standard output and error go where they went, whatever was closed or opened under their numbers: the next
    file that anybody opens would be written to by print."""
    for number, kept in _kept.items():
        with suppress(OSError):  # theirs to close, too
            if not _is_open(number) or not os.path.sameopenfile(number, kept):
                os.dup2(kept, number)
            os.close(kept)
    _kept.clear()


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _restore() -> None:
    _restore_descriptors()
    for name, stream in ((name, _before[name]) for name in STREAMS):
        if stream is not None and getattr(stream, "closed", False):  # its descriptor is not closed with it
            number = STREAMS.index(name) + 1
            stream = open(number, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        if (theirs := getattr(sys, name)) is not _before[name] and not isinstance(theirs, EscapingStream):
            _theirs.append(theirs)  # a wrapper around our stream closes it once nobody has it any more
        setattr(sys, name, stream)
    if locale.setlocale(locale.LC_ALL) != _before["locale"]:
        locale.setlocale(locale.LC_ALL, _before["locale"])
    default, was = decimal.DefaultContext, _before["default"]
    default.prec, default.rounding, default.Emin, default.Emax = was.prec, was.rounding, was.Emin, was.Emax
    default.traps.update(was.traps)
    if threading.current_thread() is threading.main_thread():  # nobody else may, nor could the code have
        for signum in SIGNALS:
            if signal.getsignal(signum) is not _before[signum.name] and _before[signum.name] is not None:
                signal.signal(signum, _before[signum.name])


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (ValueError, AttributeError):  # closed, or none of the usual
        return False
