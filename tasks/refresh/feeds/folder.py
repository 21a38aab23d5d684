"""The files of a watched folder: which are there, and which have stayed the same long enough to be whole."""

import errno
import os
import time
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel

from rarefy.tasks.corpus.read import sources

# names of files that a program is still writing: browsers, curl and rsync by hand, editors' copies
PARTIAL = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", ".filepart", ".swp", "~")
FileMark = tuple[str, str]  # stamp (size and times), digest of the content
NO_FILE: FileMark = ("", "")  # where there is no such file


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a clock that nobody can set: seconds since this start of the machine, and which start that was."""

    boot: str
    seconds: float

    def after(self, boot: str, seconds: float) -> float:
        """How many seconds this comes after that; 0 where that cannot be known."""
        return max(self.seconds - seconds, 0.0) if boot == self.boot else 0.0


def current_moment() -> Moment:
    """The moment now."""
    return Moment(_boot(), time.monotonic())


@cache
def _boot() -> str:
    """The kernel's name for this start of the machine, which all processes share; elsewhere this process alone."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return uuid4().hex


class WaitingFile(BaseModel):
    """A file that changed, and since when it has stayed the same."""

    mark: FileMark
    boot: str
    since: float


class WatchState(BaseModel):
    """What is remembered of a folder: the files that were taken, and those that have to settle."""

    format: int = 1
    taken: dict[str, FileMark] = {}
    waiting: dict[str, WaitingFile] = {}


@dataclass(frozen=True)
class FileChanges:
    """Paths of files that came, changed, went or got another name."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.edited or self.deleted or self.renamed)

    def told(self) -> str:
        """In words: two names of each kind, and how many."""
        kinds = {
            "added": self.added,
            "edited": self.edited,
            "deleted": self.deleted,
            "renamed": tuple(f"{old} to {new}" for old, new in self.renamed),
        }
        return "; ".join(
            f"{len(names):,} {kind} ({', '.join(names[:2])}{', …' if len(names) > 2 else ''})"
            for kind, names in kinds.items()
            if names
        )


@dataclass(frozen=True)
class SettledFiles:
    """The result of one look: the new state, the changes, and the files that are still waited for."""

    after: WatchState
    moves: FileChanges
    waiting: tuple[str, ...]


def settle_files(
    before: WatchState, listed: Mapping[str, FileMark], now: Moment, seconds: float, hold: float
) -> SettledFiles:
    """The files that stayed the same for so many seconds; a file that is not listed must stay away as long.

    While some files still change, those that settled wait for them, at most `hold` seconds.
    """
    taken, waiting, ready = dict(before.taken), dict[str, WaitingFile](), dict[str, WaitingFile]()
    for path in sorted({*listed, *before.taken, *before.waiting}):
        mark, had = listed.get(path, NO_FILE), taken.get(path, NO_FILE)
        if mark == had:
            continue
        if NO_FILE not in (mark, had) and mark[1] == had[1]:
            taken[path] = mark  # touched, and still the same
            continue
        known = before.waiting.get(path)
        if known is None or known.mark != mark or known.boot != now.boot or known.since > now.seconds:
            waiting[path] = WaitingFile(mark=mark, boot=now.boot, since=now.seconds)
        elif now.after(known.boot, known.since) >= seconds:
            ready[path] = known
        else:
            waiting[path] = known
    unsettled = tuple(waiting)
    oldest = max((now.after(file.boot, file.since) for file in ready.values()), default=0.0)
    if unsettled and oldest < seconds + hold:
        return SettledFiles(WatchState(taken=taken, waiting=waiting | ready), FileChanges(), unsettled)
    for path, file in ready.items():
        taken.pop(path, None)
        if file.mark != NO_FILE:
            taken[path] = file.mark
    return SettledFiles(WatchState(taken=taken, waiting=waiting), find_moves(before.taken, taken), unsettled)


def find_moves(before: Mapping[str, FileMark], after: Mapping[str, FileMark]) -> FileChanges:
    """The changes between two lists of files; one that is gone while its content has a new name was renamed."""
    gone = {path for path in before if path not in after}
    fresh = {path for path in after if path not in before}
    edited = tuple(sorted(path for path in after if path in before and after[path][1] != before[path][1]))
    where: dict[str, list[str]] = {}
    for path in sorted(gone, reverse=True):
        where.setdefault(before[path][1], []).append(path)
    renamed = []
    for path in sorted(fresh):
        if where.get(after[path][1]):
            renamed.append((where[after[path][1]].pop(), path))
    gone -= {old for old, _ in renamed}
    fresh -= {new for _, new in renamed}
    return FileChanges(tuple(sorted(fresh)), edited, tuple(sorted(gone)), tuple(renamed))


def scan_folder(
    corpus: Path, known: Mapping[str, FileMark], unsure: Container[str], rehash: bool = False
) -> dict[str, FileMark]:
    """The mark of each file of a folder, or of the one file, by path.

    Read are those whose stamp is not the known one, those in `unsure`, and all for `rehash`. Raises FileNotFoundError
    where there is no such folder, which is no folder without files.
    """
    if not corpus.exists():
        raise FileNotFoundError(errno.ENOENT, "no such file or folder", str(corpus))
    marks: dict[str, FileMark] = {}
    for location, written in _list_files(corpus):
        path = os.fsencode(written).decode("utf-8", "backslashreplace")  # what is remembered is UTF-8, names may not be
        try:
            status = Path(location).stat()
            if not sources.is_regular(status):
                continue
            # the time of the last change of the entry too: copying may set back that of the content, not this one
            stamp = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
            had = known.get(path)
            same = had and had[0] == stamp and path not in unsure and not rehash
            marks[path] = (stamp, had[1] if had and same else _digest(location))
        except FileNotFoundError:
            continue  # gone between the listing and now: the next look says what became of it
        except OSError as error:
            if error.errno != errno.ELOOP:  # a link to itself leads to no file
                raise
    return marks


def is_partial(name: str) -> bool:
    """Is this the name of a hidden file, or of one that a program is still writing?"""
    return name.startswith(".") or name.lower().endswith(PARTIAL)


def _list_files(corpus: Path) -> Iterator[tuple[str, str]]:
    if not corpus.is_dir():
        yield str(corpus), corpus.name
        return
    for location, path in sources._walk(corpus):
        if not is_partial(path.rpartition("/")[2]):
            yield location, path


def _digest(location: str) -> str:
    try:
        return sources.digest_file(Path(location))
    except FileNotFoundError:
        raise
    except OSError as error:  # it is there and cannot be read: the build says so, once
        return f"unreadable {os.strerror(error.errno) if error.errno else error}"
