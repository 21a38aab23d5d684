"""List the files of a corpus, local or behind an fsspec URL, with their digests and media types, and load them."""

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import pyarrow as pa

from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable, one_line_id
from rarefy.tasks.store.tables import Store, to_parquet

OLD_OFFICE = "application/x-ole-storage"
MEDIA_TYPES = {
    ".adoc": "text/asciidoc",
    ".asciidoc": "text/asciidoc",
    ".csv": "text/csv",
    ".doc": OLD_OFFICE,
    ".docm": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".eml": "message/rfc822",
    ".epub": "application/epub+zip",
    ".htm": "text/html",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".markdown": "text/markdown",
    ".mbox": "application/mbox",
    ".md": "text/markdown",
    ".ndjson": "application/jsonl",
    ".parquet": "application/parquet",
    ".pdf": "application/pdf",
    ".ppt": OLD_OFFICE,
    ".pptm": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".rst": "text/x-rst",
    ".text": "text/plain",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".xhtml": "text/html",
    ".xls": OLD_OFFICE,
    ".xlsm": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".zip": "application/zip",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Source):
    """A file inside another. What it unpacks to is counted together with that of the others in there."""

    depth: int = field(compare=False)  # how many files it lies inside of
    unpacked: UnpackedSize = field(compare=False, repr=False)


def exists(corpus: Path | str) -> bool:
    """Is there such a corpus? ValueError for a URL of no known kind, OSError and the like where it does not answer."""
    if not is_url(corpus):
        return _local(corpus).exists()
    fs, path = open_url(str(corpus))
    return bool(fs.exists(path))


def list_sources(corpus: Path | str, store: Store | None = None) -> list[Source]:
    """Every file of a folder and its subfolders, or the one file, in the order of their paths; of a URL likewise.

    Hidden files are skipped, links are followed and loops of links cut. What cannot be opened is listed with an
    empty digest, so that reading says so. What lies behind a URL is fetched for its digest, unless the store remembers
    that of the same version. Raises FileNotFoundError where there is no such corpus.
    """
    if is_url(corpus):
        return _list_remote(str(corpus), store)
    corpus = _local(corpus)
    if not corpus.exists():
        raise FileNotFoundError(f"corpus {corpus}: no such file or folder; check the path")
    if not corpus.is_dir():
        return [_local_source(corpus, corpus.name, alone=True)]
    found = {path: Path(location) for location, path in _walk(corpus)}
    return [_local_source(found[path], path) for path in sorted(found)]


def _local(corpus: Path | str) -> Path:
    return Path(str(corpus).removeprefix("file://")).expanduser()


def _list_remote(url: str, store: Store | None) -> list[Source]:
    found, alone = list_objects(url)
    found = [entry for entry in found if alone or not is_litter(entry.path)]
    types = {entry.path: find_media_type(entry.path, alone) for entry in found}
    digests = digest_objects([entry for entry in found if types[entry.path] != ABOUT_CORPUS], url, store)
    return [
        Source(
            one_line_id(entry.path), entry.size, digests.get(entry.path, ""), types[entry.path], entry.location, alone
        )
        for entry in found
    ]


def is_litter(path: str) -> bool:
    """Whether a path is of a hidden file or of what operating systems leave behind."""
    return any(part.startswith(".") or part.lower() in LITTER for part in path.split("/"))


def find_media_type(path: str, alone: bool = False) -> str:
    """What a file holds, by its name."""
    file = PurePosixPath(path)
    if not alone and file.stem.lower() in ABOUT:
        return ABOUT_CORPUS
    return MEDIA_TYPES.get(file.suffix.lower(), UNKNOWN)


@contextmanager
def local_copy(source: Source) -> Iterator[Source]:
    """The source with its bytes on this machine: what lies behind a URL is copied for as long as it is read."""
    if not is_url(source.location):
        yield source
        return
    with download(source.location, source.size) as place:
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
            if is_litter(entry.name):
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


def _local_source(file: Path, path: str, alone: bool = False) -> Source:
    media_type = find_media_type(file.name, alone)
    size, content_digest = 0, ""
    try:
        status = file.stat()
        size = status.st_size
        if stat.S_ISDIR(status.st_mode):
            media_type = FOLDER
        elif not is_regular(status):
            media_type = SPECIAL  # a pipe or a device: opening it could wait for ever
        elif media_type != ABOUT_CORPUS:
            content_digest = digest_file(file)
    except (OSError, Unreadable):
        pass  # reading meets the same fault and says what it is
    written = one_line_id(os.fsencode(path).decode("utf-8", "backslashreplace"))
    return Source(written, size, content_digest, media_type, str(file.absolute()), alone)


def file_state(source: Source) -> tuple[int, int, int] | str | None:
    """What tells whether a file is still the one it was: its place on the disk, size and time; None for no file.

    Of a source behind a URL what its file system says of the content ("": nothing).
    """
    if is_url(source.location):
        return read_stamp(source.location)
    try:
        status = Path(source.location).stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def current_digest(source: Source) -> str:
    """The digest of a source's bytes as they are now; "" for what is no file or cannot be read."""
    if is_url(source.location) and source.media_type != ABOUT_CORPUS:
        return digest_object(source.location, source.size)
    if source.media_type in (FOLDER, SPECIAL, ABOUT_CORPUS) or not Path(source.location).is_file():
        return ""
    try:
        return digest_file(Path(source.location))
    except (OSError, Unreadable):
        return ""


def digest_file(file: Path) -> str:
    """The version of a file: a hash of its bytes, read in pieces, and no more of them than it had when it was opened.

    So a file that grows as fast as it is read ends too: what is read of it is not what it was, and is told so.
    Raises OSError, and Unreadable for what is no regular file.
    """
    hashed = hashlib.blake2b(digest_size=16)
    with open_file(file) as stream:
        left = os.fstat(stream.fileno()).st_size
        while left > 0 and (block := stream.read(min(left, 1 << 20))):
            hashed.update(block)
            left -= len(block)
    return hashed.hexdigest()


def open_file(file: Path | str) -> BinaryIO:
    """A regular file, opened to be read. Raises OSError, and Unreadable `not_a_file` for all else, without waiting."""
    stream = os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    if not is_regular(os.fstat(stream.fileno())):
        stream.close()
        raise Unreadable(*NO_FILE)
    return stream


def is_regular(status: os.stat_result) -> bool:
    """Whether it is a file with bytes of its own, and an end."""
    return stat.S_ISREG(status.st_mode) and status.st_dev not in _kernel_file_systems() and status.st_size <= LARGEST


@cache
def _kernel_file_systems() -> frozenset[int]:
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


# Remote corpora (s3://…)

AT_ONCE = 16  # objects under way: an object store answers each after some 30 ms, however many are asked for
PIECE = 1 << 20  # bytes read at a time
KNOWN = "corpora"  # folder of the store: what the versions of a corpus were when it was last listed
# What tells two contents of one object apart for certain, by the name that file systems give it; a time does not
SURE = ("ETag", "etag", "md5Hash", "content_md5", "generation")
FAULTS = (PermissionError, FileNotFoundError, IsADirectoryError)  # of one object; others are of the way there


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """An object of a corpus as its file system lists it."""

    path: str  # inside the corpus
    location: str  # its URL
    size: int
    stamp: str  # equal stamps, equal bytes; "" where the file system tells nothing of the kind


def is_url(corpus: Path | str) -> bool:
    """Is this the address of something that is not on this machine's disks?"""
    return "://" in str(corpus) and not str(corpus).startswith("file://")


def open_url(url: str) -> tuple[Any, str]:
    """The file system of a URL and the path in it; ValueError where there is none to be had.

    Nothing that was listed before is remembered: an object may have come since.
    """
    import fsspec

    if "::" in url:
        raise ValueError(f"{url}: a chain of file systems; unpack what it holds, and give one URL")
    try:
        fs, path = fsspec.core.url_to_fs(url, use_listings_cache=False)
    except (ImportError, ValueError) as error:
        raise ValueError(f"{url}: {error}") from error
    return fs, str(path).rstrip("/")


def list_objects(url: str) -> tuple[list[RemoteFile], bool]:
    """Every object below a URL, or the one object it names (then True), in the order of their paths.

    FileNotFoundError where there is neither.
    """
    fs, root = open_url(url)
    missing = f"corpus {url}: nothing lies there; check the address"
    try:
        about = fs.info(root)
    except FileNotFoundError:
        about = {"type": "directory"}  # of many file systems a folder is what its files are called
    if about["type"] == "file" and not url.endswith("/"):
        return [_remote_file(PurePosixPath(root).name, root, about, fs)], True
    try:
        found = fs.find(root, detail=True)
    except FileNotFoundError:
        raise FileNotFoundError(missing) from None
    listed = []
    for name, entry in found.items():
        path = name[len(root) :].removeprefix("/")
        # consoles write folders as empty objects
        if path and entry["type"] == "file" and not name.endswith("/"):
            listed.append(_remote_file(path, name, entry, fs))
    if not listed and not fs.exists(root):
        raise FileNotFoundError(missing)
    return sorted(listed, key=lambda entry: entry.path), False


def _remote_file(path: str, name: str, about: Mapping[str, Any], fs: Any) -> RemoteFile:
    return RemoteFile(path, str(fs.unstrip_protocol(name)), int(about.get("size") or 0), _stamp(about))


def _stamp(about: Mapping[str, Any]) -> str:
    """What the file system says of a file's content; "" for what only says when it was written."""
    stamps = [str(about[key]).strip('"') for key in SURE if about.get(key)]
    return f"{stamps[0]}:{about.get('size')}" if stamps and not stamps[0].startswith("W/") else ""


def read_stamp(location: str) -> str | None:
    """The stamp of an object as it is now; None where there is none."""
    fs, path = open_url(location)
    try:
        return _stamp(fs.info(path))
    except FAULTS:
        return None


def digest_objects(found: list[RemoteFile], url: str, store: Store | None) -> dict[str, str]:
    """The digest of every object's bytes by path, "" for one that may not be read.

    An object whose stamp is that of the last time is not fetched again. Raises what the file system raises where
    nothing can be fetched at all.
    """
    name = f"{KNOWN}/{hashlib.blake2b(url.rstrip('/').encode(), digest_size=8).hexdigest()}.parquet"
    known = _load_known_digests(store, name) if store else {}
    digests = {e.path: known[e.path][1] for e in found if e.stamp and known.get(e.path, ("", ""))[0] == e.stamp}
    todo = [entry for entry in found if entry.path not in digests]
    sure = {entry.path: (entry.stamp, digests[entry.path]) for entry in found if entry.path in digests}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for entry, (content, certain) in zip(todo, pool.map(_digest_with_stamp, todo), strict=True):
            digests[entry.path] = content
            if certain:
                sure[entry.path] = (entry.stamp, content)
    if store and sure != known:
        rows = sorted(sure)
        columns = {"path": rows, "stamp": [sure[p][0] for p in rows], "digest": [sure[p][1] for p in rows]}
        store.write(name, to_parquet(pa.table({key: pa.array(value, pa.string()) for key, value in columns.items()})))
    return digests


def _load_known_digests(store: Store, name: str) -> dict[str, tuple[str, str]]:
    """Stamp and digest by path, as they were written down last; nothing where that is lost or damaged."""
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(store.read(name)), use_threads=False)
        columns = [table[column].to_pylist() for column in ("path", "stamp", "digest")]
    except (FileNotFoundError, pa.ArrowException, KeyError):
        return {}
    return {path: (stamp, content) for path, stamp, content in zip(*columns, strict=True)}


def _digest_with_stamp(entry: RemoteFile) -> tuple[str, bool]:
    """The digest of an object's bytes, and whether these are for certain what its stamp stands for."""
    content = digest_object(entry.location, entry.size)
    return content, bool(content and entry.stamp) and read_stamp(entry.location) == entry.stamp


def digest_object(location: str, size: int) -> str:
    """The digest of an object's bytes as they are now; "" for one that may not be read, or is gone."""
    hashed = hashlib.blake2b(digest_size=16)
    try:
        for piece in _read_pieces(location, size):
            hashed.update(piece)
    except FAULTS:
        return ""
    return hashed.hexdigest()


def _read_pieces(location: str, size: int) -> Iterator[bytes]:
    fs, path = open_url(location)
    if size <= 8 * PIECE:  # in one request
        yield (
            fs.cat_file(path, start=0) if size else fs.cat_file(path)
        )  # of a range s3fs does not ask for the size first
        return
    with fs.open(path, "rb", block_size=8 * PIECE, cache_type="readahead") as stream:
        while piece := stream.read(8 * PIECE):
            yield piece


@contextlib.contextmanager
def download(location: str, size: int) -> Iterator[str]:
    """The path of a copy of an object on this machine's disk; Unreadable where there is nothing to copy."""
    with tempfile.TemporaryDirectory(prefix="rarefy-") as folder:
        place = Path(folder, f"source{PurePosixPath(location).suffix[:20]}")
        with place.open("wb") as file:
            _download_to(location, size, file)
        yield str(place)


def _download_to(location: str, size: int, file: BinaryIO) -> None:
    try:
        for piece in _read_pieces(location, size):
            file.write(piece)
    except FAULTS as error:
        why = str(error) or type(error).__name__
        raise Unreadable("unreadable_file", f"{why}; grant read permission or remove the file") from error
