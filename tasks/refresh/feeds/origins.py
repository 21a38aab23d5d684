"""From where documents may be fetched: the origins of a list, and nothing that only looks like one."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from rarefy.tasks.refresh.feeds.config import OriginConfig
from rarefy.tasks.refresh.feeds.faults import Refused

LONGEST = 2000  # letters of an address


@dataclass(frozen=True, slots=True)
class Place:
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
        """The address as it may be told."""
        return plain(self.address)


def plain(address: str) -> str:
    """An address without its query, which may be a key: storage hands out addresses that open whatever they name."""
    head, mark, _ = address.partition("#")[0].partition("?")
    return f"{head}?…" if mark else head


def allowed(address: str, origins: Sequence[OriginConfig]) -> Place:
    """The parts of an address of one of these origins; Refused says why it is none."""
    if len(address) > LONGEST:
        raise Refused(f"an address of {len(address):,} letters; {LONGEST:,} are taken")
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
    for one in origins:
        if one.origin == origin:
            return Place(parts.scheme, host, port, _target(parts), one.private)
    raise Refused(f"{origin} is not among the origins of [feeds.webhook]; list it there if it may be fetched from")


def _target(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _origin(scheme: str, host: str, port: int) -> str:
    place = f"[{host}]" if ":" in host else host
    return f"{scheme}://{place}" + ("" if port == {"https": 443, "http": 80}[scheme] else f":{port}")
