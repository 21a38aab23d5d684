"""How long the logic, format and metadata variants of 20,000 chunks take, with their checks and their spans.

    python benchmarks/document_variants.py ../shared/corpora/finance/10k-html

Reading and chunking are not timed. Chunks are gone through again until there are enough of them; each has one question,
on one of its sentences, and all that a run does with a variant is done but writing it.
"""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from measuring import make_parser, peak_memory, read_documents
from numpy.typing import NDArray

from rarefy.data_contracts.rows import Chunk, Question, Span, Variant
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.perturb import PerturbConfig, vary
from rarefy.tasks.text.sentences import sentences

FAMILIES = ("logic", "format", "metadata")


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    documents = read_documents(options.corpus)
    chunks = list(islice(cycle(list(chunk(documents, ChunkConfig()))), options.chunks))
    share = -(-len(chunks) // options.processes)
    parts = [chunks[i : i + share] for i in range(0, len(chunks), share)]
    lines = [
        "| family | variants | kept | wall s | CPU s | variants/s | MB at half | MB at the end |",
        "|" + "---|" * 8,
    ]
    wall = cpu = 0.0
    with ProcessPoolExecutor(len(parts), mp_context=get_context("spawn")) as pool:
        list(pool.map(measure_family, [part[:50] for part in parts], ["format"] * len(parts)))  # imports are not timed
        for family in FAMILIES:
            started = time.perf_counter()
            done = list(pool.map(measure_family, parts, [family] * len(parts)))
            seconds = time.perf_counter() - started
            spent = sum(processor for _, processor, _, _ in done)
            counts = sum((found for found, _, _, _ in done), Counter[str]())
            made, half, end = counts.total(), max(d[2] for d in done), max(d[3] for d in done)
            row = (family, f"{made:,}", f"{counts['']:,}", f"{seconds:.1f}", f"{spent:.1f}", f"{made / seconds:,.0f}")
            lines.append("| " + " | ".join([*row, f"{half:.0f}", f"{end:.0f}"]) + " |")
            wall, cpu = wall + seconds, cpu + spent
    lines.append(f"| all | | | {wall:.1f} | {cpu:.1f} | | | |")
    characters = sum(len(c.text) for c in chunks)
    print(f"{len(chunks):,} chunks, {characters:,} characters, {len(parts)} processes\n")
    print("\n".join(lines))


def measure_family(chunks: Sequence[Chunk], family: str) -> tuple[Counter[str], float, float, float]:
    """Variants by what became of them, CPU seconds, and the most memory in use by half of the work and by its end."""
    config = PerturbConfig(query=(), document=(family,), context=())
    counts: Counter[str] = Counter()
    started, half = time.process_time(), 0.0
    for number, part in enumerate(chunks[i : i + 1_000] for i in range(0, len(chunks), 1_000)):
        known = {c.chunk_id: c for c in part}
        for row in vary(map(make_question, part), config, chunks=known, embed=refuse_to_embed):
            if isinstance(row, Variant) and row.side == "document":
                counts[row.rejected_because] += 1
        if (number + 1) * 2_000 >= len(chunks) and not half:
            half = peak_memory()
    return counts, time.process_time() - started, half, peak_memory()


def make_question(c: Chunk) -> Question:
    """A question on the middle sentence of a chunk, answered by its longest word."""
    spans = sentences(c.text)
    start, end = spans[len(spans) // 2]
    evidence = c.text[start:end]
    answer = max(evidence.split(), key=len)
    span = (Span(c.chunk_id, start, end),)
    return Question(f"q {c.chunk_id}", "", "single", "?", answer, (), (), (c.chunk_id,), (evidence,), span)


def refuse_to_embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """An embedder that no variant of these families may call."""
    raise AssertionError("the likeness of these variants is that of their words")


if __name__ == "__main__":
    main()
