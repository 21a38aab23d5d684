"""Of what type a name is, by the name alone, so that one thing has one type wherever it is said."""

import re

from rarefy.tasks.knowledge.extract.places import STATES
from rarefy.tasks.text.names import FORM

_ORG = re.compile(
    rf"\b(?:{FORM}|Bank|Group|Holdings|University|College|Commission|Committee|Department|Agency|Administration|Association|Authority"
    r"|Institute|Federal Reserve(?: Board| System)?|Ministry|Bureau|Council|Union|Exchange|Court|Partners|Foundation"
    r"|Board)\.?(?: of (?:the )?(?:[A-Z][\w.]+ ?)+(?:and (?:[A-Z]\w+ ?)+)?)?$"
)
_LAW = re.compile(
    r"\b(?:Act|Acts|Regulations?|Directive|Treaty|Code)(?: of \d{4})?$|\bU\.S\.C\.|\bCFR\b|^§"
    r"|^\d+ CFR (?:part )?\d|\b(?:ASU|ASC|IFRS|FAS) (?:No\. ?)?\d"
)
_SEGMENT = re.compile(r"\bsegment$", re.I)
_COUNTRIES = frozenset(
    """
    argentina|australia|austria|belgium|brazil|canada|chile|china|colombia|czech republic|denmark|egypt|estonia|finland
    |france|germany|greece|hong kong|hungary|iceland|india|indonesia|ireland|israel|italy|japan|korea|latvia|lithuania
    |luxembourg|malaysia|mexico|netherlands|new zealand|nigeria|norway|peru|philippines|poland|portugal|puerto rico
    |russia|saudi arabia|singapore|slovenia|south africa|south korea|spain|sweden|switzerland|taiwan|thailand|turkey
    |türkiye|ukraine|united arab emirates|united kingdom|united states|united states of america|vietnam
    """.replace("\n", "").replace("  ", "").split("|")
)  # fmt: skip
_STATE_NAMES = frozenset(name.lower() for name in STATES.values())


def kind_of(name: str, entity: str = "") -> str:
    """ORG, LAW, SEGMENT or GPE where the name says so or is the document's `entity`; NAME for all others."""
    bare = re.sub(r"^the ", "", name.strip(), flags=re.I)
    if _LAW.search(bare):
        return "LAW"
    if entity and bare.casefold() == re.sub(r"^the ", "", entity, flags=re.I).casefold():
        return "ORG"
    if _SEGMENT.search(bare):
        return "SEGMENT"
    place = bare.lower()
    tail = place.rpartition(", ")[2]
    if place in _COUNTRIES or place in _STATE_NAMES or (tail in _STATE_NAMES | _COUNTRIES and bare[:1].isupper()):
        return "GPE"
    return "ORG" if bare[:1].isupper() and _ORG.search(bare) else "NAME"
