"""Single-hop: a fact asked of its named subject (RARE §3.3)."""

from rarefy.data_contracts.rows import LITERALS, Path, Triplet
from rarefy.tasks.questions.ask.deadlines import of_deadline
from rarefy.tasks.questions.ask.index import Index
from rarefy.tasks.questions.ask.measures import of_holder
from rarefy.tasks.questions.ask.named import of_object, of_subject
from rarefy.tasks.questions.ask.prose import of_prose, turned
from rarefy.tasks.questions.ask.readings import of_reading
from rarefy.tasks.questions.ask.wording import Wording, answered, refuse

# What anybody knows of a listed company without its filing; as a clue it is worth more
_COMMON = frozenset(("trades under symbol", "is headquartered in", "is based in", "is listed on"))


def single(path: Path, known: Index) -> Wording:
    """The question for one triplet."""
    return of_triplet(known.triplets[path.triplet_ids[0]], known)


def of_triplet(triplet: Triplet, known: Index) -> Wording:
    """A named subject's fact as a question."""
    if triplet.method == "deadline":
        return answered(of_deadline(triplet), triplet)
    if triplet.method == "reading":
        return answered(of_reading(triplet, known), triplet)
    if triplet.method == "prose" and triplet.answer != triplet.subject and " officer of" not in triplet.relation:
        if other := turned(triplet):
            return Wording(other[0], other[1], triplet)
        return answered(of_prose(triplet, triplet.subject), triplet)
    if triplet.object_type in LITERALS - {"TEXT"}:
        return answered(of_holder(triplet, triplet.entity), triplet, "unit_or_period_unknown")
    if triplet.relation in _COMMON and triplet.method == "cover":
        return refuse("common_knowledge")
    backwards = triplet.answer == triplet.subject  # a ticker or a person is the short end of its fact
    text = of_subject(triplet, triplet.object) if backwards else of_object(triplet, triplet.subject)
    return answered(text, triplet)
