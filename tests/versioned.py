"""Small benchmarks from a few words: documents of sections of sentences, some of which state what is asked about.

A sentence "Oslo | population | 700 | 2024" states a fact, and the question about it; any other is text.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from rarefy.data_contracts.rows import Block, Chunk, Document, Question, Span, Triplet, Variant, row_id
from rarefy.data_contracts.tables import to_table

Sections = Sequence[tuple[str, Sequence[str]]]
ROWS = (Document, Chunk, Triplet, Question, Variant)


def benchmark(documents: Mapping[str, Sections]) -> dict[type, pa.Table]:
    """The tables of these documents: a chunk for each sentence, a question for all that one value is stated of."""
    rows = {row_type: [] for row_type in ROWS}
    for doc_id, sections in documents.items():
        _document(doc_id, sections, rows)
    asked = Counter((row.subject, row.relation, row.period) for row in rows[Triplet])
    chunks = {row.chunk_id: row for row in rows[Chunk]}
    for row in rows[Triplet]:
        if asked[row.subject, row.relation, row.period] == 1:
            rows[Question].append(_question(row, chunks[row.chunk_id]))
    for row in rows[Question]:
        rows[Variant] += [Variant(row_id(row.question_id, name), row.question_id, "query", name, row.text)
                          for name in ("none", "typo")]  # fmt: skip
    return {row_type: to_table(made, row_type) for row_type, made in rows.items()}


def _document(doc_id: str, sections: Sections, rows: dict[type, list]) -> None:
    text, blocks, chunks = "", [], []
    times = Counter()
    for title, sentences in sections:
        if title:
            blocks.append(Block("heading", len(text), len(text) + len(title) + 3, title.rpartition(" > ")[0]))
            text += f"## {title.rpartition(' > ')[2]}\n\n"
            blocks[-1] = Block("heading", blocks[-1].start, len(text) - 2, title.rpartition(" > ")[0])
        for sentence in sentences:
            start = len(text)
            text += f"{sentence}\n\n"
            blocks.append(Block("text", start, start + len(sentence), title))
            name = row_id(doc_id, sentence, times[sentence])
            times[sentence] += 1
            chunks.append(Chunk(name, doc_id, start, start + len(sentence), "text", title, sentence, 5))
            if sentence.count(" | ") == 3:
                rows[Triplet].append(_triplet(doc_id, name, sentence))
    content = hashlib.sha256(text.encode()).hexdigest()[:32]
    rows[Document].append(Document(doc_id, content, doc_id, f"Report {doc_id}", "text/plain", text, tuple(blocks)))
    rows[Chunk] += chunks


def _triplet(doc_id: str, chunk_id: str, sentence: str) -> Triplet:
    subject, relation, value, period = sentence.split(" | ")
    number = value.replace(",", "").isdecimal()
    return Triplet(
        row_id("fact", chunk_id), chunk_id, doc_id, 0, len(sentence), subject, relation, value, sentence, "table",
        object_type="NUMBER" if number else "GPE", answer=value, value=value if number else "", period=period,
        subject_key=f"NAME:{subject}", relation_key=relation, object_key=f"KEY:{value}",
    )  # fmt: skip


def _question(row: Triplet, chunk: Chunk) -> Question:
    path, text = row_id("path", row.triplet_id), f"What was the {row.relation} of {row.subject} in {row.period}?"
    return Question(
        row_id("question", path, text), path, "single", text, row.answer, (), (row.triplet_id,), (chunk.chunk_id,),
        (chunk.text,), (Span(chunk.chunk_id, 0, len(chunk.text)),), period=row.period, split="test",
    )  # fmt: skip
