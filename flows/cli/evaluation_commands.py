"""The commands that evaluate, score anew and compare."""

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rarefy.flows.cli import commands
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config

RESULT = {
    "trials",
    "answers",
    "scores",
    "questions",
    "chunks",
    "variants",
    "hits",
    "figures",
    "summary",
    "report",
    "run",
}
OURS = {*RESULT, "runs", "sig", "compare"}


def evaluate(given: argparse.Namespace) -> int:
    """Put systems to the test."""
    from rarefy.flows.config import load
    from rarefy.flows.engine import prefect_server

    config = load(given.config)
    if not given.benchmark.is_dir():
        raise UsageFault(f"{given.benchmark}: no such folder; give the folder of `rarefy build` or `rarefy perturb`")
    commands.check_store(given.store)
    prefect_server.start()
    from rarefy.flows.engine.resolve_systems import check, models_of  # while the server starts
    from rarefy.flows.engine.resolve_systems import protocols as chosen

    chosen(given.protocol)
    tested = check(config, given.config, given.system)
    commands.check_models(given, config, models_of(config, tested))
    _check_place(given.out)
    prefect_server.wait()
    from rarefy.flows.evaluate import evaluate as work
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.evaluate.results import headline

    made = work(
        str(given.benchmark),
        str(given.out),
        config,
        given.system,
        given.protocol,
        given.split,
        given.questions,
        given.store,
        given.workers,
        given.dask,
        given.quiet,
        given.max_calls,
        given.max_cost,
    )
    if not given.quiet:
        Terminal().print(headline(made.summary))
        print(f"Report: {given.shown_out / 'report.html'}")
    return 0


def rescore(given: argparse.Namespace) -> int:
    """Score stored answers anew."""
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.rescore import rescore as work
    from rarefy.tasks.evaluate.results import headline

    config = _of_result(given.result, given)
    told = work(
        given.result, given.out or given.result, config, given.store, given.max_calls, given.max_cost, given.quiet
    )
    if not given.quiet:
        Terminal().print(headline(told))
        print(f"Report: {(given.shown_out or given.result) / 'report.html'}")
    return 0


def _of_result(place: Path, given: argparse.Namespace) -> "Config":
    from rarefy.flows.config import load

    try:
        json.loads((place / "summary.json").read_bytes())
    except FileNotFoundError:
        raise UsageFault(f"{place}: no summary.json, so that this is no finished result of `rarefy evaluate`") from None
    except ValueError as error:
        raise UsageFault(f"{place / 'summary.json'}: {error}; evaluate again") from error
    config = load(given.config)
    commands.check_store(given.store)
    commands.check_models(given, config, [config.correct.judge] if config.correct.judge.provider else [])
    return config


def compare(given: argparse.Namespace) -> int:
    """Set two results beside each other."""
    from pydantic import ValidationError

    from rarefy.flows.compare import compare as work
    from rarefy.flows.compare import gate, ruled
    from rarefy.flows.config import load
    from rarefy.flows.reports.comparison_report import as_json, show, written
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
    from rarefy.tasks.evaluate.statistics.gate import parsed

    told = {
        "margin": given.margin and given.margin / 100,
        "cluster": given.by,
        "draws": given.draws,
        "seed": given.seed,
    }
    told = {name: value for name, value in told.items() if value is not None}
    try:
        for rule in given.fail_if:  # a mistyped one is told before the work
            parsed(rule)
        config = StatisticsConfig.model_validate({**load(given.config).statistics.model_dump(), **told})
    except ValidationError as error:
        raise UsageFault("; ".join(f"--{one['loc'][0]}: {one['msg']}" for one in error.errors())) from error
    except ValueError as error:
        raise UsageFault(f"--fail-if: {error}") from error
    asked = {"systems": given.system, "protocols": given.protocol, "anyway": given.anyway}
    found = ruled(work(given.before, given.after, config=config, **asked), given.fail_if)
    if given.json:
        print(json.dumps(as_json(found), ensure_ascii=False))
    else:
        show(found, Terminal())
    if given.out:
        written(given.out, found)
    gate(found, given.fail_if)  # last, so that all is told however it ends
    return 0


def _check_place(out: Path) -> None:
    """UsageFault where the folder holds something else than a result, whole or half-written: it is not ours."""
    if out.exists() and not out.is_dir():
        raise UsageFault(f"--out {out}: a file stands there; choose a folder")
    there = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if foreign := [name for name in there if name.strip(".").split(".")[0] not in OURS]:
        raise UsageFault(f"--out {out}: holds {foreign[0]!r}, which is no part of a result; choose a new folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageFault(f"--out {out}: cannot be made ({error.strerror}); choose another folder") from error
    if not os.access(out, os.W_OK):
        raise UsageFault(f"--out {out}: nothing may be written there; choose another folder")
