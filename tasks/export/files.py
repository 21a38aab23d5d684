"""Files of a benchmark's folder: written beside their places, then put there all at once, under a lock."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, get_origin, get_type_hints
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from rarefy.data_contracts.rows import Breach, Question, answer_in_words
from rarefy.tasks.atomic_write import put_in_place
from rarefy.tasks.export.tables import BESIDE, NAMES, slices

_ROWS = 2048  # rows in memory at once, and in a Parquet row group: a document with its tags may take 10 MB
PATIENCE = 60.0  # seconds: a benchmark changes places in less than one
_LOCKLESS = {errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS}  # what flock(2) says on some network disks
# where this package writes, and what a run that was killed there may have left: never a file of somebody else
LEFTOVER_PLACES = (".*", "beir/**/.*", "hf/**/.*")
NAMED = "|".join((*NAMES.values(), *BESIDE.values(), "manifest", "contracts", "models", "changes"))
LEFTOVER = re.compile(rf"\..+\.[0-9a-f]{{12}}\.part|\.(?:{NAMED})(?:\.\w+)+\.part")
Content: TypeAlias = pa.Table | Iterable[bytes] | None  # None: a file that is not there


def put_file(path: Path, content: Content) -> None:
    """Write a file whole or not at all: a table as Parquet, bytes as they come, None as no file."""
    if content is None:
        path.unlink(missing_ok=True)
        scratch_path(path).unlink(missing_ok=True)
    else:
        put_in_place(write_scratch(path, content), path)


def scratch_path(path: Path, token: str = "") -> Path:
    """Where a file is written before it is put in place; `token` is of the run that writes it."""
    return path.with_name(f".{path.name}{token and '.'}{token}.part")  # without: what a killed run left is written over


def write_scratch(path: Path, content: pa.Table | Iterable[bytes], token: str = "") -> Path:
    """Write a file beside its place, whole or not at all, and return that path; OSError names the place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = scratch_path(path, token)
    try:
        if isinstance(content, pa.Table):
            pq.write_table(content.replace_schema_metadata(None), scratch, compression="zstd", row_group_size=_ROWS)
        else:
            with scratch.open("wb") as file:
                file.writelines(content)
    except BaseException as error:
        scratch.unlink(missing_ok=True)  # a full disk gets its space back
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    return scratch


def to_records(table: pa.Table, row_type: type) -> Iterator[dict[str, Any]]:
    """The rows of a table as JSON objects; a dict, which a table holds as a string, is an object again.

    A question's `answer` may be a bare cell: its record says the answer with unit and scale too, as `answer_in_words`.
    """
    objects = [name for name, hint in get_type_hints(row_type).items() if get_origin(hint) is dict]
    for part in slices(table, _ROWS):
        for record in part.to_pylist():
            record |= {name: json.loads(record[name]) for name in objects}
            if row_type is Question:
                record["answer_in_words"] = answer_in_words(record["answer"], record["aliases"], record["pattern"])
            yield record


def to_json_lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Each row as a line of JSON in UTF-8."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def put_breaches(path: Path, breaches: Collection[Breach]) -> None:
    """Write the rows that were set aside as JSON lines; no file where there are none."""
    put_file(path, to_json_lines(map(asdict, breaches)) if breaches else None)


def sha256(path: Path) -> str:
    """The digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep other runs from writing into the folder in this block; the folder is made where there is none.

    BlockingIOError where another run does not end in time: it may be frozen. A disk that has no locks is trusted to
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
                    way_out = "end it if it hangs, and run again"
                    raise BlockingIOError(
                        f"{folder}: another run has been writing there for {PATIENCE:.0f} s; {way_out}"
                    ) from None
                time.sleep(0.05)
                continue
            except OSError as error:
                if error.errno not in _LOCKLESS:
                    raise
            break
        yield
    finally:
        os.close(place)  # and with it the lock


class StagedFiles:
    """Files that one run has written beside their places; removed at the end unless they were put in place."""

    def __init__(self, out: Path, last: str) -> None:
        self.out, self.last, self.token = out, last, uuid4().hex[:12]
        self.digests: dict[str, str] = {}

    def __enter__(self) -> "StagedFiles":
        return self

    def __exit__(self, *_: object) -> None:
        for name in (*self.digests, self.last):
            scratch_path(self.out / name, self.token).unlink(missing_ok=True)  # a full disk gets its space back

    def write(self, files: Mapping[str, Content]) -> None:
        """Write these; OSError where the disk is full."""
        for name, content in files.items():
            if content is not None:
                self.digests[name] = ""  # to be removed from here on
                scratch = write_scratch(self.out / name, content, self.token)
                with suppress(FileNotFoundError):  # another run put its own in place just now: `swap` will see
                    self.digests[name] = sha256(scratch)

    def swap(self, files: Iterable[str], last: bytes, fence: Callable[[], None]) -> bool:
        """Put all of them in place, unless the fence raises; False where another run has removed some of them.

        A name that was not written is removed. The last file is removed first and put last: where it is, all is whole.
        """
        write_scratch(self.out / self.last, [last], self.token)
        with lock_folder(self.out):
            fence()
            if not all(scratch_path(self.out / name, self.token).exists() for name in (*self.digests, self.last)):
                return False  # another run put its own in place, and tidied
            _remove_found(self.out, self.token)
            (self.out / self.last).unlink(missing_ok=True)
            for name in files:
                if name in self.digests:
                    put_in_place(scratch_path(self.out / name, self.token), self.out / name)
                else:
                    (self.out / name).unlink(missing_ok=True)
            put_in_place(scratch_path(self.out / self.last, self.token), self.out / self.last)
        return True


def put_missing(out: Path, files: Mapping[str, Content], fence: Callable[[], None]) -> None:
    """Write those of these files that are not there, unless the fence raises."""
    for name, content in files.items():
        if not (out / name).exists():
            with lock_folder(out):
                fence()
                put_file(out / name, content)


def remove_leftovers(out: Path) -> None:
    """Remove files that other runs left beside their places: killed ones did, and one that lives writes them again."""
    if any(_find_leftovers(out)):
        with lock_folder(out):
            _remove_found(out)


def _find_leftovers(out: Path) -> Iterator[Path]:
    for pattern in LEFTOVER_PLACES:
        yield from (path for path in out.glob(pattern) if LEFTOVER.fullmatch(path.name) and path.is_file())


def _remove_found(out: Path, mine: str = "/") -> None:
    for left in list(_find_leftovers(out)):
        if mine not in left.name:
            left.unlink(missing_ok=True)
