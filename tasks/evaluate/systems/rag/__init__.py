"""Any model of the inference core as a RAG system, by a protocol's prompts and a prompting strategy."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.evaluate.systems.rag.case import Rate, StrategyCase
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.evaluate.systems.rag.packs import pack_of
from rarefy.tasks.evaluate.systems.rag.strategies import STRATEGIES, VERSION, strategy
from rarefy.tasks.evaluate.systems.rag.turns import BLOCK, Ended, Talk, said
from rarefy.tasks.models.llm import LLM, InferenceContext
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.models.llm.prices import price_of

__all__ = ["STRATEGIES", "VERSION", "Ended", "RagConfig", "StrategyCase", "Talk", "rag"]


def rag(
    config: RagConfig,
    llm: LLM,
    cache: Path | None = None,
    threads: int = 1,
    means: InferenceContext | None = None,
    *,
    rate: Rate | None = None,
) -> System:
    """The system: an answer to each question in order, all turns of many questions under way together.

    `cache` is where an embedder remembers; `rate` takes the place of the evaluator that the config names. ValueError
    for prompts or a strategy that nobody has, Unavailable where an evaluator's model cannot be had. A question
    that is to be answered from own retrieval is told "no_passages": this system is given what was retrieved.
    """
    means = means or InferenceContext()
    own = strategy(config.strategy)
    if config.prompts:
        pack_of("", config.prompts)  # a wrong name is told before anything is paid
    if own.rates and rate is None:
        from rarefy.tasks.evaluate.systems.rag.relevance import rater

        try:
            rate = rater(config, cache, threads, means)
        except ValueError as error:
            raise Unavailable(f"strategy {config.strategy}: {error}") from None
    batch = config.llm.provider == "batch"
    price = price_of(config.llm, means.serving.prices)

    def talk(asked: SystemInput) -> Talk:
        if asked.passages is None:
            return _without(asked)
        return own.talk(StrategyCase(asked, config, pack_of(asked.protocol, config.prompts), rate))

    def system(asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]:
        # a batch of the Batch API may take a day: as many questions in one as it takes
        block = 50_000 if batch else BLOCK
        return said(asked, talk, llm, turns=own.turns(config), price=price, batch=batch, block=block)

    return system


def _without(asked: SystemInput) -> Talk:
    yield from ()
    return Ended(error="no_passages", detail="rag retrieves nothing by itself: give it passages, or none")
