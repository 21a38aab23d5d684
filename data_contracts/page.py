"""The validations of a build as one HTML page that needs nothing beside it: no script, no font, no network."""

from collections.abc import Sequence
from html import escape

from rarefy.data_contracts.expectations import Result, Validation

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


def page(validations: Sequence[Validation]) -> str:
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
        f"{''.join(map(_table, validations))}</body>\n</html>\n"
    )


def _table(validation: Validation) -> str:
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
        f"{''.join(_rule(result) for result in sorted(validation.results, key=lambda result: result.success))}"
        "</table></div>\n</details>\n"
    )


def _rule(result: Result) -> str:
    bad = '<span class="bad">✗</span>' if result.stops else '<span class="aside">set aside</span>'
    mark = '<span class="good">✓</span>' if result.success else bad
    column = f"<code>{escape(result.column)}</code>" if result.column else ""
    examples = "".join(f"<li><code>{escape(example)}</code></li>" for example in result.examples)
    shown = f"<ul>{examples}</ul>" if examples else ""
    count = "" if result.success else f"{result.count:,}"
    return f'<tr><td>{mark}</td><td>{escape(result.rule)}{shown}</td><td>{column}</td><td class="n">{count}</td></tr>\n'
