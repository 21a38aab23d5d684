"""Perturbations from outside the package, as tests name them: `makers:function`."""

from collections.abc import Iterator
from random import Random

from rarefy.tasks.perturb import Case, Draft, Move, PerturbConfig


def nothing(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """No draft at all."""
    yield from ()


def numbered(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Any number of drafts: the text with 1, 2, ... behind it."""
    number = 0
    while True:
        number += 1
        yield Draft(f"{case.text} {number}", (Move(0, len(case.text), 0),), detail=f"{number} behind it")


def same_again(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """One draft, many times."""
    for _ in range(1000):
        yield Draft(case.text + " again")


def drawn(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A number that the case's own random draws."""
    yield Draft(f"{case.text} {random.random()}")


def refused(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A draft that its maker takes back."""
    yield Draft(case.text[:3], refused="too_short", detail="three letters")


def only_first(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A draft for chunk c1, none for others."""
    if case.chunk_id == "c1":
        yield Draft(case.text + " first")


def words(case: Case, config: PerturbConfig, random: Random) -> Iterator[str]:
    """Texts where drafts are wanted."""
    yield case.text.upper()
