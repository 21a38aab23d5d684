"""BM25 here (bm25s) beside a server of Elasticsearch: seconds to fill, queries a second, memory.

python benchmarks/search_server.py --passages 20000 300000 --server-pid PID     with ELASTICSEARCH_URL set

Passages and queries are those that benchmarks/retrieval.py makes. Each line is of a process of its own, whose peak of
memory includes the texts, which both retrievers hold; the memory of the server is what it holds at the end. Seconds are
of the clock, since the server computes elsewhere. The index is deleted from the server afterwards.
"""

import argparse
import multiprocessing
import tempfile
from pathlib import Path

from measuring import make_parser, peak_memory, print_head, print_row, resident_memory, time_call
from retrieval import DEPTH, make_passages, make_queries

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve import RETRIEVERS
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.elastic import Elasticsearch
from rarefy.tasks.evaluate.retrieve.search import Passages
from rarefy.tasks.models.llm.config import InferenceContext


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--passages", type=int, nargs="+", default=[20_000, 300_000])
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--retrievers", nargs="+", default=["bm25", "elasticsearch"])
    parser.add_argument("--server-pid", default="", help="process of the server, for its memory")
    options = parser.parse_args()
    print_head("passages", "retriever", "fill, s", "queries/s", "peak MiB here", "MiB of the server", text_columns=2)
    for count in options.passages:
        for name in options.retrievers:
            child = multiprocessing.get_context("fork").Process(target=measure, args=(name, count, options))
            child.start()
            child.join()


def measure(name: str, count: int, options: argparse.Namespace) -> None:
    """Print the line of one retriever."""
    texts = list(make_passages(count))
    queries = list(make_queries(texts, options.queries))
    chunks = {f"{n:08x}": Chunk(f"{n:08x}", "d", 0, len(text), "text", "", text, 0) for n, text in enumerate(texts)}
    own = {"alias": "rarefy-benchmark"}
    config = RetrieveConfig.model_validate({"retrievers": (name,), "titled": False, "elasticsearch": own})
    with tempfile.TemporaryDirectory() as folder:
        filled = time_call(
            lambda: RETRIEVERS[name](
                Passages(chunks, False), config, cache=Path(folder), threads=1, means=InferenceContext()
            )
        )
        search = filled.result
        search(queries[:10], DEPTH)
        searched = time_call(lambda: search(queries, DEPTH))
    server = ""
    if isinstance(search, Elasticsearch):
        server = f"{resident_memory(options.server_pid):,.0f}" if options.server_pid else "?"
        search.server.client.indices.delete(index=search.name)
    rate = len(queries) / searched.wall
    print_row(f"{len(chunks):,}", name, f"{filled.wall:.1f}", f"{rate:,.0f}", f"{peak_memory():,.0f}", server)


if __name__ == "__main__":
    main()
