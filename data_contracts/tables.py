"""Rows as Arrow tables and back: one Parquet file holds many rows of one type."""

import dataclasses
import json
import types
import typing
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from functools import cache
from itertools import chain
from typing import Any, TypeVar

import pyarrow as pa

Row = TypeVar("Row")
Reader = Callable[[list[Any]], list[Any]]

BLOCK = 8192  # rows that are Python objects at once, where nobody keeps them
MANY = 12  # reading one row alone costs as much as reading so many together
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
            names = _hints(typing.get_args(hint)[0])  # plain values all: asdict would copy each of them
            values = [[{name: getattr(item, name) for name in names} for item in v] for v in values]
        columns.append(pa.array(values, type=_arrow(hint)))
    return pa.Table.from_arrays(columns, schema=schema_of(row_type))


def from_table(table: pa.Table, row_type: Callable[..., Row]) -> Iterator[Row]:
    """The rows of an Arrow table that `to_table` made, some at a time: Python's objects are many times as large.

    KeyError, at once, where the table has not all columns.
    """
    readers = _readers(row_type)
    table = table.select([*readers])
    blocks = (table.slice(start, BLOCK) for start in range(0, table.num_rows, BLOCK))
    return chain.from_iterable(_read(block, row_type, readers) for block in blocks)


def _read(table: pa.Table, row_type: Callable[..., Row], readers: Mapping[str, Reader | None]) -> Iterator[Row]:
    columns = (
        _shared(column.to_pylist()) if column.type == pa.string() else column.to_pylist() for column in table.columns
    )
    return map(
        row_type, *(read(column) if read else column for column, read in zip(columns, readers.values(), strict=True))
    )


def _shared(texts: list[Any]) -> list[Any]:
    """The same texts, equal ones as one object where there are many, such as kinds, methods and units."""
    known = {text: text for text in texts}
    return [known[text] for text in texts] if 4 * len(known) < len(texts) else texts


class TableBuilder:
    """Builds a table row by row: at most a block of rows are Python objects, the rest is Arrow's.

    A row that no table can hold (a number of 70 bits, half a character, a value of another type) goes to `refused`.
    """

    def __init__(self, row_type: type) -> None:
        self.refused: list[tuple[Any, Exception]] = []
        self._type = row_type
        self._rows: list[Any] = []
        self._tables: list[pa.Table] = []

    def add(self, row: Any) -> None:
        """Add a row."""
        self._rows.append(row)
        if len(self._rows) == BLOCK:
            self._flush()

    def table(self) -> pa.Table:
        """The table of all rows that it can hold, in their order."""
        self._flush()
        return pa.concat_tables([schema_of(self._type).empty_table(), *self._tables])

    def _flush(self) -> None:
        rows, self._rows = self._rows, []
        try:
            self._tables.append(to_table(rows, self._type))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):  # of one of them, at least
            for row in rows:
                try:
                    self._tables.append(to_table([row], self._type))
                except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
                    self.refused.append((row, error))


def from_record(record: dict[str, Any], row_type: Callable[..., Row]) -> Row:
    """One row of a plain record, as JSON or Arrow gives it."""
    return row_type(*[read([record[n]])[0] if read else record[n] for n, read in _readers(row_type).items()])


@cache
def _readers(row_type: Any) -> dict[str, Reader | None]:
    """How the values of each field are read from plain ones, many at once; None for those that stay as they are."""
    return {name: _reader(hint) for name, hint in _hints(row_type).items()}


def _reader(hint: Any) -> Reader | None:
    origin = typing.get_origin(hint)
    if origin is dict:
        return lambda values: [json.loads(value) if isinstance(value, str) else value for value in values]
    if origin is not tuple:
        return None
    inner = typing.get_args(hint)[0]
    if dataclasses.is_dataclass(inner):
        row_type = typing.cast(Any, inner)
        return lambda values: [tuple([from_record(item, row_type) for item in value]) for value in values]
    return lambda values: list(map(tuple, values))


class RowsById(Mapping[str, Row]):
    """The rows of tables by id, their first field; a row object is made when it is first read.

    A batch of work names far more chunks than it reads.
    """

    def __init__(self, tables: Iterable[pa.Table], row_type: Callable[..., Row]) -> None:
        self._type = row_type
        names = schema_of(row_type).names
        self._table = pa.concat_tables([table.select(names) for table in tables]).combine_chunks()
        self._places = {name: place for place, name in enumerate(self._table[names[0]].to_pylist())}
        self._made: dict[str, Row] = {}

    def __getitem__(self, name: str) -> Row:
        made = self._made
        if name not in made and len(made) * MANY < len(self._places):
            made[name] = next(from_table(self._table.slice(self._places[name], 1), self._type))
        return made[name] if name in made else self._all()[name]

    def _all(self) -> dict[str, Row]:
        """Every row by id; making all at once takes a tenth of making one after the other."""
        if len(self._made) < len(self._places):
            rows = list(from_table(self._table, self._type))
            self._made = {name: self._made.get(name, rows[place]) for name, place in self._places.items()}
        return self._made

    def values(self) -> ValuesView[Row]:
        """Every row, in the tables' order."""
        return self._all().values()

    def items(self) -> ItemsView[str, Row]:
        """Every name with its row, in the tables' order."""
        return self._all().items()

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
