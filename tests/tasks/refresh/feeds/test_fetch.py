"""Documents by their address: every way in that is known to be tried, by its name."""

import gzip
import threading
import zlib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.refresh.feeds.config import OriginConfig, WebhookConfig
from rarefy.tasks.refresh.feeds.faults import FeedFault, Refused, TryLater
from rarefy.tasks.refresh.feeds.fetch import fetch

PAGE = b"<html><body><p>A document.</p></body></html>"
Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A server of this machine, under a port of its own."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.stop = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.path, dict(self.headers.items())))
                site.answers.get(self.path.partition("?")[0], missing)(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()


def missing(handler: BaseHTTPRequestHandler) -> None:
    reply(handler, b"", status=404)


def reply(handler: BaseHTTPRequestHandler, content: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in ({"Content_Type": "text/html", "Content_Length": str(len(content))} | headers).items():
        if value:
            handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)


def serving(content: bytes, **more: object) -> Answer:
    return lambda handler: reply(handler, content, **more)  # type: ignore[arg-type]


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.answers["/a.html"] = serving(PAGE)
    yield site
    site.close()


def config(*origins: str, private: bool = True, **more: object) -> WebhookConfig:
    listed = [OriginConfig(origin=origin, private=private) for origin in origins]
    return WebhookConfig(origins=tuple(listed), **({"seconds": 10, "tries": 1} | more))  # type: ignore[arg-type]


def to_here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def test_a_document_of_a_listed_origin_comes(site):
    got = fetch(f"{site.url}/a.html", config(site.url))
    assert (got.content, got.media_type, got.address) == (PAGE, "text/html", f"{site.url}/a.html")


def test_the_name_of_the_host_is_kept_while_the_connection_goes_to_the_checked_address(site):
    origin = f"http://docs.example.com:{site.port}"
    fetch(f"{origin}/a.html?x=%2F1", config(origin), to_here)
    [(path, headers)] = site.asked
    assert path == "/a.html?x=%2F1"
    assert headers["Host"] == f"docs.example.com:{site.port}"
    assert "Authorization" not in headers and "Cookie" not in headers


def test_an_origin_that_is_not_listed_is_not_asked(site):
    with pytest.raises(Refused, match="not among the origins"):
        fetch(f"{site.url}/a.html", config("https://docs.example.com"))
    assert site.asked == []


def test_a_listed_name_that_leads_into_this_network_is_not_asked(site):
    with pytest.raises(Refused, match=r"127\.0\.0\.1: not a public address"):
        fetch(f"{site.url}/a.html", config(site.url, private=False))
    assert site.asked == []


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]"])
def test_other_spellings_of_this_machine_are_this_machine(site, host):
    """Decimal, hexadecimal, octal, short, mapped: judged by what the system makes of them, even where one is listed."""
    origin = f"http://{host}:{site.port}"
    with pytest.raises((Refused, TryLater)):
        fetch(f"{origin}/a.html", config(origin, private=False))
    assert site.asked == []


def test_a_redirect_to_the_metadata_address_is_not_followed(site):
    site.answers["/r"] = serving(b"", status=302, Location="http://169.254.169.254/latest/meta-data/")
    with pytest.raises(Refused, match=r"http://169\.254\.169\.254 is not among"):
        fetch(f"{site.url}/r", config(site.url))
    with pytest.raises(Refused, match="credentials"):  # not even where somebody lists it
        fetch(f"{site.url}/r", config(site.url, "http://169.254.169.254"))


@pytest.mark.parametrize("to", ["file:///etc/passwd", "gopher://127.0.0.1/", "//elsewhere.com/x", "ftp://h/x"])
def test_a_redirect_to_another_scheme_or_host_is_not_followed(site, to):
    site.answers["/r"] = serving(b"", status=301, Location=to)
    with pytest.raises(Refused):
        fetch(f"{site.url}/r", config(site.url))


@pytest.mark.parametrize(
    "to", ["http://[::1/x", "http://[x]/", "//[", "http://a]b/", "http://\u2100.com/", "http://h:99999/"]
)
def test_a_redirect_to_what_is_no_address_is_refused(site, to):
    site.answers["/r"] = lambda handler: reply(handler, b"", 302, Location=to.encode().decode("latin-1"))
    with pytest.raises(Refused):
        fetch(f"{site.url}/r", config(site.url))


PIECES = ["http:", "https:", "//", "/", "[", "]", "::1", "%25", "127.0.0.1", ":1", ":", "99999", "-1", "@", "user:pass"]
ODD = ["#", "?", "..", "\\", "\0", "\xff", "\t", "\xe9", "\u2100", "file:", "a" * 70, ".", "x"]


@given(st.lists(st.sampled_from([*PIECES, *ODD]), max_size=9).map("".join) | st.text(max_size=20))
def test_whatever_a_redirect_says_ends_in_a_fault_of_feeds(location):
    asked = OriginConfig(origin="http://127.0.0.1:1", private=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rarefy.tasks.refresh.feeds.fetch._get", lambda *_: location)
        with pytest.raises(FeedFault):
            fetch("http://127.0.0.1:1/a", WebhookConfig(origins=(asked,)))


def test_a_redirect_within_listed_origins_is_followed_and_each_hop_checked(site):
    other = Site()
    try:
        other.answers["/b.html"] = serving(PAGE)
        site.answers["/r"] = serving(b"", status=307, Location=f"{other.url}/b.html")
        with pytest.raises(Refused, match="not among"):
            fetch(f"{site.url}/r", config(site.url))
        assert fetch(f"{site.url}/r", config(site.url, other.url)).address == f"{other.url}/b.html"
    finally:
        other.close()


def test_redirects_come_to_an_end(site):
    site.answers["/r"] = serving(b"", status=302, Location="/r")
    with pytest.raises(Refused, match="more than 3 redirects"):
        fetch(f"{site.url}/r", config(site.url))
    assert len(site.asked) == 4


def test_a_name_that_says_something_else_a_moment_later_changes_nothing(site):
    """DNS rebinding: the resolver is asked once a hop, and the connection goes to what it said then."""
    said = iter([["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1"]])
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(said)

    origin = f"http://docs.example.com:{site.port}"
    assert fetch(f"{origin}/a.html", config(origin), resolve).content == PAGE
    assert asked == ["docs.example.com"]
    with pytest.raises(Refused, match="credentials"):
        fetch(f"{origin}/a.html", config(origin), resolve)


def test_a_name_with_a_public_and_a_private_address_is_refused(site):
    origin = f"http://docs.example.com:{site.port}"
    with pytest.raises(Refused, match="not a public address"):
        fetch(f"{origin}/a.html", config(origin, private=False), lambda host, port: ["8.8.8.8", "127.0.0.1"])
    assert site.asked == []


def test_the_next_address_is_tried_where_one_does_not_answer(site):
    origin = f"http://docs.example.com:{site.port}"
    got = fetch(f"{origin}/a.html", config(origin), lambda host, port: ["127.0.0.2", "127.0.0.1"])
    assert got.content == PAGE


def test_no_proxy_of_the_environment_is_used(site, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert fetch(f"{site.url}/a.html", config(site.url)).content == PAGE


def test_a_document_that_says_that_it_is_too_large_is_not_read(site):
    site.answers["/big"] = serving(PAGE, Content_Length="100000001")
    with pytest.raises(Refused, match="over 1,000 bytes"):
        fetch(f"{site.url}/big", config(site.url, max_bytes=1000))


def test_an_endless_body_ends_at_the_limit(site):
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        while not site.stop.is_set():
            handler.wfile.write(b"<p>more</p>" * 1000)

    site.answers["/endless"] = endless
    with pytest.raises(Refused, match="over 1,000,000 bytes"):
        fetch(f"{site.url}/endless", config(site.url, max_bytes=1_000_000))


def test_a_small_body_that_unpacks_to_a_large_one_ends_at_the_limit(site):
    """A zip bomb by Content-Encoding: 200 MB in 200 KB, of which never more than the limit is held."""
    import tracemalloc

    pack = zlib.compressobj(9, wbits=31)
    bomb = b"".join(pack.compress(b"\0" * 1_000_000) for _ in range(200)) + pack.flush()
    assert len(bomb) < 250_000
    site.answers["/bomb"] = serving(bomb, Content_Encoding="gzip")
    tracemalloc.start()
    try:
        with pytest.raises(Refused, match="over 5,000,000 bytes"):
            fetch(f"{site.url}/bomb", config(site.url, max_bytes=5_000_000))
        assert tracemalloc.get_traced_memory()[1] < 25_000_000
    finally:
        tracemalloc.stop()


def test_a_packed_document_comes_unpacked(site):
    site.answers["/z"] = serving(gzip.compress(PAGE), Content_Encoding="gzip")
    assert fetch(f"{site.url}/z", config(site.url)).content == PAGE


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "deflate", "compress"])
def test_a_body_packed_as_was_not_asked_for_is_refused(site, encoding):
    site.answers["/z"] = serving(PAGE, Content_Encoding=encoding)
    with pytest.raises(Refused, match="was not asked for"):
        fetch(f"{site.url}/z", config(site.url))


def test_what_says_that_it_is_packed_and_is_not_or_breaks_off_is_told(site):
    site.answers["/z"] = serving(PAGE, Content_Encoding="gzip")
    with pytest.raises(Refused, match="says that it is gzip and is not"):
        fetch(f"{site.url}/z", config(site.url))
    site.answers["/z"] = serving(gzip.compress(PAGE)[:-12], Content_Encoding="gzip")
    with pytest.raises(TryLater, match="breaks off"):
        fetch(f"{site.url}/z", config(site.url))


def drip(site: Site, first: bytes) -> Answer:
    """A reply of which a byte comes now and then: each in time, all together never."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(first)
        while not site.stop.wait(0.05):
            handler.wfile.write(b"x")

    return answer


@pytest.mark.parametrize(
    "first", [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>", b"HTTP/1.1 200 OK\r\nX-Long: ", b""]
)
def test_a_server_that_only_drips_is_left_after_the_time_for_all(site, first):
    """Slowloris, from the other side: no single read ever times out."""
    site.answers["/drip"] = drip(site, first)
    with pytest.raises((TryLater, Refused)):  # without a limit for all this would go on for ever
        fetch(f"{site.url}/drip", config(site.url, seconds=0.5))


def test_headers_without_end_are_refused(site):
    def headers(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not site.stop.is_set():
            handler.wfile.write(b"X-Header: " + b"x" * 1000 + b"\r\n")

    site.answers["/headers"] = headers
    with pytest.raises((TryLater, Refused)):
        fetch(f"{site.url}/headers", config(site.url))


def test_a_document_that_breaks_off_may_come_later(site):
    site.answers["/cut"] = serving(PAGE, Content_Length=str(len(PAGE) + 9))
    with pytest.raises(TryLater):
        fetch(f"{site.url}/cut", config(site.url))


@pytest.mark.parametrize(
    ("status", "fault"),
    [(404, Refused), (403, Refused), (500, TryLater), (503, TryLater), (429, TryLater), (204, Refused)],
)
def test_what_a_server_answers_decides_whether_it_is_asked_again(site, status, fault):
    site.answers["/s"] = serving(b"", status=status)
    with pytest.raises(fault, match=str(status)):
        fetch(f"{site.url}/s", config(site.url))


def test_nobody_there_may_be_there_later():
    with pytest.raises(TryLater):
        fetch("http://127.0.0.1:9/", config("http://127.0.0.1:9"))


def test_tls_is_spoken_and_the_certificate_must_be_that_of_the_name(tmp_path):
    import ssl

    from certificates import certificate

    key = certificate(tmp_path, "docs.example.com")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(key)
    site = Site()
    site.server.socket = server.wrap_socket(site.server.socket, server_side=True)
    site.answers["/a.html"] = serving(PAGE)
    known = ssl.create_default_context(cafile=str(key))
    try:
        origin, other = f"https://docs.example.com:{site.port}", f"https://other.example.com:{site.port}"
        assert fetch(f"{origin}/a.html", config(origin), to_here, tls=known).content == PAGE
        with pytest.raises(TryLater, match="CERTIFICATE_VERIFY_FAILED"):
            fetch(f"{other}/a.html", config(other), to_here, tls=known)
        with pytest.raises(TryLater, match="CERTIFICATE_VERIFY_FAILED"):
            fetch(f"{origin}/a.html", config(origin), to_here)
    finally:
        site.close()


@pytest.mark.parametrize("status", [403, 500])
def test_a_key_in_an_address_is_never_told(site, status):
    """Object stores hand out addresses whose query opens what they name."""
    site.answers["/s"] = serving(b"", status=status)
    with pytest.raises((Refused, TryLater)) as fault:
        fetch(f"{site.url}/s?X-Amz-Signature=sesame", config(site.url))
    assert "sesame" not in str(fault.value) and "/s?…" in str(fault.value)
