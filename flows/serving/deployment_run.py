"""What a deployment's run does, and how it says in Prefect what came of it."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRunPolicy
from prefect.logging import get_run_logger
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State

from rarefy.flows.compare import check_rules, compare, gate
from rarefy.flows.config import Config, load
from rarefy.flows.engine.prefect_server import create_artifact
from rarefy.flows.engine.run import with_repair
from rarefy.flows.evaluate import EvaluationResult
from rarefy.flows.faults import Fault, RegressionFault, UndecidedFault, UsageFault
from rarefy.flows.reports import build_report
from rarefy.flows.reports.comparison_report import markdown, write_comparison
from rarefy.flows.serving import flow_runs
from rarefy.flows.serving.login import markdown_link
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.statistics.compare import Difference
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.refresh.versions.compare import describe_differing_settings
from rarefy.tasks.refresh.versions.report import format_count
from rarefy.tasks.store import journal
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text.markdown import markdown_table

if TYPE_CHECKING:
    from rarefy.flows.refresh import RefreshResult

NOTHING_DONE = {
    "not wanted": "nobody asked for a refresh since the last one",
    "busy": "another refresh of it runs, and goes again when it is done",
}


def log_line(text: str) -> None:
    """Write a line into the run's log in Prefect."""
    get_run_logger().info(redacted(text))


def describe_build(made: build_report.BuildResult) -> str:
    """A build in a line."""
    kept = {stage.name: stage.kept for stage in made.funnel}
    return f"version {made.version[:12]}: " + ", ".join(
        format_count(kind, kept[kind]) for kind in ("documents", "questions", "variants")
    )


def describe_refresh(done: "RefreshResult") -> str:
    """A refresh in a line."""
    if done.status in NOTHING_DONE or done.version is None:
        return NOTHING_DONE.get(done.status, done.status)
    number = f"version {done.version.number} ({done.version.version[:12]})"
    if done.status == "unchanged":
        return f"nothing changed: {number} stands"
    return f"{number}: {_describe_changes(done.version)}" if done.changes else f"{number}, the first"


def describe_evaluation(done: EvaluationResult) -> str:
    """An evaluation in a line."""
    about = done.summary["benchmark"]
    return f"{', '.join(done.summary['systems'])} on {about['questions']:,} questions of {about['version'][:12]}"


def create_refresh_artifacts(done: "RefreshResult") -> None:
    """Create the artifacts of a refresh: the version with its links, and the diff to the one before it."""
    if done.version is None:
        return
    out, version, before = done.version.out, done.version, done.before
    lines = [
        f"# Version {version.number} of {Path(out).name}",
        describe_refresh(done) if done.status == "unchanged" else "",
        f"`{version.version}`, published {version.created}{f', as of {version.as_of}' if version.as_of else ''}",
        f"Made by [this run]({version.run_url})" if version.run_url else "",
    ]
    if done.settings and before is not None:
        lines.append(f"**{describe_differing_settings(done.settings, str(before.number))}**")
    if done.changes is not None and before is not None:
        old = f"[version {before.number}]({before.run_url})" if before.run_url else f"version {before.number}"
        lines += [
            _version_table(version, f"since {old}"),
            f"`rarefy diff {before.version[:12]} {version.version[:12]}` tells every one of them; "
            + markdown_link("changes.html", Path(out, "changes.html")),
        ]
    else:
        lines.append(_version_table(version, ""))
    lines.append(markdown_link("contracts.html", Path(out, "contracts.html")))
    _artifact(out, "version", f"Version {version.number}: what it holds, and which run made it", lines)
    if done.status == "refreshed" and (changes_file := Path(out, "changes.md")).exists() and done.changes is not None:
        _artifact(out, "diff", f"What changed in version {version.number}", [changes_file.read_text(encoding="utf-8")])


def create_evaluation_artifacts(
    done: EvaluationResult, before: Path | None, config: Config, rules: Sequence[str]
) -> list[str]:
    """Create the artifacts of an evaluation, headlines and drift since the one before; returns the broken rules."""
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
        found = check_rules(found, rules)
        write_comparison(Path(done.out, "compare", re.sub(r"[^\w.-]+", "-", system)), found)
        drift.append(markdown(found))
        changed |= {(system, row.protocol, row.metric): _change(row) for row in found.differences if row.headline}
        try:
            gate(found, rules)
        except RegressionFault as fault:
            broken.append(f"{system}: {fault}")
        except UndecidedFault:  # no regression is known of; the comparison says so
            continue
    since = f"since {before.name}" if before else ""
    rows = [
        (
            row["system"],
            f"{row['protocol'].replace('_', ' ')}: {row['metric']}",
            wording.format_value(row),
            changed.get((row["system"], row["protocol"], row["metric"]), ""),
        )
        for row in wording.headline_rows(done.summary["figures"])
    ]
    lines = [
        markdown_link("The report", Path(done.out, "report.html")),
        *(f"**Regression** {one}" for one in broken),
        "\n".join(markdown_table(("system", "number", "value", since), rows, figures=[2])),
        f"{since.capitalize()}: in points, with its interval, on the questions that both versions have."
        if since
        else "",
    ]
    place = str(Path(done.out).parent)
    _artifact(place, "headline", f"How robust: {describe_evaluation(done)}", lines)
    if drift:
        _artifact(place, "drift", f"What changed {since}", drift)
    return broken


def _change(row: Difference) -> str:
    """A difference in points with its interval."""
    if row.difference is None:
        return "withheld"
    ends = "" if row.low is None or row.high is None else f" ({100 * row.low:+.1f} to {100 * row.high:+.1f})"
    return f"{100 * row.difference:+.1f}{ends}"


def _describe_changes(version: Version) -> str:
    """What changed of documents and questions, in a line."""
    moved = {name: n for name, n in version.changes.items() if n and "unchanged" not in name}
    parts = [format_count(name, n) for name, n in moved.items() if name.startswith(("documents", "questions"))]
    return ", ".join(parts) or "no document or question changed"


def _version_table(version: Version, since: str) -> str:
    """A Markdown table of the version's rows by kind, and what became of those of the version before."""
    became: dict[str, list[str]] = {kind: [] for kind in version.counts}
    for name, count in version.changes.items():
        kind, _, what = name.partition("_")
        if count and since:
            became.setdefault(kind, []).append(f"{count:,} {what.replace('_', ' ')}")
    rows = [
        (kind, f"{version.counts[kind]:,}" if kind in version.counts else "", ", ".join(what_became))
        for kind, what_became in became.items()
    ]
    return "\n".join(markdown_table(("", "rows", since), rows, figures=[1]))


def _artifact(out: str, name: str, description: str, lines: Sequence[str]) -> None:
    create_artifact(out, name, description, "\n\n".join(filter(None, lines)))


Done = TypeVar("Done")
REGRESSED = "Regressed"  # the state of an evaluation that broke a rule


@dataclass(frozen=True)
class RunSettings:
    """Settings, store, workers and limits of a run."""

    config_file: str
    store: str
    workers: int = 0
    dask: str = ""
    max_calls: int = 0
    max_cost: float = 0.0

    def config(self) -> Config:
        """The config, once all that it names is known to be there."""
        from rarefy.flows.engine.config_check import check_config

        file = Path(self.config_file) if self.config_file else None
        config = load(file)
        check_config(config, file)
        return config

    def limits(self) -> dict[str, Any]:
        """The arguments that build, refresh and evaluate share."""
        return {
            "store": self.store,
            "workers": self.workers,
            "dask": self.dask,
            "quiet": True,  # what is said goes to the run's log
            "max_calls": self.max_calls,
            "max_cost": self.max_cost,
        }


def short_place(place: str) -> str:
    """The last part of a path, for a run's name."""
    return re.split(r"[/\\]", str(place).rstrip("/\\"))[-1] or str(place)


def build(corpus: str, out: str, how: RunSettings, limit: int, as_of: str) -> State[Any]:
    """Build a benchmark; the state "Built"."""
    from rarefy.flows.build import build as make

    with _without_retries_of_faults():
        options = how.limits() | {"limit": limit, "as_of": as_of}
        built = _with_repair(how.store, lambda: make.fn(corpus, out, how.config(), **options))
        return Completed(name="Built", message=describe_build(built))


def refresh(corpus: str, out: str, how: RunSettings, only_if_wanted: bool, as_of: str, evaluation: str) -> State[Any]:
    """Refresh a benchmark, show its diff as an artifact, and start the evaluation where something changed."""
    from rarefy.flows.refresh import refresh as make

    with _without_retries_of_faults():
        options = how.limits() | {"as_of": as_of, "only_if_wanted": only_if_wanted}
        done = _with_repair(how.store, lambda: make.fn(corpus, out, how.config(), **options))
        create_refresh_artifacts(done)
        if done.status == "refreshed" and evaluation:
            flow_runs.start_deployment(evaluation)
        return Completed(name=done.status.capitalize(), message=describe_refresh(done))


def evaluate(
    benchmark: str,
    results: str,
    how: RunSettings,
    systems: Sequence[str],
    protocols: Sequence[str],
    questions: int,
    rules: Sequence[str],
) -> State[Any]:
    """Evaluate, and compare with the evaluation before; the state "Regressed", a failure, where it breaks a rule."""
    from rarefy.flows.evaluate import evaluate as make

    with _without_retries_of_faults():
        config = how.config()
        place, before = _result_folders(benchmark, results, how.store)
        options = how.limits() | {"names": systems, "protocol": protocols, "questions": questions}
        done = _with_repair(how.store, lambda: make.fn(benchmark, str(place), config, **options))
        broken = create_evaluation_artifacts(done, before, config, rules)
        if broken:
            _once()
            return Failed(name=REGRESSED, message="\n".join(broken))
        return Completed(name="Evaluated", message=describe_evaluation(done))


def watch(corpus: str, out: str, how: RunSettings, deployment: str) -> State[Any]:
    """Look once at the documents; where they changed, ask for a refresh and start its deployment."""
    from rarefy.flows.serving.folder_watch import look

    with _without_retries_of_faults():
        begun: list[str] = []  # before what was seen is remembered: a crash between the two loses no refresh
        then = lambda: begun.append(flow_runs.start_deployment(deployment, only_if_wanted=True))  # noqa: E731
        why = look(corpus, out, how.store, how.config(), log_line, then)
        if not why:
            return Completed(name="Unchanged", message="no document came, changed or went")
        return Completed(name="Wanted", message="; ".join([why, *begun]))


def _result_folders(benchmark: str, results: str, store: str) -> tuple[Path, Path | None]:
    """The folder of this version's evaluation, and that of the evaluation before it."""
    try:
        version = str(json.loads(Path(benchmark, "manifest.json").read_bytes()).get("version", ""))
    except FileNotFoundError:
        raise UsageFault(
            f"{benchmark}: no manifest.json, so that this is no benchmark; build or refresh it first"
        ) from None
    known = journal.list_versions(Store(store), journal.line_of(benchmark))
    number = max((one.number for one in known if one.version == version), default=0)
    place = Path(results, f"{number:04d}-{version[:8] or 'unversioned'}")
    there = sorted(path.parent for path in Path(results).glob("*/summary.json") if path.parent.name < place.name)
    return place, there[-1] if there else None


@contextmanager
def _without_retries_of_faults() -> Iterator[None]:
    """Within it, a fault of config, corpus or limits is not retried: it would be the same. One that may pass is."""
    try:
        yield
    except (Fault, ValueError) as error:
        if not getattr(error, "passing", False):
            _once()
        raise


def _once() -> None:
    """Tell Prefect not to retry this run."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, empirical_policy=FlowRunPolicy(retries=0, retry_delay=0))


def _with_repair(store: str, make: Callable[[], Done]) -> Done:
    """What `make` returns; damage of the store is logged and repaired."""
    return with_repair(store, make, lambda damage, _: log_line(redacted(str(damage))))
