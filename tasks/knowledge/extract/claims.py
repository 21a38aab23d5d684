"""What a model claims, held to the words it quotes: a triplet with its proof, or why it does not hold (RARE R8)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rarefy.data_contracts.rows import Chunk, Triplet, row_id
from rarefy.tasks.knowledge.extract import objections
from rarefy.tasks.knowledge.extract.amounts import in_sentence, type_of
from rarefy.tasks.knowledge.extract.cells import in_row
from rarefy.tasks.knowledge.extract.kinds import kind_of
from rarefy.tasks.knowledge.extract.locate import spans
from rarefy.tasks.knowledge.extract.proof import Proof
from rarefy.tasks.knowledge.extract.rows_quoted import Line, lines, meant
from rarefy.tasks.knowledge.extract.stems import stem, words_of
from rarefy.tasks.knowledge.extract.windows import Shown, Window


class Claim(BaseModel, frozen=True):
    """A triplet."""

    # what a model leaves out, or writes as a number, costs this triplet and not all of its reply
    model_config = ConfigDict(extra="ignore")

    subject: str = Field("", description="a specific thing, clear without the document")
    relation: str = Field("", description="2 to 4 general words, no dates or names")
    object: str = Field("", description="a named thing, or one value with its unit and scale")
    chunk_id: str = Field("", description="the id of the chunk that says it")
    source_sentence: str = Field("", description="the sentence of that chunk that says it, copied word by word")

    @field_validator("*", mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return ", ".join(str(part) for part in value)
        return "" if value is None or isinstance(value, dict) else str(value)


class Claims(BaseModel, frozen=True):
    """Connected triplets."""

    model_config = ConfigDict(extra="ignore")

    triplets: tuple[Claim, ...] = Field(description="connected triplets; empty where the chunks hold no facts")


def triplet_of(claim: Claim, window: Window, chunks: Mapping[str, Chunk], prompt: str, nth: int) -> Triplet:
    """The claim as a row: accepted with the span that proves it, or with the first reason against it.

    A claim about a chunk that the window does not have stands with the window's first chunk. `prompt` is the
    instructions, whose examples are no facts; `nth` tells claims apart that were turned down.
    """
    shown = window.named(claim.chunk_id)
    chunk = (shown or window.shown[:1])[0].chunk
    entity = window.document.entity
    row = Triplet(
        triplet_id=row_id("model", window.window_id, nth, claim.subject, claim.relation, claim.object),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=0,
        end=0,
        subject=objections.resolved(claim.subject, entity),
        relation=objections.lowered(claim.relation),
        object=objections.resolved(claim.object, entity),
        source_sentence=claim.source_sentence,
        method="model",
        entity=entity,
        domain=window.document.domain,
    )
    trouble = objections.to_words(row) or ("" if shown else "unknown_chunk")
    if not trouble and f'"{row.subject}"' in prompt and f'"{row.object}"' in prompt:
        trouble = "copied_example"
    if trouble:
        return replace(row, rejected_because=trouble)
    row, line = _located(row, claim.source_sentence, shown, window, chunks)
    if not row.rejected_because:
        row = _typed(row, line, chunks[row.chunk_id], window)
    if row.rejected_because:
        return row
    return replace(row, triplet_id=row_id("model", row.chunk_id, row.start, row.subject, row.relation, row.object))


def _located(
    row: Triplet, quote: str, shown: list[Shown], window: Window, chunks: Mapping[str, Chunk]
) -> tuple[Triplet, Line | None]:
    """The row with the place of its sentence in the chunk it names, and the table's row where it is one."""
    words = f"{row.subject} {row.relation} {row.object}"
    for one in shown:
        chunk = one.chunk
        start, end, line, trouble = _place(quote, chunk.text, one.start, words)
        if trouble == "sentence_not_in_chunk" and one.start:
            first, last, _, unseen = _place(quote, chunk.text, 0, words)
            home = None if unseen else _before(chunk, first, last, chunks)
            if home:  # in what the chunk repeats of the one before: it is that one's
                said = chunk.text[first:last]
                chunk, (start, end, line, trouble) = home, _place(said, home.text, 0, words)
        if not trouble:
            break
    if trouble == "sentence_not_in_chunk":
        others = {s.chunk.chunk_id: s.chunk.text for s in window.shown if s not in shown}
        if any(not _place(quote, text, 0, words)[3] for text in others.values()):
            # named wrongly: which of two chunks was meant is not for us to say
            trouble = "sentence_in_another_chunk"
    if trouble:
        return replace(row, rejected_because=trouble), None
    row = replace(row, chunk_id=chunk.chunk_id, start=start, end=end, source_sentence=chunk.text[start:end])
    if line:
        top, bottom = line.headers[0].start, line.headers[-1].end
        row = replace(row, header=chunk.text[top:bottom], header_start=top, header_end=bottom)
        stems = {stem(word) for word in words_of(f"{quote} {words}")}
        for group in line.groups[-1:]:  # "Gross margin:", where the triplet or the quotation speaks of it
            if {stem(word) for word in words_of(group.cells[0].text)} & stems:
                span = slice(group.start, group.end)
                row = replace(row, group=chunk.text[span], group_start=group.start, group_end=group.end)
    return row, line


def _place(quote: str, text: str, since: int, words: str) -> tuple[int, int, Line | None, str]:
    """Where a quotation stands, with the table's row that it is; or why nowhere."""
    found = spans(quote, text, since)
    every = list(lines(text)) if "|" in text else []
    touched = [line for start, end in found for line in every if line.row.start < end and start < line.row.end]
    if len(touched) == 1 and len(found) == 1:
        return touched[0].row.start, touched[0].row.end, touched[0], ""
    if touched or not found:
        rows, trouble = meant(quote, text, since, words) if every else ([], "not_there")
        if rows:
            return rows[0].row.start, rows[0].row.end, rows[0], ""
        if touched or trouble == "ambiguous_row":
            return 0, 0, None, "ambiguous_row"
        return 0, 0, None, "sentence_not_in_chunk"
    if len({text[slice(*span)] for span in found}) > 1:  # around an ellipsis: two sentences begin and end alike
        wanted = {stem(word) for word in words_of(words)}
        fits = [len(wanted & {stem(word) for word in words_of(text[slice(*span)])}) for span in found]
        found = [span for span, fit in zip(found, fits, strict=True) if fit == max(fits)]
        if len({text[slice(*span)] for span in found}) > 1:
            return 0, 0, None, "ambiguous_sentence"
    return *found[0], None, ""


def _before(chunk: Chunk, start: int, end: int, chunks: Mapping[str, Chunk]) -> Chunk | None:
    """The earlier chunk that holds a span of this one too."""
    first, last = chunk.start + start, chunk.start + end
    homes = [c for c in chunks.values() if c.start < chunk.start and c.start <= first and last <= c.end]
    return min(homes, key=lambda c: c.start, default=None)


def _typed(row: Triplet, line: Line | None, chunk: Chunk, window: Window) -> Triplet:
    """The row with its object's type and value, and the words that answer; or why they are not proven."""
    document = window.document
    proof = Proof(row, chunk.text, document.entity, line)
    row = replace(row, subject_type=kind_of(row.subject, document.entity))
    if type_of(row.object):
        tags = {f.start - chunk.start: f for f in document.facts if chunk.start <= f.start < f.end <= chunk.end}
        if line:
            amount = in_row(row.object, line, f"{row.subject} {row.relation}", tags, document)
        else:
            amount = in_sentence(row.object, row.source_sentence, row.start, tags, document)
        row = replace(
            row,
            object_type=amount.type,
            answer=amount.answer,
            value=amount.value,
            unit=amount.unit,
            scale=amount.scale,
            period=amount.period,
            period_start=amount.period_start,
            period_end=amount.period_end,
            concept=amount.concept,
            rejected_because=amount.trouble,
        )
    else:
        vague = len(row.object.split()) > objections.LONG_NAME or not objections.specific(row.object)
        kind = "TEXT" if vague else kind_of(row.object, document.entity)
        row = replace(row, object_type=kind, answer=proof.answer())
        row = row if row.answer else replace(row, rejected_because=proof.trouble_with_object())
    trouble = (
        row.rejected_because
        or proof.trouble_with_subject()
        or replace(proof, row=row).trouble_with_relation()
        or proof.trouble_with_sentence()
    )
    return replace(row, rejected_because=trouble)
