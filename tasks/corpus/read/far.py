"""A corpus behind an fsspec URL (s3://…): what lies there, under which version, and a copy of a file to read."""

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import pyarrow as pa

from rarefy.tasks.corpus.read.unreadable import Unreadable
from rarefy.tasks.store.tables import Store, parquet

AT_ONCE = 16  # objects under way: an object store answers each after some 30 ms, however many are asked for
PIECE = 1 << 20  # bytes read at a time
KNOWN = "corpora"  # folder of the store: what the versions of a corpus were when it was last listed
# What tells two contents of one object apart for certain, by the name that file systems give it; a time does not
SURE = ("ETag", "etag", "md5Hash", "content_md5", "generation")
FAULTS = (PermissionError, FileNotFoundError, IsADirectoryError)  # of one object; others are of the way there


@dataclass(frozen=True, slots=True)
class Entry:
    """An object of a corpus as its file system lists it."""

    path: str  # inside the corpus
    location: str  # its URL
    size: int
    stamp: str  # equal stamps, equal bytes; "" where the file system tells nothing of the kind


def is_url(corpus: Path | str) -> bool:
    """Is this the address of something that is not on this machine's disks?"""
    return "://" in str(corpus) and not str(corpus).startswith("file://")


def opened(url: str) -> tuple[Any, str]:
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


def entries(url: str) -> tuple[list[Entry], bool]:
    """Every object below a URL, or the one object it names (then True), in the order of their paths.

    FileNotFoundError where there is neither.
    """
    fs, root = opened(url)
    missing = f"corpus {url}: nothing lies there; check the address"
    try:
        about = fs.info(root)
    except FileNotFoundError:
        about = {"type": "directory"}  # of many file systems a folder is what its files are called
    if about["type"] == "file" and not url.endswith("/"):
        return [_entry(PurePosixPath(root).name, root, about, fs)], True
    try:
        found = fs.find(root, detail=True)
    except FileNotFoundError:
        raise FileNotFoundError(missing) from None
    listed = []
    for name, told in found.items():
        path = name[len(root) :].removeprefix("/")
        if path and told["type"] == "file" and not name.endswith("/"):  # consoles write folders as empty objects
            listed.append(_entry(path, name, told, fs))
    if not listed and not fs.exists(root):
        raise FileNotFoundError(missing)
    return sorted(listed, key=lambda entry: entry.path), False


def _entry(path: str, name: str, about: Mapping[str, Any], fs: Any) -> Entry:
    return Entry(path, str(fs.unstrip_protocol(name)), int(about.get("size") or 0), _stamp(about))


def _stamp(about: Mapping[str, Any]) -> str:
    """What the file system says of a file's content; "" for what only says when it was written."""
    told = [str(about[key]).strip('"') for key in SURE if about.get(key)]
    return f"{told[0]}:{about.get('size')}" if told and not told[0].startswith("W/") else ""


def stamp(location: str) -> str | None:
    """The stamp of an object as it is now; None where there is none."""
    fs, path = opened(location)
    try:
        return _stamp(fs.info(path))
    except FAULTS:
        return None


def digests(found: list[Entry], url: str, store: Store | None) -> dict[str, str]:
    """The digest of every object's bytes by path, "" for one that may not be read.

    An object whose stamp is that of the last time is not fetched again. Raises what the file system raises where
    nothing can be fetched at all.
    """
    name = f"{KNOWN}/{hashlib.blake2b(url.rstrip('/').encode(), digest_size=8).hexdigest()}.parquet"
    known = _known(store, name) if store else {}
    told = {e.path: known[e.path][1] for e in found if e.stamp and known.get(e.path, ("", ""))[0] == e.stamp}
    todo = [entry for entry in found if entry.path not in told]
    sure = {entry.path: (entry.stamp, told[entry.path]) for entry in found if entry.path in told}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for entry, (content, certain) in zip(todo, pool.map(_digest, todo), strict=True):
            told[entry.path] = content
            if certain:
                sure[entry.path] = (entry.stamp, content)
    if store and sure != known:
        rows = sorted(sure)
        columns = {"path": rows, "stamp": [sure[p][0] for p in rows], "digest": [sure[p][1] for p in rows]}
        store.write(name, parquet(pa.table({key: pa.array(value, pa.string()) for key, value in columns.items()})))
    return told


def _known(store: Store, name: str) -> dict[str, tuple[str, str]]:
    """Stamp and digest by path, as they were written down last; nothing where that is lost or damaged."""
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(store.read(name)), use_threads=False)
        columns = [table[column].to_pylist() for column in ("path", "stamp", "digest")]
    except (FileNotFoundError, pa.ArrowException, KeyError):
        return {}
    return {path: (stamp, content) for path, stamp, content in zip(*columns, strict=True)}


def _digest(entry: Entry) -> tuple[str, bool]:
    """The digest of an object's bytes, and whether these are for certain what its stamp stands for."""
    content = digest(entry.location, entry.size)
    return content, bool(content and entry.stamp) and stamp(entry.location) == entry.stamp


def digest(location: str, size: int) -> str:
    """The digest of an object's bytes as they are now; "" for one that may not be read, or is gone."""
    hashed = hashlib.blake2b(digest_size=16)
    try:
        for piece in _pieces(location, size):
            hashed.update(piece)
    except FAULTS:
        return ""
    return hashed.hexdigest()


def _pieces(location: str, size: int) -> Iterator[bytes]:
    fs, path = opened(location)
    if size <= 8 * PIECE:  # in one request
        yield (
            fs.cat_file(path, start=0) if size else fs.cat_file(path)
        )  # of a range s3fs does not ask for the size first
        return
    with fs.open(path, "rb", block_size=8 * PIECE, cache_type="readahead") as stream:
        while piece := stream.read(8 * PIECE):
            yield piece


@contextlib.contextmanager
def copied(location: str, size: int) -> Iterator[str]:
    """The path of a copy of an object on this machine's disk; Unreadable where there is nothing to copy."""
    with tempfile.TemporaryDirectory(prefix="rarefy-") as folder:
        place = Path(folder, f"source{PurePosixPath(location).suffix[:20]}")
        with place.open("wb") as file:
            _copy(location, size, file)
        yield str(place)


def _copy(location: str, size: int, file: BinaryIO) -> None:
    try:
        for piece in _pieces(location, size):
            file.write(piece)
    except FAULTS as error:
        why = str(error) or type(error).__name__
        raise Unreadable("unreadable_file", f"{why}; grant read permission or remove the file") from error
