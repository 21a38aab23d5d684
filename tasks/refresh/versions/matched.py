"""Two tables side by side by the names of their rows, in time that grows with the rows and no faster."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

Row = dict[str, Any]
Key = Callable[[Row], Hashable]
One = TypeVar("One")


@dataclass(frozen=True)
class Matched:
    """The rows of two tables: those in both (row for row beside each other), and those in one alone."""

    old: pa.Table
    new: pa.Table
    gone: pa.Table
    added: pa.Table
    old_at: pa.ChunkedArray  # where the rows in both stand in their tables
    new_at: pa.ChunkedArray


def matched(old: pa.Table, new: pa.Table, name: str, beside: Sequence[str]) -> Matched:
    """The rows by this column, which names them; of those in both, this column and those `beside`."""
    at = pc.index_in(new[name], value_set=old[name])
    both = pc.is_valid(at)
    columns = [name, *beside]
    old_at = at.filter(both)
    return Matched(
        old=_wide(old.select(columns)).take(old_at),
        new=_wide(new.select(columns)).filter(both),
        gone=old.filter(pc.invert(pc.is_in(old[name], value_set=new[name]))),
        added=new.filter(pc.invert(both)),
        old_at=old_at,
        new_at=pc.indices_nonzero(both),
    )


def _wide(table: pa.Table) -> pa.Table:
    """The table with text columns that may hold more than 2 GiB in one piece, as what is taken from them does."""
    fields = [field.with_type(pa.large_string()) if pa.types.is_string(field.type) else field for field in table.schema]
    return table.cast(pa.schema(fields))


def differs(pair: Matched, *columns: str) -> pa.ChunkedArray:
    """Of the rows in both: is any of these columns another one?"""
    told = pc.not_equal(pair.old[columns[0]], pair.new[columns[0]])
    for name in columns[1:]:
        told = pc.or_(told, pc.not_equal(pair.old[name], pair.new[name]))
    return told


def accepted(table: pa.Table) -> pa.Table:
    """The rows that nothing was against."""
    return table.filter(pc.equal(table["rejected_because"], ""))


def pairs(gone: Iterable[One], added: Iterable[One], *keys: Callable[[One], Hashable | None]) -> list[tuple[One, One]]:
    """Each of the one side with one of the other of the same key, by the first key, of what is left by the next.

    A row without a key (None) has no partner by it. Where several have the same key they pair in their order.
    """
    left, right = list(gone), list(added)
    found: list[tuple[One, One]] = []
    for key in keys:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for place in range(len(right) - 1, -1, -1):
            if (name := key(right[place])) is not None:
                waiting[name].append(place)
        rest, taken = [], set()
        for one in left:
            name = key(one)
            if name is not None and waiting.get(name):
                taken.add(place := waiting[name].pop())
                found.append((one, right[place]))
            else:
                rest.append(one)
        left, right = rest, [one for place, one in enumerate(right) if place not in taken]
    return found
