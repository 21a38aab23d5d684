"""What was found of a text, kept for the next that asks: of so few and so short texts that memory stays flat."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

LONGEST = 4_000  # characters: a passage is read many times in a row, and a long document seldom
MOST = 2_000  # texts: 16 MB at most where each is as long as it may be

Result = TypeVar("Result")


def small(read: Callable[[str], Result]) -> Callable[[str], Result]:
    """The same function with what it found of short texts kept; long ones are read anew."""
    kept = lru_cache(MOST)(read)

    def found(text: str) -> Result:
        return kept(text) if len(text) <= LONGEST else read(text)

    found.__doc__ = read.__doc__
    return found
