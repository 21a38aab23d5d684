"""Chain: links followed from a named thing through unnamed ones (RARE R20: A = head1, B = tail1 = head2, C = tail2)."""

from rarefy.data_contracts.rows import LITERALS, Path
from rarefy.tasks.questions.ask.clauses import about_object, noun
from rarefy.tasks.questions.ask.index import Index, relation_of, subject_of
from rarefy.tasks.questions.ask.star import about
from rarefy.tasks.questions.ask.wording import Wording, refuse


def chain(path: Path, known: Index) -> Wording:
    """A question for the last tail; each pivot is described by the link that leads to it."""
    *links, target = (known.triplets[i] for i in path.triplet_ids)
    holder = ""
    for link in links:
        kind = noun(link.object_type, link.entity, link.object)
        if not kind or link.object_type in LITERALS:
            return refuse("pivot_has_no_noun")
        if len(known.objects[subject_of(link), relation_of(link)]) != 1:
            return refuse("pivot_not_unique")
        if known.told_of(link.subject) - {link.entity}:
            return refuse("pivot_not_unique")  # another company's exhibits list these notes too
        clause = about_object(link)
        if holder:
            clause = clause.replace(link.subject, holder)
            if holder not in clause:
                return refuse("no_wording")
        holder = f"the {kind} {clause}"
    return about(target, holder, known)
