"""What a question wants to know: words to look for, the period, and the kind of answer that would fit."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rarefy.tasks.evaluate.systems.extractive.words import dates, stems, years

# the first that fits the question's own clause, or the same from its question word on; English alone: another language
# is asked for anything that fits
KINDS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "percent": r"\bpercent|\bper cent\b|\bwhat (?:share|proportion|fraction)\b|\b(?:interest|tax|growth|coupon|"
        r"unemployment|inflation) rate\b|\bhow many basis points\b",
        "count": r"\bhow many\b|\bnumber of\b|\bin (?:thousands|millions) of shares\b",
        "date": r"^when\b|\b(?:what|which) (?:date|day|month|year|deadline|quarter)\b|\bby what time\b",
        "person": r"^whom?\b|\b(?:what|which) (?:person|officer|director|executive|member|governor|author)\b",
        "address": r"\baddress\b",
        "place": r"^where\b|\b(?:what|which) (?:city|town|state|country|county|jurisdiction|place|location|region)\b",
        "organisation": r"\b(?:what|which)(?: other)? (?:company|firm|bank|agency|organi[sz]ation|auditor|institution|"
        r"(?:stock )?exchange|subsidiary|committee|corporation|department|ministry|brand|unit|segment)\b",
        "amount": r"\bhow much\b|\b(?:dollars?|euros?|pounds|yen|usd|eur)\b|\bin (?:millions|thousands|billions)\b|"
        r"\b(?:amount|price|cost|value|balance)\b",
    }.items()
}
_UNIT = re.compile(
    r",?\s*\b(?:in|expressed in|stated in)\s+(?:(?:millions|thousands|billions|hundreds|units?)\s+(?:of\s+)?)?"
    r"(?:us|u\.s\.)?\s*(?:dollars?|shares?|euros?|millions|thousands|billions|percent)\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"\b(?:(?:for|in|during|as of|as at|at)\s+)?(?:the\s+)?(?:end of\s+)?(?:fiscal|financial|calendar)(?:\s+year)?\b"
    r"|\bas (?:of|at)\b|\bat the end of\b|\byear ended\b",
    re.IGNORECASE,
)
# what only says whose it is: "of the company that issued ...", "according to the minutes of ..."
_ASIDE = re.compile(
    r"\b(?:that|which|whose|who)\b(?!\s+(?:\w+\s+){0,3}\?).*|,?\s*\baccording to\b.*", re.IGNORECASE | re.DOTALL
)
_ASKS = re.compile(r"\b(?:what|which|who|whom|when|where|how|whose)\b", re.IGNORECASE)
_OWN, _BESIDE = 1.0, 0.15  # weights of words in the question's own clause, and of all others


@dataclass(frozen=True)
class Wanted:
    """A question as the baseline understands it."""

    text: str
    kind: str  # a name of KINDS; "any" where nothing tells
    weights: tuple[tuple[str, float], ...]  # of each word to look for, in the order of the alphabet
    years: frozenset[int]
    days: frozenset[tuple[int, int, int]]
    asks: bool = True  # whether it has a question word of English

    @cached_property
    def words(self) -> frozenset[str]:
        """The words to look for."""
        return frozenset(word for word, _ in self.weights)

    @property
    def figure_of_period(self) -> bool:
        """Whether one figure or date of many like it is wanted, which only its period tells from the others."""
        return bool(self.years) and self.kind in ("amount", "count", "percent", "date")


@lru_cache(maxsize=50_000)
def wanted(question: str) -> Wanted:
    """What a question wants to know."""
    line = " ".join(question.split())
    clause = _clause(line)
    asked = _ASKS.search(clause)
    head = asking = clause
    if asked:  # what stands before the question word belongs to it ("In fiscal year 2024, what was ...")
        tail = _ASIDE.sub("", clause[asked.end() :])
        head, asking = clause[: asked.end()] + tail, asked[0] + tail
    bare = _PERIOD.sub(" ", _UNIT.sub(" ", head))
    own = stems(bare)
    weights = dict.fromkeys(stems(_PERIOD.sub(" ", _UNIT.sub(" ", line))), _BESIDE) | dict.fromkeys(own, _OWN)
    kind = next((name for name, pattern in KINDS.items() if pattern.search(head) or pattern.match(asking)), "")
    if not kind:
        kind = "amount" if years(line) and re.search(r"\bwhat (?:was|were|is|are)\b", head, re.IGNORECASE) else "any"
    period = years(head) or years(line), dates(head) or dates(line)
    return Wanted(line, kind, tuple(sorted(weights.items())), *period, asked is not None)


def _clause(line: str) -> str:
    """The clause that asks, where others stand before it or behind it."""
    parts = [part for part in re.split(r"(?<=[;.?!])\s+(?=\S)", line) if _ASKS.search(part)]
    asking = [part for part in parts if part.rstrip().endswith("?")]
    return (asking or parts or [line])[-1]
