"""What a rule makes of an answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """right, wrong, or open: then `why` says what a judge would have to tell."""

    verdict: str  # right | wrong | open
    stage: str = ""  # exact | contained | value
    matched: str = ""  # the words of the answer that were taken for the gold ones
    why: str = ""
    covered: float = 0.0  # share of the parts of an answer of several


def right(stage: str, matched: str, why: str = "") -> Outcome:
    return Outcome("right", stage, matched, why, 1.0)


def wrong(why: str, matched: str = "") -> Outcome:
    return Outcome("wrong", "value", matched, why)


def unclear(why: str, matched: str = "", covered: float = 0.0) -> Outcome:
    return Outcome("open", "", matched, why, covered)
