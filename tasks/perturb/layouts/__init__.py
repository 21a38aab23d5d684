"""Files of questions, answers and contexts, in whatever layout they are kept, as rows that can be perturbed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk, Question
from rarefy.tasks.perturb.layouts import folders, published
from rarefy.tasks.perturb.layouts.fields import FieldFault, Record
from rarefy.tasks.perturb.layouts.gold import id_of, placed
from rarefy.tasks.perturb.layouts.plain import plain
from rarefy.tasks.perturb.layouts.question_record import Passage, QuestionRecord, Skipped
from rarefy.tasks.perturb.layouts.records import Found, data_files, records
from rarefy.tasks.perturb.layouts.sound import sound

__all__ = [
    "FOLDERS",
    "RECORDS",
    "VERSION",
    "Passage",
    "QuestionRecord",
    "Skipped",
    "files",
    "id_of",
    "of_several",
    "placed",
    "read",
    "rows",
]

VERSION = 3
LOOKED_AT = 20  # records whose fields tell a layout: in one, a field that is empty may be left out

Shape = Callable[[str, Record], Iterator[QuestionRecord | Skipped]]

RECORDS: dict[str, tuple[Shape, tuple[frozenset[str], ...]]] = {  # layout -> its reader, and the fields that tell it
    "squad": (published.squad, (frozenset({"paragraphs", "title"}), frozenset({"context", "question", "answers"}))),
    "hotpot": (published.hotpot, (frozenset({"supporting_facts", "context", "question"}),)),
    "dpr": (published.dpr, (frozenset({"positive_ctxs", "question"}),)),
    "musique": (published.musique, (frozenset({"paragraphs", "question", "answer"}),)),
    "ms_marco": (published.ms_marco, (frozenset({"passages", "query", "answers"}),)),
    "ragas": (
        published.ragas,
        (
            frozenset({"user_input", "reference"}),
            frozenset({"user_input", "reference_contexts"}),
            frozenset({"question", "ground_truth", "contexts"}),
            frozenset({"question", "ground_truths", "contexts"}),
        ),
    ),
    "yourbench": (
        published.yourbench,
        (frozenset({"question", "citations"}), frozenset({"question", "ground_truth_answer", "chunks"})),
    ),
    "plain": (plain, (frozenset(),)),
}
FOLDERS: dict[
    str, tuple[Callable[[Path], Iterator[QuestionRecord | Skipped]], tuple[str, ...]]
] = {  # the files that tell it
    "beir": (folders.beir, ("queries.jsonl", "corpus.jsonl")),
    "autorag": (folders.autorag, ("qa.parquet", "corpus.parquet")),
    "benchmark": (folders.benchmark, ("questions.jsonl", "chunks.jsonl")),
    "rare": (folders.rare, ("chunks.json",)),
}

BESIDE = {"beir": ("qrels/*.tsv", "qrels*.tsv"), "rare": ("*.json",)}  # what else is read of a folder


def of_several(path: Path, layout: str = "") -> bool:
    """Whether a layout has several files, each of its own name."""
    return (layout or _of_folder(path)) in FOLDERS


def files(path: Path, layout: str = "") -> list[Path]:
    """The files that `read` reads: of a layout of several files all of them, though it be named by one."""
    name = layout or _of_folder(path)
    if name in FOLDERS:
        folder = path if path.is_dir() else path.parent
        found = {file for pattern in BESIDE.get(name, ()) for file in folder.glob(pattern)}
        return sorted(found | {folder / file for file in FOLDERS[name][1]})
    return data_files(path) if path.is_dir() else [path]


def read(path: Path, layout: str = "") -> Iterator[QuestionRecord | Skipped]:
    """The questions of a file or folder, one by one, and what cannot be asked, with place and reason.

    The layout is told by the files of a folder or the fields of records, unless it is given. ValueError with the way
    out where nothing here can be read at all.
    """
    if not path.exists():
        raise ValueError(f"{path}: no such file or folder; check the path")
    name = layout or _of_folder(path)
    if name in FOLDERS:
        folder = path if path.is_dir() else path.parent
        reader, files = FOLDERS[name]
        if lost := [file for file in files if not (folder / file).exists()]:
            raise ValueError(f"{folder}: layout {name} has {' and '.join(files)}, and {lost[0]} is not there")
        yield from map(sound, _safe(reader(folder), path))
        return
    if name and name not in RECORDS:
        raise ValueError(f"no layout {name!r}; have {', '.join([*RECORDS, *FOLDERS])}")
    found = records(path)
    head = list(islice(found, LOOKED_AT))
    shape = RECORDS[name or layout_of([row[1] for row in head if not isinstance(row, Skipped)])][0]
    yield from map(sound, _each(chain(head, found), shape))


def layout_of(some: Iterable[Record]) -> str:
    """The layout of records, told by the fields that they have."""
    fields = {str(name) for record in some for name in record}
    return next(
        name for name, (_, signs) in RECORDS.items() if any(sign <= fields and _fits(name, some) for sign in signs)
    )


def rows(found: Iterable[Mapping[str, Any]], language: str = "") -> tuple[list[Question], dict[str, Chunk]]:
    """Questions and their chunks of records in any layout that a file may have: a list of dicts is enough.

    ValueError names the first record that nothing can be asked of. `language` is that of records that do not say.
    """
    listed = list(found)
    shape = RECORDS[layout_of(listed[:LOOKED_AT])][0]
    questions: list[Question] = []
    chunks: dict[str, Chunk] = {}
    for question, own in placed(_asked(map(sound, _each(_numbered(listed), shape))), language):
        questions.append(question)
        chunks |= own
    return questions, chunks


def _numbered(found: Iterable[Record]) -> Iterator[Found]:
    for number, record in enumerate(found, 1):
        yield f"record {number}", record


def _asked(found: Iterable[QuestionRecord | Skipped]) -> Iterator[QuestionRecord]:
    for row in found:
        if isinstance(row, Skipped):
            raise ValueError(f"{row.place}: {row.reason}: {row.detail}")
        yield row


def _of_folder(path: Path) -> str:
    """The layout that a folder's files tell; "" where they tell none, or it is a file."""
    if not path.is_dir():
        return ""
    return next((name for name, (_, files) in FOLDERS.items() if all((path / file).exists() for file in files)), "")


def _fits(name: str, some: Iterable[Record]) -> bool:
    """Whether the fields hold what those of a layout do, where a name alone would mislead."""
    if name == "squad":
        return any(
            "paragraphs" in row or (isinstance(row.get("answers"), Mapping | list) and _starts(row)) for row in some
        )
    if name == "musique":
        return any(isinstance(row.get("paragraphs"), list) for row in some)
    return True


def _starts(row: Record) -> bool:
    answers = row["answers"]
    inner = (
        answers if isinstance(answers, Mapping) else answers[0] if answers and isinstance(answers[0], Mapping) else {}
    )
    return "answer_start" in inner


def _each(found: Iterable[Found | Skipped], shape: Shape) -> Iterator[QuestionRecord | Skipped]:
    for row in found:
        if isinstance(row, Skipped):
            yield row
            continue
        try:
            yield from shape(*row)
        except FieldFault as fault:
            yield Skipped(row[0], "wrong_field", str(fault))


def _safe(found: Iterator[QuestionRecord | Skipped], path: Path) -> Iterator[QuestionRecord | Skipped]:
    try:
        yield from found
    except FieldFault as fault:
        raise ValueError(f"{path}: {fault}") from fault
