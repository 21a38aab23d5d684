"""A webhook: what it takes, what it refuses, and what becomes of it."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from rarefy.flows.cli import main
from rarefy.flows.faults import UsageFault
from rarefy.flows.serving import webhook as hook_module
from rarefy.flows.serving.webhook import BODY, Hook, HookServer
from rarefy.tasks.refresh.feeds import arrivals
from rarefy.tasks.refresh.feeds.arrivals import SECRET_VARIABLE, SIGNATURE_HEADER, sign
from rarefy.tasks.refresh.feeds.config import OriginConfig, WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Refused, TryLater
from rarefy.tasks.refresh.feeds.fetch import Fetched
from rarefy.tasks.refresh.refresh_queue import pending_requests, remove_requests
from rarefy.tasks.store.tables import Store

SECRET = "0123456789abcdef0123456789abcdef"
ADDRESS = "https://docs.example.com/a.html"
NOW = 1_800_000_000
PAGE = b"<p>A document.</p>"


@pytest.fixture
def came(monkeypatch) -> list[Fetched | Exception]:
    """What fetches give, one after the other; the last one for ever."""
    given: list[Fetched | Exception] = [Fetched(PAGE, "text/html", ADDRESS)]

    def fetch(address, config, resolve):
        one = given.pop(0) if len(given) > 1 else given[0]
        if isinstance(one, Exception):
            raise one
        return one

    monkeypatch.setattr(arrivals, "fetch", fetch)
    return given


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    (tmp_path / "corpus").mkdir()
    config = WebhookConfig(origins=(OriginConfig(origin="https://docs.example.com"),), waiting=3, tries=1)
    said: list[str] = []
    store = Store(tmp_path / "store")
    return Hook(store, str(tmp_path / "out"), tmp_path / "corpus", config, (SECRET,), said.append, clock=lambda: NOW)


def body(address: str = ADDRESS, **more: str) -> bytes:
    return json.dumps({"address": address} | more).encode()


def signed(content: bytes, at: int = NOW, secret: str = SECRET) -> tuple[str, bytes]:
    return sign(content, secret, at), content


def work(hook: Hook) -> None:
    """Deal with all that waits."""
    stop = threading.Event()
    thread = threading.Thread(target=hook.work, args=(stop,))
    thread.start()
    while arrivals.list_waiting(hook.store, hook.line) and thread.is_alive():
        stop.wait(0.01)
    stop.set()
    thread.join()


def test_a_signed_payload_is_written_down_before_it_is_acknowledged(hook):
    assert hook.receive(*signed(body(id="one")))[0] == 202
    [(_, arrival)] = arrivals.list_waiting(hook.store, hook.line)
    assert (arrival.payload.address, arrival.payload.id, arrival.at) == (ADDRESS, "one", NOW)


def test_its_document_comes_into_the_corpus_and_a_refresh_is_asked_for(hook, came):
    hook.receive(*signed(body(id="one")))
    work(hook)
    assert (hook.corpus / "arrived" / "one.html").read_bytes() == PAGE
    assert [one.why for one in pending_requests(hook.store, hook.line)] == ["webhook: arrived/one.html added"]
    assert hook.moved.is_set()
    assert arrivals.list_waiting(hook.store, hook.line) == []


def test_a_document_that_is_the_same_asks_for_nothing(hook, came):
    for at in (NOW, NOW + 1):
        hook.receive(*signed(body(id="one"), at))
        work(hook)
        asked = pending_requests(hook.store, hook.line)
        remove_requests(hook.store, asked)
    assert asked == []


@pytest.mark.parametrize(
    ("header", "content", "status", "why"),
    [
        ("", body(), 401, "no signature"),
        (sign(body(), "another secret 123", NOW), body(), 401, "does not fit"),
        (sign(body(), SECRET, NOW - 3600), body(), 401, "3,600 s from ours"),
        (sign(body(), SECRET, NOW + 3600), body(), 401, "3,600 s from ours"),
        (sign(body(), SECRET, NOW), body() + b" ", 401, "does not fit"),
        (sign(b"{", SECRET, NOW), b"{", 400, "no JSON"),
        (sign(b'{"address": 1}', SECRET, NOW), b'{"address": 1}', 400, "address"),
        (sign(body("https://elsewhere.com/x"), SECRET, NOW), body("https://elsewhere.com/x"), 403, "not among"),
        (sign(body("http://169.254.169.254/"), SECRET, NOW), body("http://169.254.169.254/"), 403, "not among"),
        (
            sign(body("https://docs.example.com@evil.com/"), SECRET, NOW),
            body("https://docs.example.com@evil.com/"),
            403,
            "user",
        ),
    ],
)
def test_what_is_refused_is_told_why_and_leaves_nothing(hook, header, content, status, why):
    answer, told = hook.receive(header, content)
    assert answer == status and why in told
    assert SECRET not in told
    assert arrivals.list_waiting(hook.store, hook.line) == []


def test_a_replay_is_refused_by_this_process_and_by_the_next(hook, came, tmp_path):
    request = signed(body())
    assert hook.receive(*request)[0] == 202
    assert hook.receive(*request) == (409, "this signature was used before; what it names was taken then")
    work(hook)
    assert hook.receive(*request)[0] == 409
    again = Hook(Store(hook.store.url), hook.out, hook.corpus, hook.config, (SECRET,), hook.say, clock=lambda: NOW)
    assert again.receive(*request)[0] == 409


def test_more_than_may_wait_are_told_to_come_later_and_lose_nothing(hook, came):
    answers = [hook.receive(*signed(body(id=f"d{n}")))[0] for n in range(5)]
    assert answers == [202, 202, 202, 503, 503]
    work(hook)
    assert hook.receive(*signed(body(id="d4")))[0] == 202
    work(hook)
    assert sorted(path.stem for path in (hook.corpus / "arrived").iterdir()) == ["d0", "d1", "d2", "d4"]


def test_what_was_acknowledged_before_a_crash_is_taken_up_after_it(hook, came):
    hook.receive(*signed(body(id="one")))
    hook.receive(*signed(body(id="two")))
    again = Hook(Store(hook.store.url), hook.out, hook.corpus, hook.config, (SECRET,), hook.say)
    assert again.resume() == 2
    work(again)
    assert sorted(path.stem for path in (hook.corpus / "arrived").iterdir()) == ["one", "two"]


def test_a_crash_between_the_document_and_the_asking_loses_no_refresh(hook, came, monkeypatch):
    def crash(*args):
        raise KeyboardInterrupt

    hook.receive(*signed(body(id="one")))
    [(name, arrival)] = arrivals.list_waiting(hook.store, hook.line)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(hook_module, "request_refresh", crash)
        hook.take(name, arrival)
    assert (hook.corpus / "arrived" / "one.html").exists() and not pending_requests(hook.store, hook.line)
    again = Hook(Store(hook.store.url), hook.out, hook.corpus, hook.config, (SECRET,), hook.say)
    again.resume()
    work(again)
    assert pending_requests(hook.store, hook.line)


def test_what_cannot_be_fetched_is_told_and_keeps_none_of_the_others_back(hook, came):
    came[:] = [Refused("its bytes are a program"), TryLater("nobody there"), OSError(28, "No space left"), *came]
    for name in ("a", "b", "c"):
        hook.receive(*signed(body(id=name)))
    stop = threading.Event()
    thread = threading.Thread(target=hook.work, args=(stop,))
    thread.start()
    said = hook.say.__self__
    while len(said) < 3:
        stop.wait(0.01)
    stop.set()
    thread.join()
    assert "refused: its bytes are a program" in said[0]
    assert "not fetched: nobody there" in said[1]
    assert "No space left" in said[2] and "taken up when this starts again" in said[2]
    assert [one.payload.id for _, one in arrivals.list_waiting(hook.store, hook.line)] == ["c"]


def test_a_key_in_an_address_is_kept_no_longer_than_it_is_of_use(hook, came):
    came[:] = [came[0], TryLater("nobody there")]
    for name in ("a", "b"):
        hook.receive(*signed(body(f"{ADDRESS}?sig=sesame", id=name)))
    assert all("sesame" in arrival.payload.address for _, arrival in arrivals.list_waiting(hook.store, hook.line))
    work(hook)
    kept = "".join(path.read_text() for path in Path(hook.store.root).rglob("*.json"))
    assert "docs.example.com/a.html" in kept and "sesame" not in kept + "".join(hook.say.__self__)


# the HTTP server


@pytest.fixture
def server(hook: Hook) -> Iterator[HookServer]:
    server = HookServer(hook, "127.0.0.1", 0, seconds=1.0)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def ask(
    server: HookServer, content: bytes, method: str = "POST", path: str = "/arrive", **headers: str
) -> tuple[int, str]:
    host, port = server.server_address[:2]
    connection = http.client.HTTPConnection(str(host), int(port), timeout=30)
    try:
        connection.putrequest(method, path)
        given = {"Content-Type": "application/json", "Content-Length": str(len(content))}
        for name, value in (given | {name.replace("_", "-"): value for name, value in headers.items()}).items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(content)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())["told"]
    finally:
        connection.close()


def test_a_webhook_is_answered_over_http(server):
    header, content = signed(body())
    status, told = ask(server, content, **{SIGNATURE_HEADER: header})
    assert (status, told[:8]) == (202, "noted as")
    assert ask(server, content, **{SIGNATURE_HEADER: header})[0] == 409
    assert ask(server, b"", "GET", "/health") == (200, "ready")


@pytest.mark.parametrize(
    ("status", "why", "given"),
    [
        (404, "POST to /arrive", {"path": "/elsewhere"}),
        (404, "POST to /arrive", {"path": "/../arrive"}),
        (405, "POST to /arrive", {"method": "GET"}),
        (411, "Content-Length", {"Content_Length": ""}),
        (411, "Content-Length", {"Transfer_Encoding": "chunked"}),
        (411, "Content-Length", {"Content_Length": "-5"}),
        (413, "99,999 bytes", {"Content_Length": "99999"}),
        (415, "application/json", {"Content_Type": "text/plain"}),
        (431, "of headers", {"X_Long": "x" * (BODY + 1)}),
        (401, "0 headers", {}),
    ],
)
def test_requests_of_another_shape_are_refused_without_being_read(server, status, why, given):
    answer, told = ask(server, body(), **given)
    assert answer == status and why in told


def test_headers_without_end_are_refused(server):
    with socket.create_connection(server.server_address[:2], timeout=30) as connection:
        connection.sendall(b"POST /arrive HTTP/1.1\r\n" + b"X-Header: x\r\n" * 200 + b"\r\n")
        assert b" 431 " in connection.recv(1000)


@pytest.mark.server
@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /arr",
        b"POST /arrive HTTP/1.1\r\nX: ",
        b"POST /arrive HTTP/1.1\r\nContent-Type: application/json\r\n"
        b"X-Rarefy-Signature: x\r\nContent-Length: 100\r\n\r\n{",
    ],
)
def test_a_request_that_never_ends_is_ended(server, sent):
    """Slowloris: other requests are answered meanwhile, and the slow one is cut off."""
    with socket.create_connection(server.server_address[:2], timeout=30) as connection:
        connection.sendall(sent)
        assert ask(server, b"", "GET", "/health")[0] == 200
        while connection.recv(1000):
            pass  # until the server has had enough


def test_more_connections_than_it_holds_are_dropped_and_it_answers_again(server):
    held = [socket.create_connection(server.server_address[:2], timeout=30) for _ in range(60)]
    try:
        for connection in held:
            while connection.recv(1000):
                pass
        assert ask(server, b"", "GET", "/health")[0] == 200
    finally:
        for connection in held:
            connection.close()


# the command, and the flow


def test_without_a_secret_or_an_origin_the_command_does_not_start(tmp_path, monkeypatch, capsys):
    (tmp_path / "corpus").mkdir()
    given = ["hook", str(tmp_path / "corpus"), "--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    assert main(given) == 2
    assert "RAREFY_WEBHOOK_SECRET is not set" in capsys.readouterr().err
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    assert main(given) == 2
    told = capsys.readouterr().err
    assert "no origins" in told and SECRET not in told


@pytest.mark.crash
def test_the_command_fetches_what_it_is_told_and_ends_by_a_signal(tmp_path, site: Callable[[bytes], str]):
    """From a signed request to the document in the corpus, in processes of their own."""
    (tmp_path / "corpus").mkdir()
    url = site(PAGE)
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    (tmp_path / "my.toml").write_text(f'[[feeds.webhook.origins]]\norigin = "{origin}"\nprivate = true\n')
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"), "--config", str(tmp_path / "my.toml")]
    command = [sys.executable, "-m", "rarefy.flows.cli", "hook", str(tmp_path / "corpus"), *where]
    process = subprocess.Popen(
        [*command, "--port", "0", "--no-refresh"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {SECRET_VARIABLE: SECRET},
    )
    killer = threading.Timer(120, process.kill)
    killer.start()
    try:
        assert process.stderr is not None
        port = next(int(found[1]) for line in process.stderr if (found := re.search(r":(\d+)/arrive", line)))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        content = body(url, id="first")
        header = sign(content, SECRET, int(time.time()))
        connection.request("POST", "/arrive", content, {"Content-Type": "application/json", SIGNATURE_HEADER: header})
        assert connection.getresponse().status == 202
        assert "arrived/first.html added" in next(process.stderr)
        assert (tmp_path / "corpus" / "arrived" / "first.html").read_bytes() == PAGE
        process.terminate()
        assert process.wait() == 130
    finally:
        killer.cancel()
        process.kill()
        process.wait()


@pytest.fixture
def site() -> Iterator[Callable[[bytes], str]]:
    """Serves a page, and says where."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    servers = []

    def serve(content: bytes) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/report.html"

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def test_without_a_secret_nothing_is_answered(monkeypatch):
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    with pytest.raises(UsageFault, match="not set"):
        hook_module.read_secrets()
