"""How many passages of each class: whole numbers that always sum (Magic Mushroom §4.1, F.1)."""

from collections.abc import Mapping
from fractions import Fraction

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.perturb.mix.config import NATURAL, NATURALLY, NOISE


def noise_of(k: int, ratio: float) -> int:
    """How many of `k` passages are noise: k · ratio, halves to the noise; between 0 and 1 at least one of each."""
    exact = Fraction(str(ratio)) * k
    count = int(exact + Fraction(1, 2))
    return min(max(count, 1), k - 1) if 0 < ratio < 1 and k > 1 else count


def weights(mix: str) -> dict[str, Fraction]:
    """The shares of the classes of noise in a mix, summing to 1; ValueError for one that says nothing."""
    if mix == NATURALLY:
        found = {name: Fraction(count) for name, count in NATURAL.items()}
    elif mix in NOISE:
        found = {mix: Fraction(1)}
    else:
        found = _vector(mix)
    total = sum(found.values())
    return {name: share / total for name, share in found.items() if share}


def _vector(mix: str) -> dict[str, Fraction]:
    parts = mix.split(":")
    try:
        numbers = [Fraction(part.strip()) for part in parts]
    except (ValueError, ZeroDivisionError):
        numbers = []
    if len(numbers) != len(NOISE) or min(numbers, default=-1) < 0 or not any(numbers):
        raise ValueError(
            f"no mix {mix!r}; have {NATURALLY}, {', '.join(NOISE)}, or {len(NOISE)} numbers for these in this order, "
            'as "3:1:1:2"'
        )
    return dict(zip(NOISE, numbers, strict=True))


def apportioned(count: int, shares: Mapping[str, Fraction], *seed: str | int) -> dict[str, int]:
    """`count` places by largest remainder; of equal remainders the seed decides, so that no class is favoured."""
    exact = {name: share * count for name, share in shares.items()}
    found = {name: int(share) for name, share in exact.items()}
    first = sorted(exact, key=lambda name: (found[name] - exact[name], row_id("tie", name, *seed)))
    for name in first[: count - sum(found.values())]:
        found[name] += 1
    return found


def drawn(count: int, *seed: str | int) -> list[str]:
    """The classes of `count` passages of noise in the order in which they are drawn: fewer are the first of more.

    Drawn blindly from 10 + 7 + 7 + 7 places, as in Magic Mushroom: one question has more of this class and another of
    that, and over many questions each has its share, even where each has a single passage of noise.
    """
    places = [(name, at) for name, size in NATURAL.items() for at in range(size)]
    places.sort(key=lambda place: row_id("draw", *place, *seed))
    return [places[at % len(places)][0] for at in range(count)]  # over again, should anyone want more than 31


def needed(count: int, mix: str, *seed: str | int) -> dict[str, int]:
    """How many of each class `count` passages of noise are."""
    if mix != NATURALLY:
        return apportioned(count, weights(mix), *seed)
    names = drawn(count, *seed)
    return {name: names.count(name) for name in NATURAL}
