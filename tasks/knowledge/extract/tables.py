"""Triplets from tables: entity, row label, value with unit and period (issue stage 3a; RARE §3.2).

A cell that the source tags (inline XBRL) takes its period, unit, scale and sign from the tag, and the table must show
them; a cell of an untagged source takes them from headers and caption, and is left alone where those do not say.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from rarefy.data_contracts.rows import Chunk, Document, Fact, Triplet, row_id
from rarefy.tasks.knowledge.extract.amounts import plain
from rarefy.tasks.knowledge.extract.cell_context import CellFact, Source
from rarefy.tasks.knowledge.extract.grouping import LONGEST, labelled, labels_of
from rarefy.tasks.knowledge.extract.labels import measure
from rarefy.tasks.knowledge.extract.markdown import Cell, Row, Table, tables
from rarefy.tasks.knowledge.extract.tagged import tagged
from rarefy.tasks.knowledge.extract.untagged import untagged
from rarefy.tasks.knowledge.extract.values import Number, number


def source_of(document: Document, chunks: list[Chunk]) -> Source:
    """Index a document's tags, and learn from its own statements what it calls each concept."""
    facts = {fact.start: fact for fact in document.facts if fact.end > fact.start}
    # not what stands in addresses ("walmart.com"), nor what the registrant is called
    small = re.findall(r"(?<![\w’'./@:-])[a-z]{2,}(?![\w@/]|\.\w)", document.text)
    vocabulary = frozenset(small) - frozenset(re.findall(r"[a-z]{2,}", document.entity.lower())) | {"company"}
    source = Source(document, facts, {}, vocabulary)
    names: dict[str, dict[str, int]] = {}
    for chunk in chunks:
        for table in tables(chunk.text) if facts and chunk.kind == "table" else ():
            for row, groups in labelled(table):
                name = measure(row.cells[0].text, labels_of(row, groups))
                for cell in row.cells[1:] if name else ():
                    fact = fact_at(cell, chunk, source)
                    if fact and not fact.dimensions and name:
                        names.setdefault(fact.concept, {}).setdefault(re.sub(r"^total ", "", name, flags=re.I), 0)
                        names[fact.concept][re.sub(r"^total ", "", name, flags=re.I)] += 1
    called = {concept: min(counts, key=lambda n: (-counts[n], len(n), n)) for concept, counts in names.items()}
    return replace(source, names=called)


def fact_at(cell: Cell, chunk: Chunk, source: Source) -> Fact | None:
    """The tag of a cell's number, None where it has none."""
    value = number(cell.text)
    return source.facts.get(chunk.start + cell.start + value.start) if value else None


def of_tables(chunk: Chunk, source: Source) -> Iterator[Triplet]:
    """Every fact that the tables of a chunk state; those that cannot be shown in the table carry a reason."""
    for table in tables(chunk.text):
        heads = [len(cell.text) <= LONGEST for cell in table.header.cells]
        for row, groups in labelled(table) if heads[:1] == [True] else ():
            for column, cell in enumerate(row.cells[1:], start=1):
                value = number(cell.text)
                if value is None or column >= len(heads) or not heads[column]:
                    continue
                fact = source.facts.get(chunk.start + cell.start + value.start)
                if fact is not None:
                    said = tagged(fact, value, table, row, groups, column, source)
                elif not source.facts:
                    said = untagged(value, table, row, groups, column, chunk, source)
                else:
                    said = None  # a tagged source does not tag its discussion; the statements say the same
                if said is not None:
                    yield triplet(said, value, cell, table, row, groups, chunk, source)


def triplet(
    said: CellFact,
    value: Number,
    cell: Cell,
    table: Table,
    row: Row,
    groups: tuple[Row, ...],
    chunk: Chunk,
    source: Source,
) -> Triplet:
    """Put what a cell says as a triplet with its row and header for proof."""
    answer = cell.text[value.start : value.end]
    negative = said.value < 0
    if negative:
        before, after = cell.text[: value.start], cell.text[value.end :]
        opened, closed = re.search(r"\([^()]*$|[-−–]\s*[$€£¥]?\s*$", before), re.match(r"\s*%?\s*\)", after)
        answer = (opened.group() if opened else "") + answer + (closed.group() if closed else "")
    elif said.unit in {"USD", "USD/shares"} and "$" + answer in cell.text:
        answer = "$" + answer
    if value.percent:
        answer = answer if answer.endswith("%") else f"{answer}%" if f"{answer}%" in cell.text else answer
    kind = "PERCENT" if value.percent else "MONEY" if said.unit.startswith("USD") else "NUMBER"
    document = source.document
    subject = f"{document.entity} {said.member}".strip()
    spelled = answer if not said.scale else f"{answer} {said.scale[:-1]}"
    when = said.period.label if said.period else ""
    header = chunk.text[table.header.start : table.header.end]
    group = next((g for g in groups if said.hangs_on and g.cells[0].text == said.hangs_on), None)
    return Triplet(
        triplet_id=row_id("table", chunk.chunk_id, cell.start, said.name, subject),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=row.start,
        end=row.end,
        subject=subject,
        relation=said.name,
        object=f"{spelled} ({when})" if when else spelled,
        source_sentence=chunk.text[row.start : row.end],
        method="table",
        subject_type=said.member_kind or "ORG",
        object_type=kind,
        header=header,
        header_start=table.header.start,
        header_end=table.header.end,
        group=chunk.text[group.start : group.end] if group else "",
        group_start=group.start if group else 0,
        group_end=group.end if group else 0,
        answer=answer,
        value=plain(said.value),
        unit="percent" if value.percent else said.unit,
        scale=said.scale,
        period=when,
        period_start=said.period.start if said.period else "",
        period_end=said.period.end if said.period else "",
        concept=said.concept,
        entity=document.entity,
        domain=document.domain,
        rejected_because=said.rejected_because or ("" if document.entity else "entity_unknown"),
    )
