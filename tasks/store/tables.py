"""The store: tables named after their content, recipes after their inputs; what exists is finished (§5)."""

import contextlib
import errno
import hashlib
import json
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from rarefy.tasks.atomic_write import put_in_place, sync_file, sync_folder
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.private import make_folder, open_file

TABLE_NAME = re.compile(r"[0-9a-f]{32}")
ABANDONED_AFTER = 3600  # seconds; by then a scratch file has no living writer: the largest table takes minutes
# Protocols that can refuse a second writer of a name, and errors of link(2) where there are no hard links
EXCLUSIVE = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory"}
LINKLESS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
ELSEWHERE = "keep the store in a folder of a disk, or on S3, Google Cloud Storage or Azure"
FOOTER = 1 << 14  # bytes at the end of a table, which nearly always hold the number of its rows
AT_ONCE = 16  # requests under way to a store that is far away, which answers each after some 30 ms
STRIDE = 4096  # rows; a column of so many texts stays under the 2 GiB that one array of strings can hold
_ONE_AT_A_TIME = threading.Lock()  # memory:// looks first and writes then; no other process sees it
Item = TypeVar("Item")
Result = TypeVar("Result")


class TableDamaged(Exception):
    """A stored table is not the one that its name stands for; it was removed, and the next run makes it anew."""


class Store:
    """A folder, or any fsspec URL, of immutable tables and of the recipes that lead to them.

    Many writers may share it: equal work has equal names, and every file is put in place whole.
    """

    def __init__(self, url: str | Path) -> None:
        self.fs, root = fsspec.core.url_to_fs(str(url), use_listings_cache=False)  # others write there too
        self.root = root.rstrip("/")
        self.local = isinstance(self.fs, LocalFileSystem)
        self.url = self.root if self.local else str(url)  # the same place for workers that stand in another folder
        self.touched: set[str] = set()  # the recipes that were looked for or put here

    @property
    def told(self) -> str:
        """The store's address for messages: without passwords and keys."""
        return redacted(self.url, most=len(self.url) + 100)

    def find(self, recipe: str) -> dict[str, str] | None:
        """The tables that this recipe made, kind of row to name; None when it never finished or one of them is lost."""
        self.touched.add(recipe)
        try:
            made = json.loads(self.read(f"recipes/{recipe}"))
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(made, dict) or not all(TABLE_NAME.fullmatch(str(name)) for name in made.values()):
            return None
        return made if all(self.holds(name) for name in made.values()) else None

    def put(self, recipe: str, tables: Mapping[str, pa.Table]) -> dict[str, str]:
        """The names of these tables, now in the store: the tables first, the recipe last, which is the promise."""
        self.touched.add(recipe)
        made = dict(zip(tables, self.over(self.keep, tables.values()), strict=True))
        self.write(f"recipes/{recipe}", json.dumps(made, sort_keys=True).encode())
        return made

    def forget(self, recipe: str) -> None:
        """Withdraw the promise of a recipe, so that the next run makes its tables anew; they themselves stay."""
        with contextlib.suppress(FileNotFoundError):
            self.fs.rm_file(f"{self.root}/recipes/{recipe}")

    def keep(self, table: pa.Table) -> str:
        """The name of this table, now in the store."""
        name = fingerprint(table)
        if not self.holds(name):
            self.write(f"tables/{name}.parquet", to_parquet(table))
        return name

    def table(self, name: str) -> pa.Table:
        """The table of this name, proved to be it; TableDamaged names one that is not, once it is out of the way."""
        path = f"{self.root}/tables/{name}.parquet"
        try:  # no permission, no medium, no answer: not the table's fault
            content = self.read(f"tables/{name}.parquet")
        except FileNotFoundError:
            raise TableDamaged(f"table {name} is gone from {self.told}: run again and it is made anew") from None
        try:
            table = pq.ParquetFile(pa.BufferReader(content)).read(use_threads=False)  # pq.read_table imports pandas
            if fingerprint(table) == name:
                return table
            fault = "its rows are not those it was named after"
        except Exception as error:  # on garbage the Parquet reader raises whatever it stumbles on
            fault = f"it cannot be read ({type(error).__name__})"
        with contextlib.suppress(FileNotFoundError):  # another reader may have put it aside
            self.fs.rm_file(path)
        raise TableDamaged(f"table {name} in {self.told} was damaged: {fault}; it is removed and made anew")

    def rows(self, name: str) -> int:
        """How many rows the table of this name has, without reading them; TableDamaged as for the table itself."""
        try:
            if self.local:
                with self.fs.open(f"{self.root}/tables/{name}.parquet", "rb") as file:
                    return int(pq.read_metadata(file).num_rows)
            end = self.fs.cat_file(f"{self.root}/tables/{name}.parquet", start=-FOOTER)
            return int(pq.read_metadata(pa.BufferReader(end)).num_rows)
        except Exception:  # as above; the table itself says what is wrong, or is right for all that
            return int(self.table(name).num_rows)

    def read(self, name: str) -> bytes:
        """What a file of the store holds, in one request; FileNotFoundError where there is none."""
        path = f"{self.root}/{name}"
        if self.local:
            return bytes(self.fs.cat_file(path))
        try:
            return bytes(self.fs.cat_file(path, start=0))  # a range, or s3fs asks for the size first
        except OSError as error:
            if error.errno == errno.EINVAL:  # an empty object has no first byte
                return b""
            raise

    def over(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Call a function on each item, results in their order; several at once where the store is far away."""
        if self.local:
            yield from map(work, items)
            return
        pool = ThreadPoolExecutor(AT_ONCE)
        waiting: deque[Future[Result]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * AT_ONCE:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def mend(self) -> list[str]:
        """The names of all tables that are not what they are named after, now removed."""

        def faulty(path: str) -> str:
            try:
                self.table(Path(path).stem)
            except TableDamaged:
                return Path(path).stem
            return ""

        paths = [path for path in self.fs.find(f"{self.root}/tables") if path.endswith(".parquet")]
        return sorted(filter(None, self.over(faulty, paths)))

    def rejections(self, name: str) -> list[str]:
        """Why each row of a table was rejected, "" where it was not."""
        table = self.table(name)
        return (
            table["rejected_because"].to_pylist() if "rejected_because" in table.column_names else [""] * table.num_rows
        )

    def write(self, name: str, content: bytes) -> None:
        """Put a file in place whole or not at all, whoever else is writing it; OSError names the path."""
        path = f"{self.root}/{name}"
        if not self.local:
            self.fs.pipe_file(path, content)  # object stores show an object when all of it is there
            return
        with _scratch(Path(path), content) as scratch:
            put_in_place(scratch, Path(path))

    def create(self, name: str, content: bytes) -> bool:
        """Put a file in place whole, unless one of that name stands; whether it was this call that did. OSError too.

        Of any number of writers one is told True. An object store's reply may be lost and asked for again, so there
        a file of equal content counts as this call's own: writers whose contents differ (by a token) are told apart.
        """
        path = f"{self.root}/{name}"
        if self.local:
            with _scratch(Path(path), content) as scratch:
                sync_file(scratch)
                try:
                    os.link(scratch, path)  # fails where there is one, which a rename does not
                    made = True
                except FileExistsError:
                    made = scratch.stat().st_nlink == 2  # over NFS a link may be made and its reply lost: open(2)
                except OSError as error:
                    if error.errno in LINKLESS:
                        raise OSError(f"{path}: this file system has no hard links; {ELSEWHERE}") from error
                    raise
                scratch.unlink()
            sync_folder(Path(path).parent)
            return made
        kinds = {self.fs.protocol} if isinstance(self.fs.protocol, str) else set(self.fs.protocol)
        if not kinds & EXCLUSIVE:
            raise OSError(f"{path}: {min(kinds)}:// does not refuse a second writer of one name; {ELSEWHERE}")
        with _ONE_AT_A_TIME if "memory" in kinds else contextlib.nullcontext():
            try:
                self.fs.pipe_file(path, content, mode="create")
            except FileExistsError:
                return bool("memory" not in kinds and self.fs.cat_file(path) == content)
        return True

    def sweep(self) -> int:
        """How many files of writers that died half-way were removed (scratch files older than an hour)."""
        if not self.local:
            return 0
        swept = 0
        for scratch in [*Path(self.root).glob("*/.*.*"), *Path(self.root).glob("*/*/.*.*")]:
            with contextlib.suppress(FileNotFoundError):
                if time.time() - scratch.stat().st_mtime > ABANDONED_AFTER:
                    scratch.unlink()
                    swept += 1
        return swept

    def holds(self, name: str) -> bool:
        """Is there such a table, to its last byte? Parquet ends in its magic; a truncated file does not."""
        try:
            return bool(self.fs.cat_file(f"{self.root}/tables/{name}.parquet", start=-4) == b"PAR1")
        except (FileNotFoundError, ValueError):
            return False
        except OSError as error:
            if error.errno == errno.EINVAL:  # seeking before the beginning of an empty file
                return False
            raise


@contextlib.contextmanager
def _scratch(place: Path, content: bytes) -> Iterator[Path]:
    """A file beside the place with this content; gone where what follows fails, which names it."""
    scratch = place.with_name(f".{place.name}.{uuid4().hex}")
    try:
        make_folder(place.parent)
        with open_file(scratch, "wb") as file:
            file.write(content)
        yield scratch
    except OSError as error:
        with contextlib.suppress(OSError):
            scratch.unlink()
        if error.errno is None:  # one of ours, which says it all
            raise
        raise OSError(error.errno, error.strerror, str(place)) from error


def to_parquet(table: pa.Table) -> bytes:
    """The table as a Parquet file, the same bytes for the same rows."""
    sink = pa.BufferOutputStream()
    pq.write_table(table.combine_chunks(), sink, compression="zstd", row_group_size=65_536, store_schema=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def digest(what: Any) -> str:
    """A short name for plain data: equal data, equal names, on every machine."""
    plain = json.dumps(what, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(plain.encode(), digest_size=16).hexdigest()


def fingerprint(table: pa.Table) -> str:
    """32 hex digits that stand for the schema and every value of the table, in order."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{table.num_rows} ".encode())
    for field in table.schema:
        digest.update(f"{field.name} {_type_name(field.type)} ".encode())
    for start in range(0, table.num_rows, STRIDE):  # of one length, however the table happens to be chunked
        for column in table.slice(start, STRIDE).columns:
            _hash_array(digest.update, pa.concat_arrays(column.chunks))
    return digest.hexdigest()


def _type_name(kind: pa.DataType) -> str:
    """The name of a type, without the two names of a list's items on which Parquet and Arrow do not agree.

    Any other is of a damaged file, whose rows may still be right.
    """
    if pa.types.is_list(kind):
        items = kind.value_field.name
        return f"list<{'' if items in ('item', 'element') else items}{_type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{part.name} {_type_name(part.type)}' for part in kind)}>"
    return str(kind)


def _hash_array(update: Callable[[bytes], object], array: pa.Array) -> None:
    """Hash an array by its values; its buffers differ with padding, offsets and slicing."""
    if array.null_count:
        update(b"null ")
        update(pc.is_null(array).cast(pa.uint8()).to_numpy(zero_copy_only=False).tobytes())
        array = array.drop_null()
    kind = array.type
    if pa.types.is_struct(kind):
        for values in array.flatten():
            _hash_array(update, values)
    elif pa.types.is_list(kind):
        update(pc.list_value_length(array).to_numpy(zero_copy_only=False).tobytes())
        _hash_array(update, array.flatten())
    elif pa.types.is_string(kind):
        update(pc.binary_length(array).to_numpy(zero_copy_only=False).tobytes())
        update(_string_bytes(array))
    elif pa.types.is_boolean(kind):
        update(array.cast(pa.uint8()).to_numpy(zero_copy_only=False).tobytes())
    else:
        update(array.to_numpy(zero_copy_only=False).tobytes())


def _string_bytes(array: pa.Array) -> bytes:
    """The texts of a string array, one after the other, in UTF-8."""
    offsets = pa.Array.from_buffers(pa.int32(), len(array) + 1, [None, array.buffers()[1]], offset=array.offset)
    data = array.buffers()[2]
    return b"" if data is None or not len(array) else bytes(data[offsets[0].as_py() : offsets[len(array)].as_py()])


@dataclass(frozen=True)
class StoredFile:
    """A file of the store, with what is known of it without reading it."""

    path: str
    size: int
    written: float  # seconds since 1970, by the store's clock; infinite where it does not say

    @property
    def name(self) -> str:
        """The name without its folder."""
        return self.path.rpartition("/")[2]


def list_files(store: Store, folder: str) -> list[StoredFile]:
    """The files below a folder of the store, by path, without scratch files."""
    store.fs.invalidate_cache()  # another machine may have written since
    found = store.fs.find(f"{store.root}/{folder}".rstrip("/"), detail=True)
    every = [StoredFile(str(path), int(about.get("size") or 0), _write_time(about)) for path, about in found.items()]
    return sorted((file for file in every if not file.name.startswith(".")), key=lambda file: file.path)


def _write_time(about: Mapping[str, Any]) -> float:
    """When a file was written, by whatever name its file system has for that."""
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        value = about.get(name)
        if isinstance(value, datetime):
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                return datetime.fromisoformat(value).timestamp()
        if isinstance(value, int | float):
            return float(value)
    return float("inf")


def read_if_visible(url: str, name: str) -> str:
    """The text of a file of the store; "" where this process sees none, since the store is another folder here."""
    try:
        return Store(url).read(name).decode()
    except FileNotFoundError:
        return ""
