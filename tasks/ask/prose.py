"""Questions about facts found in prose, by the grammar of their relation."""

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.ask.index import Index
from rarefy.tasks.ask.named import of_object


def of_prose(triplet: Triplet, holder: str, known: Index) -> str | None:
    """The question that a prose triplet's object answers; None where the grammar does not reach."""
    return of_object(triplet, holder)
