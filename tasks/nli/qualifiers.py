"""Words that make of one quantity another one (average, net), the time of a question, and whose "only" it is."""

import re
from collections.abc import Iterator

from rarefy.tasks.nli.blocks import blocks, spoken
from rarefy.tasks.nli.kept import small

# of one line each means the same; where one came, went or gave way to another, another thing is told
_CLASSES = """
average mean averaged averages
total overall aggregate aggregated combined totals consolidated
net
gross
basic
diluted
minimum least lowest smallest
maximum most highest largest greatest
median
first initial earliest
last final latest
second
third
adjusted
unadjusted
nominal
real
operating
nonoperating non-operating
current
noncurrent non-current
short-term
long-term
annual yearly annually
quarterly
monthly
weekly
daily
cumulative
estimated
actual
projected forecast forecasted
domestic
foreign international
pretax pre-tax
after-tax
deferred
accrued
restricted
unrestricted
common
preferred
primary
secondary
senior
subordinated
incremental
marginal
organic
comparable
effective
statutory
weighted
undiscounted
discounted
per-share
former
acting interim
deputy vice
chief
systolic
diastolic
relative
absolute
authorized authorised
outstanding
vested
unvested
exercisable
"""
CLASS = {word: line.split()[0] for line in _CLASSES.strip().split("\n") for word in line.split()}
# in set phrases they make nothing of a quantity
_SET = re.compile(
    r"\bat (?:the )?(?:least|most|first|last)\b|\bin total\b|\bin the aggregate\b|\bfirst of all\b"
    r"|\bfor the most part\b"
    r"|\bmost of\b|\bnet of\b|\breal estate\b|\bin common\b|\bmost\b(?! \w+ (?:of|in|among))|\bmeans?\b(?! \w+ of)"
    r"|\bactually\b|\bsecond(?= to| half| quarter|s)\b|\b(?:first|third|last|final)(?= quarter| half)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NOW = re.compile(r"\b(?:is|are|am|does|do|has been|have been|currently)\b", re.IGNORECASE)
_THEN = re.compile(r"\b(?:was|were|did|had)\b", re.IGNORECASE)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|merely)\s+(?:(?:the|a|an|its|our|their|in|on|for|to|by)\s+)*([\w-]+)", re.I
)
_SCORE = re.compile(r"(?<![\w.,-])\d{1,3}[-–:]\d{1,3}(?![\w-]|[.,]\d)")
_NEGATED = re.compile(r"(?:non-?|un|in|im|il|ir|dis|mis|anti-?|de|counter-?|sub|over|under|ex-)(?=[a-z]{4})")


@small
def qualified(text: str) -> frozenset[str]:
    """The classes of qualifiers that a text has."""
    return frozenset(CLASS[w] for hit in _WORD.finditer(_SET.sub(" ", text)) if (w := hit[0].lower()) in CLASS)


def otherwise_qualified(asked: str, said: str) -> Iterator[str]:
    """Qualifiers, times and "only"s of sentences of the hypothesis that those of the premise they draw on lack."""
    there, here = spoken(said), spoken(asked)
    for block in blocks([items for _, items in here], [items for _, items in there]):
        mine, theirs = (
            " ".join(side[at][0] for at in places) for side, places in ((here, block.asked), (there, block.said))
        )
        if not theirs:
            continue
        came = sorted(qualified(mine) - qualified(theirs))
        if came:
            yield f"new: {', '.join(came)}"
        words = [{hit[0].lower() for hit in _WORD.finditer(side)} for side in (mine, theirs)]
        yield from (f"another sense of {word}" for word in sorted(_otherwise_prefixed(*words)))
        scores = [set(_SCORE.findall(side)) for side in (mine, theirs)]
        if scores[0] and scores[1] and not scores[0] <= scores[1]:
            yield f"new: {sorted(scores[0] - scores[1])[0]}"
        tenses = [(bool(_NOW.search(side)), bool(_THEN.search(side))) for side in (mine, theirs)]
        if tenses in ([(True, False), (False, True)], [(False, True), (True, False)]):
            yield "another time"
        only = [{hit[1].lower() for hit in _ONLY.finditer(side)} for side in (mine, theirs)]
        if only[0] and only[1] and only[0].isdisjoint(only[1]):
            yield f"only {sorted(only[0])[0]}, was only {sorted(only[1])[0]}"


def _otherwise_prefixed(asked: set[str], said: set[str]) -> Iterator[str]:
    """Words of which one text has the plain one alone, and the other the same with a prefix alone: "unsecured"."""
    for here, there in ((asked - said, said - asked), (said - asked, asked - said)):
        for word in here:
            if (hit := _NEGATED.match(word)) and word[hit.end() :] in there:
                yield word
