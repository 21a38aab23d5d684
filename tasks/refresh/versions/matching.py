"""Pairs of rows and texts of two versions: by name, by key, by order, by similarity."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

MIN_SIMILARITY = 60.0  # rapidfuzz's ratio, 0 to 100: far below that of a sentence with one figure restated
MAX_PAIRS = 40_000  # pairs of texts that are compared letter by letter; beyond that, those that begin alike are taken
PREFIX = 24  # characters
Row = dict[str, Any]
Item = TypeVar("Item")


@dataclass(frozen=True)
class MatchedRows:
    """The rows of two tables: those in both (row for row beside each other), and those in one alone."""

    old: pa.Table
    new: pa.Table
    gone: pa.Table
    added: pa.Table
    old_at: pa.ChunkedArray  # where the rows in both stand in their tables
    new_at: pa.ChunkedArray


def match_rows(old: pa.Table, new: pa.Table, name: str, beside: Sequence[str]) -> MatchedRows:
    """Match the rows of two tables by the column that names them; of those in both, it and `beside` are kept."""
    at = pc.index_in(new[name], value_set=old[name])
    both = pc.is_valid(at)
    columns = [name, *beside]
    old_at = at.filter(both)
    return MatchedRows(
        old=_wide(old.select(columns)).take(old_at),
        new=_wide(new.select(columns)).filter(both),
        gone=old.filter(pc.invert(pc.is_in(old[name], value_set=new[name]))),
        added=new.filter(pc.invert(both)),
        old_at=old_at,
        new_at=pc.indices_nonzero(both),
    )


def _wide(table: pa.Table) -> pa.Table:
    """The table with its text columns as large strings: what is taken from them may exceed 2 GiB."""
    fields = [field.with_type(pa.large_string()) if pa.types.is_string(field.type) else field for field in table.schema]
    return table.cast(pa.schema(fields))


def is_different(pair: MatchedRows, *columns: str) -> pa.ChunkedArray:
    """For each row in both tables: does any of these columns differ?"""
    differs = pc.not_equal(pair.old[columns[0]], pair.new[columns[0]])
    for name in columns[1:]:
        differs = pc.or_(differs, pc.not_equal(pair.old[name], pair.new[name]))
    return differs


def select_accepted(table: pa.Table) -> pa.Table:
    """The rows that were not rejected."""
    return table.filter(pc.equal(table["rejected_because"], ""))


def pair_by_key(
    gone: Iterable[Item], added: Iterable[Item], *keys: Callable[[Item], Hashable | None]
) -> list[tuple[Item, Item]]:
    """Pair old rows with new ones of equal key: by the first key, then what is left by the next.

    A row without a key (None) has no partner by it. Where several have the same key they pair in their order.
    """
    left, right = list(gone), list(added)
    pairs: list[tuple[Item, Item]] = []
    for key in keys:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for place in range(len(right) - 1, -1, -1):
            if (name := key(right[place])) is not None:
                waiting[name].append(place)
        rest, taken = [], set()
        for item in left:
            name = key(item)
            if name is not None and waiting.get(name):
                taken.add(place := waiting[name].pop())
                pairs.append((item, right[place]))
            else:
                rest.append(item)
        left, right = rest, [item for place, item in enumerate(right) if place not in taken]
    return pairs


def drop_paired_rows(
    old: Iterable[Row], new: Iterable[Row], pairs: Iterable[tuple[Row, Row]], name: str
) -> tuple[list[Row], list[Row]]:
    """The old and the new rows that are in none of the pairs; `name` is the column that names a row."""
    paired = {(side, row[name]) for pair in pairs for side, row in enumerate(pair)}
    return [row for row in old if (0, row[name]) not in paired], [row for row in new if (1, row[name]) not in paired]


def find_displaced(places: Sequence[int]) -> set[int]:
    """The positions of the fewest numbers whose removal leaves the rest ascending; O(n log n)."""
    ends: list[int] = []  # of the ascending run of each length, the smallest last number
    at: list[int] = []  # where that number stands
    before = [-1] * len(places)
    for position, place in enumerate(places):
        length = bisect_left(ends, place)
        before[position] = at[length - 1] if length else -1
        if length == len(ends):
            ends.append(place)
            at.append(position)
        else:
            ends[length] = place
            at[length] = position
    kept, position = set(), at[-1] if at else -1
    while position >= 0:
        kept.add(position)
        position = before[position]
    return set(range(len(places))) - kept


def pair_similar_texts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Positions of old and new texts that stand for each other: table rows of equal label, then the most similar."""
    first = _pair_table_rows(old, new)
    yield from first
    labelled = {old_at for old_at, _ in first}, {new_at for _, new_at in first}
    left = [at for at in range(len(old)) if at not in labelled[0]]
    right = [at for at in range(len(new)) if at not in labelled[1]]
    if not left or not right:
        return
    if len(left) * len(right) > MAX_PAIRS:
        yield from _pair_equal_keys(left, right, [text[:PREFIX] for text in old], [text[:PREFIX] for text in new])
        return
    from rapidfuzz import fuzz, process

    table = process.cdist(
        [old[at] for at in left], [new[at] for at in right], scorer=fuzz.ratio, score_cutoff=MIN_SIMILARITY
    )
    ranked = sorted((-float(table[i, j]), i, j) for i, j in zip(*table.nonzero(), strict=True))
    used: set[tuple[str, int]] = set()
    for _, i, j in ranked:
        if ("old", i) not in used and ("new", j) not in used:
            used |= {("old", i), ("new", j)}
            yield left[i], right[j]


def _pair_table_rows(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of table rows with the same first cell."""

    def label(text: str) -> str:
        return text.split("|")[1].strip() if text.startswith("|") and text.count("|") > 1 else ""

    labels = [label(text) for text in old], [label(text) for text in new]
    return list(_pair_equal_keys(range(len(old)), range(len(new)), *labels))


def _pair_equal_keys(
    left: Sequence[int], right: Sequence[int], old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Positions of equal keys, in their order; "" is no key."""
    waiting: dict[str, list[int]] = {}
    for at in reversed(right):
        waiting.setdefault(new[at], []).append(at)
    for at in left:
        if old[at] and waiting.get(old[at]):
            yield at, waiting[old[at]].pop()
