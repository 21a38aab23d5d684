"""How long chunking takes against tokenizing the same text once, and against other splitters.

    python benchmarks/chunking.py ../shared/corpora/finance/10k-html

Reading is not timed. The splitters that are not installed are named and skipped (pip install langchain-text-splitters
semantic-text-splitter). They cut the same text to the profile's size, always in tokens, and promise nothing else.
"""

import os
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from measuring import make_parser, read_documents, time_call
from rich.console import Console
from rich.table import Table

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.chunk import PROFILES, ChunkConfig, chunk
from rarefy.tasks.corpus.tokens import HuggingFaceCounter, counter

Splitter = Callable[[Document], int]  # the number of its chunks


def available_splitters(count: HuggingFaceCounter) -> Iterator[tuple[str, Splitter | str]]:
    """Who is measured, or why not."""
    config = ChunkConfig()
    yield "rarefy", lambda document: sum(1 for _ in chunk([document], config))
    try:
        from langchain_text_splitters import RecursiveCharacterTextSplitter
    except ImportError:
        yield "LangChain RecursiveCharacterTextSplitter", "langchain-text-splitters is not installed"
    else:

        def recursive(document: Document) -> int:
            profile = PROFILES[document.domain]
            splitter = RecursiveCharacterTextSplitter(
                chunk_size=profile.size, chunk_overlap=profile.overlap, length_function=lambda text: count([text])[0]
            )
            return len(splitter.split_text(document.text))

        yield "LangChain RecursiveCharacterTextSplitter", recursive
    try:
        from semantic_text_splitter import TextSplitter
    except ImportError:
        yield "semantic-text-splitter", "semantic-text-splitter is not installed"
    else:
        yield (
            "semantic-text-splitter",
            lambda document: len(
                TextSplitter.from_huggingface_tokenizer(
                    count.tokenizer, PROFILES[document.domain].size, PROFILES[document.domain].overlap
                ).chunks(document.text)
            ),
        )


def median_seconds(work: Callable[[], object], repeat: int) -> tuple[float, float]:
    """Median wall and processor seconds."""
    runs = [time_call(work) for _ in range(repeat)]
    return statistics.median(run.wall for run in runs), statistics.median(run.cpu for run in runs)


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    # one thread for all, as the splitters call the tokenizer text by text
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    documents = read_documents(options.corpus)
    count = counter("minilm")
    assert isinstance(count, HuggingFaceCounter)
    paragraphs = [part for document in documents for part in document.text.split("\n\n")]
    tokens = sum(count(paragraphs))  # and a warm-up
    base = median_seconds(lambda: count(paragraphs), options.repeat)
    size = sum(len(document.text) for document in documents)
    table = Table(title=f"{len(documents)} documents, {size:,} characters, {tokens:,} tokens; one thread")
    for column in ("", "wall s", "CPU s", "× tokenizing", "chunks"):
        table.add_column(column, justify="left" if not column else "right")
    table.add_row("tokenizing once, by paragraph", f"{base[0]:.2f}", f"{base[1]:.2f}", "1.00", "")
    for name, split in available_splitters(count):
        if isinstance(split, str):
            table.add_row(name, split)
            continue
        made = [split(document) for document in documents]
        wall, processor = median_seconds(
            lambda split=split: [split(document) for document in documents], options.repeat
        )
        table.add_row(name, f"{wall:.2f}", f"{processor:.2f}", f"{processor / base[1]:.2f}", f"{sum(made):,}")
    Console().print(table)


if __name__ == "__main__":
    main()
