"""Nearest passages by their vectors, through FAISS (Douze and others, arXiv 2401.08281)."""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.retrieve.config import DenseConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.index_cache import kept
from rarefy.tasks.evaluate.retrieve.nearest import Shape, built, found, loaded, recall, shaped
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.private import open_file

VERSION = 1
BLOCK = 4_096  # passages embedded together: each block is remembered before the next is begun
SAMPLE = 256  # queries that an approximate index's recall is measured with
RECALL = "recall.json"


def dense(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext, own: DenseConfig
) -> Search:
    """The nearest passages by `own.embed`; the index is memory-mapped from the cache."""
    shape = shaped(own, len(passages.names))
    embedder = own.embed.connect(cache, threads=threads, means=means)
    told = {
        "version": VERSION,
        "passages": passages.digest,
        "count": len(passages.names),
        "embed": own.embed.identity(),
        "shape": shape.told(),
        "faiss": version("faiss-cpu"),
    }
    name = hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=8).hexdigest()

    def make(folder: Path) -> None:
        texts = passages.texts
        blocks = (embedder(texts[at : at + BLOCK], role="passage") for at in range(0, len(texts), BLOCK))
        built(blocks, len(texts), shape, folder)

    place = cache / "indexes" / f"{own.name}-{shape.kind}-{name}"
    index = kept(place, told, make, lambda folder: loaded(folder, len(passages.names)))
    return Dense(index, embedder, passages.names, shape, threads, place)


class Dense:
    """An index with its embedder."""

    def __init__(
        self, index: Any, embedder: Any, names: Sequence[str], shape: Shape, threads: int, place: Path
    ) -> None:
        self.index, self.shape = index, shape
        self._embedder, self._names, self._threads, self._place = embedder, names, threads, place

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """The passages with the largest cosine to each query."""
        if not queries:
            return []
        vectors = self._embedder(list(queries), role="query")
        if vectors.shape[1] != self.index.d:
            raise ValueError(
                f"queries have vectors of {vectors.shape[1]} numbers, the index in {self._place} of {self.index.d}; "
                "was another model served under the same name? Delete that folder, it is only a cache"
            )
        if not self.shape.exact:
            self._measure(queries, vectors, depth)
        places, scores = found(self.index, vectors, depth, self.shape, self._threads)
        many = (places >= 0).sum(axis=1).tolist()  # an approximate index may give up before it has as many
        return [
            Ranked(tuple([self._names[at] for at in row]), tuple(values)).first(found_here)
            for row, values, found_here in zip(places.tolist(), scores.tolist(), many, strict=True)
        ]

    def remark(self) -> str:
        """What the index is, and how much of the exact lists an approximate one finds."""
        if self.shape.exact:
            return f"{self.shape.kind}, exact"
        try:
            known = json.loads((self._place / RECALL).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return f"{self.shape.kind}, recall not measured yet"
        told = ", ".join(
            f"{value:.4f} at {depth}" for depth, value in sorted(known.items(), key=lambda one: int(one[0]))
        )
        return f"{self.shape.kind}, recall against every passage compared {told}"

    def _measure(self, queries: Sequence[str], vectors: npt.NDArray[np.float32], depth: int) -> None:
        """Keep the recall at this depth beside the index, by the first queries that come as many."""
        place = self._place / RECALL
        known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
        if str(depth) in known or len(queries) < min(SAMPLE, 32):
            return
        chosen = sorted(range(len(queries)), key=lambda at: hashlib.blake2b(queries[at].encode()).digest())[:SAMPLE]
        known[str(depth)] = round(recall(self.index, vectors[chosen], depth, self.shape, self._threads), 4)
        with open_file(place, encoding="utf-8") as file:
            file.write(json.dumps(known))
