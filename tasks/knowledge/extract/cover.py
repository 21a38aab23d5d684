"""Triplets from the cover page and its tags: where, what and by whom a registrant is (issue stage 3b)."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.knowledge.extract.periods import spoken
from rarefy.tasks.knowledge.extract.places import exchange, state
from rarefy.tasks.text.quantities import quantities

# tag → relation, type of the object, the one name of what is shown
_PLAIN: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "EntityIncorporationStateCountryCode": ("is incorporated in", "GPE", state),
    "EntityAddressAddressLine1": ("has principal executive offices at", "TEXT", str),
    "AuditorName": ("is audited by", "ORG", str),
    "SecurityExchangeName": ("is listed on", "EXCHANGE", exchange),
}
_FROM_METADATA = {
    "EntityIncorporationStateCountryCode": "state_of_incorporation",
    "EntityAddressAddressLine1": "address",
    "EntityAddressCityOrTown": "city",
    "EntityAddressStateOrProvince": "state",
    "AuditorName": "auditor",
    "SecurityExchangeName": "exchange",
    "TradingSymbol": "ticker",
}
_COVER = 12_000  # characters: the cover page of a filing, its table of securities included


def of_cover(document: Document, chunks: Sequence[Chunk]) -> Iterator[Triplet]:
    """What the cover says of the registrant, each with the line that says it; nothing for a document without one."""
    if not document.entity or not document.form:
        return
    places = _places(document)
    for tag, (relation, kind, name) in _PLAIN.items():
        for start, end, security in places.get(tag, ()):
            if tag == "SecurityExchangeName" and not _is_common(security):
                continue
            yield from _said(
                document, chunks, document.entity, "ORG", relation, (start, end), kind, name(document.text[start:end])
            )
            break
    city, region = (places.get(tag, [None])[0] for tag in ("EntityAddressCityOrTown", "EntityAddressStateOrProvince"))
    if city:
        span = (city[0], city[1])
        where = document.text[city[0] : city[1]].strip(" ,")
        if region and 0 < region[0] - city[1] <= 3 and "\n" not in document.text[city[0] : region[1]]:
            span = (city[0], region[1])
        if region:
            where = f"{where}, {state(document.text[region[0] : region[1]])}"
        yield from _said(document, chunks, document.entity, "ORG", "is headquartered in", span, "GPE", where)
        if region:
            there = state(document.text[region[0] : region[1]])
            yield from _said(
                document, chunks, document.entity, "ORG", "is based in", (region[0], region[1]), "STATE", there
            )
    for start, end, security in places.get("TradingSymbol", ()):
        if _is_common(security):
            # a literal: a symbol names its company, and would give away whom a multi-hop question means
            yield from _said(document, chunks, document.entity, "ORG", "trades under symbol", (start, end), "TEXT")
            break
    for start, end, _ in places.get("Security12bTitle", ()):
        title = document.text[start:end]
        if _is_note(title):
            yield from _said(document, chunks, title, "SECURITY", "are issued by", (start, end), "ORG", document.entity)
    yield from _counts(document, chunks)


def _is_note(title: str) -> bool:
    """Does a line of a security's title give a rate, and a year after it: "1.375% Notes due 2029"?"""
    rates = ((line, re.search(r"\d%", line)) for line in title.split("\n"))
    return any(rate and re.search(r"\b(?:19|20)\d\d\b", line[rate.end() :]) for line, rate in rates)


def _is_common(security: str) -> bool:
    return not security or bool(re.search(r"\bcommon\b|\bordinary\b|class [a-c]\b|\bshares\b", security, re.I))


def _places(document: Document) -> dict[str, list[tuple[int, int, str]]]:
    """Where each cover item is shown, with the title of the security whose row it stands in."""
    places: dict[str, list[tuple[int, int, str]]] = {}
    titles = [(f.start, f.end) for f in document.facts if f.concept == "dei:Security12bTitle" and f.end > f.start]
    for fact in document.facts:
        if fact.concept.startswith("dei:") and fact.end > fact.start:
            row = document.text.rfind("\n", 0, fact.start), document.text.find("\n", fact.end)
            security = next((document.text[s:e] for s, e in titles if row[0] < s < row[1]), "")
            places.setdefault(fact.concept[4:], []).append((fact.start, fact.end, security))
    for tag, key in _FROM_METADATA.items():
        value = document.metadata.get(key, "")
        if value and tag not in places:
            # the auditor signs far from the cover; the rest is on it
            limit = len(document.text) if tag == "AuditorName" else _COVER
            # the Commission's own address stands above the registrant's
            words = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)(?!,?\s*D\.?\s?C)", re.I)
            after = (
                places["EntityAddressCityOrTown"][0][1] if key == "state" and "EntityAddressCityOrTown" in places else 0
            )
            match = words.search(document.text, after, limit)
            if match:
                places[tag] = [(match.start(), match.end(), "")]
    return places


def _line(text: str, start: int, end: int) -> tuple[int, int]:
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", end)
    return left, len(text) if right < 0 else right


def _said(
    document: Document,
    chunks: Sequence[Chunk],
    subject: str,
    subject_type: str,
    relation: str,
    span: tuple[int, int],
    kind: str,
    thing: str = "",
) -> Iterator[Triplet]:
    """The triplet whose words stand at a span of the document, in each chunk that holds their line."""
    left, right = _line(document.text, *span)
    words = document.text[span[0] : span[1]].strip()
    if not words:
        return
    for chunk in chunks:
        if chunk.start <= left and right <= chunk.end:
            yield Triplet(
                triplet_id=row_id("cover", chunk.chunk_id, left - chunk.start, subject, relation, thing or words),
                chunk_id=chunk.chunk_id,
                doc_id=document.doc_id,
                start=left - chunk.start,
                end=right - chunk.start,
                subject=subject,
                relation=relation,
                object=thing or words,
                source_sentence=document.text[left:right],
                method="cover",
                subject_type=subject_type,
                object_type=kind,
                answer=words,
                entity=document.entity,
                domain=document.domain,
            )
            return


def _counts(document: Document, chunks: Sequence[Chunk]) -> Iterator[Triplet]:
    """The public float and the shares outstanding, with the day they were counted."""
    for fact in document.facts:
        name = {
            "dei:EntityPublicFloat": "aggregate market value of common equity held by non-affiliates",
            "dei:EntityCommonStockSharesOutstanding": "shares of common stock outstanding",
        }.get(fact.concept)
        if name is None or fact.end <= fact.start or fact.dimensions or not fact.period_end:
            continue
        words = document.text[fact.start : fact.end]
        near = document.text[fact.start : fact.end + 12]  # a tag is on the digits alone: "$1.2" of "$1.2 billion"
        one = next(iter(quantities(near)), None)
        tail = near[len(words) : one.end] if one and one.scale else ""
        day = spoken(date.fromisoformat(fact.period_end))
        dollars = fact.unit == "USD"
        answer = ("$" if dollars and document.text[fact.start - 1] == "$" else "") + words + tail
        said = f"{answer} ({day})"
        kind = "MONEY" if dollars else "NUMBER"
        for triplet in _said(document, chunks, document.entity, "ORG", name, (fact.start, fact.end), kind, said):
            yield replace(
                triplet,
                answer=answer,
                value=fact.value,
                unit=fact.unit,
                period=day,
                period_end=fact.period_end,
                concept=fact.concept,
            )
