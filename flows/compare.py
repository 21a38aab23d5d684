"""Two results side by side: is this system better than that one, on the trials that both were scored in?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rarefy.flows.faults import Fault, RegressionFault, UsageFault
from rarefy.flows.sides import Side, differing, documents, frames_of, options, shared_protocols, side, unlike
from rarefy.tasks.protocols.frame import QUESTION, Frame
from rarefy.tasks.statistics.compare import WHOLE, Difference, differences, judged
from rarefy.tasks.statistics.config import StatisticsConfig
from rarefy.tasks.statistics.gate import broken, parsed
from rarefy.tasks.statistics.measure import Figured
from rarefy.tasks.statistics.paired import mcnemar


@dataclass(frozen=True)
class Paired:
    """Which trials of a protocol are compared, and how their correctness changed, trial by trial."""

    protocol: str
    first: int  # trials that it was put, skipped ones left out
    second: int
    shared: int  # put to both
    scored_first: int  # of the shared ones
    scored_second: int
    common: int  # scored on both sides: what is compared
    questions: int  # of the shared ones
    won: int = 0  # trials that were wrong and are right
    lost: int = 0
    exact: float | None = None  # McNemar, every trial taken for independent: as is usual, and too sure
    chi2: float | None = None


@dataclass(frozen=True)
class Comparison:
    """The second side against the first."""

    first: Side
    second: Side
    paired: tuple[Paired, ...]
    differences: tuple[Difference, ...]  # headlines first
    remarks: tuple[str, ...]  # what else is not the same on both sides
    config: StatisticsConfig


def compare(
    a: Path,
    b: Path,
    *,
    config: StatisticsConfig,
    systems: Sequence[str] = (),
    protocols: Sequence[str] = (),
    anyway: bool = False,
) -> Comparison:
    """What changed from the result in folder `a` to that in `b`: headlines with their slices, and every other number.

    `systems`: none where each folder has one, one for both folders, or one for each; `a` and `b` may be one folder.
    UsageFault where there is nothing to compare, or where the sides were not judged or added up alike and `anyway` is
    not set; with it the options of `b` add up both.
    """
    from rarefy.tasks.protocols import PROTOCOLS  # late: the protocols' own modules

    if len(systems) > 2:
        raise UsageFault(f"two systems can be compared, not {len(systems)}: --system once for both results, or twice")
    first, second = side(a, systems[:1]), side(b, systems[-1:])
    wanted = shared_protocols(first, second, protocols)
    odd = unlike(first, second, wanted)
    if odd and not anyway:
        way_out = "Make one of them again with the same options (`rarefy rescore` asks no system anew), or add --anyway"
        raise UsageFault("the results were not made alike:\n  " + "\n  ".join(odd) + f"\n{way_out}")
    ours, theirs = frames_of(first, wanted), frames_of(second, wanted)
    paired, found, remarks = [], [], [*differing(first, second), *odd]
    for name in wanted:
        if name not in ours or name not in theirs:
            remarks.append(f"{name}: no trials on one side, not compared")
            continue
        left, right, told = matched(name, ours[name], theirs[name])
        paired.append(told)
        if not told.common:
            remarks.append(f"{name}: no trial is scored on both sides, not compared")
            continue
        chosen, measures = options(PROTOCOLS[name].config, second, name), PROTOCOLS[name].measures
        clusters = documents(left) if config.cluster == "document" else None
        numbers = _looked_at(measures(left, chosen)), _looked_at(measures(right, chosen))
        found += differences(*numbers, protocol=name, config=config, clusters=clusters)
    if not any(one.common for one in paired):
        raise UsageFault(f"no trial is scored in both {a} and {b}: results of one benchmark can be compared")
    rows = sorted(judged(found, config), key=lambda row: (not row.headline, row.slice != "all"))
    return Comparison(first, second, tuple(paired), tuple(rows), tuple(remarks), config)


def _looked_at(measures: Iterable[Figured]) -> list[Figured]:
    """Headlines with all their slices, and the whole of every other number."""
    found = list(measures)
    headlines = {one.metric for one in found if one.headline}
    return [one for one in found if one.metric in headlines or one.slice == WHOLE]


def gate(comparison: Comparison, rules: Sequence[str]) -> None:
    """RegressionFault (exit code 3) where any of these rules is broken; UsageFault where one is none.

    Fault where a rule cannot be told: what it is about is withheld or undefined, so that it is not known to be kept.
    """
    try:
        asked = [parsed(rule) for rule in rules]
    except ValueError as error:
        raise UsageFault(f"--fail-if: {error}") from error
    told: list[str] = []
    for one in asked:
        try:
            told += [f"--fail-if {one.text!r}: {why}" for why in broken(one, comparison.differences, comparison.config)]
        except LookupError as error:
            raise UsageFault(f"--fail-if: {error.args[0]}") from error
        except ValueError as error:
            raise Fault(f"--fail-if: {error}") from error
    if told:
        raise RegressionFault("\n".join(told))


def matched(protocol: str, first: Frame, second: Frame) -> tuple[Frame, Frame, Paired]:
    """Both frames with the trials that were put to both, over the same questions, and what is left out.

    A trial that is scored on one side alone is missing on both, so that pairs and groups of trials are the same ones.
    What is told of a question (pattern, domain, ...) is the second side's on both, so that slices are too.
    """
    ours, theirs = (frame.rows[frame.rows["status"] != "skipped"].set_index("trial_id") for frame in (first, second))
    shared = ours.index.intersection(theirs.index).sort_values()
    left, right = ours.loc[shared], theirs.loc[shared]
    scored = [side["status"].to_numpy() == "scored" for side in (left, right)]
    both = scored[0] & scored[1]
    left, right = left.reset_index(), right.reset_index()
    for name in (*QUESTION, "hops", "doc_id"):
        left[name] = right[name]
    names = sorted(set(right["question_id"]))
    place = {name: at for at, name in enumerate(names)}
    for one in (left, right):
        one["at"] = one["question_id"].map(place).astype(int)
        one["status"] = one["status"].where(both, "missing")
        one["value"] = one["value"].where(both)
        one["refused"] = one["refused"] & both
    binary = left["value"].isin((0, 1)) & right["value"].isin((0, 1))
    won = int((binary & (right["value"] > left["value"])).sum())
    lost = int((binary & (right["value"] < left["value"])).sum())
    told = Paired(
        protocol,
        len(ours),
        len(theirs),
        len(shared),
        int(scored[0].sum()),
        int(scored[1].sum()),
        int(both.sum()),
        len(names),
        won,
        lost,
        mcnemar(lost, won).p,
        mcnemar(lost, won, method="chi2").p,
    )
    return Frame(left, names), Frame(right, names), told
