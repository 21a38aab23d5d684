"""Contracts: every table held to its suite by Great Expectations, at the hop (architecture §6)."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.columns import column_faults, column_values
from rarefy.data_contracts.suites.rule import Absence, Fault, References, Rule

VERSION = 1  # of what a suite says: a table that kept an older one is checked again

_EXAMPLES = 5  # offending values kept per rule: enough to see a pattern, short enough to read
_WIDTH = 240  # characters of each
_TYPED = "columns and types"


@dataclass(frozen=True, slots=True)
class Result:
    """How one rule went; `count` offending values, of which `examples` shows some with the names of their rows."""

    rule: str
    column: str
    success: bool
    count: int = 0
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    """How one table went, at one stage."""

    stage: str
    table: str
    rows: int
    results: tuple[Result, ...]

    @property
    def broken(self) -> tuple[Result, ...]:
        """The rules that did not hold."""
        return tuple(result for result in self.results if not result.success)


class ContractBroken(Exception):
    """A table broke a rule: the message names stage, rule and offending value; `validation` holds the rest."""

    def __init__(self, validation: Validation) -> None:
        lines = [f"{validation.stage}: the {validation.table} table ({validation.rows:,} rows) breaks its contract"]
        for result in validation.broken:
            lines.append(f"  not so: {result.rule} ({result.count:,} times), e.g. {'; '.join(result.examples[:2])}")
        super().__init__("\n".join(lines))
        self.validation = validation


def check(stage: str, row_type: type, table: pa.Table, references: References) -> Validation:
    """How a whole table keeps its contract; ContractBroken where it does not.

    `references` holds the tables that this one points into; KeyError names one that is wanted and missing.
    """
    suite = SUITES[row_type]
    if missing := [needed.__name__ for needed in suite.needs if needed not in references]:
        raise KeyError(f"{stage}: the contract of {row_type.__name__} is held against {', '.join(missing)}: not given")
    results = _hold("", {_TYPED: column_faults(table, row_type)}, [_no_fault(_TYPED)])
    if results[0].success:  # else no other rule could be read
        plain = [rule for rule in suite.rules if isinstance(rule, Rule)]
        faults = [rule for rule in suite.rules if isinstance(rule, Fault)]
        values = cache(partial(column_values, table))  # several rules read one column
        columns = {name: values(name) for name in {suite.key, *(rule.column for rule in plain)} - {""}}
        columns |= {rule.says: _complaints(rule, suite.key, values, references) for rule in faults}
        results += _hold(suite.key, columns, [*plain, *(_no_fault(rule.says) for rule in faults)])
        for rule in suite.rules:
            if isinstance(rule, Absence):  # as long as what is absent, not as the table: a frame of its own
                results += _hold("", {rule.says: rule.find(table, references)}, [_no_fault(rule.says)])
        about = {rule.says: ", ".join(rule.columns) for rule in faults}
        order = {rule.says: place for place, rule in enumerate(suite.rules)}
        results.sort(key=lambda result: order.get(result.rule, -1))
        results = [replace(result, column=about.get(result.rule, result.column)) for result in results]
    validation = Validation(stage, row_type.__name__, table.num_rows, tuple(results))
    if validation.broken:
        raise ContractBroken(validation)
    return validation


def to_json(validations: Iterable[Validation]) -> list[dict[str, Any]]:
    """The validations as plain records."""
    return [{**asdict(validation), "success": not validation.broken} for validation in validations]


def _no_fault(says: str) -> Rule:
    """The rule that a column of complaints, which is named after what it checks, holds none."""
    return Rule(says, says, "ExpectColumnValuesToBeNull")


def _complaints(rule: Fault, key: str, values: Callable[[str], list[Any]], references: References) -> list[str | None]:
    """What the rule has against each row, beginning with the row's name; None where nothing."""
    judge = rule.judge(references)
    rows = zip(values(key), *map(values, rule.columns), strict=True)
    return [f"{name}: {fault}" if (fault := judge(*row)) else None for name, *row in rows]


def _hold(key: str, columns: Mapping[str, Sequence[Any]], rules: Sequence[Rule]) -> list[Result]:
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


def _result(key: str, rule: Rule, held: Any) -> Result:
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
