"""Readers of the known layouts: one function per layout turns its records or files into question records."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rarefy.tasks.perturb.layouts.records import (
    FieldFault,
    Passage,
    QuestionRecord,
    Record,
    Skipped,
    find_field,
    is_empty,
    load_json,
    parse_rows,
    parse_text,
    parse_texts,
    parse_truth,
    read_records,
)

# Passages of a record

TEXT = (
    "text", "content", "contents", "page_content", "passage_text", "paragraph_text", "passage", "context", "paragraph",
    "chunk_text", "chunk", "document", "body", "snippet", "sentences",
)  # fmt: skip
TITLE = ("title", "doc_title", "document_title", "wikipedia_title", "source", "doc_id", "document_id", "url")
MARK = ("gold", "is_gold", "is_supporting", "is_selected", "is_relevant", "relevant", "supporting", "label")
KEY = ("id", "_id", "chunk_id", "passage_id", "pid", "doc_id", "idx")


def read_passages(
    record: Record, names: Sequence[str], *, gold: bool | None = None, title: str = ""
) -> tuple[Passage, ...]:
    """The passages in these fields of a record; FieldFault names a value that is none."""
    found: list[Passage] = []
    for name in names:
        for place, item in enumerate(parse_rows(record.get(name), name)):
            if not is_empty(item):
                found.append(_read_passage(item, f"{name}[{place}]", gold, title))
    return tuple(passage for passage in found if passage.text.strip())


def _read_passage(item: Any, name: str, gold: bool | None, title: str) -> Passage:
    if isinstance(item, list | tuple):
        return _read_pair(item, name, gold, title)
    if not isinstance(item, Mapping):
        return Passage(parse_text(item, name), title, gold)
    inner = find_field(item, *TEXT) or next((key for key in TEXT if key in item), "")
    if not inner:
        raise FieldFault(f"{name}: an object without {', '.join(TEXT[:4])} (it has {', '.join(map(str, item))})")
    text = "".join(parse_texts(item[inner], f"{name}.{inner}")) if inner == "sentences" else item[inner]
    named = find_field(item, *TITLE)
    mark = find_field(item, *MARK) or next((key for key in MARK if isinstance(item.get(key), bool)), "")
    return Passage(
        parse_text(text, f"{name}.{inner}"),
        parse_text(item[named], f"{name}.{named}") if named else title,
        parse_truth(item[mark]) if mark else gold,
        parse_texts(item.get("evidence"), f"{name}.evidence"),
    )


def _read_pair(item: Sequence[Any], name: str, gold: bool | None, title: str) -> Passage:
    """A passage of a title with its text or sentences, as in HotpotQA."""
    if len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], list | tuple):
        return Passage("".join(parse_text(s, f"{name}[1]") for s in item[1]), item[0], gold)
    return Passage("".join(parse_text(s, name) for s in item), title, gold)


def mark_gold(found: tuple[Passage, ...], record: Record, name: str) -> tuple[Passage, ...]:
    """The passages with gold marks from a field of the record: indices, a truth value each, texts or titles.

    FieldFault for anything else.
    """
    marks = parse_rows(record.get(name), name)
    if not marks or not found:
        return found
    if all(isinstance(mark, bool) for mark in marks) and len(marks) == len(found):
        return tuple(replace(passage, gold=mark) for passage, mark in zip(found, marks, strict=True))
    if all(isinstance(mark, int) and not isinstance(mark, bool) for mark in marks):
        if len(marks) == len(found) and set(marks) <= {0, 1} and len(marks) > 1:
            return tuple(replace(passage, gold=mark == 1) for passage, mark in zip(found, marks, strict=True))
        if lost := [mark for mark in marks if not 0 <= mark < len(found)]:
            raise FieldFault(f"{name}: no context {lost[0]}; there are {len(found)}, counted from 0")
        return tuple(replace(passage, gold=place in marks) for place, passage in enumerate(found))
    named = {parse_text(mark, name) for mark in marks}
    if lost_names := sorted(named - {p.text for p in found} - {p.title for p in found}):
        raise FieldFault(f"{name}: {lost_names[0][:60]!r} is neither the text nor the title of a context")
    return tuple(replace(passage, gold=passage.text in named or passage.title in named) for passage in found)


def add_evidence(found: tuple[Passage, ...], evidence: Sequence[str]) -> tuple[Passage, ...]:
    """The passages with the evidence that they contain; unmarked ones with evidence become gold."""
    return tuple(
        _with_evidence(passage, [sentence for sentence in evidence if sentence in passage.text]) for passage in found
    )


def _with_evidence(passage: Passage, evidence: list[str]) -> Passage:
    if not evidence:
        return passage
    gold = True if passage.gold is None else passage.gold
    return replace(passage, gold=gold, evidence=tuple(dict.fromkeys([*passage.evidence, *evidence])))


def index_by_id(items: Sequence[Any], names: Sequence[str] = KEY) -> Iterator[tuple[str, Any]]:
    """The objects that have an id, with it."""
    for item in items:
        if isinstance(item, Mapping) and (key := find_field(item, *names)):
            yield parse_text(item[key], key), item


# Plain records: field names that most files use

ID = ("id", "_id", "qid", "question_id", "query_id", "example_id", "sample_id", "uid")
QUESTION = ("question", "query", "user_input", "question_text", "input")
ANSWER = (
    "answer", "answers", "gold_answer", "gold_answers", "golden_answers", "expected_answer", "correct_answer",
    "ground_truth", "ground_truths", "ground_truth_answer", "reference", "reference_answer", "possible_answers",
    "short_answers", "generation_gt", "self_answer", "target", "response", "obj",
)  # fmt: skip
ALIASES = ("aliases", "answer_aliases", "answer_alias", "alternatives")
CONTEXTS = (
    "contexts", "context", "passages", "passage", "documents", "docs", "ctxs", "paragraphs", "retrieved_contexts",
    "document", "chunks",
)  # fmt: skip
GOLD = ("gold_contexts", "golden_contexts", "positive_contexts", "reference_contexts", "gold_context", "gold_passage")
NOISE = ("negative_contexts", "noise_contexts", "distractors")


def read_plain(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """The question of a plain record; FieldFault for a field of the wrong type."""
    title = parse_text(record.get("title"), "title")
    found = read_passages(record, [name for name in CONTEXTS if name in record], title=title)
    found += read_passages(record, [name for name in GOLD if name in record], gold=True, title=title)
    found += read_passages(record, [name for name in NOISE if name in record], gold=False, title=title)
    found = mark_gold(found, record, find_field(record, "gold", "gold_ids", "supporting_passages"))
    found = add_evidence(found, parse_texts(record.get("evidence"), "evidence"))
    answers = find_field(record, *ANSWER) or next((name for name in ANSWER if isinstance(record.get(name), bool)), "")
    yield from make_question(place, record, (*parse_texts(record.get(answers), answers), *_read_aliases(record)), found)


def make_question(
    place: str, record: Record, answers: tuple[str, ...], found: tuple[Passage, ...]
) -> Iterator[QuestionRecord | Skipped]:
    """The question of a record with these answers and passages, by fields that all layouts share."""
    name = find_field(record, *QUESTION)
    if not name:
        field_names = ", ".join(map(str, list(record)[:8])) or "none"
        yield Skipped(
            place, "no_question", f"no field {', '.join(QUESTION[:3])} with a text; its fields are {field_names}"
        )
        return
    text = " ".join(parse_text(record[name], name).split())
    if not text:
        yield Skipped(place, "no_question", f"{name}: blank")
        return
    own = find_field(record, *ID)
    language = find_field(record, "language", "lang")
    yield QuestionRecord(
        place,
        parse_text(record[own], own).strip() if own else "",
        text,
        tuple(dict.fromkeys(answer.strip() for answer in answers)),
        found,
        parse_text(record[language], language) if language else "",
    )


def _read_aliases(record: Record) -> tuple[str, ...]:
    name = find_field(record, *ALIASES)
    return parse_texts(record[name], name) if name else ()


def read_answers(record: Record, *names: str) -> tuple[str, ...]:
    """The answers in the first of these fields that has any; FieldFault where the record has none of the fields."""
    name = find_field(record, *names)
    if not name and not set(names) & set(record):
        raise FieldFault(f"{names[0]}: missing")
    return parse_texts(record[name], name) if name else ()


# Layouts of published data sets and tools


def read_squad(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """An article of SQuAD's JSON with its paragraphs, or a row of it as Hugging Face has it."""
    if "paragraphs" not in record:
        yield from _read_squad_question(place, record, record.get("context"), parse_text(record.get("title"), "title"))
        return
    title = parse_text(record.get("title"), "title")
    for number, paragraph in enumerate(parse_rows(record["paragraphs"], "paragraphs"), 1):
        if not isinstance(paragraph, Mapping) or "qas" not in paragraph:
            raise FieldFault(f"paragraphs[{number - 1}]: an object with context and qas is due")
        for order, row in enumerate(parse_rows(paragraph["qas"], "qas"), 1):
            where = f"question {order} of paragraph {number} of {title!r}"
            yield from _read_squad_question(where, row, paragraph.get("context"), title, number)


def _read_squad_question(
    place: str, row: Record, context: object, title: str, number: int = -1
) -> Iterator[QuestionRecord | Skipped]:
    answers = row.get("answers")
    if row.get("is_impossible") or is_empty(answers) or not parse_texts(_answer_texts(answers), "answers"):
        yield Skipped(place, "unanswerable", "the file says that its passage does not answer it; leave it out")
        return
    text = parse_text(context, "context")
    at = [start for start in _answer_starts(answers) if 0 <= start < len(text)]
    found = (Passage(text, title, True, at=tuple(at), number=number),) if text.strip() else ()
    yield from make_question(place, row, parse_texts(_answer_texts(answers), "answers"), found)


def _answer_texts(answers: object) -> object:
    if isinstance(answers, Mapping):
        return answers.get("text")
    return [a.get("text") if isinstance(a, Mapping) else a for a in parse_rows(answers, "answers")]


def _answer_starts(answers: object) -> list[int]:
    if isinstance(answers, Mapping):
        starts = parse_rows(answers.get("answer_start"), "answers.answer_start")
    else:
        starts = [a.get("answer_start") for a in parse_rows(answers, "answers") if isinstance(a, Mapping)]
    return sorted({start for start in starts if isinstance(start, int)})


def read_hotpot(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question with ten titled passages cut into sentences, and which of these support the answer."""
    facts: dict[str, set[int]] = {}
    supporting = record.get("supporting_facts")
    if isinstance(supporting, Mapping):
        pairs = list(
            zip(
                parse_rows(supporting.get("title"), "title"),
                parse_rows(supporting.get("sent_id"), "sent_id"),
                strict=False,
            )
        )
    else:
        pairs = [(pair[0], pair[1]) for pair in parse_rows(supporting, "supporting_facts")]
    for title, number in pairs:
        facts.setdefault(parse_text(title, "supporting_facts"), set()).add(int(number))
    found = []
    for title, lines in _read_titled(record.get("context")):
        proof = tuple(line.strip() for number, line in enumerate(lines) if number in facts.get(title, ()))
        found.append(Passage("".join(lines).strip(), title, title in facts if facts else None, proof))
    yield from make_question(place, record, read_answers(record, "answer"), tuple(p for p in found if p.text))


def _read_titled(context: object) -> Iterator[tuple[str, list[str]]]:
    if isinstance(context, Mapping):
        titles, parts = context.get("title"), context.get("sentences") or context.get("content")
        pairs = list(zip(parse_rows(titles, "context.title"), parse_rows(parts, "context.sentences"), strict=False))
    else:
        pairs = [(pair[0], pair[1]) for pair in parse_rows(context, "context")]
    for title, lines in pairs:
        yield (
            parse_text(title, "context"),
            [parse_text(line, f"context of {title!r}") for line in parse_rows(lines, "sentences")],
        )


def read_dpr(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question with positive passages, and negative ones that were retrieved for it."""
    found = read_passages(record, ("positive_ctxs",), gold=True)
    found += read_passages(record, ("hard_negative_ctxs", "negative_ctxs"), gold=False)
    yield from make_question(place, record, read_answers(record, "answers", "answer"), found)


def read_musique(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question of several hops with titled paragraphs, each marked whether it supports the answer."""
    if record.get("answerable") is False:
        yield Skipped(place, "unanswerable", "the file says that its paragraphs do not answer it; leave it out")
        return
    answers = (*read_answers(record, "answer"), *parse_texts(record.get("answer_aliases"), "answer_aliases"))
    yield from make_question(place, record, answers, read_passages(record, ("paragraphs",)))


def read_ms_marco(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A query with passages of which some were selected."""
    answers = tuple(a for a in read_answers(record, "answers") if a.strip() != "No Answer Present.")
    if not answers:
        yield Skipped(place, "unanswerable", "the file says that no answer is present; leave it out")
        return
    yield from make_question(place, record, answers, read_passages(record, ("passages",)))


def read_ragas(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A sample of ragas' test set or evaluation set: reference contexts are gold, retrieved ones may be."""
    found = read_passages(record, ("reference_contexts",), gold=True)
    known = {passage.text for passage in found}
    others = read_passages(record, ("contexts", "retrieved_contexts"), gold=False if found else None)
    found += tuple(passage for passage in others if passage.text not in known)
    answers = read_answers(record, "reference", "ground_truth", "ground_truths", "answer")
    asked = record.get("user_input") or record.get("question")
    if isinstance(asked, list):
        yield Skipped(place, "conversation", "user_input is a conversation; single turns are read")
        return
    yield from make_question(place, {**record, "question": asked, "user_input": None}, answers, found)


def read_yourbench(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question written over chunks of a document, with sentences of them as citations."""
    name = next((n for n in ("chunks", "source_chunks", "chunk") if not is_empty(record.get(n))), "chunks")
    title = parse_text(record.get("document_id") or record.get("document_filename"), "document_id")
    found = read_passages(record, (name,), gold=True, title=title)
    found = tuple(replace(passage, title=passage.title or title) for passage in found)
    answers = read_answers(record, "ground_truth_answer", "self_answer", "answer", *ANSWER)
    yield from make_question(
        place, record, answers, add_evidence(found, parse_texts(record.get("citations"), "citations"))
    )


def read_multihop_rag(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A query of MultiHop-RAG (arXiv 2401.15391) with the facts of several articles, each a gold passage."""
    if record.get("question_type") == "null_query":
        yield Skipped(place, "unanswerable", "a null query, which no document answers; leave it out")
        return
    facts = [{"text": one.get("fact"), "title": one.get("title")} for one in _list_evidence(record, "evidence_list")]
    found = read_passages({"evidence_list": facts}, ("evidence_list",), gold=True)
    yield from make_question(place, record, read_answers(record, "answer"), found)


def read_financebench(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question of FinanceBench (arXiv 2311.11944) with the pages of filings that its evidence is from."""
    pages = [
        {
            "text": one.get("evidence_text_full_page") or one.get("evidence_text"),
            "title": one.get("evidence_doc_name") or one.get("doc_name") or record.get("doc_name"),
        }
        for one in _list_evidence(record, "evidence")
    ]
    found = read_passages({"evidence": pages}, ("evidence",), gold=True)
    quoted = [parse_text(one.get("evidence_text"), "evidence_text") for one in _list_evidence(record, "evidence")]
    record = {**record, "id": record.get("financebench_id")}
    yield from make_question(place, record, read_answers(record, "answer"), add_evidence(found, quoted))


def _list_evidence(record: Record, name: str) -> list[Mapping[str, Any]]:
    """The pieces of evidence in a field; FieldFault where one is no object."""
    pieces = parse_rows(record.get(name), name)
    if any(not isinstance(one, Mapping) for one in pieces):
        raise FieldFault(f"{name}: a piece of evidence is an object with its text")
    return pieces


# Layouts of several files

Read = Iterator[QuestionRecord | Skipped]


def read_beir(folder: Path) -> Read:
    """Queries with the passages that the qrels call relevant, highest score first; answers where queries have some.

    Of the corpus nothing else is read: it may hold millions.
    """
    relevant = _read_qrels(folder)
    wanted = {corpus_id for judged in relevant.values() for corpus_id in judged}
    texts = _read_corpus(folder / "corpus.jsonl", wanted, "_id", "text")
    for found in read_records(folder / "queries.jsonl"):
        if isinstance(found, Skipped):
            yield found
            continue
        place, record = found
        inner = record.get("metadata")
        row = {**(inner if isinstance(inner, Mapping) else {}), **record}
        query_id = parse_text(record.get("_id"), "_id")
        if query_id not in relevant:
            yield Skipped(f"queries.jsonl, {place}", "not_judged", "no qrels name it; what answers it is not known")
            continue
        judged = sorted(relevant[query_id].items(), key=lambda pair: -pair[1])
        passages = [texts[corpus_id] for corpus_id, _ in judged if corpus_id in texts]
        name = find_field(row, *ANSWER)
        aliases = find_field(row, *ALIASES)
        answers = parse_texts(row[name], name) + (parse_texts(row[aliases], aliases) if aliases else ()) if name else ()
        yield from make_question(
            f"queries.jsonl, {place}", {**row, "question": record.get("text")}, answers, tuple(passages)
        )


def _read_qrels(folder: Path) -> dict[str, dict[str, float]]:
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


def _read_corpus(file: Path, wanted: set[str], key: str, text: str) -> dict[str, Passage]:
    """The gold passages of a corpus by id: those that are wanted."""
    texts = {}
    for found in read_records(file):
        if isinstance(found, Skipped):
            raise ValueError(f"{file}: {found.place}: {found.detail}")
        _, record = found
        if (name := parse_text(record.get(key), key)) in wanted:
            texts[name] = Passage(parse_text(record.get(text), text), _find_title(record), True)
    return texts


def _find_title(record: Record) -> str:
    inner = record.get("metadata")
    row = {**(inner if isinstance(inner, Mapping) else {}), **record}
    name = find_field(row, "title", "path", "file_name", "source")
    return parse_text(row[name], name) if name else ""


def read_autorag(folder: Path) -> Read:
    """The questions of qa.parquet with the passages of corpus.parquet that retrieval_gt names."""
    wanted = {
        name
        for found in read_records(folder / "qa.parquet")
        if not isinstance(found, Skipped)
        for name in _relevant_ids(found[1])
    }
    texts = _read_corpus(folder / "corpus.parquet", wanted, "doc_id", "contents")
    for found in read_records(folder / "qa.parquet"):
        if isinstance(found, Skipped):
            yield found
            continue
        place, record = found
        passages = tuple(texts[name] for name in _relevant_ids(record) if name in texts)
        yield from make_question(f"qa.parquet, {place}", record, read_answers(record, "generation_gt"), passages)


def _relevant_ids(record: Record) -> list[str]:
    """The passages that answer a question; alternatives within one group count alike."""
    return list(dict.fromkeys(_flatten(record.get("retrieval_gt"))))


def _flatten(value: Any) -> Iterator[str]:
    for item in parse_rows(value, "retrieval_gt"):
        if isinstance(item, list | tuple):
            yield from _flatten(item)
        else:
            yield parse_text(item, "retrieval_gt")


def read_rare(folder: Path) -> Read:
    """The RARE authors' files: questions with answer_chunk_ids and source_sentences, and chunks.json."""
    chunks = load_json(folder / "chunks.json")
    if not isinstance(chunks, list):
        raise ValueError(f"{folder / 'chunks.json'}: a list of chunks is due")
    texts = {
        name: Passage(parse_text(row.get("text"), "text"), _document_title(row), True)
        for name, row in index_by_id(chunks, ("chunk_id",))
    }
    for file in sorted(file for file in folder.glob("*.json") if file.name != "chunks.json"):
        for found in read_records(file):
            if isinstance(found, Skipped):
                yield found
                continue
            place, record = found
            where = f"{file.name}, {place}"
            named = parse_texts(record.get("answer_chunk_ids") or record.get("answer_chunk_id"), "answer_chunk_ids")
            if lost := [name for name in named if name not in texts]:
                yield Skipped(where, "no_chunk", f"answer_chunk_ids: {lost[0]!r} is not in chunks.json")
                continue
            passages = tuple(texts[name] for name in named)
            proof = parse_texts(record.get("source_sentences") or record.get("source_sentence"), "source_sentences")
            yield from make_question(where, record, read_answers(record, "answer"), add_evidence(passages, proof))


def _document_title(row: Record) -> str:
    inner = row.get("metadata")
    metadata = inner if isinstance(inner, Mapping) else {}
    name = find_field(metadata, "file_name", "filename", "source", "title", "file_id", "accession_number")
    return parse_text(metadata[name], name) if name else parse_text(row.get("file_name") or row.get("doc_id"), "doc_id")


def read_benchmark(folder: Path) -> Read:
    """The accepted questions of a benchmark that `rarefy build` made, with their gold chunks."""
    chunks: dict[str, Passage] = {}
    for found in read_records(folder / "chunks.jsonl"):
        if isinstance(found, Skipped):
            raise ValueError(f"{folder / 'chunks.jsonl'}: {found.place}: {found.detail}")
        row = found[1]
        title = parse_text(row.get("title") or row.get("doc_id"), "title")
        chunks[parse_text(row.get("chunk_id"), "chunk_id")] = Passage(parse_text(row.get("text"), "text"), title, True)
    for found in read_records(folder / "questions.jsonl"):
        if isinstance(found, Skipped):
            yield found
            continue
        place, record = found
        if record.get("rejected_because"):
            yield Skipped(place, "rejected", parse_text(record["rejected_because"], "rejected_because"))
            continue
        named = parse_texts(record.get("chunk_ids"), "chunk_ids")
        if lost := [name for name in named if name not in chunks]:
            raise FieldFault(f"chunk_ids: {lost[0]!r} is not in chunks.jsonl")
        passages = add_evidence(tuple(chunks[name] for name in named), parse_texts(record.get("evidence"), "evidence"))
        answers = (*read_answers(record, "answer"), *parse_texts(record.get("aliases"), "aliases"))
        yield from make_question(place, record, answers, passages)
