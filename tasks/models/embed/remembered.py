"""Vectors kept by what they are of: any number of threads and processes may share a folder of them."""

import hashlib
import logging
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from rarefy.tasks.private import make_file, make_folder

Vectors = npt.NDArray[np.float32]
Embed = Callable[[list[str]], Iterable[tuple[list[str], Vectors]]]  # texts and their vectors, in parts as they are made

# What is embedded between two commits: a run that is killed loses about ten seconds of work.
COMMIT = 1_000


# SQLite's own codes: 11 "malformed", 26 "not a database"
DAMAGE = (11, 26)
OTHER = re.compile(r"no such column|has no column|values were supplied|malformed")  # a table of something else
LOG = logging.getLogger("rarefy.llm")  # whose warnings have a line of a run's own (flows/engine/progress.py)


class _Damaged(OSError):
    """The file holds what nobody wrote into it."""


class Remembered:
    """Vectors of texts in the folder `cache` (None: in memory), each made once."""

    def __init__(self, cache: Path | None) -> None:
        self._lock = Lock()
        self._memory = sqlite3.connect(":memory:", check_same_thread=False) if cache is None else None
        self._file = cache / "embeddings.sqlite" if cache else None

    def __call__(self, identity: bytes, texts: Sequence[str], embed: Embed) -> Vectors:
        """One vector for each text; `embed` makes those that nobody with this identity (32 bytes) has asked for yet.

        OSError with the way out where the folder cannot be read or written.
        """
        try:
            return self._vectors(identity, texts, embed)
        except _Damaged as damage:
            if self._file is None:
                raise
            self._move_aside(damage)
        return self._vectors(identity, texts, embed)  # once more: with a new file, which nobody has damaged

    def _vectors(self, identity: bytes, texts: Sequence[str], embed: Embed) -> Vectors:
        with self._lock, self._store() as store:
            keys = [_key(identity, text) for text in texts]
            known = _known(store, keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            wanted = sorted(missing.items(), key=lambda pair: (len(pair[1]), pair[0]))  # by length: fuller batches
            for at in range(0, len(wanted), COMMIT):
                for some, vectors in embed([text for _, text in wanted[at : at + COMMIT]]):
                    pairs = zip(some, vectors, strict=True)
                    rows = [(_key(identity, text), vector.tobytes()) for text, vector in pairs]
                    with store:
                        store.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
                    known.update(rows)
            if not keys:
                return np.zeros((0, 0), dtype=np.float32)
            odd = next((len(known[key]) for key in keys if not known[key] or len(known[key]) % 4), -1)
            if odd >= 0:
                raise _Damaged(f"a vector of {odd:,} bytes, which is none")
            if len({len(known[key]) for key in keys}) > 1:
                raise OSError(
                    f"{self._file or 'the embeddings'}: vectors of different lengths under one model's name; was "
                    "another model served under it? Delete the file, it is only a cache"
                )
            return np.frombuffer(b"".join([known[key] for key in keys]), dtype=np.float32).reshape(len(keys), -1)

    def _move_aside(self, damage: Exception) -> None:
        """Give the damaged file another name, where nobody has yet, and say so: it was only a cache."""
        assert self._file is not None
        aside = self._file.with_name(f"{self._file.name}.damaged")
        with self._lock:
            for ending in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):  # another process was first
                    self._file.with_name(self._file.name + ending).replace(aside.with_name(aside.name + ending))
        LOG.warning("%s was damaged (%s): it is now %s, and its vectors are made anew", self._file, damage, aside.name)

    @contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        """The vectors by key; opened anew each time, so that a forked process never shares a connection."""
        if self._memory is not None:
            _prepare(self._memory)
            yield self._memory
            return
        assert self._file is not None
        make_folder(self._file.parent)
        make_file(self._file)
        try:
            with closing(sqlite3.connect(self._file, timeout=60)) as store:
                store.execute("PRAGMA journal_mode=WAL")
                _prepare(store)
                yield store
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGE or (
                isinstance(error, sqlite3.OperationalError) and OTHER.search(str(error))
            ):
                raise _Damaged(str(error)) from error
            raise OSError(f"{self._file}: {error}; free space or delete the file, it is only a cache") from error


def _prepare(store: sqlite3.Connection) -> None:
    store.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")


def _known(store: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    distinct = sorted(set(keys))
    for at in range(0, len(distinct), 500):
        some = distinct[at : at + 500]
        marks = ",".join("?" * len(some))
        found.update(store.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some))
    return found


def _key(identity: bytes, text: str) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, key=identity, digest_size=16).digest()
