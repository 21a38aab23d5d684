"""Folders and files that are their owner's alone, whatever the umask; a folder shared on purpose stays shared.

What is in the store (documents, replies of models, addresses with keys) is nobody else's to read or to change. Who
wants to share a store with a group says so as Unix does, with the setgid bit: `chmod g+rwxs FOLDER`. What is made in
such a folder is for its group too.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import IO, Any

FOLDER, FILE = 0o700, 0o600
SHARED = stat.S_ISGID | stat.S_IWGRP  # of a folder: its group works in it, on purpose


def make_folder(folder: Path) -> None:
    """Make a folder and those above it where there are none; those that exist keep their modes. OSError names one."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent)
    mode = FOLDER | (0o070 if _shared(folder.parent) else 0)
    try:
        folder.mkdir(mode)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return  # another process was faster
    _open_to_group(folder, mode)


def open_file(file: Path, mode: str = "w", **more: Any) -> IO[Any]:
    """Open a file as `Path.open` does; one that this makes is its owner's alone, or its group's where that shares."""
    return open(file, mode, opener=_opener, **more)


def make_file(file: Path) -> None:
    """Make an empty file, where there is none, for a library to fill: SQLite gives its logs the same mode."""
    with contextlib.suppress(FileExistsError):
        os.close(_opener(str(file), os.O_WRONLY | os.O_CREAT | os.O_EXCL))


def restrict_folder(folder: Path) -> None:
    """Make everything that a library has put into a folder of ours as private as our own files."""
    mode = FILE | (0o060 if _shared(folder.parent) else 0)
    folder.chmod(FOLDER | (0o070 | stat.S_ISGID if _shared(folder.parent) else 0))
    for path in folder.rglob("*"):
        path.chmod(mode | (mode & 0o444) >> 2 if path.is_dir() else mode)


def _opener(path: str, flags: int) -> int:
    shared = _shared(Path(path).parent)
    mode = FILE | (0o060 if shared else 0)
    if not shared or not flags & os.O_CREAT:
        return os.open(path, flags, mode)
    try:
        opened = os.open(path, flags | os.O_EXCL, mode)
    except FileExistsError:
        if flags & os.O_EXCL:
            raise
        return os.open(path, flags & ~os.O_CREAT, mode)
    _open_to_group(Path(path), mode)
    return opened


def _open_to_group(path: Path, mode: int) -> None:
    """Give the group what the umask has taken from it."""
    if mode & 0o070:
        path.chmod(stat.S_IMODE(path.stat().st_mode) | mode)


def _shared(folder: Path) -> bool:
    try:
        return folder.stat().st_mode & SHARED == SHARED
    except OSError:
        return False
