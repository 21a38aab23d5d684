"""Which addresses may be connected to when somebody else says where (server-side request forgery)."""

import ipaddress
import queue
import socket
import threading
from collections.abc import Callable, Sequence

from rarefy.tasks.refresh.feeds.faults import Later, Refused

Resolve = Callable[[str, int], Sequence[str]]

# where clouds tell machines their credentials, if not link-local: Azure (a public address), AWS (IPv6), Alibaba, Oracle
METADATA = {
    ipaddress.ip_address(place)
    for place in (
        "169.254.169.254",
        "168.63.129.16",
        "fd00:ec2::254",
        "100.100.100.200",
        "192.0.0.192",
        "169.254.170.2",
    )
}
# within the global unicast space of IPv6, and not to be reached as such: Teredo and the like, documentation, 6to4
NOT_GLOBAL = [ipaddress.ip_network(net) for net in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")]
UNICAST = ipaddress.ip_network("2000::/3")
CARRIED = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96")]  # NAT64; IPv4-compatible


def unfit(address: str, private: bool = False) -> str:
    """Why this address is not to be connected to; "" where it may be.

    Public ones may; with `private` those of this machine and network too, and never multicast or a cloud's metadata.
    """
    try:
        place = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "no address"
    inside = _carried(place)
    if inside is not None:  # an IPv4 address in the clothes of an IPv6 one is judged as what it is
        return unfit(str(inside), private) or ("" if private else "an IPv4 address inside an IPv6 one")
    if place in METADATA:
        return "where a cloud keeps a machine's credentials"
    if place.is_multicast or place.is_unspecified or (place.version == 4 and place.is_reserved):
        return "multicast, unspecified or reserved"
    if private:
        return ""
    if place.version == 6 and (place not in UNICAST or any(place in net for net in NOT_GLOBAL)):
        return "not a public address"
    return "" if place.is_global else "not a public address"


def _carried(place: "ipaddress.IPv4Address | ipaddress.IPv6Address") -> "ipaddress.IPv4Address | None":
    if isinstance(place, ipaddress.IPv4Address):
        return None
    if place.ipv4_mapped is not None:
        return place.ipv4_mapped
    if place.sixtofour is not None:
        return place.sixtofour
    if any(place in net for net in CARRIED) and int(place) > 1:  # :: and ::1 are what they are
        return ipaddress.IPv4Address(int(place) & 0xFFFFFFFF)
    return None


def resolved(host: str, port: int, private: bool, resolve: Resolve, seconds: float) -> list[str]:
    """The addresses of a host, all of them fit; Refused names one that is not, Later a host that has none now."""
    answer: queue.SimpleQueue[Sequence[str] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(resolve(host, port))
        except Exception as error:  # told by the one who waits
            answer.put(error)

    threading.Thread(target=ask, daemon=True).start()  # the system's resolver knows no time limit
    try:
        found = answer.get(timeout=max(seconds, 0.001))
    except queue.Empty:
        raise Later(f"{host}: its name is not resolved in time") from None
    if isinstance(found, Exception):
        raise Later(f"{host}: its name cannot be resolved ({found})") from found
    if not found:
        raise Later(f"{host}: no address")
    for address in found:
        if why := unfit(address, private):
            raise Refused(f"{host} is {address}: {why}; it is not connected to")
    return list(dict.fromkeys(found))


def system(host: str, port: int) -> list[str]:
    """What the system says of a host."""
    return [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
