"""How results show a protocol: its metrics in the paper's order, companion metrics, and which rows a metric is of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


class Column(Protocol):
    """A column of rows."""

    def among(self, *values: Any) -> Mask:
        """The rows that have one of these values."""
        ...


class Rows(Protocol):
    """The trials of one system under one protocol, answered or not."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """What slices name: cell, given, query, document, retriever, k, pattern, ..."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the protocol, by name."""
        ...

    def __len__(self) -> int: ...


def all_rows(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """A mask of all rows, for metrics whose slice names all that they are of."""
    return np.ones(len(rows), dtype=bool)


def is_closed(names: Sequence[tuple[str, str]]) -> bool:
    """Whether a slice is that of the answers without passages."""
    return ("k", "0") in names or ("", "NoRAG") in names


@dataclass(frozen=True)
class Title:
    """What a number is called in plain words, and what it says, in one line."""

    name: str
    about: str


@dataclass(frozen=True)
class Display:
    """What a report needs to know of a protocol; each field may be left out."""

    about: str = ""  # what the protocol asks, as a sentence for who has not read the paper
    titles: Mapping[str, Title] = field(default_factory=dict)  # of its numbers, by name
    accuracy: tuple[str, ...] = ()  # the share of right answers, that stands first; the first of these that is there
    refusals: tuple[str, ...] = ()  # the share of refusals, that follows it; the first of these that is there
    # said beside it where a system is mostly wrong: {robust} is the first of `main`, then of `metrics`, that is there,
    # {right} the accuracy
    caution: str = ""
    metrics: tuple[str, ...] = ()  # its numbers, as the paper has them one after the other
    main: tuple[str, ...] = ()  # those that tables of parts are of; () for its headlines
    beside: tuple[str, ...] = ()  # and what stands beside them: never a number without what it depends on
    unchanged: tuple[str, ...] = ()  # cells in which passages are given and nothing is changed
    companions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by headline: what follows it in tables
    terms: Mapping[str, str] = field(default_factory=dict)  # what the values of its slices mean, where no word says it
    absent: tuple[str, ...] = ()  # its numbers of what the corpus does not answer
    answerable: tuple[str, ...] = ()  # and those of all that it answers, of kinds that count or not
    # the rows that a number is of, besides what its slice says: (rows, name of the number, names of its slice)
    rows: Callable[[Rows, str, Sequence[tuple[str, str]]], Mask] = all_rows
