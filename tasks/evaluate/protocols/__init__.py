"""From cases (questions with their variants and hits) to trials, and from scored trials to measures, for each paper's
protocol: RARE-Met, SURE, retrieval robustness, effect size, Magic Mushroom. A protocol is a module with a `Protocol`
record and its place in `PROTOCOLS`; command line, flows, forms and reports read it from there.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from rarefy.data_contracts.rows import Chunk, Hits, Question, Trial, Variant
from rarefy.tasks.evaluate.protocols.case import QuestionVariants, cases
from rarefy.tasks.evaluate.protocols.display import Display
from rarefy.tasks.evaluate.protocols.effect_size import EFFECT_SIZE
from rarefy.tasks.evaluate.protocols.magic_mushroom import MAGIC_MUSHROOM
from rarefy.tasks.evaluate.protocols.protocol import Protocol, trial
from rarefy.tasks.evaluate.protocols.rare import RARE
from rarefy.tasks.evaluate.protocols.retrieval_robustness import RETRIEVAL_ROBUSTNESS
from rarefy.tasks.evaluate.protocols.sure import SURE

__all__ = ["PROTOCOLS", "Protocol", "ProtocolsConfig", "QuestionVariants", "cases", "display_of", "trial", "trials"]

VERSION = 3  # kinds of question that a protocol asks; passages that state the same, alone or together, count as gold
PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol for protocol in (RARE, SURE, RETRIEVAL_ROBUSTNESS, EFFECT_SIZE, MAGIC_MUSHROOM)
}


def display_of(protocol: str) -> Display:
    """The display settings of a protocol; the defaults for one that is not of this package."""
    return PROTOCOLS[protocol].display if protocol in PROTOCOLS else Display()


_FIELDS: Any = {
    protocol.name: (protocol.config, Field(default_factory=protocol.config, description=protocol.description))
    for protocol in PROTOCOLS.values()
}


class ProtocolsConfig(create_model("_Options", **_FIELDS)):  # type: ignore[misc]
    """The options of each protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TrialsConfig(BaseModel, frozen=True, extra="forbid"):
    """Which protocols are tried, with which options, for systems that take what."""

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
            if not PROTOCOLS[name].asks(case.question.pattern):
                continue
            for row in PROTOCOLS[name].trials(case, getattr(config.options, name)):
                if row.given in config.takes:
                    yield row
