"""A file that is put in place whole or not at all."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

from rarefy.tasks.store.atomic_write import put_in_place


class Landing:
    """A file in the making: hidden until it is whole."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.dropped = False

    def write(self, piece: bytes) -> int:
        """How many bytes were written."""
        return self._stream.write(piece)

    def again(self) -> None:
        """From the beginning: what was written until now was cut short."""
        self._stream.seek(0)
        self._stream.truncate()

    def drop(self) -> None:
        """Never mind: nothing is put in place."""
        self.dropped = True


@contextlib.contextmanager
def landing(place: Path) -> Iterator[Landing]:
    """A file to write, put in place at the end unless something went wrong or it was dropped; OSError names it."""
    scratch = place.with_name(f".{uuid4().hex}.part")  # a hidden name, which no corpus counts among its files
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("xb") as stream:
            file = Landing(stream)
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
