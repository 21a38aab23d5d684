"""The files of a store, as its file system lists them: in few requests, and without reading any."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rarefy.tasks.store.tables import Store


@dataclass(frozen=True)
class File:
    """A file of the store, with what is known of it without reading it."""

    path: str
    size: int
    written: float  # seconds since 1970, by the store's clock; infinite where it does not say

    @property
    def name(self) -> str:
        """Without its folder."""
        return self.path.rpartition("/")[2]


def files(store: Store, folder: str) -> list[File]:
    """The files below a folder of the store, by path; scratch files are none. A folder's name is no pattern."""
    store.fs.invalidate_cache()  # another machine may have written since
    found = store.fs.find(f"{store.root}/{folder}".rstrip("/"), detail=True)
    every = [File(str(path), int(about.get("size") or 0), _written(about)) for path, about in found.items()]
    return sorted((file for file in every if not file.name.startswith(".")), key=lambda file: file.path)


def _written(about: Mapping[str, Any]) -> float:
    """When a file was written, as its file system calls that."""
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
