"""RARE-Met: right, or rightly refused, whatever was done to question and passages? (arXiv 2506.00789)."""

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.evaluate.protocols.rare_config import RareConfig
from rarefy.tasks.evaluate.protocols.rare_measures import measures
from rarefy.tasks.evaluate.protocols.rare_trials import trials

__all__ = ["RARE", "RareConfig"]


def lacking(cases: list[QuestionVariants], config: RareConfig, takes: frozenset[str]) -> str:
    """Why nothing of it can be tried."""
    if not takes & {"passages", "own"}:
        return "RARE-Met needs a system that takes passages or retrieves itself"
    if not cases:
        return "RARE-Met needs an accepted question"
    return ""


RARE = Protocol(
    name="rare",
    title="RARE-Met",
    paper="2506.00789",
    config=RareConfig,
    refusal="no such info",  # of the authors' prompt; the paper's text has lost it
    contained=False,
    judge="rare",
    trials=trials,
    measures=measures,
    lacking=lacking,
)
