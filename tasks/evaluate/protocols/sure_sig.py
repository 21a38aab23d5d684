"""SIG: pairs on Golden documents that two systems are both unrobust on, and how others fare on them (SURE §4.3)."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.evaluate.protocols.frame import SLICES, Frame
from rarefy.tasks.evaluate.protocols.sure_measures import mean_of, rates
from rarefy.tasks.evaluate.protocols.sure_pairs import Pairs, pairs
from rarefy.tasks.evaluate.protocols.sure_trials import GOLDEN, SureConfig
from rarefy.tasks.evaluate.statistics.measure import Derived, Figured

if TYPE_CHECKING:
    import pandas as pd

KEY = ["question_id", "chunk_id", "perturbation", "number"]
COLUMNS = ("sig_id", "subset", "type", "perturbation", "question_id", "chunk_id", "before_id", "trial_id")


def sig(frames: Mapping[str, Frame], config: SureConfig) -> pa.Table:
    """The SIG pairs of two systems, a row each: COLUMNS, and what became of the pair in each of the two systems.

    `before_id` and `trial_id` are the trials with the document as it is and changed; C is 1 where the change lost the
    answer and −1 where it won it. At most `sig_size` per subset and perturbation, those of the smallest hash, so that
    a new question moves few picks. ValueError where there are no two systems.
    """
    first, second = chosen(frames, config)
    found = _both(pairs(frames[first], config), pairs(frames[second], config), config)
    picked = _picked(found, config)
    table = pa.table({name: pa.array(picked[name], pa.string()) for name in COLUMNS})
    for place, name in enumerate((first, second)):
        values = pa.array(picked[f"C_{place}"].astype(int), pa.int64())
        table = table.append_column(f"C of {name}", values)
    return table


def across(frames: Mapping[str, Frame], config: SureConfig) -> Iterator[tuple[str, Figured]]:
    """How much is unrobust for both of two systems, by type; and RR, WR, LR of every other system on the SIG pairs.

    Of the two themselves RR on SIG is 0 by its making, and is not told. Nothing where there is one system.
    """
    if len(frames) < 2:
        return
    first, second = chosen(frames, config)
    mine = {name: pairs(frame, config) for name, frame in frames.items()}
    both = _both(mine[first], mine[second], config)
    yield from ((f"{first}, {second}", one) for one in _shared(both, mine[first]))
    picked = _picked(both, config)
    wanted = set(zip(*(picked[name] for name in KEY), strict=True))
    for name, found in mine.items():
        if name not in (first, second):
            main = found.where(found.rows["main"].to_numpy())
            keys = zip(*(main.rows[column] for column in KEY), strict=True)
            yield from ((name, one) for one in _on(main.where(np.array([key in wanted for key in keys], dtype=bool))))


def chosen(frames: Mapping[str, Frame], config: SureConfig) -> tuple[str, str]:
    """The two systems; ValueError where there are no two, or one that was named was not evaluated."""
    names = config.sig_systems or tuple(sorted(frames)[:2])
    unknown = [name for name in names if name not in frames]
    if unknown:
        raise ValueError(f"protocols.sure.sig_systems: {unknown[0]!r} was not evaluated; have {', '.join(frames)}")
    if len(names) < 2:
        raise ValueError("SIG is taken from two systems; evaluate two")
    return names[0], names[1]


def _both(one: Pairs, other: Pairs, config: SureConfig) -> "pd.DataFrame":
    """The pairs on Golden documents that both systems were scored on, with the C of each and the subset."""
    sides = []
    for found in (one, other):
        rows = found.rows.assign(C=found.difference())
        rows = rows.astype(dict.fromkeys((*COLUMNS[1:], *SLICES), str))  # two systems' categories differ
        sides.append(rows[rows["main"] & (rows["cell"] == GOLDEN) & (rows["status"] == "scored")])
    columns = [*KEY, "subset", "C"]
    both = sides[0].merge(sides[1][columns], on=KEY, suffixes=("_0", "_1"), validate="1:1")
    same = both["subset_0"] == both["subset_1"]
    both["subset"] = both["subset_0"].where(same | (config.sig_split == "first"), "")
    both["unrobust"] = (both["C_0"] != 0) & (both["C_1"] != 0)
    return both


def _picked(both: "pd.DataFrame", config: SureConfig) -> "pd.DataFrame":
    """Those that are SIG."""
    found = both[both["unrobust"] & (both["subset"] != "")].copy()
    found["sig_id"] = [row_id("sig", *map(str, key)) for key in zip(*(found[name] for name in KEY), strict=True)]
    found = found.sort_values("sig_id", kind="stable")
    found = found.groupby(["subset", "perturbation"], sort=True).head(config.sig_size)
    return found.sort_values(["subset", "type", "perturbation", "sig_id"], kind="stable").reset_index(drop=True)


def _shared(both: "pd.DataFrame", of: Pairs) -> Iterator[Figured]:
    """The share of pairs that neither of two systems is robust on: what SIG can be taken from."""
    part = Pairs(both, of.frame)
    note = "of pairs on Golden documents that both were scored on"
    for name, mask in _masks(part):
        values = part.where(mask).rows["unrobust"].to_numpy(dtype=float)
        yield part.where(mask).mean("unrobust for both", name, values, limits=(1.0, 0.0), note=note)


def _masks(part: Pairs) -> Iterator[tuple[str, Any]]:
    yield "all", np.ones(len(part.rows), dtype=bool)
    for type_ in sorted(set(part.rows["type"])):
        yield f"type={type_}", (part.rows["type"] == type_).to_numpy()


def _on(part: Pairs) -> Iterator[Figured]:
    """RR, WR and LR on SIG: of all, of each perturbation, and of each type as the mean of its perturbations (radar)."""
    note = "on pairs that were unrobust for two other systems"
    yield from rates(part, "SIG", note=note)[:3]
    for type_ in dict.fromkeys(part.rows["type"]):
        rows = []
        of_type = part.where((part.rows["type"] == type_).to_numpy())
        for name in dict.fromkeys(of_type.rows["perturbation"]):
            row = of_type.where((of_type.rows["perturbation"] == name).to_numpy())
            rows.append(rates(row, f"SIG, perturbation={name}", note=note)[:3])
            yield from rows[-1]
        for parts in zip(*rows, strict=True):
            told = f"mean of its {len(parts)} perturbations, {note}"
            yield Derived(parts[0].metric, f"SIG, type={type_}", parts, mean_of, "pairs", note=told)
