"""RR, WR and LR of a system by subtype, type and subset, with base accuracy beside (SURE Table 2, Figure 4, §3.6)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rarefy.tasks.evaluate.protocols.frame import SLICES, Frame
from rarefy.tasks.evaluate.protocols.sure_pairs import SUBSETS, Pairs, pairs
from rarefy.tasks.evaluate.protocols.sure_trials import GOLDEN, NOISE, SureConfig
from rarefy.tasks.evaluate.statistics.measure import Derived, Figured, Measure

RR, WR, LR = "RR", "WR", "LR"
BASE, AFTER, SAME = "base accuracy", "perturbed accuracy", "same answer"
# which way is better: fewer lost, more of all else
LIMITS = {RR: (0.0, 1.0), WR: (0.0, 1.0), LR: (1.0, 0.0)}
GOLDENS = "of Golden documents (K-G and U-G)"
INFLATED = "RR is inflated on noise: both answers are wrong"


def mean_of(*values: Any) -> Any:
    """The mean of numbers, or of arrays of draws."""
    return sum(values[1:], start=values[0]) / len(values)


def measured(frame: Frame, config: SureConfig) -> Iterator[Figured]:
    """All numbers of one system; without "subset=" they are of Golden documents alone, as the paper's main results."""
    found = pairs(frame, config)
    main = found.where(found.rows["main"].to_numpy())
    golden = main.where((main.rows["cell"] == GOLDEN).to_numpy())
    yield from rates(golden, "all", headline=True, note="; ".join(filter(None, (GOLDENS, _unsplit(golden)))))
    yield from _extras(golden, "all")
    for subset, part in _subsets(main):
        yield from rates(part, f"subset={subset}", note=_note(subset, main))
        yield from _extras(part, f"subset={subset}")
    yield from _by_question(golden)
    yield from _table(main, "")
    other = found.where(~found.rows["main"].to_numpy())
    for against in sorted(set(other.rows["against"])):
        yield from _table(other.where((other.rows["against"] == against).to_numpy()), f", against={_called(against)}")


def _called(against: str) -> str:
    return "plain" if against == "none" else against


def _subsets(part: Pairs) -> Iterator[tuple[str, Pairs]]:
    """K-G to U-N, all noise, and all of it, which is the mean of the four weighted by their pairs (Table 2, Total)."""
    for subset in SUBSETS:
        yield subset, part.where((part.rows["subset"] == subset).to_numpy())
    yield "noise", part.where((part.rows["cell"] == NOISE).to_numpy())
    yield "total", part


def _note(subset: str, part: Pairs) -> str:
    if subset in SUBSETS:
        side = GOLDEN if subset.endswith("G") else NOISE
        lost = _unsplit(part.where((part.rows["cell"] == side).to_numpy()))
        return "; ".join(filter(None, (INFLATED if subset.endswith("N") else "", lost)))
    if subset == "noise":
        return INFLATED
    if not (part.rows["cell"] == NOISE).any():
        return "of Golden documents alone: there are no Noise documents"
    lost = _unsplit(part)
    every = "every pair counts once" + (
        "" if lost else ", so that it is the mean of the subsets weighted by their pairs"
    )
    return "; ".join(filter(None, (every, lost)))


def _unsplit(part: Pairs) -> str:
    """How many pairs are in no subset, as the closed-book probe of their questions has no score."""
    lost = int(((part.rows["subset"] == "") & (part.rows["status"] == "scored")).sum())
    return f"{lost:,} scored pairs are neither K nor U: their closed-book probe has no score" if lost else ""


def rates(part: Pairs, slice_: str, headline: bool = False, note: str = "") -> tuple[Measure, ...]:
    """RR, WR, LR and base accuracy of these pairs; perturbed accuracy is the last plus WR less LR.

    RR + WR + LR = 1 of every question, or ArithmeticError.
    """
    change = part.difference()
    none = np.isnan(change)
    three = []
    for name, wanted in ((RR, 0.0), (WR, -1.0), (LR, 1.0)):
        values = np.where(none, np.nan, change == wanted)
        three.append(part.mean(name, slice_, values, limits=LIMITS[name], headline=headline, note=note))
    if not np.array_equal(sum(one.numerator for one in three), three[0].denominator):
        raise ArithmeticError(f"SURE, {slice_}: RR + WR + LR is not 1")
    told = "of the unchanged documents of the pairs" if headline else ""
    return (*three, part.mean(BASE, slice_, part.rows["before"], headline=headline, note=told))


def _extras(part: Pairs, slice_: str) -> Iterator[Measure]:
    """Accuracy with the change, and answer-level consistency."""
    yield part.mean(AFTER, slice_, part.rows["after"])
    note = "the same words before and after, right or wrong; not in the paper"
    yield part.mean(SAME, slice_, part.rows["same"], note=note)


def _by_question(golden: Pairs) -> Iterator[Measure]:
    """By what is said of the questions."""
    for column in SLICES:
        values = sorted(set(golden.rows[column].dropna()) - {""})
        for value in values if len(values) > 1 else ():
            yield from rates(golden.where((golden.rows[column] == value).to_numpy()), f"{column}={value}")


def _table(part: Pairs, suffix: str) -> Iterator[Figured]:
    """Table 2: a row per perturbation, and per type the mean of its rows; by subset, and of all Golden documents."""
    names = list(dict.fromkeys(part.rows["perturbation"]))
    of = dict(zip(part.rows["perturbation"], part.rows["type"], strict=True))
    columns = [("", part.where((part.rows["cell"] == GOLDEN).to_numpy()))]
    columns += [(subset, column) for subset, column in _subsets(part) if subset != "noise"]
    for subset, column in columns:
        named = f", subset={subset}" if subset else ""
        note = _note(subset, part) if subset else GOLDENS
        by_type: dict[str, list[tuple[Measure, ...]]] = {}
        for name in names:
            row = column.where((column.rows["perturbation"] == name).to_numpy())
            numbers = rates(row, f"perturbation={name}{named}{suffix}", note=note)
            yield from numbers
            if not subset:
                yield from _extras(row, f"perturbation={name}{suffix}")
            if (row.rows["status"] != "skipped").any():
                by_type.setdefault(of[name], []).append(numbers)
        for type_, rows in by_type.items():
            yield from _means(rows, f"type={type_}{named}{suffix}", note)


def _means(rows: Sequence[tuple[Measure, ...]], slice_: str, note: str) -> Iterator[Derived]:
    """The unweighted mean of the rows of a type (§4.3): the radar's data."""
    for parts in zip(*rows, strict=True):
        told = f"mean of its {len(parts)} perturbations; {note}"
        yield Derived(parts[0].metric, slice_, tuple(parts), mean_of, unit="pairs", note=told)
