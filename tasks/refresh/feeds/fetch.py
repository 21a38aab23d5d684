"""Fetch a document whose address somebody else names: listed origins, checked IP addresses, limited size and time."""

import ipaddress
import queue
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from rarefy.tasks.refresh.feeds.config import OriginConfig, WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Refused, TryLater

MAX_ADDRESS = 2000  # letters of an address
MOVED = (301, 302, 303, 307, 308)
AGENT = b"rarefy (documents by webhook)"
# Where clouds give machines their credentials: link-local, Azure (a public address), AWS (IPv6), Alibaba, Oracle
_METADATA = "169.254.169.254 168.63.129.16 fd00:ec2::254 100.100.100.200 192.0.0.192 169.254.170.2"
METADATA = set(map(ipaddress.ip_address, _METADATA.split()))
# Within the global unicast space of IPv6, and yet not public: Teredo and the like, documentation, 6to4
NOT_GLOBAL = [ipaddress.ip_network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
UNICAST = ipaddress.ip_network("2000::/3")
# NAT64, and IPv4-compatible addresses
EMBEDS_IPV4 = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")]
Resolver = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True)
class Fetched:
    """A document, unpacked."""

    content: bytes
    media_type: str  # as its server says, without parameters; "" for none
    address: str  # where it was in the end


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be fetched, in its parts."""

    scheme: str
    host: str
    port: int
    target: str  # path and query
    private: bool

    @property
    def address(self) -> str:
        """The address as a person writes it."""
        return f"{_origin(self.scheme, self.host, self.port)}{self.target}"

    @property
    def told(self) -> str:
        """The address for messages, without its query."""
        return without_query(self.address)


def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system's resolver gives them."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def fetch(
    address: str,
    config: WebhookConfig,
    resolve: Resolver = resolve_host,
    clock: Callable[[], float] = time.monotonic,
    tls: ssl.SSLContext | None = None,
) -> Fetched:
    """The document at this address.

    Each hop is to a listed origin, whose addresses are all checked; the connection goes to a checked address, so that
    a name that says something else a moment later changes nothing. No proxy is used. Raises Refused where it is not
    taken, TryLater where another try may go well.
    """
    end = clock() + config.seconds

    def left() -> float:
        if (seconds := end - clock()) <= 0:
            raise TryLater(f"{without_query(address)}: not here within {config.seconds:,.0f} s (feeds.webhook.seconds)")
        return seconds

    where = address
    for _ in range(config.redirects + 1):
        place = check_origin(where, config.origins)
        addresses = resolve_allowed(place.host, place.port, place.private, resolve, left())
        reply = _get(place, addresses, config, left, tls)
        if isinstance(reply, Fetched):
            return reply
        try:
            where = urljoin(place.address, reply)
        except ValueError as error:  # as of http://[::1/x
            raise Refused(f"{place.told}: its server redirects to what is no address ({error})") from error
    raise Refused(f"{without_query(address)}: more than {config.redirects} redirects")


def _get(
    place: Target, addresses: list[str], config: WebhookConfig, left: Callable[[], float], tls: ssl.SSLContext | None
) -> Fetched | str:
    """The document, or the address that the server redirects to."""
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
            fields = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in reply.headers}
            if reply.status in MOVED and fields.get("location"):
                return fields["location"]
            if reply.status != 200:
                fault = f"{place.told}: its server answers {reply.status}"
                raise TryLater(fault) if reply.status in (408, 425, 429) or reply.status >= 500 else Refused(fault)
            length = fields.get("content-length", "")
            if length.isdecimal() and int(length) > config.max_bytes:
                raise Refused(_over(place, config))
            content = _read_body(reply.iter_stream(), fields.get("content-encoding", ""), place, config)
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as error:
        left()  # where it is the time that ran out, say so
        raise TryLater(f"{place.told}: {type(error).__name__}: {error}") from error
    return Fetched(content, fields.get("content-type", "").partition(";")[0].strip().lower(), place.address)


def _read_body(pieces: Iterable[bytes], encoding: str, place: Target, config: WebhookConfig) -> bytes:
    """The decoded body; reading stops as soon as it is over the limit."""
    content = bytearray()
    for piece in _decode(pieces, encoding.strip().lower(), place, config):
        content += piece
        if len(content) > config.max_bytes:
            raise Refused(_over(place, config))
    return bytes(content)


def _decode(pieces: Iterable[bytes], encoding: str, place: Target, config: WebhookConfig) -> Iterator[bytes]:
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
        raise TryLater(f"{place.told}: its gzip breaks off")


def _over(place: Target, config: WebhookConfig) -> str:
    return f"{place.told}: over {config.max_bytes:,} bytes (feeds.webhook.max_bytes)"


def _tls() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


class _Pinned:
    """A network backend that connects to the checked addresses only, whatever the name resolves to by now."""

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
        """Refuse: an address leads to no file of this machine."""
        raise Refused(f"{path}: a socket of this machine")

    def sleep(self, seconds: float) -> None:
        """Do nothing: no retries are made here."""


class _Timed:
    """A connection whose reads and writes end when the time for the document does."""

    def __init__(self, stream: Any, left: Callable[[], float]) -> None:
        self._stream, self._left = stream, left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read up to so many bytes."""
        content: bytes = self._stream.read(max_bytes, self._left())
        return content

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write all of the bytes."""
        self._stream.write(buffer, self._left())

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Timed":
        """The same connection, encrypted; the certificate must be for the name in the address."""
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, self._left()), self._left)

    def get_extra_info(self, info: str) -> Any:
        """A property of the connection, for httpcore."""
        return self._stream.get_extra_info(info)


def check_origin(address: str, origins: Sequence[OriginConfig]) -> Target:
    """The parts of an address that is of one of these origins; Refused where it is of none."""
    if len(address) > MAX_ADDRESS:
        raise Refused(f"an address of {len(address):,} letters; {MAX_ADDRESS:,} are taken")
    if not address.isascii() or any(ord(letter) <= 32 or letter in '\\"<>^`{|}\x7f' for letter in address):
        raise Refused(
            "the address has letters that no address may have; percent-encode them, and write a host in ASCII"
        )
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError as error:
        raise Refused(f"no address: {error}") from error
    if parts.scheme not in ("https", "http"):
        raise Refused(
            f"{parts.scheme or 'no scheme'}: only https is fetched, or http where an origin is listed with it"
        )
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise Refused("an address with a user or password; credentials are no part of an address here")
    if not parts.hostname:
        raise Refused("an address without a host")
    host, port = parts.hostname.lower().rstrip("."), port or {"https": 443, "http": 80}[parts.scheme]
    origin = _origin(parts.scheme, host, port)
    for listed in origins:
        if listed.origin == origin:
            return Target(parts.scheme, host, port, _target(parts), listed.private)
    raise Refused(f"{origin} is not among the origins of [feeds.webhook]; list it there if it may be fetched from")


def without_query(address: str) -> str:
    """An address without its query, which may be a key: storage hands out addresses that open whatever they name."""
    head, mark, _ = address.partition("#")[0].partition("?")
    return f"{head}?…" if mark else head


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _origin(scheme: str, host: str, port: int) -> str:
    place = f"[{host}]" if ":" in host else host
    return f"{scheme}://{place}" + ("" if port == {"https": 443, "http": 80}[scheme] else f":{port}")


def resolve_allowed(host: str, port: int, private: bool, resolve: Resolver, seconds: float) -> list[str]:
    """The addresses of a host, all of them allowed; Refused names one that is not, TryLater a host without any."""
    answer: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolve(host, port))
        except Exception as error:  # raised by the thread that waits
            answer.put(error)

    threading.Thread(target=ask, daemon=True).start()  # the system's resolver knows no time limit
    try:
        addresses = answer.get(timeout=max(seconds, 0.001))
    except queue.Empty:
        raise TryLater(f"{host}: its name is not resolved in time") from None
    if isinstance(addresses, Exception):
        raise TryLater(f"{host}: its name cannot be resolved ({addresses})") from addresses
    if not addresses:
        raise TryLater(f"{host}: no address")
    for address in addresses:
        if why := address_fault(address, private):
            raise Refused(f"{host} is {address}: {why}; it is not connected to")
    return list(dict.fromkeys(addresses))


def address_fault(address: str, private: bool = False) -> str:
    """Why an IP address must not be connected to (server-side request forgery); "" where it may be.

    Public addresses may; with `private` those of this machine and network too, never multicast or a cloud's metadata.
    """
    try:
        place = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "no address"
    inside = _embedded_ipv4(place)
    if inside is not None:  # an IPv4 address inside an IPv6 one is judged as what it is
        return address_fault(str(inside), private) or ("" if private else "an IPv4 address inside an IPv6 one")
    if place in METADATA:
        return "where a cloud keeps a machine's credentials"
    if place.is_multicast or place.is_unspecified or (place.version == 4 and place.is_reserved):
        return "multicast, unspecified or reserved"
    if private:
        return ""
    if place.version == 6 and (place not in UNICAST or any(place in net for net in NOT_GLOBAL)):
        return "not a public address"
    return "" if place.is_global else "not a public address"


def _embedded_ipv4(place: "ipaddress.IPv4Address | ipaddress.IPv6Address") -> "ipaddress.IPv4Address | None":
    if isinstance(place, ipaddress.IPv4Address):
        return None
    if place.ipv4_mapped is not None:
        return place.ipv4_mapped
    if place.sixtofour is not None:
        return place.sixtofour
    if any(place in net for net in EMBEDS_IPV4) and int(place) > 1:  # :: and ::1 are what they are
        return ipaddress.IPv4Address(int(place) & 0xFFFFFFFF)
    return None
