"""The five protocols by name, and their trials (RARE, SURE, retrieval robustness, effect size, Magic Mushroom)."""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Hits, Question, Trial, Variant
from rarefy.tasks.evaluate.protocols.case import QuestionVariants, cases
from rarefy.tasks.evaluate.protocols.display import Display
from rarefy.tasks.evaluate.protocols.effect_size import EFFECT_SIZE, EffectSizeConfig
from rarefy.tasks.evaluate.protocols.magic_mushroom import MAGIC_MUSHROOM, MagicMushroomConfig
from rarefy.tasks.evaluate.protocols.protocol import Protocol, trial
from rarefy.tasks.evaluate.protocols.rare import RARE, RareConfig
from rarefy.tasks.evaluate.protocols.retrieval_robustness import RETRIEVAL_ROBUSTNESS, RetrievalRobustnessConfig
from rarefy.tasks.evaluate.protocols.sure import SURE, SureConfig

__all__ = ["PROTOCOLS", "Protocol", "ProtocolsConfig", "QuestionVariants", "cases", "display_of", "trial", "trials"]

VERSION = 1
PROTOCOLS: dict[str, Protocol] = {
    one.name: one for one in (RARE, SURE, RETRIEVAL_ROBUSTNESS, EFFECT_SIZE, MAGIC_MUSHROOM)
}


def display_of(protocol: str) -> Display:
    """How results show a protocol; of one that is not ours, nothing is known."""
    return PROTOCOLS[protocol].display if protocol in PROTOCOLS else Display()


class ProtocolsConfig(BaseModel, frozen=True, extra="forbid"):
    """The options of each protocol."""

    rare: RareConfig = Field(
        default_factory=lambda: RareConfig.model_validate({}), description="RARE-Met (arXiv 2506.00789)"
    )
    sure: SureConfig = Field(
        default_factory=lambda: SureConfig.model_validate({}), description="SURE, spurious features (arXiv 2503.05587)"
    )
    retrieval_robustness: RetrievalRobustnessConfig = Field(
        default_factory=lambda: RetrievalRobustnessConfig.model_validate({}),
        description="NDR, RSR, ROR (arXiv 2505.21870)",
    )
    effect_size: EffectSizeConfig = Field(
        default_factory=lambda: EffectSizeConfig.model_validate({}), description="PDR and Cohen's h (arXiv 2408.01963)"
    )
    magic_mushroom: MagicMushroomConfig = Field(
        default_factory=lambda: MagicMushroomConfig.model_validate({}),
        description="noise by class, ratio, scenario (arXiv 2506.03901)",
    )


class TrialsConfig(BaseModel, frozen=True, extra="forbid"):
    """Which trials are made: nothing here hangs on the systems but whether they take passages."""

    chosen: tuple[str, ...]
    takes: frozenset[str]  # of closed_book, passages, own: what any of the systems can be given
    options: ProtocolsConfig


def trials(
    questions: Iterable[Question],
    config: TrialsConfig,
    *,
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk],
    hits: Mapping[str, Hits],
) -> Iterator[Trial]:
    """The trials of each question, protocol by protocol."""
    for case in cases(questions, variants.values(), chunks, hits.values()):
        for name in config.chosen:
            for row in PROTOCOLS[name].trials(case, getattr(config.options, name)):
                if row.given in config.takes:
                    yield row
