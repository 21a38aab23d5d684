"""The benchmark as BEIR has it: corpus.jsonl, queries.jsonl, qrels/<split>.tsv."""

from collections.abc import Iterator
from typing import Any

from rarefy.data_contracts.rows import Chunk, Document, Question
from rarefy.tasks.export.files import Content, lines, records
from rarefy.tasks.export.tables import Tables

SPLITS = ("train", "test")
_CHUNK = ("doc_id", "start", "end", "kind", "section", "entity", "domain", "fiscal_year", "period_end")
_QUESTION = ("pattern", "split", "answer", "aliases", "entity", "domain", "period", "valid_from")


def beir(tables: Tables) -> dict[str, Content]:
    """The folder's files: every chunk is a passage, every accepted question a query, every gold chunk relevant."""
    judgements = {f"qrels/{split}.tsv": _judgements(tables, split) for split in SPLITS}
    return {"corpus.jsonl": lines(_passages(tables)), "queries.jsonl": lines(_queries(tables)), **judgements}


def _passages(tables: Tables) -> Iterator[dict[str, Any]]:
    documents = tables[Document]
    titles = dict(zip(documents.column("doc_id").to_pylist(), documents.column("title").to_pylist(), strict=True))
    for chunk in records(tables[Chunk], Chunk):
        title = " > ".join(filter(None, (titles.get(chunk["doc_id"]), chunk["section"])))
        metadata = {name: chunk[name] for name in _CHUNK}
        yield {"_id": chunk["chunk_id"], "title": title, "text": chunk["text"], "metadata": metadata}


def _accepted(tables: Tables) -> Iterator[dict[str, Any]]:
    return (row for row in records(tables[Question], Question) if not row["rejected_because"])


def _queries(tables: Tables) -> Iterator[dict[str, Any]]:
    for row in _accepted(tables):
        metadata = {name: row[name] for name in _QUESTION}
        yield {"_id": row["question_id"], "text": row["text"], "metadata": metadata}


def _judgements(tables: Tables, split: str) -> Iterator[bytes]:
    yield b"query-id\tcorpus-id\tscore\n"
    for row in _accepted(tables):
        if row["split"] == split:
            for chunk_id in dict.fromkeys(row["chunk_ids"]):
                yield f"{row['question_id']}\t{chunk_id}\t1\n".encode()
