"""Tables by what they hold, recipes by what they take: what exists is finished (architecture §5)."""

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from rarefy.tasks.fingerprint import fingerprint

NAME = re.compile(r"[0-9a-f]{32}")
FORGOTTEN = 3600  # seconds after which a scratch file has no living writer: the largest table is written in minutes


class TableDamaged(Exception):
    """A stored table is not the one its name promises; it has been put aside and the next run makes it anew."""


def digest(what: Any) -> str:
    """A short name for plain data: equal data, equal names, on every machine."""
    plain = json.dumps(what, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(plain.encode(), digest_size=16).hexdigest()


class Store:
    """A folder, or any fsspec URL, of immutable tables and of the recipes that lead to them.

    Many writers may share it: equal work has equal names, and every file is put in place whole.
    """

    def __init__(self, url: str | Path) -> None:
        self.fs, root = fsspec.core.url_to_fs(str(url))
        self.root = root.rstrip("/")
        self.local = isinstance(self.fs, LocalFileSystem)
        self.url = self.root if self.local else str(url)  # the same place for workers that stand in another folder

    def find(self, recipe: str) -> dict[str, str] | None:
        """The tables that this recipe made, kind of row to name; None when it never finished or one of them is lost."""
        try:
            made = json.loads(self.fs.cat_file(f"{self.root}/recipes/{recipe}"))
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(made, dict) or not all(NAME.fullmatch(str(name)) for name in made.values()):
            return None
        return made if all(self.holds(name) for name in made.values()) else None

    def put(self, recipe: str, tables: Mapping[str, pa.Table]) -> dict[str, str]:
        """The names of these tables, now in the store: the tables first, the recipe last, which is the promise."""
        made = {kind: self.keep(table) for kind, table in tables.items()}
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
            self.write(f"tables/{name}.parquet", parquet(table))
        return name

    def table(self, name: str) -> pa.Table:
        """The table of this name, proved to be it; TableDamaged names one that is not, once it is out of the way."""
        path = f"{self.root}/tables/{name}.parquet"
        try:
            table = pq.read_table(pa.BufferReader(self.fs.cat_file(path)), use_threads=False)
            if fingerprint(table) == name:
                return table
            fault = "its rows are not those it was named after"
        except FileNotFoundError:
            raise TableDamaged(f"table {name} is gone from {self.url}: run again and it is made anew") from None
        except Exception as error:  # on garbage the Parquet reader raises whatever it stumbles on
            if (
                isinstance(error, OSError) and error.errno is not None
            ):  # no permission, no medium: not the table's fault
                raise
            fault = f"it cannot be read ({type(error).__name__})"
        with contextlib.suppress(FileNotFoundError):  # another reader may have put it aside
            self.fs.rm_file(path)
        raise TableDamaged(f"table {name} in {self.url} was damaged: {fault}; it is removed and made anew")

    def rows(self, name: str) -> int:
        """How many rows the table of this name has, without reading them; TableDamaged as for the table itself."""
        try:
            with self.fs.open(f"{self.root}/tables/{name}.parquet", "rb") as file:
                return int(pq.read_metadata(file).num_rows)
        except Exception:  # as above; the table itself says what is wrong, or is right for all that
            return int(self.table(name).num_rows)

    def mend(self) -> list[str]:
        """The names of all tables that are not what they are named after, now removed."""
        damaged = []
        for path in self.fs.glob(f"{self.root}/tables/*.parquet"):
            name = Path(path).stem
            try:
                self.table(name)
            except TableDamaged:
                damaged.append(name)
        return sorted(damaged)

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
        place = Path(path)
        scratch = place.with_name(f".{place.name}.{uuid4().hex}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with scratch.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(place)
        except OSError as error:
            with contextlib.suppress(OSError):
                scratch.unlink()
            raise OSError(error.errno, error.strerror, path) from error

    def sweep(self) -> int:
        """How many files of writers that died half-way were removed (scratch files older than an hour)."""
        if not self.local:
            return 0
        swept = 0
        for scratch in Path(self.root).glob("*/.*.*"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - scratch.stat().st_mtime > FORGOTTEN:
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
            if error.errno == 22:  # seeking before the beginning of an empty file
                return False
            raise


def parquet(table: pa.Table) -> bytes:
    """The table as a Parquet file, the same bytes for the same rows."""
    sink = pa.BufferOutputStream()
    pq.write_table(table.combine_chunks(), sink, compression="zstd", row_group_size=65_536, store_schema=False)
    content: bytes = sink.getvalue().to_pybytes()
    return content
