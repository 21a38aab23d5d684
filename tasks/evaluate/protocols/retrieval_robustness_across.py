"""Retrieval robustness over several systems: what the best of them knows unaided (arXiv 2505.21870, Figure 3)."""

from collections.abc import Iterator, Mapping

import numpy as np

from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.retrieval_robustness_cells import cells
from rarefy.tasks.evaluate.protocols.retrieval_robustness_measures import highest
from rarefy.tasks.evaluate.protocols.retrieval_robustness_trials import RetrievalRobustnessConfig
from rarefy.tasks.evaluate.statistics.measure import Derived, Figured


def across(frames: Mapping[str, Frame], config: RetrievalRobustnessConfig) -> Iterator[tuple[str, Figured]]:
    """The best closed-book performance of these systems, by system, which Figure 3 draws beside the gold recall.

    ValueError where the frames are of different questions.
    """
    if len({tuple(frame.questions) for frame in frames.values()}) > 1:
        raise ValueError(f"{', '.join(frames)}: evaluated on different questions, and so not to be set side by side")
    parts = []
    for frame in frames.values():
        closed = cells(frame, config.ks, config.orders, config.retrievers).closed
        everything = np.ones(len(frame.questions), dtype=bool)
        parts.append(closed.measure("closed-book performance", "all", everything, unit="questions"))
    if len(parts) > 1:
        note = "of the best system; chosen on these questions, so rather too high"
        yield ", ".join(frames), Derived("best closed-book performance", "all", tuple(parts), highest, note=note)
