"""Documents that were named and wait to be fetched."""

import hashlib
import json
import time

import pytest

from rarefy.tasks.refresh.feeds import arrivals
from rarefy.tasks.refresh.feeds.arrivals import Payload, parse_payload
from rarefy.tasks.refresh.feeds.config import OriginConfig, WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Refused, TryLater
from rarefy.tasks.refresh.feeds.fetch import Fetched
from rarefy.tasks.store.tables import Store

ADDRESS = "https://docs.example.com/a.html"
PAGE = b"<p>A document.</p>"
CONFIG = WebhookConfig(origins=(OriginConfig(origin="https://docs.example.com"),), tries=3)


@pytest.fixture
def fetched(monkeypatch):
    """What a fetch gives, one after the other."""
    came: list[Fetched | Exception] = []

    def fetch(address, config, resolve):
        one = came.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    monkeypatch.setattr(arrivals, "fetch", fetch)
    return came


def page(content: bytes = PAGE) -> Fetched:
    return Fetched(content, "text/html", ADDRESS)


def test_a_payload_says_an_address_and_may_say_an_id_and_a_digest():
    digest = "a" * 64
    told = parse_payload(json.dumps({"address": ADDRESS, "id": "one", "sha256": digest}).encode())
    assert told == Payload(address=ADDRESS, id="one", sha256=digest)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 10_000, "no JSON"),
        (b"[]", "the body: "),
        (b"{}", "address: Field required"),
        (b'{"address": ""}', "address: "),
        (b'{"address": 3}', "address: "),
        (b'{"address": "x", "path": "../x"}', "path: Extra inputs"),
        (b'{"address": "x", "sha256": "abc"}', "sha256: "),
        (b'{"address": "x", "id": "' + b"i" * 501 + b'"}', "id: "),
        (b'{"address": "' + b"a" * 2001 + b'"}', "address: "),
    ],
)
def test_what_is_no_payload_is_told_why(body, why):
    with pytest.raises(ValueError, match=why):
        parse_payload(body)


def test_what_was_written_down_waits_until_it_is_done_and_counts_once(tmp_path):
    store, named = Store(tmp_path), Payload(address=ADDRESS)
    now = int(time.time())
    assert arrivals.save_arrival(store, "line", "aa", now, named)
    assert arrivals.save_arrival(store, "line", "bb", now - 5, named)
    assert not arrivals.save_arrival(store, "line", "aa", now, named), "a replay"
    assert [name for name, _ in arrivals.list_waiting(store, "line")] == ["bb", "aa"]
    arrivals.mark_done(store, "line", "bb", arrivals.load_arrival(store, "line", "bb"), "added")
    assert [name for name, _ in arrivals.list_waiting(store, "line")] == ["aa"]
    assert not arrivals.save_arrival(store, "line", "bb", now, named), "a replay of what was dealt with"
    assert arrivals.list_waiting(store, "another") == []


def test_a_replay_is_seen_in_a_bucket_too():
    """An object store takes equal content for its own: no two notes are equal."""
    store, named = Store("memory://arrivals-of-this-test"), Payload(address=ADDRESS)
    assert arrivals.save_arrival(store, "line", "aa", 1, named)
    assert not arrivals.save_arrival(store, "line", "aa", 1, named)
    first = arrivals.Arrival(at=1, token="x", payload=named)
    assert first.model_dump_json() != arrivals.load_arrival(store, "line", "aa").model_dump_json()


def test_what_is_done_is_forgotten_after_a_week_and_what_waits_never(tmp_path):
    store, named = Store(tmp_path), Payload(address=ADDRESS)
    old = int(time.time()) - 8 * 86400
    for name in ("aa", "bb"):
        arrivals.save_arrival(store, "line", name, old, named)
    arrivals.mark_done(store, "line", "aa", arrivals.load_arrival(store, "line", "aa"), "added")
    store.write("feeds/arrivals/line/cc.json", b"{half")
    assert [name for name, _ in arrivals.list_waiting(store, "line")] == ["bb"]
    assert sorted(path.name for path in (tmp_path / "feeds" / "arrivals" / "line").iterdir()) == ["bb.json", "cc.json"]


def test_a_document_lands_under_its_id_in_the_folder_for_arrivals(tmp_path, fetched):
    fetched += [page(), page(), page(b"<p>Another version.</p>")]
    named = Payload(address=ADDRESS, id="report-1")
    came = [arrivals.fetch_into_corpus(named, tmp_path, CONFIG) for _ in range(3)]
    assert came == [(what, "arrived/report-1.html") for what in ("added", "unchanged", "edited")]
    assert (tmp_path / "arrived" / "report-1.html").read_bytes() == b"<p>Another version.</p>"


def test_a_document_that_is_not_the_one_announced_is_refused(tmp_path, fetched):
    digest = hashlib.sha256(PAGE).hexdigest()
    fetched += [page(), page(b"<p>Swapped.</p>")]
    named = Payload(address=ADDRESS, sha256=digest.upper())
    assert arrivals.fetch_into_corpus(named, tmp_path, CONFIG)[0] == "added"
    with pytest.raises(Refused, match=f"{digest} was announced"):
        arrivals.fetch_into_corpus(named, tmp_path, CONFIG)
    assert [path.read_bytes() for path in (tmp_path / "arrived").iterdir()] == [PAGE]


def test_a_server_that_does_not_answer_is_tried_as_often_as_the_config_says(tmp_path, fetched):
    slept: list[float] = []
    fetched += [TryLater("away"), TryLater("away"), page()]
    assert arrivals.fetch_into_corpus(Payload(address=ADDRESS), tmp_path, CONFIG, sleep=slept.append)[0] == "added"
    assert slept == [2, 4]
    fetched += [TryLater("away")] * 3
    with pytest.raises(TryLater):
        arrivals.fetch_into_corpus(Payload(address=ADDRESS), tmp_path, CONFIG, sleep=slept.append)
    fetched[:] = [Refused("no")]
    with pytest.raises(Refused):
        arrivals.fetch_into_corpus(Payload(address=ADDRESS), tmp_path, CONFIG, sleep=slept.append)
    assert slept == [2, 4, 2, 4]


def test_nothing_is_written_where_a_document_is_refused(tmp_path, fetched):
    fetched.append(Fetched(b"MZ\x90", "text/html", ADDRESS))
    with pytest.raises(Refused, match="a program"):
        arrivals.fetch_into_corpus(Payload(address=ADDRESS, id="x"), tmp_path, CONFIG)
    assert list(tmp_path.iterdir()) == []
