"""What a reader works out where a figure is gone: a total from its parts, a part from its total, growth from its base.

RARE §5.2 deletes the sentences that hold the answer; a passage that still adds up to it has not lost it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from math import log10

from rarefy.tasks.text import quantities
from rarefy.tasks.text.notations import Number, numbers, same

LONGEST = 40  # rows that one total is taken to be the sum of, at most: the longest statements of cash flows
MIXED = 4  # rows at most that are tried with every sign: more fit by accident
CLEAR = 1_000  # units of its last place from which on a total may be one or two off its parts, as rounding leaves it
EXACT = 30  # below so many units of the last place, sums fit by accident
SHARE = 0.006  # of a figure: so far off may be what whole per cents of a rounded base make
TRIED = (60, 40, 20)  # rows, the nearest to the answer first, of which one, two, three are taken: some 1,000 tries each

AROUND = (
    150  # rows before and after the answer's that are looked at: a longer table is a data file, which adds up rarely
)

_CELL = re.compile(r"(?<!\\)\|")
_CHANGE = re.compile(
    r"\b(?:increas|decreas|grew|grow|rose|ris|fell|fall|declin|compared|versus|from|up|down|higher|lower|less|more"
    r"|plus|minus|net of|remain|consist|compris|includ|total)", re.IGNORECASE,
)  # fmt: skip

Relation = frozenset[int]
"""Rows each of which follows from the others."""


def cells(row: str) -> list[str]:
    """The cells of a row of a Markdown table."""
    return _CELL.split(row.strip().removeprefix("|").removesuffix("|"))


def value(cell: str) -> float | None:
    """The figure of a cell, negative in parentheses or after a minus; None of words, shares, dates and dashes."""
    one = quantities.number(cell.strip())
    return float(one.value) if one and one.kind in ("money", "bare") and not one.worded else None


def besides(rows: Sequence[str], gone: set[int], answers: set[int], columns: Iterable[int]) -> set[int] | None:
    """Rows to take out as well, so that none of `answers` (of those that are gone) follows from what is left in one of
    these columns; None where not even three more would do."""
    low = max(min(answers) - AROUND, 0)
    table = [cells(row) for row in rows[low : max(answers) + AROUND]] if max(answers) - low <= 2 * AROUND else []
    gone, answers = {i - low for i in gone}, {i - low for i in answers}
    extra: set[int] = set()
    for column in columns:
        figures = [value(row[column]) if column < len(row) else None for row in table]
        found = _hidden(relations(figures), gone | extra, answers, figures)
        if found is None:
            return None
        extra |= found
    return {i + low for i in extra}


def relations(figures: Sequence[float | None]) -> list[Relation]:
    """Which rows of a column add up to which others: totals below their parts or above them, and equal figures."""
    known = {i: figure for i, figure in enumerate(figures) if figure}
    unit = min((_place(figure) for figure in known.values()), default=1.0)
    found = set(_totals(known, sorted(known), unit, signs=True)) | set(_totals(known, sorted(known)[::-1], unit, False))
    equal: dict[float, list[int]] = {}
    for i, figure in known.items():
        if abs(figure) >= CLEAR * unit:
            equal.setdefault(abs(figure), []).append(i)
    found |= {frozenset(pair) for same_ in equal.values() for pair in combinations(same_[:10], 2)}
    return sorted(found, key=sorted)


def told(sentence: str, answers: Iterable[str]) -> bool:
    """Does a sentence that speaks of a change, or of parts, give figures that make the answer?"""
    if not _CHANGE.search(sentence):
        return False
    sought = [found[0] for found in map(numbers, answers) if len(found) == 1 and len(found[0].figures) > 2]
    if not sought:
        return False
    given = [number for number in numbers(sentence) if not number.year][:12]
    made = list(_made(given))
    shares, bases = [n for n in given if n.percent], [n for n in given if not n.percent]
    return any(same(wanted, number, 3) for wanted in sought for number in made) or any(
        _grew(wanted, base, share) for wanted in sought for base in bases for share in shares
    )


def _totals(known: dict[int, float], order: Sequence[int], unit: float, signs: bool) -> Iterator[Relation]:
    """Read in this order, what is the sum of rows not yet summed up; these are then one with their total."""
    open_: list[int] = []
    for i in order:
        total, folded = known[i], 0
        for k in range(2, min(len(open_), LONGEST) + 1):
            parts = [known[j] for j in open_[-k:]]
            plain = _adds_up(parts, total, unit)
            rest = signs and _is(parts[0] - sum(parts[1:]), total, unit, False)
            if plain or rest:
                yield frozenset((i, *open_[-k:]))
                # a part of a balance sheet is the rest of all of it, but no total that the next is made of
                folded = folded or (k if plain or k <= MIXED else 0)
        for k in range(2, min(len(open_), MIXED) + 1 if signs and not folded else 0):
            parts = [known[j] for j in open_[-k:]]
            ways = (sum(s * p for s, p in zip(way, parts, strict=True)) for way in product((1, -1), repeat=k))
            if any(_is(made, total, unit, False) for made in ways):
                yield frozenset((i, *open_[-k:]))
                break
        if folded:
            del open_[-folded:]
        open_.append(i)


def _adds_up(parts: Sequence[float], total: float, unit: float) -> bool:
    return _is(sum(parts), total, unit, True) or _is(sum(map(abs, parts)), total, unit, False)


def _is(made: float, total: float, unit: float, rounded: bool) -> bool:
    """Is this the total, whatever its sign?"""
    if abs(total) < EXACT * unit:
        return False
    off = abs(abs(made) - abs(total))
    return off < unit / 2 or (rounded and made * total > 0 and abs(total) >= CLEAR * unit and off < 2.5 * unit)


def _hidden(
    known: Sequence[Relation], gone: set[int], answers: set[int], figures: Sequence[float | None]
) -> set[int] | None:
    """The fewest rows besides those gone without which no answer follows."""
    if not _follows(known, gone, answers):
        return set()
    beside = {i for relation in known if relation & answers for i in relation}
    totals = {max(relation) for relation in known if relation & answers}
    candidates = sorted(
        {i for relation in known for i in relation} - gone,
        key=lambda i: (i not in beside, i not in totals, -abs(figures[i] or 0), i),  # its total, or its weightiest part
    )
    for size, tried in enumerate(TRIED, 1):
        for extra in combinations(candidates[:tried], size):
            if not _follows(known, gone.union(extra), answers):
                return set(extra)
    return None


def _follows(known: Sequence[Relation], gone: set[int], answers: set[int]) -> bool:
    """Can one of the answers be worked out, step by step, without the rows that are gone?"""
    unknown = set(gone)
    while True:
        solved = {next(iter(lacking)) for relation in known if len(lacking := relation & unknown) == 1}
        if solved & answers:
            return True
        if not solved:
            return False
        unknown -= solved


def _place(figure: float) -> float:
    """The last place that a figure shows."""
    return 1.0 if figure == int(figure) else 10.0 ** -len(f"{figure:.6f}".rstrip("0").partition(".")[2])


def _made(given: Sequence[Number]) -> Iterator[Number]:
    """Sums and differences of two figures of one scale."""
    for one, other in combinations(given, 2):
        if one.scale == other.scale and one.percent == other.percent and not one.percent:
            made = (_amount(one) + _amount(other), abs(_amount(one) - _amount(other)))
            yield from filter(None, (_number(amount, one.scale) for amount in made))


def _grew(wanted: Number, base: Number, share: Number) -> bool:
    """Is it the base, larger or smaller by the share, whatever thousands the two are counted in?"""
    ratio = _amount(wanted) / _amount(base)
    for expected in (1 + _amount(share) / 100, 1 - _amount(share) / 100):
        if expected > 0:
            times = ratio / expected
            if abs(times / 1000 ** round(log10(times) / 3) - 1) < SHARE:
                return True
    return False


def _amount(number: Number) -> float:
    return float(f"{number.figures}e{number.power - len(number.figures)}")


def _number(amount: float, scale: int) -> Number | None:
    """A number of so much, but for what arithmetic adds beyond 12 digits; None of nothing."""
    if amount < 1e-9:
        return None
    mantissa, _, exponent = f"{amount:.11e}".partition("e")
    return Number(mantissa.replace(".", "").rstrip("0"), int(exponent) + 1, scale, percent=False, year=False)
