"""The roles A, B, C in a path: ends, one of which is the answer, and pivots, which stay unnamed (RARE R20)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.find import find


@dataclass(frozen=True, slots=True)
class End:
    """A name at an outer end of a path: a question gives all of them but one, which is the answer."""

    letter: str
    triplet: Triplet
    head: bool  # the triplet's subject; else its object

    @property
    def name(self) -> str:
        """What the triplet calls it."""
        return self.triplet.subject if self.head else self.triplet.object


@dataclass(frozen=True, slots=True)
class Roles:
    """`letters[i]` are those of the i-th triplet's subject and object; likelier answers stand last in `ends`."""

    letters: tuple[tuple[str, str], ...]
    ends: tuple[End, ...]
    pivots: tuple[str, ...]  # every name by which the path's triplets call its pivots


def path_roles(pattern: str, triplets: Sequence[Triplet]) -> Roles:
    """The roles in a path of any number of triplets."""
    roles: Roles = find(pattern, ROLES)(triplets)
    return roles


def single(triplets: Sequence[Triplet]) -> Roles:
    """A – C: nothing stands between."""
    fact = triplets[0]
    return Roles((("A", "C"),), (End("A", fact, True), End("C", fact, False)), ())


def chain(triplets: Sequence[Triplet]) -> Roles:
    """A → B → C, with B1, B2, ... in longer ones."""
    inner = _numbered("B", len(triplets) - 1)
    pairs = tuple(zip(("A", *inner), (*inner, "C"), strict=True))
    pivots = [name for one, two in pairwise(triplets) for name in (one.object, two.subject)]
    return Roles(pairs, (End("A", triplets[0], True), End("C", triplets[-1], False)), tuple(dict.fromkeys(pivots)))


def star(triplets: Sequence[Triplet]) -> Roles:
    """A ← B → C, with A1, A2, ... in larger ones."""
    ends = _outer_ends(triplets, head=False)
    return Roles(tuple(("B", end.letter) for end in ends), ends, tuple(dict.fromkeys(t.subject for t in triplets)))


def inverted_star(triplets: Sequence[Triplet]) -> Roles:
    """A → B ← C, with A1, A2, ... in larger ones."""
    ends = _outer_ends(triplets, head=True)
    return Roles(tuple((end.letter, "B") for end in ends), ends, tuple(dict.fromkeys(t.object for t in triplets)))


ROLES: dict[str, Callable[[Sequence[Triplet]], Roles]] = {f.__name__: f for f in (single, chain, star, inverted_star)}


def _outer_ends(triplets: Sequence[Triplet], head: bool) -> tuple[End, ...]:
    letters = (*_numbered("A", len(triplets) - 1), "C")
    return tuple(End(letter, triplet, head) for letter, triplet in zip(letters, triplets, strict=True))


def _numbered(letter: str, count: int) -> tuple[str, ...]:
    return (letter,) if count == 1 else tuple(f"{letter}{n}" for n in range(1, count + 1))
