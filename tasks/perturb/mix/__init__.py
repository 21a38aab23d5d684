"""Contexts mixed to order, and what a real retriever's contexts are made of (Magic Mushroom §4, Appendix A)."""

from rarefy.tasks.perturb.mix.build import mix
from rarefy.tasks.perturb.mix.classify import classify
from rarefy.tasks.perturb.mix.classify_config import ClassifyConfig
from rarefy.tasks.perturb.mix.config import CLASSES, GOLDEN, NOISE, MixConfig
from rarefy.tasks.perturb.mix.fit import Observed, observed, scenario_file
from rarefy.tasks.perturb.mix.fit import show as show_observed
from rarefy.tasks.perturb.mix.render import texts
from rarefy.tasks.perturb.mix.scenarios import SCENARIOS, Scenario, read_scenarios, scenario

__all__ = [
    "CLASSES",
    "GOLDEN",
    "NOISE",
    "SCENARIOS",
    "ClassifyConfig",
    "MixConfig",
    "Observed",
    "Scenario",
    "classify",
    "mix",
    "observed",
    "read_scenarios",
    "scenario",
    "scenario_file",
    "show_observed",
    "texts",
]

VERSION = 3  # words are told by their stems
