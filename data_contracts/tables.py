"""Rows as Arrow tables and back: one Parquet file holds many rows of one type."""

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

import pyarrow as pa

Row = TypeVar("Row")

_SCALARS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def _arrow(annotation: Any) -> pa.DataType:
    """The Arrow type of an annotation used in rows.py; TypeError for one that has none."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        return pa.list_(_arrow(args[0]))
    if origin is dict:  # few and ragged keys: a JSON object in a string column reads the same everywhere
        return pa.string()
    if origin in (types.UnionType, typing.Union):
        return _arrow(next(a for a in args if a is not type(None)))
    if dataclasses.is_dataclass(annotation):
        return pa.struct([(name, _arrow(hint)) for name, hint in _hints(typing.cast(type, annotation)).items()])
    raise TypeError(f"no Arrow type for {annotation!r}")


@cache
def _hints(row_type: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(row_type)
    return {f.name: hints[f.name] for f in dataclasses.fields(row_type)}


@cache
def schema_of(row_type: Any) -> pa.Schema:
    """The Arrow schema of a row type, column for field."""
    return pa.schema([(name, _arrow(hint)) for name, hint in _hints(row_type).items()])


def to_table(rows: Iterable[Any], row_type: type) -> pa.Table:
    """An Arrow table of these rows, columns typed by the row type even when there are no rows."""
    rows = list(rows)
    columns = []
    for name, hint in _hints(row_type).items():
        values: list[Any] = [getattr(row, name) for row in rows]
        if typing.get_origin(hint) is dict:
            values = [json.dumps(v, sort_keys=True, ensure_ascii=False) for v in values]
        elif typing.get_origin(hint) is tuple and dataclasses.is_dataclass(typing.get_args(hint)[0]):
            values = [[dataclasses.asdict(item) for item in v] for v in values]
        columns.append(pa.array(values, type=_arrow(hint)))
    return pa.Table.from_arrays(columns, schema=schema_of(row_type))


def from_table(table: pa.Table, row_type: Callable[..., Row]) -> Iterator[Row]:
    """The rows of an Arrow table that `to_table` made."""
    for record in table.select(schema_of(row_type).names).to_pylist():
        yield from_record(record, row_type)


def from_record(record: dict[str, Any], row_type: Callable[..., Row]) -> Row:
    """One row of a plain record, as JSON or Arrow gives it."""
    values: dict[str, Any] = {}
    for name, hint in _hints(row_type).items():
        value = record[name]
        if typing.get_origin(hint) is dict and isinstance(value, str):
            value = json.loads(value)
        elif typing.get_origin(hint) is tuple:
            inner = typing.get_args(hint)[0]
            nested = dataclasses.is_dataclass(inner)
            value = tuple(from_record(item, inner) for item in value) if nested else tuple(value)
        values[name] = value
    return row_type(**values)
