"""BM25 and nearest vectors by Elasticsearch: one index made from the benchmark, checked against it, and searched in
batches of queries."""

import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.retrieve.analysis import elasticsearch_analysis
from rarefy.tasks.evaluate.retrieve.bm25 import DIGITS
from rarefy.tasks.evaluate.retrieve.config import DenseConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.dense import Dense, Places, Vectors, open_dense, rescore, stored_vectors
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.endpoint import read_key
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.models.llm.secrets import redacted

LOG = logging.getLogger("rarefy.retrieve")
CLIENT = "elasticsearch>=8.19,<10"  # as pyproject.toml has it
CLIENT_OF_8 = "elasticsearch>=8.19,<9"  # client 8 works with servers of 8 and 9, client 9 with those of 9
TIMEOUT = (
    30  # seconds a request, of 500 passages at most; one that a server took and then died of is sent again after it
)
PASSING = (429, 502, 503, 504)  # statuses of a server that is overloaded or starting
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0  # seconds between two tries
FIRST_ANSWER = 5.0  # seconds in which an address answers for the first time, or is taken to be wrong
_ANSWERED: set[str] = set()  # addresses of servers that this process had an answer from
Answer = TypeVar("Answer")


class _Incomplete(Exception):
    """An answer without something that the server will give later."""


class Server:
    """The server that the environment names; where it does not answer any more, it is waited for."""

    def __init__(self, endpoint: str, patience: float) -> None:
        self.endpoint, self.patience = endpoint, patience
        self.client = connect_client(endpoint)
        self.address = os.environ.get(f"{endpoint}_URL", "").strip()

    def ask(self, request: Callable[[Any], Answer]) -> Answer:
        """Return what `request` returns, which is given the client and can be repeated without harm.

        It is repeated, with growing pauses, for `patience` seconds while the server cannot be reached, is overloaded or
        starting. Unavailable, saying what to do and without any key, after that and on any other error. An address that
        has not answered yet may be a wrong one: it has FIRST_ANSWER seconds.
        """
        from elasticsearch import ApiError, TransportError

        began, waiting_since, pause = time.monotonic(), 0.0, FIRST_PAUSE
        while True:
            known = self.address in _ANSWERED
            try:
                answer = request(self.client if known else self.client.options(request_timeout=FIRST_ANSWER))
            except (ApiError, TransportError, _Incomplete) as error:
                fault, passing = self._explain(error), _is_passing(error)
                known = known or not isinstance(error, TransportError)
            else:
                _ANSWERED.add(self.address)
                return answer
            # out here: the client's error holds the request with its key
            now = time.monotonic()
            if known:
                _ANSWERED.add(self.address)
            patience = self.patience if known else min(self.patience, FIRST_ANSWER)
            if passing and not waiting_since:
                waiting_since = now if known else began
                if patience:
                    LOG.warning("Elasticsearch: %s; it is waited for, up to %g s", fault, patience)
            left = waiting_since + patience - now
            if not passing or left <= 0:
                raise Unavailable(f"Elasticsearch: {fault}")
            time.sleep(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE)

    def _explain(self, error: Exception) -> str:
        """Return what is wrong and what to do, without any key."""
        from elasticsearch import ApiError, AuthenticationException, AuthorizationException, TransportError
        from elasticsearch.exceptions import UnsupportedProductError

        if isinstance(error, AuthenticationException):
            return f"the server knows no such key; look at {self.endpoint}_API_KEY"
        if isinstance(error, AuthorizationException):
            return f"the key in {self.endpoint}_API_KEY may not do this: {_describe_error(error)}"
        if isinstance(error, UnsupportedProductError):
            return f"what answers at {self.endpoint}_URL is no Elasticsearch"
        if isinstance(error, ApiError):
            return _describe_error(error) + _fitting_client(error.body)
        if isinstance(error, TransportError):
            return (
                f"cannot be reached: {redacted(str(error))}; look at {self.endpoint}_URL and {self.endpoint}_CA_CERTS"
            )
        return redacted(str(error))


def _is_passing(error: Exception) -> bool:
    from elasticsearch import ApiError, ConnectionError, ConnectionTimeout, SSLError

    if isinstance(error, ApiError):
        return error.status_code in PASSING
    return isinstance(error, (ConnectionError, ConnectionTimeout, _Incomplete)) and not isinstance(error, SSLError)


def _fitting_client(body: Any) -> str:
    """Return how to install a client that the server understands, "" where it understands this one."""
    understood = re.search(r"version must be either version (\d+) or", json.dumps(body))
    if not understood:
        return ""
    version = understood[1]
    way = f"pip install '{CLIENT_OF_8}'" if version == "8" else "use a server of version 8 or 9"
    return f"; the server is of version {version}, which the installed client does not speak to: {way}"


def connect_client(endpoint: str) -> Any:
    """Return a client with address and key from the environment; Unavailable, saying what to do, without them."""
    url = os.environ.get(f"{endpoint}_URL", "").strip()
    if not url:
        raise Unavailable(
            f"no Elasticsearch server is named: set {endpoint}_URL (and {endpoint}_API_KEY, {endpoint}_CA_CERTS where "
            'it wants them), or retrieve with "bm25", which ranks alike'
        )
    try:
        from elasticsearch import Elasticsearch  # late: 0.5 s
    except ImportError:
        raise Unavailable(f"the Elasticsearch client is not installed: pip install '{CLIENT}'") from None
    options: dict[str, Any] = {}
    if key := read_key(f"{endpoint}_API_KEY"):
        options["api_key"] = key
    elif user := os.environ.get(f"{endpoint}_USERNAME", "").strip():
        options["basic_auth"] = (user, os.environ.get(f"{endpoint}_PASSWORD", ""))
    if authority := os.environ.get(f"{endpoint}_CA_CERTS", "").strip():
        if not Path(authority).is_file():
            raise Unavailable(f"{endpoint}_CA_CERTS names no file: {authority}")
        options["ca_certs"] = authority
    # it warns of each try that fails; Server says it once
    logging.getLogger("elastic_transport.node_pool").setLevel(logging.ERROR)
    try:
        # no tries of its own: Server has pauses between them
        return Elasticsearch(_with_port(url), request_timeout=TIMEOUT, max_retries=0, **options)
    except ValueError as error:
        raise Unavailable(f"{endpoint}_URL or its key cannot be used: {redacted(str(error))}") from None


def _describe_error(error: Any) -> str:
    """Return the server's message, with its reason where the client leaves it out."""
    message = str(error)
    body = error.body if isinstance(error.body, dict) else {}
    reason = body["error"].get("reason") if isinstance(body.get("error"), dict) else None
    return redacted(message if not reason or str(reason) in message else f"{message}: {reason}")


def _with_port(url: str) -> str:
    """Return the address with a port, which the client requires."""
    parts = urlsplit(url)
    if parts.hostname and parts.port is None and parts.scheme in ("http", "https"):
        port = 443 if parts.scheme == "https" else 9200
        return parts._replace(netloc=f"{parts.netloc}:{port}").geturl()
    return url


VERSION = 1
MADE_BY = "rarefy"  # mark in the notes of an index: no other index is ever deleted
QUERIES_PER_REQUEST = 100
PASSAGES_PER_REQUEST = 500
SLACK = 16  # passages beyond the depth, so that scores that are equal once rounded can be ordered by name


def open_elasticsearch(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext
) -> Search:
    """Return BM25 over these passages by the server of the environment; faults.Unavailable where it is not available.

    The index is named after passages and settings: a complete one is used, else it is made or completed. Then the alias
    is moved to it from the former one, in one step.
    """
    opened = _open_vectors(passages, config, cache=cache, threads=threads, means=means)
    return Elasticsearch(*open_index(passages, config, opened), config)


def open_dense_on_server(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext, own: DenseConfig
) -> Dense:
    """Return the search for the nearest passages by vectors in the index that BM25 has, too.

    The server gives candidates, which are rescored by the whole vectors in the cache, as FAISS's are.
    """
    opened = _open_vectors(passages, config, cache=cache, threads=threads, means=means)
    server, name = open_index(passages, config, opened)
    dense = opened[own.name]
    knn = {"field": _field(config, own.name), "num_candidates": own.hnsw_search}
    dense.nearest = Nearest(server, name, knn, passages.names, dense)
    return dense


def _open_vectors(passages: Passages, config: RetrieveConfig, **means: Any) -> dict[str, Dense]:
    """Return, by name, the dense retrievers that search on the server, with their whole vectors in the cache."""
    return {one.name: open_dense(passages, config, **means, own=one) for one in config.on_server()}


def open_index(passages: Passages, config: RetrieveConfig, opened: Mapping[str, Dense]) -> tuple[Server, str]:
    """Return server and name of the index of these passages and vectors, complete and under the alias."""
    own = config.elasticsearch
    vectors = {name: stored_vectors(dense.index) for name, dense in opened.items()}  # valid while `opened` is
    body = index_body(passages, config, {name: some.shape[1] for name, some in vectors.items()})
    name = f"{own.alias}-{body['mappings']['_meta']['digest']}"
    server = Server(own.endpoint, own.patience)
    server.ask(_check_server)
    fill_index(server, name, body, passages, {_field(config, one): some for one, some in vectors.items()})
    server.ask(lambda client: move_alias(client, name, own.alias, own.old))
    return server, name


def _field(config: RetrieveConfig, name: str) -> str:
    """Return the field that has the vectors of a dense retriever, whose own name may have dots."""
    return f"vector_{[one.name for one in config.dense].index(name)}"


def search_together(name: str, searches: Sequence[dict[str, Any]], client: Any) -> list[dict[str, Any]]:
    """Return the answers to these searches, headers and bodies in turn; each is complete."""
    answers: list[dict[str, Any]] = client.msearch(index=name, searches=searches)["responses"]
    if len(answers) != len(searches) // 2:
        raise Unavailable(f"Elasticsearch: {len(answers)} answers to {len(searches) // 2} searches")
    for answer in answers:
        if "error" in answer or answer.get("timed_out") or answer.get("_shards", {}).get("failed"):
            fault = answer.get("error") or {key: answer.get(key) for key in ("timed_out", "_shards")}
            said = f"index {name}: {json.dumps(fault)}"
            if "error" in answer and answer.get("status") not in PASSING:
                raise Unavailable(f"Elasticsearch, {redacted(said)}; run again to go on")
            raise _Incomplete(said)
    return answers


class Nearest:
    """The search for the nearest vectors of an index on a server."""

    def __init__(self, server: Server, name: str, knn: dict[str, Any], names: Sequence[str], dense: Dense) -> None:
        self.server, self.name, self._knn, self._dense = server, name, knn, dense
        self._places = {chunk_id: at for at, chunk_id in enumerate(names)}

    def __call__(self, vectors: Vectors, depth: int) -> tuple[Places, npt.NDArray[np.float64]]:
        """Return places and cosines (queries x depth) of the nearest, best first, equal ones by place; -1 for none."""
        depth = min(depth, len(self._places))
        wide = min(depth + SLACK, len(self._places))
        candidates = np.full((len(vectors), wide), -1, dtype=np.int64)
        for at in range(0, len(vectors), QUERIES_PER_REQUEST):
            some = vectors[at : at + QUERIES_PER_REQUEST].tolist()
            searches = [part for vector in some for part in ({}, self._search_body(vector, wide))]
            answers = self.server.ask(partial(search_together, self.name, searches))
            for row, answer in enumerate(answers, at):
                found = [self._places[hit["sort"][1]] for hit in answer["hits"]["hits"]]
                candidates[row, : len(found)] = found
        return rescore(vectors, candidates, stored_vectors(self._dense.index), depth)

    def _search_body(self, vector: Sequence[float], wide: int) -> dict[str, Any]:
        wider = max(self._knn["num_candidates"], wide)
        return {"knn": {**self._knn, "query_vector": vector, "k": wide, "num_candidates": wider}} | _hits_body(wide)


class Elasticsearch:
    """An index on a server, searched by its own name: moving the alias must not change a run."""

    def __init__(self, server: Server, name: str, config: RetrieveConfig) -> None:
        self.server, self.name = server, name
        # with word counts of all shards together, since a passage's score would else depend on its shard
        self._header = {"search_type": "dfs_query_then_fetch"} if config.elasticsearch.shards > 1 else {}
        self._factor = config.bm25.k1 + 1  # the server's scores have it, Lucene's own have not had it since version 8

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """Return the passages that share a word with each query; equal scores by chunk_id."""
        ranked: list[Ranked] = []
        for at in range(0, len(queries), QUERIES_PER_REQUEST):
            some = queries[at : at + QUERIES_PER_REQUEST]
            searches = [part for query in some for part in (self._header, _search_body(query, depth + SLACK))]
            ranked += [
                self._read(one).first(depth) for one in self.server.ask(partial(search_together, self.name, searches))
            ]
        return ranked

    def _read(self, answer: dict[str, Any]) -> Ranked:
        hits = [(round(hit["sort"][0] / self._factor, DIGITS), hit["sort"][1]) for hit in answer["hits"]["hits"]]
        hits.sort(key=lambda pair: (-pair[0], pair[1]))  # by rounded scores, as those of BM25
        return Ranked(tuple(name for _, name in hits), tuple(score for score, _ in hits))


def _search_body(query: str, size: int) -> dict[str, Any]:
    return {"query": {"match": {"body": {"query": query, "operator": "or"}}}} | _hits_body(size)


def _hits_body(size: int) -> dict[str, Any]:
    return {
        "size": size,
        "sort": [{"_score": "desc"}, {"chunk_id": "asc"}],
        "_source": False,
        "stored_fields": "_none_",  # chunk_id is among what is sorted by: twice as fast
        "track_total_hits": False,
    }


def index_body(passages: Passages, config: RetrieveConfig, dimensions: Mapping[str, int]) -> dict[str, Any]:
    """Return settings and mapping of the index, with notes on what it is made from; dimensions: by dense retriever."""
    own = config.elasticsearch
    shown = {"type": "text", "index": False}
    keyword = {"type": "keyword"}
    body: dict[str, Any] = {
        "settings": {
            "number_of_shards": own.shards,
            "number_of_replicas": own.replicas,
            "refresh_interval": "-1",  # it is refreshed once, when all is in it
            "max_result_window": max(10_000, config.depth, config.hybrid.window) + SLACK,
            "analysis": elasticsearch_analysis(config.analysis),
            "similarity": {"words": {"type": "BM25", "k1": config.bm25.k1, "b": config.bm25.b}},
        },
        "mappings": {
            "dynamic": "strict",
            "_source": {"excludes": ["body"]},
            "properties": {
                "chunk_id": keyword,
                "doc_id": keyword,
                "entity": keyword,
                "domain": keyword,
                "kind": keyword,
                "title": shown,
                "section": shown,
                "text": shown,
                "body": {"type": "text", "analyzer": "words", "similarity": "words", "index_options": "freqs"},
            },
        },
    }
    on_server = config.on_server()
    for one in on_server:
        body["mappings"]["properties"][_field(config, one.name)] = {
            "type": "dense_vector",
            "dims": dimensions[one.name],
            "similarity": "dot_product",  # they have length 1
            "index_options": {"type": one.server_index, "m": one.hnsw_links, "ef_construction": one.hnsw_build},
        }
    body["mappings"]["_source"]["excludes"] += [_field(config, one.name) for one in on_server]
    models = [one.embed.identity() for one in on_server]
    content = json.dumps([VERSION, passages.digest, body, models], sort_keys=True)
    digest = hashlib.blake2b(content.encode(), digest_size=8).hexdigest()
    body["mappings"]["_meta"] = {
        "made_by": MADE_BY,
        "digest": digest,
        "passages": passages.digest,
        "count": len(passages.names),
    }
    return body


def _check_server(client: Any) -> None:
    """Ask for something with a body in its answer, where a server of another version says what is wrong."""
    from elasticsearch import AuthorizationException

    # a key for some indexes alone may not ask this
    with suppress(AuthorizationException):
        client.info()


def fill_index(
    server: Server, name: str, body: dict[str, Any], passages: Passages, vectors: Mapping[str, Vectors]
) -> None:
    """Create the index of this name and add all passages; Unavailable where it holds anything else.

    Passages are created, never overwritten: deleted copies would count among the words, and those that another process
    or an earlier try added stay.
    """
    notes = server.ask(lambda client: _create_index(client, name, body))
    if notes != body["mappings"]["_meta"]:
        raise Unavailable(f"Elasticsearch: index {name} was made by something else; delete it, or change the alias")
    count = server.ask(lambda client: _count_passages(client, name))
    if count < len(passages.names):
        every = range(len(passages.names))
        for at in every[::PASSAGES_PER_REQUEST]:
            actions = _bulk_actions(name, passages, vectors, every[at : at + PASSAGES_PER_REQUEST])
            server.ask(partial(_add_passages, name, list(actions)))
        count = server.ask(lambda client: _count_passages(client, name))
    if count != len(passages.names):
        raise Unavailable(
            f"Elasticsearch: index {name} holds {count:,} passages of {len(passages.names):,}; delete it and run again"
        )


def _create_index(client: Any, name: str, body: dict[str, Any]) -> Any:
    """Create the index unless there is one; return the notes in its mapping."""
    from elasticsearch import BadRequestError

    if not client.indices.exists(index=name):
        try:
            client.indices.create(index=name, **body)
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":  # another process was faster
                raise
    return client.indices.get_mapping(index=name)[name]["mappings"].get("_meta", {})


def _count_passages(client: Any, name: str) -> int:
    client.indices.refresh(index=name)
    answer = client.count(index=name)
    shards = answer["_shards"]
    if shards["successful"] < shards["total"]:
        raise _Incomplete(f"index {name}: {shards['successful']} of {shards['total']} shards were counted")
    return int(answer["count"])


def _add_passages(name: str, actions: Sequence[dict[str, Any]], client: Any) -> None:
    from elasticsearch import helpers

    for good, item in helpers.streaming_bulk(client, actions, raise_on_error=False):
        answer = item["create"]
        if not good and answer.get("status") != 409:  # it is there
            why = json.dumps(answer.get("error") or answer)
            said = f"index {name}: passage {answer.get('_id')} was not taken: {why}"
            if answer.get("status") in PASSING:
                raise _Incomplete(said)
            raise Unavailable(f"Elasticsearch, {redacted(said)}")


def _bulk_actions(
    name: str, passages: Passages, vectors: Mapping[str, Vectors], places: range
) -> Iterator[dict[str, Any]]:
    for at in places:
        chunk_id = passages.names[at]
        chunk = passages.chunks[chunk_id]
        yield {
            "_op_type": "create",
            "_index": name,
            "_id": chunk_id,
            "chunk_id": chunk_id,
            "doc_id": chunk.doc_id,
            "entity": chunk.entity,
            "domain": chunk.domain,
            "kind": chunk.kind,
            "title": chunk.title,
            "section": chunk.section,
            "text": chunk.text,
            "body": passages.texts[at],
            **{field: some[at].tolist() for field, some in vectors.items()},
        }


def move_alias(client: Any, name: str, alias: str, old: str) -> None:
    """Point the alias to this index alone, in one step; Unavailable where an index has the alias's name."""
    from elasticsearch import NotFoundError

    try:
        before = client.indices.get_alias(name=alias)
    except NotFoundError:
        if client.indices.exists(index=alias):
            raise Unavailable(f"Elasticsearch: {alias} is an index; choose another elasticsearch.alias") from None
        before = {}
    left = sorted(set(before) - {name})
    if not left and name in before:
        return
    actions: list[dict[str, Any]] = [{"add": {"index": name, "alias": alias}}]
    for index in left:
        ours = client.indices.get_mapping(index=index)[index]["mappings"].get("_meta", {}).get("made_by") == MADE_BY
        if old == "delete" and ours:
            actions.append({"remove_index": {"index": index}})
        else:
            # it may be gone: where an answer is lost, the client asks again
            actions.append({"remove": {"index": index, "alias": alias, "must_exist": False}})
    client.indices.update_aliases(actions=actions)
