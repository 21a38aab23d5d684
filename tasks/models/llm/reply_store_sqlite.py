"""The books in one SQLite file, for all threads and processes of a machine; safe against SIGKILL at any moment."""

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.models.llm import pace
from rarefy.tasks.models.llm.lines import COLUMNS, GROUPS, LINE, SUMS, line, used
from rarefy.tasks.models.llm.packed import pack, packed, plain, unpack, unpacked
from rarefy.tasks.models.llm.reply_store import Call, Kept, Usage
from rarefy.tasks.private import make_file

VERSION = 1  # of the tables; in the file as user_version
OURS = 0x52415245  # application_id: "RARE"
PATIENCE = 60.0  # seconds for another process to finish writing; a transaction takes milliseconds
BEHIND = 2 * PATIENCE  # seconds that a time may lie before the last one seen without the clock having been set back
SHOWN = 100  # replies that `explain` gives, at most
AT_ONCE = 500  # keys in one question: SQLite takes 999 values and more
CACHE = 16_384  # KiB of pages in memory: what a transaction changes fits in it, whatever the size of the file
CHECKPOINT = 4_000  # pages (16 MiB) of the log before they are moved to the file: each time the disk is waited for

TABLES = """
CREATE TABLE replies (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, request_id TEXT NOT NULL, at REAL NOT NULL,
    reply BLOB NOT NULL, made_of BLOB NOT NULL
);
CREATE INDEX replies_by_request ON replies (request_id);
CREATE TABLE calls (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, stage TEXT NOT NULL, model TEXT NOT NULL, request_id TEXT NOT NULL,
    outcome TEXT NOT NULL, parse TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL, cost INTEGER NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL,
    final INTEGER NOT NULL, count INTEGER NOT NULL, unmetered INTEGER NOT NULL,
    characters INTEGER NOT NULL
);
CREATE INDEX calls_by_run ON calls (run);
CREATE TABLE pace (name TEXT PRIMARY KEY, requests REAL NOT NULL, tokens REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE holds (name TEXT PRIMARY KEY, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE clock (seen REAL NOT NULL);
CREATE TABLE budgets (run TEXT PRIMARY KEY, calls INTEGER NOT NULL, cost INTEGER NOT NULL) WITHOUT ROWID;
"""

# for files from before there was one
CLOCK = "CREATE TABLE IF NOT EXISTS clock (seen REAL NOT NULL)"

Given = TypeVar("Given")


class SQLiteReplyStore:
    """See `reply_store.ReplyStore`. Every method may raise an OSError that names the file and the way out."""

    def __init__(self, file: Path) -> None:
        self.file = file
        # By process: a connection must not cross a fork, not even to be closed there; a lock may be held across it.
        self._idle: dict[int, deque[sqlite3.Connection]] = {}
        self._writing: dict[int, threading.Lock] = {}
        with self._connection():
            pass

    def find(self, keys: Sequence[str]) -> dict[str, Reply]:
        names = [plain(key) for key in keys]
        found: dict[str, bytes] = {}
        with self._connection() as file:
            for at in range(0, len(names), AT_ONCE):
                some = names[at : at + AT_ONCE]
                marks = ",".join("?" * len(some))
                found.update(file.execute(f"SELECT key, reply FROM replies WHERE key IN ({marks})", some))
        return {key: unpack(found[name]) for key, name in zip(keys, names, strict=True) if name in found}

    def keep(self, calls: Sequence[Call], replies: Sequence[Kept]) -> None:
        now = time.time()
        # packed before the file is locked: others write meanwhile
        rows = [
            (plain(kept.key), plain(kept.reply.request_id), now, pack(kept.reply), packed(kept.made_of))
            for kept in replies
        ]
        lines = [line(call) for call in calls]
        with self._transaction() as file:
            file.executemany(
                "INSERT INTO replies (key, request_id, at, reply, made_of) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (key) DO NOTHING",
                rows,
            )
            file.executemany(f"INSERT INTO calls ({COLUMNS}) VALUES ({','.join('?' * len(LINE))})", lines)

    def usage(self, run: str) -> list[Usage]:
        where, given = ("WHERE run = ?", (plain(run),)) if run else ("", ())
        with self._connection() as file:
            return [used(row) for row in file.execute(f"SELECT {SUMS} FROM calls {where} {GROUPS}", given)]

    def explain(self, name: str) -> list[Kept]:
        name = plain(name)
        columns = "SELECT id, key, made_of, reply FROM replies"
        with self._connection() as file:
            rows = file.execute(
                f"SELECT key, made_of, reply FROM ({columns} WHERE key >= ? AND key < ? UNION "
                f"{columns} WHERE request_id = ?) ORDER BY id DESC LIMIT {SHOWN}",
                (name, name + "\U0010ffff", name),
            ).fetchall()
        return [Kept(key, unpacked(made_of), unpack(reply)) for key, made_of, reply in rows]

    def pace(self, name: str, requests: int, tokens: int, per_minute: tuple[int, int], now: float) -> float:
        with self._transaction() as file:
            _follow_clock(file, now)
            marks, wait = pace.taken(_marks(file, name), (requests, tokens), per_minute, now)
            _mark(file, name, marks)
        return wait

    def refund(self, name: str, tokens: int, per_minute: tuple[int, int]) -> None:
        with self._transaction() as file:
            requests, mark = _marks(file, name)
            _mark(file, name, (requests, pace.given_back(mark, tokens, per_minute[1])))

    def hold(self, name: str, until: float, now: float) -> None:
        with self._transaction() as file:
            _follow_clock(file, now)
            file.execute(
                "INSERT INTO holds VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET until = max(until, excluded.until)",
                (plain(name), until),
            )

    def held(self, name: str, now: float) -> float:
        wait = self._hold(name, now)
        if wait > BEHIND:  # hardly ever: nobody is told to wait for so long, or the clock was set back since
            with self._transaction() as file:
                _follow_clock(file, now)
            wait = self._hold(name, now)
        return wait

    def _hold(self, name: str, now: float) -> float:
        with self._connection() as file:
            row = file.execute("SELECT until FROM holds WHERE name = ?", (plain(name),)).fetchone()
        return max(0.0, row[0] - now) if row else 0.0

    def reserve(self, run: str, cost: int, limits: tuple[int, int]) -> bool:
        with self._transaction() as file:
            file.execute("INSERT INTO budgets VALUES (?, 0, 0) ON CONFLICT (run) DO NOTHING", (plain(run),))
            taken = file.execute(
                "UPDATE budgets SET calls = calls + 1, cost = cost + :cost WHERE run = :run "
                "AND (:calls = 0 OR calls + 1 <= :calls) AND (:most = 0 OR cost + :cost <= :most)",
                {"run": plain(run), "cost": cost, "calls": limits[0], "most": limits[1]},
            )
            return taken.rowcount == 1

    def settle(self, run: str, cost: int, calls: int = 0) -> None:
        with self._transaction() as file:
            file.execute(
                "UPDATE budgets SET cost = cost - ?, calls = calls - ? WHERE run = ?", (cost, calls, plain(run))
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything that is done with it, or nothing; other threads wait at a lock, other processes at the file's."""
        with self._writing.setdefault(os.getpid(), threading.Lock()), self._connection() as file:
            file.execute("BEGIN IMMEDIATE")
            try:
                yield file
                file.execute("COMMIT")
            except BaseException:
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that nobody else uses meanwhile; a new one where none is idle."""
        idle = self._idle.setdefault(os.getpid(), deque())
        try:
            try:
                file = idle.pop()
            except IndexError:
                file = _opened(self.file)
            try:
                yield file
            except sqlite3.Error:
                file.close()
                raise
            except BaseException:
                idle.append(file)
                raise
            idle.append(file)
        except (sqlite3.OperationalError, sqlite3.DataError) as error:
            raise OSError(f"{self.file}: {error}; {_way_out(error)}") from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # a mistake of ours
            raise OSError(f"{self.file}: {error}; {_way_out(error)}") from error


def _opened(file: Path) -> sqlite3.Connection:
    """A connection to the file, made where there is none; OSError where it is not one of ours."""
    with suppress(OSError):  # SQLite will say why
        make_file(file)
    connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        ours = _is_ours(connection, file)
        # the log survives SIGKILL as it is; that it is not waited for costs the last replies when the power fails
        _patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{CACHE}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
        if ours:
            return connection
        connection.execute("BEGIN IMMEDIATE")
        if not _is_ours(connection, file):  # another process may have been first
            for statement in TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {OURS}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        return connection
    except BaseException:
        connection.close()
        raise


def _is_ours(connection: sqlite3.Connection, file: Path) -> bool:
    """Whether it holds our tables (False: nothing at all)."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == OURS:
        if version > VERSION:
            raise OSError(
                f"{file}: written by a newer rarefy (tables of version {version}, this one knows {VERSION}); "
                "update rarefy, or name another file"
            )
        return True
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise OSError(f"{file}: a database of something else; name another file for replies and ledger")
    return False


def _patiently(work: Callable[[], Given]) -> Given:
    """What some work gives, tried again while others open the file: that switch does not wait by itself."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _way_out(error: sqlite3.Error) -> str:
    told = str(error)
    if "full" in told:
        return "free space there and run again: what was kept is whole"
    if "locked" in told:
        return f"another process has kept it for {PATIENCE:.0f} seconds; end it, or use PostgreSQL for many machines"
    if "malformed" in told or "not a database" in told:
        return "it is damaged: move it away to begin a new one (its replies are then asked for, and paid, again)"
    return "look at the file, its folder, their rights and their disk"


def _marks(file: sqlite3.Connection, name: str) -> tuple[float, float]:
    row = file.execute("SELECT requests, tokens FROM pace WHERE name = ?", (plain(name),)).fetchone()
    return (row[0], row[1]) if row else (0.0, 0.0)


def _follow_clock(file: sqlite3.Connection, now: float) -> None:
    """Set marks and holds back with a clock that was set back since the last look: what stood seconds ahead of it would
    be waited for as long as it was set back by. Less than BEHIND may be a caller that waited for the file's lock."""
    file.execute(CLOCK)
    row = file.execute("SELECT max(seen) FROM clock").fetchone()
    seen = row[0] if row[0] is not None else now
    if (back := seen - now) > BEHIND:
        file.execute("UPDATE pace SET requests = requests - ?, tokens = tokens - ?", (back, back))
        file.execute("UPDATE holds SET until = until - ?", (back,))
    if now >= seen or back > BEHIND:
        file.execute("DELETE FROM clock")
        file.execute("INSERT INTO clock VALUES (?)", (now,))


def _mark(file: sqlite3.Connection, name: str, marks: tuple[float, float]) -> None:
    file.execute("REPLACE INTO pace VALUES (?, ?, ?)", (plain(name), *marks))
