"""Addresses that look like those of a listed origin."""

import pytest

from rarefy.tasks.refresh.feeds.config import OriginConfig
from rarefy.tasks.refresh.feeds.faults import Refused
from rarefy.tasks.refresh.feeds.fetch import check_origin

LISTED = [
    OriginConfig(origin="https://docs.example.com"),
    OriginConfig(origin="http://10.0.0.5:8080", private=True),
    OriginConfig(origin="https://[2606:4700::1111]:8443"),
]


@pytest.mark.parametrize(
    ("address", "host", "port", "target"),
    [
        ("https://docs.example.com/a/b.htm?x=1#part", "docs.example.com", 443, "/a/b.htm?x=1"),
        ("https://docs.example.com:443", "docs.example.com", 443, "/"),
        ("HTTPS://DOCS.Example.COM./a", "docs.example.com", 443, "/a"),
        ("http://10.0.0.5:8080/x", "10.0.0.5", 8080, "/x"),
        ("https://[2606:4700::1111]:8443/x", "2606:4700::1111", 8443, "/x"),
    ],
)
def test_addresses_of_listed_origins_are_allowed(address, host, port, target):
    place = check_origin(address, LISTED)
    assert (place.host, place.port, place.target) == (host, port, target)


def test_only_the_origin_that_says_so_is_private():
    assert check_origin("http://10.0.0.5:8080/", LISTED).private
    assert not check_origin("https://docs.example.com/", LISTED).private


@pytest.mark.parametrize(
    "address",
    [
        "https://elsewhere.com/",
        "http://docs.example.com/",  # not with http
        "https://docs.example.com:8443/",
        "https://docs.example.com.evil.com/",
        "https://evil.com/docs.example.com",
        "https://evildocs.example.com/",
        "https://docs.example.com@evil.com/",
        "https://evil.com@docs.example.com/",
        "https://user:secret@docs.example.com/",
        "https://@docs.example.com/",
        "https://docs.example.com\\@evil.com/",
        "https://docs.example.com\t.evil.com/",
        "https://docs.example.com /",
        "https://docs.example.com/\r\nX-Header: 1",
        "https://docs。example。com/",
        "https://dоcs.example.com/",  # a Cyrillic o
        "https:///docs.example.com/",
        "https:docs.example.com/",
        "//docs.example.com/",
        "file:///etc/passwd",
        "ftp://docs.example.com/",
        "gopher://docs.example.com/",
        "data:text/plain,x",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://127.1/",
        "https://docs.example.com:99999/",
        "https://docs.example.com:port/",
        "https://[docs.example.com/",
        "https://docs.example.com/" + "a" * 2000,
        "",
    ],
)
def test_what_only_looks_like_one_is_refused(address):
    with pytest.raises(Refused):
        check_origin(address, LISTED)


def test_nothing_is_allowed_where_nothing_is_listed():
    with pytest.raises(Refused, match="not among the origins"):
        check_origin("https://docs.example.com/", ())


@pytest.mark.parametrize(
    "origin",
    ["docs.example.com", "https://docs.example.com/", "https://*", "https://u@h", "ftp://h", "https://h:x", ""],
)
def test_what_is_no_origin_cannot_be_listed(origin):
    with pytest.raises(ValueError, match="scheme, host and port"):
        OriginConfig(origin=origin)


def test_an_origin_s_own_port_and_letter_case_do_not_matter():
    assert OriginConfig(origin="HTTPS://Docs.Example.com:443").origin == "https://docs.example.com"
    assert OriginConfig(origin="http://h:80").origin == "http://h"
