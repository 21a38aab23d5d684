"""The commands that need no corpus: perturb a file, list the perturbations, mix contexts, fit a scenario."""

import argparse
import json
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rarefy.flows.cli import checks
from rarefy.flows.cli.options import (
    add_config,
    add_json,
    add_limits,
    add_quiet,
    add_repeated,
    add_store,
    count,
)
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.tasks.models.llm import LLM
    from rarefy.tasks.perturb.catalogue import Perturbation

PERTURB = """\
Write variants of the questions in QUESTIONS, and of the passages that came with them, each with its proof: DIR gets
variants.jsonl, questions.jsonl, chunks.jsonl, skipped.jsonl and funnel.json. QUESTIONS is a file or folder: JSON lines,
JSON, CSV or Parquet with a question, an answer and contexts in each record, SQuAD, HotpotQA, MuSiQue, DPR, MS MARCO,
BEIR, ragas, AutoRAG, YourBench, MultiHop-RAG, FinanceBench, a Hugging Face data set that was saved, a benchmark of
rarefy or of RARE's authors.
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
MIX_OPTIONS = (
    "k",
    "position",
    "placed",
    "question",
    "order",
    "length",
    "fill",
    "titles",
    "tokenizer",
    "seed",
)  # as given
MIX_LISTS = {"ratio": "ratios", "mix": "mixes", "scenario": "scenarios"}  # repeated, or with commas
WIDEST = 120  # characters of a line: longer ones are hard to read
INDENT = " " * 4
NOTE = (
    "* is made where it is named, not with its family. Names and families go into [perturb] of a config, and into "
    "`rarefy perturb --only`. Where languages are told, text in another one is refused rather than changed wrongly."
)


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add perturb, perturbations, mix and scenario to the command line."""
    parser = commands.add_parser("perturb", help="variants of a file of questions", description=PERTURB)
    parser.add_argument("questions", metavar="QUESTIONS", type=Path, help="a file or folder of questions")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder for the variants")
    what = parser.add_argument_group("what is made")
    add_repeated(
        what,
        "--only",
        metavar="NAMES",
        help="these perturbations alone, with commas between: by name, by family, by side (query, document or context: "
        "what the config lists there), or your own as side:module:function",
    )
    add_config(what, "settings: [perturb], [nli], [llm], ...")
    what.add_argument("--layout", metavar="NAME", default="", help="how QUESTIONS is laid out (default: by its shape)")
    what.add_argument("--language", metavar="CODE", default="", help="of questions that do not say (default: guessed)")
    add_quiet(add_store(parser))
    add_limits(parser)
    parser.set_defaults(run=perturb, dask=None)  # no workers: a model is held here, or served

    parser = commands.add_parser("perturbations", help="list all perturbations", description=PERTURBATIONS)
    add_json(parser, "all there is to say of each, as JSON")
    parser.set_defaults(run=perturbations)

    parser = commands.add_parser("mix", help="contexts of gold and noise", description=MIX)
    parser.add_argument("benchmark", metavar="BENCH", type=Path, help="a folder with questions and variants")
    parser.add_argument("--out", metavar="FILE.jsonl", type=Path, required=True, help="file for the contexts")
    what = parser.add_argument_group("what is mixed", "Of options marked + several may be given, or one with commas.")
    what.add_argument("--k", metavar="N", type=count, help="passages of a context (default: the paper's 10)")
    add_repeated(what, "--ratio", metavar="R", help="share of noise, 0 to 1 +")
    add_repeated(what, "--mix", metavar="MIX", help="natural, a class, a:b:c:d +")
    add_repeated(what, "--scenario", metavar="NAME", help="SCE1 to SCE4, or of a file +")
    add_repeated(
        what,
        "--scenarios",
        metavar="FILE",
        type=Path,
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
    what.add_argument(
        "--ids", dest="texts", action="store_false", help="write the passages' ids alone, without their texts"
    )
    add_store(parser)
    parser.set_defaults(run=mix)

    parser = commands.add_parser("scenario", help="a scenario of your own retriever", description=SCENARIO)
    parser = parser.add_subparsers(dest="what", metavar="WHAT", required=True).add_parser(
        "fit", help="fit one to what was retrieved", description=SCENARIO
    )
    parser.add_argument("retrieved", metavar="RETRIEVED", type=Path, help="what a retriever found")
    parser.add_argument("benchmark", metavar="BENCH", type=Path, help="the benchmark that it was asked")
    parser.add_argument("--out", metavar="FILE.toml", type=Path, help="file for the scenario")
    parser.add_argument("--name", metavar="NAME", default="", help="of the scenario (default: that of RETRIEVED)")
    parser.add_argument("--k", metavar="N", type=count, default=0, help="of the first N passages (default: 10)")
    parser.add_argument(
        "--by", choices=("rules", "model"), default="rules", help="who decides the classes (default: rules)"
    )
    parser.add_argument("--embedder", action="store_true", help="rules may ask how alike passages are")
    parser.add_argument("--passages", metavar="FILE.jsonl", type=Path, help="file for each passage with its class")
    add_config(parser, "settings: [llm], for --by model")
    add_store(parser)
    add_limits(parser)
    parser.set_defaults(run=scenario, dask=None)


def perturb(given: argparse.Namespace) -> int:
    """Write the variants of a file of questions."""
    from rarefy.flows import perturb as perturbing
    from rarefy.flows.models import accounting
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.corpus.read.metadata import language_code

    config = _prepare(given)
    spoken = language_code(given.language) if given.language else ""
    if given.language and not spoken:
        raise UsageFault(f"--language {given.language}: no language of that name; give a code, as en")
    context = accounting.inference_context(config, "", given.max_calls, given.max_cost)
    source = perturbing.QuestionSource(given.questions, given.layout, spoken)
    funnel, made = perturbing.perturb(source, given.out, config, given.store, context, given.quiet)
    if not given.quiet:
        perturbing.show(funnel, Terminal())
        checks.print_message("" if made else "nothing changed since this was made: it stands as it is")
        print(f"Variants lie in {given.shown_out}")
    return 0


def _prepare(given: argparse.Namespace) -> "Config":
    """The config with what the command line says of it; UsageFault where something that it names is not there."""
    from rarefy.flows.config import load
    from rarefy.flows.engine.config_check import check_variants
    from rarefy.flows.perturb import select_perturbations

    if not given.questions.exists():
        raise UsageFault(f"{given.questions}: no such file or folder; check the path")
    config = load(given.config).with_all_kinds()
    if given.only:
        config = select_perturbations(config, [name for names in given.only for name in names.split(",")])
    check_store(given.store)
    check_variants(config, given.config)
    checks.check_models(given, config)
    return config


def perturbations(given: argparse.Namespace) -> int:
    """Print the catalogue of perturbations."""
    print(catalogue_as_json() if given.json else format_catalogue(), end="")
    return 0


def mix(given: argparse.Namespace) -> int:
    """Write contexts mixed of the passages of a benchmark."""
    from rarefy.flows.mix import mix_contexts, show

    options: dict[str, Any] = {name: getattr(given, name) for name in MIX_OPTIONS if getattr(given, name) is not None}
    for option, field in MIX_LISTS.items():
        if values := [value for text in getattr(given, option) for value in text.split(",") if value]:
            options[field] = tuple(map(_parse_ratio, values)) if option == "ratio" else tuple(values)
    check_store(given.store)
    given_to_mix = {"files": tuple(given.scenarios), "show_texts": given.texts, "store": given.store}
    print(show(mix_contexts(given.benchmark, given.out, **given_to_mix, **options)))
    return 0


def _parse_ratio(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageFault(f"--ratio {text}: no number; give shares of noise from 0 to 1") from None


def scenario(given: argparse.Namespace) -> int:
    """Fit a scenario to what a retriever found."""
    from rarefy.flows.scenario import fit, show

    found = fit(
        given.retrieved,
        given.benchmark,
        out=given.out,
        name=given.name,
        k=given.k,
        by=given.by,
        embedder=given.embedder,
        passages_out=given.passages,
        llm=_connect_model(given) if given.by == "model" else None,
    )
    print(show(found))
    return 0


def _connect_model(given: argparse.Namespace) -> "LLM":
    """The model of [llm], connected; UsageFault where the config names none."""
    from rarefy.flows.config import load
    from rarefy.flows.models import accounting
    from rarefy.tasks.models.llm.config import price_of
    from rarefy.tasks.models.llm.faults import Unavailable
    from rarefy.tasks.store.tables import Store

    config = load(given.config)
    if not config.llm.provider:
        raise UsageFault("--by model asks the model of [llm]; name one in --config")
    check_store(given.store)
    checks.check_models(given, config)
    if given.max_cost and not price_of(config.llm, config.serving.prices):
        way_out = "add it to serving.prices, or use --max-calls"
        raise UsageFault(f"--max-cost {given.max_cost:g}: no price for {config.llm.model}; {way_out}")
    # a run of its own in the ledger, against whose spending the limits are held
    means = replace(
        accounting.inference_context(config, uuid4().hex, given.max_calls, given.max_cost), stage="scenario"
    )
    try:
        return config.llm.connect(accounting.cache_folder(Store(given.store)), threads=1, means=means)
    except (Unavailable, ValueError) as error:
        raise UsageFault(f"llm: {error}") from error


def entry_as_json(entry: "Perturbation") -> dict[str, Any]:
    """All there is to say of a perturbation, as JSON holds it."""
    before, after = entry.example
    return {
        "name": entry.name,
        "paper": entry.paper,
        "side": entry.side,
        "family": entry.family,
        "about": entry.about,
        "method": methods_of(entry),
        "needs_model": not entry.rules,
        "needs": "the system under test" if entry.generator else "",
        "languages": list(entry.speaks) if entry.rules else [],
        "checks": list(entry.checks),
        "baseline": list(entry.baseline),
        "with_family": entry.default,
        "example": {"before": before, "after": after},
    }


def methods_of(entry: "Perturbation") -> list[str]:
    """How it can be made: by rules or selection offline, by a model."""
    return ([entry.by] if entry.rules else []) + (["model"] if entry.role else [])


def catalogue_as_json() -> str:
    """The catalogue of perturbations as JSON."""
    from rarefy.tasks.perturb.catalogue import CATALOGUE  # late: it loads every perturbation

    return json.dumps([entry_as_json(entry) for entry in CATALOGUE.values()], indent=1, ensure_ascii=False) + "\n"


def format_catalogue(width: int = 0) -> str:
    """The catalogue for a reader, as wide as the terminal unless told."""
    width = min(width or shutil.get_terminal_size().columns, WIDEST)
    return "\n".join(_lines(width)) + "\n"


def _lines(width: int) -> Iterator[str]:
    from rarefy.tasks.perturb.catalogue import CATALOGUE  # late: it loads every perturbation

    groups: dict[tuple[str, str], list[Perturbation]] = {}
    for entry in CATALOGUE.values():
        groups.setdefault((entry.side, entry.family), []).append(entry)
    for (side, family), entries in groups.items():
        yield f"{side} · {family} ".ljust(width, "─")
        for entry in entries:
            name = entry.name if entry.default else f"{entry.name} *"
            yield _ends(f"{name:<28} {_how(entry)}", entry.paper, width)
            yield from textwrap.wrap(entry.about, width, initial_indent=INDENT, subsequent_indent=INDENT)
            yield from _example(entry, width)
        yield ""
    yield from textwrap.wrap(NOTE, width, subsequent_indent="  ")


def _how(entry: "Perturbation") -> str:
    """The methods in words, and which languages the offline one knows."""
    if not entry.rules:
        return "needs the system under test" if entry.generator else "needs a model"
    spoken = f" ({', '.join(entry.speaks)})" if entry.speaks else ""
    return f"{entry.by}{spoken}{', or a model' if entry.role else ''}"


def _ends(left: str, right: str, width: int) -> str:
    """Two texts at the ends of a line, or the second below where there is no room."""
    room = width - len(left) - len(right)
    return f"{left}{' ' * room}{right}" if room > 1 else f"{left}\n{right:>{width}}"


def _example(entry: "Perturbation", width: int) -> Iterator[str]:
    before, after = entry.example
    if not after:
        return
    for mark, text in (("–", before), ("+", after)):
        shown = " ⏎ ".join(text.splitlines())
        lead = f"{INDENT}{mark} "
        lines = textwrap.wrap(
            shown, width, initial_indent=lead, subsequent_indent=" " * len(lead), drop_whitespace=True, max_lines=3
        )
        yield from lines
