"""The columns of a table: whether they are what the row type says, and their values as lists."""

import dataclasses
from functools import cache
from itertools import accumulate
from typing import Any, get_args, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.tables import schema_of


def column_faults(table: pa.Table, row_type: type) -> list[str]:
    """Columns missing, unknown, out of order, of another type, or with nulls where a value is due."""
    due = schema_of(row_type)
    faults = [f"{name}: missing" for name in due.names if name not in table.schema.names]
    faults += [f"{name}: unknown" for name in table.schema.names if name not in due.names]
    if not faults and table.schema.names != due.names:
        faults.append(f"in the order {', '.join(table.schema.names)}")
    for field in due:
        if field.name not in table.schema.names:
            continue
        column = table.column(field.name)
        if column.type != field.type:
            faults.append(f"{field.name}: {column.type}, not {field.type}")
        elif field.name not in optional(row_type) and (nulls := _nulls(column)):
            faults.append(f"{field.name}: {nulls:,} nulls")
    return faults


@cache
def optional(row_type: type) -> frozenset[str]:
    """The columns that may hold nothing: the row type says so of them, or of what they hold."""
    return frozenset(name for name, hint in get_type_hints(row_type).items() if _may_be_none(hint))


def _may_be_none(hint: Any) -> bool:
    if dataclasses.is_dataclass(hint):
        return any(_may_be_none(inner) for inner in get_type_hints(hint).values())
    return hint is type(None) or any(_may_be_none(inner) for inner in get_args(hint))


def _nulls(column: pa.ChunkedArray) -> int:
    """How many nulls a column holds, also inside its lists and structs."""
    count: int = column.null_count
    if pa.types.is_list(column.type):
        count += _nulls(pc.list_flatten(column))
    elif pa.types.is_struct(column.type):
        count += sum(_nulls(pc.struct_field(column, [i])) for i in range(column.type.num_fields))
    return count


def column_values(table: pa.Table, name: str) -> list[Any]:
    """A column as a list; "blocks.start" is a field of a list of structs, as one list per row."""
    column, _, field = name.partition(".")
    values = table.column(column)
    if not pa.types.is_list(values.type):
        return list(values.to_pylist())
    # flat, then cut: four times as fast as asking for lists
    flat = pc.list_flatten(values)
    items = (pc.struct_field(flat, field) if field else flat).to_pylist()
    ends = list(accumulate(pc.list_value_length(values).to_pylist()))
    return [items[start:end] for start, end in zip([0, *ends], ends, strict=False)]
