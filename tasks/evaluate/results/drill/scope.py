"""Which rows a number is of: those of its system and protocol, of what its metric is about, and of its slice."""

import re
from collections.abc import Callable, Iterator

import numpy as np

from rarefy.tasks.evaluate.results.drill.blocks import Block
from rarefy.tasks.evaluate.results.drill.categorical import Coded, Mask
from rarefy.tasks.evaluate.results.slices import number, parsed

Told = Callable[[Block], Mask]


def _is(name: str, *values: str) -> Told:
    return lambda block: block.columns[name].among(*values)


def _not(name: str, *values: str) -> Told:
    return lambda block: ~block.columns[name].among(*values)


def _either(*told: Told) -> Told:
    return lambda block: np.logical_or.reduce([one(block) for one in told])


def _with_original(block: Block) -> Mask:
    """All rows where RARE's `include_original` counts originals in its robustness to queries and documents, or none."""
    return np.full(len(block), bool(block.options.get("include_original", False)))


# What a metric leaves out, where its name says more than its slice: (protocol, beginning of its name), first match
_METRICS: tuple[tuple[str, str, tuple[Told, ...]], ...] = (
    ("rare", "Known", (_is("given", "closed_book"),)),
    ("rare", "Query Robustness", (_is("cell", "gold"), _either(_with_original, _not("query", "none")))),
    (
        "rare",
        "Document Robustness",
        (
            _is("query", "none"),
            _either(
                _is("cell", "lexical_similar", "lexical_different"),
                lambda block: _is("cell", "gold")(block) & _with_original(block),
            ),
        ),
    ),
    ("rare", "Real-World Retrieval Robustness, all", (_is("cell", "retrieved"),)),
    ("rare", "Real-World", (_is("cell", "retrieved"), _is("query", "none"))),
    ("rare", "", (_not("cell", "probe"),)),
    ("sure", "", (_not("document", "none", ""), _not("cell", "probe"))),
    ("effect_size", "", (_not("cell", "original", "repeat"),)),
    ("retrieval_robustness", "closed-book", (_is("given", "closed_book"),)),
    ("retrieval_robustness", "best closed-book", (_is("given", "closed_book"),)),
)
_RETRIEVED = (
    "generator at fault",
    "retriever at fault",
    "answer shown without",
    "fault not known",
    "all gold retrieved",
    "right with",
    "refused though",
)  # of attribution, in any protocol
# Magic Mushroom's analyses: the first whose name the slice has says which cell is meant
_ANALYSES = {"scenario": "scenario", "class": "class", "position": "position", "placed": "position", "length": "length"}


def rows_of(block: Block, metric: str, slice_: str) -> tuple[Mask, tuple[str, ...]]:
    """The rows of a number, and the names of its slice that no column of theirs narrows down."""
    names = parsed(slice_)
    mask = np.ones(len(block), dtype=bool)
    for told in _of_metric(block.protocol, metric):
        mask &= told(block)
    closed = ("k", "0") in names or ("", "NoRAG") in names
    if block.protocol == "retrieval_robustness" and "closed-book" not in metric:
        mask &= block.columns["given"].among("closed_book") == closed
    elif block.protocol == "magic_mushroom":
        cell = next((cell for name, cell in _ANALYSES.items() if name in dict(names)), "ratio")
        mask &= block.columns["cell"].among("probe" if closed else cell)
    unused = []
    for name, value in names:
        if closed and name in ("k", ""):
            continue
        parts = list(_parts(block, name, value))
        if not parts:
            unused.append(f"{name}={value}" if name else value)
            continue
        mask &= next((part for part in parts if (part & mask).any()), parts[0])
    return mask, tuple(unused)


def _of_metric(protocol: str, metric: str) -> tuple[Told, ...]:
    if metric.lower().startswith(_RETRIEVED):
        return (_not("retriever", ""), _is("document", ""))
    for name, beginning, told in _METRICS:
        if name == protocol and metric.lower().startswith(beginning.lower()):
            return told
    return ()


def _parts(block: Block, name: str, value: str) -> Iterator[Mask]:
    """What a name and value can mean, the likeliest first; the first that any row has is taken."""
    plain = name.strip().lower().replace(" ", "_")
    columns = block.columns
    if plain == "subset":
        yield from _subset(block, value)
    elif plain == "type":
        from rarefy.tasks.evaluate.protocols.sure import TYPES

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
