"""What a pattern has to say about a graph."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rarefy.tasks.knowledge.graph.facts import Array


@dataclass(frozen=True, slots=True)
class Pick:
    """Facts that make a path, in the order in which it is told."""

    facts: tuple[int, ...]
    answer: int  # the fact that carries the answer
    pivot: int  # the node that the question does not name
    about: int = -1  # the node that `per_pivot` counts, where it is another


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern in a graph: counted when asked, and proposed path by path."""

    count: Callable[[], dict[int, int]]  # eligible paths by number of facts, exclusivity aside
    answers: Array  # the free facts that may carry an answer, ascending, thus by hash
    propose: Callable[[int, int], Iterator[Pick]]  # paths that end in this fact, best first; another way each turn
    rule: str  # the named options that decided
    capped: bool = True  # whether `per_pivot` applies
