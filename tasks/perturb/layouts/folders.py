"""Layouts of several files: BEIR, AutoRAG, the RARE authors' own, and a benchmark that `rarefy build` made."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rarefy.tasks.perturb.layouts.fields import FieldFault, Record, first, rows_of, text_of, texts_of
from rarefy.tasks.perturb.layouts.passages import keyed, proven
from rarefy.tasks.perturb.layouts.plain import ALIASES, ANSWER, answered, of
from rarefy.tasks.perturb.layouts.question_record import Passage, QuestionRecord, Skipped
from rarefy.tasks.perturb.layouts.records import load, records

Read = Iterator[QuestionRecord | Skipped]


def beir(folder: Path) -> Read:
    """Queries with the passages that the qrels call relevant, highest score first; answers where queries have some.

    Of the corpus nothing else is read: it may hold millions.
    """
    relevant = _qrels(folder)
    wanted = {corpus_id for judged in relevant.values() for corpus_id in judged}
    texts = _passages(folder / "corpus.jsonl", wanted, "_id", "text")
    for found in records(folder / "queries.jsonl"):
        if isinstance(found, Skipped):
            yield found
            continue
        place, record = found
        inner = record.get("metadata")
        row = {**(inner if isinstance(inner, Mapping) else {}), **record}
        query_id = text_of(record.get("_id"), "_id")
        if query_id not in relevant:
            yield Skipped(f"queries.jsonl, {place}", "not_judged", "no qrels name it; what answers it is not known")
            continue
        judged = sorted(relevant[query_id].items(), key=lambda pair: -pair[1])
        passages = [texts[corpus_id] for corpus_id, _ in judged if corpus_id in texts]
        name = first(row, *ANSWER)
        aliases = first(row, *ALIASES)
        answers = texts_of(row[name], name) + (texts_of(row[aliases], aliases) if aliases else ()) if name else ()
        yield from of(f"queries.jsonl, {place}", {**row, "question": record.get("text")}, answers, tuple(passages))


def _qrels(folder: Path) -> dict[str, dict[str, float]]:
    """The scores above 0, by query and passage, of all splits."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    files = sorted((folder / "qrels").glob("*.tsv")) or sorted(folder.glob("qrels*.tsv"))
    if not files:
        raise ValueError(f"{folder}: BEIR has qrels/*.tsv beside its queries, and there are none")
    for file in files:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            for number, cells in enumerate(csv.reader(lines, delimiter="\t"), 1):
                if number == 1 and cells and cells[-1] == "score":
                    continue
                try:
                    query_id, corpus_id, score = (cells[0], cells[-2], float(cells[-1]))  # TREC's have a 0 between
                except (IndexError, ValueError):
                    raise ValueError(f"{file}: line {number}: not query-id, corpus-id and score: {cells}") from None
                if score > 0:
                    found[query_id][corpus_id] = score
    return found


def _passages(file: Path, wanted: set[str], key: str, text: str) -> dict[str, Passage]:
    """The gold passages of a corpus by id: those that are wanted."""
    texts = {}
    for found in records(file):
        if isinstance(found, Skipped):
            raise ValueError(f"{file}: {found.place}: {found.detail}")
        _, record = found
        if (name := text_of(record.get(key), key)) in wanted:
            texts[name] = Passage(text_of(record.get(text), text), _title(record), True)
    return texts


def _title(record: Record) -> str:
    inner = record.get("metadata")
    row = {**(inner if isinstance(inner, Mapping) else {}), **record}
    name = first(row, "title", "path", "file_name", "source")
    return text_of(row[name], name) if name else ""


def autorag(folder: Path) -> Read:
    """The questions of qa.parquet with the passages of corpus.parquet that retrieval_gt names."""
    wanted = {
        name for found in records(folder / "qa.parquet") if not isinstance(found, Skipped) for name in _named(found[1])
    }
    texts = _passages(folder / "corpus.parquet", wanted, "doc_id", "contents")
    for found in records(folder / "qa.parquet"):
        if isinstance(found, Skipped):
            yield found
            continue
        place, record = found
        passages = tuple(texts[name] for name in _named(record) if name in texts)
        yield from of(f"qa.parquet, {place}", record, answered(record, "generation_gt"), passages)


def _named(record: Record) -> list[str]:
    """The passages that answer a question; alternatives within one group count alike."""
    return list(dict.fromkeys(_flat(record.get("retrieval_gt"))))


def _flat(value: Any) -> Iterator[str]:
    for item in rows_of(value, "retrieval_gt"):
        if isinstance(item, list | tuple):
            yield from _flat(item)
        else:
            yield text_of(item, "retrieval_gt")


def rare(folder: Path) -> Read:
    """The RARE authors' files: questions with answer_chunk_ids and source_sentences, and chunks.json."""
    chunks = load(folder / "chunks.json")
    if not isinstance(chunks, list):
        raise ValueError(f"{folder / 'chunks.json'}: a list of chunks is due")
    texts = {
        name: Passage(text_of(row.get("text"), "text"), _document(row), True)
        for name, row in keyed(chunks, ("chunk_id",))
    }
    for file in sorted(file for file in folder.glob("*.json") if file.name != "chunks.json"):
        for found in records(file):
            if isinstance(found, Skipped):
                yield found
                continue
            place, record = found
            where = f"{file.name}, {place}"
            named = texts_of(record.get("answer_chunk_ids") or record.get("answer_chunk_id"), "answer_chunk_ids")
            if lost := [name for name in named if name not in texts]:
                yield Skipped(where, "no_chunk", f"answer_chunk_ids: {lost[0]!r} is not in chunks.json")
                continue
            passages = tuple(texts[name] for name in named)
            proof = texts_of(record.get("source_sentences") or record.get("source_sentence"), "source_sentences")
            yield from of(where, record, answered(record, "answer"), proven(passages, proof))


def _document(row: Record) -> str:
    inner = row.get("metadata")
    told = inner if isinstance(inner, Mapping) else {}
    name = first(told, "file_name", "filename", "source", "title", "file_id", "accession_number")
    return text_of(told[name], name) if name else text_of(row.get("file_name") or row.get("doc_id"), "doc_id")


def benchmark(folder: Path) -> Read:
    """The accepted questions of a benchmark that `rarefy build` made, with their gold chunks."""
    chunks: dict[str, Passage] = {}
    for found in records(folder / "chunks.jsonl"):
        if isinstance(found, Skipped):
            raise ValueError(f"{folder / 'chunks.jsonl'}: {found.place}: {found.detail}")
        row = found[1]
        title = text_of(row.get("title") or row.get("doc_id"), "title")
        chunks[text_of(row.get("chunk_id"), "chunk_id")] = Passage(text_of(row.get("text"), "text"), title, True)
    for found in records(folder / "questions.jsonl"):
        if isinstance(found, Skipped):
            yield found
            continue
        place, record = found
        if record.get("rejected_because"):
            yield Skipped(place, "rejected", text_of(record["rejected_because"], "rejected_because"))
            continue
        named = texts_of(record.get("chunk_ids"), "chunk_ids")
        if lost := [name for name in named if name not in chunks]:
            raise FieldFault(f"chunk_ids: {lost[0]!r} is not in chunks.jsonl")
        passages = proven(tuple(chunks[name] for name in named), texts_of(record.get("evidence"), "evidence"))
        answers = (*answered(record, "answer"), *texts_of(record.get("aliases"), "aliases"))
        yield from of(place, record, answers, passages)
