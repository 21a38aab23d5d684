"""Elasticsearch: a real server ranks as bm25s does, whatever happens to it; what is said of one that does not fit.

The real one is started where Maven, a JDK and its launcher are at hand, or is the one that ELASTICSEARCH_URL names. Of
security, other versions and other products, of which it has none, canned answers stand here.
"""

import gc
import itertools
import json
import re
import threading
import urllib.error
import urllib.request
import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import machines
import numpy as np
import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve import elastic
from rarefy.tasks.evaluate.retrieve.bm25 import open_bm25
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.elastic import Elasticsearch, Server, connect_client, open_elasticsearch
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Unavailable

Lucene = Mapping[str, Mapping[str, float]]
MODULE = "rarefy.tasks.evaluate.retrieve.elastic"
SALES = Chunk("c9", "d", 0, 4, "text", "", "Loan losses rose.", 0)


@pytest.fixture(scope="module")
def started() -> Iterator[machines.SearchServer]:
    with machines.elasticsearch() as server:
        yield server


@pytest.fixture
def server(started: machines.SearchServer, monkeypatch: pytest.MonkeyPatch) -> machines.SearchServer:
    monkeypatch.setenv("ELASTICSEARCH_URL", started.address)
    return started


@pytest.fixture
def alias(server: machines.SearchServer) -> Iterator[str]:
    """A name of this test's own; indexes that have it are deleted, one by one: servers refuse to delete by pattern."""
    name = f"rarefy-test-{uuid.uuid4().hex[:12]}"
    yield name
    indices = connect_client("ELASTICSEARCH").indices
    for index in indices.get(index=f"*{name}*", expand_wildcards="all"):
        indices.delete(index=index)


def made(chunks: Mapping[str, Chunk], alias: str = "unused", **told: Any) -> Elasticsearch:
    own = {"alias": alias, **told.pop("elasticsearch", {})}
    config = RetrieveConfig.model_validate({"retrievers": ("elasticsearch",), "elasticsearch": own, **told})
    passages = Passages(chunks, config.titled)
    search = open_elasticsearch(passages, config, cache=Path("unused"), threads=1, means=InferenceContext())
    assert isinstance(search, Elasticsearch)
    return search


def of_bm25(chunks: Mapping[str, Chunk], queries: list[str], depth: int, cache: Path) -> list[Ranked]:
    search = open_bm25(Passages(chunks, True), RetrieveConfig(), cache=cache, threads=1, means=InferenceContext())
    return list(search(queries, depth))


def drawn_chunks(count: int) -> dict[str, Chunk]:
    chunks = {}
    for at in range(count):
        rose = f"income {'rose ' * (at % 60)}in {2000 + at % 25}"
        text = f"Segment {at} sold {at * 7 % 13} units; rate {at % 5} percent, {rose}; İçecek, ΟΔΟΣ"
        chunks[f"n{at:04d}"] = Chunk(f"n{at:04d}", "d", 0, len(text), "text", "", text, 0)
    return chunks


QUERIES = ["income rose in 2004", "units sold by segment 17", "the rate of percent", "İçecek", "οδοσ", "zebra"]


def embedded(texts: Sequence[str], role: str) -> Any:
    """Unit vectors of texts, by the letters that they have."""
    vectors = np.zeros((len(texts), 64), dtype=np.float32)
    for row, text in enumerate(texts):
        for at, letter in enumerate(text):
            vectors[row, (ord(letter) * 7 + at % 5) % 64] += 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def assert_alike(mine: list[Ranked], theirs: list[Ranked]) -> None:
    """The same passages in the same order but for ties: the fifth decimal depends on how float32 numbers were added."""
    for one, other in zip(mine, theirs, strict=True):
        assert other.scores == pytest.approx(one.scores, abs=2e-5)
        score = dict(zip(*one, strict=True))
        different = [pair for pair in zip(one.chunk_ids, other.chunk_ids, strict=True) if pair[0] != pair[1]]
        assert all(
            score[name] == pytest.approx(score.get(instead, score[name]), abs=2e-5) for name, instead in different
        )
        assert len(set(other.chunk_ids)) == len(other.chunk_ids)


@pytest.mark.server
@pytest.mark.parametrize("shards", [1, 3])
def test_a_real_server_ranks_as_lucene_and_bm25s_do(
    server: Any, alias: str, chunks: dict[str, Chunk], lucene: Lucene, shards: int, tmp_path: Path
) -> None:
    search = made(chunks, alias, elasticsearch={"shards": shards})
    for ranked, told in zip(search(list(lucene), 100), lucene.values(), strict=True):
        assert dict(zip(*ranked, strict=True)) == pytest.approx(told, abs=1e-5)
        assert list(ranked.chunk_ids) == list(told)
    many = {**chunks, **drawn_chunks(300)}
    search = made(many, alias, elasticsearch={"shards": shards})
    for depth in (7, 100):
        assert_alike(of_bm25(many, QUERIES, depth, tmp_path), list(search(QUERIES, depth)))


@pytest.mark.server
def test_an_index_is_filled_once_and_finished_where_it_was_left(
    server: Any, alias: str, chunks: dict[str, Chunk]
) -> None:
    first = made(chunks, alias, bm25={"k1": 0.9, "b": 0.4})
    client, name = first.server.client, first.name
    index = client.indices.get(index=name)[name]
    assert list(index["aliases"]) == [alias]
    words = index["settings"]["index"]["similarity"]["words"]
    assert (words["type"], float(words["k1"]), float(words["b"])) == ("BM25", 0.9, 0.4)
    assert index["mappings"]["dynamic"] == "strict" and index["mappings"]["_meta"]["count"] == len(chunks)
    assert client.get(index=name, id="c1")["_source"]["text"] == chunks["c1"].text

    def added() -> int:
        return int(client.indices.stats(index=name)["_all"]["primaries"]["indexing"]["index_total"])

    before = added()
    assert made(dict(reversed(chunks.items())), alias, bm25={"k1": 0.9, "b": 0.4}).name == name
    assert added() == before
    client.delete(index=name, id="c3")
    again = made(chunks, alias, bm25={"k1": 0.9, "b": 0.4})
    assert again.name == name and again(["federal funds"], 5)[0].chunk_ids == ("c3", "c4")
    client.index(index=name, id="another", document={"chunk_id": "another", "body": "sales"}, refresh=True)
    with pytest.raises(Unavailable, match="holds 9 passages of 8; delete it and run again"):
        made(chunks, alias, bm25={"k1": 0.9, "b": 0.4})


@pytest.mark.server
def test_the_alias_moves_and_the_old_index_goes_where_that_is_asked_for_and_it_was_made_here(
    server: Any, alias: str, chunks: dict[str, Chunk]
) -> None:
    old = made(chunks, alias)
    indices = old.server.client.indices
    newer = made({**chunks, "c9": SALES}, alias)
    assert list(indices.get_alias(name=alias)) == [newer.name] != [old.name]
    assert newer(["loan losses"], 5)[0].chunk_ids == ("c9",)
    assert old(["loan losses"], 5)[0].chunk_ids == () and indices.exists(index=old.name)
    theirs = f"theirs-{alias}"
    indices.create(index=theirs, aliases={alias: {}})
    newest = made({"c1": chunks["c1"]}, alias, elasticsearch={"old": "delete"})
    assert list(indices.get_alias(name=alias)) == [newest.name]
    assert not indices.exists(index=newer.name) and indices.exists(index=theirs)


@pytest.mark.server
def test_what_is_not_ours_is_left_alone_and_said(server: Any, alias: str, chunks: dict[str, Chunk]) -> None:
    search = made(chunks, alias)
    client, name = search.server.client, search.name
    client.indices.put_mapping(index=name, meta={"made_by": "another"})
    with pytest.raises(Unavailable, match="made by something else"):
        made(chunks, alias)
    client.indices.create(index=f"{alias}-index")
    with pytest.raises(Unavailable, match="is an index; choose another"):
        made(chunks, f"{alias}-index")
    with pytest.raises(Unavailable, match=r"passage c9 was not taken.*failed to parse field"):
        made({"c9": Chunk("c9", "d" * 40_000, 0, 4, "text", "", "Loan losses rose.", 0)}, alias)
    client.indices.close(index=name)
    with pytest.raises(Unavailable, match=r"index_closed_exception.*run again"):
        search(["sales"], 5)


@pytest.mark.server
def test_the_refusal_of_a_client_of_another_version_is_understood(server: machines.SearchServer) -> None:
    strange = {"Accept": "application/vnd.elasticsearch+json; compatible-with=7"}
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(urllib.request.Request(server.address, headers=strange))
    assert re.match(r"; the server is of version \d+, ", elastic._fitting_client(json.load(raised.value)))


@pytest.mark.server
@pytest.mark.parametrize("kind", ["hnsw", "int8_hnsw", "bbq_hnsw"])
def test_vectors_of_the_server_are_found_as_those_of_faiss(
    server: Any, alias: str, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(EmbedConfig, "connect", lambda *_, **__: embedded)
    chunks = drawn_chunks(200)
    queries = [f"Segment {n} sold {n} units" for n in range(40)]
    told = {"elasticsearch": {"alias": alias}, "hybrid": {"of": ["elasticsearch", "dense"]}}
    here = RetrieveConfig(retrievers=("dense",)).connect(tmp_path).over(chunks)(queries, [20] * 40)
    dense = [{"index": "elasticsearch", "server_index": kind}]
    config = RetrieveConfig.model_validate({"retrievers": ["dense", "hybrid"], "dense": dense, **told})
    search = config.connect(tmp_path).over(chunks)
    there = search(queries, [20] * 40)
    assert there["dense"] == here["dense"] and len(there["hybrid"]) == 40
    assert search.remarks() == [f"dense: elasticsearch-{kind}, recall against every passage compared 1.0000 at 100"]
    (index,) = connect_client("ELASTICSEARCH").indices.get(index=f"{alias}-*")
    assert search.searches["elasticsearch"].name == search.searches["dense"].nearest.name == index


@pytest.mark.parametrize("retriever", ["elasticsearch", "dense"])
def test_vectors_lie_open_for_as_long_as_the_index_is_filled(
    retriever: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """FAISS gives its memory and no copy of it: what was closed by then would be filled in as chance has it."""
    monkeypatch.setattr(EmbedConfig, "connect", lambda *_, **__: embedded)
    opened, alive, open_dense = list[weakref.ref[Any]](), list[bool](), elastic.open_dense

    def noted(*given: Any, **more: Any) -> Any:
        dense = open_dense(*given, **more)
        opened.append(weakref.ref(dense))
        return dense

    def fill(*_: Any) -> None:
        gc.collect()
        alive.extend(one() is not None for one in opened)
        opened.clear()

    monkeypatch.setattr(elastic, "open_dense", noted)
    monkeypatch.setattr(elastic, "fill_index", fill)
    monkeypatch.setattr(Server, "__init__", lambda *_: None)
    monkeypatch.setattr(Server, "ask", lambda *_: None)
    of = {"retrievers": [retriever, "hybrid"], "dense": [{"index": "elasticsearch"}]}
    config = RetrieveConfig.model_validate({**of, "hybrid": {"of": ["elasticsearch", "dense"]}})
    config.connect(tmp_path).over(drawn_chunks(20))
    assert len(alive) > 1 and all(alive)


@pytest.mark.server
@pytest.mark.crash
def test_a_server_that_is_killed_and_started_again_changes_no_hit(
    server: machines.SearchServer,
    alias: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    if server.process is None:
        pytest.skip("ELASTICSEARCH_URL names a server that is not ours to kill")
    monkeypatch.setattr(f"{MODULE}.PASSAGES_PER_REQUEST", 50)
    monkeypatch.setattr(f"{MODULE}.QUERIES_PER_REQUEST", 2)

    def kill_at(place: int, real: Callable[..., Any]) -> Callable[..., Any]:
        turns = itertools.count()

        def call(*told: Any, **more: Any) -> Any:
            if next(turns) == place:
                server.restart()
            return real(*told, **more)

        return call

    chunks = drawn_chunks(600)
    with monkeypatch.context() as filling:
        filling.setattr(elastic, "_add_passages", kill_at(5, elastic._add_passages))
        search = made(chunks, alias)
    assert caplog.text.count("it is waited for, up to 120 s") == 1
    before = list(search(QUERIES, 100))
    assert_alike(of_bm25(chunks, QUERIES, 100, tmp_path), before)
    monkeypatch.setattr(elastic, "search_together", kill_at(1, elastic.search_together))
    assert list(search(QUERIES, 100)) == before
    assert caplog.text.count("it is waited for") == 2


def test_an_overloaded_server_is_asked_again_after_growing_pauses_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig
    from elasticsearch import ApiError

    clock = [1000.0]
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock[0] += seconds

    monkeypatch.setattr(f"{MODULE}.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(f"{MODULE}.time.sleep", sleep)
    monkeypatch.setenv("ELASTICSEARCH_URL", "http://127.0.0.1:1")
    node = NodeConfig("http", "127.0.0.1", 1)
    answers = [429, 503, 200]

    def request(_: Any) -> int:
        status = answers.pop(0) if len(answers) > 1 else answers[0]
        if status != 200:
            raise ApiError("no", ApiResponseMeta(status, "1.1", HttpHeaders(), 0.0, node), {"error": "busy"})
        return status

    assert Server("ELASTICSEARCH", 60).ask(request) == 200
    assert pauses == [0.5, 1.0] and caplog.text.count("it is waited for, up to 60 s") == 1
    answers[:] = [503]
    pauses.clear()
    with pytest.raises(Unavailable, match="503"):
        Server("ELASTICSEARCH", 60).ask(request)
    assert sum(pauses) == 60 and max(pauses) == 5
    answers[:] = [400]
    pauses.clear()
    with pytest.raises(Unavailable, match="400"):
        Server("ELASTICSEARCH", 60).ask(request)
    assert not pauses


def test_an_address_that_never_answered_is_given_up_soon_and_one_that_did_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(elastic, "_ANSWERED", set())
    monkeypatch.setattr(f"{MODULE}.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(f"{MODULE}.time.sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    with canned(lambda path: (200, "nothing_wrong", "")) as http:
        address = f"http://127.0.0.1:{http.server_port}"
        monkeypatch.setenv("ELASTICSEARCH_URL", "http://127.0.0.1:1")
        with pytest.raises(Unavailable, match="cannot be reached"):
            Server("ELASTICSEARCH", 120).ask(elastic._check_server)
        assert clock[0] == 1000 + elastic.FIRST_ANSWER
        monkeypatch.setenv("ELASTICSEARCH_URL", address)
        Server("ELASTICSEARCH", 120).ask(elastic._check_server)
    clock[0] = 2000.0
    with pytest.raises(Unavailable, match="cannot be reached"):  # another of that address: it has answered
        Server("ELASTICSEARCH", 120).ask(elastic._check_server)
    assert clock[0] == 2120


@contextmanager
def canned(answer: Callable[[str], tuple[int, str, str]]) -> Iterator[HTTPServer]:
    """A server that answers each path with a status, a type of error and a reason."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, reason = answer(self.path)
            product = "Elasticsearch" if kind else "OpenSearch"
            error = {"type": kind, "reason": f"not {kind}", "caused_by": {"reason": reason}}
            content = json.dumps({"error": error, "status": status} if kind else {"version": {}}).encode()
            self.send_response(status)
            self.send_header("X-Elastic-Product", product)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    http = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield http
    finally:
        http.shutdown()
        http.server_close()


# what a server of version 8.19 says of a request that client 9 made
OLD = "Accept version must be either version 8 or 7, but found 9. Accept=application/vnd.elasticsearch+json;"
NARROW = "action [cluster:monitor/main] is unauthorized"


@pytest.mark.parametrize(
    ("root", "elsewhere", "said"),
    [
        ((400, "media_type_header_exception", OLD), None, r"pip install 'elasticsearch>=8\.19,<9'"),
        ((200, "", ""), None, "no Elasticsearch"),
        ((401, "security_exception", "no such key"), None, "ELASTICSEARCH_API_KEY"),
        # a key for indexes alone may not ask what the server is, and need not
        ((403, "security_exception", NARROW), (400, "illegal_argument_exception", "reached"), "BadRequestError"),
    ],
)
def test_what_is_wrong_with_a_server_is_said_without_the_key(
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, root: Any, elsewhere: Any, said: str
) -> None:
    key = "c2VjcmV0LWtleS1vZi10aGUtdGVzdA=="
    monkeypatch.setenv("ELASTICSEARCH_API_KEY", key)
    with canned(lambda path: root if path == "/" or not elsewhere else elsewhere) as http:
        monkeypatch.setenv("ELASTICSEARCH_URL", f"http://127.0.0.1:{http.server_port}")
        with pytest.raises(Unavailable, match=said) as raised:
            made(chunks)
    assert key not in str(raised.value)


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
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv("ELASTICSEARCH_URL", "http://127.0.0.1:1")
    monkeypatch.setenv(f"ELASTICSEARCH_{variable}", value)
    with pytest.raises(Unavailable, match=said):
        made(chunks, elasticsearch={"patience": 0})


def test_a_certificate_of_ones_own_is_trusted_and_others_are_not(
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not _certified(tmp_path):
        pytest.skip("openssl is not here to make a certificate with")
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    with canned(lambda path: (400, "illegal_argument_exception", "")) as http:
        http.socket = context.wrap_socket(http.socket, server_side=True)
        monkeypatch.delenv("ELASTICSEARCH_API_KEY", raising=False)
        monkeypatch.setenv("ELASTICSEARCH_URL", f"https://localhost:{http.server_port}")
        monkeypatch.delenv("ELASTICSEARCH_CA_CERTS", raising=False)
        with pytest.raises(Unavailable, match=r"cannot be reached.*ELASTICSEARCH_CA_CERTS"):  # at once: nothing waits
            made(chunks)
        monkeypatch.setenv("ELASTICSEARCH_CA_CERTS", str(tmp_path / "server.pem"))
        with pytest.raises(Unavailable, match="not illegal_argument_exception"):
            made(chunks)


def _certified(place: Path) -> bool:
    """A certificate for localhost that signs itself, where openssl is at hand."""
    import shutil
    import subprocess

    if not shutil.which("openssl"):
        return False
    told = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost".split()
    files = ["-keyout", str(place / "server.key"), "-out", str(place / "server.pem")]
    return subprocess.run(["openssl", *told, *files], capture_output=True, check=False).returncode == 0
