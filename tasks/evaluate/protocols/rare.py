"""RARE-Met: right, or rightly refused, whatever was done to question and passages? (arXiv 2506.00789)."""

from collections.abc import Sequence

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows
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


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows that a number is of; `include_original` counts originals in its robustness to queries and documents."""
    name = metric.lower()
    cell, query = rows.columns["cell"], rows.columns["query"]
    originals = bool(rows.options.get("include_original", False))
    if name.startswith("known"):
        return rows.columns["given"].among("closed_book")
    if name.startswith("query robustness"):
        return cell.among("gold") & (originals | ~query.among("none"))
    if name.startswith("document robustness"):
        changed = cell.among("lexical_similar", "lexical_different")
        return query.among("none") & (changed | (cell.among("gold") & originals))
    if name.startswith("real-world retrieval robustness, all"):
        return cell.among("retrieved")
    if name.startswith("real-world"):
        return cell.among("retrieved") & query.among("none")
    return ~cell.among("probe")


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
    display=Display(
        metrics=(
            "Overall Robustness",
            "Query Robustness",
            "Document Robustness",
            "Real-World Retrieval Robustness",
        ),
        main=("Overall Robustness",),
        beside=("Overall Robustness: refusal rate", "Overall Robustness: correct"),
        unchanged=("gold",),
        rows=rows_of,
    ),
)
