"""Which rows a number is of: those of its system and protocol, of what its metric is about, and of its slice."""

import re
from collections.abc import Iterator

import numpy as np

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.protocols.display import is_closed
from rarefy.tasks.evaluate.protocols.sure_trials import TYPES
from rarefy.tasks.evaluate.results.drill.blocks import Block
from rarefy.tasks.evaluate.results.drill.categorical import Coded, Mask
from rarefy.tasks.evaluate.results.slices import number, parsed

_RETRIEVED = (
    "generator at fault",
    "retriever at fault",
    "answer shown without",
    "fault not known",
    "all gold retrieved",
    "right with",
    "refused though",
)  # of attribution, in any protocol


def rows_of(block: Block, metric: str, slice_: str) -> tuple[Mask, tuple[str, ...]]:
    """The rows of a number, and the names of its slice that no column of theirs narrows down."""
    names = parsed(slice_)
    if metric.lower().startswith(_RETRIEVED):
        mask = ~block.columns["retriever"].among("") & block.columns["document"].among("")
    else:
        mask = display_of(block.protocol).rows(block, metric, names)
    closed, unused = is_closed(names), []
    for name, value in names:
        if closed and name in ("k", ""):
            continue
        parts = list(_parts(block, name, value))
        if not parts:
            unused.append(f"{name}={value}" if name else value)
            continue
        mask &= next((part for part in parts if (part & mask).any()), parts[0])
    return mask, tuple(unused)


def _parts(block: Block, name: str, value: str) -> Iterator[Mask]:
    """What a name and value can mean, the likeliest first; the first that any row has is taken."""
    plain = name.strip().lower().replace(" ", "_")
    columns = block.columns
    if plain == "subset":
        yield from _subset(block, value)
    elif plain == "type":
        yield columns["document"].among(*TYPES.get(value, ()))
    elif plain in ("against", "baseline"):  # what the rows are compared with, not which they are
        yield np.ones(len(block), dtype=bool)
    elif plain in ("perturbation", "wording", "query"):
        yield columns["query"].among(value)
        yield columns["document"].among(value)
        yield columns["cell"].among(value)
    elif plain in ("document", "family", "class", "cell", "setting", "noise", "subtype"):
        for column in ("cell", "document", "mix", "placed"):
            yield columns[column].among(value)
    elif plain == "length":
        yield columns["bin"].among(value)
    elif plain in columns:
        yield _equal(columns[plain], value)
    elif plain == "":
        yield from (_equal(told, value) for told in columns.values())


def _subset(block: Block, value: str) -> Iterator[Mask]:
    """SURE's subsets: K-G, K-N, U-G, U-N; golden, noise, total."""
    cells, known = block.columns["cell"], block.columns["known"]
    kind = re.fullmatch(r"([KU])-?([GN])", value)
    if kind:
        cell = "golden" if kind[2] == "G" else "noise"
        yield cells.among(cell) & known.among("yes" if kind[1] == "K" else "no")
    elif value in ("golden", "noise"):
        yield cells.among(value)
    elif value in ("total", "all"):
        yield np.ones(len(block), dtype=bool)


def _equal(column: Coded, value: str) -> Mask:
    """The rows with this value, whether the column has text or numbers."""
    wanted = number(value)
    return column.among(value) if wanted is None else column.among(value) | column.near(wanted)
