"""Is more retrieved always better, and does its order matter? NDR, RSR, ROR (arXiv 2505.21870, papers.md §001)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, is_closed
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.evaluate.protocols.retrieval_robustness_trials import NAME, RetrievalRobustnessConfig, trials
from rarefy.tasks.evaluate.statistics.measure import Figured

__all__ = ["RETRIEVAL_ROBUSTNESS", "RetrievalRobustnessConfig", "across", "lacking", "measures", "rows_of", "trials"]


def measures(frame: Frame, config: RetrievalRobustnessConfig) -> Iterable[Figured]:
    """NDR, RSR, ROR and their geometric mean, oracle curves, and all that by k, order and retriever."""
    from rarefy.tasks.evaluate.protocols.retrieval_robustness_measures import measured

    return measured(frame, config)


def across(frames: Mapping[str, Frame], config: RetrievalRobustnessConfig) -> Iterator[tuple[str, Figured]]:
    """The best closed-book performance of several systems."""
    from rarefy.tasks.evaluate.protocols import retrieval_robustness_across

    return retrieval_robustness_across.across(frames, config)


def lacking(cases: list[QuestionVariants], config: RetrievalRobustnessConfig, takes: frozenset[str]) -> str:
    """Why nothing can be tried."""
    if "passages" not in takes:
        return "it gives each system the same passages, and none of these takes any"
    if not any((name, case.original.variant_id) in case.hits for case in cases for name in config.retrievers):
        return f"nothing was retrieved by {' or '.join(config.retrievers)} for the original questions"
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows that a number is of: those with passages, or those without."""
    closed = "closed-book" in metric or is_closed(names)
    without: Mask = rows.columns["given"].among("closed_book")
    return without if closed else ~without


RETRIEVAL_ROBUSTNESS = Protocol(
    name=NAME,
    title="Retrieval robustness",
    paper="2505.21870",
    config=RetrievalRobustnessConfig,
    refusal="",  # rag_qa.j2: "You must not refrain from answering the question"
    contained=False,
    judge="retrieval_robustness",
    trials=trials,
    measures=measures,
    lacking=lacking,
    across=across,
    display=Display(
        metrics=("geometric mean", "NDR", "RSR", "ROR", "performance"),
        main=("geometric mean", "performance"),
        beside=("NDR", "RSR", "ROR"),
        rows=rows_of,
    ),
)
