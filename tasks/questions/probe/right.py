"""Whether an answer is the gold one in other words: whole tokens and values of numbers, never a piece (RARE R35)."""

import re
from collections.abc import Iterable

from rarefy.tasks.questions.ask.located import stems
from rarefy.tasks.questions.gates.given_away import says
from rarefy.tasks.text.notations import numbers, only_number, same
from rarefy.tasks.text.refusals import refusal

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


def said(answer: str) -> str:
    """An answer on one line; "" for one that says that there is none."""
    line = " ".join(answer.split())
    declined = refusal(line, "", general=True)
    return "" if (declined and not declined.rest and not declined.guess) or not re.search(r"\w", line) else line


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
