"""The rows that a row is compared with: the same question unchanged, and without passages."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.results.drill.blocks import Block

PLAIN, CLOSED = "nothing changed", "without passages"
Key = tuple[int, str, str]


def partners(block: Block, rows: Sequence[int]) -> dict[int, list[tuple[str, int]]]:
    """For each row label and row of its partners, of the same system and protocol; no row is its own."""
    columns = block.columns
    plain = columns["cell"].among(*display_of(block.protocol).unchanged)
    plain &= columns["query"].among("none", "") & columns["document"].among("none", "")
    of = {PLAIN: _by_key(block, np.flatnonzero(plain)), CLOSED: _by_key(block, _closed(block))}
    found: dict[int, list[tuple[str, int]]] = {}
    for row in rows:
        keys = {PLAIN: _key(block, row), CLOSED: (int(block.question[row]), "", "closed_book")}
        beside = [(label, of[label].get(key)) for label, key in keys.items()]
        found[row] = [(label, other) for label, other in beside if other is not None and other != row]
    return found


def _closed(block: Block) -> npt.NDArray[np.int64]:
    """Probes: asked in the wording that stands."""
    columns = block.columns
    asked = columns["given"].among("closed_book") & columns["query"].among("none", "")
    return np.flatnonzero(asked)


def _by_key(block: Block, rows: npt.NDArray[np.int64]) -> dict[Key, int]:
    """The first row of each key; a question that is not known has none."""
    found: dict[Key, int] = {}
    for row in rows[block.question[rows] >= 0]:
        found.setdefault(_key(block, int(row)), int(row))
    return found


def _key(block: Block, row: int) -> Key:
    chunk = str(block.columns["chunk_id"][row]) if block.protocol == "sure" else ""
    given = str(block.columns["given"][row])
    return int(block.question[row]), "" if given == "closed_book" else chunk, given
