"""Contracts at fan-in: what makes a whole table meaningless, held by Great Expectations (architecture §6).

Columns and types, names that are unique, references that lead somewhere, rows that are there, and how many rows were
set aside (`data_contracts/breaches.py`): a table that breaks one of these stops the run."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from html import escape
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.breaches import KINDS, direct_breaches
from rarefy.data_contracts.rows import Breach
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.rule import (
    PartRule,
    Reference,
    References,
    RowRule,
    TableRule,
    code_of,
    column_faults,
    column_values,
    list_names,
)

VERSION = 2  # of how a table is checked: one that kept an older one is checked again
BUDGET = 0.01  # share of a table's rows that may be set aside
COUNTED_FROM = 20  # rows set aside; fewer never stop a run, however small their table

_EXAMPLES = 5  # offending values kept per rule: enough to see a pattern, short enough to read
_WIDTH = 240  # characters of each
_TYPED = "columns and types"
_SET_ASIDE = "rows set aside"


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one rule: `count` offending values, some of them in `examples` with the names of their rows.

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
    """The outcome of the contract of one table, at one stage."""

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


def check_table(
    stage: str,
    row_type: type,
    table: pa.Table,
    references: References,
    breaches: Sequence[Breach] = (),
    budget: float = BUDGET,
) -> Validation:
    """Check a whole table, without the rows that were set aside, against its contract; ContractBroken where it fails.

    `references` holds the tables that this one points into; KeyError names one that is wanted and missing. `breaches`
    are the rows that were set aside, of this table and of those that it took rows from.
    """
    suite = SUITES[row_type]
    if missing := [needed.__name__ for needed in suite.needs if needed not in references]:
        raise KeyError(f"{stage}: the contract of {row_type.__name__} is held against {', '.join(missing)}: not given")
    typed, faults = _no_fault(_TYPED), column_faults(table, row_type)
    if faults:  # no other rule could be read
        results = _run_expectations("", {_TYPED: faults}, [typed])
    else:
        owners = dict.fromkeys([row_type, *(rule.of for rule in suite.of_kind(PartRule))])
        tables = {owner: table if owner is row_type else references[owner] for owner in owners}
        # a table may cost another one its rows: variants their questions
        budgets = [_budget_of(owner, held.num_rows, breaches, budget) for owner, held in tables.items()]
        counts: dict[str, list[int | None]] = {_TYPED: [None], **{rule.column: [count] for rule, count in budgets}}
        first, *kept = _run_expectations("", counts, [typed, *(rule for rule, _ in budgets)])
        values = cache(partial(column_values, table))
        plain, named = suite.of_kind(TableRule), suite.of_kind(Reference)
        lists = {column for rule in plain for column in rule.options.get("column_list", ())}
        columns = {name: values(name) for name in {suite.key, *lists, *(rule.column for rule in plain)} - {""}}
        columns |= {
            rule.says: _lost_references(rule, values(suite.key), values(rule.column), references) for rule in named
        }
        results = _run_expectations(suite.key, columns, [*plain, *(_no_fault(rule.says) for rule in named)])
        about = {rule.says: rule.column for rule in named}
        results = [replace(result, column=about.get(result.rule, result.column)) for result in results]
        results += _count_breaches(row_type, breaches)
        order = {rule.says: place for place, rule in enumerate(suite.rules)}
        results = [first, *sorted(results, key=lambda result: order.get(result.rule, len(order)))]
        results += [
            replace(result, count=0 if result.success else count)
            for result, (_, count) in zip(kept, budgets, strict=True)
        ]
    validation = Validation(stage, row_type.__name__, table.num_rows, tuple(results))
    if validation.broken:
        raise ContractBroken(validation)
    return validation


def validations_to_json(validations: Iterable[Validation]) -> list[dict[str, Any]]:
    """The validations as plain records."""
    return [{**asdict(validation), "success": not validation.broken} for validation in validations]


def _no_fault(says: str) -> TableRule:
    """The rule that a column of complaints, which is named after what it checks, holds none."""
    return TableRule(says, says, "ExpectColumnValuesToBeNull")


def _lost_references(rule: Reference, keys: list[Any], values: list[Any], references: References) -> list[str | None]:
    """For each row the reference that leads nowhere, after the row's own name; None where all lead somewhere."""
    names = set(references[rule.owner].column(rule.key).to_pylist()) | ({""} if rule.optional else set())
    lost = (
        (key, [name for name in list_names(value) if name not in names])
        for key, value in zip(keys, values, strict=True)
    )
    return [f"{key}: {rule.column} {gone[0]!r} is no {rule.owner.__name__}" if gone else None for key, gone in lost]


def _count_breaches(row_type: type, breaches: Sequence[Breach]) -> list[Result]:
    """A result for each rule that sets rows aside, with how many; of other tables only those that did."""
    by_code: dict[tuple[str, str], list[Breach]] = {}
    for breach in breaches:
        by_code.setdefault((breach.table, breach.rule), []).append(breach)
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
    return tuple(f"{breach.row}: {breach.detail}"[:_WIDTH] for breach in breaches[:_EXAMPLES])


def _budget_of(row_type: type, rows: int, breaches: Sequence[Breach], budget: float) -> tuple[TableRule, int]:
    """The rule on how many rows may break a rule, and how many do; those that only depend on such rows do not count."""
    count = sum(breach.table == KINDS[row_type] for breach in direct_breaches(breaches))
    allowed = max(COUNTED_FROM - 1, int(budget * (rows + count)))
    says = f"{_SET_ASIDE} from {KINDS[row_type]} are at most {allowed:,} (breach_budget = {budget:g})"
    return TableRule(says, says, "ExpectColumnSumToBeBetween", {"min_value": 0, "max_value": allowed}), count


def _run_expectations(key: str, columns: Mapping[str, Sequence[Any]], rules: Sequence[TableRule]) -> list[Result]:
    """Run rules on columns with Great Expectations, in the rules' order; `key` names a row, "" for no such column.

    Rules are asked for yes or no, which is several times cheaper, and only those that are broken for examples.
    """
    # imported late: Great Expectations takes 4 s, and workers never need it
    import pandas

    frame = pandas.DataFrame(columns, dtype=None if key else "object")
    broken = [place for place, held in enumerate(_validate(frame, rules, "BOOLEAN_ONLY")) if not held.success]
    shown: dict[str, Any] = {"result_format": "SUMMARY", "partial_unexpected_count": _EXAMPLES}
    if key:
        shown["unexpected_index_column_names"] = [key]
    told = _validate(frame, [rules[place] for place in broken], shown) if broken else []
    examined = dict(zip(broken, told, strict=True))
    return [_result(key, rule, examined.get(place)) for place, rule in enumerate(rules)]


def _validate(frame: Any, rules: Sequence[TableRule], result_format: Any) -> list[Any]:
    """The outcome of Great Expectations for each of these rules on a data frame."""
    frames = connect()  # first: no suite can be made without a context
    from great_expectations import ExpectationSuite, expectations

    suite = ExpectationSuite("suite")
    for place, rule in enumerate(rules):
        column = {"column": rule.column} if rule.column else {}
        suite.add_expectation(getattr(expectations, rule.expectation)(**column, **rule.options, meta={"rule": place}))
    outcome = frames.get_batch({"dataframe": frame}).validate(suite, result_format=result_format)
    return sorted(outcome.results, key=_rule_index)  # Great Expectations keeps no order


@cache
def connect() -> Any:
    """Import Great Expectations, for seconds, and make the context in which data frames are checked.

    Returns its batch definition. The context lies in memory, writes nothing and calls nobody.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "false"  # no telemetry, whatever a later version would send
    import great_expectations

    context = great_expectations.get_context(mode="ephemeral")
    context.enable_analytics(False)
    context.variables.progress_bars = {"globally": False}  # type: ignore[assignment]
    asset = context.data_sources.add_pandas("frames").add_dataframe_asset("frame")
    return asset.add_batch_definition_whole_dataframe("whole")


def _rule_index(held: Any) -> int:
    """The place of the rule that an outcome belongs to."""
    return int(held.expectation_config.meta["rule"])


def _result(key: str, rule: TableRule, held: Any) -> Result:
    """The outcome of Great Expectations as a Result; None where the rule holds."""
    column = "" if rule.column == rule.says else rule.column
    if held is None:
        return Result(rule.says, column, True)
    found, failed = held.result, held.exception_info.get("exception_message")
    if failed or "partial_unexpected_list" not in found:
        return Result(rule.says, column, False, 1, (f"{failed or found.get('observed_value')}"[:_WIDTH],))
    values = found["partial_unexpected_list"]
    if column not in ("", key):
        rows = found.get("partial_unexpected_index_list") or [{}] * len(values)
        values = [f"{row.get(key, '?')}: {rule.column} {value!r}" for row, value in zip(rows, values, strict=False)]
    return Result(rule.says, column, False, found["unexpected_count"], tuple(str(v)[:_WIDTH] for v in values))


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --good: #1a7f37; --bad: #c62828; --aside: #9a6700 }
@media (prefers-color-scheme: dark) { :root { --good: #57c26f; --bad: #ff7b72; --aside: #d4a72c } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem; margin-bottom: .2rem }
p.sum { margin: 0 0 1.5rem }
details { border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0 }
summary { cursor: pointer; padding: .55rem .8rem; display: flex; gap: .8rem; align-items: baseline }
summary b { min-width: 6.5rem }
summary .rows { margin-left: auto }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
td, th { text-align: left; vertical-align: top; padding: .35rem .8rem; border-top: 1px solid var(--line) }
th { font-weight: 600; background: var(--soft) }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.good { color: var(--good); font-weight: 600; white-space: nowrap }
.bad { color: var(--bad); font-weight: 600; white-space: nowrap }
.aside { color: var(--aside); font-weight: 600; white-space: nowrap }
code { font: .86em/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
ul { margin: .3rem 0 0; padding-left: 1.1rem }
"""


def render_page(validations: Sequence[Validation]) -> str:
    """The page: a line on the whole, then each table with its rules, open where one is broken."""
    rules = sum(len(validation.results) for validation in validations)
    broken = sum(len(validation.broken) for validation in validations)
    aside = len(
        {(one.table, result.rule) for one in validations for result in one.results if result.count and not result.stops}
    )
    verdict = f'<span class="bad">{broken:,} broken</span>' if broken else '<span class="good">all hold</span>'
    if aside:
        verdict += f'; <span class="aside">rows that broke {aside:,} of them were set aside</span>'
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Data contracts: {f'{broken:,} broken' if broken else 'all hold'}</title>\n"
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Data contracts</h1>\n"
        f'<p class="sum">{len(validations):,} tables, {rules:,} rules: {verdict}.</p>\n'
        f"{''.join(map(_table_html, validations))}</body>\n</html>\n"
    )


def _table_html(validation: Validation) -> str:
    broken, rules, aside = len(validation.broken), len(validation.results), validation.set_aside
    verdict = (
        f'<span class="bad">✗ {broken:,} of {rules:,} broken</span>'
        if broken
        else (f'<span class="good">✓ {rules:,} rules</span>')
    )
    if aside:
        verdict += f' <span class="aside">{aside:,} rows set aside</span>'
    return (
        f"<details{' open' if broken or aside else ''}>\n<summary><b>{escape(validation.stage)}</b> "
        f"{escape(validation.table)} "
        f'{verdict}<span class="rows">{validation.rows:,} rows</span></summary>\n<div class="scroll"><table>\n'
        "<tr><th></th><th>Rule</th><th>Column</th><th>Offending</th></tr>\n"
        f"{''.join(_rule_html(result) for result in sorted(validation.results, key=lambda result: result.success))}"
        "</table></div>\n</details>\n"
    )


def _rule_html(result: Result) -> str:
    bad = '<span class="bad">✗</span>' if result.stops else '<span class="aside">set aside</span>'
    mark = '<span class="good">✓</span>' if result.success else bad
    column = f"<code>{escape(result.column)}</code>" if result.column else ""
    examples = "".join(f"<li><code>{escape(example)}</code></li>" for example in result.examples)
    shown = f"<ul>{examples}</ul>" if examples else ""
    count = "" if result.success else f"{result.count:,}"
    return f'<tr><td>{mark}</td><td>{escape(result.rule)}{shown}</td><td>{column}</td><td class="n">{count}</td></tr>\n'
