"""SURE: does an answer survive a change of its document that does not matter? (arXiv 2503.05587, papers.md §000)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.evaluate.protocols.sure_trials import GOLDEN, NAME, NOISE, PROBE, SureConfig, asked, trials, wanted
from rarefy.tasks.evaluate.statistics.measure import Figured

__all__ = ["SURE", "SureConfig", "across", "lacking", "measures", "rows_of", "trials"]


def measures(frame: Frame, config: SureConfig) -> Iterable[Figured]:
    """RR, WR, LR with base accuracy by subtype, type and subset, the radar's data, and answer-level consistency."""
    from rarefy.tasks.evaluate.protocols.sure_measures import measured

    return measured(frame, config)


def across(frames: Mapping[str, Frame], config: SureConfig) -> Iterator[tuple[str, Figured]]:
    """What two systems are both unrobust on, and how the others fare on that (SIG)."""
    from rarefy.tasks.evaluate.protocols import sure_sig

    return sure_sig.across(frames, config)


def lacking(cases: list[QuestionVariants], config: SureConfig, takes: frozenset[str]) -> str:
    """Why nothing can be tried."""
    if "passages" not in takes:
        return "it puts one document into each prompt, and none of these systems takes passages"
    names = wanted(config)
    if not any(case.changed(name) for case in cases for name in names):
        return f"the benchmark holds no document changed by any of {', '.join(names)}"
    if not any(asked(case, config) for case in cases):
        return 'all questions have several gold chunks; protocols.sure.multi_hop = "by_answer" asks them all the same'
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows that a number is of: changed documents."""
    return ~rows.columns["document"].among("none", "") & ~rows.columns["cell"].among(PROBE)


SURE = Protocol(
    name=NAME,
    title="SURE: spurious features",
    paper="2503.05587",
    config=SureConfig,
    refusal="NO-RES",
    contained=True,
    judge="",
    trials=trials,
    measures=measures,
    lacking=lacking,
    across=across,
    display=Display(
        metrics=("RR", "WR", "LR", "base accuracy", "perturbed accuracy"),
        main=("RR",),
        beside=("WR", "LR", "base accuracy", "perturbed accuracy"),
        unchanged=(GOLDEN, NOISE),
        rows=rows_of,
    ),
)
