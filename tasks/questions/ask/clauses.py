"""Things referred to by what is said of them: "the company that is headquartered in …" (RARE §3.4, R19 step 2)."""

import re

from rarefy.data_contracts.rows import Triplet

_NOUNS = {
    "ORG": "company",
    "PERSON": "person",
    "SEGMENT": "segment",
    "PRODUCT": "product",
    "GPE": "place",
    "LAW": "law",
    "SECURITY": "security",
}
OFFICE = re.compile(r"(chief .+|president|controller|general counsel|treasurer) of")
_PREPOSITIONS = frozenset("in at by to from with on of under for as through into over against within".split())
_OUT = {  # relation → what is said of its subject
    "is listed on": "has its common stock listed on {object}",
    "is based in": "is based in {object}",
    "has subsidiary": "has {object} as a subsidiary",
    "completed acquisition of": "completed the acquisition of {object}",
    "completed divestiture of": "completed the divestiture of {object}",
    "is subsidiary of": "is a subsidiary of {object}",
}
_IN = {  # relation → what is said of its object
    "are issued by": "that issued the {subject}",
    "is subsidiary of": "that has {subject} as a subsidiary",
    "was acquired by": "that acquired {subject}",
}


def noun(kind: str, entity: str = "", name: str = "") -> str:
    """What a thing of this type is called when it is not named; a body that is no company is "the body"."""
    if kind == "ORG" and re.search(
        r"\b(?:Committee|Board|Bank|Commission|Agency|Department|Council|Authority)\b", name
    ):
        return "body"
    return _NOUNS.get(kind, "")


def about_subject(triplet: Triplet) -> str:
    """What a triplet says of its subject, as a relative clause's words: "is headquartered in Cupertino, California"."""
    thing = article(triplet.object, triplet.object_type)
    return _OUT.get(triplet.relation, f"{triplet.relation} {{object}}").format(object=thing)


def about_object(triplet: Triplet) -> str:
    """What a triplet says of its object, as a relative clause: "whose chief financial officer is Luca Maestri"."""
    if triplet.relation in _IN:
        return _IN[triplet.relation].format(subject=triplet.subject)
    office = OFFICE.fullmatch(triplet.relation)
    if office:
        return f"whose {office[1]} is {triplet.subject}"
    words = triplet.relation.split()
    subject = article(triplet.subject, triplet.subject_type)
    if words[-1] in _PREPOSITIONS and len(words) > 1:
        return f"{words[-1]} which {subject} {' '.join(words[:-1])}"
    return f"that {subject} {triplet.relation}"


def article(name: str, kind: str) -> str:
    """A name with the article that English wants: exchanges, laws and boards take one."""
    if re.match(r"(?:the|a|an)\s", name, re.I):
        return re.sub(r"^The ", "the ", name)
    if (
        re.search(
            r"\b(?:Act|Exchange|Market|Committee|Commission|Board|Department|Union|Regulation|States|Kingdom)\b", name
        )
        and kind != "PERSON"
    ):
        return f"the {name}"
    return name
