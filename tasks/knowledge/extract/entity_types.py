"""The type that a name alone gives (organisation, law, place), and canonical names of states and exchanges."""

import re

from rarefy.tasks.text.names import FORM
from rarefy.tasks.text.states import STATES


def canonical_state(shown: str) -> str:
    """ "California" for "CA", "CALIFORNIA" and "State of California"; a place outside the list as it is shown."""
    plain = re.sub(r"^(?:the )?(?:state|commonwealth) of ", "", shown.strip(" ,."), flags=re.I)
    by_name = {name.lower(): name for name in STATES.values()}
    return (
        STATES.get(plain.upper())
        or by_name.get(plain.lower())
        or (plain.title() if plain.isupper() and len(plain) > 3 else plain)
    )


def canonical_exchange(shown: str) -> str:
    """ "Nasdaq" and "New York Stock Exchange" for their many spellings; others as shown."""
    if re.search(r"nasdaq", shown, re.I):
        return "Nasdaq"
    if re.search(r"\bnyse\b(?! (?:american|arca))|new york stock exchange", shown, re.I):
        return "New York Stock Exchange"
    return shown


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


def entity_type(name: str, entity: str = "") -> str:
    """ORG, LAW, SEGMENT or GPE where the name alone (or its being the document's `entity`) says so; else NAME."""
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
