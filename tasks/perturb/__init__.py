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

VERSION = 8  # off the topic is read by stems of whole words: "intermeeting" is no meeting
