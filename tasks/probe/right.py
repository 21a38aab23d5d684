"""Whether an answer is the gold one in other words: whole tokens and values of numbers, never a piece (RARE R35)."""

import re
from collections.abc import Iterable

from rarefy.tasks.ask.located import stems
from rarefy.tasks.gates.given_away import says
from rarefy.tasks.text.notations import numbers, only_number, same

# What models write where they were asked to write nothing
_NONE = re.compile(
    r"none|null|n/?a|unknown|empty|(?:unanswerable|no (?:such )?(?:answer|info(?:rmation)?))\b.{0,60}"
    r"|not (?:applicable|available|stated|given|specified|mentioned|provided|disclosed|known|answerable|enough"
    r"|in the passage)\b.{0,60}"
    r"|.{0,80}\b(?:can|could)(?:not|n?['’]t| not) be (?:answered|determined|found|inferred|derived)\b.{0,120}"
    r"|.{0,60}\b(?:passage|text|document)\b.{0,20}\b(?:does|do|did)(?: not|n['’]t)\b.{0,160}"
    r"|(?:i (?:can(?:not|['’]t)|do(?: not|n['’]t)|am unable)|sorry|unable to)\b.{0,160}",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


def said(answer: str) -> str:
    """An answer on one line; "" for one that says that there is none."""
    line = " ".join(answer.split())
    return "" if _NONE.fullmatch(line.strip(" .\"'")) or not re.search(r"\w", line) else line


def right(answer: str, gold: str, aliases: Iterable[str] = ()) -> bool:
    """Whether a reader would take `answer` for the gold one or an alias of it.

    Right is: the same words; the gold ones within the answer, token by token ("1" is not in "2019"); most of the gold
    one's telling words as the whole of the answer ("Ministry of Finance" of "the Japanese Ministry of Finance"); the
    same number in another notation ("$47,525 million" of "$47.5 billion").
    """
    given = _plain(answer)
    if not re.search(r"\w", given):
        return False
    return any(_fits(given, wanted) for form in (gold, *aliases) if (wanted := _plain(form)))


def _fits(given: str, wanted: str) -> bool:
    if given == wanted or says(given, wanted):
        return True
    if number := only_number(wanted):
        return any(same(number, other, fewest=3) for other in numbers(given))
    words, all_words = stems(given), stems(wanted)
    return says(wanted, given) and 2 * len(words & all_words) > len(all_words)


def _plain(text: str) -> str:
    line = " ".join(text.replace("’", "'").replace("“", '"').replace("”", '"').casefold().split())
    return _ARTICLE.sub("", line.strip(" .,;:!\"'"))
