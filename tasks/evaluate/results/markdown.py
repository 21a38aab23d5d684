"""The summary as Markdown, for a README, a pull request, a wiki."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.text.markdown import markdown_table
from rarefy.tasks.text.markdown import markdown_text as _text


def markdown(summary: Mapping[str, Any]) -> str:
    """Headline, coverage, what was left out, the options chosen, and what it cost, as Markdown."""
    about = summary["benchmark"]
    lines = [f"# {_text(about.get('name') or 'Benchmark')}: evaluation", "", _benchmark(summary), ""]
    lines += [f"**{_text(budget)}**", ""] if (budget := wording.describe_budget(summary)) else []
    for part in (_headline, _left_out, _funnel, _options, _usage):
        lines += part(summary)
    lines.append("All numbers, with slices: `summary.json`, `figures.parquet`. To look into them: `report.html`.")
    return "\n".join(lines) + "\n"


def _benchmark(summary: Mapping[str, Any]) -> str:
    about = summary["benchmark"]
    parts = [
        f"version `{str(about.get('version', ''))[:12]}`",
        *(f"{about[name]:,} {name}" for name in ("questions", "documents") if isinstance(about.get(name), int)),
        *([f"split {_text(about['split'])}"] if about.get("split") else []),
        f"systems {', '.join(_text(name) for name in summary['systems'])}",
        *(f"{name} {version}" for name, version in summary["package"].items() if name == "rarefy"),
    ]
    return " · ".join(parts)


def _headline(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from ("## Headline", "")
    for (protocol,), rows in wording.group_rows(wording.headline_rows(summary["figures"]), "protocol"):
        paper = summary["protocols"].get(protocol, {}).get("paper")
        title = _text(wording.protocol_title(protocol, summary["protocols"]))
        yield from (f"### {title}" + (f" (arXiv {_text(paper)})" if paper else ""), "")
        yield from _table(
            ("system", "number", "of", "value", "95 % interval", "scored", "failed", "missing", "skipped", "note"),
            (
                (
                    wording.system_title(row["system"]),
                    row["metric"],
                    wording.format_slice(row["slice"]),
                    wording.format_value(row),
                    wording.format_interval(row),
                    *(f"{row[f'n_{name}']:,}" for name in ("scored", "failed", "missing", "skipped")),
                    row["note"],
                )
                for row in wording.with_companions(rows, summary["figures"])
            ),
            range(3, 9),
        )


def _left_out(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary["left_out"]:
        yield from ("## Left out", "")
        for row in summary["left_out"]:
            title = wording.protocol_title(row["protocol"], summary["protocols"])
            yield f"- {_text(wording.system_title(row['system']))}, {_text(title)}: {_text(row['why'])}"
        yield ""


def _funnel(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary["funnel"]:
        yield from ("## Funnel", "")
        rows = (
            (
                wording.system_title(row["system"]),
                wording.protocol_title(row["protocol"], summary["protocols"]),
                row["stage"],
                f"{row['in']:,}",
                f"{row['out']:,}",
                wording.format_reasons(row["reasons"]),
            )
            for row in summary["funnel"]
        )
        yield from _table(("system", "protocol", "stage", "in", "out", "lost"), rows, range(3, 5))


def _options(summary: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        (where, option["name"], wording.format_option(option["value"]), option["tag"], option.get("source", ""))
        for where, option in wording.tagged_options(summary)
    ]
    if rows:
        yield from ("## Options that the papers leave open", "")
        yield from _table(("protocol", "option", "chosen", "tag", "source"), rows)


def _usage(summary: Mapping[str, Any]) -> Iterator[str]:
    if summary["usage"]:
        yield from ("## Cost", "")
        names = ("answers", "asked", "calls", "prompt_tokens", "completion_tokens")
        rows = (
            (
                name,
                *(f"{about.get(one, 0):,}" for one in names),
                f"{about.get('cost', 0):,.2f} {about.get('currency', '')}".strip(),
                f"{about.get('seconds', 0):,.1f}",
            )
            for name, about in summary["usage"].items()
        )
        yield from _table(("system", *map(wording.plain_words, names), "cost", "seconds"), rows, range(1, 8))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]], figures: range = range(0)) -> Iterator[str]:
    yield from markdown_table(head, rows, figures)
    yield ""
