"""The command lines of what is done with a benchmark: evaluating systems, scoring anew, comparing two results."""

import argparse
from pathlib import Path

from rarefy.flows.cli.options import OWN, amount, count, places, spend

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
  rarefy evaluate benchmark/ --out result/
  rarefy evaluate benchmark/ --system mine --system extractive --config my.toml --out result/
  rarefy evaluate benchmark/ --system mypackage.rag:answer --protocol rare --questions 200 --out result/
"""
RESCORE = """\
Score the answers that lie in DIR once more, by the [correct] and [statistics] of another config: no system is asked.
"""
COMPARE = """\
Compare two results, A before and B after, on the trials that both have scored: differences with intervals, tests that
count each question once, and a verdict.
"""


def with_benchmark(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that work with a benchmark that is there."""
    evaluate = commands.add_parser(
        "evaluate", help="how robust is a RAG system", description=EVALUATE, epilog=EVALUATE_EXAMPLES, **OWN
    )
    evaluate.add_argument("benchmark", metavar="BENCH", type=Path, help="a folder with questions, variants and chunks")
    evaluate.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder for the result")
    what = evaluate.add_argument_group("what is asked")
    what.add_argument(
        "--system", metavar="NAME", action="append", default=[], help="a system under test; several may be"
    )
    what.add_argument(
        "--protocol", metavar="NAME", action="append", default=[], help="a paper's protocol; several, or with commas"
    )
    what.add_argument("--config", metavar="FILE.toml", type=Path, help="settings: [systems.NAME], [correct], ...")
    what.add_argument(
        "--split",
        choices=("test", "train", "all"),
        default="",
        help="which questions (default: test where there is one)",
    )
    what.add_argument("--questions", metavar="N", type=count, default=0, help="only N of them, the same N every time")
    where = places(evaluate)
    where.add_argument("--workers", metavar="N", type=count, default=0, help="processes (default: this one)")
    where.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler that exists, tcp://host:port")
    where.add_argument("--quiet", action="store_true", help="say nothing but errors")
    spend(evaluate)

    rescore = commands.add_parser("rescore", help="another judge for the same answers", description=RESCORE, **OWN)
    rescore.add_argument("result", metavar="DIR", type=Path, help="the folder of a result")
    rescore.add_argument("--out", metavar="DIR", type=Path, help="folder for the new result (default: DIR itself)")
    rescore.add_argument("--config", metavar="FILE.toml", type=Path, help="settings: [correct], [statistics]")
    places(rescore)
    rescore.add_argument("--quiet", action="store_true", help="say nothing but errors")
    spend(rescore)
    rescore.set_defaults(dask=None)

    compare = commands.add_parser("compare", help="is it better than before?", description=COMPARE, **OWN)
    compare.add_argument("before", metavar="A", type=Path, help="the folder of a result")
    compare.add_argument("after", metavar="B", type=Path, help="the folder of another")
    compare.add_argument(
        "--system", metavar="NAME", action="append", default=[], help="which system; twice: that of A, and that of B"
    )
    compare.add_argument(
        "--protocol", metavar="NAME", action="append", default=[], help="which protocols (default: all)"
    )
    compare.add_argument(
        "--anyway", action="store_true", help="compare although protocols or correctness were set up differently"
    )
    compare.add_argument("--config", metavar="FILE.toml", type=Path, help="settings: [statistics]")
    compare.add_argument("--margin", metavar="POINTS", type=amount, help="within which two results are tied")
    compare.add_argument("--by", choices=("question", "document"), help="what intervals are drawn from")
    compare.add_argument("--draws", metavar="N", type=count, help="resamples")
    compare.add_argument("--seed", metavar="N", type=int, help="of the resamples")
    compare.add_argument("--json", action="store_true", help="all of it as JSON, instead of tables")
    compare.add_argument("--out", metavar="DIR", type=Path, help="folder for comparison.json and comparison.md")
    compare.add_argument(
        "--fail-if",
        metavar="RULE",
        action="append",
        default=[],
        help='exit code 3 where it holds: "overall drops 2 points"; several may be given',
    )
