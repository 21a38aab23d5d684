"""Whether a question asks for what holds now: it names no period, so the newest document answers it."""

import re
from collections.abc import Iterable

from rarefy.data_contracts.rows import Triplet

_OF_A_RECORD = frozenset(("deadline", "reading"))  # asked of one paper by its name
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def latest(text: str, target: Triplet, used: Iterable[Triplet]) -> bool:
    """Whether the wording names no period for the answer, the names of things apart ("2.000% Notes due 2027")."""
    if not text or target.method in _OF_A_RECORD or (target.period and target.period in text):
        return False
    names = {name for fact in used for name in (fact.subject, fact.object) if name}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return not _YEAR.search(text)
