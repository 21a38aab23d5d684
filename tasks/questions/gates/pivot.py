"""Is the pivot something that a description can single out (RARE R19)?"""

import re
from collections.abc import Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.given_away import pivot_labels
from rarefy.tasks.text import wordnet

# Words that stand in the names of many things and tell none apart.
EMPTY = frozenset(
    """
    the a an of and or in on for to by with our its their this that other others certain various all any some total net
    company companies corporation registrant management customer customers supplier suppliers employee employees board
    directors committee subsidiary subsidiaries party parties third issuer issuers entity entities business businesses
    product products service services market markets segment segments group people person persons year years period
    quarter amount number value part section item note notes report law laws state states country agreement
    """.split()
)


def pivot_rarity(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects multi-hop questions about a generic pivot: neither two meaningful words nor a proper name."""
    return {
        q.question_id: "pivot_generic"
        for q in questions
        if q.pivot and all(is_generic(label) for label in pivot_labels(q, triplets))
    }


def is_generic(label: str) -> bool:
    """Is this a common word, or none ("the Company", "revenue", "12%"), rather than the name of one thing?"""
    words = [w for w in re.findall(r"[^\W\d_][\w&'’.-]*", label) if w.lower().strip(".") not in EMPTY]
    if len(words) >= 2:
        return False
    return not any((w[0].isupper() and not wordnet.known(w.lower())) or (w.isupper() and len(w) > 1) for w in words)
