"""Prompting strategies by name, each a talk about one question (retrieval robustness C, Magic Mushroom E)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rarefy.tasks.evaluate.systems.rag import crag, drafts, dragin, plain, selection
from rarefy.tasks.evaluate.systems.rag.case import StrategyCase
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.evaluate.systems.rag.turns import Talk
from rarefy.tasks.find import find
from rarefy.tasks.models import prompts

VERSION = 1
MOST = 8  # turns of a strategy of one's own that does not say how many it takes


@dataclass(frozen=True)
class Strategy:
    """How a question and its passages are put to a model."""

    talk: Callable[[StrategyCase], Talk]
    turns: Callable[[RagConfig], int]  # requests for one question, at most
    rates: bool = False  # needs an evaluator of passages
    options: tuple[str, ...] = ()  # fields of RagConfig, and beginnings of their names, that only it reads


def _turns(number: int) -> Callable[[RagConfig], int]:
    return lambda config: number


STRATEGIES: dict[str, Strategy] = {
    "no_rag": Strategy(plain.no_rag, _turns(1)),
    "vanilla": Strategy(plain.vanilla, _turns(1)),
    "own_know": Strategy(drafts.own_know, _turns(2)),
    "s2a": Strategy(selection.s2a, _turns(2), options=("s2a_",)),
    "chain_of_note": Strategy(plain.chain_of_note, _turns(1)),
    "skr": Strategy(selection.skr, _turns(2), options=("skr_",)),
    "crag": Strategy(crag.crag, _turns(1), rates=True, options=("crag_", "evaluator", "cosine_", "embed")),
    "dragin": Strategy(dragin.dragin, lambda config: 1 + config.dragin_rounds, options=("dragin_",)),
}


def strategy(name: str) -> Strategy:
    """The strategy of this name; one's own "module:function" is a function of a StrategyCase that is a talk.

    It is rated for (StrategyCase.rate) where it has an attribute `rates`, and says its
    most turns in an attribute `turns`.
    """
    if name in STRATEGIES:
        return STRATEGIES[name]
    talk = find(name, {known: one.talk for known, one in STRATEGIES.items()})
    return Strategy(talk, _turns(int(getattr(talk, "turns", MOST))), bool(getattr(talk, "rates", False)))


def options(config: RagConfig) -> dict[str, Any]:
    """What answers hang on besides the model: prompts, strategy, and the options that it reads."""
    own = strategy(config.strategy)
    others = {name for one in STRATEGIES.values() for name in one.options} - set(own.options)
    if ":" in config.strategy:
        others = set()  # nobody knows what it reads
    told = config.model_dump(mode="json", exclude={"llm", "embed"})
    told = {name: value for name, value in told.items() if not name.startswith(tuple(others))}
    if own.rates and config.evaluator == "embed":
        told["embed"] = config.embed.identity()
    return told | {"version": VERSION, "prompt": prompts.digest("systems")}
