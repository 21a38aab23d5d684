"""Retrieval: ranked passages for each wording of each question by each retriever, best first.

In come chunks and query variants, out go `Hits` rows (RARE §5.2; arXiv 2505.21870 §4)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from rarefy.data_contracts.rows import Chunk, Hits, Question, Variant, row_id
from rarefy.tasks.evaluate.retrieve.bm25 import open_bm25
from rarefy.tasks.evaluate.retrieve.config import PRESETS, VERSION, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.dense import Dense, open_dense
from rarefy.tasks.evaluate.retrieve.elastic import open_dense_on_server, open_elasticsearch
from rarefy.tasks.evaluate.retrieve.measured import measured
from rarefy.tasks.evaluate.retrieve.rerank import Reranker
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search, check_ranking, index_text
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.config import InferenceContext

__all__ = [
    "PRESETS",
    "RETRIEVERS",
    "VERSION",
    "Passages",
    "Ranked",
    "RetrieveConfig",
    "Retrievers",
    "Search",
    "measured",
    "retrieve",
]


DIGITS = 10  # of a fused score: sums of the same fractions in another order must tie


def fuse_rankings(lists: Sequence[Ranked], constant: int) -> Ranked:
    """Fuse rankings by reciprocal rank (Cormack, Clarke and Büttcher, SIGIR 2009); ties by chunk_id.

    A score is the sum of 1 / (constant + rank) over the lists, ranks from 1.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    for ranked in lists:
        for rank, chunk_id in enumerate(ranked.chunk_ids, 1):
            sums[chunk_id] += 1 / (constant + rank)
    fused = sorted(((name, round(score, DIGITS)) for name, score in sums.items()), key=lambda pair: (-pair[1], pair[0]))
    return Ranked(tuple(name for name, _ in fused), tuple(score for _, score in fused))


# name -> function (passages, config, *, cache, threads, means) that returns a Search; a user's "module:function" is one
# too
RETRIEVERS: dict[str, Callable[..., Search]] = {"bm25": open_bm25, "elasticsearch": open_elasticsearch}


class Retrievers:
    """The retrievers of a config; their indexes are in `cache`/indexes and are built when first needed."""

    def __init__(
        self, config: RetrieveConfig, cache: Path, threads: int = 1, means: InferenceContext | None = None
    ) -> None:
        self.config, self.cache, self.threads, self.means = config, cache, threads, means or InferenceContext()
        self.reranker = (
            Reranker(config.rerank.model, config.rerank.longest, cache, threads) if config.rerank.model else None
        )
        self._last: CorpusSearch | None = None

    def over(self, chunks: Mapping[str, Chunk]) -> "CorpusSearch":
        """Return the retrievers over these chunks; ValueError where there are no chunks."""
        passages = Passages(chunks, self.config.titled)
        if not passages.names:
            raise ValueError("there are no chunks to search; the benchmark's chunks table is empty")
        if self._last is None or self._last.passages.digest != passages.digest:
            self._last = CorpusSearch(self, passages)
        return self._last

    def make(self, name: str, passages: Passages) -> Search:
        """Return one retriever over these passages."""
        built_in: dict[str, Callable[..., Search]] = {
            one.name: partial(open_dense_on_server if one.index == "elasticsearch" else open_dense, own=one)
            for one in self.config.dense
        }
        built_in |= RETRIEVERS
        open_index = find(name, built_in)
        search: Search = open_index(passages, self.config, cache=self.cache, threads=self.threads, means=self.means)
        if name in built_in:
            return search

        def checked_search(queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
            return check_ranking(name, search(queries, depth), len(queries), depth, passages.chunks)

        return checked_search


class CorpusSearch:
    """The retrievers of one config over the passages of one benchmark."""

    def __init__(self, retrievers: Retrievers, passages: Passages) -> None:
        self.passages = passages
        self._retrievers, self._config = retrievers, retrievers.config
        self.searches = {name: retrievers.make(name, passages) for name in self._config.connected()}

    def __call__(self, queries: Sequence[str], depths: Sequence[int]) -> dict[str, list[Ranked]]:
        """Return, by retriever, the ranked passages of each query to its depth; equal queries are searched once."""
        fuses = "hybrid" in self._config.retrievers
        window = self._config.hybrid.window
        rankings: dict[str, list[Ranked]] = {}
        for name, search in self.searches.items():
            least = window if fuses and name in self._config.hybrid.of else 0
            rankings[name] = _search_each(search, queries, [max(depth, least) for depth in depths])
        if fuses:
            lists = [rankings[name] for name in self._config.hybrid.of]
            rankings["hybrid"] = [
                fuse_rankings([ranked.first(window) for ranked in some], self._config.hybrid.constant)
                for some in zip(*lists, strict=True)
            ]
        return {
            name: [ranked.first(depth) for ranked, depth in zip(rankings[name], depths, strict=True)]
            for name in self._config.retrievers
        }

    def best(self, queries: Sequence[str], rankings: Sequence[Ranked]) -> list[tuple[str, ...]]:
        """Return the first `keep` of each list, after its first `fetch` are reranked where there is a reranker."""
        firsts = [ranked.chunk_ids[: self._config.fetch] for ranked in rankings]
        keep, rerank = self._config.keep, self._retrievers.reranker
        if rerank is None:
            return [first[:keep] for first in firsts]
        pairs = [(query, chunk_id) for query, first in zip(queries, firsts, strict=True) for chunk_id in first]
        texts = [(query, index_text(self.passages.chunks[name], self.passages.titled)) for query, name in pairs]
        score = dict(zip(pairs, rerank(texts), strict=True))
        return [
            tuple(sorted(first, key=lambda name, query=query: -score[query, name])[:keep])  # type: ignore[misc]
            for query, first in zip(queries, firsts, strict=True)
        ]

    def remarks(self) -> list[str]:
        """Describe the vector indexes, an approximate one by its recall."""
        return [f"{name}: {search.remark()}" for name, search in self.searches.items() if isinstance(search, Dense)]


def _search_each(search: Search, queries: Sequence[str], depths: Sequence[int]) -> list[Ranked]:
    """Return the lists of these queries; each distinct query is searched once at each depth."""
    by_depth: dict[int, dict[str, Ranked]] = {}
    for query, depth in zip(queries, depths, strict=True):
        by_depth.setdefault(depth, {})[query] = Ranked()
    for depth, rankings in by_depth.items():
        rankings.update(zip(rankings, search(list(rankings), depth), strict=True))
    return [by_depth[depth][query] for query, depth in zip(queries, depths, strict=True)]


BLOCK = 2_048  # wordings searched together
NONE = "none"  # the perturbation of the unperturbed question


def retrieve(
    variants: Iterable[Variant],
    config: RetrieveConfig,
    *,
    chunks: Mapping[str, Chunk],
    retrievers: Retrievers,
    questions: Mapping[str, Question] | None = None,
) -> Iterator[Hits]:
    """Yield the hits of each wording by each of `config.retrievers`, in the order of the variants.

    Rejected variants, and those of documents, are passed over. An accepted question of `questions` without an
    unperturbed variant is searched in its own words, with the question's id as the query's. A list may be shorter than
    the depth: BM25 finds no passage that shares no word with the query.
    """
    search = retrievers.over(chunks)
    rows = _select_wordings(variants, questions or {})
    while block := list(islice(rows, BLOCK)):
        texts = [row.text for row in block]
        depths = [config.depth if row.perturbation == NONE else config.depth_reworded for row in block]
        rankings = search(texts, depths)
        best = {name: search.best(texts, lists) for name, lists in rankings.items()}
        for place, row in enumerate(block):
            for name in config.retrievers:
                ranked = rankings[name][place]
                yield Hits(
                    row_id("hits", name, row.variant_id),
                    name,
                    row.variant_id,
                    row.question_id,
                    ranked.chunk_ids,
                    ranked.scores,
                    best[name][place],
                    config.rerank.model,
                )


def _select_wordings(variants: Iterable[Variant], questions: Mapping[str, Question]) -> Iterator[Variant]:
    """Yield the accepted query variants, then the accepted questions that have no unperturbed variant."""
    worded = set()
    for row in variants:
        if row.side == "query" and not row.rejected_because:
            if row.perturbation == NONE:
                worded.add(row.question_id)
            yield row
    for name, question in questions.items():
        if name not in worded and not question.rejected_because:
            yield Variant(name, name, "query", NONE, question.text)
