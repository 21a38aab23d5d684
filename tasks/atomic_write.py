"""Files that are put in place whole or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4


def put_in_place(scratch: Path, place: Path) -> None:
    """Rename a written file to its final place, its bytes safe on the disk before and its name after; OSError.

    Without the first a power cut may leave a file of its final name that is empty or cut short, without the second
    the file that it replaced, or none.
    """
    sync_file(scratch)
    scratch.replace(place)
    sync_folder(place.parent)


def sync_file(file: Path) -> None:
    """Return when the bytes of a file are on the disk."""
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk, where the file system can say so of a folder."""
    with contextlib.suppress(PermissionError):  # a folder to write to but not to list
        handle = os.open(folder, os.O_RDONLY)
        try:
            with contextlib.suppress(OSError):  # EINVAL on file systems that keep their names safe themselves
                os.fsync(handle)
        finally:
            os.close(handle)


class AtomicFile:
    """A file that is being written under a hidden name."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.dropped = False

    def write(self, piece: bytes) -> int:
        """Write bytes; returns how many."""
        return self._stream.write(piece)

    def again(self) -> None:
        """Begin anew: what was written until now was cut short."""
        self._stream.seek(0)
        self._stream.truncate()

    def drop(self) -> None:
        """Discard the file: nothing is put in place."""
        self.dropped = True


@contextlib.contextmanager
def open_atomic(place: Path) -> Iterator[AtomicFile]:
    """Write a file that is put in place at the end, unless an error was raised or it was dropped; OSError names it."""
    scratch = place.with_name(f".{uuid4().hex}.part")  # a hidden name, which no corpus counts among its files
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("xb") as stream:
            file = AtomicFile(stream)
            yield file
        if not file.dropped:
            put_in_place(scratch, place)
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(place)) from error
        raise
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)
