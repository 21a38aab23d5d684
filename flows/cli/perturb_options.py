"""The command lines of what needs no corpus: perturbing a file, the catalogue, mixing contexts, fitting a scenario."""

import argparse
from pathlib import Path

from rarefy.flows.cli.options import count, places, spend

PERTURB = """\
Write variants of the questions in QUESTIONS, and of the passages that came with them, each with its proof: DIR gets
variants.jsonl, questions.jsonl, chunks.jsonl, skipped.jsonl and funnel.json. QUESTIONS is a file or folder: JSON lines,
JSON, CSV or Parquet with a question, an answer and contexts in each record, SQuAD, HotpotQA, MuSiQue, DPR, MS MARCO,
BEIR, ragas, AutoRAG, YourBench, a Hugging Face data set that was saved, a benchmark of rarefy or of RARE's authors.
Gold is what is marked so, else the contexts that hold the answer. Run again, it makes nothing where nothing changed.
"""
PERTURBATIONS = "List every perturbation: where it is from, how it is made, and an example."
MIX = """\
Mix contexts of the passages in BENCH, a folder of `rarefy perturb` or `rarefy build`: k passages for each question at
each share of noise, gold and noise drawn from its pools, as a scenario of the paper, of your own or a mix says.
"""
SCENARIO = """\
Tell the passages that a retriever found apart into the five classes, and write the scenario that they make.
RETRIEVED is JSON lines (question_id, and passages by chunk_id or text) or a TREC run.
"""


def without_corpus(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that need no corpus."""
    perturb = commands.add_parser("perturb", help="variants of a file of questions", description=PERTURB)
    perturb.add_argument("questions", metavar="QUESTIONS", type=Path, help="a file or folder of questions")
    perturb.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder for the variants")
    what = perturb.add_argument_group("what is made")
    what.add_argument(
        "--only",
        metavar="NAMES",
        action="append",
        default=[],
        help="these perturbations alone, with commas between: by name, by family, by side (query, document or context: "
        "what the config lists there), or your own as side:module:function",
    )
    what.add_argument("--config", metavar="FILE.toml", type=Path, help="settings: [perturb], [nli], [llm], ...")
    what.add_argument("--layout", metavar="NAME", default="", help="how QUESTIONS is laid out (default: told by shape)")
    what.add_argument("--language", metavar="CODE", default="", help="of questions that do not say (default: guessed)")
    where = places(perturb)
    where.add_argument("--quiet", action="store_true", help="say nothing but errors")
    spend(perturb)
    perturb.set_defaults(dask=None)  # no workers: a model is held here, or served

    catalogue = commands.add_parser("perturbations", help="list all perturbations", description=PERTURBATIONS)
    catalogue.add_argument("--json", action="store_true", help="all there is to say of each, as JSON")
    _mixing(commands)
    _fitting(commands)


def _mixing(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    mix = commands.add_parser("mix", help="contexts of gold and noise", description=MIX)
    mix.add_argument("benchmark", metavar="BENCH", type=Path, help="a folder with questions and variants")
    mix.add_argument("--out", metavar="FILE.jsonl", type=Path, required=True, help="file for the contexts")
    what = mix.add_argument_group("what is mixed", "Of options marked + several may be given, or one with commas.")
    what.add_argument("--k", metavar="N", type=count, help="passages of a context (default: the paper's 10)")
    what.add_argument("--ratio", metavar="R", action="append", default=[], help="share of noise, 0 to 1 +")
    what.add_argument("--mix", metavar="MIX", action="append", default=[], help="natural, a class, a:b:c:d +")
    what.add_argument("--scenario", metavar="NAME", action="append", default=[], help="SCE1 to SCE4, or of a file +")
    what.add_argument(
        "--scenarios",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="your own scenarios, TOML or JSON",
    )
    what.add_argument("--position", metavar="PLACE", choices=("near", "mid", "far"), help="of the passages of --placed")
    what.add_argument("--placed", metavar="CLASS", help="which passages --position is about")
    what.add_argument("--question", choices=("before", "after"), help="where the question stands: near is near it")
    what.add_argument("--order", metavar="ORDER", help="shuffled, original, reversed, ranked or module:function")
    what.add_argument("--length", metavar="BIN", help="of a context in tokens, as 300-599 or 1500+")
    what.add_argument("--fill", action="store_true", default=None, help="where a class of noise is short, take others")
    what.add_argument("--no-titles", dest="titles", action="store_false", default=None, help="passages without titles")
    what.add_argument("--tokenizer", metavar="NAME", help="what counts the tokens")
    what.add_argument("--seed", metavar="N", type=int, help="another draw of the same")
    what.add_argument("--texts", action="store_true", help="write the passages' texts too, not their ids alone")


def _fitting(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    fit = commands.add_parser("scenario", help="a scenario of your own retriever", description=SCENARIO)
    fit = fit.add_subparsers(dest="what", metavar="WHAT", required=True).add_parser(
        "fit", help="fit one to what was retrieved", description=SCENARIO
    )
    fit.add_argument("retrieved", metavar="RETRIEVED", type=Path, help="what a retriever found")
    fit.add_argument("benchmark", metavar="BENCH", type=Path, help="the benchmark that it was asked")
    fit.add_argument("--out", metavar="FILE.toml", type=Path, help="file for the scenario")
    fit.add_argument("--name", metavar="NAME", default="", help="of the scenario (default: that of RETRIEVED)")
    fit.add_argument("--k", metavar="N", type=count, default=0, help="of the first N passages (default: 10)")
    fit.add_argument("--by", choices=("rules", "model"), default="rules", help="who tells them apart (default: rules)")
    fit.add_argument("--embedder", action="store_true", help="rules may ask how alike passages are")
    fit.add_argument("--passages", metavar="FILE.jsonl", type=Path, help="file for each passage with its class")
    fit.add_argument("--config", metavar="FILE.toml", type=Path, help="settings: [llm], for --by model")
    places(fit)
    spend(fit)
    fit.set_defaults(dask=None)
