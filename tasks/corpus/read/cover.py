"""Who a filing is by and what period it covers: from its `dei:` facts, else from the words of its cover page."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rarefy.data_contracts.rows import Block, Fact
from rarefy.tasks.corpus.read import cover_page
from rarefy.tasks.corpus.read.cover_page import iso, year_before
from rarefy.tasks.corpus.read.registrant import preferred_name
from rarefy.tasks.corpus.read.signed import signed

COVER = 12_000  # characters: the cover page, its table of securities included
_PLAIN = {
    "cik": "EntityCentralIndexKey",
    "ein": "EntityTaxIdentificationNumber",
    "file_number": "EntityFileNumber",
    "state_of_incorporation": "EntityIncorporationStateCountryCode",
    "fiscal_year_end": "CurrentFiscalYearEndDate",
    "address": "EntityAddressAddressLine1",
    "city": "EntityAddressCityOrTown",
    "state": "EntityAddressStateOrProvince",
    "zip": "EntityAddressPostalZipCode",
    "country": "EntityAddressCountry",
    "auditor": "AuditorName",
    "auditor_location": "AuditorLocation",
    "auditor_id": "AuditorFirmId",
    "filer_category": "EntityFilerCategory",
}
_COMMON = re.compile(r"\b(?:common|ordinary|class [a-c]|shares|stock)\b", re.I)


@dataclass(slots=True)
class About:
    """What a filing says of itself."""

    name: str = ""  # "0000320193:10-K:2024-09-28"
    title: str = ""
    entity: str = ""
    form: str = ""
    fiscal_year: int = 0
    period_start: str = ""
    period_end: str = ""
    as_of: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


def describe(text: str, blocks: Sequence[Block], facts: Sequence[Fact], head: str) -> About:
    """What the filing says of itself; `head` is the beginning of its source, where the SEC's own header may stand."""
    dei = {fact.concept[4:]: fact for fact in reversed(facts) if fact.concept.startswith("dei:") and fact.value}
    said = cover_page.read(text[:COVER], [block for block in blocks if block.end <= COVER])
    header = cover_page.sec_header(head)

    def tagged(name: str) -> str:
        return dei[name].value if name in dei else ""

    about = About()
    about.form = tagged("DocumentType") or header.get("form", "") or said.get("form", "")
    if not about.form:
        return about
    tag = dei.get("EntityRegistrantName")
    named = _registrant_shown(text, tag) or said.get("registrant", "") or header.get("registrant", "")
    about.entity = preferred_name(_hyphenated(named, text), text) if named.isupper() else named
    _date(about, dei, said, header, text)
    about.as_of = header.get("filed", "") or signed(text, about.period_end)
    metadata = {key: tagged(name).strip(" ,;") for key, name in _PLAIN.items()} | _securities(facts)
    metadata["phone"] = cover_page.phone(tagged("CityAreaCode"), tagged("LocalPhoneNumber"))
    metadata["public_float"] = tagged("EntityPublicFloat")
    metadata["shares_outstanding"] = _outstanding(facts)
    if not metadata["auditor"]:
        metadata["auditor"], metadata["auditor_location"] = cover_page.auditor(text)
    for found in (said, header):
        for key in ("address", "city", "state"):
            if found.get(key, "").isupper() and len(found[key]) > 2:
                found[key] = found[key].title()
    for found in (said, header):
        for key, value in found.items():
            if key not in ("form", "registrant", "period", "filed") and not metadata.get(key):
                metadata[key] = value
    about.metadata = {key: value for key, value in metadata.items() if value}
    if about.period_end and (cik := metadata["cik"]):
        about.name = f"{cik.zfill(10)}:{about.form}:{about.period_end}"
    if about.entity:
        period = f"fiscal year {about.fiscal_year}" if about.fiscal_year else about.period_end
        about.title = f"{about.entity}, Form {about.form}" + (f" for {period}" if period else "")
    return about


def _hyphenated(name: str, text: str) -> str:
    """The name with the hyphens that the text has in it and EDGAR's index leaves out: "COCA COLA CO"."""
    words = name.split()
    for first, second in pairwise(words[:-1]):
        pair = Counter(re.findall(rf"\b{re.escape(first)}([- ]){re.escape(second)}\b", text[:400_000], re.I))
        if pair["-"] > pair[" "]:
            name = name.replace(f"{first} {second}", f"{first}-{second}")
    return name


def _registrant_shown(text: str, fact: Fact | None) -> str:
    """The registrant's name as the cover writes it, of which the tag may cover only a part."""
    if fact is None:
        return ""
    if not fact.end:
        return fact.value
    end = fact.end
    while end < len(text) and (text[end].isalnum() or text[end] in "&.'’"):
        end += 1  # "NVIDIA CORP" is tagged in "NVIDIA CORPORATION"
    return text[fact.start : end].strip(" ,")


def _date(about: About, dei: dict[str, Fact], said: dict[str, str], header: dict[str, str], text: str) -> None:
    fact = dei.get("DocumentPeriodEndDate") or dei.get("DocumentType")
    if fact and fact.period_end:
        about.period_start, about.period_end = fact.period_start, fact.period_end
    else:
        about.period_end = said.get("period") or header.get("period", "")
        about.period_start = year_before(about.period_end)
    if (end := dei.get("DocumentPeriodEndDate")) and iso(end.value):
        about.period_end = iso(end.value)
    focus = dei["DocumentFiscalYearFocus"].value if "DocumentFiscalYearFocus" in dei else ""
    if re.fullmatch(r"(?:19|20)\d\d", focus):
        about.fiscal_year = int(focus)
    elif about.period_end:
        about.fiscal_year = _fiscal_year(int(about.period_end[:4]), int(about.period_end[5:7]), text)


def _fiscal_year(year: int, month: int, text: str) -> int:
    """The year that the registrant calls it: one that ends early in a year may bear the name of the year before."""
    if month > 3:
        return year
    named = Counter(re.findall(r"\bfiscal(?:\s+year)?\s+((?:19|20)\d\d)\b", text, re.I))
    return year - 1 if named[str(year - 1)] > named[str(year)] and not named[str(year)] else year


def _securities(facts: Sequence[Fact]) -> dict[str, str]:
    """Title, exchange and ticker of the registrant's common stock, else of the first security listed."""
    listed: dict[tuple[str, ...], dict[str, str]] = {}
    for fact in facts:
        if key := {"Security12bTitle": "security", "SecurityExchangeName": "exchange", "TradingSymbol": "ticker"}.get(
            fact.concept.removeprefix("dei:")
        ):
            listed.setdefault(fact.dimensions, {}).setdefault(key, fact.value)
    common = [found for found in listed.values() if _COMMON.search(found.get("security", ""))]
    return next(iter(common or listed.values()), {})


def _outstanding(facts: Sequence[Fact]) -> str:
    """The shares outstanding, of all classes together."""
    counts = [fact for fact in facts if fact.concept == "dei:EntityCommonStockSharesOutstanding"]
    whole = [fact.value for fact in counts if not fact.dimensions]
    classes = {fact.dimensions: fact.value for fact in counts if re.fullmatch(r"\d+", fact.value)}
    return whole[0] if whole else str(sum(map(int, classes.values()))) if classes else ""
