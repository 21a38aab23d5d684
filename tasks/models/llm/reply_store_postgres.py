"""The books in a PostgreSQL database (13 or later), for the workers of many machines."""

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.models.llm import pace
from rarefy.tasks.models.llm.lines import COLUMNS, GROUPS, SUMS, line, used
from rarefy.tasks.models.llm.packed import pack, packed, plain, unpack, unpacked
from rarefy.tasks.models.llm.reply_store import Call, Kept, Usage
from rarefy.tasks.models.llm.secrets import redacted

if TYPE_CHECKING:
    import psycopg

VERSION = 1  # of the tables
LOCK = 0x72617265667931  # "rarefy1": who holds this advisory lock makes the tables
SHOWN = 100  # replies that `explain` gives, at most
UNSURE = 30.0  # seconds for the server to say what became of a transaction whose connection was lost

# Names are compared byte by byte ("C"), so that the beginning of a key is a range of the index. Replies are bytes:
# PostgreSQL's text cannot hold NUL.
TABLES = """
CREATE TABLE rarefy_version (version integer NOT NULL);
CREATE TABLE rarefy_replies (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text COLLATE "C" NOT NULL UNIQUE,
    request_id text COLLATE "C" NOT NULL, at double precision NOT NULL, reply bytea NOT NULL, made_of bytea NOT NULL
);
CREATE INDEX rarefy_replies_by_request ON rarefy_replies (request_id);
CREATE TABLE rarefy_calls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text NOT NULL, stage text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL, request_id text NOT NULL, outcome text COLLATE "C" NOT NULL,
    parse text COLLATE "C" NOT NULL, prompt_tokens bigint NOT NULL, completion_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL, cost bigint NOT NULL, seconds double precision NOT NULL,
    at double precision NOT NULL, final boolean NOT NULL, count bigint NOT NULL, unmetered bigint NOT NULL,
    characters bigint NOT NULL
);
CREATE INDEX rarefy_calls_by_run ON rarefy_calls (run);
CREATE TABLE rarefy_pace (name text PRIMARY KEY, requests double precision NOT NULL, tokens double precision NOT NULL);
CREATE TABLE rarefy_holds (name text PRIMARY KEY, until double precision NOT NULL);
CREATE TABLE rarefy_budgets (run text PRIMARY KEY, calls bigint NOT NULL, cost bigint NOT NULL);
"""

Given = TypeVar("Given")


class PostgresReplyStore:
    """See `reply_store.ReplyStore`. Every method may raise a ConnectionError or OSError that names the server.

    A lost connection is made again once, and what was under way is done again unless the server says it is done.
    """

    def __init__(self, url: str) -> None:
        try:
            import psycopg
            from psycopg.conninfo import conninfo_to_dict
        except ImportError as error:
            raise ValueError(f"books at PostgreSQL need psycopg ({error}): pip install 'rarefy[postgres]'") from error
        try:
            self._given = conninfo_to_dict(url)
        except psycopg.ProgrammingError:  # it repeats the URL: not chained
            raise ValueError("books: no PostgreSQL URL; it reads postgresql://user@host:port/database") from None
        self.place = f"PostgreSQL at {self._given.get('host') or 'this machine'}"
        if port := self._given.get("port"):
            self.place += f":{port}"
        self.place += f", database {self._given.get('dbname') or 'of its user'}"
        self._lost, self._faults = (psycopg.OperationalError, psycopg.InterfaceError), psycopg.Error
        # by process: a connection must not cross a fork, not even to be closed there
        self._idle: dict[int, deque[psycopg.Connection[Any]]] = {}
        self._read(self._prepare)

    def find(self, keys: Sequence[str]) -> dict[str, Reply]:
        names = {plain(key): key for key in keys}
        rows = self._rows("SELECT key, reply FROM rarefy_replies WHERE key = ANY(%s)", [list(names)])
        return {names[name]: unpack(reply) for name, reply in rows}

    def keep(self, calls: Sequence[Call], replies: Sequence[Kept]) -> None:
        now = time.time()
        rows = [
            (plain(kept.key), plain(kept.reply.request_id), now, pack(kept.reply), packed(kept.made_of))
            for kept in replies
        ]
        rows.sort(key=itemgetter(0))  # in one order everywhere, so that no two writers wait for each other
        lines = [line(call) for call in calls]

        def work(database: "psycopg.Connection[Any]") -> None:
            with database.cursor() as cursor:
                if rows:
                    cursor.executemany(
                        "INSERT INTO rarefy_replies (key, request_id, at, reply, made_of) "
                        "VALUES (%s, %s, %s, %b, %b) ON CONFLICT (key) DO NOTHING",
                        rows,
                    )
                if lines:
                    with cursor.copy(f"COPY rarefy_calls ({COLUMNS}) FROM STDIN") as copy:
                        for values in lines:
                            copy.write_row(values)

        self._write(work)

    def usage(self, run: str) -> list[Usage]:
        where, given = ("WHERE run = %s", [plain(run)]) if run else ("", [])
        return [used(row) for row in self._rows(f"SELECT {SUMS} FROM rarefy_calls {where} {GROUPS}", given)]

    def explain(self, name: str) -> list[Kept]:
        name = plain(name)
        columns = (
            "SELECT id, key, made_of, reply FROM rarefy_replies"  # two questions: an OR would read the whole table
        )
        rows = self._rows(
            f"SELECT key, made_of, reply FROM ({columns} WHERE key >= %s AND key < %s UNION "
            f"{columns} WHERE request_id = %s) AS found ORDER BY id DESC LIMIT {SHOWN}",
            [name, name + "\U0010ffff", name],
        )
        return [Kept(key, unpacked(made_of), unpack(reply)) for key, made_of, reply in rows]

    def pace(self, name: str, requests: int, tokens: int, per_minute: tuple[int, int], now: float) -> float:
        def work(database: "psycopg.Connection[Any]") -> float:
            marks, wait = pace.taken(_marks(database, name), (requests, tokens), per_minute, now)
            _mark(database, name, marks)
            return wait

        return self._write(work)

    def refund(self, name: str, tokens: int, per_minute: tuple[int, int]) -> None:
        def work(database: "psycopg.Connection[Any]") -> None:
            requests, mark = _marks(database, name)
            _mark(database, name, (requests, pace.given_back(mark, tokens, per_minute[1])))

        self._write(work)

    def hold(self, name: str, until: float, now: float) -> None:
        self._change(
            "INSERT INTO rarefy_holds VALUES (%s, %s) ON CONFLICT (name) "
            "DO UPDATE SET until = greatest(rarefy_holds.until, excluded.until)",
            [plain(name), until],
        )

    def held(self, name: str, now: float) -> float:
        rows = self._rows("SELECT until FROM rarefy_holds WHERE name = %s", [plain(name)])
        return max(0.0, rows[0][0] - now) if rows else 0.0

    def reserve(self, run: str, cost: int, limits: tuple[int, int]) -> bool:
        def work(database: "psycopg.Connection[Any]") -> bool:
            said = {"run": plain(run), "cost": cost, "calls": limits[0], "most": limits[1]}
            change = (
                "UPDATE rarefy_budgets SET calls = calls + 1, cost = cost + %(cost)s WHERE run = %(run)s "
                "AND (%(calls)s = 0 OR calls + 1 <= %(calls)s) AND (%(most)s = 0 OR cost + %(cost)s <= %(most)s)"
            )
            if database.execute(change, said).rowcount:
                return True
            database.execute("INSERT INTO rarefy_budgets VALUES (%(run)s, 0, 0) ON CONFLICT DO NOTHING", said)
            return database.execute(change, said).rowcount == 1

        return self._write(work)

    def settle(self, run: str, cost: int, calls: int = 0) -> None:
        change = "UPDATE rarefy_budgets SET cost = cost - %s, calls = calls - %s WHERE run = %s"
        self._change(change, [cost, calls, plain(run)])

    def _prepare(self, database: "psycopg.Connection[Any]") -> None:
        """Make the tables where there are none; OSError where a newer rarefy made them."""
        with database.transaction():
            database.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            (known,) = database.execute("SELECT to_regclass('rarefy_version')").fetchone() or (None,)
            if known is None:
                database.execute(TABLES, prepare=False)
                database.execute("INSERT INTO rarefy_version VALUES (%s)", [VERSION])
            (version,) = database.execute("SELECT max(version) FROM rarefy_version").fetchone() or (VERSION,)
        if version > VERSION:
            raise OSError(
                f"{self.place}: written by a newer rarefy (tables of version {version}, this one knows {VERSION}); "
                "update rarefy, or name another database"
            )

    def _rows(self, question: str, given: Sequence[Any]) -> list[Any]:
        return self._read(lambda database: database.execute(question.encode(), given, binary=True).fetchall())

    def _change(self, statement: str, given: Sequence[Any]) -> None:
        self._write(lambda database: database.execute(statement.encode(), given))

    def _read(self, work: "Callable[[psycopg.Connection[Any]], Given]") -> Given:
        """What some work gives that may be done twice."""
        return self._twice(lambda database, _: work(database))

    def _write(self, work: "Callable[[psycopg.Connection[Any]], Given]") -> Given:
        """What some work gives that is done in one transaction, and done once even where the connection is lost."""
        number, result = "", None

        def once(database: "psycopg.Connection[Any]", again: bool) -> Given:
            nonlocal number, result
            if again and number and self._committed(database, number):
                assert result is not None
                return result[0]
            with database.transaction():
                row = database.execute("SELECT pg_current_xact_id()::text").fetchone()
                number, result = (row or ("",))[0], None
                result = (work(database),)
            return result[0]

        return self._twice(once)

    def _committed(self, database: "psycopg.Connection[Any]", number: str) -> bool:
        """What became of a transaction whose connection was lost."""
        end = time.monotonic() + UNSURE
        while True:
            (status,) = database.execute("SELECT pg_xact_status(%s::xid8)", [number]).fetchone() or (None,)
            if status != "in progress" or time.monotonic() > end:
                return bool(status == "committed")
            time.sleep(0.05)

    def _twice(self, work: "Callable[[psycopg.Connection[Any], bool], Given]") -> Given:
        """What some work gives on a connection of its own; on a new one where the first was lost meanwhile."""
        idle = self._idle.setdefault(os.getpid(), deque())
        for again in (False, True):
            database = None
            try:
                if again:
                    idle.clear()  # those are likely lost as well
                try:
                    database = idle.pop()
                except IndexError:
                    database = self._connected()
                given = work(database, again)
                idle.append(database)
                return given
            except self._lost as error:
                if database is not None and not database.closed:
                    database.close()  # it is there, and it said no: a full disk, say
                    raise OSError(f"{self.place}: {self._told(error)}") from None
                if again or database is None:
                    raise ConnectionError(
                        f"{self.place}: {self._told(error)}; check host, port, user and password (PGPASSFILE), and "
                        "that the server is up; what was kept is there, run again to go on"
                    ) from None
            except self._faults as error:
                if database is not None:
                    database.close()
                if error.sqlstate == "42501":  # insufficient_privilege
                    raise OSError(f"{self.place}: {self._told(error)}; grant its user CREATE on the schema") from None
                raise
            except BaseException:
                if database is not None:
                    database.close()
                raise
        raise AssertionError("unreachable")

    def _connected(self) -> "psycopg.Connection[Any]":
        import psycopg
        from psycopg.conninfo import make_conninfo

        given: dict[str, Any] = {"connect_timeout": 10, "application_name": "rarefy", **self._given}
        return psycopg.connect(make_conninfo(**given), autocommit=True)

    def _told(self, error: Exception) -> str:
        """What the server or the library said, in a line and without the password."""
        told = " ".join(str(error).split())
        if password := self._given.get("password"):
            told = told.replace(str(password), "[password]")
        return redacted(told)


def _marks(database: "psycopg.Connection[Any]", name: str) -> tuple[float, float]:
    """The marks of a name, which nobody else may change until this transaction is over."""
    question = "SELECT requests, tokens FROM rarefy_pace WHERE name = %s FOR UPDATE"
    row = database.execute(question, [plain(name)]).fetchone()
    if row is None:
        database.execute("INSERT INTO rarefy_pace VALUES (%s, 0, 0) ON CONFLICT DO NOTHING", [plain(name)])
        row = database.execute(question, [plain(name)]).fetchone()
    assert row is not None
    return row[0], row[1]


def _mark(database: "psycopg.Connection[Any]", name: str, marks: tuple[float, float]) -> None:
    database.execute("UPDATE rarefy_pace SET requests = %s, tokens = %s WHERE name = %s", [*marks, plain(name)])
