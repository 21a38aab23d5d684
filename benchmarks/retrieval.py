"""BM25 over 100,000 passages beside bm25s used plainly and rank_bm25; FAISS beside every passage compared in numpy.

python benchmarks/retrieval.py                          100,000 passages, 30,000 queries, 100 deep
python benchmarks/retrieval.py --passages 2300 --queries 1000
python benchmarks/retrieval.py --peers FOLDER           where `pip install --target FOLDER rank_bm25` put it
python benchmarks/retrieval.py --only bm25 | dense

Passages are made: words by Zipf's law from WordNet's, 120 to 260 of them, with figures and years; a query is a dozen
words of one passage. Vectors lie near a space of 48 dimensions, as those of sentence models do, with noise.
Seconds are of the processor, of all threads, and every ratio is of two measurements of one run. What is slow is
measured on fewer queries; the table says on how many.
"""

import argparse
import gzip
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks import wordnet
from rarefy.tasks.llm.config import Means
from rarefy.tasks.retrieve.bm25 import bm25
from rarefy.tasks.retrieve.config import DenseConfig, RetrieveConfig
from rarefy.tasks.retrieve.nearest import built, found, loaded, recall, shaped
from rarefy.tasks.retrieve.search import Passages

DEPTH = 100
NUMBERS = 384
PLAIN = {"pattern": r"\b\w\w+\b", "stemmer": "none"}  # what bm25s does when it is not told otherwise


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--passages", type=int, default=100_000)
    options.add_argument("--queries", type=int, default=30_000)
    options.add_argument("--rank-bm25", type=int, default=100, help="queries that rank_bm25 is measured on")
    options.add_argument("--peers", default="", help="folder with rank_bm25")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--only", choices=("bm25", "dense"))
    told = options.parse_args()
    sys.path.append(told.peers)
    with tempfile.TemporaryDirectory() as folder:
        if told.only != "dense":
            lexical(told, Path(folder))
        if told.only != "bm25":
            vectors(told, Path(folder))
    print(f"\npeak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


def lexical(told: argparse.Namespace, folder: Path) -> None:
    """BM25: how long an index takes and how many queries a second it answers."""
    import bm25s

    texts = list(passages(told.passages))
    queries = list(asked(texts, told.queries))
    chunks = {f"{n:08x}": Chunk(f"{n:08x}", "d", 0, len(text), "text", "", text, 0) for n, text in enumerate(texts)}
    depth = min(DEPTH, len(texts))
    print(f"\nBM25 over {len(texts):,} passages, {len(queries):,} queries, {depth} deep\n")
    print(f"{'':<42}{'index, s':>10}{'queries/s':>12}{'queries':>10}{'of plain':>10}")

    def plain_index() -> Any:
        index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
        return index

    took, index = timed(plain_index)

    def plainly() -> Any:
        tokens = bm25s.tokenize(queries, stopwords="en", return_ids=False, show_progress=False)
        return index.retrieve(tokens, k=depth, show_progress=False)

    spent, (plain_found, plain_scores) = timed(plainly)
    plain = len(queries) / spent
    told_line("bm25s, used plainly", took, plain, len(queries), plain)
    for name, analysis in (("rarefy, bm25s's words", PLAIN), ("rarefy, its own words and stems", {})):
        config = RetrieveConfig.model_validate({"retrievers": ("bm25",), "analysis": analysis, "titled": False})
        took, search = timed(
            lambda config=config: bm25(  # type: ignore[misc]
                Passages(chunks, False), config, cache=folder, threads=1, means=Means()
            )
        )
        spent, ranked = timed(lambda search=search: search(queries, depth))  # type: ignore[misc]
        told_line(name, took, len(queries) / spent, len(queries), plain)
        if analysis:
            share = agreement(ranked, plain_found, plain_scores, list(chunks))
            print(f"    {share:.4f} of bm25s's first ten among its own")
    try:
        from rank_bm25 import BM25Okapi
    except ImportError:
        print("rank_bm25 is not here: pip install --target FOLDER rank_bm25, then --peers FOLDER")
        return
    words = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    took, slow = timed(lambda: BM25Okapi(words, k1=1.2, b=0.75))
    some = bm25s.tokenize(queries[: told.rank_bm25], stopwords="en", return_ids=False, show_progress=False)
    spent, _ = timed(lambda: [slow.get_top_n(query, range(len(texts)), n=depth) for query in some])
    told_line("rank_bm25, words ready", took, len(some) / spent, len(some), plain)


def vectors(told: argparse.Namespace, folder: Path) -> None:
    """FAISS: how long an index takes, how many queries a second it answers, and what share of the exact lists."""
    randomly = np.random.default_rng(7)
    space = randomly.standard_normal((48, NUMBERS)).astype(np.float32)

    def near(count: int) -> Any:
        made = randomly.standard_normal((count, 48)).astype(np.float32) @ space
        made += 1.5 * randomly.standard_normal((count, NUMBERS)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    stored, queries = near(told.passages), near(min(told.queries, 10_000))
    depth = min(DEPTH, len(stored))
    print(f"\n{len(stored):,} vectors of {NUMBERS} numbers, {depth} deep, {told.threads} threads\n")
    print(f"{'':<42}{'index, s':>10}{'queries/s':>12}{'queries':>10}{'of numpy':>10}{'recall':>9}{'MiB':>7}")
    few = queries[:2_000]

    def brute() -> Any:
        lists = []
        for at in range(0, len(few), 256):
            scores = few[at : at + 256] @ stored.T
            first = np.argpartition(-scores, depth - 1, axis=1)[:, :depth]
            order = np.argsort(-np.take_along_axis(scores, first, 1), axis=1)
            lists.append(np.take_along_axis(first, order, 1))
        return np.concatenate(lists)

    spent, _ = timed(brute)
    numpy = len(few) / spent
    told_line("numpy, every passage compared", 0.0, numpy, len(few), numpy, f"{1:>9.4f}")
    for kind in ("flat", "hnsw", "ivf_pq"):
        shape = shaped(DenseConfig(index=kind), len(stored))
        place = folder / kind
        place.mkdir()
        blocks = (stored[at : at + 4_096] for at in range(0, len(stored), 4_096))
        took, _ = timed(lambda blocks=blocks, shape=shape, place=place: built(blocks, len(stored), shape, place))  # type: ignore[misc]
        index = loaded(place, len(stored))
        spent, _ = timed(lambda index=index, shape=shape: found(index, queries, depth, shape, told.threads))  # type: ignore[misc]
        share = recall(index, queries[:500], depth, shape, told.threads)
        size = (place / "index.faiss").stat().st_size / 2**20
        told_line(f"rarefy, {kind}", took, len(queries) / spent, len(queries), numpy, f"{share:>9.4f}{size:>7.0f}")


def passages(count: int) -> Iterator[str]:
    """Passages whose words are as frequent as words are."""
    with gzip.open(Path(wordnet.__file__).parent / "english.tsv.gz", "rt", encoding="utf-8") as file:
        found = {word for line in file for word in line.split("\t") if word.isascii() and word.isalpha()}
    words = sorted(found)
    random.Random(1).shuffle(words)
    weights = 1 / (np.arange(len(words)) + 2.7)
    drawn = np.random.default_rng(1)
    of = np.array(words, dtype=object)
    chances = weights / weights.sum()
    for number in range(count):
        some = drawn.choice(len(words), size=int(drawn.integers(120, 260)), p=chances)
        year, amount, rate = drawn.integers(1990, 2030), drawn.integers(1, 99_999), drawn.integers(1, 999) / 10
        figures = f" {year} ${amount:,} {rate} number {number}."
        yield " ".join(of[some]) + figures


def asked(texts: list[str], count: int) -> Iterator[str]:
    """A dozen words of a passage, as a question."""
    for number in range(count):
        randomly = random.Random(number)
        words = texts[randomly.randrange(len(texts))].split()
        yield f"what is the {' '.join(randomly.sample(words, 9))} of {words[-3]}?"


def agreement(ranked: Any, plain: Any, scores: Any, names: list[str]) -> float:
    """The share of bm25s's first ten that stand among the first ten here or tie with the tenth."""
    shares = []
    for mine, theirs, values in zip(ranked, plain, scores, strict=True):
        sure = [names[at] for at, value in zip(theirs[:10], values[:10], strict=True) if value > values[9] * 1.01]
        shares.append(len(set(mine.chunk_ids[:10]) & set(sure)) / max(len(sure), 1) if sure else 1.0)
    return float(np.mean(shares))


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, of all threads, and what came of it: other work on the machine counts little."""
    began = time.process_time()
    made = work()
    return time.process_time() - began, made


def told_line(name: str, index: float, rate: float, queries: int, against: float, more: str = "") -> None:
    """One line of a table."""
    print(f"{name:<42}{index:>10.1f}{rate:>12,.1f}{queries:>10,}{rate / against:>10.3f}{more}", flush=True)


if __name__ == "__main__":
    main()
