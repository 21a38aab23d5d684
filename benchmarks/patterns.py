"""Patterns: census and sampling against a plain networkx walk, with time and memory.

python benchmarks/patterns.py ../shared/reference/openie-musique/openie_musique_train_results_*.json
python benchmarks/patterns.py --synthetic 1000000
"""

import json
import random
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, combinations, islice, pairwise
from pathlib import Path

import networkx as nx
from measuring import make_parser, peak_memory, time_call

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.graph import GraphConfig, count_paths, trace


def read_recording(path: Path) -> Iterator[Triplet]:
    """The well-formed triplets of an OpenIE recording, one chunk per passage."""
    for passage in json.loads(path.read_text())["docs"]:
        chunk_id = row_id(passage["passage"])
        for i, said in enumerate(passage["extracted_triples"]):
            if len(said) == 3 and all(isinstance(part, str) and part.strip() for part in said):
                yield make_triplet(chunk_id, i, *(part.strip() for part in said))


def make_triplets(size: int) -> Iterator[Triplet]:
    """Facts whose heads, tails and chunks follow a power law: 45 % values, 55 % things, 10 % said again elsewhere."""
    randomly = random.Random(size)
    names = max(size // 5, 10)
    weights = list(accumulate(1 / (rank + 1) for rank in range(names)))
    heads = randomly.choices(range(names), cum_weights=weights, k=size)
    tails = randomly.choices(range(names), cum_weights=weights, k=size)
    for i in range(size):
        chunk_id = f"{randomly.randrange(max(size // 25, 2)):016x}"
        relation = f"relation {randomly.randrange(40)}"
        said = (f"entity {heads[i]}", relation, f"entity {(tails[i] * 7919) % names}")
        if randomly.random() < 0.45:
            said = (said[0], relation, f"entity {heads[i]} {relation} {i}")
            yield make_triplet(chunk_id, i, *said, kind="MONEY")
        else:
            yield make_triplet(chunk_id, i, *said)
        if randomly.random() < 0.1:
            yield make_triplet(
                f"{randomly.randrange(max(size // 25, 2)):016x}",
                size + i,
                *said,
                kind="MONEY" * (said[2].count(" ") > 1),
            )


def make_triplet(chunk_id: str, i: int, subject: str, relation: str, object: str, kind: str = "") -> Triplet:
    return Triplet(
        triplet_id=row_id(chunk_id, i, subject, relation, object),
        chunk_id=chunk_id,
        doc_id=chunk_id,
        start=0,
        end=1,
        subject=subject,
        relation=relation,
        object=object,
        source_sentence="",
        method="model",
        object_type=kind,
        subject_key=subject.lower(),
        relation_key=relation.lower(),
        object_key=object.lower(),
    )


def list_all_paths(triplets: Iterable[Triplet], seconds: float) -> dict[str, object]:
    """What a plain program does: a DiGraph, every path listed, cut off after so many seconds.

    After RARE's published code: parallel relations overwrite each other, chains by depth-first walk, stars of the
    first four edges, inverted stars in pairs, every fact from another chunk.
    """
    graph = nx.DiGraph()
    for t in triplets:
        graph.add_edge(t.subject_key, t.object_key, chunk=t.chunk_id)
    end = time.perf_counter() + seconds
    found: dict[str, object] = {"edges": graph.number_of_edges()}
    for name, paths in (
        ("single", single_paths),
        ("inverted_star", inverted_star_paths),
        ("star", star_paths),
        ("chain", chain_paths),
    ):
        listed = []
        for path in paths(graph):
            if len({graph.edges[edge]["chunk"] for edge in path}) == len(path):
                listed.append(path)
            if time.perf_counter() > end:
                found[name] = f"{len(listed)} when cut off"
                return found
        found[name] = len(listed)
    return found


def single_paths(graph: nx.DiGraph) -> Iterator[list[tuple[str, str]]]:
    for head, tail in graph.edges:
        if graph.out_degree(tail) == 0 and graph.in_degree(tail) == 1:
            yield [(head, tail)]


def chain_paths(graph: nx.DiGraph) -> Iterator[list[tuple[str, str]]]:
    def further(path: list[str]) -> Iterator[list[tuple[str, str]]]:
        if len(path) > 2:
            yield list(pairwise(path))
        if len(path) < 4:
            for node in graph.successors(path[-1]):
                if node not in path:
                    yield from further([*path, node])

    for node in graph:
        yield from further([node])


def star_paths(graph: nx.DiGraph) -> Iterator[list[tuple[str, str]]]:
    for node in graph:
        edges = list(islice(graph.out_edges(node), 4))
        for size in range(2, 5):
            yield from map(list, combinations(edges, size))


def inverted_star_paths(graph: nx.DiGraph) -> Iterator[list[tuple[str, str]]]:
    for node in graph:
        yield from map(list, combinations(graph.in_edges(node), 2))


def print_timing(name: str, work: Callable[[], object]) -> object:
    took, cpu, result = time_call(work)
    memory = peak_memory() / 1024
    print(f"{name:<40}{took:8.2f} s ({cpu:.2f} of processor)   peak so far {memory:.2f} GiB", flush=True)
    return result


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("recording", type=Path, nargs="?", help="an OpenIE recording (HippoRAG's format)")
    parser.add_argument("--synthetic", type=int, help="a made graph of so many triplets instead")
    parser.add_argument("--quota", type=int, default=30_000, help="paths per pattern (RARE: 30000)")
    parser.add_argument("--plain-seconds", type=float, default=60, help="time for the plain program; 0 leaves it out")
    options = parser.parse_args()
    if (options.recording is None) == (options.synthetic is None):
        parser.error("give a recording, or --synthetic SIZE")

    def triplets() -> Iterable[Triplet]:
        return make_triplets(options.synthetic) if options.synthetic else rows

    rows = [] if options.synthetic else list(read_recording(options.recording))
    if options.synthetic:  # drawn anew each time, so that memory is the graph's; its cost is the first line
        print_timing("making the triplets alone", lambda: sum(1 for _ in triplets()))
    config = GraphConfig(quotas=dict.fromkeys(GraphConfig().patterns, options.quota))
    paths = print_timing("sampling", lambda: list(trace(triplets(), config)))
    rows_of = print_timing("census", lambda: count_paths(triplets(), config, paths))  # type: ignore[arg-type]
    for row in rows_of:  # type: ignore[attr-defined]
        sizes = ", ".join(f"{size}: {n:,}" for size, n in row.sizes)
        print(f"  {row.pattern:<14}{row.eligible:>26,} eligible ({sizes}) {row.sampled:>7,} taken {row.reason}")
    if options.plain_seconds:
        print(
            " ",
            print_timing(
                "plain networkx, as in RARE's code", lambda: list_all_paths(triplets(), options.plain_seconds)
            ),
        )


if __name__ == "__main__":
    main()
