"""FAISS indexes: which kind for how many passages, built alike everywhere, saved, memory-mapped, searched, measured."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.retrieve.config import DenseConfig

FILE = "index.faiss"
BLOCK = 1_024  # queries that are searched together
AGAIN = 32  # queries whose candidates are compared again together
SLACK = 16  # candidates beyond the depth, so that those of equal score are put in order by their names
DIGITS = 6  # of a cosine; float32 has no more
TRAINING = 64  # vectors a cell of IVF is trained with
TRAINED = 400  # passages that a code book wants at least

Vectors = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shape:
    """An index as it is built and searched."""

    kind: str  # flat | hnsw | ivf_pq
    links: int = 0
    build: int = 0
    search: int = 0
    lists: int = 0
    probes: int = 0
    code: int = 0  # bytes; 0: a quarter of the vector's numbers
    refine: int = 0

    @property
    def exact(self) -> bool:
        """Whether every passage is compared."""
        return self.kind == "flat"

    def told(self) -> dict[str, Any]:
        """What it is built with, for its name."""
        return asdict(self)


def shaped(config: DenseConfig, count: int) -> Shape:
    """The shape for so many passages; too few to train a code book with are compared every one."""
    kind = config.index
    if kind == "auto":
        kind = "flat" if count <= config.flat_to else "hnsw" if count <= config.hnsw_to else "ivf_pq"
    if kind == "flat" or (kind == "ivf_pq" and count < TRAINED):
        return Shape("flat")
    if kind == "hnsw":
        return Shape("hnsw", links=config.hnsw_links, build=config.hnsw_build, search=config.hnsw_search)
    # a cell needs vectors to be trained with, whatever was asked for
    lists = max(1, min(config.ivf_lists or int(4 * count**0.5), count // 39 or 1))
    return Shape(
        "ivf_pq", lists=lists, probes=min(config.ivf_probes, lists), code=config.pq_bytes, refine=config.refine
    )


def built(blocks: Iterable[Vectors], count: int, shape: Shape, folder: Path) -> None:
    """The index of these unit vectors, saved in the folder; ValueError where FAISS cannot build it so.

    On one thread: HNSW's links and IVF's cells would hang on which thread came first.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    try:
        if shape.kind != "flat":
            faiss.omp_set_num_threads(1)
        if shape.kind == "ivf_pq":
            vectors = _whole(blocks, count, folder)
            index = _ivf_pq(vectors, shape)
            parts: Iterable[Vectors] = (vectors[at : at + 65_536] for at in range(0, count, 65_536))
        else:
            index, parts = None, blocks
        for part in parts:
            if index is None:
                index = _empty(part.shape[1], shape)
            index.add(np.ascontiguousarray(part))
    finally:
        faiss.omp_set_num_threads(threads)
    faiss.write_index(index, str(folder / FILE))
    (folder / "vectors.npy").unlink(missing_ok=True)  # they are in the index


def loaded(folder: Path, count: int) -> Any:
    """The saved index, memory-mapped; ValueError where it holds another number of passages."""
    import faiss

    index = faiss.read_index(str(folder / FILE), faiss.IO_FLAG_MMAP_IFC)
    if index.ntotal != count:
        raise ValueError(f"{folder / FILE} holds {index.ntotal:,} vectors for {count:,} passages; delete that folder")
    return index


def found(
    index: Any, vectors: Vectors, depth: int, shape: Shape, threads: int = 1
) -> tuple[Places, npt.NDArray[np.float64]]:
    """Places and cosines of the nearest `depth`, best first, equal ones by place; -1 where an index gives up.

    FAISS's own sums differ in their last bits by how many queries come together; the candidates are compared again, one
    way, so that no digit and no order hangs on that.
    """
    import faiss

    faiss.omp_set_num_threads(max(threads, 1))
    if shape.kind == "hnsw":
        # one width for all depths up to it: a short list is the beginning of a long one
        _kind(index).hnsw.efSearch = max(shape.search, depth + SLACK)
    if shape.kind == "ivf_pq":
        refined = _kind(index)
        refined.k_factor = shape.refine
        _kind(refined.base_index).nprobe = shape.probes
    wide = min(index.ntotal, depth + SLACK)
    stored = stored_vectors(index)
    depth = min(depth, index.ntotal)
    places = np.empty((len(vectors), depth), dtype=np.int64)
    scores = np.empty((len(vectors), depth))
    for at in range(0, len(vectors), BLOCK):
        some = np.ascontiguousarray(vectors[at : at + BLOCK])
        _, candidates = index.search(some, wide)
        for start in range(0, len(some), AGAIN):
            rows = slice(start, start + AGAIN)
            near, cosine = _ordered(some[rows], candidates[rows], stored)
            places[at + start : at + start + len(near)] = near[:, :depth]
            scores[at + start : at + start + len(near)] = cosine[:, :depth]
    return places, scores


def recall(index: Any, vectors: Vectors, depth: int, shape: Shape, threads: int = 1) -> float:
    """The share of the exact lists that the index finds, at this depth, over these queries."""
    import faiss

    depth = min(depth, index.ntotal)
    near, _ = found(index, vectors, depth, shape, threads)
    _, exact = faiss.knn(np.ascontiguousarray(vectors), stored_vectors(index), depth, faiss.METRIC_INNER_PRODUCT)
    return float(np.mean([len(set(one) & set(other)) / depth for one, other in zip(near, exact, strict=True)]))


def stored_vectors(index: Any) -> Vectors:
    """The vectors that an index holds whole, as they lie in it: (passages, numbers)."""
    import faiss

    held = _kind(index)
    if isinstance(held, faiss.IndexRefine):
        held = _kind(held.refine_index)
    elif isinstance(held, faiss.IndexHNSW):
        held = _kind(held.storage)
    vectors: Vectors = faiss.rev_swig_ptr(held.get_xb(), held.ntotal * held.d).reshape(held.ntotal, held.d)
    return vectors


def _kind(index: Any) -> Any:
    """The index as what it is: FAISS gives it as the least that it can be."""
    import faiss

    return faiss.downcast_index(index)


def _ordered(vectors: Vectors, candidates: Places, stored: Vectors) -> tuple[Places, npt.NDArray[np.float64]]:
    """The candidates of each query by their cosine."""
    gathered = stored[np.maximum(candidates, 0)]
    # products of float32 are whole in float64: whatever the order of the sum, it rounds to the same digits
    cosine = np.round(np.matmul(gathered.astype(np.float64), vectors.astype(np.float64)[:, :, None])[:, :, 0], DIGITS)
    cosine[candidates < 0] = -np.inf
    order = np.lexsort((candidates, -cosine), axis=-1)
    return np.take_along_axis(candidates, order, 1), np.take_along_axis(cosine, order, 1)


def _empty(numbers: int, shape: Shape) -> Any:
    import faiss

    if shape.kind == "flat":
        return faiss.IndexFlatIP(numbers)
    index = faiss.IndexHNSWFlat(numbers, shape.links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = shape.build
    return index


def _whole(blocks: Iterable[Vectors], count: int, folder: Path) -> Vectors:
    """All vectors in a file beside the index: IVF is trained before anything is added."""
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


def _ivf_pq(vectors: Vectors, shape: Shape) -> Any:
    """An empty IVF-PQ index that is trained, over whole vectors that the last few are compared by."""
    import faiss

    count, numbers = vectors.shape
    code = shape.code or max(1, numbers // 4)
    if numbers % code:
        raise ValueError(
            f"pq_bytes = {code} does not divide vectors of {numbers} numbers; choose "
            f"{', '.join(map(str, _codes(numbers)))}"
        )
    bits = min(8, max(1, int(np.log2(max(count // 39, 2)))))  # a code book of 256 wants some 10,000 vectors
    index = faiss.IndexIVFPQ(faiss.IndexFlatIP(numbers), numbers, shape.lists, code, bits, faiss.METRIC_INNER_PRODUCT)
    index.cp.seed = index.pq.cp.seed = 1234
    index.cp.max_points_per_centroid = index.pq.cp.max_points_per_centroid = TRAINING
    step = max(1, count // max(TRAINING * shape.lists, 16_384))  # spread over all passages, and no chance in it
    index.train(np.ascontiguousarray(vectors[::step]))
    return faiss.IndexRefineFlat(index)


def _codes(numbers: int) -> list[int]:
    return [one for one in range(1, numbers + 1) if numbers % one == 0 and numbers // one <= 16]
