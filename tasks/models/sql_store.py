"""SQLite files and PostgreSQL databases for any number of threads and processes.

A store (of replies, of vectors, of answers) is a `Schema` and statements of SQLAlchemy Core. Work on a database is a
function of a `Connection`: `read` may do it twice, `write` does it in one transaction, once. Statements are compiled
once and given to the driver as text: SQLAlchemy's own execution takes ten times as long as a lookup in SQLite.
"""

import os
import re
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.private import make_file, make_folder

if TYPE_CHECKING:  # imported late: 0.2 s that a start without a database need not spend
    from sqlalchemy import ColumnElement, Dialect, ExecutableDDLElement, MetaData, Select, Table

BUSY_TIMEOUT = 60.0  # seconds for another process to finish writing; a transaction takes milliseconds
CACHE = 16_384  # KiB of pages in memory: what a transaction changes fits in it, whatever the size of the file
CHECKPOINT = 4_000  # pages (16 MiB) of the log before they are moved to the file: each time the disk is waited for
SCHEMA_LOCK = 0x72617265667931  # "rarefy1": who holds this advisory lock of PostgreSQL makes the tables
COMMIT_CHECK = 30.0  # seconds for PostgreSQL to say what became of a transaction whose connection was lost

_IN_SIZES = (1, 16, 256)  # keys of one query in SQLite, filled up with the last: few statements to compile
_DAMAGE_CODES = (11, 26)  # SQLite's: "malformed" and "not a database"
_WRONG_TABLE = re.compile(r"no such column|has no column|values were supplied|malformed|not a database")

Result = TypeVar("Result")


class DamagedFile(OSError):
    """The SQLite file holds what no store wrote into it."""


@dataclass(frozen=True)
class Schema:
    """The tables of a store, and what tells its files from those of other programs."""

    metadata: "MetaData"
    if_deleted: str  # what it costs to delete a damaged file, for the error message
    application_id: int = 0  # SQLite's, in the file; 0: files are not marked
    version: int = 1  # of the tables
    if_locked: str = "end it"  # what to do about a process that does not let go of a file
    otherwise: str = "look at the file, its folder, their rights and their disk"  # what to do after any other error

    def create_statements(self, dialect: "Dialect") -> list[str]:
        """CREATE TABLE and CREATE INDEX for what is not there yet."""
        from sqlalchemy.schema import CreateIndex, CreateTable

        tables = self.metadata.sorted_tables
        elements: list[ExecutableDDLElement] = [
            *(CreateTable(table, if_not_exists=True) for table in tables),
            *(CreateIndex(index, if_not_exists=True) for table in tables for index in table.indexes),
        ]
        return [str(element.compile(dialect=dialect)) for element in elements]


class Connection:
    """A driver's connection that takes statements of SQLAlchemy Core."""

    def __init__(self, driver: Any, compiler: "Compiler") -> None:
        self.driver, self._compiler = driver, compiler

    def execute(self, statement: Any, **parameters: Any) -> Any:
        """The driver's cursor (fetchone, fetchall, rowcount)."""
        text, fixed = self._compiler.compile(statement, parameters)
        return self.driver.execute(text, fixed | parameters)

    def execute_many(self, statement: Any, rows: Sequence[Mapping[str, Any]]) -> None:
        """Execute the statement with the parameters of each row."""
        if rows:
            self.driver.cursor().executemany(self._compiler.compile(statement, rows[0])[0], rows)


class Compiler:
    """Statements as the text and the fixed parameters that a driver takes, each compiled once."""

    def __init__(self, dialect: "Dialect") -> None:
        self.dialect = dialect
        self._compiled: dict[Any, tuple[str, dict[str, Any]]] = {}

    def compile(self, statement: Any, names: Iterable[str]) -> tuple[str, dict[str, Any]]:
        """The statement with parameters of these names; those of an INSERT are the columns that it fills."""
        if statement not in self._compiled:
            names = list(names)
            compiled = statement.compile(dialect=self.dialect, column_keys=names if statement.is_insert else None)
            fixed = {name: value for name, value in compiled.params.items() if name not in names}
            self._compiled[statement] = (str(compiled), fixed)
        return self._compiled[statement]


Lookup = Callable[[Connection, Sequence[Any]], Iterator[tuple[Any, ...]]]


class SQLiteDatabase:
    """A SQLite file, made where there is none; safe against SIGKILL at any moment.

    Every method may raise an OSError that names the file and the way out. `pooled=False` opens a connection for each
    piece of work, so that a file that was moved away is noticed.
    """

    def __init__(self, file: Path, schema: Schema, *, pooled: bool = True) -> None:
        from sqlalchemy.dialects import sqlite

        self.file, self.schema, self._pooled = file, schema, pooled
        self._compiler = Compiler(sqlite.dialect(paramstyle="named"))
        self._create_statements = schema.create_statements(self._compiler.dialect)
        # by process: a connection must not cross a fork, not even to be closed there; a lock may be held across it
        self._idle: dict[int, deque[sqlite3.Connection]] = {}
        self._writing: dict[int, threading.Lock] = {}

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """The result of work that changes nothing."""
        with self._connection() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """The result of work done in one transaction; threads wait at a lock, other processes at the file's."""
        with self._writing.setdefault(os.getpid(), threading.Lock()), self._connection() as connection:
            connection.driver.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.driver.commit()
            except BaseException:
                connection.driver.rollback()
                raise
            return result

    def insert(self, table: "Table") -> Any:
        """An INSERT that may have an ON CONFLICT clause."""
        from sqlalchemy.dialects.sqlite import insert

        return insert(table).inline()

    def lookup(self, query: "Select[Any]", column: "ColumnElement[Any]") -> Lookup:
        """A function that gives the rows of a query whose column is among many keys."""
        from sqlalchemy import bindparam

        most = _IN_SIZES[-1]
        names = [f"key{place}" for place in range(most)]

        @cache
        def query_of(size: int) -> "Select[Any]":
            return query.where(column.in_([bindparam(name) for name in names[:size]]))

        def rows(connection: Connection, keys: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
            for start in range(0, len(keys), most):
                block = list(keys[start : start + most])
                size = next(size for size in _IN_SIZES if size >= len(block))
                block += [block[-1]] * (size - len(block))
                yield from connection.execute(query_of(size), **dict(zip(names, block, strict=False)))

        return rows

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """A connection that nobody else uses meanwhile; a new one where none is idle."""
        idle = self._idle.setdefault(os.getpid(), deque())
        try:
            try:
                file = idle.pop()
            except IndexError:
                file = self._connect()
            try:
                yield Connection(file, self._compiler)
            except sqlite3.Error:
                file.close()
                raise
            except BaseException:
                self._release(file, idle)
                raise
            self._release(file, idle)
        except (sqlite3.OperationalError, sqlite3.DataError) as error:
            raise self._explained(error) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # a bug in a statement
            raise self._explained(error) from error

    def _release(self, file: sqlite3.Connection, idle: deque[sqlite3.Connection]) -> None:
        if self._pooled:
            idle.append(file)
        else:
            file.close()

    def _connect(self) -> sqlite3.Connection:
        """A connection to the file with all tables; OSError where the file is not one of this schema."""
        with suppress(OSError):  # SQLite will say why
            make_file(self.file)
        file = sqlite3.connect(self.file, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
        try:
            known = self._is_known(file)
            # the log survives SIGKILL as it is; that it is not waited for costs the last rows when the power fails
            _switch_to_wal(file)
            file.execute("PRAGMA synchronous = NORMAL")
            file.execute(f"PRAGMA cache_size = -{CACHE}")
            file.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
            if not known:
                file.execute("BEGIN IMMEDIATE")
                known = self._is_known(file)  # another process may have been first
            for statement in self._create_statements:  # of a known file too: an older one may lack a table
                file.execute(statement)
            if not known:
                file.execute(f"PRAGMA application_id = {self.schema.application_id}")
                file.execute(f"PRAGMA user_version = {self.schema.version}")
            file.commit()
            return file
        except BaseException:
            file.close()
            raise

    def _is_known(self, file: sqlite3.Connection) -> bool:
        """Whether it holds this schema's tables (False: nothing at all); OSError for anything else."""
        if not self.schema.application_id:
            return True
        (application,) = file.execute("PRAGMA application_id").fetchone()
        (version,) = file.execute("PRAGMA user_version").fetchone()
        if application == self.schema.application_id:
            if version > self.schema.version:
                raise _newer(str(self.file), version, self.schema.version, "file")
            return True
        if file.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise OSError(f"{self.file}: a database of something else; move it away, or name another file")
        return False

    def _explained(self, error: sqlite3.Error) -> OSError:
        """The error with the file's name and what to do."""
        text = str(error)
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE_CODES or _WRONG_TABLE.search(text):
            way_out = f"it is damaged: move it away to begin a new one ({self.schema.if_deleted})"
            return DamagedFile(f"{self.file}: {text}; {way_out}")
        if "full" in text:
            way_out = "free space there and run again: what was kept is whole"
        elif "locked" in text:
            way_out = f"another process has kept it for {BUSY_TIMEOUT:.0f} seconds; {self.schema.if_locked}"
        else:
            way_out = self.schema.otherwise
        return OSError(f"{self.file}: {text}; {way_out}")


def _switch_to_wal(file: sqlite3.Connection) -> None:
    """Set the journal mode; tried again while other processes open the file: this statement has no busy timeout."""
    end = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            file.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _newer(place: str, version: int, known: int, kind: str) -> OSError:
    return OSError(
        f"{place}: written by a newer rarefy (tables of version {version}, this one knows {known}); update rarefy, or "
        f"name another {kind}"
    )


class PostgresDatabase:
    """A PostgreSQL database (13 or later), its tables made where there are none.

    Every method may raise a ConnectionError or OSError that names the server, never the password. A lost connection
    is made again once, and what was under way is done again unless the server says that it was committed.
    """

    def __init__(self, url: str, schema: Schema) -> None:
        try:
            import psycopg
            from psycopg.conninfo import conninfo_to_dict
        except ImportError as error:
            raise ValueError(f"books at PostgreSQL need psycopg ({error}): pip install 'rarefy[postgres]'") from error
        try:
            self._settings = conninfo_to_dict(url)
        except psycopg.ProgrammingError:  # it repeats the URL: not chained
            raise ValueError("books: no PostgreSQL URL; it reads postgresql://user@host:port/database") from None
        from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

        self.schema = schema
        self.place = f"PostgreSQL at {self._settings.get('host') or 'this machine'}"
        if port := self._settings.get("port"):
            self.place += f":{port}"
        self.place += f", database {self._settings.get('dbname') or 'of its user'}"
        self._compiler = Compiler(PGDialect_psycopg())  # type: ignore[no-untyped-call]
        self._lost = (psycopg.OperationalError, psycopg.InterfaceError)
        self._idle: dict[int, deque[Any]] = {}  # by process: a connection must not cross a fork
        self.write(self._create_tables)

    def read(self, work: Callable[[Connection], Result]) -> Result:
        """The result of work that may be done twice."""
        return self._retried_once(lambda connection, _: work(connection))

    def write(self, work: Callable[[Connection], Result]) -> Result:
        """The result of work done in one transaction, and done once even where the connection is lost."""
        transaction = ""
        results: list[Result] = []

        def attempt(connection: Connection, again: bool) -> Result:
            nonlocal transaction
            if again and transaction and self._is_committed(connection, transaction):
                return results[0]
            with connection.driver.transaction():
                transaction = connection.driver.execute("SELECT pg_current_xact_id()::text").fetchone()[0]
                results[:] = [work(connection)]
            return results[0]

        return self._retried_once(attempt)

    def insert(self, table: "Table") -> Any:
        """An INSERT that may have an ON CONFLICT clause."""
        from sqlalchemy.dialects.postgresql import insert

        return insert(table).inline()

    def lookup(self, query: "Select[Any]", column: "ColumnElement[Any]") -> Lookup:
        """A function that gives the rows of a query whose column is among many keys."""
        from sqlalchemy import any_, bindparam
        from sqlalchemy.dialects.postgresql import ARRAY

        query = query.where(column == any_(bindparam("keys", type_=ARRAY(column.type))))
        return lambda connection, keys: iter(connection.execute(query, keys=list(keys)))

    def _create_tables(self, connection: Connection) -> None:
        """Make the tables where there are none; OSError where a newer rarefy made them."""
        server = connection.driver
        server.execute("SELECT pg_advisory_xact_lock(%s)", [SCHEMA_LOCK])
        if server.execute("SELECT to_regclass('rarefy_version')").fetchone()[0] is None:
            server.execute("CREATE TABLE rarefy_version (version integer NOT NULL)")
            server.execute("INSERT INTO rarefy_version VALUES (%s)", [self.schema.version])
            for statement in self.schema.create_statements(self._compiler.dialect):
                server.execute(statement)
        (version,) = server.execute("SELECT max(version) FROM rarefy_version").fetchone()
        if version > self.schema.version:
            raise _newer(self.place, version, self.schema.version, "database")

    def _is_committed(self, connection: Connection, transaction: str) -> bool:
        """What became of a transaction whose connection was lost."""
        end = time.monotonic() + COMMIT_CHECK
        while True:
            (status,) = connection.driver.execute("SELECT pg_xact_status(%s::xid8)", [transaction]).fetchone()
            if status != "in progress" or time.monotonic() > end:
                return bool(status == "committed")
            time.sleep(0.05)

    def _retried_once(self, work: Callable[[Connection, bool], Result]) -> Result:
        """The result of work on a connection of its own; on a new one where the first was lost meanwhile."""
        idle = self._idle.setdefault(os.getpid(), deque())
        for again in (False, True):
            server = None
            try:
                if again:
                    idle.clear()  # those are likely lost as well
                try:
                    server = idle.pop()
                except IndexError:
                    server = self._connect()
                result = work(Connection(server, self._compiler), again)
                idle.append(server)
                return result
            except self._lost as error:
                if server is not None and not server.closed:
                    server.close()  # it is there, and it said no: a full disk, say
                    raise OSError(f"{self.place}: {self._message(error)}") from None
                if again or server is None:
                    raise ConnectionError(
                        f"{self.place}: {self._message(error)}; check host, port, user and password (PGPASSFILE), and "
                        "that the server is up; what was kept is there, run again to go on"
                    ) from None
            except BaseException as error:
                if server is not None:
                    server.close()
                if getattr(error, "sqlstate", "") == "42501":  # insufficient_privilege
                    message = f"{self.place}: {self._message(error)}; grant its user CREATE on the schema"
                    raise OSError(message) from None
                raise
        raise AssertionError("unreachable")

    def _connect(self) -> Any:
        import psycopg
        from psycopg.conninfo import make_conninfo

        settings: dict[str, Any] = {"connect_timeout": 10, "application_name": "rarefy", **self._settings}
        # autocommit: a read costs one round trip
        return psycopg.connect(make_conninfo(**settings), autocommit=True)

    def _message(self, error: BaseException) -> str:
        """What the server or the library said, in a line and without the password."""
        text = " ".join(str(error).split())
        if password := self._settings.get("password"):
            text = text.replace(str(password), "[password]")
        return redacted(text)


Database = SQLiteDatabase | PostgresDatabase


def open_database(url: str, schema: Schema, default: Path) -> Database:
    """The database at a URL, made where there is none; the SQLite file `default` for "".

    As everywhere, sqlite:///file is relative to the working folder and sqlite:////file is not. ValueError for a URL
    that is none of these or a library that is not installed, OSError (ConnectionError) where they cannot be opened.
    """
    scheme, _, rest = url.partition("://")
    if not url:
        make_folder(default.parent)
        return SQLiteDatabase(default, schema)
    if scheme == "sqlite" and len(rest) > 1 and rest.startswith("/"):
        file = Path(rest[1:])
        if not file.parent.is_dir():
            raise ValueError(f"{url}: there is no folder {file.parent}; an absolute path has four slashes")
        return SQLiteDatabase(file, schema)
    if scheme in ("postgresql", "postgres"):
        return PostgresDatabase(url, schema)
    raise ValueError(f"{scheme or url}: books are at sqlite:///file or postgresql://user@host/database")
