"""BM25 over the few passages that a question comes with (DRAGIN retrieves by BM25)."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from rarefy.data_contracts.rows import Passage

K1, B = 1.5, 0.75
_WORD = re.compile(r"\w+(?:[.,]\d+)*")
STOPWORDS = frozenset(
    """
    a about above after again all also am an and any are as at be because been before being below between both but by
    can could did do does doing down during each either few for from further had has have having he her here hers him
    his how i if in into is it its itself just may me might more most must my neither no nor not now of off on once
    only or other our out over own said same shall she should so some such than that the their them then there these
    they this those through to too under until up very was we were what when where whether which while who whom whose
    why will with would you your answer question
    """.split()
)


def content(text: str) -> bool:
    """Whether a token is a word that means something by itself: no stop word, and not of marks alone."""
    return any(word not in STOPWORDS for word in _words(text))


def best(query: str, passages: Sequence[Passage], count: int) -> tuple[Passage, ...]:
    """The passages that fit a query best, at most `count`, in the order they were given; ties go to the upper one."""
    words = [[word for word in _words(f"{one.title} {one.text}") if word not in STOPWORDS] for one in passages]
    wanted = set(_words(query)) - STOPWORDS
    within = Counter(word for one in words for word in set(one) & wanted)
    mean = sum(map(len, words)) / max(len(words), 1) or 1.0
    scores = []
    for one in words:
        counts = Counter(word for word in one if word in wanted)
        scores.append(
            sum(
                math.log(1 + (len(words) - within[word] + 0.5) / (within[word] + 0.5))
                * (counts[word] * (K1 + 1))
                / (counts[word] + K1 * (1 - B + B * len(one) / mean))
                for word in sorted(counts)
            )
        )
    places = sorted(range(len(passages)), key=lambda at: (-scores[at], at))[:count]
    return tuple(passages[at] for at in sorted(places))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
