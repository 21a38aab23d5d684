"""A question as the baseline understands it: words to look for, period, and the kind of answer; and words as stems."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.dates import years as dated_years
from rarefy.tasks.text.stems import stem

_WORD = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_YEAR = re.compile(r"\d{4}")
# Stop words: the legal forms among them are those of most names, which tell no two apart
EMPTY = frozenset(
    "a an the of in on at to for from by with as and or is are was were be been being do does did has have had having "
    "its it their his her this that these those which what who whose whom when where how much many according per into "
    "during under over there than then we our us any each also such i.e e.g "
    "year years ended ending fiscal inc corp corporation company co ltd llc plc".split()
)


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words, without dates and years."""
    return frozenset(
        stem(word) for word in _WORD.findall(strip_dates(text).lower()) if word not in EMPTY and len(word) > 1
    )


@lru_cache(maxsize=50_000)
def dates(text: str) -> frozenset[tuple[int, int, int]]:
    """Return the days that a text names, as (year, month, day)."""
    return frozenset(
        (way.year, way.month, way.day) for one in moments(text) for way in one.ways if way.year and way.day
    )


@lru_cache(maxsize=50_000)
def years(text: str) -> frozenset[int]:
    """Return the years that a text names, within dates or alone."""
    return dated_years(text)


def strip_dates(text: str) -> str:
    """Return a text without days and years; of "first quarter of 2015" and "May 2015" the year alone is removed."""
    parts, end = [], 0
    for one in moments(text):
        if one.years and one.end > end:
            held = text[one.start : one.end]
            parts += [text[end : one.start], _YEAR.sub(" ", held) if one.kind not in ("day", "year") else " "]
            end = one.end
    return "".join([*parts, text[end:]])


# Kind of answer -> pattern of the question, English alone; the first that matches wins, "any" where none does
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
# relative clauses and the like: "of the company that issued ...", "according to the minutes of ..."
_ASIDE = re.compile(
    r"\b(?:that|which|whose|who)\b(?!\s+(?:\w+\s+){0,3}\?).*|,?\s*\baccording to\b.*", re.IGNORECASE | re.DOTALL
)
_ASKS = re.compile(r"\b(?:what|which|who|whom|when|where|how|whose)\b", re.IGNORECASE)
_CLAUSE_WEIGHT, _OUTSIDE_WEIGHT = 1.0, 0.15  # weights of words within and outside the clause that asks


@dataclass(frozen=True)
class ParsedQuestion:
    """A question with what the baseline reads from it."""

    text: str
    kind: str  # a key of KINDS, or "any"
    weights: tuple[tuple[str, float], ...]  # (word to look for, weight), sorted
    years: frozenset[int]
    days: frozenset[tuple[int, int, int]]
    asks: bool = True  # whether it has an English question word

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words to look for."""
        return frozenset(word for word, _ in self.weights)

    def is_of_period(self, text: str) -> bool:
        """Return whether a text names a day of the question, or a year of it where either names no day."""
        days = dates(text)
        return bool(self.days & days if self.days and days else self.years & years(text))

    @property
    def figure_of_period(self) -> bool:
        """Return whether a figure or date is asked for that only its period tells from others like it."""
        return bool(self.years) and self.kind in ("amount", "count", "percent", "date")


@lru_cache(maxsize=50_000)
def parse_question(question: str) -> ParsedQuestion:
    """Read a question."""
    line = " ".join(question.split())
    clause = _asking_clause(line)
    asked = _ASKS.search(clause)
    head = asking = clause
    if asked:  # what stands before the question word belongs to it ("In fiscal year 2024, what was ...")
        tail = _ASIDE.sub("", clause[asked.end() :])
        head, asking = clause[: asked.end()] + tail, asked[0] + tail
    bare = _PERIOD.sub(" ", _UNIT.sub(" ", head))
    own = stems(bare)
    weights = dict.fromkeys(stems(_PERIOD.sub(" ", _UNIT.sub(" ", line))), _OUTSIDE_WEIGHT) | dict.fromkeys(
        own, _CLAUSE_WEIGHT
    )
    kind = next((name for name, pattern in KINDS.items() if pattern.search(head) or pattern.match(asking)), "")
    if not kind:
        kind = "amount" if years(line) and re.search(r"\bwhat (?:was|were|is|are)\b", head, re.IGNORECASE) else "any"
    period = years(head) or years(line), dates(head) or dates(line)
    return ParsedQuestion(line, kind, tuple(sorted(weights.items())), *period, asked is not None)


def _asking_clause(line: str) -> str:
    """Return the clause that asks, without clauses before and after it."""
    parts = [part for part in re.split(r"(?<=[;.?!])\s+(?=\S)", line) if _ASKS.search(part)]
    asking = [part for part in parts if part.rstrip().endswith("?")]
    return (asking or parts or [line])[-1]
