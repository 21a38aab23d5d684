"""The retrievers of a config over the passages of one benchmark."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.bm25 import bm25
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.dense import Dense, dense
from rarefy.tasks.evaluate.retrieve.elastic import elasticsearch
from rarefy.tasks.evaluate.retrieve.hybrid import fused
from rarefy.tasks.evaluate.retrieve.rerank import Reranker
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search, checked, indexed
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.config import InferenceContext

# name -> function (passages, config, *, cache, threads, means) that gives a Search; one of your own is written
# "module:function" and is such a function
RETRIEVERS: dict[str, Callable[..., Search]] = {"bm25": bm25, "elasticsearch": elasticsearch}


class Retrievers:
    """What `RetrieveConfig.connect` gives: indexes lie in `cache`/indexes and are made when they are first needed."""

    def __init__(
        self, config: RetrieveConfig, cache: Path, threads: int = 1, means: InferenceContext | None = None
    ) -> None:
        self.config, self.cache, self.threads, self.means = config, cache, threads, means or InferenceContext()
        self.reranker = (
            Reranker(config.rerank.model, config.rerank.longest, cache, threads) if config.rerank.model else None
        )
        self._last: Over | None = None

    def over(self, chunks: Mapping[str, Chunk]) -> "Over":
        """The retrievers, to search these chunks; ValueError where there are none."""
        passages = Passages(chunks, self.config.titled)
        if not passages.names:
            raise ValueError("there are no chunks to search; the benchmark's chunks table is empty")
        if self._last is None or self._last.passages.digest != passages.digest:
            self._last = Over(self, passages)
        return self._last

    def make(self, name: str, passages: Passages) -> Search:
        """One retriever over these passages."""
        means: dict[str, Any] = {"cache": self.cache, "threads": self.threads, "means": self.means}
        built_in: dict[str, Callable[..., Search]] = {one.name: partial(dense, own=one) for one in self.config.dense}
        built_in |= RETRIEVERS
        made: Search = find(name, built_in)(passages, self.config, **means)
        if name in built_in:
            return made

        def of_ones_own(queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
            return checked(name, made(queries, depth), len(queries), depth, passages.chunks)

        return of_ones_own


class Over:
    """The retrievers of one config over the passages of one benchmark."""

    def __init__(self, retrievers: Retrievers, passages: Passages) -> None:
        self.passages = passages
        self._retrievers, self._config = retrievers, retrievers.config
        self.searches = {name: retrievers.make(name, passages) for name in self._config.connected()}

    def __call__(self, queries: Sequence[str], depths: Sequence[int]) -> dict[str, list[Ranked]]:
        """By retriever, the ranked passages of each query, as deep as is said; equal queries are searched once."""
        fuses = "hybrid" in self._config.retrievers
        window = self._config.hybrid.window
        found: dict[str, list[Ranked]] = {}
        for name, search in self.searches.items():
            least = window if fuses and name in self._config.hybrid.of else 0
            found[name] = _each(search, queries, [max(depth, least) for depth in depths])
        if fuses:
            lists = [found[name] for name in self._config.hybrid.of]
            found["hybrid"] = [
                fused([ranked.first(window) for ranked in some], self._config.hybrid.constant)
                for some in zip(*lists, strict=True)
            ]
        return {
            name: [ranked.first(depth) for ranked, depth in zip(found[name], depths, strict=True)]
            for name in self._config.retrievers
        }

    def best(self, queries: Sequence[str], found: Sequence[Ranked]) -> list[tuple[str, ...]]:
        """What is left of each list's first `fetch`: the reranker's first `keep`, or the list's own."""
        firsts = [ranked.chunk_ids[: self._config.fetch] for ranked in found]
        keep, rerank = self._config.keep, self._retrievers.reranker
        if rerank is None:
            return [first[:keep] for first in firsts]
        pairs = [(query, chunk_id) for query, first in zip(queries, firsts, strict=True) for chunk_id in first]
        texts = [(query, indexed(self.passages.chunks[name], self.passages.titled)) for query, name in pairs]
        score = dict(zip(pairs, rerank(texts), strict=True))
        return [
            tuple(sorted(first, key=lambda name, query=query: -score[query, name])[:keep])  # type: ignore[misc]
            for query, first in zip(queries, firsts, strict=True)
        ]

    def remarks(self) -> list[str]:
        """What is worth knowing of the indexes: of an approximate one, how much of the exact lists it finds."""
        return [f"{name}: {search.remark()}" for name, search in self.searches.items() if isinstance(search, Dense)]


def _each(search: Search, queries: Sequence[str], depths: Sequence[int]) -> list[Ranked]:
    """The lists of these queries; each different query is searched once at each depth."""
    by_depth: dict[int, dict[str, Ranked]] = {}
    for query, depth in zip(queries, depths, strict=True):
        by_depth.setdefault(depth, {})[query] = Ranked()
    for depth, found in by_depth.items():
        found.update(zip(found, search(list(found), depth), strict=True))
    return [by_depth[depth][query] for query, depth in zip(queries, depths, strict=True)]
