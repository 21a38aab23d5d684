"""The books on SQLite and on a real PostgreSQL: nothing lost, nothing doubled, no limit exceeded, whoever dies."""

import gc
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import machines
import pytest

from rarefy.data_contracts.rows import Reply, Token, row_id
from rarefy.tasks.models.llm.reply_store import Call, StoredReply, open_reply_store

BASE = 1_700_000_000.0  # a virtual clock begins here
ODD = "a\0b \ud83d\ude00 \udcff 😀 é \u2028 '); DROP TABLE replies; -- %s"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """URL of a server of this test run's own, or of $RAREFY_TEST_POSTGRES."""
    if given := os.environ.get("RAREFY_TEST_POSTGRES"):
        yield given
        return
    pytest.importorskip("psycopg")
    with machines.postgres() as server:
        yield server


@pytest.fixture
def in_postgres(postgres, request) -> str:
    return machines.database(postgres, f"t{row_id(request.node.name)}")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.server)])
def url(request, tmp_path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'books.sqlite'}"
    return request.getfixturevalue("in_postgres")


@pytest.fixture
def books(url, tmp_path):
    return open_reply_store(url, tmp_path)


def kept(key: str, text: str = "yes", request_id: str = "r1", made_of: str = "{}") -> StoredReply:
    return StoredReply(key, made_of, Reply(request_id, text))


def call(request_id: str = "r1", **more) -> Call:
    return Call("run", "ask", "m", request_id, "answered", **more)


def processes(script: str, *arguments: str, count: int = 4) -> list[str]:
    """What so many processes print that run the script at once; it finds its books opened."""
    start = "import sys; from pathlib import Path; from rarefy.tasks.models.llm.reply_store import *; "
    start += "from rarefy.tasks.models.llm.reply_store import open_reply_store; "
    start += "from rarefy.data_contracts.rows import Reply; books = open_reply_store(sys.argv[1], Path('.'))\n"
    running = [
        subprocess.Popen([sys.executable, "-c", start + script, *arguments, str(i)], stdout=subprocess.PIPE, text=True)
        for i in range(count)
    ]
    said = [process.communicate(timeout=100)[0] for process in running]
    assert [process.returncode for process in running] == [0] * count
    return said


@pytest.mark.parametrize(
    "reply",
    [
        Reply("r"),
        Reply("r", "text", '{"a":1}', "stop", 10, 20, 5, (), "model-2024"),
        Reply(
            ODD, ODD, detail=ODD, model=ODD, logprobs=(Token(ODD, float("-inf"), (ODD, ""), (-1.25, float("-inf"))),)
        ),
        Reply("r", "x", logprobs=tuple(Token(f"t{i}", -i / 7) for i in range(300))),
        Reply("r", "x\u0001" * 5),
        Reply("r", "ab " * 3_500_000),
        Reply("r", random.Random(1).randbytes(5_000_000).hex()),
    ],
    ids=["empty", "full", "odd", "logprobs", "short", "10 MB", "10 MB that no compression helps"],
)
def test_a_reply_comes_back_as_it_was(books, reply):
    books.keep([], [StoredReply("ab" * 16, ODD, reply)])
    assert books.find(["ab" * 16]) == {"ab" * 16: reply}
    assert books.explain("abab")[0].made_of == ODD


def test_what_is_unknown_is_not_found(books):
    assert books.find([]) == {}
    books.keep([], [kept(f"{i:032x}", str(i)) for i in range(1_200)])
    found = books.find([f"{i:032x}" for i in range(5_000)] * 2)
    assert {int(key, 16): int(reply.text) for key, reply in found.items()} == {i: i for i in range(1_200)}


def test_the_first_writer_of_a_reply_wins_and_both_are_in_the_ledger(books):
    books.keep([call(cost=3)], [kept("a" * 32, "first")])
    books.keep([call(cost=4)], [kept("a" * 32, "second"), kept("b" * 32, "b"), kept("b" * 32, "b again")])
    assert {key[0]: reply.text for key, reply in books.find(["a" * 32, "b" * 32]).items()} == {"a": "first", "b": "b"}
    (used,) = books.usage("run")
    assert (used.calls, used.cost) == (2, 7)


def test_the_ledger_sums_by_stage_model_outcome_and_parse(books):
    lines = [
        call(
            parse="clean",
            characters=400,
            prompt_tokens=100,
            completion_tokens=10,
            cached_tokens=50,
            cost=10**13,
            seconds=1.5,
        ),
        call(
            parse="clean",
            prompt_tokens=200,
            completion_tokens=20,
            cost=10**13,
            seconds=0.5,
            unmetered=1,
            characters=900,
        ),
        call(parse="fenced"),
        Call("run", "ask", "m", "", "remembered", count=40),
        Call("run", "ask", "m", "r", "rate_limited", final=False),
        Call("other", ODD, ODD, ODD, "answered"),
    ]
    books.keep(lines, [])
    sums = {(used.outcome, used.parse): used for used in books.usage("run")}
    clean = sums["answered", "clean"]
    assert (clean.calls, clean.prompt_tokens, clean.completion_tokens, clean.cached_tokens) == (2, 300, 30, 50)
    assert (clean.cost, clean.seconds, clean.unmetered, clean.final) == (2 * 10**13, 2.0, 1, True)
    assert clean.characters == 1_300
    assert sums["remembered", ""].calls == 40
    assert sums["rate_limited", ""].final is False
    assert len(sums) == 4
    assert sum(used.calls for used in books.usage("")) == 45
    assert books.usage("unknown") == []


def test_explain_finds_by_the_beginning_of_a_key_and_by_request_newest_first(books):
    books.keep([], [kept("aa" * 16, "1", "q1")])
    books.keep([], [kept("ab" * 16, "2", "q1"), kept("bb" * 16, "3", "a%")])
    books.keep([], [kept("a1" * 16, "4", ODD)])
    assert [one.reply.text for one in books.explain("a")] == ["4", "2", "1"]
    assert [one.reply.text for one in books.explain("q1")] == ["2", "1"]
    assert [one.reply.text for one in books.explain("bb" * 16)] == ["3"]
    assert [one.reply.text for one in books.explain(ODD)] == ["4"]
    assert books.explain("%") == books.explain("ab_") == books.explain("q") == []


@pytest.mark.parametrize("limits", [(50, 0), (0, 20_000), (30, 20_000), (1, 0)])
def test_four_processes_never_exceed_a_limit_in_any_minute(url, books, limits):
    script = """
import random
seed = int(sys.argv[-1]); r = random.Random(seed); now = 1_700_000_000.0
limits = tuple(map(int, sys.argv[2:4]))
for _ in range(60):
    now += r.expovariate(2)
    tokens = r.choice([1, 300, 900, 5_000, 19_000 if r.random() < 0.2 else 10])
    wait = books.pace("m", 1, tokens, limits, now)
    assert wait >= 0
    print(now + wait, tokens)
"""
    said = "".join(processes(script, url, *map(str, limits)))
    sent = sorted((float(at), int(tokens)) for at, tokens in (line.split() for line in said.splitlines()))
    assert len(sent) == 240
    first, requests, tokens = 0, 0, 0
    for i, (at, size) in enumerate(sent):
        requests, tokens = requests + 1, tokens + size
        while sent[first][0] < at - 60.0:
            requests, tokens = requests - 1, tokens - sent[first][1]
            first += 1
        assert not limits[0] or requests <= limits[0], i
        assert not limits[1] or tokens <= limits[1], i


def test_four_processes_never_spend_more_than_the_budget_and_all_of_it(url, books):
    script = """
taken = sum(books.reserve("calls", 10**10, (301, 0)) for _ in range(150))
paid = sum(7 for _ in range(150) if books.reserve("cost", 7, (0, 1_000)))
print(taken, paid)
"""
    said = [tuple(map(int, line.split())) for line in processes(script, url)]
    assert sum(taken for taken, _ in said) == 301
    assert sum(paid for _, paid in said) == 994  # 142 times 7; one more would be 1,001


def test_what_was_reserved_and_not_used_can_be_reserved_again(books):
    limits = (2, 100)
    assert books.reserve("run", 60, limits)
    assert not books.reserve("run", 60, limits)
    books.settle("run", 25)
    assert books.reserve("run", 60, limits)
    assert not books.reserve("run", 1, limits)  # calls
    books.settle("run", 60, calls=1)
    assert books.reserve("run", 65, limits)
    assert books.reserve("another", 100, limits)


def test_a_refund_lets_others_go_earlier_and_a_debt_later(books):
    limits = (0, 60_000)
    for _ in range(10):
        wait = books.pace("m", 1, 6_000, limits, BASE)
    books.refund("m", 50_000, limits)
    sooner = books.pace("m", 1, 6_000, limits, BASE)
    assert sooner < wait / 3
    books.refund("m", -50_000, limits)
    assert books.pace("m", 1, 6_000, limits, BASE) > wait


def test_the_longest_hold_counts(books):
    assert books.held("m", BASE) == 0.0
    books.hold("m", BASE + 30, BASE)
    books.hold("m", BASE + 10, BASE)
    assert books.held("m", BASE) == pytest.approx(30)
    assert books.held("m", BASE + 31) == 0.0
    assert books.held("another", BASE) == 0.0


def test_a_clock_that_is_set_back_makes_nobody_wait_for_it_to_catch_up(tmp_path):
    hour, limits = 3_600.0, (60, 0)
    books = open_reply_store(f"sqlite:///{tmp_path}/ledger.sqlite", tmp_path)
    for _ in range(10):
        before = books.pace("m", 1, 0, limits, BASE + hour)
    books.hold("m", BASE + hour + 30, BASE + hour)
    assert books.held("m", BASE) == pytest.approx(30)  # not an hour and 30 seconds
    after = books.pace("m", 1, 0, limits, BASE)
    assert before < after < before + 2  # what was taken still counts
    assert books.pace("another", 1, 0, limits, BASE) == 0.0


def test_a_caller_who_waited_for_the_file_does_not_set_the_clock_back(tmp_path):
    books, limits = open_reply_store(f"sqlite:///{tmp_path}/ledger.sqlite", tmp_path), (60, 0)
    for _ in range(10):
        waits = books.pace("m", 1, 0, limits, BASE + 50)
    assert BASE + books.pace("m", 1, 0, limits, BASE) > BASE + 50 + waits


def test_a_ledger_from_before_the_clock_was_kept_goes_on(tmp_path):
    url = f"sqlite:///{tmp_path}/ledger.sqlite"
    open_reply_store(url, tmp_path)
    with sqlite3.connect(tmp_path / "ledger.sqlite") as file:
        file.execute("DROP TABLE clock")
    books = open_reply_store(url, tmp_path)
    assert books.pace("m", 1, 0, (60, 0), BASE) == 0.0


def test_many_threads_and_processes_write_at_once(url, books):
    script = """
import threading
me = int(sys.argv[-1])
def work(thread):
    for i in range(10):
        name = f"{i:04x}" * 8
        reply = StoredReply(name, "{}", Reply(name, f"{me} {thread}"))
        books.keep([Call("run", "s", "m", name, "answered")] * 3, [reply])
        assert books.find([name])
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
"""
    processes(script, url)
    assert sum(used.calls for used in books.usage("run")) == 4 * 4 * 10 * 3
    assert len(books.find([f"{i:04x}" * 8 for i in range(10)])) == 10


def test_a_writer_that_is_killed_leaves_whole_replies_and_a_ledger_that_agrees(url, books):
    start = "import sys; from pathlib import Path; from rarefy.tasks.models.llm.reply_store import *; "
    start += "from rarefy.tasks.models.llm.reply_store import open_reply_store; "
    start += "from rarefy.data_contracts.rows import Reply; books = open_reply_store(sys.argv[1], Path('.'))\n"
    script = """
for batch in range(100_000):
    names = [f"{batch * 8 + i:032x}" for i in range(8)]
    books.keep([Call("run", "s", "m", name, "answered") for name in names],
               [StoredReply(name, "{}", Reply(name, name * 50)) for name in names])
    print(batch, flush=True)
"""
    writer = subprocess.Popen([sys.executable, "-c", start + script, url], stdout=subprocess.PIPE, text=True)
    assert writer.stdout
    for line in writer.stdout:
        if int(line) >= 20:
            break
    time.sleep(0.05)
    writer.send_signal(signal.SIGKILL)
    said = [int(line) for line in writer.stdout.read().splitlines()]
    writer.wait()
    reported = (said[-1] if said else 20) + 1
    time.sleep(0.2)  # PostgreSQL ends what its lost client had begun
    found = books.find([f"{i:032x}" for i in range(8 * (reported + 2))])
    assert all(reply.text == key * 50 for key, reply in found.items())
    assert len(found) // 8 in (reported, reported + 1)
    assert len(found) % 8 == 0
    assert sum(used.calls for used in books.usage("run")) == len(found)


def test_a_forked_process_uses_no_connection_of_its_parent(url, books):
    script = """
import os
books.keep([], [StoredReply("a" * 32, "{}", Reply("r", "parent"))])
child = os.fork()
for i in range(50):
    books.keep([Call("run", "s", "m", str(i), "answered")], [])
    assert books.find(["a" * 32])
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    processes(script, url, count=1)
    assert sum(used.calls for used in books.usage("run")) == 100


def test_books_are_where_the_url_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_reply_store("", tmp_path / "cache")
    assert (tmp_path / "cache" / "replies.sqlite").is_file()
    open_reply_store("sqlite:///here.sqlite", tmp_path)
    assert (tmp_path / "here.sqlite").is_file()
    open_reply_store(f"sqlite:///{tmp_path}/there.sqlite", tmp_path)
    assert (tmp_path / "there.sqlite").is_file()
    with pytest.raises(ValueError, match="four slashes"):
        open_reply_store("sqlite:///nowhere/x.sqlite", tmp_path)
    for wrong in ("mysql://me:secret@host/x", "replies.sqlite", "sqlite://"):
        with pytest.raises(ValueError, match="books are at") as told:
            open_reply_store(wrong, tmp_path)
        assert "secret" not in str(told.value)


def test_a_damaged_file_is_named_with_the_way_out(tmp_path):
    books = open_reply_store("", tmp_path)
    books.keep([], [kept(f"{i:032x}", "x" * 500) for i in range(500)])
    file = tmp_path / "replies.sqlite"
    del books
    gc.collect()  # closes it: all is in the one file
    assert not file.with_name("replies.sqlite-wal").exists()
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(OSError, match=r"replies\.sqlite: .*move it away"):
        open_reply_store("", tmp_path).find([f"{1:032x}"])
    file.write_bytes(b"something else entirely " * 500)
    with pytest.raises(OSError, match=r"replies\.sqlite: file is not a database; it is damaged: move it away"):
        open_reply_store("", tmp_path)


def test_a_file_of_a_newer_version_or_of_something_else_is_left_alone(tmp_path):
    open_reply_store("", tmp_path)
    file = tmp_path / "replies.sqlite"
    with sqlite3.connect(file) as newer:
        newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(OSError, match=r"replies\.sqlite: written by a newer rarefy \(tables of version 99"):
        open_reply_store("", tmp_path)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as theirs:
        theirs.execute("CREATE TABLE precious (x)")
    theirs.close()
    before = other.read_bytes()
    with pytest.raises(OSError, match=r"other\.sqlite: a database of something else"):
        open_reply_store(f"sqlite:///{other}", tmp_path)
    assert other.read_bytes() == before


def test_a_full_disk_is_an_error_that_names_the_file_and_what_was_kept_stays(tmp_path):
    script = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
books.keep([], [StoredReply("a" * 32, "{}", Reply("r", "kept"))])
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
try:
    books.keep([], [StoredReply("b" * 32, "{}", Reply("r", __import__("os").urandom(1_000_000).hex()))])
except OSError as error:
    assert "books.sqlite: " in str(error) and "; " in str(error), error
else:
    sys.exit("no error")
assert list(books.find(["a" * 32, "b" * 32])) == ["a" * 32]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
books.keep([], [StoredReply("c" * 32, "{}", Reply("r", "again"))])
"""
    url = f"sqlite:///{tmp_path / 'books.sqlite'}"
    processes(script, url, count=1)
    assert set(open_reply_store(url, tmp_path).find(["a" * 32, "b" * 32, "c" * 32])) == {"a" * 32, "c" * 32}


@pytest.mark.server
def test_a_lost_connection_is_made_again(in_postgres, tmp_path):
    import psycopg

    books = open_reply_store(in_postgres, tmp_path)
    books.keep([call()], [kept("a" * 32)])
    end_all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rarefy'"
    with psycopg.connect(in_postgres, autocommit=True) as other:
        other.execute(end_all)
        assert books.find(["a" * 32])
        other.execute(end_all)
        assert books.reserve("run", 1, (1, 0))
        other.execute(end_all)
        books.keep([call()], [])
    assert sum(used.calls for used in books.usage("run")) == 2


@pytest.mark.server
def test_what_was_committed_as_the_connection_broke_is_not_done_twice(in_postgres, tmp_path):
    """A man in the middle passes the COMMIT on and cuts the line before the answer is back."""
    port = int(in_postgres.rpartition("/")[0].rpartition(":")[2])
    server = socket.create_server(("127.0.0.1", 0))
    cuts: list[bytes] = []

    def pass_on(source: socket.socket, target: socket.socket, cutting: bool) -> None:
        try:
            while some := source.recv(65536):
                target.sendall(some)
                if cutting and b"COMMIT" in some and armed.is_set():
                    armed.clear()
                    cuts.append(some)
                    time.sleep(0.3)
                    source.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        for end in (source, target):
            end.close()

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            behind = socket.create_connection(("127.0.0.1", port))
            # what the server answers to that COMMIT must not arrive
            threading.Thread(target=pass_on, args=(client, behind, True), daemon=True).start()
            threading.Thread(target=answer, args=(behind, client), daemon=True).start()

    def answer(source: socket.socket, target: socket.socket) -> None:
        try:
            while some := source.recv(65536):
                if b"COMMIT\0" in some and silent.is_set():
                    silent.clear()
                    continue
                target.sendall(some)
        except OSError:
            pass
        for end in (source, target):
            end.close()

    armed, silent = threading.Event(), threading.Event()
    threading.Thread(target=serve, daemon=True).start()
    books = open_reply_store(in_postgres.replace(f":{port}/", f":{server.getsockname()[1]}/"), tmp_path)
    armed.set()
    silent.set()
    books.keep([call()], [kept("a" * 32)])
    assert cuts
    assert books.reserve("run", 1, (1, 0))
    server.close()
    books = open_reply_store(in_postgres, tmp_path)
    assert sum(used.calls for used in books.usage("run")) == 1
    assert books.find(["a" * 32])


@pytest.mark.server
def test_a_server_that_is_gone_is_named_and_no_password_told(tmp_path, in_postgres):
    port = machines.free_port()
    for wrong in (f"postgresql://me:s3cr3t-word@127.0.0.1:{port}/x", "postgresql://me:s3cr3t-word@[bad/x"):
        with pytest.raises((ConnectionError, ValueError)) as told:
            open_reply_store(wrong, tmp_path)
        assert "s3cr3t" not in "".join(map(str, [told.value, told.value.__cause__, told.value.args]))
    with pytest.raises(ConnectionError, match=rf"127\.0\.0\.1:{port}"):
        open_reply_store(f"postgresql://me:s3cr3t-word@127.0.0.1:{port}/x", tmp_path)
    with pytest.raises(OSError, match="no_such_database"):
        open_reply_store(in_postgres.rpartition("/")[0] + "/no_such_database", tmp_path)


@pytest.mark.server
def test_tables_of_a_newer_version_are_left_alone(in_postgres, tmp_path):
    import psycopg

    open_reply_store(in_postgres, tmp_path)
    with psycopg.connect(in_postgres, autocommit=True) as database:
        database.execute("UPDATE rarefy_version SET version = 99")
    with pytest.raises(OSError, match="written by a newer rarefy"):
        open_reply_store(in_postgres, tmp_path)


def test_four_processes_may_be_the_first_to_open(url):
    processes("print(books.find(['a']))", url, count=4)


def test_without_psycopg_the_extra_is_named(tmp_path):
    script = """
import sys; sys.modules["psycopg"] = None
from pathlib import Path
from rarefy.tasks.models.llm.reply_store import open_reply_store
try:
    open_reply_store("postgresql://me:secret@host/x", Path())
except ValueError as error:
    assert "pip install 'rarefy[postgres]'" in str(error) and "secret" not in str(error)
else:
    sys.exit("no error")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
