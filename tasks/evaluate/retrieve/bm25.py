"""BM25 with Lucene's scores, in an index of bm25s: ranks as Elasticsearch does, at the speed of bm25s.

Scores are computed when the index is built, one per term and passage (Lù, arXiv 2407.03618). Unlike bm25s itself,
lengths are rounded as in Lucene, terms are counted with whole arrays, and the best few passages are found without
sorting all.
"""

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.retrieve.analysis import Analysis, WordNumbers, lower
from rarefy.tasks.evaluate.retrieve.config import AnalysisConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search, open_cached_index
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.text.quiet_bm25s import import_bm25s

VERSION = 2
BLOCK = 4_096  # passages whose terms are counted together, to bound memory
DIGITS = 5  # of a score: further ones depend on the order of float32 additions
ROUNDING_MARGIN = np.float32(2 * 10**-DIGITS)
ROW_CACHE_BYTES = 1 << 26  # bytes of dense rows of common terms
COMMON_FRACTION = 12  # a term in more than 1/12 of the passages gets a dense row, which adds up faster
BOUNDED_FROM = 20_000  # passages from which on a lower bound of scores is worth its cost

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]


def open_bm25(
    passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext
) -> Search:
    """Return BM25 over these passages; its index is memory-mapped from the cache.

    It uses one thread whatever is allowed: two were measured to be slower.
    """
    identity = {
        "version": VERSION,
        "passages": passages.digest,
        "analysis": config.analysis.model_dump(),
        "bm25": config.bm25.model_dump(),
        "bm25s": version("bm25s"),
    }
    digest = hashlib.blake2b(json.dumps(identity, sort_keys=True).encode(), digest_size=8).hexdigest()
    place = cache / "indexes" / f"bm25-{digest}"

    def make(folder: Path) -> None:
        build_bm25(passages.texts, config).save(folder, show_progress=False)

    return open_cached_index(place, identity, make, lambda folder: BM25(folder, passages.names, config.analysis))


class BM25:
    """A saved index of bm25s."""

    def __init__(self, folder: Path, names: Sequence[str], analysis: AnalysisConfig) -> None:
        index = import_bm25s().BM25.load(folder, mmap=True, show_progress=False)
        self._names = names
        self._analysis, self._vocabulary = Analysis(analysis), index.vocab_dict
        held = index.scores
        self._columns = TermScores(held["data"], held["indices"], held["indptr"], len(names))

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """Return the passages that share a term with each query."""
        return [self._ranked(query, depth) for query in queries]

    def _ranked(self, query: str, depth: int) -> Ranked:
        known = self._vocabulary
        words = [known[word] for word in self._analysis.words(query) if word in known]
        places, scores = self._columns.first(words, depth)
        names = self._names
        return Ranked(tuple([names[place] for place in places.tolist()]), tuple(scores.tolist()))


class TermScores:
    """A sparse matrix of scores: what each term (column) adds to each passage (row)."""

    def __init__(self, data: Floats, indices: Numbers, starts: npt.NDArray[np.int64], count: int) -> None:
        # plain views: slices of a memmap are slow
        self._data, self._indices = np.asarray(data), np.asarray(indices)
        self._starts: list[int] = starts.tolist()  # numpy scalars are slow
        self._count = count
        self._full: dict[int, Floats] = {}
        self._room = ROW_CACHE_BYTES // (4 * count)

    def first(self, words: Sequence[int], depth: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """Return places and rounded scores of the best `depth` passages for these terms; equal scores by place."""
        scores = np.zeros(self._count, dtype=np.float32)
        for word in words:
            self._add(word, scores)
        least = self._least(words, scores, depth)
        # the margin keeps passages whose rounded score equals that of the last one
        places = (
            np.flatnonzero(scores >= least - ROUNDING_MARGIN) if least > ROUNDING_MARGIN else np.flatnonzero(scores)
        )
        candidates = scores[places]
        if len(places) > depth:
            among = (
                candidates
                >= np.partition(candidates, len(candidates) - depth)[len(candidates) - depth] - ROUNDING_MARGIN
            )
            places, candidates = places[among], candidates[among]
        rounded: Any = np.round(candidates.astype(np.float64), DIGITS)
        order = np.argsort(-rounded, kind="stable")[:depth]  # places rise, and stay so where scores are equal
        return places[order], rounded[order]

    def _add(self, word: int, scores: Floats) -> None:
        """Add a term's column to the scores; columns of common terms are cached as dense rows."""
        start, end = self._starts[word], self._starts[word + 1]
        if (end - start) * COMMON_FRACTION < self._count:
            scores[self._indices[start:end]] += self._data[start:end]  # a passage stands once in a column
            return
        full = self._full.get(word)
        if full is None:
            full = np.zeros(self._count, dtype=np.float32)
            full[self._indices[start:end]] = self._data[start:end]
            if len(self._full) < self._room:
                self._full[word] = full
        scores += full

    def _least(self, words: Sequence[int], scores: Floats, depth: int) -> np.float32:
        """Return a lower bound of the score at `depth`, 0 where none is known.

        With many passages it is taken from the rarest term that at least `depth` passages have.
        """
        if self._count < BOUNDED_FROM:  # sorting them all is quicker
            return np.float32(np.partition(scores, -depth)[-depth] if depth < self._count else 0)
        spans = sorted({(self._starts[word + 1] - self._starts[word], self._starts[word]) for word in words})
        for length, start in spans:
            if length >= depth:
                held = scores[self._indices[start : start + length]]
                return np.float32(np.partition(held, length - depth)[length - depth])
        return np.float32(0)


def build_bm25(texts: Sequence[str], config: RetrieveConfig) -> Any:
    """Build a bm25s index of these texts."""
    index = import_bm25s().BM25(k1=config.bm25.k1, b=config.bm25.b, method="lucene")
    counted, lengths, vocabulary = count_terms(texts, config.analysis)
    index.scores = score_terms(counted, lengths, config.bm25.k1, config.bm25.b)
    index.vocab_dict = vocabulary
    index.unique_token_ids_set = set(vocabulary.values())
    index.nonoccurrence_array = None
    return index


def count_terms(texts: Sequence[str], config: AnalysisConfig) -> tuple[Any, npt.NDArray[np.int64], dict[str, int]]:
    """Count terms: a sparse matrix (texts x terms, by columns), the texts' lengths, and the vocabulary."""
    from scipy import sparse

    analysis = Analysis(config)
    numbers = WordNumbers(analysis)
    parts, lengths = [], []
    for start in range(0, len(texts), BLOCK):
        some = texts[start : start + BLOCK]
        texts_words = [analysis.found(lower(text)) for text in some]
        # one loop in C over all words: most of the time is spent here
        numbered = map(numbers.__getitem__, chain.from_iterable(texts_words))
        every = np.fromiter(numbered, np.int32, sum(map(len, texts_words)))
        text = np.repeat(np.arange(len(some), dtype=np.int32), [len(words) for words in texts_words])
        kept_words = every >= 0
        every, text = every[kept_words], text[kept_words]
        shape = (len(some), max(len(numbers.vocabulary), 1))
        part = sparse.csr_matrix((np.ones(len(every), dtype=np.int32), (text, every)), shape=shape)
        part.sum_duplicates()
        parts.append(part)
        lengths.append(np.bincount(text, minlength=len(some)))
    width = max(len(numbers.vocabulary), 1)
    for part in parts:
        part.resize((part.shape[0], width))
    return sparse.vstack(parts, format="csc"), np.concatenate(lengths), numbers.vocabulary


def score_terms(counted: Any, lengths: npt.NDArray[np.int64], k1: float, b: float) -> dict[str, Any]:
    """Return each term's score in each passage (Robertson and others 1994, as in Lucene's BM25Similarity).

    ln(1 + (N - n + 0.5) / (n + 0.5)) · f / (f + k1 · (1 - b + b · L / mean L)); N and the mean leave out passages
    without a word, as Lucene's do, and L is rounded.
    """
    having = max(int((lengths > 0).sum()), 1)
    mean = max(float(lengths.sum()) / having, 1e-9)
    held = np.diff(counted.indptr)
    weight = np.log(1 + (having - held + 0.5) / (held + 0.5))
    norm = k1 * (1 - b + b * round_lengths(lengths) / mean)
    data = np.repeat(weight, held) * (counted.data / (counted.data + norm[counted.indices]))
    return {
        "data": data.astype(np.float32),
        "indices": counted.indices.astype(np.int32),
        "indptr": counted.indptr.astype(np.int64),
        "num_docs": len(lengths),
    }


def round_lengths(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Round lengths as Lucene stores them in a byte (SmallFloat.intToByte4): exact to 40, then four binary digits."""
    rest = np.maximum(lengths - 24, 0)  # those below 24 have a code each
    digits = np.frexp(rest.astype(np.float64))[1]  # binary digits of the rest
    shift = np.maximum(digits - 4, 0)
    return np.where(lengths < 24, lengths, 24 + ((rest >> shift) << shift))
