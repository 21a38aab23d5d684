"""The kinds of rules about a table, the rules that many tables share, and the columns that they read.

Rules on rows are plain predicates, held where a table is made: a row that breaks one is set aside. Only what makes a
whole table meaningless is left to the hop where the table is whole (`TableRule`), and stops the run.
"""

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from itertools import accumulate
from typing import Any, get_args, get_type_hints

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.tables import schema_of

COSINE = (-1.000001, 1.000001)  # one in float32 may pass 1 by its rounding
References = Mapping[type, pa.Table]
Judge = Callable[..., str | None]  # a row's values in, a complaint or None out


@dataclass(frozen=True, slots=True)
class TableRule:
    """A rule on a whole table, by the name of the expectation that holds it; a table that breaks it stops the run."""

    says: str
    column: str
    expectation: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reference:
    """The values of a column, or the members of its lists, name rows of another table; a lost one stops the run.

    A row whose reference was set aside is set aside with it, before this is held.
    """

    column: str
    owner: type
    key: str
    optional: bool = False  # "" names nothing, and may

    @property
    def says(self) -> str:
        """The rule in words."""
        return f"{self.column} names a {self.owner.__name__}{' or is empty' if self.optional else ''}"


@dataclass(frozen=True, slots=True)
class RowRule:
    """A rule on a row, alone or against other tables: `judge(references)(*columns)` complains or returns None."""

    says: str
    columns: tuple[str, ...]  # "blocks.start" reads a field of a list of structs, as one list per row
    judge: Callable[[References], Judge]


def row_rule(says: str, columns: tuple[str, ...], judge: Judge) -> RowRule:
    """A rule on a row alone: `judge(*columns)` complains or returns None."""
    return RowRule(says, columns, lambda _: judge)


@dataclass(frozen=True, slots=True)
class PartRule:
    """A rule on what a row must have in other rows: `find(table, references)` gives key and complaint of those without.

    The keys name rows of `of`, which are set aside: a question without its pool, not the pools of all others.
    """

    says: str
    of: type
    find: Callable[[pa.Table, References], list[tuple[str, str]]]


Rule = TableRule | Reference | RowRule | PartRule


@dataclass(frozen=True, slots=True)
class Suite:
    """Every rule of one row type; `key` is the column that names a row, `needs` the tables it is held against.

    `version` is raised when a rule on rows changes: tables that kept the older one are made again.
    """

    key: str
    rules: tuple[Rule, ...]
    needs: tuple[type, ...] = ()
    version: int = 1

    def of_kind(self, kind: type) -> list[Any]:
        """Its rules of one kind, in their order."""
        return [rule for rule in self.rules if isinstance(rule, kind)]


def code_of(rule: str) -> str:
    """The reason code of a row that broke this rule: contract_ and the rule in snake_case."""
    return f"contract_{re.sub(r'[^a-z0-9]+', '_', rule.lower()).strip('_')}"


def has_rows() -> TableRule:
    """An empty table would make an empty benchmark."""
    return TableRule("the table has rows", "", "ExpectTableRowCountToBeBetween", {"min_value": 1})


def unique(*columns: str) -> TableRule:
    """No two rows share a name, or the values of several columns together."""
    if len(columns) == 1:
        return TableRule(f"{columns[0]} is unique", columns[0], "ExpectColumnValuesToBeUnique")
    says = f"{', '.join(columns)} are unique together"
    return TableRule(says, "", "ExpectCompoundColumnsToBeUnique", {"column_list": list(columns)})


def matching(column: str, regex: str, says: str) -> RowRule:
    """Values look as they should."""
    fits = re.compile(regex).search

    def judge(value: str) -> str | None:
        return None if fits(value) else f"{column} {value!r}"

    return row_rule(f"{column} is {says}", (column,), judge)


def hashed(column: str) -> RowRule:
    """Values are names that `row_id` gives."""
    return matching(column, r"^[0-9a-f]{16}\Z", "16 hexadecimal digits")


def coded(column: str) -> RowRule:
    """Values are reason codes or empty."""
    return matching(column, r"^(?:[a-z][a-z0-9_]*)?\Z", "a snake_case code or empty")


def one_of(column: str, *names: str) -> RowRule:
    """Values are among these, or name a function from outside (`module:function`)."""
    listed = " | ".join(names)
    return matching(column, rf"^(?:{'|'.join(names)}|[A-Za-z_][\w.]*:\w+)\Z", f"{listed}, or module:function")


def between(column: str, low: float, high: float | None = None) -> RowRule:
    """Values lie in a range, both ends included; what is no number (NaN) lies in none."""
    says = f"{column} is at least {low:g}" if high is None else f"{column} lies in {low:g}..{high:g}"
    top = float("inf") if high is None else high

    def judge(value: float) -> str | None:
        return None if low <= value <= top else f"{column} {value!r}"

    return row_rule(says, (column,), judge)


def written(column: str) -> RowRule:
    """Values are more than white space."""
    return row_rule(f"{column} is not blank", (column,), lambda text: None if text.strip() else f"{text!r}")


def written_unless_rejected(*columns: str) -> RowRule:
    """Values of rows that were accepted are more than white space."""

    def judge(rejected_because: str, *values: str) -> str | None:
        empty = [name for name, value in zip(columns, values, strict=True) if not value.strip()]
        return f"{', '.join(empty)} blank in an accepted row" if empty and not rejected_because else None

    return row_rule(f"{', '.join(columns)} not blank unless rejected", ("rejected_because", *columns), judge)


def year() -> RowRule:
    """A fiscal year is one, or 0 where it is not known."""
    says = "fiscal_year is 0 or of four digits"
    return row_rule(says, ("fiscal_year",), lambda n: None if n == 0 or 1000 <= n <= 9999 else f"fiscal_year {n}")


def dated(*columns: str) -> RowRule:
    """Dates are ISO days or empty, and a period's start is not after its end."""
    known: dict[str, str | None] = {"": None}  # days repeat: parse each once

    def day(text: str) -> str | None:
        if text not in known:
            try:
                known[text] = None if date.fromisoformat(text).isoformat() == text else f"{text!r} is no ISO day"
            except ValueError:
                known[text] = f"{text!r} is no ISO day"
        return known[text]

    def judge(*values: str) -> str | None:
        row = dict(zip(columns, values, strict=True))
        wrong = next((f"{name} {fault}" for name, value in row.items() if (fault := day(value))), None)
        start, end = row.get("period_start", ""), row.get("period_end", "")
        return wrong or (f"period_start {start} is after period_end {end}" if start and end and start > end else None)

    return row_rule(f"{', '.join(columns)} are days", columns, judge)


def look_up(table: pa.Table, key: str, *columns: str) -> dict[str, Any]:
    """A column's value by key, or a tuple of several columns' values."""
    values = [table.column(name).to_pylist() for name in columns]
    rows = values[0] if len(values) == 1 else list(zip(*values, strict=True))
    return dict(zip(table.column(key).to_pylist(), rows, strict=True))


def look_up_answerable(questions: pa.Table) -> Iterator[str]:
    """The ids of the accepted questions that the corpus answers."""
    for name, (reason, pattern) in look_up(questions, "question_id", "rejected_because", "pattern").items():
        if not reason and pattern != "absent":
            yield name


def quote(text: str, width: int = 60) -> str:
    """A text short enough for a message."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def span_fault(whole: str, place: str, start: int, end: int, text: str) -> str | None:
    """The fault in the claim that `whole[start:end]` is `text`; None where it holds."""
    if not 0 <= start < end <= len(whole):
        return f"[{start}, {end}) is not inside {place}, {len(whole)} characters"
    if whole[start:end] != text:
        return f"[{start}, {end}) of {place} reads {quote(whole[start:end])}, not {quote(text)}"
    return None


def column_faults(table: pa.Table, row_type: type) -> list[str]:
    """Columns missing, unknown, out of order, of another type, or with nulls where a value is due."""
    due = schema_of(row_type)
    faults = [f"{name}: missing" for name in due.names if name not in table.schema.names]
    faults += [f"{name}: unknown" for name in table.schema.names if name not in due.names]
    if not faults and table.schema.names != due.names:
        faults.append(f"in the order {', '.join(table.schema.names)}")
    for name, due_type in zip(due.names, due.types, strict=True):
        if name not in table.schema.names:
            continue
        column = table.column(name)
        if column.type != due_type:
            faults.append(f"{name}: {column.type}, not {due_type}")
        elif name not in optional(row_type) and (nulls := _nulls(column)):
            faults.append(f"{name}: {nulls:,} nulls")
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


def list_names(value: Any) -> list[str]:
    """The names that a value of a column with references holds: one, those of a list, or those of lists of them."""
    return [value] if isinstance(value, str) else [name for one in value for name in list_names(one)]
