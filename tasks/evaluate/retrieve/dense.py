"""Dense retrieval: nearest passages by cosine of embeddings, in a FAISS index (Douze and others, arXiv 2401.08281)."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.retrieve.config import DenseConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, open_cached_index
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.private import open_file

INDEX_FILE = "index.faiss"
SEARCH_BLOCK = 1_024  # queries searched together
RESCORE_BLOCK = 32  # queries whose candidates are rescored together
SLACK = 16  # candidates beyond the depth, so that equal scores can be ordered by name
DIGITS = 6  # of a cosine; float32 has no more
TRAINING_PER_CELL = 64  # vectors per cell that train IVF
MIN_TRAINED = 400  # fewer passages cannot train a code book

Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class IndexShape:
    """The kind of an index and its parameters."""

    kind: str  # flat | hnsw | ivf_pq | on a server: elasticsearch-hnsw, elasticsearch-int8_hnsw, elasticsearch-bbq_hnsw
    links: int = 0
    build: int = 0
    search: int = 0
    lists: int = 0
    probes: int = 0
    code: int = 0  # bytes; 0: a quarter of the vector's numbers
    refine: int = 0

    @property
    def exact(self) -> bool:
        """Return whether every passage is compared."""
        return self.kind == "flat"


def choose_shape(config: DenseConfig, count: int) -> IndexShape:
    """Return the shape for so many passages; flat where they are too few to train a code book."""
    kind: str = config.index
    if kind == "auto":
        kind = "flat" if count <= config.flat_to else "hnsw" if count <= config.hnsw_to else "ivf_pq"
    if kind == "flat" or (kind == "ivf_pq" and count < MIN_TRAINED):
        return IndexShape("flat")
    if kind == "elasticsearch":
        kind = f"elasticsearch-{config.server_index}"
    if kind != "ivf_pq":
        return IndexShape(kind, links=config.hnsw_links, build=config.hnsw_build, search=config.hnsw_search)
    # each cell needs some 39 vectors to be trained with, whatever is configured
    lists = max(1, min(config.ivf_lists or int(4 * count**0.5), count // 39 or 1))
    return IndexShape(
        "ivf_pq", lists=lists, probes=min(config.ivf_probes, lists), code=config.pq_bytes, refine=config.refine
    )


def build_index(blocks: Iterable[Vectors], count: int, shape: IndexShape, folder: Path) -> None:
    """Build the index of these unit vectors and save it in the folder; ValueError where FAISS cannot build it.

    One thread is used: with more, HNSW's links and IVF's cells would depend on their order.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    try:
        if shape.kind != "flat":
            faiss.omp_set_num_threads(1)
        if shape.kind == "ivf_pq":
            vectors = _gather_vectors(blocks, count, folder)
            index = _train_ivf_pq(vectors, shape)
            parts: Iterable[Vectors] = (vectors[at : at + 65_536] for at in range(0, count, 65_536))
        else:
            index, parts = None, blocks
        for part in parts:
            if index is None:
                index = _empty_index(part.shape[1], shape)
            index.add(np.ascontiguousarray(part))
    finally:
        faiss.omp_set_num_threads(threads)
    faiss.write_index(index, str(folder / INDEX_FILE))
    (folder / "vectors.npy").unlink(missing_ok=True)  # they are in the index


def load_index(folder: Path, count: int) -> Any:
    """Load the saved index, memory-mapped; ValueError where it holds another number of passages."""
    import faiss

    index = faiss.read_index(str(folder / INDEX_FILE), faiss.IO_FLAG_MMAP_IFC)
    if index.ntotal != count:
        raise ValueError(
            f"{folder / INDEX_FILE} holds {index.ntotal:,} vectors for {count:,} passages; delete that folder"
        )
    return index


def search_index(
    index: Any, vectors: Vectors, depth: int, shape: IndexShape, threads: int = 1
) -> tuple[Places, npt.NDArray[np.float64]]:
    """Return places and cosines (queries x depth) of the nearest, best first, equal ones by place.

    A place is -1 where an approximate index finds no more. Candidates are rescored, since the last bits of FAISS's own
    sums depend on how many queries are searched together.
    """
    import faiss

    faiss.omp_set_num_threads(max(threads, 1))
    if shape.kind == "hnsw":
        # one width for all depths up to it, so that a short list is the beginning of a long one
        _downcast(index).hnsw.efSearch = max(shape.search, depth + SLACK)
    if shape.kind == "ivf_pq":
        refined = _downcast(index)
        refined.k_factor = shape.refine
        _downcast(refined.base_index).nprobe = shape.probes
    wide = min(index.ntotal, depth + SLACK)
    stored = stored_vectors(index)
    depth = min(depth, index.ntotal)
    places = np.empty((len(vectors), depth), dtype=np.int64)
    scores = np.empty((len(vectors), depth))
    for at in range(0, len(vectors), SEARCH_BLOCK):
        some = np.ascontiguousarray(vectors[at : at + SEARCH_BLOCK])
        _, candidates = index.search(some, wide)
        rows = slice(at, at + len(some))
        places[rows], scores[rows] = rescore(some, candidates, stored, depth)
    return places, scores


def rescore(
    vectors: Vectors, candidates: Places, stored: Vectors, depth: int
) -> tuple[Places, npt.NDArray[np.float64]]:
    """Return places and cosines of the best `depth` candidates of each query; a candidate of -1 is none."""
    places = np.empty((len(vectors), depth), dtype=np.int64)
    scores = np.empty((len(vectors), depth))
    for at in range(0, len(vectors), RESCORE_BLOCK):
        rows = slice(at, at + RESCORE_BLOCK)
        near, cosine = _rescore(vectors[rows], candidates[rows], stored)
        places[rows], scores[rows] = near[:, :depth], cosine[:, :depth]
    return places, scores


def measure_recall(index: Any, vectors: Vectors, depth: int, shape: IndexShape, threads: int = 1) -> float:
    """Return the mean share of the exact lists that the index finds at this depth."""
    depth = min(depth, index.ntotal)
    near, _ = search_index(index, vectors, depth, shape, threads)
    return share_of_exact(near, vectors, stored_vectors(index))


def share_of_exact(near: Places, vectors: Vectors, stored: Vectors) -> float:
    """Return the mean share of the exact lists, as deep as these, that stands in them."""
    import faiss

    depth = near.shape[1]
    _, exact = faiss.knn(np.ascontiguousarray(vectors), stored, depth, faiss.METRIC_INNER_PRODUCT)
    return float(np.mean([len(set(one) & set(other)) / depth for one, other in zip(near, exact, strict=True)]))


def stored_vectors(index: Any) -> Vectors:
    """Return the uncompressed vectors of an index without copying: (passages, dimensions)."""
    import faiss

    held = _downcast(index)
    if isinstance(held, faiss.IndexRefine):
        held = _downcast(held.refine_index)
    elif isinstance(held, faiss.IndexHNSW):
        held = _downcast(held.storage)
    vectors: Vectors = faiss.rev_swig_ptr(held.get_xb(), held.ntotal * held.d).reshape(held.ntotal, held.d)
    return vectors


def _downcast(index: Any) -> Any:
    """Return an index as its own class: FAISS returns base classes."""
    import faiss

    return faiss.downcast_index(index)


def _rescore(vectors: Vectors, candidates: Places, stored: Vectors) -> tuple[Places, npt.NDArray[np.float64]]:
    """Return the candidates of each query ordered by cosine, and the cosines."""
    gathered = stored[np.maximum(candidates, 0)]
    # products of float32 are exact in float64: in whatever order they are added, the sum rounds to the same digits
    cosine = np.round(np.matmul(gathered.astype(np.float64), vectors.astype(np.float64)[:, :, None])[:, :, 0], DIGITS)
    cosine[candidates < 0] = -np.inf
    order = np.lexsort((candidates, -cosine), axis=-1)
    return np.take_along_axis(candidates, order, 1), np.take_along_axis(cosine, order, 1)


def _empty_index(numbers: int, shape: IndexShape) -> Any:
    import faiss

    if shape.kind != "hnsw":  # the whole vectors, which candidates of a server are rescored by
        return faiss.IndexFlatIP(numbers)
    index = faiss.IndexHNSWFlat(numbers, shape.links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = shape.build
    return index


def _gather_vectors(blocks: Iterable[Vectors], count: int, folder: Path) -> Vectors:
    """Write all vectors into a file beside the index: IVF is trained before anything is added."""
    vectors: Any = None
    at = 0
    for block in blocks:
        if vectors is None:
            shape = (count, block.shape[1])
            vectors = np.lib.format.open_memmap(folder / "vectors.npy", mode="w+", dtype=np.float32, shape=shape)
        vectors[at : at + len(block)] = block
        at += len(block)
    whole: Vectors = np.asarray(vectors)
    return whole


def _train_ivf_pq(vectors: Vectors, shape: IndexShape) -> Any:
    """Return a trained, empty IVF-PQ index, which rescores its last candidates by uncompressed vectors."""
    import faiss

    count, numbers = vectors.shape
    code = shape.code or max(1, numbers // 4)
    if numbers % code:
        raise ValueError(
            f"pq_bytes = {code} does not divide vectors of {numbers} numbers; choose "
            f"{', '.join(map(str, _code_sizes(numbers)))}"
        )
    bits = min(8, max(1, int(np.log2(max(count // 39, 2)))))  # a code book of 256 wants some 10,000 vectors
    index = faiss.IndexIVFPQ(faiss.IndexFlatIP(numbers), numbers, shape.lists, code, bits, faiss.METRIC_INNER_PRODUCT)
    index.cp.seed = index.pq.cp.seed = 1234
    index.cp.max_points_per_centroid = index.pq.cp.max_points_per_centroid = TRAINING_PER_CELL
    step = max(1, count // max(TRAINING_PER_CELL * shape.lists, 16_384))  # spread over all passages, without chance
    index.train(np.ascontiguousarray(vectors[::step]))
    return faiss.IndexRefineFlat(index)


def _code_sizes(numbers: int) -> list[int]:
    return [one for one in range(1, numbers + 1) if numbers % one == 0 and numbers // one <= 16]


VERSION = 1
BLOCK = 4_096  # passages embedded together: each block is cached before the next is begun
RECALL_SAMPLE = 256  # queries for measuring the recall of an approximate index
RECALL_FILE = "recall.json"


def open_dense(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext, own: DenseConfig
) -> "Dense":
    """Return the search for the nearest passages by `own.embed`; its index is memory-mapped from the cache."""
    shape = choose_shape(own, len(passages.names))
    embedder = own.embed.connect(cache, threads=threads, means=means)
    identity = {
        "version": VERSION,
        "passages": passages.digest,
        "count": len(passages.names),
        "embed": own.embed.identity(),
        "shape": asdict(shape),
        "faiss": version("faiss-cpu"),
    }
    name = hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=8).hexdigest()

    def make(folder: Path) -> None:
        texts = passages.texts
        blocks = (embedder(texts[at : at + BLOCK], role="passage") for at in range(0, len(texts), BLOCK))
        build_index(blocks, len(texts), shape, folder)

    place = cache / "indexes" / f"{own.name}-{shape.kind}-{name}"
    index = open_cached_index(place, identity, make, lambda folder: load_index(folder, len(passages.names)))
    return Dense(index, embedder, passages.names, shape, threads, place)


class Dense:
    """A vector index with its embedder."""

    def __init__(
        self, index: Any, embedder: Any, names: Sequence[str], shape: IndexShape, threads: int, place: Path
    ) -> None:
        self.index, self.shape = index, shape
        self._embedder, self._names, self._threads, self._place = embedder, names, threads, place
        self.nearest = self._search  # a server's search may take its place

    def _search(self, vectors: Vectors, depth: int) -> tuple[Places, npt.NDArray[np.float64]]:
        return search_index(self.index, vectors, depth, self.shape, self._threads)

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """Return the passages with the largest cosine to each query."""
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
        places, scores = self.nearest(vectors, depth)
        counts = (places >= 0).sum(axis=1).tolist()  # an approximate index may find fewer
        return [
            Ranked(tuple([self._names[at] for at in row]), tuple(values)).first(count)
            for row, values, count in zip(places.tolist(), scores.tolist(), counts, strict=True)
        ]

    def remark(self) -> str:
        """Describe the index, an approximate one with its measured recall."""
        if self.shape.exact:
            return f"{self.shape.kind}, exact"
        try:
            known = json.loads((self._place / RECALL_FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return f"{self.shape.kind}, recall not measured yet"
        recall = ", ".join(f"{known[depth]:.4f} at {depth}" for depth in sorted(known, key=int))
        return f"{self.shape.kind}, recall against every passage compared {recall}"

    def _measure(self, queries: Sequence[str], vectors: npt.NDArray[np.float32], depth: int) -> None:
        """Measure the recall at this depth once, when enough queries come, and store it beside the index."""
        place = self._place / RECALL_FILE
        known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
        if str(depth) in known or len(queries) < min(RECALL_SAMPLE, 32):
            return
        chosen = sorted(range(len(queries)), key=lambda at: hashlib.blake2b(queries[at].encode()).digest())[
            :RECALL_SAMPLE
        ]
        near, _ = self.nearest(vectors[chosen], min(depth, self.index.ntotal))
        known[str(depth)] = round(share_of_exact(near, vectors[chosen], stored_vectors(self.index)), 4)
        with open_file(place, encoding="utf-8") as file:
            file.write(json.dumps(known))
