"""Perturb questions, gold chunks and the passages around them, and check each variant.

Questions and chunks come in; variants go out, kept or rejected with a reason (RARE, SURE, Magic Mushroom, IBM).
"""

from rarefy.tasks.perturb.case import Case, Draft, Make, Move
from rarefy.tasks.perturb.catalogue import CATALOGUE, Perturbation, choose_perturbations
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.vary import vary, vary_with_similarities

__all__ = [
    "CATALOGUE",
    "Case",
    "Draft",
    "Make",
    "Move",
    "PerturbConfig",
    "Perturbation",
    "choose_perturbations",
    "vary",
    "vary_with_similarities",
]

VERSION = 20  # what is offered the other way round; "what ... was" of a whole noun phrase
