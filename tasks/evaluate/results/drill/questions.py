"""Questions as a page shows them: what was asked, what is right, and the sentence that proves it in its document."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from rarefy.tasks.evaluate.results.drill.texts import Lookup, Texts

AROUND = 240  # characters of the document before and after the sentence


def told(tables: Mapping[str, pa.Table], texts: Texts, places: Iterable[int]) -> dict[int, list[Any]]:
    """By place in the table: id, text, answer, aliases, gold chunks, evidence, pattern, domain, entity, period.

    A piece of evidence is the document's title, its id, the section, chunk_id, the text before, the sentence, the text
    after, and where the sentence begins in the document (-1 where that is not known).
    """
    places = sorted(set(places))
    rows = dict(zip(places, tables["questions"].take(places).to_pylist(), strict=True)) if places else {}
    chunks = Lookup(tables["chunks"], "chunk_id").take(name for row in rows.values() for name in row["chunk_ids"])
    return {place: _question(row, chunks, texts) for place, row in rows.items()}


def _question(row: Mapping[str, Any], chunks: Mapping[str, Any], texts: Texts) -> list[Any]:
    spans = row["evidence_spans"] or []
    evidence = [
        _evidence(span, chunks.get(span["chunk_id"]), sentence, texts)
        for span, sentence in zip(spans, row["evidence"], strict=False)
    ]
    evidence += [_evidence({"chunk_id": ""}, None, sentence, texts) for sentence in row["evidence"][len(spans) :]]
    return [
        row["question_id"],
        texts.put(row["text"]),
        texts.put(row["answer"]),
        [texts.put(alias) for alias in row["aliases"]],
        row["chunk_ids"],
        evidence,
        *(row.get(name) or "" for name in ("pattern", "domain", "entity", "period")),
    ]


def _whole(text: str, at: int) -> int:
    """The beginning of the first whole word from a place on."""
    if at <= 0:
        return 0
    found = text.find(" ", at)
    return at if found < 0 else found + 1


def _evidence(span: Mapping[str, Any], chunk: Mapping[str, Any] | None, sentence: str, texts: Texts) -> list[Any]:
    if chunk is None:
        return [0, "", 0, span["chunk_id"], 0, texts.put(sentence), 0, -1]
    start, end, text = span["start"], span["end"], chunk["text"]
    before, after = text[_whole(text, start - AROUND) : start], text[end : end + AROUND].rsplit(" ", 1)[0]
    return [
        texts.put(chunk["title"]),
        chunk["doc_id"],
        texts.put(chunk["section"]),
        chunk["chunk_id"],
        texts.put(("… " if start > AROUND else "") + before),
        texts.put(text[start:end]),
        texts.put(after + (" …" if end + AROUND < len(text) else "")),
        chunk["start"] + start,
    ]
