"""What the benchmarks share: command line, corpora, seconds, memory, intervals and Markdown tables.

Only the standard library is imported at the top: one script runs in environments that have nothing else.
"""

import argparse
import resource
import time
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rarefy.data_contracts.rows import Document


class Timing(NamedTuple):
    """How long a call took, and what it returned."""

    wall: float  # seconds
    cpu: float  # processor seconds of this process, of all its threads
    result: Any


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """A command line whose help shows the script's docstring as it is written."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def read_documents(folder: Path) -> "list[Document]":
    """Every document of a folder that can be read, with the default settings."""
    from rarefy.data_contracts.rows import Document
    from rarefy.tasks.corpus.read import ReadConfig, read_corpus

    return [row for row in read_corpus(folder, ReadConfig()) if isinstance(row, Document)]


def time_call(work: Callable[[], Any]) -> Timing:
    """Call a function once and time it."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu, result)


def peak_memory() -> float:
    """The most memory that this process has held so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_memory(pid: int | str = "self") -> float:
    """The memory that a process holds now, in MiB; 0 where there is no such process. Shared pages count for each."""
    try:
        pages = int(Path("/proc", str(pid), "statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * resource.getpagesize() / 2**20


def wilson_interval(hits: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of the share `hits / total`; `total` is above 0."""
    z, share = 1.96, hits / total
    middle = share + z * z / (2 * total)
    half = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    low, high = ((middle + sign * half) / (1 + z * z / total) for sign in (-1, 1))
    return max(low, 0.0), high


def print_row(*cells: object) -> None:
    """Print one line of a Markdown table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def print_head(*names: str, text_columns: int = 1) -> None:
    """Print the head of a Markdown table: columns of text first, then columns of numbers."""
    print_row(*names)
    rules = ["---" if at < text_columns else "---:" for at in range(len(names))]
    print(f"|{'|'.join(rules)}|", flush=True)
