"""Questions about measured rules: the measure goes to the front, the rest keeps the rule's own words (RARE §3.3)."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.deadlines import Rule, rule

_PROPER = re.compile(
    r"[A-Z]\w*(?: (?:of|and|for))?(?: the)? [A-Z]|\S*[A-Z]\S*[A-Z]|(?:Congress|Federal|State|Indian)\b"
)
_PLURAL = {"foot": "feet", "square foot": "square feet"}
_PLAIN = re.compile(
    r"(?:The|An?|Each|Every|Any|All|If|When|Where|Upon|Before|After|Following|For|In|On|Once|During|With|As|To|Of)\b"
)


def of_deadline(triplet: Triplet) -> str | None:
    """The question that the measure of a rule answers; None where the sentence is no rule of a known form."""
    found = rule(triplet.source_sentence)
    if found is None:
        return None
    under = triplet.subject.rpartition(" under ")[2]
    condition = f"{_small(found.condition)}, " if found.condition else ""
    since = found.since if not found.leads else _small(found.since)
    what = " ".join(filter(None, [found.bound, _wh(found), since]))
    if found.leads:
        asked = f"{what} {found.modal} {found.before}"
    else:
        comma = "," if re.search(r", (?!and\b|or\b)", since) else ""
        asked = f"{what}{comma} {found.modal} {_small(found.subject)} {found.before} {found.after}"
    return re.sub(r"\s+", " ", f"Under {under}, {condition}{asked}").replace("that part", triplet.entity).strip() + "?"


def _wh(found: Rule) -> str:
    if found.bound.startswith("what "):
        return ""
    if found.counted:
        return f"how many {_PLURAL.get(found.counted, found.counted)}"
    return "what percentage" if found.kind == "PERCENT" else "what amount"


def _small(words: str) -> str:
    """Words from the beginning of a sentence as they stand inside one; names keep their capital."""
    return words if _PROPER.match(words) and not _PLAIN.match(words) else words[:1].lower() + words[1:]
