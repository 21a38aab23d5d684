"""Mix contexts of golden passages and noise, and classify the passages of real retrievers.

Variants of passages come in, contexts with known shares of each class go out; retrieved passages come in, their
classes and the retriever's mix go out (Magic Mushroom §4, Appendix A).
"""

from rarefy.tasks.perturb.mix.build import mix
from rarefy.tasks.perturb.mix.classify import ClassifyConfig, classify
from rarefy.tasks.perturb.mix.config import (
    CLASSES,
    GOLDEN,
    NOISE,
    SCENARIOS,
    MixConfig,
    Scenario,
    make_scenario,
    read_scenarios,
)
from rarefy.tasks.perturb.mix.fit import ObservedMix, measure_mix, render_observed, render_scenario_file
from rarefy.tasks.perturb.mix.pools import texts

__all__ = [
    "CLASSES",
    "GOLDEN",
    "NOISE",
    "SCENARIOS",
    "ClassifyConfig",
    "MixConfig",
    "ObservedMix",
    "Scenario",
    "classify",
    "make_scenario",
    "measure_mix",
    "mix",
    "read_scenarios",
    "render_observed",
    "render_scenario_file",
    "texts",
]

VERSION = 5  # no noise that states the same as gold, or a part of it; operands of a computed answer
