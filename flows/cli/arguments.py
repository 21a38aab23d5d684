"""The command line: what there is to say, and what is explained of it."""

import argparse
from importlib.metadata import version
from pathlib import Path

from rarefy.flows.cli import feed_commands, serving_commands, version_options
from rarefy.flows.cli.evaluation_options import with_benchmark
from rarefy.flows.cli.options import OWN, count, places, spend
from rarefy.flows.cli.perturb_options import without_corpus

ABOUT = """\
Turn a folder of documents into a RAG robustness benchmark: questions with short answers, the sentences that
prove them, and variants of both, made from a knowledge graph of the documents; then put RAG systems to it. Offline by
default: no key, no network, no GPU. With a model in the config ([llm]) the stages that can ask one.
"""
EXAMPLES = """\
examples:
  rarefy build filings/ --out benchmark/            read, chunk, extract, ask, check, export
  rarefy build filings/ --out benchmark/            again: only what changed is made anew
  rarefy build filings/ --out b/ --workers 4        documents in four processes
  rarefy plan filings/                              what is there, before anything is spent
  rarefy init my.toml                               every setting, explained, with its default
  rarefy doctor --config my.toml                    is everything there that this config needs?
  rarefy estimate filings/ --config my.toml         calls, tokens, money and minutes, before anything is spent
  rarefy build filings/ --out b/ --config my.toml --max-cost 20
  rarefy refresh filings/ --out benchmark/          documents changed: what changed in the benchmark?
  rarefy serve filings/ --out benchmark/            the same on a schedule, watched in Prefect's UI
  rarefy watch filings/ --out benchmark/            the same whenever documents come, change or go
  rarefy perturbations                              every change to questions and passages, with an example
  rarefy perturb questions.jsonl --out variants/    the same without a corpus: questions, answers, contexts
  rarefy mix variants/ --out contexts.jsonl         passages, gold and noise, as a retriever might have found them
  rarefy evaluate benchmark/ --system mine --out result/     how robust is a RAG system, and to what?
  rarefy compare last-week/ result/                 is it better than last week's?

exit codes: 0 done, 1 failed, 2 wrong usage, wrong config or nothing to build,
            3 --max-cost or --max-calls is reached: the same command goes on from there;
            or a rule of --fail-if is broken
"""
BUILD = """\
Make the benchmark of CORPUS in DIR: every table as Parquet and JSON lines, BEIR, a Hugging Face dataset, a manifest.
CORPUS is a folder (searched with its subfolders), a file, or a JSONL or Parquet file of texts with metadata.
What was made before is found in the store; a build that was interrupted goes on when it is run again.
With PREFECT_API_URL set the run shows in that Prefect's UI; without it no server is needed.
"""
REFRESH = """\
Bring the benchmark in DIR up to the documents of CORPUS: what hangs on unchanged text stands, what hangs on changed
text is made anew, and changes.md, changes.html and changes.jsonl in DIR say what became of every question. Two
refreshes never run on one store at once: asked for while one runs, that one goes again when it is done.
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
The build's report sets this estimate beside what it came to.
"""
DOCTOR = """\
Look at everything that a config needs, and say what to do where it is missing: endpoint, key, model, structured
output, log-probabilities, embedder, replies, Prefect, Dask, Elasticsearch, disk. Sends a few tokens to each model.
"""
CACHE = "Say what made the key of a remembered reply: model, parameters, prompt, and what was answered."
PROMPTS = "Print a prompt file; without ROLE the roles and domains that STAGE has prompts for."
CALIBRATE = """\
Compare the judging model with people. Where SHEET.csv is not there yet, it is written: questions of the benchmark in
DIR to be scored. Where it is there, its scores are set beside the judge's.
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser("rarefy", description=ABOUT, epilog=EXAMPLES, **OWN)
    top.add_argument("--version", action="version", version=f"rarefy {version('rarefy')}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    build = commands.add_parser("build", help="make a benchmark of a corpus", description=BUILD, **OWN)
    build.add_argument("corpus", metavar="CORPUS", help="folder, file, or JSONL/Parquet of texts")
    build.add_argument(
        "--out", metavar="DIR", required=True, help="folder for the benchmark; a new one, or one of a build before"
    )
    _shared(build)
    _dated(build)
    spend(build)

    refresh = commands.add_parser(
        "refresh", help="bring a benchmark up to its documents", description=REFRESH, epilog=REFRESH_EXAMPLES, **OWN
    )
    refresh.add_argument("corpus", metavar="CORPUS", help="folder, file, or JSONL/Parquet of texts")
    refresh.add_argument("--out", metavar="DIR", required=True, help="folder of the benchmark")
    _shared(refresh)
    _dated(refresh)
    refresh.add_argument(
        "--if-wanted", action="store_true", help="only where a trigger asked for it since the last refresh"
    )
    spend(refresh)

    plan = commands.add_parser("plan", help="what a corpus holds, before anything is spent", description=PLAN, **OWN)
    plan.add_argument("corpus", metavar="CORPUS", help="folder, file, or JSONL/Parquet of texts")
    _shared(plan)

    estimate = commands.add_parser("estimate", help="what a build will cost", description=ESTIMATE, **OWN)
    estimate.add_argument("corpus", metavar="CORPUS", help="folder, file, or JSONL/Parquet of texts")
    _shared(estimate)

    init = commands.add_parser(
        "init", help="write a commented config", description="Write every setting, explained, with its default."
    )
    init.add_argument("path", metavar="PATH", nargs="?", default="rarefy.toml", help="where to (default: %(default)s)")

    doctor = commands.add_parser("doctor", help="is everything there?", description=DOCTOR, **OWN)
    doctor.add_argument("--config", metavar="FILE.toml", type=Path, help="settings (default: the offline ones)")
    doctor.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler, tcp://host:port")
    places(doctor)

    cache = commands.add_parser("cache", help="what is remembered of models", description=CACHE)
    explain = cache.add_subparsers(dest="what", metavar="WHAT", required=True).add_parser(
        "explain", help="what made a reply's key", description=CACHE
    )
    told = "a key or its beginning, or a request's id, which for a probe is its probe_id; none: the newest, with theirs"
    explain.add_argument("id", metavar="ID", nargs="?", default="", help=told)
    places(explain)

    prompts = commands.add_parser("prompts", help="the prompts of the stages", description=PROMPTS)
    show = prompts.add_subparsers(dest="what", metavar="WHAT", required=True).add_parser(
        "show", help="print one", description=PROMPTS
    )
    show.add_argument("stage", metavar="STAGE", help="extract, normalise, ask, probe, grade, ...")
    show.add_argument("role", metavar="ROLE", nargs="?", default="", help="which of its prompts")
    show.add_argument("domain", metavar="DOMAIN", nargs="?", default="general", help="finance, economics, policy, ...")

    calibrate = commands.add_parser("calibrate", help="the judge beside people", description=CALIBRATE, **OWN)
    calibrate.add_argument("benchmark", metavar="DIR", help="a benchmark whose questions were judged")
    calibrate.add_argument("sheet", metavar="SHEET.csv", type=Path, help="questions with people's scores")
    calibrate.add_argument(
        "--questions", metavar="N", type=count, default=100, help="in a new sheet (default: %(default)s)"
    )
    without_corpus(commands)
    with_benchmark(commands)
    feed_commands.add(commands)
    serving_commands.add(commands)
    version_options.add(commands)
    return top


def _dated(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--as-of", metavar="DATE", default="", help="the benchmark as it would have been on that day (2025-03-31)"
    )


def _shared(command: argparse.ArgumentParser) -> None:
    what = command.add_argument_group("what is made")
    what.add_argument(
        "--config", metavar="FILE.toml", type=Path, help="settings; `rarefy init` writes one (default: none needed)"
    )
    what.add_argument("--limit", metavar="N", type=count, default=0, help="only the first N documents, by path")
    where = places(command)
    where.add_argument(
        "--workers", metavar="N", type=count, default=0, help="processes for documents (default: this one)"
    )
    where.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler that exists, tcp://host:port")
    where.add_argument("--quiet", action="store_true", help="say nothing but errors")
