"""Vectors of texts, each made once: any number of threads and processes may share a folder of them."""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.models.sql_store import Connection, DamagedFile, Schema, SQLiteDatabase
from rarefy.tasks.private import make_folder

Vectors = npt.NDArray[np.float32]
Embed = Callable[[list[str]], Iterable[tuple[list[str], Vectors]]]  # texts and their vectors, in parts as they are made

KEY = 16  # bytes of a key
COMMIT = 256  # texts embedded between two commits: a run that is killed loses some ten seconds of work
PULSE = 10.0  # seconds between two lines on how far it has come
LOG = logging.getLogger("rarefy.llm")  # whose messages have a line of a run's own (flows/engine/progress.py)


class VectorCache:
    """Vectors of texts in the folder `cache` (None: in memory), each made once.

    `shipped` reads vectors that come with the package, by key, when the first text is in no folder; one in memory
    alone does without.
    """

    def __init__(self, cache: Path | None, shipped: Callable[[], Mapping[bytes, bytes]] = dict) -> None:
        self._shipped = shipped
        self._lock = Lock()
        self._memory: dict[bytes, bytes] = {}
        self._table = _VectorTable(cache / "embeddings.sqlite") if cache else None

    def __call__(self, identity: bytes, texts: Sequence[str], embed: Embed) -> Vectors:
        """One vector for each text; `embed` makes those that nobody with this identity (32 bytes) has asked for yet.

        OSError with the way out where the folder cannot be read or written.
        """
        try:
            return self._vectors(identity, texts, embed)
        except DamagedFile as damage:
            assert self._table
            with self._lock:
                self._table.move_aside(damage)
        return self._vectors(identity, texts, embed)  # once more: with a new file, which nobody has damaged

    def _vectors(self, identity: bytes, texts: Sequence[str], embed: Embed) -> Vectors:
        with self._lock:
            keys = [_key(identity, text) for text in texts]
            known = self._table.find(keys) if self._table else self._memory
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if missing and self._table:
                shipped = self._shipped()
                found = {key: shipped[key] for key in missing if key in shipped}
                if found:
                    self._table.keep(found)
                    known.update(found)
                    missing = {key: text for key, text in missing.items() if key not in found}
            new = sorted(missing.items(), key=lambda pair: (len(pair[1]), pair[0]))  # by length: fuller batches
            work, began = sum(len(text) for _, text in new), time.monotonic()
            done, said = 0, began
            for start in range(0, len(new), COMMIT):
                if start and time.monotonic() - said > PULSE:
                    said = time.monotonic()
                    left = (said - began) * (work - done) / max(done, 1)
                    LOG.info("embedded %s of %s texts, %s s left", f"{start:,}", f"{len(new):,}", f"{left:,.0f}")
                done += sum(len(text) for _, text in new[start : start + COMMIT])
                for part, vectors in embed([text for _, text in new[start : start + COMMIT]]):
                    pairs = zip(part, vectors, strict=True)
                    rows = {_key(identity, text): vector.tobytes() for text, vector in pairs}
                    if self._table:
                        self._table.keep(rows)
                    known.update(rows)
        if not keys:
            return np.zeros((0, 0), dtype=np.float32)
        sizes = {len(known[key]) for key in keys}
        if any(not size or size % 4 for size in sizes):
            raise DamagedFile(f"a vector of {min(sizes):,} bytes, which is none")
        if len(sizes) > 1:
            raise OSError(
                f"{self._table.file if self._table else 'the embeddings'}: vectors of different lengths under one "
                "model's name; was another model served under it? Delete the file, it is only a cache"
            )
        return np.frombuffer(b"".join([known[key] for key in keys]), dtype=np.float32).reshape(len(keys), -1)


class _VectorTable:
    """Vectors as bytes by key, in a SQLite file that is opened anew for each piece of work."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @cached_property
    def _database(self) -> SQLiteDatabase:
        from sqlalchemy import Column, LargeBinary, MetaData, Table, select

        metadata = MetaData()
        key, vector = Column("key", LargeBinary, primary_key=True), Column("vector", LargeBinary, nullable=False)
        vectors = Table("vectors", metadata, key, vector, sqlite_with_rowid=False)
        schema = Schema(metadata, "it is only a cache", otherwise="free space or delete the file, it is only a cache")
        database = SQLiteDatabase(self.file, schema, pooled=False)
        self._lookup = database.lookup(select(key, vector), key)
        self._insert: Any = database.insert(vectors).on_conflict_do_nothing()
        return database

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The vectors that are kept under these keys."""
        make_folder(self.file.parent)
        return self._database.read(lambda connection: dict(self._lookup(connection, sorted(set(keys)))))

    def keep(self, vectors: Mapping[bytes, bytes]) -> None:
        """Write vectors; one whose key is known stays as it was."""
        rows = [{"key": key, "vector": vector} for key, vector in vectors.items()]

        def work(connection: Connection) -> None:
            connection.execute_many(self._insert, rows)

        self._database.write(work)

    def move_aside(self, damage: DamagedFile) -> None:
        """Give the damaged file another name, where nobody has yet, and say so: it was only a cache."""
        aside = self.file.with_name(f"{self.file.name}.damaged")
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):  # another process was first
                self.file.with_name(self.file.name + ending).replace(aside.with_name(aside.name + ending))
        LOG.warning("%s was damaged (%s): it is now %s, and its vectors are made anew", self.file, damage, aside.name)


def _key(identity: bytes, text: str) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, key=identity, digest_size=KEY).digest()
