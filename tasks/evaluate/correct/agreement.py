"""How far a judge agrees with itself: the same answers judged several times (field ask 9: same input, other score)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rarefy.tasks.questions.grade.agreement import Agreement, kappa


@dataclass(frozen=True, slots=True)
class Repeats:
    """Rounds of one judge over the same answers."""

    answers: int  # judged more than once
    alike: int  # in all rounds the same
    kappas: tuple[Agreement, ...]  # of the first round with each other one

    def __str__(self) -> str:
        told = [f"{self.alike:,} of {self.answers:,} answers judged alike in all rounds"]
        for one in self.kappas:
            value = f"kappa {one.kappa:.2f}" if one.kappa is not None else f"kappa not defined ({one.undefined})"
            told.append(f"{one.between[0]} with {one.between[1]}: {value}")
        return "; ".join(told)


def agreement(votes: Iterable[Sequence[float]]) -> Repeats | None:
    """What the rounds of a judge say of it; None where nothing was judged twice.

    `votes` are those of `Score.votes`. Equal answers share one judgement, so that each counts as often as it was given.
    """
    several = [tuple(one) for one in votes if len(one) > 1]
    if not several:
        return None
    rounds = max(map(len, several))
    kappas = []
    for other in range(1, rounds):
        pairs = [(round(one[0] * 1000), round(one[other] * 1000)) for one in several if len(one) > other]
        kappas.append(kappa(pairs, between=("round 1", f"round {other + 1}"), of="correctness"))
    return Repeats(len(several), sum(len(set(one)) == 1 for one in several), tuple(kappas))
