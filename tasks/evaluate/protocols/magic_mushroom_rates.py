"""What retrieval did to each answer: H, C and R, and that they sum (arXiv 2506.03901 F.3; papers.md M17)."""

from typing import Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
NEAR = 1e-9


def rates(
    without: Array, within: Array, abstained: npt.NDArray[np.bool_], confusion: Literal["count", "degree"] = "count"
) -> tuple[Array, Array, Array]:
    """H, C and R of each answer, from its Cor. without passages and with them, and whether it abstained with them.

    R = max(0, c1 - c0). C, where it abstained: 1 where c0 = 1 (count), or max(0, c0 - c1) (degree). H = max(0, c0 - c1)
    less what C has of it. c1 - c0 = R - H - C holds for every answer, else ValueError: an abstention has c1 = 0. NaN
    where either score is.
    """
    lost, rectified = np.maximum(0, without - within), np.maximum(0, within - without)
    counted = abstained & (without == 1) if confusion == "count" else abstained
    confused = np.where(counted, 1.0 if confusion == "count" else lost, 0.0)
    confused = np.where(np.isnan(lost), np.nan, confused)
    hallucinated = np.where(counted, np.where(np.isnan(lost), np.nan, 0.0), lost)
    off = np.abs((within - without) - (rectified - hallucinated - confused))
    wrong = int((off > NEAR).sum())
    if wrong:
        raise ValueError(
            f"Cor(RAG) - Cor(NoRAG) is not R - H - C for {wrong} of {len(off)} answers: an abstention must have Cor. 0"
        )
    return hallucinated, confused, rectified
