"""Star: a head described by some of its facts, asked for another (RARE R20: A = tail1, B = head, C = tail2)."""

from datetime import date

from rarefy.data_contracts.rows import LITERALS, Document, Path, Triplet
from rarefy.tasks.knowledge.extract.periods import fiscal_year
from rarefy.tasks.questions.ask.aliases import names
from rarefy.tasks.questions.ask.clauses import about_subject, noun
from rarefy.tasks.questions.ask.index import Index, object_of, relation_of
from rarefy.tasks.questions.ask.measures import of_holder
from rarefy.tasks.questions.ask.named import of_object
from rarefy.tasks.questions.ask.prose import of_prose
from rarefy.tasks.questions.ask.wording import Wording, answered, refuse


def star(path: Path, known: Index) -> Wording:
    """A question for the last triplet's object, the head described by the others."""
    *clues, target = (known.triplets[i] for i in path.triplet_ids)
    kind = noun(target.subject_type, target.entity, target.subject)
    if not kind:
        return refuse("pivot_has_no_noun")
    if any(clue.object_type in LITERALS for clue in clues):
        return refuse("clue_is_a_number")
    told = [clue for clue in clues if not implied(clue, clues)]
    if heads(told, known) != 1:
        return refuse("pivot_not_unique")
    if any(c.method == "prose" and known.told_of(bare(c.object)) - {c.entity} for c in told):
        return refuse("pivot_not_unique")
    holder = f"the {kind} that " + listed([about_subject(clue) for clue in told])
    return about(target, holder, known)


_WHERE = ("is headquartered in", "is based in")


def implied(clue: Triplet, clues: list[Triplet]) -> bool:
    """Whether another clue says this one already: a city is in its state."""
    if clue.relation not in _WHERE:
        return False
    return any(c.relation in _WHERE[: _WHERE.index(clue.relation)] for c in clues)


def bare(name: str) -> str:
    """A company's name as others may write it, without its legal form."""
    return min(names(name), key=len)


def heads(clues: list[Triplet], known: Index) -> int:
    """How many things of the corpus have all that the clues say."""
    return len(set.intersection(*(known.subjects[relation_of(c), object_of(c)] for c in clues)))


def listed(clauses: list[str]) -> str:
    """ "a", "a and b", "a, b, and c"."""
    return " and ".join(clauses) if len(clauses) < 3 else f"{', '.join(clauses[:-1])}, and {clauses[-1]}"


def year_end(triplet: Triplet, document: Document) -> str:
    """ "fiscal year 2024" for a balance on its last day, a day that may be one company's alone; "" for others."""
    if triplet.period_start or not triplet.period_end:
        return ""
    year = fiscal_year(date.fromisoformat(triplet.period_end), document)
    return f"fiscal year {year}" if year else ""


def about(target: Triplet, holder: str, known: Index) -> Wording:
    """A question for the object of a triplet whose subject is described."""
    if target.method == "prose" and target.object_type not in {"MONEY", "NUMBER", "PERCENT"}:
        return refuse("pivot_not_needed")  # the day of an act, or its other party, gives it away alone
    if target.method == "prose":
        text = of_prose(target, holder)
    elif target.object_type in LITERALS:
        text = of_holder(target, holder, year_end(target, known.documents[target.doc_id]))
    else:
        text = of_object(target, holder)
    return answered(text, target)
