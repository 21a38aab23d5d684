"""The commands that perturb, mix and fit: none of them starts an engine."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from rarefy.flows.cli import commands
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.tasks.models.llm import LLM


def perturb(given: argparse.Namespace) -> int:
    """Write the variants of a file of questions."""
    from rarefy.flows import perturb as work
    from rarefy.flows.models import accounting
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.corpus.read.languages import language

    config = _checked(given)
    spoken = language(given.language) if given.language else ""
    if given.language and not spoken:
        raise UsageFault(f"--language {given.language}: no language of that name; give a code, as en")
    asked = accounting.means(config, "", given.max_calls, given.max_cost)
    place = work.Given(given.questions, given.layout, spoken)
    funnel, made = work.perturb(place, given.out, config, given.store, asked, given.quiet)
    if not given.quiet:
        work.show(funnel, Terminal())
        commands.tell("" if made else "nothing changed since this was made: it stands as it is", 0)
        print(f"Variants lie in {given.shown_out}")
    return 0


def _checked(given: argparse.Namespace) -> "Config":
    """The config with what the command line says of it; UsageFault where something that it names is not there."""
    from rarefy.flows.config import load
    from rarefy.flows.engine.config_check import check_variants
    from rarefy.flows.perturb import only

    if not given.questions.exists():
        raise UsageFault(f"{given.questions}: no such file or folder; check the path")
    config = load(given.config)
    if given.only:
        config = only(config, [name for names in given.only for name in names.split(",")])
    commands.check_store(given.store)
    check_variants(config, given.config)
    commands.check_models(given, config)
    return config


def perturbations(given: argparse.Namespace) -> int:
    """List the catalogue."""
    from rarefy.flows.cli.perturbation_catalogue import listed, show

    print(listed() if given.json else show(), end="")
    return 0


MIX = ("k", "position", "placed", "question", "order", "length", "fill", "titles", "tokenizer", "seed")  # as given
LISTS = {"ratio": "ratios", "mix": "mixes", "scenario": "scenarios"}  # repeated, or with commas


def mix(given: argparse.Namespace) -> int:
    """Write contexts mixed of the passages of a benchmark."""
    from rarefy.flows.mix import show, write

    asked: dict[str, Any] = {name: getattr(given, name) for name in MIX if getattr(given, name) is not None}
    for option, field in LISTS.items():
        if said := [part for one in getattr(given, option) for part in one.split(",") if part]:
            asked[field] = tuple(_ratio(part) for part in said) if option == "ratio" else tuple(said)
    print(show(write(given.benchmark, given.out, files=tuple(given.scenarios), show_texts=given.texts, **asked)))
    return 0


def _ratio(text: str) -> float:
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
        llm=_model(given) if given.by == "model" else None,
    )
    print(show(found))
    return 0


def _model(given: argparse.Namespace) -> "LLM":
    """The model of [llm], connected; UsageFault where the config names none."""
    from rarefy.flows.config import load
    from rarefy.flows.models import accounting
    from rarefy.tasks.models.llm.faults import Unavailable
    from rarefy.tasks.models.llm.prices import price_of
    from rarefy.tasks.store.tables import Store

    config = load(given.config)
    if not config.llm.provider:
        raise UsageFault("--by model asks the model of [llm]; name one in --config")
    commands.check_store(given.store)
    commands.check_models(given, config)
    if given.max_cost and not price_of(config.llm, config.serving.prices):
        way_out = "add it to serving.prices, or use --max-calls"
        raise UsageFault(f"--max-cost {given.max_cost:g}: no price for {config.llm.model}; {way_out}")
    # a run of its own in the ledger, against whose spending the limits are held
    means = replace(accounting.means(config, uuid4().hex, given.max_calls, given.max_cost), stage="scenario")
    try:
        return config.llm.connect(accounting.place(Store(given.store)), threads=1, means=means)
    except (Unavailable, ValueError) as error:
        raise UsageFault(f"llm: {error}") from error
