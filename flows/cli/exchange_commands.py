"""The commands by which a benchmark and answers go out of and come into rarefy: export and score."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rarefy.data_contracts.rows import GIVEN
from rarefy.flows.cli import checks
from rarefy.flows.cli.options import (
    RAW_TEXT,
    add_config,
    add_limits,
    add_quiet,
    add_repeated,
    add_store,
    add_verbose,
    add_workers,
)
from rarefy.flows.cli.options import count as whole_number
from rarefy.flows.engine.output_folders import open_result_folder
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import UsageFault
from rarefy.tasks import sample

if TYPE_CHECKING:
    from rarefy.flows.config import Config

TEMPLATE = "answers-template"
TOOLS = {  # target -> how its folder is run there
    "inspect": "inspect eval inspect_task.py --model openai/gpt-4o-mini",
    "promptfoo": "promptfoo eval",
    "lm-eval": "lm_eval --include_path . --tasks rarefy --model local-chat-completions ...",
    "ragas": "python ragas_metric.py ANSWERS.jsonl    # dataset.jsonl with `response` in each line",
    "deepeval": "python rarefy_deepeval.py ANSWERS.json    # goldens.json with `actual_output` in each case",
    "openai-evals": "PYTHONPATH=. oaieval gpt-4o-mini rarefy --registry_path .",
    "langsmith-csv": "upload examples.csv: inputs question and prompt, output answer, the rest metadata",
}
EXPORT = """\
Write the benchmark in BENCH for another tool, or a file of everything that is to be asked, to be answered anywhere.
"""
EXPORT_EXAMPLES = """\
targets:
  answers-template   one line of JSON for each thing to ask: id, question, passages (null: the system retrieves;
                     []: it answers without any), answer. Fill in `answer`, and `retrieved` where there is some, then
                     `rarefy score`
  inspect, promptfoo, lm-eval, ragas, deepeval, openai-evals, langsmith-csv
                     a folder that runs there: every wording of each question, and every change of its gold passages;
                     answers are judged by rarefy's rule, which needs rarefy installed beside the tool

examples:
  rarefy export sample --to answers-template --out answers.jsonl --questions 20
  rarefy export benchmark/ --to answers-template --takes own --out answers.jsonl
  rarefy export benchmark/ --to inspect --out inspect/
"""
SCORE = """\
Score answers that were made anywhere: ANSWERS is a filled template of `rarefy export BENCH --to answers-template`, or
any JSON lines, JSON, CSV or Parquet with `answer` beside `id` or `question`. DIR gets the result that `rarefy evaluate`
writes for a system that gives these answers. What has no answer is missing; lines that answer nothing that is asked are
counted, named and written into left_out.jsonl.
"""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add export and score to the command line."""
    parser = commands.add_parser(
        "export", help="the benchmark for other tools", description=EXPORT, epilog=EXPORT_EXAMPLES, **RAW_TEXT
    )
    parser.add_argument("benchmark", metavar="BENCH", type=Path, help="a folder of a benchmark, or `sample`")
    parser.add_argument("--to", metavar="TARGET", choices=(TEMPLATE, *TOOLS), required=True, help="see below")
    parser.add_argument("--out", metavar="PATH", type=Path, required=True, help="the file, or folder, to write")
    _add_selection(parser)
    parser.add_argument(
        "--takes",
        metavar="KINDS",
        default=",".join(GIVEN),
        help="of a template, with commas between: own (the system retrieves), passages (it is given some), closed_book "
        "(it has none); default: all",
    )
    add_quiet(add_store(parser))
    parser.set_defaults(run=export, dask=None)

    parser = commands.add_parser("score", help="score answers made anywhere", description=SCORE)
    parser.add_argument("answers", metavar="ANSWERS", type=Path, help="a file of answers")
    parser.add_argument(
        "--bench", dest="benchmark", metavar="BENCH", type=Path, required=True, help="the benchmark, or `sample`"
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder for the result (default: NAME-result, here)")
    parser.add_argument("--name", metavar="NAME", default="", help="of the system (default: that of the file)")
    _add_selection(parser)
    add_verbose(parser, "what each number says")
    add_workers(parser)
    add_limits(parser)
    parser.set_defaults(run=score)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """The options that say what is asked; a template has them in its lines, but for the config."""
    what = parser.add_argument_group(
        "what is asked", "Answers are scored for what their template asks, where nothing else is given."
    )
    add_repeated(what, "--protocol", metavar="NAME", help="a paper's protocol; several, or with commas")
    add_config(what, "settings: [protocols], [retrieve], [correct], ...")
    what.add_argument(
        "--split",
        choices=("test", "train", "all"),
        default="",
        help="which questions (default: test where there is one)",
    )
    what.add_argument("--questions", metavar="N", type=whole_number, default=0, help="only N of them, the same N")


def export(given: argparse.Namespace) -> int:
    """Write a benchmark for another tool."""
    config = _load_config(given)
    if given.to != TEMPLATE:
        from rarefy.flows.export_tools import export_benchmark

        which = {name: getattr(given, name) for name in ("split", "questions", "store")}
        count, asked = export_benchmark(given.benchmark, given.to, given.out, **which)
        if not given.quiet:
            print(f"{count:,} cases of {asked:,} questions lie in {given.shown_out}. Then, in that folder:")
            print(TOOLS[given.to])
        return 0
    takes = tuple(part for part in given.takes.split(",") if part)
    if not takes or any(part not in GIVEN for part in takes):
        raise UsageFault(f"--takes {given.takes}: some of {', '.join(GIVEN)}, with commas between")
    if given.out.is_dir():
        raise UsageFault(f"--out {given.out}: a folder stands there; give the template's file")
    from rarefy.flows.recorded_answers import list_inputs, say_selection, write_template
    from rarefy.tasks.evaluate.systems.recorded import TemplateSelection

    inputs = list_inputs(given.benchmark, config, takes=takes, **_selection(given), quiet=given.quiet)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    selection = TemplateSelection(protocol=given.protocol, split=given.split, questions=given.questions)
    write_template(given.out, inputs, selection)
    if not given.quiet:
        print(f"{len(inputs):,} lines to fill in lie in {given.shown_out}. Then:")
        bench = "sample" if given.benchmark == sample.BENCHMARK else str(given.benchmark)
        told = say_selection({"bench": bench, "config": str(given.config or "")})  # the rest is in the template
        print(" ".join(["rarefy score", str(given.shown_out), *told]))
    return 0


def score(given: argparse.Namespace) -> int:
    """Score the answers in a file."""
    from rarefy.flows.engine import prefect_server
    from rarefy.tasks.evaluate.systems.recorded import load_answers

    file = given.answers.absolute()
    try:
        load_answers(str(file))  # remembered: what cannot be read is refused before libraries are loaded for seconds
    except (ValueError, OSError) as error:
        raise UsageFault(str(error)) from error
    config = _load_config(given)
    name = given.name or given.answers.stem
    if given.out is None:
        given.shown_out = Path(f"{name}-result")
        given.out = given.shown_out.absolute()
    checks.check_models(given, config, [config.correct.judge] if config.correct.judge.provider else [])
    prefect_server.start()
    if not given.quiet:
        checks.print_message(f"score of {given.answers.name}: loading libraries, starting Prefect's server")
    prefect_server.wait()
    from rarefy.flows.recorded_answers import score_answers
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.evaluate.results import headline

    options = {key: getattr(given, key) for key in ("workers", "dask", "quiet", "max_calls", "max_cost")}
    with open_result_folder(given.out):
        evaluated = score_answers(file, given.benchmark, given.out, config, name=name, **_selection(given), **options)
    if not given.quiet:
        Terminal().print(headline(evaluated.summary, str(given.shown_out), verbose=given.verbose))
        print(f"Report: {given.shown_out / 'report.html'}")
    return 0


def _load_config(given: argparse.Namespace) -> "Config":
    from rarefy.flows.config import load
    from rarefy.flows.engine.benchmark_folder import read_manifest
    from rarefy.flows.engine.config_check import resolve_protocols

    config = load(given.config)
    if not given.benchmark.is_dir():
        read_manifest(given.benchmark)  # says what is wrong
    check_store(given.store)
    resolve_protocols(given.protocol)
    return config


def _selection(given: argparse.Namespace) -> dict[str, object]:
    return {name: getattr(given, name) for name in ("protocol", "split", "questions", "store")}
