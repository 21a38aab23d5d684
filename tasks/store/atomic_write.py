"""The last step of an atomic write: what was written beside its place is made safe on the disk and put in place."""

import contextlib
import os
from pathlib import Path


def put_in_place(scratch: Path, place: Path) -> None:
    """Rename a file that is written to its place, its bytes safe on the disk before and its name after; OSError.

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
