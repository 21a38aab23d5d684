"""What came of a run: a line for its state, artifacts for whoever looks closer, and links between them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prefect.artifacts import create_markdown_artifact
from prefect.logging import get_run_logger

from rarefy.flows.compare import compare, gate, ruled
from rarefy.flows.config import Config
from rarefy.flows.evaluate import Evaluated
from rarefy.flows.faults import Fault, RegressionFault
from rarefy.flows.reports import build_report
from rarefy.flows.reports.comparison_report import markdown, written
from rarefy.flows.serving.artifact_keys import key
from rarefy.flows.serving.links import linked
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.statistics.compare import Difference
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.refresh.versions.settings import differ
from rarefy.tasks.refresh.versions.shown import counted
from rarefy.tasks.store.journal import Version
from rarefy.tasks.text.markdown import markdown_table

if TYPE_CHECKING:
    from rarefy.flows.refresh import Refreshed

LONGEST = 60_000  # characters of an artifact: a browser shows it
SAID = {
    "not wanted": "nobody asked for a refresh since the last one",
    "busy": "another refresh of it runs, and goes again when it is done",
}


def say(text: str) -> None:
    """A line of the run's log."""
    get_run_logger().info(redacted(text))


def built(made: build_report.Built) -> str:
    """A build in a line."""
    kept = {stage.name: stage.kept for stage in made.funnel}
    return f"version {made.version[:12]}: " + ", ".join(
        counted(kind, kept[kind]) for kind in ("documents", "questions", "variants")
    )


def refreshed(done: "Refreshed") -> str:
    """A refresh in a line."""
    if done.told in SAID or done.version is None:
        return SAID.get(done.told, done.told)
    number = f"version {done.version.number} ({done.version.version[:12]})"
    if done.told == "unchanged":
        return f"nothing changed: {number} stands"
    return f"{number}: {_counts(done.version)}" if done.changes else f"{number}, the first"


def evaluated(done: Evaluated) -> str:
    """An evaluation in a line."""
    about = done.summary["benchmark"]
    return f"{', '.join(done.summary['systems'])} on {about['questions']:,} questions of {about['version'][:12]}"


def of_refresh(done: "Refreshed") -> None:
    """The version with its links, and the diff to the one before it, among the artifacts."""
    if done.version is None:
        return
    out, version, before = done.version.out, done.version, done.before
    lines = [
        f"# Version {version.number} of {Path(out).name}",
        refreshed(done) if done.told == "unchanged" else "",
        f"`{version.version}`, published {version.created}{f', as of {version.as_of}' if version.as_of else ''}",
        f"Made by [this run]({version.run_url})" if version.run_url else "",
    ]
    if done.settings and before is not None:
        lines.append(f"**{differ(done.settings, str(before.number))}**")
    if done.changes is not None and before is not None:
        old = f"[version {before.number}]({before.run_url})" if before.run_url else f"version {before.number}"
        lines += [
            _table(version, f"since {old}"),
            f"`rarefy diff {before.version[:12]} {version.version[:12]}` tells every one of them; "
            + linked("changes.html", Path(out, "changes.html")),
        ]
    else:
        lines.append(_table(version, ""))
    lines.append(linked("contracts.html", Path(out, "contracts.html")))
    _artifact(out, "version", f"Version {version.number}: what it holds, and which run made it", lines)
    if done.told == "refreshed" and (told := Path(out, "changes.md")).exists() and done.changes is not None:
        _artifact(out, "diff", f"What changed in version {version.number}", [told.read_text(encoding="utf-8")])


def of_evaluation(done: Evaluated, before: Path | None, config: Config, rules: Sequence[str]) -> list[str]:
    """The headlines among the artifacts, and what changed since the evaluation before; which rules that breaks."""
    broken: list[str] = []
    drift: list[str] = []
    changed: dict[tuple[str, str, str], str] = {}
    for system in done.summary["systems"] if before else ():
        assert before
        try:
            found = compare(before, Path(done.out), config=config.statistics, systems=[system], anyway=True)
        except Fault as fault:  # a system that is new has nothing to be compared with
            drift.append(f"**{system}** is not compared: {fault}")
            continue
        found = ruled(found, rules)
        written(Path(done.out, "compare", re.sub(r"[^\w.-]+", "-", system)), found)
        drift.append(markdown(found))
        changed |= {(system, row.protocol, row.metric): _change(row) for row in found.differences if row.headline}
        try:
            gate(found, rules)
        except RegressionFault as fault:
            broken.append(f"{system}: {fault}")
    since = f"since {before.name}" if before else ""
    rows = [
        (
            row["system"],
            f"{row['protocol'].replace('_', ' ')}: {row['metric']}",
            wording.value(row),
            changed.get((row["system"], row["protocol"], row["metric"]), ""),
        )
        for row in wording.headlines(done.summary["figures"])
    ]
    lines = [
        linked("The report", Path(done.out, "report.html")),
        *(f"**Regression** {one}" for one in broken),
        "\n".join(markdown_table(("system", "number", "value", since), rows, figures=[2])),
        f"{since.capitalize()}: in points, with its interval, on the questions that both versions have."
        if since
        else "",
    ]
    place = str(Path(done.out).parent)
    _artifact(place, "headline", f"How robust: {evaluated(done)}", lines)
    if drift:
        _artifact(place, "drift", f"What changed {since}", drift)
    return broken


def _change(row: Difference) -> str:
    """A difference in points with its interval."""
    if row.difference is None:
        return "withheld"
    ends = "" if row.low is None or row.high is None else f" ({100 * row.low:+.1f} to {100 * row.high:+.1f})"
    return f"{100 * row.difference:+.1f}{ends}"


def _counts(version: Version) -> str:
    """What moved of documents and questions; all the rest is in the artifact."""
    moved = {name: n for name, n in version.changes.items() if n and "unchanged" not in name}
    told = [counted(name, n) for name, n in moved.items() if name.startswith(("documents", "questions"))]
    return ", ".join(told) or "no document or question changed"


def _table(version: Version, since: str) -> str:
    """How many rows of each kind the version has, and what became of those of the version before."""
    became: dict[str, list[str]] = {kind: [] for kind in version.counts}
    for name, count in version.changes.items():
        kind, _, what = name.partition("_")
        if count and since:
            became.setdefault(kind, []).append(f"{count:,} {what.replace('_', ' ')}")
    rows = [
        (kind, f"{version.counts[kind]:,}" if kind in version.counts else "", ", ".join(told))
        for kind, told in became.items()
    ]
    return "\n".join(markdown_table(("", "rows", since), rows, figures=[1]))


def _artifact(out: str, name: str, description: str, lines: Sequence[str]) -> None:
    text = "\n\n".join(filter(None, lines))
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n\n… the rest is in {out}"
    create_markdown_artifact(text, key=key(out, name), description=description)
