"""The commands that read a corpus: build, refresh, plan and estimate."""

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli import checks
from rarefy.flows.cli.options import (
    RAW_TEXT,
    add_config,
    add_corpus,
    add_limits,
    add_repeated,
    add_verbose,
    add_workers,
    count,
)
from rarefy.flows.engine import reachability
from rarefy.flows.engine.output_folders import check_benchmark_folder, check_outside_corpus, is_benchmark
from rarefy.tasks.models.llm.secrets import strip_address

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.flows.reports.build_report import BuildResult

BUILD = """\
Make the benchmark of CORPUS in DIR: every table as Parquet and JSON lines, BEIR, a Hugging Face dataset, a manifest.
CORPUS is a folder (searched with its subfolders), a file, or a JSONL or Parquet file of texts with metadata.
What was made before is found in the store; a build that was interrupted goes on when it is run again.
With PREFECT_API_URL set the run shows in that Prefect's UI; without it no server is needed.
"""
REFRESH = """\
Bring the benchmark in DIR up to the documents of CORPUS: what was made of unchanged text stands, what was made of
changed text is made anew, and changes.md, changes.html and changes.jsonl in DIR say what became of every question.
Two refreshes never run on one store at once: asked for while one runs, that one goes again when it is done.
"""
REFRESH_EXAMPLES = """\
examples:
  rarefy refresh filings/ --out benchmark/          after documents were added, edited, renamed or removed
  rarefy versions                                   what was published, when, and what changed
  rarefy diff 3 4                                   between two versions
  rarefy refresh filings/ --out past/ --as-of 2025-03-31
"""
PLAN = """\
Print what CORPUS holds: documents, chunks, and the census of patterns where the store already knows it; else how many
questions the rules will find, from a sample of whole documents, and where that is next to nothing the lines that name
a model. Reading and chunking are done here and kept for the build; nothing else is.
"""
ESTIMATE = """\
Print what a build of CORPUS will ask its models: calls, tokens, money and minutes by stage, each with a range.
Stages that need no model are done and kept for the build. Nothing is sent; replies that are remembered cost nothing.
The build's report sets this estimate beside what it came to. With --system also what an evaluation of the benchmark
will ask that system, by protocol; of a benchmark that exists, give its folder.
"""
ESTIMATE_EXAMPLES = """\
examples:
  rarefy estimate filings/ --config my.toml                       of the build
  rarefy estimate filings/ --config my.toml --system mine         and of an evaluation of what is built
  rarefy estimate benchmark/ --config my.toml --system mine       of an evaluation; `evaluate --dry-run` puts one
                                                                  question to the system first, to know its pace
"""


ABOUT_VERBOSE = "every stage, every kind of question and of variant, and two more questions"


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add build, refresh, plan and estimate to the command line."""
    parser = commands.add_parser("build", help="make a benchmark of a corpus", description=BUILD, **RAW_TEXT)
    add_corpus(parser)
    parser.add_argument(
        "--out", metavar="DIR", required=True, help="folder for the benchmark; a new one, or one of a build before"
    )
    _add_run_options(parser)
    _add_as_of(parser)
    add_verbose(parser, ABOUT_VERBOSE)
    add_limits(parser)
    parser.set_defaults(run=build)

    parser = commands.add_parser(
        "refresh",
        help="bring a benchmark up to its documents",
        description=REFRESH,
        epilog=REFRESH_EXAMPLES,
        **RAW_TEXT,
    )
    add_corpus(parser)
    parser.add_argument("--out", metavar="DIR", required=True, help="folder of the benchmark")
    _add_run_options(parser)
    _add_as_of(parser)
    parser.add_argument(
        "--if-wanted", action="store_true", help="only where a trigger asked for it since the last refresh"
    )
    add_verbose(parser, ABOUT_VERBOSE)
    add_limits(parser)
    parser.set_defaults(run=refresh)

    parser = commands.add_parser(
        "plan", help="what a corpus holds, before anything is spent", description=PLAN, **RAW_TEXT
    )
    add_corpus(parser)
    _add_run_options(parser)
    parser.set_defaults(run=plan)

    parser = commands.add_parser(
        "estimate",
        help="what a build and an evaluation will cost",
        description=ESTIMATE,
        epilog=ESTIMATE_EXAMPLES,
        **RAW_TEXT,
    )
    add_corpus(parser)
    _add_run_options(parser)
    group = parser.add_argument_group("of an evaluation")
    add_repeated(group, "--system", metavar="NAME", help="a system under test; may be given several times")
    add_repeated(group, "--protocol", metavar="NAME", help="a paper's protocol; several, or with commas")
    group.add_argument("--questions", metavar="N", type=count, default=0, help="of so many questions")
    add_verbose(group, "a row for each part of a protocol")
    parser.set_defaults(run=estimate)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is made")
    add_config(group, "settings; `rarefy init` writes one (default: none needed)")
    group.add_argument("--limit", metavar="N", type=count, default=0, help="only the first N documents, by path")
    group.add_argument(
        "--all-kinds",
        action="store_true",
        help="variants of every kind that rules can make, instead of the first look's (docs/perturbations.md)",
    )
    add_workers(parser, "processes for documents")


def _add_as_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as-of", metavar="DATE", default="", help="the benchmark as it would have been on that day (2025-03-31)"
    )


def build(given: argparse.Namespace) -> int:
    """Make a benchmark and print what came of it."""
    config = _prepare(given)
    from rarefy.flows.engine.benchmark import build_from_store
    from rarefy.flows.reports.build_report import show
    from rarefy.flows.reports.console import Terminal

    def make() -> "BuildResult":
        found = None
        if not os.environ.get("PREFECT_API_URL"):  # nobody watches: a build that finds everything made is no run
            found = build_from_store(
                given.corpus, given.out, config, given.store, given.limit, given.quiet, given.as_of, given.verbose
            )
        if found:
            return found
        _connect_prefect()
        from rarefy.flows.build import build

        options = {**_run_options(given), **_limits(given), "verbose": given.verbose}
        return build(given.corpus, given.out, config, **options)

    built = checks.with_store_repair(given.store, make)
    if not given.quiet:
        show(replace(built, out=given.shown_out), Terminal(), verbose=given.verbose)
    return 0


def refresh(given: argparse.Namespace) -> int:
    """Bring a benchmark up to its documents and print what changed."""
    config = _prepare(given)
    _connect_prefect()
    from rarefy.flows.refresh import refresh
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.reports.version_report import show_refresh

    options = {**_run_options(given), **_limits(given), "only_if_wanted": given.if_wanted, "verbose": given.verbose}
    done = checks.with_store_repair(given.store, lambda: refresh(given.corpus, given.out, config, **options))
    if not given.quiet:
        show_refresh(done, Terminal(), verbose=given.verbose)
    return 0


def plan(given: argparse.Namespace) -> int:
    """Print what a corpus holds."""
    config = _prepare(given)
    from rarefy.flows.plan import plan, show
    from rarefy.flows.reports.console import Terminal

    planned = checks.with_store_repair(given.store, lambda: plan(given.corpus, config, **_run_options(given)))
    show(planned, config, Terminal())
    return 0


def estimate(given: argparse.Namespace) -> int:
    """Print what a build will ask its models, and an evaluation the systems that are named."""
    if is_benchmark(Path(given.corpus)):
        return _estimate_evaluation(given)
    config = _prepare(given)
    if given.system:
        checks.check_systems(given, config)
    _connect_prefect()
    from rarefy.flows.estimate import estimate, show
    from rarefy.flows.reports.console import Terminal

    options = {**_run_options(given), "systems": given.system, "protocol": given.protocol, "questions": given.questions}
    estimated = checks.with_store_repair(given.store, lambda: estimate(given.corpus, config, **options))
    show(estimated, config, Terminal(), verbose=given.verbose)
    return 0


def _estimate_evaluation(given: argparse.Namespace) -> int:
    """Print what an evaluation of the benchmark in a folder will ask the systems."""
    from rarefy.flows.config import load

    config = load(given.config)
    reachability.check_store(given.store)
    checks.check_systems(given, config)
    _connect_prefect()
    from rarefy.flows.evaluation_forecast import forecast_evaluation, show
    from rarefy.flows.reports.console import Terminal

    options = {name: getattr(given, name) for name in ("protocol", "questions", "store", "workers", "dask", "quiet")}
    out = f"{Path(given.corpus).name}-result"  # of `evaluate` without --out: what it answered is not counted
    show(
        forecast_evaluation(given.corpus, out, config, given.system, probe=False, **options),
        Terminal(),
        verbose=given.verbose,
    )
    return 0


def _run_options(given: argparse.Namespace) -> dict[str, Any]:
    """Where and how fast, as the flows take it."""
    return {name: getattr(given, name) for name in ("store", "workers", "dask", "limit", "quiet")}


def _limits(given: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(given, name) for name in ("max_calls", "max_cost", "as_of")}


def _prepare(given: argparse.Namespace) -> "Config":
    """The config, once corpus, config and store are known to be there."""
    reachability.check_day(getattr(given, "as_of", ""))
    reachability.check_corpus(given.corpus)
    if not given.quiet:
        checks.print_message(f"{given.command} of {strip_address(given.corpus)}")  # libraries take seconds to import
    from rarefy.flows.config import load

    config = load(given.config)
    if given.all_kinds:
        config = config.with_all_kinds()
    if "out" in given:
        check_benchmark_folder(given.out)
        check_outside_corpus(given.corpus, {"--out": given.out})
    check_outside_corpus(given.corpus, {"--store": given.store})
    reachability.check_store(given.store)
    from rarefy.flows.engine.config_check import check_config, config_remarks

    check_config(config, given.config)
    if not given.quiet:
        checks.print_message("\n".join(config_remarks(config)))
    checks.check_models(given, config)
    return config


def _connect_prefect() -> None:
    """Return once the Prefect API answers: the user's, or a temporary one, which starts while Prefect is imported."""
    from rarefy.flows.engine import prefect_server

    prefect_server.start()
    import prefect  # noqa: F401

    prefect_server.wait()
