"""What is said of a corpus beforehand beside what the rules then find in it: questions by pattern, seconds.

python benchmarks/forecast.py ../shared/corpora/finance/10k-html ../shared/corpora/unseen/fomc-2019 [--limit 3]

Each corpus is built up to the gates with the default config, which is all that decides how many questions there are.
A folder given with :N at its end is read up to its N-th document.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from measuring import make_parser
from rich.console import Console

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Part, Run, Tables
from rarefy.flows.faults import UsageFault
from rarefy.flows.models.expected_questions import ExpectedQuestions, expect_questions, format_range, format_rounded
from rarefy.tasks.store.tables import Store

PATTERNS = ("single", "chain", "star", "inverted_star")


def main() -> None:
    """Print a line for each corpus."""
    parser = make_parser(__doc__)
    parser.add_argument("corpora", nargs="+", metavar="FOLDER[:N]")
    parser.add_argument("--store", default="", help="keeps what is made, so that a second run is quick")
    options = parser.parse_args()
    print("| corpus | characters | looked at | processor s | " + " | ".join(PATTERNS) + " |")
    print("|---|---:|---:|---:|" + "---:|" * len(PATTERNS))
    for corpus in options.corpora:
        with tempfile.TemporaryDirectory() as folder:
            print_corpus(corpus, options.store, folder)


def print_corpus(corpus: str, kept: str, folder: str) -> None:
    """Print the line of one corpus: of each pattern what was forecast, and what it came to."""
    path, _, limit = corpus.partition(":")
    # the forecast has a store of its own: where facts are known there is none
    first = Run(Store(f"{folder}/store"), ProgressBoard(Console(stderr=True), True))
    parts, _ = read_corpus(first, path, int(limit or 0))
    characters = sum(len(text) for part in parts for text in first.store.table(part["documents"])["text"].to_pylist())
    began = time.process_time()
    made = expect_questions(first, Config(), parts)
    seconds = time.process_time() - began
    assert made, "the default config has rules alone, and this store no facts"
    run = Run(Store(kept), ProgressBoard(Console(stderr=True), True)) if kept else first
    actual = count_questions(run, *read_corpus(run, path, int(limit or 0)))
    cells = [f"{format_forecast(made, pattern)} · **{actual[pattern]:,}**" for pattern in PATTERNS]
    name = "/".join(Path(path).resolve().parts[-2:]) + (f" ({limit})" if limit else "")
    looked = f"{made.documents:,} of {made.of:,}"
    print(f"| {name} | {characters:,} | {looked} | {seconds:.1f} | {' | '.join(cells)} |", flush=True)


def format_forecast(made: ExpectedQuestions, pattern: str) -> str:
    """What was said of one pattern."""
    return format_rounded(made.single) if pattern == "single" else format_range(made.multi[pattern])


def read_corpus(run: Run, corpus: str, limit: int) -> tuple[list[Part], Tables]:
    """The documents of a corpus, as a build begins with them."""
    read = run.read(stages.reading(Config()), run.sources(corpus), limit)
    return run.apart(read, limit, 1.0)


def count_questions(run: Run, parts: Sequence[Part], tables: Tables) -> Counter[str]:
    """How many questions of each pattern a build accepts; none where it ends before there are any."""
    config = Config()
    parts = run.each(stages.extracting(config), run.each(stages.chunking(config), parts))
    try:
        for kind, row_type in (("documents", Document), ("chunks", Chunk), ("triplets", Triplet)):
            tables = run.gather(kind, row_type, parts, tables)
        for stage in (
            stages.flagging,
            stages.normalising,
            stages.superseding,
            stages.tracing,
            stages.asking,
            stages.judging,
        ):
            tables = run.whole(stage(config), tables)
    except UsageFault:  # nothing to build
        return Counter()
    rows = run.store.table(tables["questions"]).select(["pattern", "rejected_because"]).to_pylist()
    return Counter(row["pattern"] for row in rows if not row["rejected_because"])


if __name__ == "__main__":
    main()
