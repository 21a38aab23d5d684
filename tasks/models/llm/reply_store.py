"""Replies of models by key, the ledger of calls, and the limits and budgets that all workers of a run share.

All in one database, so that a reply and the ledger line that paid for it are written together or not at all.
"""

import asyncio
import json
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import MISSING, dataclass, fields
from functools import cache, lru_cache
from hashlib import blake2b
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Message, Reply, Request, Token
from rarefy.tasks.models.llm import rate_limits
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.models.sql_store import Connection, Database, PostgresDatabase, Schema, open_database

VERSION = 1  # of the tables
APPLICATION_ID = 0x52415245  # of SQLite files: "RARE"
EXPLAINED = 100  # replies that `explain` gives, at most
CLOCK_SLACK = 120.0  # seconds that a time may lie before the last one seen without the clock having been set back


@dataclass(frozen=True, slots=True)
class Call:
    """A line of the ledger: one try of one request, or `count` replies that were remembered."""

    run: str
    stage: str
    model: str
    request_id: str
    outcome: str  # answered | remembered | a code of faults.REASONS (a 429 is rate_limited)
    parse: str = ""  # clean | fenced | repaired | reasked | rejected; "" where no schema was asked for
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: int = 0  # in billionths of the currency
    seconds: float = 0.0
    at: float = 0.0  # Unix time
    final: bool = True  # nothing more is tried for this request
    count: int = 1
    unmetered: int = 0  # 1: the reply had no usage, the tokens are our estimate
    characters: int = 0  # of the prompt, where its tokens were metered: what a token is long is known from these


@dataclass(frozen=True, slots=True)
class Usage:
    """The ledger's lines of one run, stage, model, outcome and parse, summed."""

    stage: str
    model: str
    outcome: str
    parse: str
    final: bool
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: int
    seconds: float
    unmetered: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply worth keeping, under its key; `made_of` says in JSON what made the key, in parts that fit a screen."""

    key: str
    made_of: str
    reply: Reply


class _Tables:
    """The tables of a reply store; in PostgreSQL their names have a prefix: others may use the database."""

    def __init__(self, prefix: str) -> None:
        from sqlalchemy import Column, Identity, Index, MetaData, Table, Text, types

        # names are compared byte by byte ("C"), so that the beginning of a key is a range of the index; replies are
        # bytes: PostgreSQL's text cannot hold NUL
        kinds: dict[Any, Any] = {
            str: Text().with_variant(Text(collation="C"), "postgresql"),
            int: types.BigInteger().with_variant(types.Integer(), "sqlite"),
            float: types.Double().with_variant(types.REAL(), "sqlite"),
            bool: types.Boolean().with_variant(types.Integer(), "sqlite"),
            bytes: types.LargeBinary(),
        }
        self.metadata = MetaData()

        def table(name: str, *first: "Column[Any]", **columns: Any) -> Table:
            rest = (Column(column, kinds[kind], nullable=False) for column, kind in columns.items())
            with_rowid = not first or first[0].name == "id"
            return Table(prefix + name, self.metadata, *first, *rest, sqlite_with_rowid=with_rowid)

        def number() -> "Column[Any]":
            return Column("id", kinds[int], Identity(always=True), primary_key=True)

        self.replies = table(
            "replies",
            number(),
            Column("key", kinds[str], nullable=False, unique=True),
            request_id=str,
            at=float,
            reply=bytes,
            made_of=bytes,
        )
        Index(f"{prefix}replies_by_request", self.replies.c.request_id)
        self.calls = table("calls", number(), **{field.name: field.type for field in fields(Call)})
        Index(f"{prefix}calls_by_run", self.calls.c.run)
        self.pace = table("pace", Column("name", Text, primary_key=True), requests=float, tokens=float)
        self.holds = table("holds", Column("name", Text, primary_key=True), until=float)
        self.budgets = table("budgets", Column("run", Text, primary_key=True), calls=int, cost=int)
        if not prefix:
            self.clock = table("clock", seen=float)  # those who share a file share a clock


_define_tables = cache(_Tables)

_CALL_FIELDS = tuple(field.name for field in fields(Call))
_call_values = attrgetter(*_CALL_FIELDS)  # dataclasses.astuple copies deep: ten times slower
_USAGE_KEYS = ("stage", "model", "outcome", "parse", "final")
_USAGE_SUMS = tuple("count prompt_tokens completion_tokens cached_tokens cost seconds unmetered characters".split())


def _call_row(call: Call) -> dict[str, Any]:
    values = (storable_text(value) if isinstance(value, str) else value for value in _call_values(call))
    return dict(zip(_CALL_FIELDS, values, strict=True))


def _read_usage(row: Sequence[Any]) -> Usage:
    """The sums of _USAGE_SUMS, grouped by _USAGE_KEYS; PostgreSQL gives decimals."""
    stage, model, outcome, parse, final, calls, prompt, completion, cached, cost, seconds, unmetered, characters = row
    tokens = (int(prompt), int(completion), int(cached), int(cost))
    return Usage(
        stage, model, outcome, parse, bool(final), int(calls), *tokens, float(seconds), int(unmetered), int(characters)
    )


class ReplyStore:
    """Shared by every thread, process and machine of a run; each method is one transaction. `now` is Unix time.

    Every method may raise an OSError (ConnectionError) that names the file or server and the way out.
    """

    def __init__(self, database: Database, tables: _Tables) -> None:
        from sqlalchemy import Text, bindparam, case, func, or_, select, union

        self._database = database
        replies, calls, pace_, holds, budgets = (
            tables.replies,
            tables.calls,
            tables.pace,
            tables.holds,
            tables.budgets,
        )
        # a name, run, request or beginning of a key; without a collation, so that the column's own and its index count
        name, end = bindparam("given", type_=Text()), bindparam("end", type_=Text())

        self._replies_of = database.lookup(select(replies.c.key, replies.c.reply), replies.c.key)
        self._insert_reply = database.insert(replies).on_conflict_do_nothing(index_elements=["key"])
        self._insert_call = database.insert(calls)
        keys = [calls.c[key] for key in _USAGE_KEYS]
        usage = select(*keys, *(func.sum(calls.c[column]) for column in _USAGE_SUMS)).group_by(*keys).order_by(*keys)
        self._usage_of_all, self._usage_of_run = usage, usage.where(calls.c.run == name)
        columns = select(replies.c.id, replies.c.key, replies.c.made_of, replies.c.reply)
        matches = union(  # an OR would read the whole table
            columns.where(replies.c.key >= name, replies.c.key < end), columns.where(replies.c.request_id == name)
        ).subquery()
        explained = select(matches.c.key, matches.c.made_of, matches.c.reply)
        self._select_explained = explained.order_by(matches.c.id.desc()).limit(EXPLAINED)

        self._insert_marks = database.insert(pace_).on_conflict_do_nothing(index_elements=["name"])
        self._select_marks = select(pace_.c.requests, pace_.c.tokens).where(pace_.c.name == name).with_for_update()
        self._update_marks = (
            pace_.update()
            .where(pace_.c.name == name)
            .values(requests=bindparam("new_requests"), tokens=bindparam("new_tokens"))
        )
        insert = database.insert(holds)
        later = case((insert.excluded.until > holds.c.until, insert.excluded.until), else_=holds.c.until)
        self._set_hold = insert.on_conflict_do_update(index_elements=["name"], set_={"until": later})
        self._select_hold = select(holds.c.until).where(holds.c.name == name)

        whole = budgets.c.cost.type
        max_calls, max_cost = bindparam("max_calls", type_=whole), bindparam("max_cost", type_=whole)
        spent, more = budgets.c.cost + bindparam("amount", type_=whole), budgets.c.calls + 1
        self._insert_budget = database.insert(budgets).on_conflict_do_nothing(index_elements=["run"])
        self._take_budget = (
            budgets.update()
            .where(budgets.c.run == name, or_(max_calls == 0, more <= max_calls), or_(max_cost == 0, spent <= max_cost))
            .values(calls=more, cost=spent)
        )
        self._return_budget = (
            budgets.update()
            .where(budgets.c.run == name)
            .values(
                calls=budgets.c.calls - bindparam("count", type_=whole),
                cost=budgets.c.cost - bindparam("amount", type_=whole),
            )
        )
        if not isinstance(database, PostgresDatabase):  # those who share a file share a clock
            back = bindparam("back", type_=holds.c.until.type)
            self._last_seen = select(func.max(tables.clock.c.seen))
            self._set_marks_back = pace_.update().values(requests=pace_.c.requests - back, tokens=pace_.c.tokens - back)
            self._set_holds_back = holds.update().values(until=holds.c.until - back)
            self._forget_seen, self._note_seen = tables.clock.delete(), database.insert(tables.clock)
        database.read(lambda _: None)  # opened now, so that whoever cannot use it knows at once

    def find(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The replies kept under these keys (their request_id is the first asker's)."""
        names = [storable_text(key) for key in keys]
        known: dict[str, bytes] = self._database.read(lambda connection: dict(self._replies_of(connection, names)))
        return {key: decode_reply(known[name]) for key, name in zip(keys, names, strict=True) if name in known}

    def keep(self, calls: Sequence[Call], replies: Sequence[StoredReply]) -> None:
        """Write these lines of the ledger and these replies; a reply whose key is known stays as it was."""
        now = time.time()
        # packed before the database is locked: others write meanwhile
        rows = [
            {
                "key": storable_text(stored.key),
                "request_id": storable_text(stored.reply.request_id),
                "at": now,
                "reply": encode_reply(stored.reply),
                "made_of": compress_text(stored.made_of),
            }
            for stored in replies
        ]
        rows.sort(key=itemgetter("key"))  # in one order everywhere, so that no two writers wait for each other
        lines = [_call_row(call) for call in calls]

        def work(connection: Connection) -> None:
            connection.execute_many(self._insert_reply, rows)
            connection.execute_many(self._insert_call, lines)

        self._database.write(work)

    def usage(self, run: str) -> list[Usage]:
        """The ledger of a run; of all runs for ""."""

        def work(connection: Connection) -> list[Usage]:
            if run:
                rows = connection.execute(self._usage_of_run, given=storable_text(run))
            else:
                rows = connection.execute(self._usage_of_all)
            return [_read_usage(row) for row in rows]

        return self._database.read(work)

    def spent(self, run: str) -> tuple[int, int]:
        """The calls that a run has sent, and what they cost."""
        sent = [line for line in self.usage(run) if line.outcome not in {"remembered", "stage_deadline"}]
        return sum(line.calls for line in sent), sum(line.cost for line in sent)

    def explain(self, name: str) -> list[StoredReply]:
        """The replies whose key begins with `name` or whose first asker's request id is `name`, newest first."""
        begin = storable_text(name)
        end = begin + "\U0010ffff"
        rows = self._database.read(
            lambda connection: connection.execute(self._select_explained, given=begin, end=end).fetchall()
        )
        return [StoredReply(key, decompress_text(made_of), decode_reply(reply)) for key, made_of, reply in rows]

    def pace(self, name: str, requests: int, tokens: int, per_minute: tuple[int, int], now: float) -> float:
        """Take so many requests and tokens of what `name` (endpoint and model) may per minute; seconds to wait first.

        Never more than `per_minute` (requests, tokens; 0: no limit) in any 60 seconds, whoever asks.
        """

        def work(connection: Connection) -> float:
            self._follow_clock(connection, now)
            marks, wait = rate_limits.take(self._marks(connection, name), (requests, tokens), per_minute, now)
            self._set_marks(connection, name, marks)
            return wait

        return self._database.write(work)

    def refund(self, name: str, tokens: int, per_minute: tuple[int, int]) -> None:
        """Give back tokens that were taken and not used (negative: more were used than were taken).

        Those who take after it go earlier; the limit holds for what was taken, less what was given back meanwhile.
        """

        def work(connection: Connection) -> None:
            requests, mark = self._marks(connection, name)
            self._set_marks(connection, name, (requests, rate_limits.give_back(mark, tokens, per_minute[1])))

        self._database.write(work)

    def hold(self, name: str, until: float, now: float) -> None:
        """Nobody asks `name` before this time: it said Retry-After."""

        def work(connection: Connection) -> None:
            self._follow_clock(connection, now)
            connection.execute(self._set_hold, name=storable_text(name), until=until)

        self._database.write(work)

    def held(self, name: str, now: float) -> float:
        """Seconds for which `name` is held."""
        wait = self._seconds_held(name, now)
        if wait > CLOCK_SLACK:  # hardly ever: nobody is told to wait for so long, or the clock was set back since
            self._database.write(lambda connection: self._follow_clock(connection, now))
            wait = self._seconds_held(name, now)
        return wait

    def _seconds_held(self, name: str, now: float) -> float:
        given = storable_text(name)
        row = self._database.read(lambda connection: connection.execute(self._select_hold, given=given).fetchone())
        return max(0.0, row[0] - now) if row else 0.0

    def reserve(self, run: str, cost: int, limits: tuple[int, int]) -> bool:
        """Take one call and at most this cost of a run's budget (calls, cost; 0: no limit); False: not enough left."""
        run = storable_text(run)
        taken = {"given": run, "amount": cost, "max_calls": limits[0], "max_cost": limits[1]}

        def work(connection: Connection) -> bool:
            if connection.execute(self._take_budget, **taken).rowcount:
                return True
            connection.execute(self._insert_budget, run=run, calls=0, cost=0)
            return bool(connection.execute(self._take_budget, **taken).rowcount)

        return self._database.write(work)

    def settle(self, run: str, cost: int, calls: int = 0) -> None:
        """Give back what of a reservation was not used: so much cost, and so many calls that were never sent."""
        unused = {"given": storable_text(run), "amount": cost, "count": calls}
        self._database.write(lambda connection: connection.execute(self._return_budget, **unused))

    def _marks(self, connection: Connection, name: str) -> tuple[float, float]:
        """The marks of a name (rate_limits.py), which nobody else may change until this transaction is over."""
        name = storable_text(name)
        row = connection.execute(self._select_marks, given=name).fetchone()
        if row is None:
            connection.execute(self._insert_marks, name=name, requests=0.0, tokens=0.0)
            row = connection.execute(self._select_marks, given=name).fetchone()
        return row[0], row[1]

    def _set_marks(self, connection: Connection, name: str, marks: tuple[float, float]) -> None:
        connection.execute(self._update_marks, given=storable_text(name), new_requests=marks[0], new_tokens=marks[1])

    def _follow_clock(self, connection: Connection, now: float) -> None:
        """Set marks and holds back with the clock of this machine, where it was set back since the last look.

        What stood seconds ahead of it would be waited for as long as it was set back by. Less than CLOCK_SLACK may be
        a caller that waited for the file's lock. PostgreSQL's clients have a clock each: nothing is done there.
        """
        if isinstance(self._database, PostgresDatabase):
            return
        (seen,) = connection.execute(self._last_seen).fetchone()
        back = 0.0 if seen is None else seen - now
        if back > CLOCK_SLACK:
            connection.execute(self._set_marks_back, back=back)
            connection.execute(self._set_holds_back, back=back)
        if back <= 0 or back > CLOCK_SLACK:
            connection.execute(self._forget_seen)
            connection.execute(self._note_seen, seen=now)


def open_reply_store(url: str, cache: Path) -> ReplyStore:
    """The reply store at a URL, made where there is none; in the folder `cache` for "".

    ValueError for a URL of nothing known or a library that is not installed, OSError (ConnectionError) where the store
    cannot be opened.
    """
    tables = _define_tables("rarefy_" if url.startswith("postgres") else "")
    schema = Schema(
        tables.metadata,
        if_deleted="its replies are then asked for, and paid, again",
        if_locked="end it, or use PostgreSQL for many machines",
        application_id=APPLICATION_ID,
        version=VERSION,
    )
    return ReplyStore(open_database(url, schema, cache / "replies.sqlite"), tables)


MOST_PER_TRANSACTION = 256  # rows in one transaction: a few milliseconds


class LedgerWriter:
    """What is to be written, and the thread that writes it."""

    def __init__(self, books: ReplyStore) -> None:
        self.books = books
        self._changed = threading.Condition()
        self._waiting: list[tuple[Sequence[Call], Sequence[StoredReply], Future[None]]] = []
        threading.Thread(target=self._write, name="rarefy-ledger", daemon=True).start()

    async def record(self, calls: Sequence[Call], replies: Sequence[StoredReply] = ()) -> None:
        """Return when these are in the books."""
        await asyncio.wrap_future(self._put(calls, replies))

    def write(self, calls: Sequence[Call]) -> "Future[None]":
        """Have these written soon; what is given back is done when they, and all before them, are."""
        return self._put(calls, ())

    def _put(self, calls: Sequence[Call], replies: Sequence[StoredReply]) -> "Future[None]":
        done: Future[None] = Future()
        with self._changed:
            self._waiting.append((calls, replies, done))
            self._changed.notify()
        return done

    def _write(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                some, self._waiting = self._waiting[:MOST_PER_TRANSACTION], self._waiting[MOST_PER_TRANSACTION:]
            try:
                self.books.keep([call for calls, _, _ in some for call in calls], [k for _, ks, _ in some for k in ks])
            except BaseException as error:  # a full disk, a lost database: whoever waits gets it
                for _, _, done in some:
                    done.set_exception(error)
                continue
            for _, _, done in some:
                done.set_result(None)


KEY_VERSION = 1  # in every key: another way of asking with the same request forgets nothing by accident
BEGINS = 80  # characters of a message that `explain` shows
MUCH = 4_000  # characters of an identity that it shows


def reply_key(identity: Mapping[str, Any], request: Request) -> tuple[str, str]:
    """The key, 32 hex digits, and in JSON what made it, in parts that fit a screen and hold no secret.

    Any change of identity or request changes the key; `request_id` and the order of names in `identity` do not.
    """
    who = _canonical(identity)
    question = (
        float(request.temperature),
        request.max_tokens,
        request.seed,
        request.logprobs,
        request.schema,
        [(message.role, message.content) for message in request.messages],
    )
    whole = f"[{KEY_VERSION},{who},{_canonical(question)}]"
    made_of = {
        "identity": _describe_identity(who),
        "temperature": float(request.temperature),
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "logprobs": request.logprobs,
        "schema": _digest(request.schema) if request.schema else "",
        "messages": [_describe_message(message) for message in request.messages],
    }
    return _digest(whole, 16), json.dumps(made_of)


def _canonical(value: Any) -> str:
    # not in ASCII: there two lone surrogates and the character that they would make look the same
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)


def _digest(text: str, size: int = 8) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def _describe_message(message: Message) -> dict[str, Any]:
    text = message.content
    return {"role": message.role, "digest": _digest(text), "characters": len(text), "begins": text[:BEGINS]}


@lru_cache(maxsize=64)
def _describe_identity(identity: str) -> Any:
    shown = redacted(identity, most=MUCH)
    try:
        return json.loads(shown)
    except ValueError:  # cut, or what was blanked out took a quote along
        return shown


LONG = 1_024  # bytes from which zlib is tried: 40 microseconds halve a usual reply, and three fit a page of SQLite
FAST = 1  # level of zlib: three times faster than its default for a tenth more
DEFLATED = b"\x78"  # the first byte of every zlib stream; no UTF-8 of JSON begins with it

_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in fields(Reply) if field.default is not MISSING and field.name != "remembered"
}
_TOKEN = tuple(field.name for field in fields(Token))


def compress_text(text: str) -> bytes:
    """The text as few bytes; lone surrogates, as some tokenizers give, survive."""
    content = text.encode("utf-8", "surrogatepass")
    if len(content) >= LONG or content[:1] == DEFLATED:
        small = zlib.compress(content, FAST)
        if len(small) < 0.9 * len(content) or content[:1] == DEFLATED:
            return small
    return content


def decompress_text(content: bytes) -> str:
    """The text that was packed."""
    if content[:1] == DEFLATED:
        content = zlib.decompress(content)
    return content.decode("utf-8", "surrogatepass")


def encode_reply(reply: Reply) -> bytes:
    """All of a reply but whether it was remembered."""
    record: dict[str, Any] = {"request_id": reply.request_id}
    for name, default in _DEFAULTS.items():
        if (value := getattr(reply, name)) != default:
            record[name] = value
    if reply.logprobs:
        record["logprobs"] = [[getattr(token, name) for name in _TOKEN] for token in reply.logprobs]
    return compress_text(json.dumps(record, ensure_ascii=False, separators=(",", ":")))


def decode_reply(content: bytes) -> Reply:
    """The reply that was packed."""
    record = json.loads(decompress_text(content))
    if "logprobs" in record:
        record["logprobs"] = tuple(
            Token(text, logprob, tuple(others), tuple(logprobs))
            for text, logprob, others, logprobs in record["logprobs"]
        )
    return Reply(**record)


def storable_text(text: str) -> str:
    """The text as any database takes it: what is no character, and NUL, written out."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
