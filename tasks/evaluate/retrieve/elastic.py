"""BM25 by Elasticsearch: an index made from the benchmark, checked against it, and searched in batches of queries."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rarefy.tasks.evaluate.retrieve.analysis import elasticsearch_analysis
from rarefy.tasks.evaluate.retrieve.bm25 import DIGITS
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.endpoint import read_key
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.models.llm.secrets import redacted

TIMEOUT = 120  # seconds a request: filling a slow server takes long
RETRIES = 5
RETRIED = (429, 502, 503, 504)


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
        raise Unavailable("the Elasticsearch client is not installed: pip install 'rarefy[retrieval]'") from None
    options: dict[str, Any] = {}
    if key := read_key(f"{endpoint}_API_KEY"):
        options["api_key"] = key
    elif user := os.environ.get(f"{endpoint}_USERNAME", "").strip():
        options["basic_auth"] = (user, os.environ.get(f"{endpoint}_PASSWORD", ""))
    if authority := os.environ.get(f"{endpoint}_CA_CERTS", "").strip():
        if not Path(authority).is_file():
            raise Unavailable(f"{endpoint}_CA_CERTS names no file: {authority}")
        options["ca_certs"] = authority
    try:
        return Elasticsearch(
            _with_port(url),
            request_timeout=TIMEOUT,
            max_retries=RETRIES,
            retry_on_timeout=True,
            retry_on_status=RETRIED,
            **options,
        )
    except ValueError as error:
        raise Unavailable(f"{endpoint}_URL or its key cannot be used: {redacted(str(error))}") from None


@contextmanager
def raise_unavailable(endpoint: str) -> Iterator[None]:
    """Turn exceptions of the client into Unavailable, saying what to do, without any key."""
    from elasticsearch import ApiError, AuthenticationException, AuthorizationException, TransportError
    from elasticsearch.exceptions import UnsupportedProductError

    fault = ""
    try:
        yield
    except AuthenticationException:
        fault = f"the server knows no such key; look at {endpoint}_API_KEY"
    except AuthorizationException as error:
        fault = f"the key in {endpoint}_API_KEY may not do this: {_describe_error(error)}"
    except UnsupportedProductError:
        fault = f"what answers at {endpoint}_URL is no Elasticsearch"
    except ApiError as error:
        media = "media_type" in str(error) or "compatible-with" in str(error)
        fault = _describe_error(error) + ("; the client is of version 9, and so must the server be" if media else "")
    except TransportError as error:
        fault = f"cannot be reached: {redacted(str(error))}; look at {endpoint}_URL and {endpoint}_CA_CERTS"
    if fault:  # out here: the client's error holds the request with its key
        raise Unavailable(f"Elasticsearch: {fault}")


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
QUERIES_PER_REQUEST = 100  # per request


def open_elasticsearch(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext
) -> Search:
    """Return BM25 over these passages by the server of the environment; faults.Unavailable where it is not available.

    The index is named after passages and settings: a complete one is used, else it is made or completed. Then the alias
    is moved to it from the former one, in one step.
    """
    own = config.elasticsearch
    body = index_body(passages, config)
    name = f"{own.alias}-{body['mappings']['_meta']['digest']}"
    with raise_unavailable(own.endpoint):
        client = connect_client(own.endpoint)
        _check_server(client)
        fill_index(client, name, body, passages)
        move_alias(client, name, own.alias, own.old)
    return Elasticsearch(client, name, own.endpoint, own.shards)


class Elasticsearch:
    """An index on a server, searched by its own name: moving the alias must not change a run."""

    def __init__(self, client: Any, name: str, endpoint: str, shards: int) -> None:
        self.client, self.name, self._endpoint = client, name, endpoint
        # with word counts of all shards together, since a passage's score would else depend on its shard
        self._header = {"search_type": "dfs_query_then_fetch"} if shards > 1 else {}

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """Return the passages that share a word with each query; equal scores by chunk_id."""
        ranked: list[Ranked] = []
        for at in range(0, len(queries), QUERIES_PER_REQUEST):
            some = queries[at : at + QUERIES_PER_REQUEST]
            searches = [part for query in some for part in (self._header, _search_body(query, depth))]
            with raise_unavailable(self._endpoint):
                answer = self.client.msearch(index=self.name, searches=searches)
            if len(answer["responses"]) != len(some):
                raise Unavailable(f"Elasticsearch: {len(answer['responses'])} answers to {len(some)} searches")
            ranked += [self._read(one) for one in answer["responses"]]
        return ranked

    def _read(self, answer: dict[str, Any]) -> Ranked:
        if "error" in answer or answer.get("timed_out") or answer.get("_shards", {}).get("failed"):
            fault = answer.get("error") or {key: answer.get(key) for key in ("timed_out", "_shards")}
            raise Unavailable(f"Elasticsearch, index {self.name}: {redacted(json.dumps(fault))}; run again to go on")
        hits = [(round(float(hit["sort"][0]), DIGITS), hit["sort"][1]) for hit in answer["hits"]["hits"]]
        hits.sort(key=lambda pair: (-pair[0], pair[1]))  # by rounded scores, as those of BM25
        return Ranked(tuple(name for _, name in hits), tuple(score for score, _ in hits))


def _search_body(query: str, depth: int) -> dict[str, Any]:
    return {
        "query": {"match": {"body": {"query": query, "operator": "or"}}},
        "size": depth,
        "sort": [{"_score": "desc"}, {"chunk_id": "asc"}],
        "_source": False,
        "track_total_hits": False,
    }


def index_body(passages: Passages, config: RetrieveConfig) -> dict[str, Any]:
    """Return settings and mapping of the index, with notes on what it is made from."""
    own = config.elasticsearch
    shown = {"type": "text", "index": False}
    keyword = {"type": "keyword"}
    body: dict[str, Any] = {
        "settings": {
            "number_of_shards": own.shards,
            "number_of_replicas": own.replicas,
            "refresh_interval": "-1",  # it is refreshed once, when all is in it
            "max_result_window": max(10_000, config.depth, config.hybrid.window),
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
    content = json.dumps([VERSION, passages.digest, body], sort_keys=True)
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


def fill_index(client: Any, name: str, body: dict[str, Any], passages: Passages) -> None:
    """Create the index of this name and add all passages; Unavailable where it holds anything else.

    Passages are created, never overwritten: deleted copies would count among the words, and those that another process
    or an earlier try added stay.
    """
    from elasticsearch import BadRequestError

    if not client.indices.exists(index=name):
        try:
            client.indices.create(index=name, **body)
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":  # another process was faster
                raise
    notes = client.indices.get_mapping(index=name)[name]["mappings"].get("_meta", {})
    if notes != body["mappings"]["_meta"]:
        raise Unavailable(f"Elasticsearch: index {name} was made by something else; delete it, or change the alias")
    if _count_passages(client, name) < len(passages.names):
        _index_passages(client, name, passages)
    count = _count_passages(client, name)
    if count != len(passages.names):
        raise Unavailable(
            f"Elasticsearch: index {name} holds {count:,} passages of {len(passages.names):,}; delete it and run again"
        )


def _count_passages(client: Any, name: str) -> int:
    client.indices.refresh(index=name)
    return int(client.count(index=name)["count"])


def _index_passages(client: Any, name: str, passages: Passages) -> None:
    from elasticsearch import helpers

    actions = _bulk_actions(name, passages)
    for good, item in helpers.streaming_bulk(client, actions, raise_on_error=False, max_retries=6, max_backoff=60):
        answer = item["create"]
        if not good and answer.get("status") != 409:  # it is there
            why = redacted(json.dumps(answer.get("error") or answer))
            raise Unavailable(f"Elasticsearch, index {name}: passage {answer.get('_id')} was not taken: {why}")


def _bulk_actions(name: str, passages: Passages) -> Iterator[dict[str, Any]]:
    for chunk_id, text in zip(passages.names, passages.texts, strict=True):
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
            "body": text,
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
