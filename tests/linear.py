"""Is work linear in its input? One, two and four times as much, in one run."""

import time
from collections.abc import Callable

SIZE = 10_000  # characters
FLOOR = 0.4  # seconds: what takes less for the longest is quick enough, and too short to be compared
TRIES = 5  # a busy machine disturbs one of them


def long(piece: str) -> Callable[[int], str]:
    """A function that repeats a piece up to so many characters."""
    return lambda n: (piece * (n // len(piece) + 1))[:n]


def longer_than_linear(work: Callable[[int], object]) -> str:
    """How long one, two and four times as much took, where that is more than linear in every try; "" where not."""
    for _ in range(TRIES):
        took = []
        for times in (1, 2, 4):
            start = time.process_time()
            work(SIZE * times)
            took.append(time.process_time() - start)
        once, twice, four = took
        if four < FLOOR or four < 8 * max(once, FLOOR / 8) or four < 4 * max(twice, FLOOR / 4):
            return ""
    return f"{once:.2f} s, {twice:.2f} s and {four:.2f} s for 1, 2 and 4 times {SIZE:,} characters"
