"""What a corpus is made of: its files, their content digests and what they hold."""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from rarefy.tasks.corpus.read import far
from rarefy.tasks.corpus.read.names import name
from rarefy.tasks.corpus.read.unreadable import Unreadable
from rarefy.tasks.store.tables import Store

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
KERNEL = ("/proc", "/sys")  # what lies there looks like files, has no size, and may never end
LARGEST = 1 << 40  # bytes, by its status: a file that claims more (one with a hole) would be hashed for hours
NO_FILE = "not_a_file", "a pipe, socket, device or file of the kernel is no document; remove it from the corpus"


@dataclass(frozen=True, slots=True)
class Source:
    """One file of a corpus. `path` inside the corpus is its identity, `digest` its version."""

    path: str
    size: int
    digest: str  # blake2b of the bytes; "" where they could not be read
    media_type: str  # by the file's name; "" leaves it to the content
    location: str = field(compare=False, repr=False)  # path or URL of the file: never part of an identity
    alone: bool = False  # the corpus is this one file


def exists(corpus: Path | str) -> bool:
    """Is there such a corpus? ValueError for a URL of no known kind, OSError and the like where it does not answer."""
    if not far.is_url(corpus):
        return _local(corpus).exists()
    fs, path = far.opened(str(corpus))
    return bool(fs.exists(path))


def list_sources(corpus: Path | str, store: Store | None = None) -> list[Source]:
    """Every file of a folder and its subfolders, or the one file, in the order of their paths; of a URL likewise.

    Hidden files are skipped, links are followed and loops of links cut. What cannot be opened is listed with an
    empty digest, so that reading says so. What lies behind a URL is fetched for its digest, unless the store remembers
    that of the same version. Raises FileNotFoundError where there is no such corpus.
    """
    if far.is_url(corpus):
        return _far(str(corpus), store)
    corpus = _local(corpus)
    if not corpus.exists():
        raise FileNotFoundError(f"corpus {corpus}: no such file or folder; check the path")
    if not corpus.is_dir():
        return [_source(corpus, corpus.name, alone=True)]
    found = {path: Path(location) for location, path in _walk(corpus)}
    return [_source(found[path], path) for path in sorted(found)]


def _local(corpus: Path | str) -> Path:
    return Path(str(corpus).removeprefix("file://")).expanduser()


def _far(url: str, store: Store | None) -> list[Source]:
    found, alone = far.entries(url)
    found = [entry for entry in found if alone or not _is_litter(entry.path)]
    types = {entry.path: _media_type(entry.path, alone) for entry in found}
    digests = far.digests([entry for entry in found if types[entry.path] != ABOUT_CORPUS], url, store)
    return [
        Source(name(entry.path), entry.size, digests.get(entry.path, ""), types[entry.path], entry.location, alone)
        for entry in found
    ]


def _is_litter(path: str) -> bool:
    return any(part.startswith(".") or part.lower() in LITTER for part in path.split("/"))


def _media_type(path: str, alone: bool) -> str:
    """What a file holds, by its name."""
    file = PurePosixPath(path)
    if not alone and file.stem.lower() in ABOUT:
        return ABOUT_CORPUS
    return MEDIA_TYPES.get(file.suffix.lower(), UNKNOWN)


@contextmanager
def at_hand(source: Source) -> Iterator[Source]:
    """The source with its bytes on this machine: what lies behind a URL is copied for as long as it is read."""
    if not far.is_url(source.location):
        yield source
        return
    with far.copied(source.location, source.size) as place:
        yield replace(source, location=place)


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
            if _is_litter(entry.name):
                continue
            below = f"{path}/{entry.name}" if path else entry.name
            if _is_dir(entry):
                (linked if entry.is_symlink() else real).append((entry.path, below))
            else:
                yield entry.path, below


def _is_dir(entry: "os.DirEntry[str]") -> bool:
    """Whether it is a folder or leads to one; what cannot be told (a link to itself) counts as a file."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _source(file: Path, path: str, alone: bool = False) -> Source:
    media_type = _media_type(file.name, alone)
    size, content_digest = 0, ""
    try:
        status = file.stat()
        size = status.st_size
        if stat.S_ISDIR(status.st_mode):
            media_type = FOLDER
        elif not is_regular(status):
            media_type = SPECIAL  # a pipe or a device: opening it could wait for ever
        elif media_type != ABOUT_CORPUS:
            content_digest = digest(file)
    except (OSError, Unreadable):
        pass  # reading meets the same fault and says what it is
    written = name(os.fsencode(path).decode("utf-8", "backslashreplace"))
    return Source(written, size, content_digest, media_type, str(file.absolute()), alone)


def state(source: Source) -> tuple[int, int, int] | str | None:
    """What tells whether a file is still the one it was: its place on the disk, size and time; None for no file.

    Of a source behind a URL what its file system says of the content ("": nothing).
    """
    if far.is_url(source.location):
        return far.stamp(source.location)
    try:
        status = Path(source.location).stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def version(source: Source) -> str:
    """The digest of a source's bytes as they are now; "" for what is no file or cannot be read."""
    if far.is_url(source.location) and source.media_type != ABOUT_CORPUS:
        return far.digest(source.location, source.size)
    if source.media_type in (FOLDER, SPECIAL, ABOUT_CORPUS) or not Path(source.location).is_file():
        return ""
    try:
        return digest(Path(source.location))
    except (OSError, Unreadable):
        return ""


def digest(file: Path) -> str:
    """The version of a file: a hash of its bytes, read in pieces, and no more of them than it had when it was opened.

    So a file that grows as fast as it is read ends too: what is read of it is not what it was, and is told so.
    Raises OSError, and Unreadable for what is no regular file.
    """
    made = hashlib.blake2b(digest_size=16)
    with open_file(file) as stream:
        left = os.fstat(stream.fileno()).st_size
        while left > 0 and (block := stream.read(min(left, 1 << 20))):
            made.update(block)
            left -= len(block)
    return made.hexdigest()


def open_file(file: Path | str) -> BinaryIO:
    """A regular file, opened to be read. Raises OSError, and Unreadable `not_a_file` for all else, without waiting."""
    stream = os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    if not is_regular(os.fstat(stream.fileno())):
        stream.close()
        raise Unreadable(*NO_FILE)
    return stream


def is_regular(status: os.stat_result) -> bool:
    """Whether it is a file with bytes of its own, and an end."""
    return stat.S_ISREG(status.st_mode) and status.st_dev not in _kernel() and status.st_size <= LARGEST


@cache
def _kernel() -> frozenset[int]:
    """The file systems that are no disk."""
    found = set()
    for place in KERNEL:
        with suppress(OSError):
            found.add(Path(place).stat().st_dev)
    return frozenset(found - {Path("/").stat().st_dev})


def load(source: Source, max_bytes: int) -> bytes:
    """A source's bytes, or Unreadable: no file, no permission, nothing in it, more than `max_bytes`."""
    if source.media_type == FOLDER:
        raise Unreadable("unreadable_folder", "the folder could not be listed; grant read permission or remove it")
    if source.media_type == SPECIAL:
        raise Unreadable(*NO_FILE)
    try:
        with open_file(source.location) as stream:
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
