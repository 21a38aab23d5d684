"""Measures for the tests of statistics, and published tables as they are printed."""

import numpy as np

from rarefy.tasks.evaluate.statistics.measure import Counts, Measure

# SURE (arXiv 2503.05587v1), Tables 3 and 4: statistic and p at 2,658 and 2,658, experimental group, then control
KS = {
    "mistral": [
        (0.0677, "1.01e-05", 0.0301, "0.1799"),
        (0.0756, "4.95e-07", 0.0203, "0.6431"),
        (0.0636, "4.29e-05", 0.0124, "0.9866"),
        (0.0722, "1.88e-06", 0.0162, "0.8776"),
        (0.1708, "2.91e-34", 0.0256, "0.3493"),
    ],
    "llama": [
        (0.0305, "0.1694", 0.0173, "0.8210"),
        (0.0798, "8.94e-08", 0.0327, "0.1159"),
        (0.0474, "0.0051", 0.0203, "0.6431"),
        (0.0538, "0.0009", 0.0181, "0.7791"),
        (0.1275, "2.99e-19", 0.0188, "0.7349"),
    ],
}

# RARE (arXiv 2506.00789), Table 5, overall
OVERALL = {
    "Llama-3.2-11B": 0.627,
    "Llama-3.2-90B": 0.782,
    "Qwen3-4B": 0.665,
    "Qwen3-8B": 0.698,
    "Qwen3-32B": 0.664,
    "GPT-4.1-nano": 0.589,
    "GPT-4.1-mini": 0.646,
    "GPT-4.1": 0.675,
}
# RARE, Appendix G.3: Z of the first against the second
Z = [
    ("GPT-4.1", "Qwen3-32B", 6.312),
    ("GPT-4.1", "Qwen3-4B", 5.987),
    ("GPT-4.1", "Qwen3-8B", -15.300),
    ("Qwen3-32B", "GPT-4.1-mini", 11.772),
    ("Qwen3-32B", "GPT-4.1-nano", 46.655),
    ("Qwen3-4B", "GPT-4.1-mini", 12.096),
    ("Qwen3-4B", "GPT-4.1-nano", 46.978),
    ("Qwen3-8B", "GPT-4.1-mini", 33.362),
    ("Qwen3-8B", "GPT-4.1-nano", 68.138),
    ("Llama-3.2-90B", "Qwen3-32B", 79.336),
    ("Llama-3.2-90B", "Qwen3-4B", 79.016),
    ("Llama-3.2-90B", "Qwen3-8B", 57.961),
    ("Qwen3-32B", "Llama-3.2-11B", 23.295),
    ("Qwen3-4B", "Llama-3.2-11B", 23.620),
    ("Qwen3-8B", "Llama-3.2-11B", 44.860),
    ("GPT-4.1", "Llama-3.2-11B", 29.599),
    ("Llama-3.2-11B", "GPT-4.1-mini", -11.529),
    ("Llama-3.2-11B", "GPT-4.1-nano", 23.402),
    ("Llama-3.2-90B", "GPT-4.1", 73.107),
    ("Llama-3.2-90B", "GPT-4.1-mini", 90.924),
    ("Llama-3.2-90B", "GPT-4.1-nano", 125.065),
]


def measured(above, below, metric="overall", slice_="all", **told) -> Measure:
    """A measure of these sums; its units are the sum of the denominators where none are told."""
    under = np.asarray(below, dtype=float)
    counts = told.pop("counts", None) or Counts(scored=int(under.sum()))
    return Measure(metric, slice_, np.asarray(above, dtype=float), under, counts, **told)


def shares(seed: int, questions: int, cells: int = 6, mean: float = 0.7, spread: float = 3.0):
    """Right answers of each question out of `cells`, questions differing in how hard they are."""
    random = np.random.default_rng(seed)
    hard = random.beta(mean * spread, (1 - mean) * spread, questions)
    return random.binomial(cells, hard).astype(float), np.full(questions, float(cells))
