"""Any model of the inference core as a RAG system, with the prompts of a protocol and a prompting strategy."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.evaluate.systems.rag.conversation import (
    BLOCK,
    Ended,
    PassageRater,
    StrategyCase,
    Talk,
    choose_pack,
    run_conversations,
)
from rarefy.tasks.evaluate.systems.rag.strategies import STRATEGIES, VERSION, connect_rater, find_strategy
from rarefy.tasks.models.llm import LLM, InferenceContext
from rarefy.tasks.models.llm.config import price_of
from rarefy.tasks.models.llm.faults import Unavailable

__all__ = ["STRATEGIES", "VERSION", "Ended", "RagConfig", "StrategyCase", "Talk", "rag"]


def rag(
    config: RagConfig,
    llm: LLM,
    cache: Path | None = None,
    threads: int = 1,
    means: InferenceContext | None = None,
    *,
    rate: PassageRater | None = None,
) -> System:
    """Return the system, which answers many questions at once and yields outputs in order.

    `cache` is the folder of an embedder's vectors; `rate` replaces the evaluator that the config names. ValueError for
    unknown prompts or strategies, Unavailable where an evaluator's model is not available. It does not
    retrieve: an input whose passages are None gives the error "no_passages".
    """
    means = means or InferenceContext()
    own = find_strategy(config.strategy)
    if config.prompts:
        choose_pack("", config.prompts)  # a wrong name must fail before anything is paid
    if own.rates and rate is None:
        try:
            rate = connect_rater(config, cache, threads, means)
        except ValueError as error:
            raise Unavailable(f"strategy {config.strategy}: {error}") from None
    batch = config.llm.provider == "batch"
    price = price_of(config.llm, means.serving.prices)

    def talk(asked: SystemInput) -> Talk:
        if asked.passages is None:
            return _refuse_retrieval(asked)
        return own.talk(StrategyCase(asked, config, choose_pack(asked.protocol, config.prompts), rate))

    def system(asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]:
        # a batch of the Batch API may take a day: as many questions in one as it takes
        block = 50_000 if batch else BLOCK
        return run_conversations(asked, talk, llm, turns=own.turns(config), price=price, batch=batch, block=block)

    return system


def _refuse_retrieval(asked: SystemInput) -> Talk:
    yield from ()
    return Ended(error="no_passages", detail="rag retrieves nothing by itself: give it passages, or none")
