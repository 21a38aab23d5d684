"""Triplets about a registrant: from the cover page with its tags, and from tables of officers (issue stage 3b)."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.knowledge.extract.entity_types import canonical_exchange, canonical_state
from rarefy.tasks.knowledge.extract.markdown import Table, parse_tables
from rarefy.tasks.knowledge.extract.periods import spell_date, year_of_report
from rarefy.tasks.text.quantities import quantities

# tag → relation, type of the object, function that makes what is shown canonical
_PLAIN: dict[str, tuple[str, str, Callable[[str], str]]] = {
    "EntityIncorporationStateCountryCode": ("is incorporated in", "GPE", canonical_state),
    "EntityAddressAddressLine1": ("has principal executive offices at", "TEXT", str),
    "AuditorName": ("is audited by", "ORG", str),
    "SecurityExchangeName": ("is listed on", "EXCHANGE", canonical_exchange),
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
# "Our corporate co-headquarters are", "our headquarters in Puget Sound and Arlington, Virginia"
_SEVERAL_SEATS = re.compile(
    r"\b(?:co-|(?:dual|joint|two) )headquarters\b"
    r"|\b(?:[Oo]ur|[Tt]he Company[’']s) (?:\w+ ){0,2}headquarters (?:(?:is|are)(?: \w+){0,2} )?in [A-Z][^.;\n]{2,50}?,?"
    r" and (?:in )?[A-Z][\w.]+(?: [A-Z][\w.]+)*, [A-Z]"
)
# "we no longer maintain a corporate headquarters"
_NO_SEAT = re.compile(
    r"\b(?:no longer|not) (?:currently )?(?:have|maintain|designate) an? "
    r"(?:(?:corporate|principal|physical|global|single|central) ){0,2}headquarters\b"
)
_COVER = 12_000  # characters: the cover page of a filing, its table of securities included


def extract_cover(document: Document, chunks: Sequence[Chunk]) -> Iterator[Triplet]:
    """What a filing's cover page says of the registrant, each fact with its line; nothing for other documents."""
    if not document.entity or not document.form:
        return
    text, registrant = document.text, (document.entity, "ORG")
    items = _find_cover_items(document)
    for tag, (relation, kind, canonical_name) in _PLAIN.items():
        said: set[str] = set()
        for start, end, security in items.get(tag, ()):
            listing = tag == "SecurityExchangeName"
            thing = canonical_name(text[start:end])
            if thing in said or (said and not listing) or (listing and not _is_common(security)):
                continue
            said.add(thing)  # a stock may be listed on two exchanges
            yield from _make_triplets(document, chunks, *registrant, relation, (start, end), kind, thing)
    city, region = (items.get(tag, [None])[0] for tag in ("EntityAddressCityOrTown", "EntityAddressStateOrProvince"))
    if city:
        span = (city[0], city[1])
        place = re.sub(r" \d\d?$", "", text[city[0] : city[1]].strip(" ,"))  # "Dublin 2": a postal district
        if region and 0 < region[0] - city[1] <= 3 and "\n" not in text[city[0] : region[1]]:
            span = (city[0], region[1])
        state = canonical_state(text[region[0] : region[1]]) if region else ""
        place = f"{place}, {state}" if region else place
        # where there is a second headquarters, or none, neither city nor state is the one
        reasons = ((_NO_SEAT, "no_headquarters"), (_SEVERAL_SEATS, "several_headquarters"))
        reason = next((name for said, name in reasons if said.search(text)), "")
        seats = [*_make_triplets(document, chunks, *registrant, "is headquartered in", span, "GPE", place)]
        if region:
            seats += _make_triplets(document, chunks, *registrant, "is based in", region[:2], "STATE", state)
        yield from (replace(seat, rejected_because=reason) for seat in seats)
    for start, end, security in items.get("TradingSymbol", ()):
        if _is_common(security):
            # a literal: a symbol names its company, and would give away whom a multi-hop question means
            yield from _make_triplets(document, chunks, *registrant, "trades under symbol", (start, end), "TEXT")
            break
    for start, end, _ in items.get("Security12bTitle", ()):
        note, span = (text[start:end], "SECURITY"), (start, end)
        if _is_note(text[start:end]):
            yield from _make_triplets(document, chunks, *note, "are issued by", span, "ORG", document.entity)
    yield from _extract_counts(document, chunks)


def _is_note(title: str) -> bool:
    """Whether a line of a security's title gives a rate and then a year: "1.375% Notes due 2029"."""
    rates = ((line, re.search(r"\d%", line)) for line in title.split("\n"))
    return any(rate and re.search(r"\b(?:19|20)\d\d\b", line[rate.end() :]) for line, rate in rates)


def _is_common(security: str) -> bool:
    return not security or bool(re.search(r"\bcommon\b|\bordinary\b|class [a-c]\b|\bshares\b", security, re.I))


def _find_cover_items(document: Document) -> dict[str, list[tuple[int, int, str]]]:
    """(start, end, title of the security in whose row it stands) for each cover item, by tag."""
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
            if tag == "AuditorName":  # a biography may name the firm, too: its own line is where it signs
                signed = (one for one in words.finditer(document.text) if _is_own_line(document.text, *one.span()))
                match = next(signed, match)
            if match:
                places[tag] = [(match.start(), match.end(), "")]
    return places


def _is_own_line(text: str, start: int, end: int) -> bool:
    left, right = _line_span(text, start, end)
    return not re.sub(r"/s/|\W", "", text[left:start] + text[end:right])


def _line_span(text: str, start: int, end: int) -> tuple[int, int]:
    left = text.rfind("\n", 0, start) + 1
    right = text.find("\n", end)
    return left, len(text) if right < 0 else right


def _make_triplets(
    document: Document,
    chunks: Sequence[Chunk],
    subject: str,
    subject_type: str,
    relation: str,
    span: tuple[int, int],
    kind: str,
    thing: str = "",
) -> Iterator[Triplet]:
    """The triplet of the words at a span of the document, from the first chunk that holds their line."""
    left, right = _line_span(document.text, *span)
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


def _extract_counts(document: Document, chunks: Sequence[Chunk]) -> Iterator[Triplet]:
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
        amount = next(iter(quantities(near)), None)
        tail = near[len(words) : amount.end] if amount and amount.scale else ""
        day = spell_date(date.fromisoformat(fact.period_end))
        dollars = fact.unit == "USD"
        answer = ("$" if dollars and document.text[fact.start - 1] == "$" else "") + words + tail
        value_and_day = f"{answer} ({day})"
        kind = "MONEY" if dollars else "NUMBER"
        for triplet in _make_triplets(
            document, chunks, document.entity, "ORG", name, (fact.start, fact.end), kind, value_and_day
        ):
            yield replace(
                triplet,
                answer=answer,
                value=fact.value,
                unit=fact.unit,
                period=day,
                period_end=fact.period_end,
                concept=fact.concept,
            )


# Offices that one person holds at a time; "Senior Vice President" would single nobody out.
_OFFICE = re.compile(
    r"\b(Chief [A-Z][\w&-]*(?:,? (?:and |& )?[A-Z][\w&-]*){0,3}? Officer|Controller|General Counsel|Treasurer|President"
    r"|Chair(?:man|woman|person)?(?: of the Board(?: of Directors)?)?|Secretary)\b"
)
# "Chief Executive Officer – Beauty" and "President of Walmart U.S." lead a part, not the registrant
_OF_A_PART = re.compile(
    r"\s*(?:[-–—,]\s*(?!(?:and|Chief|President|Director|Executive|Senior|Vice|Member|Treasurer|Secretary|Chair)\b|Chair)[A-Z]"
    r"|of\s+(?!the (?:Company|Board)|our ))"
)
_PERSON = re.compile(
    r"^(?:(?:Dr|Mr|Ms|Mrs)\.? )?[A-Z][\w.’'-]*(?: [A-Z][\w.’'()“”\"-]*){1,4}(?:,? (?:Jr|Sr|II|III|IV)\.?)?$"
)


def extract_officers(chunk: Chunk, document: Document) -> Iterator[Triplet]:
    """(person, "chief financial officer of", registrant) for each row of an officers' table."""
    if not document.entity:
        return
    for table in parse_tables(chunk.text):
        columns = _officer_columns(table)
        if columns is None:
            continue
        who, office = columns
        for row in table.rows:
            if len(row.cells) <= max(columns):
                continue
            person = re.sub(r"\s*\(\d+\)$|\*+$", "", row.cells[who].text).strip()
            # a column of careers begins with what the person is now; what follows is history
            now = re.split(r"(?<=[a-z\d])[.;]\s", row.cells[office].text)[0]
            titles = [m.group(1) for m in _OFFICE.finditer(now) if not _OF_A_PART.match(now, m.end())]
            chief = next((t for t in titles if t.startswith("Chief")), None)
            if (
                not _PERSON.match(person)
                or chief is None
                or re.search(r"\b(?:former(?:ly)?|retired|until|from .+ to)\b", now, re.I)
            ):
                continue
            yield Triplet(
                triplet_id=row_id("officer", chunk.chunk_id, row.start, person),
                chunk_id=chunk.chunk_id,
                doc_id=chunk.doc_id,
                start=row.start,
                end=row.end,
                subject=person,
                relation=f"{chief.lower()} of",
                object=document.entity,
                source_sentence=chunk.text[row.start : row.end],
                method="table",
                subject_type="PERSON",
                object_type="ORG",
                header=chunk.text[table.header.start : table.header.end],
                header_start=table.header.start,
                header_end=table.header.end,
                answer=person,
                period=year_of_report(document),
                period_end=document.period_end,
                entity=document.entity,
                domain=document.domain,
            )


def _officer_columns(table: Table) -> tuple[int, int] | None:
    """The columns of names and of offices, in a table that has an age beside them or says that it lists officers."""
    heads = [cell.text.lower() for cell in table.header.cells]
    who = next((i for i, head in enumerate(heads) if re.search(r"\bname\b|executive officer", head)), None)
    office = next(
        (i for i, head in enumerate(heads) if re.search(r"\bposition|\btitle|\boffice\b|\bcapacity", head)), None
    )
    lists_officers = any(re.search(r"\bage\b", head) for head in heads) or re.search(
        r"executive officers", table.lead, re.I
    )
    return (who, office) if who is not None and office is not None and who != office and lists_officers else None
