"""Which addresses may be connected to."""

import threading

import pytest

from rarefy.tasks.refresh.feeds.faults import Refused, TryLater
from rarefy.tasks.refresh.feeds.fetch import address_fault, resolve_allowed

# by name, so that a failure says which door stood open
CLOSED = {
    "loopback": "127.0.0.1",
    "all of loopback": "127.8.9.10",
    "this host": "0.0.0.0",
    "private 10": "10.1.2.3",
    "private 172": "172.16.0.1",
    "private 192": "192.168.1.1",
    "link-local and metadata": "169.254.169.254",
    "link-local": "169.254.1.1",
    "task metadata": "169.254.170.2",
    "Alibaba's metadata in carrier-grade NAT": "100.100.100.200",
    "carrier-grade NAT": "100.64.0.1",
    "end of carrier-grade NAT": "100.127.255.255",
    "Azure's wire server, a public address": "168.63.129.16",
    "Oracle's metadata": "192.0.0.192",
    "multicast": "224.0.0.1",
    "broadcast": "255.255.255.255",
    "reserved": "240.0.0.1",
    "benchmarking": "198.18.0.1",
    "documentation": "203.0.113.5",
    "loopback, 6": "::1",
    "unspecified, 6": "::",
    "link-local, 6": "fe80::1",
    "link-local with a zone": "fe80::1%eth0",
    "unique local": "fd12:3456::1",
    "AWS's metadata, 6": "fd00:ec2::254",
    "site-local": "fec0::1",
    "multicast, 6": "ff02::1",
    "documentation, 6": "2001:db8::1",
    "Teredo": "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "loopback, mapped": "::ffff:127.0.0.1",
    "metadata, mapped": "::ffff:169.254.169.254",
    "private, mapped, in hexadecimal": "::ffff:a00:1",
    "loopback, compatible": "::127.0.0.1",
    "loopback by NAT64": "64:ff9b::7f00:1",
    "metadata by NAT64": "64:ff9b::169.254.169.254",
    "a network's own NAT64": "64:ff9b:1::a00:1",
    "loopback by 6to4": "2002:7f00:1::",
    "public by 6to4": "2002:808:808::1",
    "public by NAT64": "64:ff9b::808:808",
    "public, mapped": "::ffff:8.8.8.8",
    "segment routing": "5f00::1",
    "new documentation": "3fff::1",
    "no address": "example.com",
}
OPEN = ["8.8.8.8", "23.62.10.5", "2606:4700::1111", "2a00:1450:4001::200e"]
NEVER = [name for name, place in CLOSED.items() if "metadata" in name or "multicast" in name or "wire" in name]


@pytest.mark.parametrize("name", CLOSED)
def test_what_is_not_public_is_not_connected_to(name):
    assert address_fault(CLOSED[name])


@pytest.mark.parametrize("place", OPEN)
def test_what_is_public_is(place):
    assert address_fault(place) == ""


@pytest.mark.parametrize(
    "place", ["127.0.0.1", "10.1.2.3", "192.168.1.1", "::1", "fd12:3456::1", "100.64.0.1", "8.8.8.8"]
)
def test_an_origin_that_is_listed_as_private_may_be_of_this_network(place):
    assert address_fault(place, private=True) == ""


@pytest.mark.parametrize("name", [*NEVER, "this host", "broadcast"])
def test_no_listing_opens_a_cloud_s_metadata_or_multicast(name):
    assert address_fault(CLOSED[name], private=True)


def test_one_address_of_a_host_that_is_not_public_closes_all():
    with pytest.raises(Refused, match=r"docs\.example\.com is 10\.0\.0\.1: not a public address"):
        resolve_allowed("docs.example.com", 443, False, lambda host, port: ["8.8.8.8", "10.0.0.1"], 5)


def test_a_host_s_addresses_come_in_their_order_and_once():
    assert resolve_allowed("h", 443, False, lambda host, port: ["8.8.8.8", "9.9.9.9", "8.8.8.8"], 5) == [
        "8.8.8.8",
        "9.9.9.9",
    ]


def test_a_host_without_address_may_have_one_later():
    def fails(host, port):
        raise OSError("Name or service not known")

    with pytest.raises(TryLater, match="cannot be resolved"):
        resolve_allowed("h", 443, False, fails, 5)
    with pytest.raises(TryLater, match="no address"):
        resolve_allowed("h", 443, False, lambda host, port: [], 5)


def test_a_resolver_that_says_nothing_holds_nobody_up():
    stop = threading.Event()
    with pytest.raises(TryLater, match="in time"):
        resolve_allowed("h", 443, False, lambda host, port: [str(stop.wait(60))], 0.05)
    stop.set()
