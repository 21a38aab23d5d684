"""Magic Mushroom: how much noise, and of which kind, does an answer stand? (arXiv 2506.03901)."""

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.magic_mushroom_config import MagicMushroomConfig
from rarefy.tasks.evaluate.protocols.magic_mushroom_measures import measures
from rarefy.tasks.evaluate.protocols.magic_mushroom_trials import trials
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.perturb.mix.config import GOLDEN

__all__ = ["MAGIC_MUSHROOM", "MagicMushroomConfig"]


def lacking(cases: list[QuestionVariants], config: MagicMushroomConfig, takes: frozenset[str]) -> str:
    """Why nothing of it can be tried."""
    if "passages" not in takes:
        return "Magic Mushroom needs a system that takes passages"
    if not any(row.family == GOLDEN for case in cases for row in case.context):
        return "Magic Mushroom needs passages to mix: perturb the benchmark with context perturbations"
    return ""


MAGIC_MUSHROOM = Protocol(
    name="magic_mushroom",
    title="Magic Mushroom",
    paper="2506.03901",
    config=MagicMushroomConfig,
    refusal="I cannot answer the question.",
    contained=False,
    judge="magic_mushroom",
    trials=trials,
    measures=measures,
    lacking=lacking,
)
