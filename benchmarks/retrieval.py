"""BM25 over 100,000 passages beside bm25s used plainly and rank_bm25; FAISS beside every passage compared in numpy.

python benchmarks/retrieval.py                          100,000 passages, 30,000 queries, 100 deep
python benchmarks/retrieval.py --passages 2300 --queries 1000
python benchmarks/retrieval.py --peers FOLDER           where `pip install --target FOLDER rank_bm25` put it
python benchmarks/retrieval.py --only bm25 | dense
python benchmarks/retrieval.py --texts FOLDER           passages from the .txt and .md files of a folder

Passages of a folder are windows of 190 words, which overlap where the texts are too few. Without a folder they are
made: words by Zipf's law from WordNet's, 120 to 260 of them, with figures and years. A query is a dozen words of one
passage. Vectors lie near a space of 48 dimensions, as those of sentence models do, with noise.
Seconds are of the processor, of all threads, and every ratio is of two measurements of one run. What is slow is
measured on fewer queries; the table says on how many.
"""

import argparse
import gzip
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from measuring import make_parser, peak_memory, print_head, print_row, time_call

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.bm25 import open_bm25
from rarefy.tasks.evaluate.retrieve.config import DenseConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.dense import build_index, choose_shape, load_index, measure_recall, search_index
from rarefy.tasks.evaluate.retrieve.search import Passages
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.text import wordnet

DEPTH = 100
NUMBERS = 384
PLAIN = {"pattern": r"\b\w\w+\b", "stemmer": "none"}  # what bm25s does when it is not told otherwise


def main() -> None:
    """Print both tables."""
    parser = make_parser(__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=30_000)
    parser.add_argument("--rank-bm25", type=int, default=100, help="queries that rank_bm25 is measured on")
    parser.add_argument("--peers", default="", help="folder with rank_bm25")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=("bm25", "dense"))
    parser.add_argument("--texts", type=Path, help="folder of texts (default: made ones)")
    options = parser.parse_args()
    sys.path.append(options.peers)
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "dense":
            measure_bm25(options, Path(folder))
        if options.only != "bm25":
            measure_faiss(options, Path(folder))
    print(f"\npeak memory of this process {peak_memory() / 1024:.2f} GiB")


def measure_bm25(options: argparse.Namespace, folder: Path) -> None:
    """BM25: how long an index takes and how many queries a second it answers."""
    import bm25s

    texts = list(
        islice(cut_windows(options.texts, options.passages), options.passages)
        if options.texts
        else make_passages(options.passages)
    )
    queries = list(make_queries(texts, options.queries))
    chunks = {f"{n:08x}": Chunk(f"{n:08x}", "d", 0, len(text), "text", "", text, 0) for n, text in enumerate(texts)}
    depth = min(DEPTH, len(texts))
    print(f"\nBM25 over {len(texts):,} passages, {len(queries):,} queries, {depth} deep\n")
    print_head("BM25", "index, s", "queries/s", "measured on", f"{len(queries):,} queries, s", "of plain bm25s")

    def plain_index() -> Any:
        index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
        return index

    took, index = time_cpu(plain_index)

    def plainly() -> Any:
        tokens = bm25s.tokenize(queries, stopwords="en", return_ids=False, show_progress=False)
        return index.retrieve(tokens, k=depth, show_progress=False)

    spent, (plain_found, plain_scores) = time_cpu(plainly)
    plain = len(queries) / spent
    print_row("bm25s, used plainly", f"{took:.1f}", *format_rate(len(queries), spent, len(queries), plain))
    for name, analysis in (("rarefy, bm25s's words", PLAIN), ("rarefy, its own words and stems", {})):
        config = RetrieveConfig.model_validate({"retrievers": ("bm25",), "analysis": analysis, "titled": False})
        took, search = time_cpu(
            lambda config=config: open_bm25(  # type: ignore[misc]
                Passages(chunks, False), config, cache=folder, threads=1, means=InferenceContext()
            )
        )
        spent, ranked = time_cpu(lambda search=search: search(queries, depth))  # type: ignore[misc]
        print_row(name, f"{took:.1f}", *format_rate(len(queries), spent, len(queries), plain))
        if analysis:
            share = share_of_top_ten(ranked, plain_found, plain_scores, list(chunks))
    with suppress(ImportError):
        measure_rank_bm25(options, texts, queries, plain)
    print(f"\n{share:.4f} of the first ten of plain bm25s stand among rarefy's first ten by the same words.")


def measure_rank_bm25(options: argparse.Namespace, texts: list[str], queries: list[str], plain: float) -> None:
    """The line of rank_bm25, which is measured on few queries; ImportError where it is not here."""
    import bm25s

    try:
        from rank_bm25 import BM25Okapi
    except ImportError:
        print("\nrank_bm25 is not here: pip install --target FOLDER rank_bm25, then --peers FOLDER")
        raise
    words = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    took, slow = time_cpu(lambda: BM25Okapi(words, k1=1.2, b=0.75))
    some = bm25s.tokenize(queries[: options.rank_bm25], stopwords="en", return_ids=False, show_progress=False)
    spent, _ = time_cpu(lambda: [slow.get_top_n(query, range(len(texts)), n=DEPTH) for query in some])
    print_row("rank_bm25, words ready", f"{took:.1f}", *format_rate(len(some), spent, len(queries), plain))


def measure_faiss(options: argparse.Namespace, folder: Path) -> None:
    """FAISS: how long an index takes, how many queries a second it answers, and what share of the exact lists."""
    randomly = np.random.default_rng(7)
    space = randomly.standard_normal((48, NUMBERS)).astype(np.float32)

    def near(count: int) -> Any:
        made = randomly.standard_normal((count, 48)).astype(np.float32) @ space
        made += 1.5 * randomly.standard_normal((count, NUMBERS)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    stored, queries = near(options.passages), near(min(options.queries, 10_000))
    depth = min(DEPTH, len(stored))
    print(f"\n{len(stored):,} vectors of {NUMBERS} numbers, {depth} deep, {options.threads} threads\n")
    total = options.queries
    print_head("FAISS", "index, s", "queries/s", "measured on", f"{total:,} queries, s", "of numpy", "recall", "MiB")
    few = queries[:2_000]

    def brute() -> Any:
        lists = []
        for at in range(0, len(few), 256):
            scores = few[at : at + 256] @ stored.T
            first = np.argpartition(-scores, depth - 1, axis=1)[:, :depth]
            order = np.argsort(-np.take_along_axis(scores, first, 1), axis=1)
            lists.append(np.take_along_axis(first, order, 1))
        return np.concatenate(lists)

    spent, _ = time_cpu(brute)
    numpy = len(few) / spent
    print_row(
        "numpy, every passage compared",
        "",
        *format_rate(len(few), spent, total, numpy),
        "1",
        f"{stored.nbytes / 2**20:.0f}",
    )
    for kind in ("flat", "hnsw", "ivf_pq"):
        shape = choose_shape(DenseConfig(index=kind), len(stored))
        place = folder / kind
        place.mkdir()
        blocks = (stored[at : at + 4_096] for at in range(0, len(stored), 4_096))
        took, _ = time_cpu(
            lambda blocks=blocks, shape=shape, place=place: build_index(blocks, len(stored), shape, place)
        )  # type: ignore[misc]
        index = load_index(place, len(stored))
        spent, _ = time_cpu(
            lambda index=index, shape=shape: search_index(index, queries, depth, shape, options.threads)
        )  # type: ignore[misc]
        share = measure_recall(index, queries[:500], depth, shape, options.threads)
        size = (place / "index.faiss").stat().st_size / 2**20
        told_pace = format_rate(len(queries), spent, total, numpy)
        print_row(f"rarefy, {kind}", f"{took:.1f}", *told_pace, f"{share:.4f}", f"{size:.0f}")


def cut_windows(folder: Path, count: int) -> Iterator[str]:
    """So many windows of 190 words over the texts of a folder, evenly spread."""
    found = sorted(path for path in folder.rglob("*") if path.suffix in {".txt", ".md"})
    words = [path.read_text(encoding="utf-8", errors="replace").split() for path in found]
    step = max(sum(len(some) for some in words) / count, 1e-9)
    at = 0.0  # of the next window, in words from the beginning of its text
    for some in words:
        while at < len(some):
            start = max(0, min(int(at), len(some) - 190))
            yield " ".join(some[start : start + 190])
            at += step
        at -= len(some)


def make_passages(count: int) -> Iterator[str]:
    """Passages whose words are as frequent as words are."""
    with gzip.open(Path(wordnet.__file__).parent / "english.tsv.gz", "rt", encoding="utf-8") as file:
        found = {word for line in file for word in line.split("\t") if word.isascii() and word.isalpha()}
    words = sorted(found)
    random.Random(1).shuffle(words)
    weights = 1 / (np.arange(len(words)) + 2.7)
    drawn = np.random.default_rng(1)
    of = np.array(words, dtype=object)
    up_to = (weights / weights.sum()).cumsum()
    up_to /= up_to[-1]
    for number in range(count):
        some = up_to.searchsorted(drawn.random(int(drawn.integers(120, 260))), side="right")  # as `choice` does
        year, amount, rate = drawn.integers(1990, 2030), drawn.integers(1, 99_999), drawn.integers(1, 999) / 10
        figures = f" {year} ${amount:,} {rate} number {number}."
        yield " ".join(of[some]) + figures


def make_queries(texts: list[str], count: int) -> Iterator[str]:
    """A dozen words of a passage, as a question."""
    for number in range(count):
        randomly = random.Random(number)
        words = texts[randomly.randrange(len(texts))].split()
        yield f"what is the {' '.join(randomly.sample(words, min(9, len(words))))} of {words[-1]}?"


def share_of_top_ten(ranked: Any, plain: Any, scores: Any, names: list[str]) -> float:
    """The share of bm25s's first ten that stand among the first ten here or tie with the tenth."""
    shares = []
    for mine, theirs, values in zip(ranked, plain, scores, strict=True):
        sure = [names[at] for at, value in zip(theirs[:10], values[:10], strict=True) if value > values[9] * 1.01]
        shares.append(len(set(mine.chunk_ids[:10]) & set(sure)) / max(len(sure), 1) if sure else 1.0)
    return float(np.mean(shares))


def time_cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, of all threads, and what came of it: other work on the machine counts little."""
    timing = time_call(work)
    return timing.cpu, timing.result


def format_rate(some: int, spent: float, every: int, against: float) -> tuple[str, str, str, str]:
    """Queries a second, on how many that was measured, the seconds that all would take, the rate against another."""
    rate = some / spent
    return (
        f"{rate:,.1f}" if rate < 100 else f"{rate:,.0f}",
        f"{some:,}",
        f"{every / rate:,.1f}",
        f"{rate / against:.3f}",
    )


if __name__ == "__main__":
    main()
