"""What sources say of themselves, in the form that the contract of documents asks: the last step of every reader."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from rarefy.data_contracts.rows import Block, Document, Fact, row_id
from rarefy.data_contracts.suites.corpus import DOCUMENT
from rarefy.data_contracts.suites.rule import RowRule
from rarefy.tasks.corpus.read.dates import day
from rarefy.tasks.corpus.read.languages import language
from rarefy.tasks.corpus.read.names import line, name, sound
from rarefy.tasks.corpus.read.unreadable import Unreadable

YEARS = range(1000, 10_000)
GIVEN = 200  # characters kept of a value that could not be understood
_HASH, _KIND = re.compile(r"[0-9a-f]{16,128}"), re.compile(r"[\w.+-]+/[\w.+-]+")
_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![^\S\n]*\n))*")


def settle(document: Document) -> Document:
    """The document with days, year, language and names in their forms; what could not be read is in `metadata`.

    A value that is none becomes "" (a year 0) and is kept as `metadata["<field>_as_given"]`: one odd value must
    cost neither the document nor the build. Raises Unreadable where a document breaks its contract all the same.
    """
    text = sound(document.text)
    settled: dict[str, Any] = {
        "period_start": day(document.period_start),
        "period_end": day(document.period_end),
        "as_of": day(document.as_of),
        "language": language(document.language),
        "fiscal_year": document.fiscal_year if document.fiscal_year in YEARS else 0,
    }
    if settled["period_start"] and settled["period_end"] and settled["period_start"] > settled["period_end"]:
        settled["period_start"] = ""
    metadata = {sound(str(key)): sound(str(value)) for key, value in document.metadata.items()}
    for field, value in settled.items():
        if not value and (given := sound(str(getattr(document, field) or "").strip())):
            metadata.setdefault(f"{field}_as_given", given[:GIVEN])
    facts, undated = date_facts(document.facts)
    if undated:
        metadata["fact_dates_unread"] = str(undated)
    made = replace(
        document,
        doc_id=name(document.doc_id),
        content_hash=hashed if _HASH.fullmatch(hashed := document.content_hash) else row_id(hashed),
        media_type=kind if _KIND.fullmatch(kind := document.media_type) else "application/octet-stream",
        source=name(document.source),
        title=line(document.title),
        entity=line(document.entity),
        form=line(document.form),
        domain=line(document.domain).lower() or "default",
        text=text,
        blocks=tuple(_sound_block(block) for block in document.blocks) or _paragraphs(text),
        facts=facts,
        metadata=metadata,
        **settled,
    )
    if broken := _broken(made):
        raise Unreadable("breaks_contract", f"{line(broken)}; mend its reader or remove it")
    return made


def date_facts(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], int]:
    """The facts with ISO dates or none, and how many had dates that are none."""
    out: list[Fact] = []
    undated = 0
    for fact in facts:
        start, end = day(fact.period_start), day(fact.period_end)
        if start and end and start > end:
            start = end = ""
        undated += bool(fact.period_start and not start) or bool(fact.period_end and not end)
        if (start, end) != (fact.period_start, fact.period_end):
            fact = replace(fact, period_start=start, period_end=end)
        if not (fact.concept + fact.value + fact.unit + "".join(fact.dimensions)).isascii():
            fact = replace(
                fact,
                concept=sound(fact.concept),
                value=sound(fact.value),
                unit=sound(fact.unit),
                dimensions=tuple(map(sound, fact.dimensions)),
            )
        out.append(fact)
    return tuple(out), undated


def _sound_block(block: Block) -> Block:
    return block if block.section.isascii() else replace(block, section=sound(block.section))


def _paragraphs(text: str) -> tuple[Block, ...]:
    """A block for each stretch between blank lines, for a reader from outside that gives none."""
    return tuple(Block("text", found.start(), found.end()) for found in _PARAGRAPH.finditer(text))


def _broken(document: Document) -> str:
    """The first rule on a document alone that it breaks; "" where it keeps them all."""
    for columns, judge in _judges():
        if complaint := judge(*(_values(document, column) for column in columns)):
            return f"{', '.join(columns)}: {complaint}"
    return ""


def _values(document: Document, column: str) -> Any:
    field, _, inner = column.partition(".")
    value = getattr(document, field)
    return [getattr(part, inner) for part in value] if inner else value


@cache
def _judges() -> tuple[tuple[tuple[str, ...], Callable[..., str | None]], ...]:
    return tuple((rule.columns, rule.judge({})) for rule in DOCUMENT.of_kind(RowRule))
