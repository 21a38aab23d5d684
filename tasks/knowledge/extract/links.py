"""Relations from prose that may describe a thing in a question, or lead to one (RARE R19 step 2).

A sentence says many true things ("is investing in Reels") by which nobody would know its subject again, and places,
segments and suppliers ("Europe", "TSMC") single nobody out. What is not listed here stays a fact that a single-hop
question may ask for, and is no part of a multi-hop pattern.
"""

import re

from rarefy.data_contracts.rows import Triplet

_LINKS = frozenset(
    (
        "acquired",
        "completed acquisition of",
        "completed divestiture of",
        "has subsidiary",
        "is subsidiary of",
        "was acquired by",
        "was founded by",
    )
)
_OFFICE = re.compile(r"chief [a-z, ]+ officer of|general counsel of")


def links(triplet: Triplet) -> bool:
    """Whether a prose triplet may be an edge of a multi-hop pattern; others are kept for single facts."""
    if _OFFICE.fullmatch(triplet.relation):
        return triplet.subject_type == "PERSON" and not re.search(r"officer|president", triplet.subject, re.I)
    return triplet.relation in _LINKS and triplet.subject == (triplet.entity or triplet.subject)
