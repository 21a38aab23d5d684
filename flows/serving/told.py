"""What came of a run: a line for its state, artifacts for whoever looks closer, and links between them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prefect.artifacts import create_markdown_artifact
from prefect.logging import get_run_logger

from rarefy.flows import report
from rarefy.flows.compare import compare, gate
from rarefy.flows.compared import markdown, written
from rarefy.flows.config import Config
from rarefy.flows.evaluate import Evaluated
from rarefy.flows.faults import Fault, RegressionFault
from rarefy.flows.serving.keys import key
from rarefy.flows.serving.links import linked
from rarefy.tasks.journal import Version
from rarefy.tasks.llm.secrets import redacted
from rarefy.tasks.results import markdown as as_markdown

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


def built(made: report.Built) -> str:
    """A build in a line."""
    kept = {stage.name: stage.kept for stage in made.funnel}
    return (
        f"version {made.version[:12]}: {kept['documents']:,} documents, {kept['questions']:,} questions, "
        f"{kept['variants']:,} variants"
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
        "| what | rows |\n|---|---:|\n" + "\n".join(f"| {name} | {n:,} |" for name, n in version.counts.items()),
        f"Made by [this run]({version.run_url})" if version.run_url else "",
    ]
    if done.changes is not None and before is not None:
        old = f"[version {before.number}]({before.run_url})" if before.run_url else f"version {before.number}"
        lines += [
            f"## Since {old}\n\n{_table(version)}",
            f"`rarefy diff {before.version[:12]} {version.version[:12]}` tells every one of them; "
            + linked("changes.html", Path(out, "changes.html")),
        ]
    lines.append(linked("contracts.html", Path(out, "contracts.html")))
    _artifact(out, "version", f"Version {version.number}: what it holds, and which run made it", lines)
    if done.told == "refreshed" and (told := Path(out, "changes.md")).exists() and done.changes is not None:
        _artifact(out, "diff", f"What changed in version {version.number}", [told.read_text(encoding="utf-8")])


def of_evaluation(done: Evaluated, before: Path | None, config: Config, rules: Sequence[str]) -> list[str]:
    """The headlines among the artifacts, beside those of the evaluation before; which rules they break."""
    broken: list[str] = []
    lines = [linked("report.html", Path(done.out, "report.html"))]
    for system in done.summary["systems"]:
        if before is None:
            break
        try:
            found = compare(before, Path(done.out), config=config.statistics, systems=[system], anyway=True)
        except Fault as fault:  # a system that is new has nothing to be compared with
            lines.append(f"**{system}** is not compared: {fault}")
            continue
        written(Path(done.out, "compare", system), found)
        lines.append(f"## {system} against {before.name}\n\n{markdown(found)}")
        try:
            gate(found, rules)
        except RegressionFault as fault:
            broken.append(f"{system}: {fault}")
    lines.append(as_markdown(done.summary))
    _artifact(str(Path(done.out).parent), "headline", f"How robust: {evaluated(done)}", lines)
    return broken


def _counts(version: Version) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in version.changes.items() if count)


def _table(version: Version) -> str:
    rows = "\n".join(f"| {name.replace('_', ' ')} | {count:,} |" for name, count in version.changes.items())
    return f"| what | rows |\n|---|---:|\n{rows}"


def _artifact(out: str, name: str, description: str, lines: Sequence[str]) -> None:
    text = "\n\n".join(filter(None, lines))
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}\n\n… the rest is in {out}"
    create_markdown_artifact(text, key=key(out, name), description=description)
