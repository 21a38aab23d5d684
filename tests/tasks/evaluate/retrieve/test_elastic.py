"""Elasticsearch: what is asked of a server, what comes of its faults, and that a real one ranks as bm25s does."""

import os
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.bm25 import open_bm25
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.elastic import Elasticsearch, open_elasticsearch
from rarefy.tasks.evaluate.retrieve.search import Passages
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Unavailable

Lucene = Mapping[str, Mapping[str, float]]


def made(chunks: Mapping[str, Chunk], **told: Any) -> Elasticsearch:
    config = RetrieveConfig.model_validate({"retrievers": ("elasticsearch",), **told})
    passages = Passages(chunks, config.titled)
    search = open_elasticsearch(passages, config, cache=Path("unused"), threads=1, means=InferenceContext())
    assert isinstance(search, Elasticsearch)
    return search


def test_an_index_is_made_filled_refreshed_and_aliased_once(server: Any, chunks: dict[str, Chunk]) -> None:
    first = made(chunks)
    assert server.seen[:3] == ["GET /", f"HEAD /{first.name}", f"PUT /{first.name}"]
    order = [one for one in server.seen if one in ("PUT /_bulk", f"POST /{first.name}/_refresh", "POST /_aliases")]
    assert order.index("PUT /_bulk") < order.index("POST /_aliases") and order[-2:] == [
        f"POST /{first.name}/_refresh",
        "POST /_aliases",
    ]
    assert server.aliases == {"rarefy": {first.name}}
    assert set(server.indices[first.name]["docs"]) == set(chunks)
    server.seen.clear()
    assert made(dict(reversed(chunks.items()))).name == first.name
    assert "PUT /_bulk" not in server.seen and "POST /_aliases" not in server.seen


def test_the_mapping_is_strict_and_says_what_the_index_is_of(server: Any, chunks: dict[str, Chunk]) -> None:
    name = made(chunks, bm25={"k1": 0.9, "b": 0.4}).name
    index = server.indices[name]
    assert index["settings"]["similarity"] == {"words": {"type": "BM25", "k1": 0.9, "b": 0.4}}
    assert index["mappings"]["dynamic"] == "strict"
    assert index["mappings"]["_meta"]["count"] == len(chunks)
    document = index["docs"]["c1"]
    assert set(document) == set(index["mappings"]["properties"])
    assert document["body"] == document["text"] == chunks["c1"].text


def test_the_server_ranks_as_lucene_and_bm25s_do(
    server: Any, chunks: dict[str, Chunk], lucene: Lucene, tmp_path: Path
) -> None:
    found = made(chunks)(list(lucene), 100)
    for ranked, told in zip(found, lucene.values(), strict=True):
        assert list(ranked.chunk_ids) == list(told)
    config = RetrieveConfig(retrievers=("bm25",))
    own = open_bm25(Passages(chunks, True), config, cache=tmp_path, threads=1, means=InferenceContext())
    assert own(list(lucene), 100) == found
    assert made(chunks)(["sales"], 2) == [found_by.first(2) for found_by in own(["sales"], 100)]


def test_a_new_version_of_the_chunks_takes_the_alias_over_in_one_step(server: Any, chunks: dict[str, Chunk]) -> None:
    old = made(chunks).name
    newer = {**chunks, "c9": Chunk("c9", "d", 0, 4, "text", "", "Loan losses rose.", 0)}
    new = made(newer).name
    assert new != old and server.aliases["rarefy"] == {new} and old in server.indices
    (swap,) = [body for body in server.bodies if body and "actions" in body and len(body["actions"]) == 2]
    assert {kind: told["index"] for action in swap["actions"] for kind, told in action.items()} == {
        "add": new,
        "remove": old,
    }
    assert made(newer)(["loan losses"], 5)[0].chunk_ids == ("c9",)


def test_the_old_index_goes_only_where_that_is_asked_for_and_it_was_made_here(
    server: Any, chunks: dict[str, Chunk]
) -> None:
    old = made(chunks).name
    server.indices["theirs"] = {"mappings": {}, "docs": {}}
    server.aliases["rarefy"].add("theirs")
    new = made({"c1": chunks["c1"]}, elasticsearch={"old": "delete"}).name
    assert set(server.indices) == {new, "theirs"} and server.aliases["rarefy"] == {new}
    assert old not in server.indices


def test_an_index_that_was_left_half_filled_is_finished(server: Any, chunks: dict[str, Chunk]) -> None:
    name = made(chunks).name
    del server.indices[name]["docs"]["c3"]
    again = made(chunks)
    assert again.name == name and set(server.indices[name]["docs"]) == set(chunks)
    assert again(["federal funds"], 5)[0].chunk_ids == ("c3", "c4")


def test_a_busy_server_is_asked_again(server: Any, chunks: dict[str, Chunk]) -> None:
    server.busy = 2
    name = made(chunks).name
    assert set(server.indices[name]["docs"]) == set(chunks)
    assert server.seen.count("PUT /_bulk") == 3


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"refuses": "c2"}, "passage c2 was not taken"),
        ({"forgets": 1}, "holds 7 passages of 8"),
        ({"product": "OpenSearch"}, "no Elasticsearch"),
        ({"version": 8}, "of version 9, and so must the server be"),
        ({"key": "another"}, "ELASTICSEARCH_API_KEY"),
    ],
)
def test_what_is_wrong_with_a_server_is_said_without_the_key(
    server: Any, chunks: dict[str, Chunk], fault: dict[str, Any], said: str
) -> None:
    key = server.key
    for name, value in fault.items():
        setattr(server, name, value)
    with pytest.raises(Unavailable, match=said) as raised:
        made(chunks)
    assert key not in str(raised.value)


def test_a_key_that_may_use_indexes_and_nothing_else_is_enough(server: Any, chunks: dict[str, Chunk]) -> None:
    server.narrow = True
    assert made(chunks)(["federal funds"], 5)[0].chunk_ids == ("c3", "c4")


def test_a_search_that_fails_stops_the_stage(server: Any, chunks: dict[str, Chunk]) -> None:
    search = made(chunks)
    server.broken = "all shards failed"
    with pytest.raises(Unavailable, match="all shards failed"):
        search(["sales"], 5)


def test_an_alias_that_is_an_index_is_left_alone(server: Any, chunks: dict[str, Chunk]) -> None:
    server.indices["rarefy"] = {"mappings": {}, "docs": {"x": {}}}
    with pytest.raises(Unavailable, match="rarefy is an index"):
        made(chunks)
    assert server.indices["rarefy"]["docs"] == {"x": {}}


def test_an_index_of_somebody_else_under_the_same_name_is_not_touched(server: Any, chunks: dict[str, Chunk]) -> None:
    name = made(chunks).name
    server.indices[name]["mappings"]["_meta"] = {"made_by": "another"}
    with pytest.raises(Unavailable, match="made by something else"):
        made(chunks)


def test_several_shards_count_their_words_together(server: Any, chunks: dict[str, Chunk]) -> None:
    made(chunks, elasticsearch={"shards": 3})(["sales", "rate"], 5)
    searches = server.bodies[-1]
    assert [one["search_type"] for one in searches[::2]] == ["dfs_query_then_fetch"] * 2


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("URL", "", "set ELASTICSEARCH_URL"),
        ("URL", "nonsense", "ELASTICSEARCH_URL"),
        ("URL", "http://127.0.0.1:1", "cannot be reached"),
        ("CA_CERTS", "nowhere.pem", "ELASTICSEARCH_CA_CERTS names no file"),
        ("API_KEY", "a “quoted” key", "ELASTICSEARCH_API_KEY"),
    ],
)
def test_an_environment_that_names_no_server_is_told(
    server: Any,
    chunks: dict[str, Chunk],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    said: str,
) -> None:
    monkeypatch.setenv(f"ELASTICSEARCH_{variable}", value)
    monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.elastic.RETRIES", 0)
    with pytest.raises(Unavailable, match=said):
        made(chunks)


def test_a_certificate_of_ones_own_is_trusted_and_others_are_not(
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not _certified(tmp_path):
        pytest.skip("openssl is not here to make a certificate with")
    import ssl
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = b'{"error": {"type": "illegal_argument_exception", "reason": "reached over TLS"}, "status": 400}'
            self.send_response(400)
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=9")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    http.socket = context.wrap_socket(http.socket, server_side=True)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.elastic.RETRIES", 0)
    monkeypatch.delenv("ELASTICSEARCH_API_KEY", raising=False)
    monkeypatch.setenv("ELASTICSEARCH_URL", f"https://localhost:{http.server_port}")
    monkeypatch.delenv("ELASTICSEARCH_CA_CERTS", raising=False)
    try:
        with pytest.raises(Unavailable, match=r"cannot be reached.*ELASTICSEARCH_CA_CERTS"):
            made(chunks)
        monkeypatch.setenv("ELASTICSEARCH_CA_CERTS", str(tmp_path / "server.pem"))
        with pytest.raises(Unavailable, match="reached over TLS"):
            made(chunks)
    finally:
        http.shutdown()
        http.server_close()


def _certified(place: Path) -> bool:
    """A certificate for localhost that signs itself, where openssl is at hand."""
    import shutil
    import subprocess

    if not shutil.which("openssl"):
        return False
    told = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost".split()
    files = ["-keyout", str(place / "server.key"), "-out", str(place / "server.pem")]
    return subprocess.run(["openssl", *told, *files], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not os.environ.get("ELASTICSEARCH_URL"), reason="ELASTICSEARCH_URL names no server to test with")
def test_a_real_server_ranks_as_bm25s_does(chunks: dict[str, Chunk], lucene: Lucene, tmp_path: Path) -> None:
    alias = f"rarefy-test-{uuid.uuid4().hex[:12]}"
    drawn = {**chunks}
    for at in range(300):
        rose = f"income {'rose ' * (at % 60)}in {2000 + at % 25}"
        text = f"Segment {at} sold {at * 7 % 13} units; rate {at % 5} percent, {rose}"
        drawn[f"n{at:03d}"] = Chunk(f"n{at:03d}", "d", 0, len(text), "text", "", text, 0)
    queries = [*lucene, "income rose in 2004", "units sold by segment 17", "the rate of percent"]
    own = open_bm25(Passages(drawn, True), RetrieveConfig(), cache=tmp_path, threads=1, means=InferenceContext())(
        queries, 100
    )
    search = made(drawn, elasticsearch={"alias": alias, "old": "delete"})
    try:
        for mine, theirs in zip(own, search(queries, 100), strict=True):
            assert theirs.scores == pytest.approx(mine.scores, abs=2e-5)
            different = [pair for pair in zip(mine.chunk_ids, theirs.chunk_ids, strict=True) if pair[0] != pair[1]]
            score = dict(zip(*mine, strict=True))
            assert all(score.get(one) == pytest.approx(score.get(other), abs=2e-5) for one, other in different)
        newer = made({"c1": chunks["c1"]}, elasticsearch={"alias": alias, "old": "delete"})
        assert list(search.client.indices.get_alias(name=alias)) == [newer.name]
        assert not search.client.indices.exists(index=search.name)
    finally:
        search.client.indices.delete(index=f"{alias}-*", ignore_unavailable=True, expand_wildcards="all")
