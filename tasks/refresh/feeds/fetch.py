"""A document by its address, when somebody else names it: from listed origins, checked addresses, so much, so long."""

import ssl
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from rarefy.tasks.refresh.feeds.addresses import Resolve, resolved, system
from rarefy.tasks.refresh.feeds.config import WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Later, Refused
from rarefy.tasks.refresh.feeds.origins import Place, allowed, plain

MOVED = (301, 302, 303, 307, 308)
AGENT = b"rarefy (documents by webhook)"


@dataclass(frozen=True)
class Fetched:
    """A document, unpacked."""

    content: bytes
    media_type: str  # as its server says, without parameters; "" for none
    address: str  # where it was in the end


def fetch(
    address: str,
    config: WebhookConfig,
    resolve: Resolve = system,
    clock: Callable[[], float] = time.monotonic,
    tls: ssl.SSLContext | None = None,
) -> Fetched:
    """The document at this address.

    Each hop is to a listed origin, whose addresses are all checked; the connection goes to a checked address, so that
    a name that says something else a moment later changes nothing. No proxy is used. Raises Refused where it is not
    taken, Later where another try may go well.
    """
    end = clock() + config.seconds

    def left() -> float:
        if (seconds := end - clock()) <= 0:
            raise Later(f"{plain(address)}: not here within {config.seconds:,.0f} s (feeds.webhook.seconds)")
        return seconds

    where = address
    for _ in range(config.redirects + 1):
        place = allowed(where, config.origins)
        addresses = resolved(place.host, place.port, place.private, resolve, left())
        found = _get(place, addresses, config, left, tls)
        if isinstance(found, Fetched):
            return found
        try:
            where = urljoin(place.address, found)
        except ValueError as error:  # as of http://[::1/x
            raise Refused(f"{place.told}: its server redirects to what is no address ({error})") from error
    raise Refused(f"{plain(address)}: more than {config.redirects} redirects")


def _get(
    place: Place, addresses: list[str], config: WebhookConfig, left: Callable[[], float], tls: ssl.SSLContext | None
) -> Fetched | str:
    """The document, or where the server says that it is."""
    import httpcore

    headers = [
        (b"Host", place.address.split("/")[2].encode()),
        (b"User-Agent", AGENT),
        (b"Accept-Encoding", b"gzip, identity"),
        (b"Accept", b"*/*"),
        (b"Connection", b"close"),
    ]
    backend: Any = _Pinned(addresses, left)  # httpcore asks for no more than this does
    url = httpcore.URL(
        scheme=place.scheme.encode(), host=place.host.encode(), port=place.port, target=place.target.encode()
    )
    try:
        with (
            httpcore.ConnectionPool(ssl_context=tls or _tls(), network_backend=backend, retries=0) as pool,
            pool.stream("GET", url, headers=headers) as reply,
        ):
            told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reply.headers}
            if reply.status in MOVED and told.get("location"):
                return told["location"]
            if reply.status != 200:
                said = f"{place.told}: its server answers {reply.status}"
                raise Later(said) if reply.status in (408, 425, 429) or reply.status >= 500 else Refused(said)
            _measure(told.get("content-length", ""), place, config)
            content = _unpacked(reply.iter_stream(), told.get("content-encoding", ""), place, config)
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
        left()  # where it is the time that ran out, say so
        raise Later(f"{place.told}: {type(error).__name__}: {error}") from error
    return Fetched(content, told.get("content-type", "").partition(";")[0].strip().lower(), place.address)


def _measure(length: str, place: Place, config: WebhookConfig) -> None:
    if length.isdecimal() and int(length) > config.max_bytes:
        raise Refused(_over(place, config))


def _unpacked(pieces: Iterable[bytes], encoding: str, place: Place, config: WebhookConfig) -> bytes:
    """The body, of which no more is ever held than may be taken."""
    content = bytearray()
    for piece in _decoded(pieces, encoding.strip().lower(), place, config):
        content += piece
        if len(content) > config.max_bytes:
            raise Refused(_over(place, config))
    return bytes(content)


def _decoded(pieces: Iterable[bytes], encoding: str, place: Place, config: WebhookConfig) -> Iterator[bytes]:
    if encoding in ("", "identity"):
        yield from pieces
        return
    if encoding not in ("gzip", "x-gzip"):
        raise Refused(f"{place.told}: packed as {encoding!r}, which was not asked for; gzip and identity are taken")
    unpack = zlib.decompressobj(wbits=31)
    try:
        for piece in pieces:
            while piece and not unpack.eof:
                # a few bytes may unpack to gigabytes: so much at a time, and what is left over later
                yield unpack.decompress(piece, 1 << 20)
                piece = unpack.unconsumed_tail
    except zlib.error as error:
        raise Refused(f"{place.told}: says that it is gzip and is not ({error})") from error
    if not unpack.eof:
        raise Later(f"{place.told}: its gzip breaks off")


def _over(place: Place, config: WebhookConfig) -> str:
    return f"{place.told}: over {config.max_bytes:,} bytes (feeds.webhook.max_bytes)"


def _tls() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


class _Pinned:
    """Connects to addresses that were checked, whatever the name says by now, and to the end of the time alone."""

    def __init__(self, addresses: list[str], left: Callable[[], float]) -> None:
        import httpcore

        self._addresses, self._left, self._backend = addresses, left, httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> "_Timed":
        """A connection to one of the addresses, tried in their order."""
        import httpcore

        for address in self._addresses[:-1]:
            try:
                return _Timed(self._backend.connect_tcp(address, port, self._left() / 2), self._left)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue  # the next one may answer
        return _Timed(self._backend.connect_tcp(self._addresses[-1], port, self._left()), self._left)

    def connect_unix_socket(self, path: str, timeout: float | None = None, socket_options: Any = None) -> "_Timed":
        """Never: an address leads to no file of this machine."""
        raise Refused(f"{path}: a socket of this machine")

    def sleep(self, seconds: float) -> None:
        """Nothing waits here."""


class _Timed:
    """A connection of which every read and write ends when the time for the document does."""

    def __init__(self, stream: Any, left: Callable[[], float]) -> None:
        self._stream, self._left = stream, left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Some bytes."""
        content: bytes = self._stream.read(max_bytes, self._left())
        return content

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """All of the bytes."""
        self._stream.write(buffer, self._left())

    def close(self) -> None:
        """No more."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Timed":
        """The same connection, encrypted, with the name that the address has: the certificate is for that."""
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, self._left()), self._left)

    def get_extra_info(self, info: str) -> Any:
        """What the connection knows of itself."""
        return self._stream.get_extra_info(info)
