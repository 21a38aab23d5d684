"""No text is read or chunked in more than about its share of time: what is four times as long takes four times."""

import time
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.corpus.read import ReadConfig, list_sources, read
from tests.tasks.corpus.read.killers import KILLERS

SIZE = 40_000  # characters
FLOOR = 0.4  # seconds: what takes less for the longest is quick enough, and too short to be compared
TRIES = 5  # a busy machine disturbs one of them


def seconds(folder: Path, name: str, size: int) -> float:
    """Of this process's work on reading and chunking."""
    (folder / name).write_text(KILLERS[name](size))
    (source,) = list_sources(folder)
    start = time.process_time()
    documents = [row for row in read(source, ReadConfig()) if isinstance(row, Document)]
    list(chunk(documents, ChunkConfig()))
    return time.process_time() - start


@pytest.mark.parametrize("name", KILLERS)
def test_four_times_as_much_takes_no_more_than_eight_times_as_long(tmp_path: Path, name: str) -> None:
    seconds(tmp_path, name, SIZE // 10)  # imports and tables of the tokenizer
    for _ in range(TRIES):
        once, twice, four = (seconds(tmp_path, name, SIZE * times) for times in (1, 2, 4))
        if four < FLOOR or four < 8 * max(once, FLOOR / 8) or four < 4 * max(twice, FLOOR / 4):
            return
    pytest.fail(f"{name}: {once:.2f} s, {twice:.2f} s and {four:.2f} s for 1, 2 and 4 times {SIZE:,} characters")
