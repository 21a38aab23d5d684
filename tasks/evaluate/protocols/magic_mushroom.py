"""Magic Mushroom: how much noise, and of which kind, does an answer stand? (arXiv 2506.03901)."""

from collections.abc import Sequence

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, is_closed
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


# Its analyses: the first whose name a slice has says which cell is meant
ANALYSES = {"scenario": "scenario", "class": "class", "position": "position", "placed": "position", "length": "length"}


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows that a number is of: those of its analysis."""
    analysis = next((cell for name, cell in ANALYSES.items() if name in dict(names)), "ratio")
    return rows.columns["cell"].among("probe" if is_closed(names) else analysis)


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
    display=Display(
        metrics=("Cor.", "Rej.", "H", "C", "R"), main=("Cor.",), beside=("Rej.", "H", "C", "R"), rows=rows_of
    ),
)
