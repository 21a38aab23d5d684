"""Read files of questions, answers and contexts in any known layout into rows that can be perturbed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk, Question
from rarefy.tasks.perturb.layouts import formats
from rarefy.tasks.perturb.layouts.formats import read_plain
from rarefy.tasks.perturb.layouts.gold import make_question_id, make_questions
from rarefy.tasks.perturb.layouts.records import (
    FieldFault,
    LocatedRecord,
    Passage,
    QuestionRecord,
    Record,
    Skipped,
    check_unicode,
    find_data_files,
    read_records,
)

__all__ = [
    "FOLDERS",
    "RECORDS",
    "VERSION",
    "Passage",
    "QuestionRecord",
    "Skipped",
    "files",
    "make_question_id",
    "make_questions",
    "of_several",
    "read",
    "rows",
]

VERSION = 5  # MultiHop-RAG and FinanceBench are read
LOOKED_AT = 20  # records by whose fields a layout is detected, as empty fields may be left out

RecordReader = Callable[[str, Record], Iterator[QuestionRecord | Skipped]]

RECORDS: dict[
    str, tuple[RecordReader, tuple[frozenset[str], ...]]
] = {  # by layout: its reader, and sets of fields that identify it
    "squad": (formats.read_squad, (frozenset({"paragraphs", "title"}), frozenset({"context", "question", "answers"}))),
    "hotpot": (formats.read_hotpot, (frozenset({"supporting_facts", "context", "question"}),)),
    "dpr": (formats.read_dpr, (frozenset({"positive_ctxs", "question"}),)),
    "musique": (formats.read_musique, (frozenset({"paragraphs", "question", "answer"}),)),
    "ms_marco": (formats.read_ms_marco, (frozenset({"passages", "query", "answers"}),)),
    "ragas": (
        formats.read_ragas,
        (
            frozenset({"user_input", "reference"}),
            frozenset({"user_input", "reference_contexts"}),
            frozenset({"question", "ground_truth", "contexts"}),
            frozenset({"question", "ground_truths", "contexts"}),
        ),
    ),
    "yourbench": (
        formats.read_yourbench,
        (frozenset({"question", "citations"}), frozenset({"question", "ground_truth_answer", "chunks"})),
    ),
    "multihop_rag": (formats.read_multihop_rag, (frozenset({"query", "answer", "evidence_list"}),)),
    "financebench": (formats.read_financebench, (frozenset({"question", "answer", "evidence", "doc_name"}),)),
    "plain": (read_plain, (frozenset(),)),
}
FOLDERS: dict[
    str, tuple[Callable[[Path], Iterator[QuestionRecord | Skipped]], tuple[str, ...]]
] = {  # by layout: its reader, and the files that identify it
    "beir": (formats.read_beir, ("queries.jsonl", "corpus.jsonl")),
    "autorag": (formats.read_autorag, ("qa.parquet", "corpus.parquet")),
    "benchmark": (formats.read_benchmark, ("questions.jsonl", "chunks.jsonl")),
    "rare": (formats.read_rare, ("chunks.json",)),
}

BESIDE = {"beir": ("qrels/*.tsv", "qrels*.tsv"), "rare": ("*.json",)}  # what else is read of a folder


def is_multi_file(path: Path, layout: str = "") -> bool:
    """Whether a layout has several files."""
    return (layout or _detect_folder_layout(path)) in FOLDERS


def files(path: Path, layout: str = "") -> list[Path]:
    """The files that `read` reads: all of a layout of several files, even if named by one."""
    name = layout or _detect_folder_layout(path)
    if name in FOLDERS:
        folder = path if path.is_dir() else path.parent
        found = {file for pattern in BESIDE.get(name, ()) for file in folder.glob(pattern)}
        return sorted(found | {folder / file for file in FOLDERS[name][1]})
    return find_data_files(path) if path.is_dir() else [path]


def read(path: Path, layout: str = "") -> Iterator[QuestionRecord | Skipped]:
    """The questions of a file or folder, one by one, and records that cannot be used, with place and reason.

    The layout is detected by the files of a folder or the fields of records, unless given. ValueError where nothing
    can be read.
    """
    if not path.exists():
        raise ValueError(f"{path}: no such file or folder; check the path")
    name = layout or _detect_folder_layout(path)
    if name in FOLDERS:
        folder = path if path.is_dir() else path.parent
        reader, files = FOLDERS[name]
        if lost := [file for file in files if not (folder / file).exists()]:
            raise ValueError(f"{folder}: layout {name} has {' and '.join(files)}, and {lost[0]} is not there")
        yield from map(check_unicode, _name_path_in_errors(reader(folder), path))
        return
    if name and name not in RECORDS:
        raise ValueError(f"no layout {name!r}; have {', '.join([*RECORDS, *FOLDERS])}")
    found = read_records(path)
    head = list(islice(found, LOOKED_AT))
    shape = RECORDS[name or detect_layout([row[1] for row in head if not isinstance(row, Skipped)])][0]
    yield from map(check_unicode, _apply_reader(chain(head, found), shape))


def detect_layout(some: Iterable[Record]) -> str:
    """The layout of records, by their fields."""
    fields = {str(name) for record in some for name in record}
    return next(
        name
        for name, (_, signs) in RECORDS.items()
        if any(sign <= fields and _has_layout_values(name, some) for sign in signs)
    )


def rows(found: Iterable[Mapping[str, Any]], language: str = "") -> tuple[list[Question], dict[str, Chunk]]:
    """Questions and chunks of records, as a list of dicts, in any layout that a file may have.

    ValueError names the first record that cannot be used. `language` is that of records without one.
    """
    listed = list(found)
    shape = RECORDS[detect_layout(listed[:LOOKED_AT])][0]
    questions: list[Question] = []
    chunks: dict[str, Chunk] = {}
    for question, own in make_questions(
        _raise_for_skipped(map(check_unicode, _apply_reader(_number_records(listed), shape))), language
    ):
        questions.append(question)
        chunks |= own
    return questions, chunks


def _number_records(found: Iterable[Record]) -> Iterator[LocatedRecord]:
    for number, record in enumerate(found, 1):
        yield f"record {number}", record


def _raise_for_skipped(found: Iterable[QuestionRecord | Skipped]) -> Iterator[QuestionRecord]:
    for row in found:
        if isinstance(row, Skipped):
            raise ValueError(f"{row.place}: {row.reason}: {row.detail}")
        yield row


def _detect_folder_layout(path: Path) -> str:
    """The layout of a folder by its files; "" for none, or for a file."""
    if not path.is_dir():
        return ""
    return next((name for name, (_, files) in FOLDERS.items() if all((path / file).exists() for file in files)), "")


def _has_layout_values(name: str, some: Iterable[Record]) -> bool:
    """Whether the values fit a layout whose field names are ambiguous."""
    if name == "squad":
        return any(
            "paragraphs" in row or (isinstance(row.get("answers"), Mapping | list) and _has_answer_start(row))
            for row in some
        )
    if name == "musique":
        return any(isinstance(row.get("paragraphs"), list) for row in some)
    return True


def _has_answer_start(row: Record) -> bool:
    answers = row["answers"]
    inner = (
        answers if isinstance(answers, Mapping) else answers[0] if answers and isinstance(answers[0], Mapping) else {}
    )
    return "answer_start" in inner


def _apply_reader(found: Iterable[LocatedRecord | Skipped], shape: RecordReader) -> Iterator[QuestionRecord | Skipped]:
    for row in found:
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            yield from shape(*row)
        except FieldFault as fault:
            yield Skipped(row[0], "wrong_field", str(fault))


def _name_path_in_errors(found: Iterator[QuestionRecord | Skipped], path: Path) -> Iterator[QuestionRecord | Skipped]:
    try:
        yield from found
    except FieldFault as fault:
        raise ValueError(f"{path}: {fault}") from fault
