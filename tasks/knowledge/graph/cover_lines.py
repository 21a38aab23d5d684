"""Lines of a cover page: a question through one finds the first page of a report, and no reader asks it."""

import re

from rarefy.data_contracts.rows import Triplet

# symbol, exchange, address, telephone, state of incorporation, end of the year, in the words of rules and of models
_COVER = re.compile(
    r"\bsymbols?\b|\b(?:listed|quoted|trade[sd]?) (?:on|under)\b|\b(?:re)?incorporated (?:in|under)\b"
    r"|\bexecutive offices\b|\b(?:tele)?phone\b|\bfiscal year end(?:s|ed|ing)?\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b(?:headquartered|based) (?:in|at)\b", re.IGNORECASE)


def is_cover_line(fact: Triplet, pattern: str, last: bool) -> bool:
    """Whether a fact would make a path of a pattern one about a cover page.

    A single fact of prose may say where somebody is listed, and an address may be a clue; but no chain or star ends in
    one (`last`).
    """
    if pattern == "single":
        return fact.method == "cover"
    if fact.object_type in ("STATE", "EXCHANGE") or _COVER.search(fact.relation):
        return True
    return last and pattern in ("chain", "star") and bool(_ADDRESS.search(fact.relation))
