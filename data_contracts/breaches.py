"""Rows that break a rule are set aside, with every row that depends on them; the run goes on (architecture §6).

Rules on rows are plain predicates: this module imports no engine, so that workers hold them where a table is made.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from traceback import walk_tb
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Breach, row_id
from rarefy.data_contracts.schemas import ROWS
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.rule import (
    PartRule,
    Reference,
    References,
    RowRule,
    code_of,
    column_faults,
    column_values,
    list_names,
    optional,
)
from rarefy.data_contracts.tables import schema_of

KINDS = {row_type: kind for kind, row_type in ROWS.items()}  # what the table of a row type is called
NO_NULL = "every value is there"  # the rule that a null in a column that may hold none breaks
RAISED = "contract_raised"  # the rule of rows that a stage could not work on: its code raised an exception
DEPENDS = "contract_depends_on_"  # and the table: how the rule of a row that lost another one begins
PACKAGE = Path(__file__).resolve().parents[1]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
ROUNDS = 20  # of setting aside what depends on what was set aside; the tables are not as deep


@dataclass
class Settled:
    """The tables that lost rows, by row type, and a breach for each of those rows."""

    tables: dict[type, pa.Table]
    breaches: list[Breach] = field(default_factory=list)


def set_aside(stage: str, row_type: type, table: pa.Table, references: References) -> tuple[pa.Table, list[Breach]]:
    """Split a table into the rows that keep every rule on rows, and a breach for each of the others.

    A table whose columns are not those of its row type comes back as it is: the check at fan-in says so and stops.
    KeyError where a rule is held against a table that is not among the references.
    """
    suite = SUITES[row_type]
    if not table.num_rows or any(not fault.endswith("nulls") for fault in column_faults(table, row_type)):
        return table, []
    against = _null_faults(table, row_type)
    whole = [place for place, fault in enumerate(against) if fault is None]
    read = table if len(whole) == len(against) else table.take(pa.array(whole, pa.int64()))
    values = cache(partial(column_values, read))  # several rules read one column
    for rule in suite.of_kind(RowRule):
        judge = rule.judge(references)
        for place, row in enumerate(zip(*map(values, rule.columns), strict=True)):
            fault = judge(*row)
            if fault and against[whole[place]] is None:
                against[whole[place]] = (rule.says, fault)
    faults = {place: fault for place, fault in enumerate(against) if fault}
    if not faults:
        return table, []
    kept = table.take(pa.array([place for place in range(table.num_rows) if place not in faults], pa.int64()))
    coded = {place: (code_of(rule), complaint) for place, (rule, complaint) in faults.items()}
    return kept, list(_breaches(stage, row_type, table, coded))


def settle(stage: str, row_type: type, available: Callable[[type], pa.Table | None], judged: bool) -> Settled:
    """Set aside what breaks a rule once a table is whole: its rows, rows without a part, and all that depends on them.

    `available` gives the table of a row type, None where there is none yet; that of this one must be there. `judged`:
    the rules on rows were held where the rows were made. The tables that come back are those that lost rows.
    """
    whole = available(row_type)
    assert whole is not None
    changed: dict[type, pa.Table] = {row_type: whole}
    lost: list[Breach] = []

    def now(wanted: type) -> pa.Table | None:
        return changed[wanted] if wanted in changed else available(wanted)

    references = _CurrentTables(now)
    if not judged:
        changed[row_type], broken = set_aside(stage, row_type, whole, references)
        lost += broken
        lost += _remove_dependents(stage, {row_type: {breach.row for breach in broken}}, now, changed)
    for _ in range(ROUNDS):
        lacking: dict[type, dict[str, tuple[str, str]]] = defaultdict(dict)
        for held in SUITES if lost else (row_type,):  # what was taken out may be what others lack now
            for rule in SUITES[held].of_kind(PartRule) if now(held) is not None else ():
                for key, complaint in rule.find(references[held], references):
                    lacking[rule.of].setdefault(key, (code_of(rule.says), complaint))
        if not lacking:
            break
        for owner, faults in lacking.items():
            lost += _remove_rows(stage, owner, faults, now, changed)
        lost += _remove_dependents(stage, {owner: set(faults) for owner, faults in lacking.items()}, now, changed)
    if changed[row_type] is whole:
        del changed[row_type]
    return Settled(changed, lost)


def direct_breaches(breaches: Iterable[Breach]) -> list[Breach]:
    """The breaches of rows that broke a rule themselves, rather than lost a row that they depend on."""
    return [breach for breach in breaches if not breach.rule.startswith(DEPENDS)]


def breach_of_error(stage: str, kind: str, row: str, error: Exception, caller: str = "") -> Breach:
    """The breach of a row on which a stage's code raised an exception: its class, its message, and where it came from.

    Breaches are part of a benchmark's digest: what is of the machine (folders, addresses, depth of a recursion) is left
    out of them, and so are the calls up to the last in the file `caller`, which depend on how the work was divided.
    """
    detail = _strip_machine(f"{type(error).__name__}: {error}")[:2000]
    content = json.dumps({"traceback": list(_frames(error, caller))})
    return Breach(
        row_id("breach", stage, kind, row, RAISED), stage, kind, row, RAISED, _escape_surrogates(detail), content
    )


def _frames(error: BaseException | None, caller: str) -> Iterator[str]:
    """ "file: function" of each call on the way to an exception, once each, and its causes; outermost first."""
    while error:
        calls = [(frame.f_code.co_filename, frame.f_code.co_name) for frame, _ in walk_tb(error.__traceback__)]
        begin = max((at for at, (file, _) in enumerate(calls, 1) if file == caller), default=0)
        yield from dict.fromkeys(f"{_file(file)}: {function}" for file, function in calls[begin:])
        error = error.__cause__  # not __context__: while the row was looked for, other tries had failed
        if error:
            yield _strip_machine(f"after {type(error).__name__}: {error}")[:500]


def _file(name: str) -> str:
    """The path of a file within its package, wherever that is installed."""
    place = Path(name).resolve()
    if place.is_relative_to(PACKAGE):
        return place.relative_to(PACKAGE).as_posix()
    parts = place.parts
    at = max((n for n, part in enumerate(parts) if part in ("site-packages", "dist-packages")), default=None)
    return place.name if at is None else "/".join(parts[at + 1 :])


def _strip_machine(message: str) -> str:
    """A message without what differs from machine to machine: our folder, addresses in memory."""
    return without_addresses(message.replace(f"{PACKAGE}/", ""))


def without_addresses(text: str) -> str:
    """The text without the addresses of objects, which are others in every process."""
    return _ADDRESS.sub("", text)


def breach_of_unstorable(stage: str, row_type: type, row: Any, error: Exception) -> Breach:
    """The breach of a row that no table can hold: a number too large, half a character, a value of another type."""
    kind, key = KINDS[row_type], SUITES[row_type].key if row_type in SUITES else schema_of(row_type).names[0]
    name, rule = _escape_surrogates(str(getattr(row, key))), code_of("values fit their columns")
    content = json.dumps({n: repr(getattr(row, n)) for n in schema_of(row_type).names})  # ASCII: any text fits
    detail = _escape_surrogates(f"{type(error).__name__}: {error}"[:2000])
    return Breach(row_id("breach", stage, kind, name, rule), stage, kind, name, rule, detail, content)


class _CurrentTables(Mapping[type, pa.Table]):
    """The tables that rules are held against, without the rows that were set aside so far."""

    def __init__(self, now: Callable[[type], pa.Table | None]) -> None:
        self._now = now

    def __getitem__(self, wanted: type) -> pa.Table:
        table = self._now(wanted)
        if table is None:
            raise KeyError(wanted)
        return table

    def __iter__(self) -> Iterator[type]:
        return iter(SUITES)

    def __len__(self) -> int:
        return len(SUITES)


def _null_faults(table: pa.Table, row_type: type) -> list[tuple[str, str] | None]:
    """For each row the complaint that a column is null where a value is due; None where there is none."""
    found: list[tuple[str, str] | None] = [None] * table.num_rows
    for name in table.schema.names:
        if name in optional(row_type):
            continue
        column = table.column(name)
        nested = pa.types.is_nested(column.type)
        if not column.null_count and not (nested and _has_nested_null(column)):
            continue
        for place, value in enumerate(column.to_pylist()):
            if value is None or (nested and _has_null_within(value)):
                found[place] = found[place] or (NO_NULL, f"{name}: null")
    return found


def _has_nested_null(column: pa.ChunkedArray) -> bool:
    """Is there a null inside the lists of a column?"""
    if not pa.types.is_list(column.type):
        return bool(column.null_count)
    inner = pc.list_flatten(column)
    if inner.null_count:
        return True
    if pa.types.is_struct(inner.type):
        return any(_has_nested_null(pc.struct_field(inner, [place])) for place in range(inner.type.num_fields))
    return pa.types.is_list(inner.type) and _has_nested_null(inner)


def _has_null_within(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null_within, value.values()))
    return any(map(_has_null_within, value)) if isinstance(value, list) else value is None


def _breaches(stage: str, row_type: type, table: pa.Table, faults: Mapping[int, tuple[str, str]]) -> Iterator[Breach]:
    """A breach for each of these rows of a table; `faults` gives code and complaint by place."""
    kind, key = KINDS[row_type], SUITES[row_type].key
    for place, (code, complaint) in faults.items():
        row = table.slice(place, 1).to_pylist()[0]
        name = str(row[key])
        content = json.dumps(row, sort_keys=True, ensure_ascii=False)
        yield Breach(row_id("breach", stage, kind, name, code), stage, kind, name, code, complaint, content)


def _remove_rows(
    stage: str,
    row_type: type,
    faults: Mapping[str, tuple[str, str]],
    now: Callable[[type], pa.Table | None],
    changed: dict[type, pa.Table],
) -> list[Breach]:
    """Take the rows of these names out of their table, which `changed` gets without them; returns their breaches."""
    table = now(row_type)
    if table is None:
        return []
    names = table.column(SUITES[row_type].key).to_pylist()
    places = {place: faults[name] for place, name in enumerate(names) if name in faults}
    if not places:
        return []
    changed[row_type] = table.take(pa.array([p for p in range(table.num_rows) if p not in places], pa.int64()))
    return list(_breaches(stage, row_type, table, places))


def _remove_dependents(
    stage: str,
    gone: dict[type, set[str]],
    now: Callable[[type], pa.Table | None],
    changed: dict[type, pa.Table],
) -> list[Breach]:
    """Take out every row that names one of those gone, and those that name them, to the last."""
    lost: list[Breach] = []
    while gone := {owner: names for owner, names in gone.items() if names}:
        after: dict[type, set[str]] = defaultdict(set)
        for row_type, suite in SUITES.items():
            faults: dict[str, tuple[str, str]] = {}
            for rule in suite.of_kind(Reference):
                table = now(row_type) if rule.owner in gone else None
                if table is None:
                    continue
                keys, values = table.column(suite.key).to_pylist(), column_values(table, rule.column)
                for key, value in zip(keys, values, strict=True):
                    if missed := next((name for name in list_names(value) if name in gone[rule.owner]), None):
                        code = f"{DEPENDS}{KINDS[rule.owner]}"
                        faults.setdefault(key, (code, f"{rule.column} {missed!r} was set aside"))
            if faults:
                lost += _remove_rows(stage, row_type, faults, now, changed)
                after[row_type] |= set(faults)
        gone = after
    return lost


def _escape_surrogates(text: str) -> str:
    """The text with half characters, which no table can hold, written out as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
