"""Contracts at fan-in: what makes a whole table meaningless, held by Great Expectations (architecture §6).

Columns and types, names that are unique, references that lead somewhere, rows that are there, and how many rows were
set aside (`data_contracts/breaches.py`): a table that breaks one of these stops the run.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.breaches import KINDS, direct
from rarefy.data_contracts.rows import Breach
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.columns import column_faults, column_values
from rarefy.data_contracts.suites.rule import PartRule, Reference, References, RowRule, TableRule, code_of

VERSION = 2  # of how a table is checked: one that kept an older one is checked again
BUDGET = 0.01  # share of a table's rows that may be set aside
COUNTED_FROM = 20  # rows set aside; fewer never stop a run, however small their table

_EXAMPLES = 5  # offending values kept per rule: enough to see a pattern, short enough to read
_WIDTH = 240  # characters of each
_TYPED = "columns and types"
_SET_ASIDE = "rows set aside"


@dataclass(frozen=True, slots=True)
class Result:
    """How one rule went; `count` offending values, of which `examples` shows some with the names of their rows.

    `stops`: a table that breaks it stops the run. Rows that break another rule were set aside.
    """

    rule: str
    column: str
    success: bool
    count: int = 0
    examples: tuple[str, ...] = ()
    stops: bool = True


@dataclass(frozen=True, slots=True)
class Validation:
    """How one table went, at one stage."""

    stage: str
    table: str
    rows: int  # that kept every rule
    results: tuple[Result, ...]

    @property
    def broken(self) -> tuple[Result, ...]:
        """The rules that did not hold, and stop the run."""
        return tuple(result for result in self.results if result.stops and not result.success)

    @property
    def set_aside(self) -> int:
        """How many rows were set aside."""
        return sum(result.count for result in self.results if not result.stops)


class ContractBroken(Exception):
    """A table broke a rule: the message names stage, rule and offending value; `validation` holds the rest."""

    def __init__(self, validation: Validation) -> None:
        lines = [f"{validation.stage}: the {validation.table} table ({validation.rows:,} rows) breaks its contract"]
        for result in validation.broken:
            lines.append(f"  not so: {result.rule} ({result.count:,} times), e.g. {'; '.join(result.examples[:2])}")
        if any(result.rule.startswith(_SET_ASIDE) for result in validation.broken):
            for result in validation.results:
                if result.count and not result.stops:
                    lines.append(f"  {result.count:,} rows: {result.rule}, e.g. {'; '.join(result.examples[:2])}")
            lines.append(
                "  breaches.failed.jsonl lists them all. Where a document or a part of yours (module:function) makes "
                "them, mend or remove it; where the rows may go, raise breach_budget in the config"
            )
        super().__init__("\n".join(lines))
        self.validation = validation


def check(
    stage: str,
    row_type: type,
    table: pa.Table,
    references: References,
    breaches: Sequence[Breach] = (),
    budget: float = BUDGET,
) -> Validation:
    """How a whole table, without the rows that were set aside, keeps its contract; ContractBroken where it does not.

    `references` holds the tables that this one points into; KeyError names one that is wanted and missing. `breaches`
    are the rows that were set aside, of this table and of those that it took rows from.
    """
    suite = SUITES[row_type]
    if missing := [needed.__name__ for needed in suite.needs if needed not in references]:
        raise KeyError(f"{stage}: the contract of {row_type.__name__} is held against {', '.join(missing)}: not given")
    results = _hold("", {_TYPED: column_faults(table, row_type)}, [_no_fault(_TYPED)])
    if results[0].success:  # else no other rule could be read
        values = cache(partial(column_values, table))
        plain, named = suite.of_kind(TableRule), suite.of_kind(Reference)
        lists = {column for rule in plain for column in rule.options.get("column_list", ())}
        columns = {name: values(name) for name in {suite.key, *lists, *(rule.column for rule in plain)} - {""}}
        columns |= {rule.says: _lost(rule, values(suite.key), values(rule.column), references) for rule in named}
        results += _hold(suite.key, columns, [*plain, *(_no_fault(rule.says) for rule in named)])
        about = {rule.says: rule.column for rule in named}
        results = [replace(result, column=about.get(result.rule, result.column)) for result in results]
        results += _counted(row_type, breaches)
        order = {rule.says: place for place, rule in enumerate(suite.rules)}
        results[1:] = sorted(results[1:], key=lambda result: order.get(result.rule, len(order)))
        owners = dict.fromkeys([row_type, *(rule.of for rule in suite.of_kind(PartRule))])
        for owner in owners:  # a table may cost another one its rows: variants their questions
            rows = table.num_rows if owner is row_type else references[owner].num_rows
            results.append(_afforded(rows, owner, breaches, budget))
    validation = Validation(stage, row_type.__name__, table.num_rows, tuple(results))
    if validation.broken:
        raise ContractBroken(validation)
    return validation


def to_json(validations: Iterable[Validation]) -> list[dict[str, Any]]:
    """The validations as plain records."""
    return [{**asdict(validation), "success": not validation.broken} for validation in validations]


def _no_fault(says: str) -> TableRule:
    """The rule that a column of complaints, which is named after what it checks, holds none."""
    return TableRule(says, says, "ExpectColumnValuesToBeNull")


def _lost(rule: Reference, keys: list[Any], values: list[Any], references: References) -> list[str | None]:
    """For each row the name of a row elsewhere that is not there, beginning with the row's own; None where all are."""
    names = set(references[rule.owner].column(rule.key).to_pylist()) | ({""} if rule.optional else set())
    lost = (
        (key, [n for n in ([v] if isinstance(v, str) else v) if n not in names])
        for key, v in zip(keys, values, strict=True)
    )
    return [f"{key}: {rule.column} {gone[0]!r} is no {rule.owner.__name__}" if gone else None for key, gone in lost]


def _counted(row_type: type, breaches: Sequence[Breach]) -> list[Result]:
    """The rules that set rows aside, each with how many; those of other tables only where it did."""
    by_code: dict[tuple[str, str], list[Breach]] = {}
    for one in breaches:
        by_code.setdefault((one.table, one.rule), []).append(one)
    results, own = [], KINDS[row_type]
    for rule in SUITES[row_type].rules:
        if isinstance(rule, RowRule | PartRule):
            kind = own if isinstance(rule, RowRule) else KINDS[rule.of]
            found = by_code.pop((kind, code_of(rule.says)), [])
            columns = ", ".join(rule.columns) if isinstance(rule, RowRule) else ""
            results.append(Result(rule.says, columns, not found, len(found), _shown(found), stops=False))
    for (kind, code), found in sorted(by_code.items()):
        says = f"{kind}: {code.removeprefix('contract_').replace('_', ' ')}"
        results.append(Result(says, "", False, len(found), _shown(found), stops=False))
    return results


def _shown(breaches: Sequence[Breach]) -> tuple[str, ...]:
    return tuple(f"{one.row}: {one.detail}"[:_WIDTH] for one in breaches[:_EXAMPLES])


def _afforded(rows: int, row_type: type, breaches: Sequence[Breach], budget: float) -> Result:
    """Whether no more rows broke a rule than the budget allows; those that only depend on such rows do not count."""
    count = sum(one.table == KINDS[row_type] for one in direct(breaches))
    allowed = max(COUNTED_FROM - 1, int(budget * (rows + count)))
    says = f"{_SET_ASIDE} from {KINDS[row_type]} are at most {allowed:,} (breach_budget = {budget:g})"
    rule = TableRule(says, _SET_ASIDE, "ExpectColumnSumToBeBetween", {"min_value": 0, "max_value": allowed})
    (result,) = _hold("", {_SET_ASIDE: [count]}, [rule])
    return replace(result, column="", count=0 if result.success else count)


def _hold(key: str, columns: Mapping[str, Sequence[Any]], rules: Sequence[TableRule]) -> list[Result]:
    """How these columns keep these rules, in the rules' order; `key` is the column that names a row, "" for none."""
    # imported late: Great Expectations takes 4 s, and workers never need it
    import pandas
    from great_expectations import ExpectationSuite, expectations

    frames = _frames()  # first: no suite can be made without a context
    frame = pandas.DataFrame(columns, dtype=None if key else "object")
    suite = ExpectationSuite("suite")
    for place, rule in enumerate(rules):
        column = {"column": rule.column} if rule.column else {}
        suite.add_expectation(getattr(expectations, rule.expectation)(**column, **rule.options, meta={"rule": place}))
    shown: dict[str, Any] = {"result_format": "SUMMARY", "partial_unexpected_count": _EXAMPLES}
    if key:
        shown["unexpected_index_column_names"] = [key]
    outcome = frames.get_batch({"dataframe": frame}).validate(suite, result_format=shown)
    held = {_place(result): result for result in outcome.results}
    return [_result(key, rule, held[place]) for place, rule in enumerate(rules)]


@cache
def _frames() -> Any:
    """What makes a batch of a frame: a context in memory, which writes nothing and calls nobody."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"  # no telemetry, whatever a later version would send
    import great_expectations

    context = great_expectations.get_context(mode="ephemeral")
    context.enable_analytics(False)
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]
    asset = context.data_sources.add_pandas("frames").add_dataframe_asset("frame")
    return asset.add_batch_definition_whole_dataframe("whole")


def _place(held: Any) -> int:
    """Which rule an outcome belongs to: Great Expectations keeps no order."""
    return int(held.expectation_config.meta["rule"])


def _result(key: str, rule: TableRule, held: Any) -> Result:
    """What Great Expectations found, in our words."""
    column = "" if rule.column == rule.says else rule.column
    if held.success:
        return Result(rule.says, column, True)
    found, failed = held.result, held.exception_info.get("exception_message")
    if failed or "partial_unexpected_list" not in found:
        return Result(rule.says, column, False, 1, (f"{failed or found.get('observed_value')}"[:_WIDTH],))
    values = found["partial_unexpected_list"]
    if column not in ("", key):
        rows = found.get("partial_unexpected_index_list") or [{}] * len(values)
        values = [f"{row.get(key, '?')}: {rule.column} {value!r}" for row, value in zip(rows, values, strict=False)]
    return Result(rule.says, column, False, found["unexpected_count"], tuple(str(v)[:_WIDTH] for v in values))
