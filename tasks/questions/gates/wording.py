"""Can the question be read, and understood by itself (RARE R23)?"""

import re
from collections.abc import Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.gates.config import GatesConfig

_PARTY = re.compile(
    r"\b[Tt]h(?:e|is) ([Cc]ompany|[Rr]egistrant|[Cc]orporation|[Ff]irm|[Ff]iling|[Rr]eport|[Dd]ocument)\b"
    r"(?!,? (?:that|which|whose|where|who|(?:in|with|for|to|of|from|by) which|named|called"
    r"|(?:audited|headquartered|based|incorporated|listed|located|founded|led|run|owned) (?:in|by|at|on|under))\b)"
)
_NAME = re.compile(r"(?<!^)\b[A-Z]")
_LEANS = re.compile(
    r"\b(?:we|our|ours|us)\b"
    r"|\b(?:this|last|next|current|previous|prior|that) (?:fiscal |financial )?(?:year|quarter|month|period)\b"
    r"|\b(?:table|chart|figure|section|paragraph|discussion|note) (?:above|below)\b|\bthe (?:above|following) table\b"
    r"|\b(?:as|the) (?:mentioned|described|discussed|noted|aforementioned)\b|\b(?:see|refer to) (?:note|item|part)\b"
    r"|\b(?:herein|thereof|hereto|aforesaid)\b",
    re.IGNORECASE,
)
_CAPITAL_US = re.compile(r"\bUS\b")

_DEBRIS = re.compile(
    r"\||&nbsp;|&amp;|\\|_{2,}|\.{3,}|\s{2,}|[,;:]\s*[,;:?]|\(\s*\)|\s[,?]|\b(?!that\b|had\b)(\w+) \1\b", re.IGNORECASE
)


def self_contained(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects questions that lean on a text that the reader does not see ("the Company", "the table above")."""
    return {q.question_id: "not_self_contained" for q in questions if _leans(q.text)}


def _leans(text: str) -> bool:
    if _LEANS.search(_CAPITAL_US.sub("U.S.", text)):
        return True
    # "the company" may mean one that was named before; "the Company" is a term of the filing.
    name = _NAME.search(text)
    named = name.start() if name else len(text)
    return any(m[1][0].isupper() or m.start() <= named for m in _PARTY.finditer(text))


def readable(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects what is too short, too long, no question, hard to read, or holds the debris of a table or template."""
    return {q.question_id: reason for q in questions if (reason := _fault(q.text, config))}


def _fault(text: str, config: GatesConfig) -> str:
    from textstat import flesch_reading_ease  # its dictionary takes a second to load

    count = len(text.split())
    if count < config.fewest_words:
        return "too_short"
    if count > config.most_words:
        return "too_long"
    if not text.endswith("?") or text.count("?") > 1 or not text[0].isupper():
        return "no_question"
    if _DEBRIS.search(text) or text.count("(") != text.count(")") or text.count("“") != text.count("”"):
        return "debris"
    return "hard_to_read" if flesch_reading_ease(text) < config.least_reading_ease else ""
