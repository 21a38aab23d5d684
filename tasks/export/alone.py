"""One writer of a folder at a time, by a lock that goes with the process."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 60.0  # seconds: a benchmark changes places in less than one
_LOCKLESS = {errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}  # what flock(2) says on some network disks


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else who asks writes into the folder in here, it being made where there is none.

    BlockingIOError where another one does not end in time: it may be frozen. A disk that has no locks is trusted to
    have one writer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = os.open(folder, os.O_RDONLY)
    begun = time.monotonic()
    try:
        while True:
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() - begun > PATIENCE:
                    told = f"another run has been writing there for {PATIENCE:.0f} s; end it if it hangs, and run again"
                    raise BlockingIOError(f"{folder}: {told}") from None
                time.sleep(0.05)
                continue
            except OSError as error:
                if error.errno not in _LOCKLESS:
                    raise
            break
        yield
    finally:
        os.close(place)  # and with it the lock
