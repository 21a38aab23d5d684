"""The commands that evaluate, score anew and compare."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from rarefy.flows.cli import checks
from rarefy.flows.cli.options import (
    RAW_TEXT,
    add_config,
    add_json,
    add_limits,
    add_quiet,
    add_repeated,
    add_store,
    add_verbose,
    add_workers,
    amount,
    count,
)
from rarefy.flows.engine.output_folders import open_result_folder
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config

EVALUATE = """\
Put systems under test to the benchmark in BENCH, a folder of `rarefy build` or `rarefy perturb`: how robust is each, to
what, and how sure is that? DIR gets report.html, summary.md and summary.json, and every trial, answer and score as
Parquet. Run again, it asks nothing that was answered; one that was interrupted goes on.
"""
EVALUATE_EXAMPLES = """\
systems: extractive (offline baseline, the default), rag (the model of [llm] with each protocol's own prompts),
         a name of [systems.NAME] in the config (an endpoint of yours, a strategy), or module:function
protocols: rare, sure, retrieval_robustness, effect_size, magic_mushroom; all that can be tried, when none is named

examples:
  rarefy evaluate sample --system mypackage.rag:answer --quick
  rarefy evaluate sample --system mypackage.rag:answer --dry-run
  rarefy evaluate benchmark/ --out result/
  rarefy evaluate benchmark/ --system mine --system extractive --config my.toml --out result/
  rarefy evaluate benchmark/ --system mypackage.rag:answer --protocol rare --questions 200 --out result/
"""
RESCORE = """\
Score the answers that lie in DIR once more, by the [correct] and [statistics] of another config: no system is asked.
"""
COMPARE = """\
Compare two results, A before and B after, on the trials that both have scored: differences with intervals, tests that
count each question once, and a verdict. One line says it; --verbose, --json and --out have the rest.
"""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add evaluate, rescore and compare to the command line."""
    parser = commands.add_parser(
        "evaluate", help="how robust is a RAG system", description=EVALUATE, epilog=EVALUATE_EXAMPLES, **RAW_TEXT
    )
    parser.add_argument(
        "benchmark",
        metavar="BENCH",
        type=Path,
        help="a folder with questions, variants and chunks; `sample` for the packaged benchmark",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder for the result (default: BENCH-result, here)")
    what = parser.add_argument_group("what is asked")
    add_repeated(what, "--system", metavar="NAME", help="a system under test; may be given several times")
    add_repeated(what, "--protocol", metavar="NAME", help="a paper's protocol; several, or with commas")
    add_config(what, "settings: [systems.NAME], [correct], ...")
    what.add_argument(
        "--split",
        choices=("test", "train", "all"),
        default="",
        help="which questions (default: test where there is one)",
    )
    what.add_argument("--questions", metavar="N", type=count, default=0, help="only N of them, the same N every time")
    size = what.add_mutually_exclusive_group()
    size.add_argument(
        "--budget",
        metavar="N",
        type=count,
        default=0,
        help="at most N calls of all systems together: a sample of all cells, the same every time",
    )
    size.add_argument(
        "--quick",
        action="store_true",
        help="a first look: whole questions within 300 calls, of RARE-Met alone where no --protocol is named",
    )
    what.add_argument(
        "--dry-run", action="store_true", help="count calls, tokens, minutes and money first, after two questions"
    )
    what.add_argument("--no-probe", action="store_true", help="with --dry-run: not even those")
    add_verbose(what, "what each number says; with --dry-run a row for each part of a protocol")
    add_workers(parser)
    add_limits(parser)
    parser.set_defaults(run=evaluate)

    parser = commands.add_parser("rescore", help="another judge for the same answers", description=RESCORE, **RAW_TEXT)
    parser.add_argument("result", metavar="DIR", type=Path, help="the folder of a result")
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder for the new result (default: DIR itself)")
    add_config(parser, "settings: [correct], [statistics]")
    add_store(parser)
    add_quiet(parser)
    add_verbose(parser, "what each number says")
    add_limits(parser)
    parser.set_defaults(run=rescore, dask=None)

    parser = commands.add_parser("compare", help="is it better than before?", description=COMPARE, **RAW_TEXT)
    parser.add_argument("before", metavar="A", type=Path, help="the folder of a result")
    parser.add_argument("after", metavar="B", type=Path, help="the folder of another")
    add_repeated(parser, "--system", metavar="NAME", help="which system; given twice: that of A, then that of B")
    add_repeated(parser, "--protocol", metavar="NAME", help="which protocols (default: all)")
    parser.add_argument(
        "--anyway", action="store_true", help="compare although protocols or correctness were set up differently"
    )
    add_config(parser, "settings: [statistics]")
    parser.add_argument("--margin", metavar="POINTS", type=amount, help="within which two results are tied")
    parser.add_argument("--by", choices=("question", "document"), help="what intervals are drawn from")
    parser.add_argument("--draws", metavar="N", type=count, help="resamples")
    parser.add_argument("--seed", metavar="N", type=int, help="of the resamples")
    add_verbose(parser, "every number with its test, after the verdict")
    add_json(parser, "all of it as JSON, instead of tables")
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder for comparison.json and comparison.md")
    add_repeated(
        parser,
        "--fail-if",
        metavar="RULE",
        help='exit code 3 where it holds, 4 where that is not decided: "accuracy of rare drops 2 points"; '
        "several may be given",
    )
    parser.set_defaults(run=compare)


def evaluate(given: argparse.Namespace) -> int:
    """Put systems to the test."""
    from rarefy.flows.config import load
    from rarefy.flows.engine import prefect_server

    config = load(given.config)
    if given.out is None:
        given.shown_out = Path(f"{given.benchmark.name}-result")
        given.out = given.shown_out.absolute()
    if not given.benchmark.is_dir():
        from rarefy.flows.engine.benchmark_folder import read_manifest

        read_manifest(given.benchmark)  # says what is wrong
    check_store(given.store)
    prefect_server.start()
    if not given.quiet:
        checks.print_message(f"evaluate of {given.benchmark.name}: loading libraries, starting Prefect's server")
    checks.check_systems(given, config)
    with open_result_folder(given.out):
        prefect_server.wait()
        return _evaluate(given, config)


def _evaluate(given: argparse.Namespace, config: "Config") -> int:
    from rarefy.flows.evaluate import evaluate as run_evaluation
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.evaluate.results import headline

    names = (
        "protocol",
        "split",
        "questions",
        "budget",
        "quick",
        "store",
        "workers",
        "dask",
        "quiet",
        "max_calls",
        "max_cost",
    )
    options = {name: getattr(given, name) for name in names}
    if given.dry_run:
        from rarefy.flows.evaluation_forecast import forecast_evaluation, show

        forecast = forecast_evaluation(
            str(given.benchmark), str(given.out), config, given.system, probe=not given.no_probe, **options
        )
        show(forecast, Terminal(), verbose=given.verbose)
        return int(any(one.failed for one in forecast.systems))
    evaluated = run_evaluation(
        str(given.benchmark), str(given.out), config, given.system, verbose=given.verbose, **options
    )
    if not given.quiet:
        Terminal().print(headline(evaluated.summary, str(given.shown_out), verbose=given.verbose))
        print(f"Report: {given.shown_out / 'report.html'}")
    return 0


def rescore(given: argparse.Namespace) -> int:
    """Score stored answers anew."""
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.rescore import rescore as rescore_result
    from rarefy.tasks.evaluate.results import headline

    config = _load_rescore_config(given.result, given)
    options = {name: getattr(given, name) for name in ("store", "max_calls", "max_cost", "quiet")}
    summary = rescore_result(given.result, given.out or given.result, config, **options)
    if not given.quiet:
        Terminal().print(headline(summary, str(given.shown_out or given.result), verbose=given.verbose))
        print(f"Report: {(given.shown_out or given.result) / 'report.html'}")
    return 0


def _load_rescore_config(place: Path, given: argparse.Namespace) -> "Config":
    """The config of a rescore, once the result, the store and the judge are known to be there."""
    from rarefy.flows.config import load

    try:
        json.loads((place / "summary.json").read_bytes())
    except FileNotFoundError:
        raise UsageFault(f"{place}: no summary.json, so that this is no finished result of `rarefy evaluate`") from None
    except ValueError as error:
        raise UsageFault(f"{place / 'summary.json'}: {error}; evaluate again") from error
    config = load(given.config)
    check_store(given.store)
    checks.check_models(given, config, [config.correct.judge] if config.correct.judge.provider else [])
    return config


def compare(given: argparse.Namespace) -> int:
    """Set two results beside each other."""
    from pydantic import ValidationError

    from rarefy.flows.compare import check_rules, gate
    from rarefy.flows.compare import compare as compare_results
    from rarefy.flows.config import load
    from rarefy.flows.reports.comparison_report import as_json, show, write_comparison
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
    from rarefy.tasks.evaluate.statistics.gate import parse_rule

    margin = given.margin and given.margin / 100
    options = {"margin": margin, "cluster": given.by, "draws": given.draws, "seed": given.seed}
    options = {name: value for name, value in options.items() if value is not None}
    try:
        for rule in given.fail_if:  # a mistyped one is told before the work
            parse_rule(rule)
        config = StatisticsConfig.model_validate({**load(given.config).statistics.model_dump(), **options})
    except ValidationError as error:
        raise UsageFault("; ".join(f"--{one['loc'][0]}: {one['msg']}" for one in error.errors())) from error
    except ValueError as error:
        raise UsageFault(f"--fail-if: {error}") from error
    which = {"systems": given.system, "protocols": given.protocol, "anyway": given.anyway}
    comparison = check_rules(compare_results(given.before, given.after, config=config, **which), given.fail_if)
    if given.json:
        print(json.dumps(as_json(comparison), ensure_ascii=False))
    else:
        show(comparison, Terminal(), verbose=given.verbose)
    if given.out:
        write_comparison(given.out, comparison)
    gate(comparison, given.fail_if)  # last, so that all is told however it ends
    return 0
