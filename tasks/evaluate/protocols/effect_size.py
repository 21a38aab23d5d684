"""Effect size: how far does the score of a group move with the wording? PDR and Cohen's h (arXiv 2408.01963)."""

from collections.abc import Sequence

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows
from rarefy.tasks.evaluate.protocols.effect_size_config import EffectSizeConfig
from rarefy.tasks.evaluate.protocols.effect_size_measures import measures
from rarefy.tasks.evaluate.protocols.effect_size_trials import trials
from rarefy.tasks.evaluate.protocols.protocol import Protocol

__all__ = ["EFFECT_SIZE", "EffectSizeConfig"]


def lacking(cases: list[QuestionVariants], config: EffectSizeConfig, takes: frozenset[str]) -> str:
    """Why nothing of it can be tried."""
    needed = {"none": {"closed_book"}, "own": {"own"}}.get(config.passages, {"passages", "own"})
    if not takes & needed:
        return (
            f"effect size with passages = {config.passages!r} needs a system that takes {' or '.join(sorted(needed))}"
        )
    wanted = {*config.superficial, *config.paraphrase, *config.distraction}
    if not any(row.perturbation in wanted for case in cases for row in (*case.queries, *case.context, *case.documents)):
        return f"effect size needs variants: the benchmark has none by {', '.join(sorted(wanted))}"
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows that a number is of: changed ones."""
    return ~rows.columns["cell"].among("original", "repeat")


EFFECT_SIZE = Protocol(
    name="effect_size",
    title="Effect size",
    paper="2408.01963",
    config=EffectSizeConfig,
    refusal="",  # none of its prompts has one
    contained=True,
    judge="",
    trials=trials,
    measures=measures,
    lacking=lacking,
    display=Display(
        metrics=("H̃", "AH̃", "PDR", "Original score", "Perturbed score"),
        main=("H̃", "AH̃"),
        beside=("Original score", "Perturbed score", "PDR"),
        unchanged=("original",),
        rows=rows_of,
    ),
)
