"""What a rule about a table is made of, and the rules that many tables share."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pyarrow as pa

COSINE = (-1.000001, 1.000001)  # one in float32 may pass 1 by its rounding
References = Mapping[type, pa.Table]
Judge = Callable[..., str | None]  # a row's values in, a complaint or None out


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule on the values of one column, by the name of the expectation that holds it."""

    says: str
    column: str
    expectation: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule on a row, alone or against other tables: `judge(references)(*columns)` complains or returns None."""

    says: str
    columns: tuple[str, ...]  # "blocks.start" reads a field of a list of structs, as one list per row
    judge: Callable[[References], Judge]


@dataclass(frozen=True, slots=True)
class Absence:
    """A rule on the table as a whole: `find(table, references)` lists what should be there and is not."""

    says: str
    find: Callable[[pa.Table, References], list[str]]


@dataclass(frozen=True, slots=True)
class Suite:
    """Every rule of one row type; `key` is the column that names a row, `needs` the tables it is held against."""

    key: str
    rules: tuple[Rule | Fault | Absence, ...]
    needs: tuple[type, ...] = ()


def has_rows() -> Rule:
    """An empty table would make an empty benchmark."""
    return Rule("the table has rows", "", "ExpectTableRowCountToBeBetween", {"min_value": 1})


def accepts_some() -> Absence:
    """A table whose every row was rejected would make an empty benchmark."""

    def find(table: pa.Table, _: References) -> list[str]:
        reasons = Counter(table.column("rejected_because").to_pylist())
        told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
        return [] if reasons[""] else [f"{table.num_rows:,} rows, none accepted{f': {told}' if told else ''}"]

    return Absence("some rows are accepted", find)


def unique(column: str) -> Rule:
    """No two rows share a name."""
    return Rule(f"{column} is unique", column, "ExpectColumnValuesToBeUnique")


def matching(column: str, regex: str, says: str) -> Rule:
    """Values look as they should."""
    return Rule(f"{column} is {says}", column, "ExpectColumnValuesToMatchRegex", {"regex": regex})


def hashed(column: str) -> Rule:
    """Values are names that `row_id` gives."""
    return matching(column, r"^[0-9a-f]{16}\Z", "16 hexadecimal digits")


def coded(column: str) -> Rule:
    """Values are reason codes or empty."""
    return matching(column, r"^(?:[a-z][a-z0-9_]*)?\Z", "a snake_case code or empty")


def one_of(column: str, *names: str) -> Rule:
    """Values are among these, or name a function from outside (`module:function`)."""
    listed = " | ".join(names)
    return matching(column, rf"^(?:{'|'.join(names)}|[A-Za-z_][\w.]*:\w+)\Z", f"{listed}, or module:function")


def between(column: str, low: float, high: float | None = None) -> Rule:
    """Values lie in a range, both ends included."""
    says = f"{column} is at least {low:g}" if high is None else f"{column} lies in {low:g}..{high:g}"
    return Rule(says, column, "ExpectColumnValuesToBeBetween", {"min_value": low, "max_value": high})


def written(column: str) -> Fault:
    """Values are more than white space."""
    return Fault(f"{column} is not blank", (column,), lambda _: lambda text: None if text.strip() else f"{text!r}")


def written_unless_rejected(*columns: str) -> Fault:
    """Values of rows that were accepted are more than white space."""

    def judge(rejected_because: str, *values: str) -> str | None:
        empty = [name for name, value in zip(columns, values, strict=True) if not value.strip()]
        return f"{', '.join(empty)} blank in an accepted row" if empty and not rejected_because else None

    return Fault(f"{', '.join(columns)} not blank unless rejected", ("rejected_because", *columns), lambda _: judge)


def year() -> Fault:
    """A fiscal year is one, or 0 where it is not known."""
    says = "fiscal_year is 0 or in 1900..2100"
    return Fault(says, ("fiscal_year",), lambda _: lambda n: None if n == 0 or 1900 <= n <= 2100 else f"{n}")


def dated(*columns: str) -> Fault:
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

    return Fault(f"{', '.join(columns)} are days", columns, lambda _: judge)


def known(column: str, owner: type, key: str) -> Fault:
    """Values name a row of the table before; every member does where the column holds a list."""

    def judge(references: References) -> Judge:
        names = set(references[owner].column(key).to_pylist())

        def missing(value: str | list[str]) -> str | None:
            lost = [name for name in ([value] if isinstance(value, str) else value) if name not in names]
            return f"{column} {lost[0]!r} is no {owner.__name__}" if lost else None

        return missing

    return Fault(f"{column} names a {owner.__name__}", (column,), judge)


def looked_up(table: pa.Table, key: str, *columns: str) -> dict[str, Any]:
    """A column's value by key, or a tuple of several columns' values."""
    values = [table.column(name).to_pylist() for name in columns]
    rows = values[0] if len(values) == 1 else list(zip(*values, strict=True))
    return dict(zip(table.column(key).to_pylist(), rows, strict=True))


def shown(text: str, width: int = 60) -> str:
    """A text short enough for a message."""
    return repr(text if len(text) <= width else text[: width - 1] + "…")


def uncut(whole: str, place: str, start: int, end: int, text: str) -> str | None:
    """What is wrong with the claim that `whole[start:end]` is `text`; None when it holds."""
    if not 0 <= start < end <= len(whole):
        return f"[{start}, {end}) is not inside {place}, {len(whole)} characters"
    if whole[start:end] != text:
        return f"[{start}, {end}) of {place} reads {shown(whole[start:end])}, not {shown(text)}"
    return None
