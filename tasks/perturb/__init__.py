"""Perturbations that prove they kept what they should, and the noise that contexts are mixed of (the five papers)."""

from rarefy.tasks.perturb.case import Case, Draft, Make, Move
from rarefy.tasks.perturb.catalogue import CATALOGUE, chosen
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.vary import vary, vary_with_similarities

__all__ = [
    "CATALOGUE",
    "Case",
    "Draft",
    "Make",
    "Move",
    "PerturbConfig",
    "Perturbation",
    "chosen",
    "vary",
    "vary_with_similarities",
]

VERSION = 9  # what a counterfactual changes is a quantity of tasks.text; a topic is stems of whole words
