"""What of a name still says it: the surname of a person, "Vistula" of "River Vistula"."""

import re
from functools import lru_cache

from rarefy.tasks.text.names import is_legal_form

_WORD = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’.&-]*")
# Words that many names share, so that they do not say one
_SHARED = frozenset(
    """
    River Lake Mount Mountain Mountains Sea Ocean Bay Island Islands Peninsula City County State States Province
    District Region North South East West Northern Southern Eastern Western Central Upper Lower New Great Saint St
    St. Street Road Avenue Square Park Stadium Arena Center Centre Hall House Tower Castle Palace Church Cathedral
    Airport Station Bridge University College School Institute Academy Museum Library Hospital Society Association
    Foundation Organization Union United Republic Kingdom Empire Party Army Navy Force Forces War Battle Treaty Act
    Court Council Committee Commission Department Ministry Office Agency Board Bank Group Fund Trust
    Holdings International National Global American
    British Stock Exchange Market Markets Services Systems Technologies Technology Industries Products Energy
    Capital Financial Notes Series Prize Award Medal League Cup Jr Jr. Sr Sr. II III IV Vice President Executive
    Officer Chief Director Chairman Senior General Segment Americas World Select
    """.split()
)
LONGEST = 5  # words of a name; what is longer is a phrase


@lru_cache(10_000)
def core(answer: str) -> str:
    """The word by which a name of several words is called in short; "" for what is no such name.

    The last that is not of a kind ("River", "Inc."), since surnames and teams' names stand last.
    """
    words = [word.strip(",") for word in answer.split()]
    own = [word for word in words if _WORD.fullmatch(word)]
    if not 2 <= len(words) <= LONGEST or len(own) != len([w for w in words if w not in ("the", "of")]):
        return ""
    return next((word for word in reversed(own) if not _shared(word) and len(word) > 3), "")


def called(text: str, answer: str, question: str) -> bool:
    """Is a name still said in short in a text, where the question does not say it itself?"""
    short = core(answer)
    if not short or short in question or short not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(short)}(?!\w)", text) is not None


def is_person(name: str) -> bool:
    """Does a name look like a person's, given name and surname?"""
    words = name.split()
    return (
        2 <= len(words) <= 3
        and all(_WORD.fullmatch(word) for word in words)
        and not any(_shared(word) for word in words)
        and not words[-1].endswith("s")  # teams, bands and peoples: "Denver Broncos"
    )


def _shared(word: str) -> bool:
    return word in _SHARED or is_legal_form(word)
