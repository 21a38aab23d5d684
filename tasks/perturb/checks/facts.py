"""Whether numbers, dates, units and names are those of the original, and no others (SURE §3.4; quality.md, a variant).

Only what is there is compared, not what is said of it: which figure belongs to which name is for entailment to find.
"""

from collections.abc import Iterable

from rarefy.tasks.models.nli.facts import changed
from rarefy.tasks.models.nli.names import missing, named
from rarefy.tasks.perturb.case import Case, Draft

CODE = "facts_changed"


def same_facts(case: Case, draft: Draft) -> str:
    """`facts_changed` where a number, date, unit or name came or went."""
    return _told(*changed(case.text, draft.text), "figure") or _names(case, draft, both=True)


def keeps_facts(case: Case, draft: Draft) -> str:
    """`facts_changed` where a number, date, unit or name of the original is gone; others may have come."""
    gone, _ = changed(case.text, draft.text)
    return _told(gone, [], "figure") or _names(case, draft, both=False)


def _told(gone: Iterable[str], came: Iterable[str], what: str) -> str:
    lost, new = (", ".join(list(dict.fromkeys(side))[:4]) for side in (gone, came))
    parts = [f"{side} {names}" for side, names in (("gone", lost), ("new", new)) if names]
    return f"{CODE}: {what} {'; '.join(parts)}" if parts else ""


def _names(case: Case, draft: Draft, both: bool) -> str:
    before, after = named(case.text), named(draft.text)
    # whose passage it is may be said by name where the original says "the Company"
    told = named(f"{case.entity}\n{case.title}").forms
    gone, loosely_gone = missing(before, after)
    new, loosely_new = missing(after, before, told)
    if not both:
        return _told(gone + (loosely_gone if loosely_new or new else []), [], "name")
    if gone or new:
        return _told(gone, new, "name")
    # one that may be a mere word can be reworded; one for another is another name
    return _told(loosely_gone, loosely_new, "name") if loosely_gone and loosely_new else ""
