"""BM25 by Elasticsearch: an index made from the benchmark, held against it, and searched many queries a request."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rarefy.tasks.evaluate.retrieve.analysis import settings
from rarefy.tasks.evaluate.retrieve.bm25 import DIGITS
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.elastic_client import connected, unavailable
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.models.llm.secrets import redacted

VERSION = 1
MADE_BY = "rarefy"  # in an index's own notes: no other is ever deleted
TOGETHER = 100  # queries a request


def elasticsearch(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext
) -> Search:
    """BM25 over these passages by the server in the environment; faults.Unavailable where it cannot be had.

    The index is named after passages and settings. Where it stands whole it is used; where it does not, it is made or
    finished. Then the alias is moved to it, away from what it was before, in one step.
    """
    own = config.elasticsearch
    body = index_body(passages, config)
    name = f"{own.alias}-{body['mappings']['_meta']['digest']}"
    with unavailable(own.endpoint):
        client = connected(own.endpoint)
        _greeted(client)
        filled(client, name, body, passages)
        aliased(client, name, own.alias, own.old)
    return Elasticsearch(client, name, own.endpoint, own.shards)


class Elasticsearch:
    """An index on a server.

    Searches go to the index by its name and not through the alias, so that nobody who moves the alias changes a run.
    """

    def __init__(self, client: Any, name: str, endpoint: str, shards: int) -> None:
        self.client, self.name, self._endpoint = client, name, endpoint
        # word counts of all shards together, or the same passage would score otherwise in each
        self._header = {"search_type": "dfs_query_then_fetch"} if shards > 1 else {}

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """The passages that share a word with each query; equal scores by chunk_id."""
        ranked: list[Ranked] = []
        for at in range(0, len(queries), TOGETHER):
            some = queries[at : at + TOGETHER]
            searches = [part for query in some for part in (self._header, _search(query, depth))]
            with unavailable(self._endpoint):
                answer = self.client.msearch(index=self.name, searches=searches)
            if len(answer["responses"]) != len(some):
                raise Unavailable(f"Elasticsearch: {len(answer['responses'])} answers to {len(some)} searches")
            ranked += [self._read(one) for one in answer["responses"]]
        return ranked

    def _read(self, answer: dict[str, Any]) -> Ranked:
        if "error" in answer or answer.get("timed_out") or answer.get("_shards", {}).get("failed"):
            told = answer.get("error") or {key: answer.get(key) for key in ("timed_out", "_shards")}
            raise Unavailable(f"Elasticsearch, index {self.name}: {redacted(json.dumps(told))}; run again to go on")
        found = [(round(float(hit["sort"][0]), DIGITS), hit["sort"][1]) for hit in answer["hits"]["hits"]]
        found.sort(key=lambda pair: (-pair[0], pair[1]))  # by what is told of a score, as bm25s's are
        return Ranked(tuple(name for _, name in found), tuple(score for score, _ in found))


def _search(query: str, depth: int) -> dict[str, Any]:
    return {
        "query": {"match": {"body": {"query": query, "operator": "or"}}},
        "size": depth,
        "sort": [{"_score": "desc"}, {"chunk_id": "asc"}],
        "_source": False,
        "track_total_hits": False,
    }


def index_body(passages: Passages, config: RetrieveConfig) -> dict[str, Any]:
    """Settings and mapping of the index, with its own notes on what it is of."""
    own = config.elasticsearch
    shown = {"type": "text", "index": False}
    keyword = {"type": "keyword"}
    body: dict[str, Any] = {
        "settings": {
            "number_of_shards": own.shards,
            "number_of_replicas": own.replicas,
            "refresh_interval": "-1",  # it is refreshed once, when all is in it
            "max_result_window": max(10_000, config.depth, config.hybrid.window),
            "analysis": settings(config.analysis),
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
    told = json.dumps([VERSION, passages.digest, body], sort_keys=True)
    digest = hashlib.blake2b(told.encode(), digest_size=8).hexdigest()
    body["mappings"]["_meta"] = {
        "made_by": MADE_BY,
        "digest": digest,
        "passages": passages.digest,
        "count": len(passages.names),
    }
    return body


def _greeted(client: Any) -> None:
    """Ask for something that is answered with a body: a server of another version says in it what is wrong."""
    from elasticsearch import AuthorizationException

    # a key for some indexes alone may not ask this
    with suppress(AuthorizationException):
        client.info()


def filled(client: Any, name: str, body: dict[str, Any], passages: Passages) -> None:
    """The index of this name, with every passage in it; Unavailable where it holds anything else.

    Passages are created, never overwritten: what another process or an earlier try put there stays, and no deleted copy
    is left to count among the words.
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
    if _count(client, name) < len(passages.names):
        _bulk(client, name, passages)
    count = _count(client, name)
    if count != len(passages.names):
        raise Unavailable(
            f"Elasticsearch: index {name} holds {count:,} passages of {len(passages.names):,}; delete it and run again"
        )


def _count(client: Any, name: str) -> int:
    client.indices.refresh(index=name)
    return int(client.count(index=name)["count"])


def _bulk(client: Any, name: str, passages: Passages) -> None:
    from elasticsearch import helpers

    actions = _actions(name, passages)
    for good, item in helpers.streaming_bulk(client, actions, raise_on_error=False, max_retries=6, max_backoff=60):
        answer = item["create"]
        if not good and answer.get("status") != 409:  # it is there
            why = redacted(json.dumps(answer.get("error") or answer))
            raise Unavailable(f"Elasticsearch, index {name}: passage {answer.get('_id')} was not taken: {why}")


def _actions(name: str, passages: Passages) -> Iterator[dict[str, Any]]:
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


def aliased(client: Any, name: str, alias: str, old: str) -> None:
    """The alias on this index and on no other, in one step; Unavailable where an index has the alias's name."""
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
    for one in left:
        ours = client.indices.get_mapping(index=one)[one]["mappings"].get("_meta", {}).get("made_by") == MADE_BY
        if old == "delete" and ours:
            actions.append({"remove_index": {"index": one}})
        else:
            # it may be gone: where an answer was lost, the client asks again
            actions.append({"remove": {"index": one, "alias": alias, "must_exist": False}})
    client.indices.update_aliases(actions=actions)
