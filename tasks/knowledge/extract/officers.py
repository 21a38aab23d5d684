"""Triplets from tables of executive officers: who holds which office of the registrant."""

import re
from collections.abc import Iterator

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.knowledge.extract.markdown import Table, tables

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


def of_officers(chunk: Chunk, document: Document) -> Iterator[Triplet]:
    """(person, "chief financial officer of", registrant) for each row of an officers' table."""
    if not document.entity:
        return
    for table in tables(chunk.text):
        columns = _columns(table)
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
            if not _PERSON.match(person) or chief is None or re.search(r"\b(?:former|until|from .+ to)\b", now, re.I):
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
                period=f"fiscal year {document.fiscal_year}" if document.fiscal_year else "",
                period_end=document.period_end,
                entity=document.entity,
                domain=document.domain,
            )


def _columns(table: Table) -> tuple[int, int] | None:
    """The columns of names and of offices, in a table that has an age beside them or says that it lists officers."""
    heads = [cell.text.lower() for cell in table.header.cells]
    who = next((i for i, head in enumerate(heads) if re.search(r"\bname\b|executive officer", head)), None)
    office = next(
        (i for i, head in enumerate(heads) if re.search(r"\bposition|\btitle|\boffice\b|\bcapacity", head)), None
    )
    told = any(re.search(r"\bage\b", head) for head in heads) or re.search(r"executive officers", table.lead, re.I)
    return (who, office) if who is not None and office is not None and who != office and told else None
