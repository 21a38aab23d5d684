"""The records of a file or folder, one by one: JSON lines, JSON, CSV, Parquet, and what Hugging Face saves."""

import csv
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rarefy.tasks.perturb.layouts.question_record import Skipped

Found = tuple[str, Mapping[str, Any]]  # where, and what
SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".arrow")
_ROWS = 1_000  # of a column file in memory at once


def records(path: Path) -> Iterator[Found | Skipped]:
    """Each record with its place; ValueError where there are none, or the file cannot be read at all."""
    if path.is_dir():
        files = data_files(path)
        for file in files:
            for found in records(file):
                yield _in_file(found, file.relative_to(path)) if len(files) > 1 else found
        return
    suffix = path.suffix.lower()
    if suffix not in {".parquet", ".arrow"}:
        _check_encoding(path)
    if suffix not in SUFFIXES:
        suffix = ".jsonl" if _opens_with(path, b"{") else suffix
    if suffix in {".jsonl", ".ndjson"}:
        yield from _lines(path)
    elif suffix == ".json":
        yield from _json(path)
    elif suffix in {".csv", ".tsv"}:
        yield from _cells(path, "\t" if suffix == ".tsv" else ",")
    elif suffix in {".parquet", ".arrow"}:
        yield from _columns(path)
    else:
        raise ValueError(f"{path}: no layout ends in {path.suffix or 'nothing'}; {', '.join(SUFFIXES)} are read")


def data_files(folder: Path) -> list[Path]:
    """The data files of a folder, its subfolders included, all of one kind; ValueError where there are none."""
    inside = [file for file in folder.rglob("*") if not any(p.startswith(".") for p in file.relative_to(folder).parts)]
    for suffixes in ((".arrow",), (".parquet",), (".jsonl", ".ndjson"), (".json",), (".csv", ".tsv")):
        files = sorted(file for file in inside if file.suffix.lower() in suffixes and file.name not in _ABOUT)
        if files:
            return files
    raise ValueError(f"{folder}: the folder holds no data; {', '.join(SUFFIXES)} are read")


_ABOUT = {"dataset_info.json", "dataset_dict.json", "dataset_infos.json", "state.json", "manifest.json"}


def _lines(path: Path) -> Iterator[Found | Skipped]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            place = f"line {number}"
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield _parsed(line, place)


def _parsed(line: bytes, place: str) -> Found | Skipped:
    try:
        record = loads(line.decode())
    except UnicodeDecodeError as error:
        return Skipped(place, "not_utf8", f"byte {error.start} is not UTF-8; save the file as UTF-8")
    except (ValueError, RecursionError) as error:
        return Skipped(place, "not_json", f"{error}; a line holds one JSON object")
    if not isinstance(record, dict):
        return Skipped(place, "not_json", f"a {type(record).__name__}, not an object; a line holds one JSON object")
    return place, record


def loads(text: str) -> Any:
    """JSON, its numbers with a point as they are written: an answer of 5.10 is not 5.1."""
    return json.loads(text, parse_float=str)


def load(path: Path) -> Any:
    """A JSON file as a whole; ValueError with the place of what is wrong."""
    _check_encoding(path)
    try:
        return loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except RecursionError as error:
        raise ValueError(f"{path}: nested too deep to be data") from error
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}") from error


def _json(path: Path) -> Iterator[Found | Skipped]:
    try:
        whole = load(path)
    except ValueError as error:
        if "Extra data" not in str(error):
            raise
        yield from _lines(path)  # JSON lines under another name
        return
    if isinstance(whole, Mapping):
        whole = _listed(whole)
    for number, record in enumerate(whole, 1):
        place = f"record {number}"
        if isinstance(record, Mapping):
            yield place, record
        else:
            yield Skipped(place, "not_an_object", f"a {type(record).__name__}; a record is an object with fields")


def _listed(whole: Mapping[str, Any]) -> list[Any]:
    """The records of an object: its list of data, its columns' rows, its values by id, or itself."""
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


def _cells(path: Path, delimiter: str) -> Iterator[Found | Skipped]:
    csv.field_size_limit(sys.maxsize)  # a context may be longer than its 128 KiB
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = _delimiter(file.readline(), delimiter)
            file.seek(0)
            reader = csv.DictReader(file, delimiter=delimiter)
            for row in reader:
                place = f"line {reader.line_num}"
                if row.pop(None, None) is not None:  # DictReader's own key for these
                    named = {"\t": "tab", ",": "comma", ";": "semicolon"}.get(delimiter, "bar")
                    told = f"more cells than the header has; quote cells with a {named}"
                    yield Skipped(place, "too_many_cells", told)
                elif None in row.values():
                    lost = next(name for name, cell in row.items() if cell is None)
                    told = f"fewer cells than the header has: none for {lost}; a cell may be empty, not left out"
                    yield Skipped(place, "too_few_cells", told)
                else:
                    yield place, row
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from error
    except csv.Error as error:
        raise ValueError(f"{path}: not CSV: {error}") from error


def _delimiter(header: str, usual: str) -> str:
    """What stands between the cells of a header: what cuts it into the most; the usual where nothing does better."""
    cells = {mark: len(next(csv.reader([header], delimiter=mark), [])) for mark in (usual, ",", ";", "\t", "|")}
    return max(cells, key=lambda mark: cells[mark])  # the first of equals: the usual


def _columns(path: Path) -> Iterator[Found]:
    import pyarrow as pa  # late: a question of JSON lines needs none of it
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


def _in_file(found: Found | Skipped, file: Path) -> Found | Skipped:
    if isinstance(found, Skipped):
        return Skipped(f"{file}, {found.place}", found.reason, found.detail)
    return f"{file}, {found[0]}", found[1]


def _check_encoding(path: Path) -> None:
    """Nothing; ValueError where the file's first bytes are UTF-16's: its mark, or every other one zero."""
    with path.open("rb") as file:
        head = file.read(64)
    bare = len(head) > 3 and not (any(head[::2]) and any(head[1::2]))
    if bare or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{path}: is UTF-16; save the file as UTF-8")


def _opens_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(mark)
