"""What a corpus is made of: its files, their content digests and what they hold."""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rarefy.tasks.read.names import name
from rarefy.tasks.read.unreadable import Unreadable

MEDIA_TYPES = {
    ".htm": "text/html",
    ".html": "text/html",
    ".xhtml": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".ndjson": "application/jsonl",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".parquet": "application/parquet",
    ".pdf": "application/pdf",
    ".text": "text/plain",
    ".txt": "text/plain",
}
ABOUT = ("readme", "license", "licence", "notice", "copying", "changelog")  # files about a corpus, not of it
LITTER = {"thumbs.db", "desktop.ini", "__macosx"}  # what operating systems leave behind; hidden files are skipped too
UNKNOWN, FOLDER, SPECIAL, ABOUT_CORPUS = "", "inode/directory", "inode/special", "text/about-the-corpus"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a corpus. `path` inside the corpus is its identity, `digest` its version."""

    path: str
    size: int
    digest: str  # blake2b of the bytes; "" where they could not be read
    media_type: str  # by the file's name; "" leaves it to the content
    location: str = field(compare=False, repr=False)  # where the file lies: never part of an identity
    alone: bool = False  # the corpus is this one file


def list_sources(corpus: Path | str) -> list[Source]:
    """Every file of a folder and its subfolders, or the one file, in the order of their paths.

    Hidden files are skipped, links are followed and loops of links cut. What cannot be opened is listed with an
    empty digest, so that reading says so. Raises FileNotFoundError where there is no such corpus.
    """
    corpus = Path(corpus).expanduser()
    if not corpus.exists():
        raise FileNotFoundError(f"corpus {corpus}: no such file or folder; check the path")
    if not corpus.is_dir():
        return [_source(corpus, corpus.name, alone=True)]
    found = {path: Path(location) for location, path in _walk(corpus)}
    return [_source(found[path], path) for path in sorted(found)]


def _walk(root: Path) -> Iterator[tuple[str, str]]:
    """Each file's location and its path inside the corpus; a folder that cannot be listed counts as a file."""
    seen: set[tuple[int, int]] = set()
    real, linked = [(str(root), "")], list[tuple[str, str]]()
    while real or linked:  # folders first by their own name, so that a link to one adds nothing
        location, path = real.pop() if real else linked.pop()
        try:
            status = Path(location).stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            entries = sorted(os.scandir(location), key=lambda entry: entry.name, reverse=True)
        except OSError:
            yield location, path or "."
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name.lower() in LITTER:
                continue
            below = f"{path}/{entry.name}" if path else entry.name
            if entry.is_dir():
                (linked if entry.is_symlink() else real).append((entry.path, below))
            else:
                yield entry.path, below


def _source(file: Path, path: str, alone: bool = False) -> Source:
    media_type = MEDIA_TYPES.get(file.suffix.lower(), UNKNOWN)
    if not alone and file.stem.lower() in ABOUT:
        media_type = ABOUT_CORPUS
    size, content_digest = 0, ""
    try:
        status = file.stat()
        size = status.st_size
        if stat.S_ISDIR(status.st_mode):
            media_type = FOLDER
        elif not stat.S_ISREG(status.st_mode):
            media_type = SPECIAL  # a pipe or a device: opening it could wait for ever
        elif media_type != ABOUT_CORPUS:
            content_digest = digest(file)
    except OSError:
        pass  # reading meets the same fault and says what it is
    written = name(os.fsencode(path).decode("utf-8", "backslashreplace"))
    return Source(written, size, content_digest, media_type, str(file.absolute()), alone)


def state(source: Source) -> tuple[int, int, int] | None:
    """What tells whether a file is still the one it was: its place on the disk, size and time; None for no file."""
    try:
        status = Path(source.location).stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def version(source: Source) -> str:
    """The digest of a source's bytes as they are now; "" for what is no file or cannot be read."""
    if source.media_type in (FOLDER, SPECIAL, ABOUT_CORPUS) or not Path(source.location).is_file():
        return ""
    try:
        return digest(Path(source.location))
    except OSError:
        return ""


def digest(file: Path) -> str:
    """The version of a file: a hash of its bytes, read in pieces."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def load(source: Source, max_bytes: int) -> bytes:
    """A source's bytes, or Unreadable: no file, no permission, nothing in it, more than `max_bytes`."""
    if source.media_type == FOLDER:
        raise Unreadable("unreadable_folder", "the folder could not be listed; grant read permission or remove it")
    if source.media_type == SPECIAL:
        raise Unreadable("not_a_file", "a pipe, socket or device is no document; remove it from the corpus")
    try:
        with Path(source.location).open("rb") as stream:
            content = stream.read(max_bytes + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise Unreadable("unreadable_file", f"{why}; grant read permission or remove the file") from error
    if len(content) > max_bytes:
        raise Unreadable(
            "too_large",
            f"{source.size:,} bytes, over the limit of {max_bytes:,}; split the file or raise read.max_bytes",
        )
    if not content:
        raise Unreadable("empty_file", "the file has no bytes; restore it or remove it")
    return content
