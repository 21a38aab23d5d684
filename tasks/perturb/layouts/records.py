"""Records of files and folders (JSON lines, JSON, CSV, Parquet, Arrow), and the values of their fields."""

import ast
import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Rows that all layouts are read into


@dataclass(frozen=True, slots=True)
class Passage:
    """A context of a question. `gold` is as the file marks it; None where it does not."""

    text: str
    title: str = ""
    gold: bool | None = None
    evidence: tuple[str, ...] = ()  # sentences of it that the file names as proof, verbatim
    at: tuple[int, ...] = ()  # positions of answers, if the file gives them
    number: int = -1  # position in its document, if the file gives it


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question of a file; the first answer is the answer, the others are aliases."""

    place: str  # "line 3", "record 3", "paragraph 2 of 'Oslo'"
    question_id: str  # "" where the file gives none
    text: str
    answers: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    language: str = ""  # as in the file; "" where it gives none


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that cannot be used: where it is, why, and what to do."""

    place: str
    reason: str  # a code: not_json, no_question, unanswerable, duplicate_id, ...
    detail: str


# Values of fields

Record = Mapping[str, Any]


class FieldFault(ValueError):
    """A field of a record does not hold what it should; the message names it."""


def find_field(record: Record, *names: str) -> str:
    """The first of these fields that the record has and that is not empty; "" for none."""
    return next((name for name in names if not is_empty(record.get(name))), "")


def is_empty(value: Any) -> bool:
    """Whether a value is null, NaN, an empty text or an empty list."""
    return value is None or value != value or (isinstance(value, str | list | tuple | dict) and not len(value))


def parse_text(value: Any, name: str) -> str:
    """A value as text: numbers as written, truth values as yes or no; FieldFault for anything else."""
    if isinstance(value, str):
        return value
    if is_empty(value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple) and len(value) == 1:
        return parse_text(value[0], name)
    raise FieldFault(f"{name}: {_describe_type(value)} where a text is due")


def parse_texts(value: Any, name: str) -> tuple[str, ...]:
    """The texts in a value: a text, a list, a list in a string, or a mapping that contains them."""
    if is_empty(value):
        return ()
    if isinstance(value, Mapping):
        inner = find_field(value, "text", "value", "answer", "answers", "content", "normalized_value")
        if not inner:
            raise FieldFault(
                f"{name}: an object without text, value or answer (it has {', '.join(value) or 'nothing'})"
            )
        return _unique(
            [*parse_texts(value[inner], f"{name}.{inner}"), *parse_texts(value.get("aliases"), f"{name}.aliases")]
        )
    if isinstance(value, str) and (items := parse_list(value)) is not None:
        value = items
    if isinstance(value, list | tuple):
        return _unique(text for place, item in enumerate(value) for text in parse_texts(item, f"{name}[{place}]"))
    return _unique([parse_text(value, name)])


def parse_list(text: str) -> list[Any] | None:
    """The list in a string of JSON or Python; None where there is none."""
    if not (text.startswith("[") and text.rstrip().endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None


def parse_rows(value: Any, name: str) -> list[Any]:
    """The items of a list, the rows of a mapping of columns, or a single value as a list."""
    if is_empty(value):
        return []
    if isinstance(value, str) and (items := parse_list(value)) is not None:
        return items
    if isinstance(value, Mapping) and value and all(isinstance(column, list) for column in value.values()):
        return [dict(zip(value, row, strict=False)) for row in zip(*value.values(), strict=False)]
    return list(value) if isinstance(value, list | tuple) else [value]


def parse_truth(value: Any) -> bool | None:
    """A mark as truth value: true, 1, "1", "yes", "gold"; None where there is none."""
    if is_empty(value):
        return None
    if isinstance(value, str):
        return value.strip().lower() in "1 1.0 true yes gold golden positive relevant supporting".split()
    return bool(value)


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text.strip()))


def _describe_type(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}"


LocatedRecord = tuple[str, Mapping[str, Any]]  # where, and what
SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow")
_ROWS = 1_000  # of a column file in memory at once


def read_records(path: Path) -> Iterator[LocatedRecord | Skipped]:
    """Each record with its place; ValueError where there are none, or the file cannot be read at all."""
    if path.is_dir():
        files = find_data_files(path)
        for file in files:
            for found in read_records(file):
                yield _add_file_name(found, file.relative_to(path)) if len(files) > 1 else found
        return
    suffix = path.suffix.lower()
    if suffix not in {".parquet", ".arrow"}:
        _check_encoding(path)
    if suffix not in SUFFIXES:
        suffix = ".jsonl" if _starts_with(path, b"{") else suffix
    if suffix in {".jsonl", ".ndjson"}:
        yield from _read_lines(path)
    elif suffix == ".json":
        yield from _read_json(path)
    elif suffix in {".csv", ".tsv"}:
        yield from _read_csv(path, "\t" if suffix == ".tsv" else ",")
    elif suffix in {".parquet", ".arrow"}:
        yield from _read_columns(path)
    else:
        raise ValueError(f"{path}: no layout ends in {path.suffix or 'nothing'}; {', '.join(SUFFIXES)} are read")


def find_data_files(folder: Path) -> list[Path]:
    """The data files of a folder, its subfolders included, all of one kind; ValueError where there are none."""
    inside = [file for file in folder.rglob("*") if not any(p.startswith(".") for p in file.relative_to(folder).parts)]
    for suffixes in ((".arrow",), (".parquet",), (".jsonl", ".ndjson"), (".json",), (".csv", ".tsv")):
        files = sorted(file for file in inside if file.suffix.lower() in suffixes and file.name not in _ABOUT)
        if files:
            return files
    raise ValueError(f"{folder}: the folder holds no data; {', '.join(SUFFIXES)} are read")


_ABOUT = {"dataset_info.json", "dataset_dict.json", "dataset_infos.json", "state.json", "manifest.json"}


def _read_lines(path: Path) -> Iterator[LocatedRecord | Skipped]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"line {number}"
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield _parse_line(line, place)


def _parse_line(line: bytes, place: str) -> LocatedRecord | Skipped:
    try:
        record = parse_json(line.decode())
    except UnicodeDecodeError as error:
        return Skipped(place, "not_utf8", f"byte {error.start} is not UTF-8; save the file as UTF-8")
    except (ValueError, RecursionError) as error:
        return Skipped(place, "not_json", f"{error}; a line holds one JSON object")
    if not isinstance(record, dict):
        return Skipped(place, "not_json", f"a {type(record).__name__}, not an object; a line holds one JSON object")
    return place, record


def parse_json(text: str) -> Any:
    """JSON with decimals as text, as written: an answer of 5.10 is not 5.1."""
    return json.loads(text, parse_float=str)


def load_json(path: Path) -> Any:
    """The content of a JSON file; ValueError with the place of a fault."""
    _check_encoding(path)
    try:
        return parse_json(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except RecursionError as error:
        raise ValueError(f"{path}: nested too deep to be data") from error
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}") from error


def _read_json(path: Path) -> Iterator[LocatedRecord | Skipped]:
    try:
        whole = load_json(path)
    except ValueError as error:
        if "Extra data" not in str(error):
            raise
        yield from _read_lines(path)  # JSON lines under another name
        return
    if isinstance(whole, Mapping):
        whole = _list_records(whole)
    for number, record in enumerate(whole, 1):
        place = f"record {number}"
        if isinstance(record, Mapping):
            yield place, record
        else:
            yield Skipped(place, "not_an_object", f"a {type(record).__name__}; a record is an object with fields")


def _list_records(whole: Mapping[str, Any]) -> list[Any]:
    """The records of an object: its list of data, the rows of its columns, its values by id, or itself."""
    for name in ("data", "questions", "records", "examples", "rows", "samples", "dataset"):
        if isinstance(whole.get(name), list):
            return list(whole[name])
    values = list(whole.values())
    if values and all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        return [dict(zip(whole, row, strict=True)) for row in zip(*values, strict=True)]
    if len(values) > 1 and all(isinstance(value, Mapping) for value in values):
        columns = [set(value) for value in values]
        if all(column == columns[0] for column in columns) and columns[0] == {str(n) for n in range(len(columns[0]))}:
            # as pandas writes a frame: {"question": {"0": ..., "1": ...}, ...}
            return [{name: column[str(n)] for name, column in whole.items()} for n in range(len(columns[0]))]
        return [{"id": name, **value} for name, value in whole.items()]
    return [whole]


def _read_csv(path: Path, delimiter: str) -> Iterator[LocatedRecord | Skipped]:
    csv.field_size_limit(sys.maxsize)  # a context may be longer than its 128 KiB
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = _guess_delimiter(file.readline(), delimiter)
            file.seek(0)
            reader = csv.DictReader(file, delimiter=delimiter)
            for row in reader:
                place = f"line {reader.line_num}"
                if row.pop(None, None) is not None:  # DictReader's own key for these
                    named = {"\t": "tab", ",": "comma", ";": "semicolon"}.get(delimiter, "bar")
                    detail = f"more cells than the header has; quote cells with a {named}"
                    yield Skipped(place, "too_many_cells", detail)
                elif None in row.values():
                    lost = next(name for name, cell in row.items() if cell is None)
                    detail = f"fewer cells than the header has: none for {lost}; a cell may be empty, not left out"
                    yield Skipped(place, "too_few_cells", detail)
                else:
                    yield place, row
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"{path}: not CSV: {error}") from error


def _guess_delimiter(header: str, usual: str) -> str:
    """The delimiter that splits a header into the most cells; the usual one in a tie."""
    cells = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in (usual, ",", ";", "\t", "|")}
    return max(cells, key=lambda mark: cells[mark])  # the first of equals: the usual


def _read_columns(path: Path) -> Iterator[LocatedRecord]:
    import pyarrow as pa  # late: JSON lines do not need it
    import pyarrow.parquet as pq

    number = 0
    try:
        if path.suffix.lower() == ".parquet":
            batches = pq.ParquetFile(path).iter_batches(_ROWS)
        else:
            try:
                batches = iter(pa.ipc.open_stream(path))
            except pa.ArrowInvalid:
                opened = pa.ipc.open_file(path)
                batches = (opened.get_batch(place) for place in range(opened.num_record_batches))
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS):
                for record in batch.slice(start, _ROWS).to_pylist():
                    number += 1
                    yield f"row {number}", record
    except pa.ArrowException as error:
        raise ValueError(f"{path}: row {number + 1}: {error}") from error


def _add_file_name(found: LocatedRecord | Skipped, file: Path) -> LocatedRecord | Skipped:
    if isinstance(found, Skipped):
        return Skipped(f"{file}, {found.place}", found.reason, found.detail)
    return f"{file}, {found[0]}", found[1]


def _check_encoding(path: Path) -> None:
    """ValueError where a file begins as UTF-16: with its mark, or every other byte zero."""
    with path.open("rb") as file:
        head = file.read(64)
    bare = len(head) > 3 and not (any(head[::2]) and any(head[1::2]))
    if bare or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{path}: is UTF-16; save the file as UTF-8")


def _starts_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(mark)


# Unicode

_HALF = re.compile("[\ud800-\udfff]")


def check_unicode(row: QuestionRecord | Skipped) -> QuestionRecord | Skipped:
    """The row; a Skipped one where a text of it has half a surrogate pair, which JSON can spell."""
    if isinstance(row, Skipped):
        return Skipped(_spell_surrogates(row.place), row.reason, _spell_surrogates(row.detail))
    for name, text in _list_texts(row):
        if found := _HALF.search(text):
            fault = f"{name}: character {found.start()} is half a surrogate pair ({_spell_surrogates(found.group())})"
            return Skipped(
                _spell_surrogates(row.place), "not_unicode", f"{fault}; write the whole character, or leave it out"
            )
    return row


def _list_texts(row: QuestionRecord) -> Iterator[tuple[str, str]]:
    yield from (("id", row.question_id), ("question", row.text), ("language", row.language))
    yield from ((f"answer {place}", text) for place, text in enumerate(row.answers))
    for place, passage in enumerate(row.passages):
        yield f"context {place}", passage.text
        yield f"title of context {place}", passage.title
        yield from ((f"evidence of context {place}", text) for text in passage.evidence)


def _spell_surrogates(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()
