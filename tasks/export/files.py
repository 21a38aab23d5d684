"""Files put in place whole or not at all, and the bytes that go into them."""

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from rarefy.data_contracts.rows import Breach
from rarefy.tasks.export.tables import slices
from rarefy.tasks.store.atomic_write import put_in_place

_ROWS = 2048  # rows in memory at once, and in a Parquet row group: a document with its tags may take 10 MB


Content: TypeAlias = pa.Table | Iterable[bytes] | None  # None: a file that is not there


def put(path: Path, content: Content) -> None:
    """Put a file in place whole or not at all: a table as Parquet, else bytes as they come."""
    if content is None:
        path.unlink(missing_ok=True)
        beside(path).unlink(missing_ok=True)
    else:
        put_in_place(write(path, content), path)


def beside(path: Path, token: str = "") -> Path:
    """Where a file is written before it is put in place; by a run that knows itself by this token."""
    return path.with_name(f".{path.name}{token and '.'}{token}.part")  # without: what a killed run left is written over


def write(path: Path, content: pa.Table | Iterable[bytes], token: str = "") -> Path:
    """Write a file beside its place, whole or not at all, and say where; OSError names the place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = beside(path, token)
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


def records(table: pa.Table, row_type: type) -> Iterator[dict[str, Any]]:
    """The rows as JSON would hold them: what a row keeps as a dict is an object again, not a string."""
    objects = [name for name, hint in get_type_hints(row_type).items() if get_origin(hint) is dict]
    for part in slices(table, _ROWS):
        for record in part.to_pylist():
            yield record | {name: json.loads(record[name]) for name in objects}


def lines(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """JSON lines, in UTF-8 as it reads."""
    for row in rows:
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def put_breaches(path: Path, breaches: Collection[Breach]) -> None:
    """Put the rows that were set aside in place, as JSON lines; without any, no file."""
    put(path, lines(map(asdict, breaches)) if breaches else None)


def sha256(path: Path) -> str:
    """The digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
