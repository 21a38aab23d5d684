"""Cache the results of functions of short texts, within a fixed amount of memory."""

from collections.abc import Callable
from functools import lru_cache
from typing import Concatenate, ParamSpec, TypeVar, cast

LONGEST = 4_000  # characters: a passage is read many times in a row, and a long document seldom
MOST = 2_000  # texts: 16 MB at most where each is as long as it may be
BRIEF = 100  # characters of a value: there are many more of them than of passages, which they would put out
MOST_BRIEF = 10_000  # values

Result = TypeVar("Result")
Rest = ParamSpec("Rest")


def cache_short_texts(read: Callable[Concatenate[str, Rest], Result]) -> Callable[Concatenate[str, Rest], Result]:
    """The function with its results for short texts cached; long ones are read anew each time."""
    kept = cast(Callable[Concatenate[str, Rest], Result], lru_cache(MOST)(read))
    brief = cast(Callable[Concatenate[str, Rest], Result], lru_cache(MOST_BRIEF)(read))

    def found(text: str, /, *rest: Rest.args, **named: Rest.kwargs) -> Result:
        length = len(text)
        return (brief if length <= BRIEF else kept if length <= LONGEST else read)(text, *rest, **named)

    found.__doc__ = read.__doc__
    return found
