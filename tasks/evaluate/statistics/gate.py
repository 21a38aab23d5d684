"""A rule for continuous integration in words: "overall drops 2 points", and whether a comparison breaks it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rarefy.tasks.evaluate.statistics.compare import Difference
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig

GRAMMAR = (
    "METRIC [of PROTOCOL] [where SLICE] drops|rises|changes N points|percent [significantly|surely], as in "
    '"overall drops 2 points", "NDR of retrieval_robustness drops 1 percent significantly", "overall where hops=multi '
    'drops 5 points"'
)
_RULE = re.compile(
    r"(?P<metric>.+?)"
    r"(?:\s+(?:of|in)\s+(?P<protocol>\w+))?"
    r"(?:\s+where\s+(?P<slice>.+?))?"
    r"\s+(?P<way>drops|rises|changes)(?:\s+by)?"
    r"\s+(?P<size>\d+(?:\.\d+)?)\s*(?P<unit>points?|percent|%)"
    r"(?:\s+(?P<sure>significantly|surely))?",
    re.IGNORECASE,
)
NEAR = 1e-9  # 0.80 to 0.78 is a drop of two points, whatever the last bit says


@dataclass(frozen=True, slots=True)
class Gate:
    """What must not happen."""

    text: str
    metric: str
    protocol: str  # "": in any
    slice: str
    way: str  # drops | rises | changes
    size: float  # in the metric's own unit, or as a share of the first side where `relative`
    relative: bool
    sure: str  # "": as measured | significantly: and not by chance | surely: the whole interval


def parsed(text: str) -> Gate:
    """The rule of these words; ValueError with the grammar where they are none."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no rule: {GRAMMAR}")
    told = found.groupdict(default="")
    relative = told["unit"].lower() in ("percent", "%")
    names = (told["metric"], told["protocol"], told["slice"] or "all", told["way"].lower())
    return Gate(text.strip(), *names, float(told["size"]) / 100, relative, told["sure"].lower())


@dataclass(frozen=True, slots=True)
class Ruled:
    """What became of a rule."""

    rule: str
    came: str  # held | broken | not decided: not broken, and not known to be kept
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.came} ({self.why})"


def ruled(gate: Gate, differences: Sequence[Difference], config: StatisticsConfig) -> Ruled:
    """Whether a rule held. Where too few questions leave open that the number went as far, that is not decided.

    It is undecided, too, where its number was not compared, is withheld or undefined: what `broken` raises for.
    """
    try:
        if why := broken(gate, differences, config):
            return Ruled(gate.text, "broken", "; ".join(why))
        rows = meant(gate, differences)
    except (LookupError, ValueError) as error:
        return Ruled(gate.text, "not decided", str(error.args[0]).removeprefix(f"{gate.text!r} "))
    few = [row for row in rows if row.verdict == "too few" and _may(gate, row)]
    if few:
        count = min(row.clusters for row in few)
        kind = config.cluster if count == 1 else f"{config.cluster}s"
        return Ruled(gate.text, "not decided", f"too few: {count:,} {kind}")
    return Ruled(gate.text, "held", "; ".join(f"{row.metric} of {row.protocol} {said(row)}" for row in rows))


def _may(gate: Gate, row: Difference) -> bool:
    """Does the interval hold a difference that would break the rule?"""
    if row.low is None or row.high is None:
        return True
    size = gate.size * abs(row.first or 0.0) if gate.relative else gate.size
    return any(_went(gate.way, end, size) for end in (row.low, row.high))


def meant(gate: Gate, differences: Sequence[Difference]) -> list[Difference]:
    """The differences that a rule is about; LookupError, with what there is, where there is none.

    A metric may be called by its first words ("overall" for "Overall Robustness"). A protocol's name may stand before
    or behind it, too, and alone means its headline.
    """
    names = {row.protocol.lower() for row in differences}
    words, protocol = gate.metric.lower(), gate.protocol.lower()
    for name in sorted(names, key=len, reverse=True):
        for one in (name, name.replace("_", " ")):
            if not protocol and words == one:
                words, protocol = "", name
            elif not protocol and words.startswith(f"{one} "):
                words, protocol = words.removeprefix(f"{one} "), name
            elif not protocol and words.endswith(f" {one}"):
                words, protocol = words.removesuffix(f" {one}"), name
    about = [row for row in differences if row.slice == gate.slice and protocol in ("", row.protocol.lower())]
    found = _called(words, about)
    if not found:
        there = sorted({f"{row.metric} of {row.protocol}" for row in differences if row.slice == gate.slice})
        kept = ", ".join(there) or f"nothing where {gate.slice}"
        raise LookupError(f"{gate.text!r} is about a number that was not compared; there is: {kept}")
    return found


def _called(words: str, rows: Sequence[Difference]) -> list[Difference]:
    """Those of the metric with this name; else the headlines, else the others, whose names begin with these words."""
    if not words:
        return [row for row in rows if row.headline]
    begun = [row for row in rows if f"{row.metric.lower()} ".startswith(f"{words} ")]
    exact = [row for row in begun if row.metric.lower() == words]
    return exact or [row for row in begun if row.headline] or begun


def broken(gate: Gate, differences: Sequence[Difference], config: StatisticsConfig) -> list[str]:
    """Why a rule is broken, a sentence for each number that breaks it; [] where it is kept.

    ValueError where it cannot be told: the number is undefined or withheld on either side.
    """
    told = []
    for row in meant(gate, differences):
        if row.difference is None or row.first is None:
            raise ValueError(f"{gate.text!r} cannot be told: {row.metric} of {row.protocol}: {row.note or 'undefined'}")
        size = gate.size * abs(row.first) if gate.relative else gate.size
        if _went(gate.way, row.difference, size) and _sure(gate, row, size, config):
            where = "" if row.slice == "all" else f" where {row.slice}"
            told.append(f"{row.metric} of {row.protocol}{where} {said(row)}")
    return told


def said(row: Difference) -> str:
    """How a number went, with how sure that is."""
    if row.difference is None or row.first is None or row.second is None:
        return row.note or "is undefined"
    moved = "rose" if row.difference > 0 else "dropped" if row.difference < 0 else "moved"
    ends = "" if row.low is None or row.high is None else f" [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
    p = "" if row.p is None else f", p {row.p:.2g}"
    return (
        f"{moved} {100 * abs(row.difference):.1f} points, from {100 * row.first:.1f} to {100 * row.second:.1f}"
        f"{ends}{p}: {row.verdict}"
    )


def _went(way: str, difference: float, size: float) -> bool:
    """Whether a difference goes so far that way; none at all goes nowhere."""
    if way == "changes":
        return abs(difference) >= size - NEAR and abs(difference) > NEAR
    gone = -difference if way == "drops" else difference
    return gone >= size - NEAR and gone > NEAR


def _sure(gate: Gate, row: Difference, size: float, config: StatisticsConfig) -> bool:
    """Whether it is as sure as the rule asks."""
    if not gate.sure:
        return True
    if row.low is None or row.high is None:
        return False
    if gate.sure == "significantly":
        return not row.low <= 0 <= row.high and row.p is not None and row.p <= config.alpha
    ends = _ends(gate.way, row.low, row.high)
    return all(_went(gate.way, end, size) for end in ends)


def _ends(way: str, low: float, high: float) -> Iterable[float]:
    """The ends of an interval that must both have gone so far; of a change, on one side of zero."""
    return (0.0,) if way == "changes" and low <= 0 <= high else (low, high)
