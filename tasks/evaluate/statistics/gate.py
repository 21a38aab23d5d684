"""A rule for continuous integration in words: "overall drops 2 points", and whether a comparison breaks it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rarefy.data_contracts.rows import Figure
from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import clusters_to_exclude
from rarefy.tasks.evaluate.statistics.compare import Difference
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.find import did_you_mean

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
Named = TypeVar("Named", Difference, Figure)  # a number of a protocol
# The least and the greatest that a withheld difference may be; None where that is not known
Extremes = Callable[[Difference], tuple[Difference, Difference] | None]
NEAR = 1e-9  # 0.80 to 0.78 is a drop of two points, whatever the last bit says


@dataclass(frozen=True, slots=True)
class Rule:
    """A change of a metric that must not happen."""

    text: str
    metric: str
    protocol: str  # "": in any
    slice: str
    way: str  # drops | rises | changes
    size: float  # in the metric's own unit, or as a share of the first side where `relative`
    relative: bool
    sure: str  # "": as measured | significantly: and not by chance | surely: the whole interval


def parse_rule(text: str) -> Rule:
    """The rule that a text states; ValueError with the grammar where it states none."""
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no rule: {GRAMMAR}")
    groups = match.groupdict(default="")
    relative = groups["unit"].lower() in ("percent", "%")
    names = (groups["metric"], groups["protocol"], groups["slice"] or "all", groups["way"].lower())
    return Rule(text.strip(), *names, float(groups["size"]) / 100, relative, groups["sure"].lower())


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The outcome of a rule."""

    rule: str
    came: str  # kept | broken | not decided: not broken, and not known to be kept
    why: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.came} ({self.why})"


def apply_rule(
    gate: Rule, differences: Sequence[Difference], config: StatisticsConfig, extremes: Extremes = lambda row: None
) -> RuleResult:
    """Whether a rule is kept. Where too few questions leave open that the number went as far, that is not decided.

    It is undecided, too, where its number was not compared or is undefined, or is withheld and `extremes`, which gives
    the least and the greatest that its difference may be whatever has no score, leave it open.
    """
    try:
        rows = matching_differences(gate, differences)
    except LookupError as error:
        why = str(error.args[0]).removeprefix(f"{gate.text!r} ").partition("; there is: ")[0]
        return RuleResult(gate.text, "not decided", why)
    ends = [extremes(row) if row.difference is None else None for row in rows]
    broken, unknown, few, kept = [], [], [], []
    for row, found in zip(rows, ends, strict=True):
        if found is not None:
            if near := _breaks_anyhow(gate, *found, config):
                broken.append(_describe_end(near, "at least"))
            elif far := _keeps_anyhow(gate, *found):
                kept.append(_describe_end(far, _how_far(gate, far)))
            else:
                unknown.append(_say_undefined(row))
        elif row.difference is None or row.first is None:
            unknown.append(_say_undefined(row))
        elif _breaks(gate, row, config):
            broken.append(_describe_breach(row))
        elif _could_break(gate, row):
            few.append(row)
        else:
            kept.append(f"{row.metric} of {row.protocol} {describe_difference(row)}")
    if broken:
        return RuleResult(gate.text, "broken", "; ".join(broken))
    if unknown:
        return RuleResult(gate.text, "not decided", f"cannot be told: {unknown[0]}")
    if few:
        return RuleResult(gate.text, "not decided", _say_too_few(gate, min(few, key=lambda row: row.clusters), config))
    return RuleResult(gate.text, "kept", "; ".join(kept))


def _breaks_anyhow(gate: Rule, least: Difference, most: Difference, config: StatisticsConfig) -> Difference | None:
    """The extreme that speaks most against it, where even that breaks the rule."""
    if least.difference is None or most.difference is None:
        return None
    if gate.way == "changes" and least.difference <= 0 <= most.difference:
        return None
    near = most if gate.way == "drops" or (gate.way == "changes" and most.difference < 0) else least
    return near if _breaks(gate, near, config) else None


def _keeps_anyhow(gate: Rule, least: Difference, most: Difference) -> Difference | None:
    """The extreme that goes farthest the way of the rule, where even that cannot break it."""
    ends = {"drops": [least], "rises": [most], "changes": [least, most]}[gate.way]
    if any(_could_break(gate, end) for end in ends):
        return None
    return max(ends, key=lambda end: abs(end.difference or 0.0))


def _how_far(gate: Rule, row: Difference) -> str:
    """Whether the extreme that goes farthest the way of a rule is the most that is gone that way, or the other way."""
    against = {"drops": 1, "rises": -1, "changes": 0}[gate.way] * (row.difference or 0.0)
    return "at least" if against > 0 else "at most"


def _describe_end(row: Difference, most: str) -> str:
    """What even the extreme that speaks most against a decision comes to, in words."""
    gone = row.difference or 0.0
    moved = "drops" if gone < 0 else "rises"
    ends = "" if row.low is None or row.high is None else f" [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
    where = "" if row.slice == "all" else f" where {row.slice}"
    return (
        f"whatever the answers without a score are, {row.metric} of {row.protocol}{where} {moved} by {most} "
        f"{100 * abs(gone):.1f} points{ends}"
    )


def _could_break(gate: Rule, row: Difference) -> bool:
    """Whether the interval, or clusters of a kind that was not seen, leave open a difference that breaks the rule.

    Both count however many clusters differ, and whatever the verdict is: a number of which every cluster came to at
    least as much as in another comparison of as many never fares worse than it.
    """
    ends = _open_ends(row)
    return ends is None or any(_moved_so_far(gate.way, end, _size(gate, row)) for end in ends)


def _open_ends(row: Difference) -> tuple[float, float] | None:
    """How far down and up the difference may be, with what clusters of a kind that was not seen could add."""
    if row.low is None or row.high is None or row.difference is None:
        return None
    unseen = row.unseen or 0.0
    return min(row.low, row.difference - unseen), max(row.high, row.difference + unseen)


def _size(gate: Rule, row: Difference) -> float:
    return gate.size * abs(row.first or 0.0) if gate.relative else gate.size


def _say_too_few(gate: Rule, row: Difference, config: StatisticsConfig) -> str:
    """How far the number may have moved by what these clusters show, and how many a rule of this size takes."""
    kinds = f"{row.clusters:,} {config.cluster}{'' if row.clusters == 1 else 's'}"
    ends = _open_ends(row)
    if ends is None:
        return f"too few: {kinds}"
    far = max(abs(end) for end in ends if _moved_so_far(gate.way, end, 0.0))
    way = {"drops": "dropped", "rises": "risen", "changes": "moved"}[gate.way]
    size = _size(gate, row)
    least = clusters_to_exclude(size, config.level) if 0 < size < 1 else 0
    points = f"{100 * size:.3g} point{'' if round(100 * size, 9) == 1 else 's'}"
    takes = f"; a rule of {points} takes {least:,} at least" if row.clusters < least else ""
    return f"too few: by what {kinds} show it may have {way} by up to {100 * far:.1f} points{takes}"


def matching_differences(gate: Rule, differences: Sequence[Named]) -> list[Named]:
    """The differences, or figures of a result, that a rule is about; LookupError, with what there is, for none.

    A metric may be called by its first words ("overall" for "Overall Robustness"), or by what tables call it
    ("accuracy"), with or without what stands in brackets there. A protocol's name may stand before
    or behind it, too, and alone means its headline.
    """
    names = {row.protocol.lower() for row in differences}
    words, protocol = gate.metric.lower(), gate.protocol.lower()
    for name in sorted(names, key=len, reverse=True):
        for spelling in (name, name.replace("_", " ")):
            if not protocol and words == spelling:
                words, protocol = "", name
            elif not protocol and words.startswith(f"{spelling} "):
                words, protocol = words.removeprefix(f"{spelling} "), name
            elif not protocol and words.endswith(f" {spelling}"):
                words, protocol = words.removesuffix(f" {spelling}"), name
    candidates = [row for row in differences if row.slice == gate.slice and protocol in ("", row.protocol.lower())]
    matches = _rows_named(words, candidates)
    if not matches:
        available = sorted({f"{_names(row)[-1]} of {row.protocol}" for row in differences if row.slice == gate.slice})
        listed = ", ".join(available) or f"nothing where {gate.slice}"
        names = {" ".join(name.lower().split()[: words.count(" ") + 1]) for row in candidates for name in _names(row)}
        meant = did_you_mean(words, sorted(names))
        raise LookupError(f"{gate.text!r} is about a number that was not compared{meant}; there is: {listed}")
    return matches


def _rows_named(words: str, rows: Sequence[Named]) -> list[Named]:
    """The rows whose metric has this name; else headlines, else other rows, whose names begin with these words."""
    if not words:
        return [row for row in rows if row.headline]
    begun = [row for row in rows if any(f"{name.lower()} ".startswith(f"{words} ") for name in _names(row))]
    exact = [row for row in begun if words in (name.lower() for name in _names(row))]
    return exact or [row for row in begun if row.headline] or begun


def _names(row: Named) -> tuple[str, ...]:
    """What a number is called: its own name, its title in tables without what stands in brackets there, and in full."""
    titles = display_of(row.protocol).titles
    if row.metric not in titles:
        return (row.metric,)
    title = titles[row.metric].name
    return row.metric, title.partition(" (")[0], title


def _breaks(gate: Rule, row: Difference, config: StatisticsConfig) -> bool:
    size = _size(gate, row)
    return _moved_so_far(gate.way, row.difference or 0.0, size) and _is_sure_enough(gate, row, size, config)


def _describe_breach(row: Difference) -> str:
    where = "" if row.slice == "all" else f" where {row.slice}"
    return f"{row.metric} of {row.protocol}{where} {describe_difference(row)}"


def _say_undefined(row: Difference) -> str:
    return f"{row.metric} of {row.protocol}: {row.note or 'undefined'}"


def describe_difference(row: Difference) -> str:
    """How a number changed, with interval, p and verdict, in words."""
    if row.difference is None or row.first is None or row.second is None:
        return row.note or "is undefined"
    moved = "rose" if row.difference > 0 else "dropped" if row.difference < 0 else "moved"
    ends = "" if row.low is None or row.high is None else f" [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
    p = "" if row.p is None else f", p {row.p:.2g}"
    return (
        f"{moved} {100 * abs(row.difference):.1f} points, from {100 * row.first:.1f} to {100 * row.second:.1f}"
        f"{ends}{p}: {row.verdict}"
    )


def _moved_so_far(way: str, difference: float, size: float) -> bool:
    """Whether a difference reaches this size in the direction of the rule."""
    if way == "changes":
        return abs(difference) >= size - NEAR and abs(difference) > NEAR
    gone = -difference if way == "drops" else difference
    return gone >= size - NEAR and gone > NEAR


def _is_sure_enough(gate: Rule, row: Difference, size: float, config: StatisticsConfig) -> bool:
    """Whether the difference is as certain as the rule asks."""
    if not gate.sure:
        return True
    if row.low is None or row.high is None:
        return False
    if gate.sure == "significantly":
        return not row.low <= 0 <= row.high and row.p is not None and row.p <= config.alpha
    ends = _interval_ends(gate.way, row.low, row.high)
    return all(_moved_so_far(gate.way, end, size) for end in ends)


def _interval_ends(way: str, low: float, high: float) -> Iterable[float]:
    """The ends of an interval that must both have gone so far; of a change, on one side of zero."""
    return (0.0,) if way == "changes" and low <= 0 <= high else (low, high)
