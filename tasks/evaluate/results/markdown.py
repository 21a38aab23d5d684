"""The summary as Markdown, for a README, a pull request, a wiki."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.own_retrieval import lines_for_markdown
from rarefy.tasks.evaluate.results.plain_summary import FOLDER, plain_summaries
from rarefy.tasks.text.markdown import markdown_table
from rarefy.tasks.text.markdown import markdown_text as _text

COUNTS = ("scored", "failed", "missing", "skipped")


def markdown(summary: Mapping[str, Any], folder: str = FOLDER) -> str:
    """The plain summary, headline, coverage, what was left out, the options chosen, and what it cost, as Markdown.

    `folder` is where the result lies, for the commands that it names.
    """
    about = summary["benchmark"]
    lines = [f"# {_text(about.get('name') or 'Benchmark')}: evaluation", "", _benchmark(summary), ""]
    lines += [f"**{_text(budget)}**", ""] if (budget := wording.describe_budget(summary)) else []
    lines += _in_short(summary, folder)
    for part in (_headline, lines_for_markdown, _left_out, _funnel, _options, _usage):
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


def _in_short(summary: Mapping[str, Any], folder: str) -> Iterator[str]:
    for one in plain_summaries(summary, folder):
        yield from ("## In short", "", f"**{_text(one.system)}** is {_text(one.good)}", "")
        yield from ("What hurts most:", "") if one.hurts else ()
        for number, hurt in enumerate(one.hurts, start=1):
            yield (
                f"{number}. **{_text(hurt.change)}**: {hurt.lost} ({_text(hurt.protocol)}). Asked "
                f"“{_text(hurt.asked)}” it said “{_text(hurt.said)}”; right is "
                f"{f'“{_text(hurt.right)}”' if hurt.right else 'a refusal'}."
            )
        yield from ("",) if one.hurts else (f"What hurts most: {_text(one.no_hurt)}", "")
        yield from (f"Weak part: {_text(one.weak)}", "")
        if one.unscored:
            yield from (f"{_text(one.unscored)} {_text(one.how)}".rstrip(), "")
        yield from ("```sh", *one.mend, "```", "") if one.mend else ()
        yield from ("Try next:", "", *(f"- {_text(step)}" for step in one.next), "") if one.next else ()


def _headline(summary: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        "## Headline",
        "",
        "Accuracy stands first. A range in brackets is how far the answers without a score could move "
        "the number. Each protocol has its own prompts and counts the kinds of question that its paper has, so that no "
        "accuracy here is the share above."
        f" {wording.why_no_intervals(summary)}".rstrip(),
        "",
    )
    intervals = wording.has_intervals(summary)
    for (protocol,), rows in wording.group_rows(wording.headline_rows(summary["figures"]), "protocol"):
        paper = summary["protocols"].get(protocol, {}).get("paper")
        title = _text(wording.protocol_title(protocol, summary["protocols"]))
        yield from (f"### {title}" + (f" (arXiv {_text(paper)})" if paper else ""), "")
        about = display_of(protocol).about
        yield from (about, "") if about else ()
        systems = [system for (system,), _ in wording.group_rows(rows, "system")]
        rows = [row for system in systems for row in wording.table_rows(summary["figures"], protocol, system)]
        yield from _table(
            (
                *("system", "number", "of", "value"),
                *(["95 % interval"] * intervals),
                *(wording.cluster_name(summary), *COUNTS, "note"),
            ),
            (
                (
                    wording.system_title(row["system"]),
                    wording.number_name(row),
                    wording.format_slice(row["slice"]),
                    wording.format_value(row),
                    *([wording.format_interval(row)] * intervals),
                    *(f"{row[name]:,}" for name in ("clusters", *(f"n_{name}" for name in COUNTS))),
                    wording.other_notes(row),
                )
                for row in rows
            ),
            range(3, 9 + intervals),
        )
        for system in systems:
            caution = wording.describe_caution([row for row in rows if row["system"] == system], protocol)
            yield from (f"**Mind**, {_text(wording.system_title(system))}: {_text(caution)}.", "") if caution else ()
            skipped = wording.describe_skipped(summary, protocol, system)
            yield from (f"{_text(wording.system_title(system))}: {_text(skipped)}.", "") if skipped else ()
        described = wording.describe_metrics(rows, summary["figures"])
        said = [f"- {_text(name)}: {_text(about)}" for name, about in described]
        yield from (*said, "") if said else ()


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
