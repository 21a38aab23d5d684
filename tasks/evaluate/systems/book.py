"""Answers of systems that are paid or slow, kept as they come: whoever is killed goes on where it was (SQLite)."""

import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from rarefy.data_contracts.rows import Passage, row_id
from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.private import make_file, make_folder

OURS = 0x72617361  # application_id of such a file: "rasa"
VERSION = 1  # of its table
PATIENCE = 60.0  # seconds to wait for another process's transaction
TABLE = """CREATE TABLE IF NOT EXISTS answers (system TEXT, asked_id TEXT, said BLOB NOT NULL,
PRIMARY KEY (system, asked_id)) WITHOUT ROWID"""


class Book:
    """The answers of one system in a file that any number of threads and processes share. Errors are never kept."""

    def __init__(self, file: Path, identity: dict[str, object]) -> None:
        self.file = file
        self.system = row_id("system", json.dumps(identity, sort_keys=True))
        self._own = threading.local()
        make_folder(file.parent)

    def find(self, asked_ids: Sequence[str]) -> dict[str, SystemOutput]:
        """The answers kept to these; OSError with the way out where the file cannot be read."""
        found: dict[str, SystemOutput] = {}
        for at in range(0, len(asked_ids), 500):
            some = asked_ids[at : at + 500]
            marks = ",".join("?" * len(some))
            query = f"SELECT asked_id, said FROM answers WHERE system = ? AND asked_id IN ({marks})"
            with self._connection() as file:
                found |= {name: _unpacked(said) for name, said in file.execute(query, (self.system, *some))}
        return found

    def count(self) -> int:
        """How many answers of the system are kept."""
        with self._connection() as file:
            return int(file.execute("SELECT count(*) FROM answers WHERE system = ?", (self.system,)).fetchone()[0])

    def keep(self, said: SystemOutput) -> SystemOutput:
        """The answer, once it is kept; another process's, where that was first. An error is only given back."""
        if said.error:
            return said
        with self._connection() as file:
            row = (self.system, said.asked_id, _packed(said))
            new = file.execute("INSERT INTO answers VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row).rowcount
        return said if new else self.find([said.asked_id])[said.asked_id]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection in this process: none may cross a fork."""
        try:
            if getattr(self._own, "process", 0) != os.getpid():
                self._own.file, self._own.process = _opened(self.file), os.getpid()
            yield self._own.file
        except sqlite3.DatabaseError as error:
            raise OSError(f"{self.file}: {error}; {_way_out(error)}") from error


def _opened(file: Path) -> sqlite3.Connection:
    make_file(file)
    connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
    try:
        _in_turn(connection, "PRAGMA journal_mode = WAL")  # it survives SIGKILL as it is
        connection.execute("PRAGMA synchronous = NORMAL")
        (ours,), (version,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        if ours != OURS:
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name != 'answers'").fetchone():
                raise OSError(f"{file}: a database of something else; move it away")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(TABLE)
            connection.execute(f"PRAGMA application_id = {OURS}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        elif version > VERSION:
            raise OSError(f"{file}: written by a newer rarefy; update rarefy, or evaluate into another folder")
    except BaseException:
        connection.close()
        raise
    return connection


def _in_turn(connection: sqlite3.Connection, statement: str) -> None:
    """Execute what does not wait by itself while another process opens the file."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _way_out(error: sqlite3.Error) -> str:
    told = str(error)
    if "full" in told:
        return "free space there and run again: what was kept is whole"
    if "malformed" in told or "not a database" in told:
        return "it is damaged: move it away to begin a new one (its answers are then asked for again)"
    return "look at the file, its folder, their rights and their disk"


def _packed(said: SystemOutput) -> bytes:
    return zlib.compress(json.dumps(asdict(said), ensure_ascii=False).encode(), 1)


def _unpacked(packed: bytes) -> SystemOutput:
    told = json.loads(zlib.decompress(packed))
    return replace(SystemOutput(**told), retrieved=tuple(Passage(**one) for one in told["retrieved"]))
