"""BM25 as Lucene counts it, in an index of bm25s: the same scores as Elasticsearch, at bm25s's speed.

Scores are worked out when the index is built, one per word and passage, as bm25s does (Lù, arXiv 2407.03618); what is
different is that lengths are rounded as Lucene rounds them, that counting is done by whole arrays, and that the first
few are found without looking through all passages.
"""

from collections.abc import Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.retrieve.analysis import Analysis, Numbered, blocks
from rarefy.tasks.evaluate.retrieve.config import AnalysisConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.index_cache import kept
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search
from rarefy.tasks.models.llm.config import InferenceContext

VERSION = 1
BLOCK = 4_096  # passages that are counted together: memory stays small whatever the number
DIGITS = 5  # of a score, as it is told and ordered by: the next hangs on the order in which float32 was added up
CLOSE = np.float32(2 * 10**-DIGITS)
FULL = 1 << 26  # bytes of whole rows that are kept of common words
COMMON = 12  # a word in so small a part of the passages is common: a row adds up faster than as many single places
MANY = 20_000  # passages below which a bound on scores costs more than it saves

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]


def bm25(passages: Passages, config: RetrieveConfig, *, cache: Path, threads: int, means: InferenceContext) -> Search:
    """BM25 over these passages; the index is memory-mapped from the cache.

    One thread whatever is allowed: two were seen to be slower, most of a search being too short to run beside another.
    """
    told = {
        "version": VERSION,
        "passages": passages.digest,
        "analysis": config.analysis.model_dump(),
        "bm25": config.bm25.model_dump(),
        "bm25s": version("bm25s"),
    }
    place = cache / "indexes" / f"bm25-{_digest(told)}"

    def make(folder: Path) -> None:
        built(passages.texts, config).save(folder, show_progress=False)

    return kept(place, told, make, lambda folder: BM25(folder, passages.names, config.analysis))


class BM25:
    """A saved index of bm25s."""

    def __init__(self, folder: Path, names: Sequence[str], analysis: AnalysisConfig) -> None:
        import bm25s

        index = bm25s.BM25.load(folder, mmap=True, show_progress=False)
        self._names = names
        self._analysis, self._vocabulary = Analysis(analysis), index.vocab_dict
        held = index.scores
        self._columns = Columns(held["data"], held["indices"], held["indptr"], len(names))

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        """The passages that share a word with each query."""
        return [self._ranked(query, depth) for query in queries]

    def _ranked(self, query: str, depth: int) -> Ranked:
        known = self._vocabulary
        words = [known[word] for word in self._analysis.words(query) if word in known]
        places, scores = self._columns.first(words, depth)
        names = self._names
        return Ranked(tuple([names[place] for place in places.tolist()]), tuple(scores.tolist()))


class Columns:
    """What each word adds to each passage's score, a column for each word."""

    def __init__(self, data: Floats, indices: Numbers, starts: npt.NDArray[np.int64], count: int) -> None:
        # plain views of what is memory-mapped: a memmap's own slices are slow
        self._data, self._indices = np.asarray(data), np.asarray(indices)
        self._starts: list[int] = starts.tolist()  # numpy's own numbers are slow one by one
        self._count = count
        self._full: dict[int, Floats] = {}
        self._room = FULL // (4 * count)

    def first(self, words: Sequence[int], depth: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        """The places and rounded scores of the best `depth` passages for these words; equal scores by place."""
        scores = np.zeros(self._count, dtype=np.float32)
        for word in words:
            self._add(word, scores)
        least = self._least(words, scores, depth)
        # what rounds to the same score as the last of the first few stands beside it
        found = np.flatnonzero(scores >= least - CLOSE) if least > CLOSE else np.flatnonzero(scores)
        held = scores[found]
        if len(found) > depth:
            among = held >= np.partition(held, len(held) - depth)[len(held) - depth] - CLOSE
            found, held = found[among], held[among]
        told: Any = np.round(held.astype(np.float64), DIGITS)
        order = np.argsort(-told, kind="stable")[:depth]  # places rise, and stay so where scores are equal
        return found[order], told[order]

    def _add(self, word: int, scores: Floats) -> None:
        """Add a word's column, in the order of the query; common words are kept as whole rows, which add up faster."""
        start, end = self._starts[word], self._starts[word + 1]
        if (end - start) * COMMON < self._count:
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
        """A score that `depth` passages reach; what is below need not be looked at. 0 where none is known.

        The passages of the rarest word that stands in enough of them are so many.
        """
        if self._count < MANY:  # quicker looked through than thought about
            return np.float32(np.partition(scores, -depth)[-depth] if depth < self._count else 0)
        spans = sorted({(self._starts[word + 1] - self._starts[word], self._starts[word]) for word in words})
        for length, start in spans:
            if length >= depth:
                held = scores[self._indices[start : start + length]]
                return np.float32(np.partition(held, length - depth)[length - depth])
        return np.float32(0)


def built(texts: Sequence[str], config: RetrieveConfig) -> Any:
    """A bm25s index of these texts."""
    import bm25s

    index = bm25s.BM25(k1=config.bm25.k1, b=config.bm25.b, method="lucene")
    counted, lengths, vocabulary = counts(texts, config.analysis)
    index.scores = scored(counted, lengths, config.bm25.k1, config.bm25.b)
    index.vocab_dict = vocabulary
    index.unique_token_ids_set = set(vocabulary.values())
    index.nonoccurrence_array = None
    return index


def counts(texts: Sequence[str], config: AnalysisConfig) -> tuple[Any, npt.NDArray[np.int64], dict[str, int]]:
    """How often each word stands in each text (a sparse matrix by columns), how long each is, and the words."""
    from scipy import sparse

    analysis = Analysis(config)
    numbers = Numbered(analysis)
    parts, lengths = [], []
    for some in blocks(texts, BLOCK):
        found = [analysis.found(text.lower()) for text in some]
        # one loop in C over all words: most of the time goes here
        numbered = map(numbers.__getitem__, chain.from_iterable(found))
        every = np.fromiter(numbered, np.int32, sum(map(len, found)))
        text = np.repeat(np.arange(len(some), dtype=np.int32), [len(words) for words in found])
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


def scored(counted: Any, lengths: npt.NDArray[np.int64], k1: float, b: float) -> dict[str, Any]:
    """What each word adds to each passage's score (Robertson and others 1994, as Lucene's BM25Similarity has it).

    ln(1 + (N - n + 0.5) / (n + 0.5)) · f / (f + k1 · (1 - b + b · L / mean L)); N and the mean leave out passages
    without a word, as Lucene's do, and L is rounded.
    """
    having = max(int((lengths > 0).sum()), 1)
    mean = max(float(lengths.sum()) / having, 1e-9)
    held = np.diff(counted.indptr)
    weight = np.log(1 + (having - held + 0.5) / (held + 0.5))
    norm = k1 * (1 - b + b * rounded(lengths) / mean)
    data = np.repeat(weight, held) * (counted.data / (counted.data + norm[counted.indices]))
    return {
        "data": data.astype(np.float32),
        "indices": counted.indices.astype(np.int32),
        "indptr": counted.indptr.astype(np.int64),
        "num_docs": len(lengths),
    }


def rounded(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Lengths as Lucene keeps them, in a byte (SmallFloat.intToByte4): whole up to 40, then with four binary digits."""
    rest = np.maximum(lengths - 24, 0)  # those below 24 have a code each
    digits = np.frexp(rest.astype(np.float64))[1]  # binary digits of the rest
    shift = np.maximum(digits - 4, 0)
    return np.where(lengths < 24, lengths, 24 + ((rest >> shift) << shift))


def _digest(told: dict[str, Any]) -> str:
    import hashlib
    import json

    return hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=8).hexdigest()
