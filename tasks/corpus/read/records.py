"""JSON, JSON Lines and Parquet: many texts with metadata in one file, read record by record."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, BinaryIO

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Document, Quarantined, row_id
from rarefy.tasks.corpus.read.decode import decode
from rarefy.tasks.corpus.read.edgar_json import is_edgar, read_edgar
from rarefy.tasks.corpus.read.limits import Unpacked, check_length
from rarefy.tasks.corpus.read.markdown import DELIMITER, read_markdown
from rarefy.tasks.corpus.read.names import name
from rarefy.tasks.corpus.read.sources import Source, load, open_file
from rarefy.tasks.corpus.read.text import read_text
from rarefy.tasks.corpus.read.unreadable import Unreadable, failed, quarantine

BATCH = 64  # rows of a Parquet file held at once
ROW = 100  # bytes that a row of a Parquet file counts for at least: a million empty ones take no space at all
YEAR = re.compile(r"(?:FY)?\s?([0-9]{4})(?:\.0)?", re.I)
DIGITS = 4000  # of an integer: Python turns none into a number that has more than 4,300
# Columns that say what a field of the document says; everything else becomes metadata.
FIELDS = {
    "entity": ("entity", "company", "company_name", "registrant", "institution"),
    "form": ("form", "filing_type", "form_type"),
    "period_start": ("period_start",),
    "period_end": ("period_end", "period_of_report"),
    "domain": ("domain",),
    "language": ("language", "lang"),
}


class RecordsConfig(BaseModel, frozen=True, extra="forbid"):
    """Which columns of a JSONL or Parquet file hold what; the first that a record has is taken."""

    text: tuple[str, ...] = Field(
        default=("text", "content", "body", "contents", "document"), description="the text itself"
    )
    id: tuple[str, ...] = Field(
        default=("doc_id", "id", "_id", "docid", "document_id"), description="the user's own id"
    )
    title: tuple[str, ...] = Field(default=("title", "name", "headline"), description="the title")
    date: tuple[str, ...] = Field(
        default=("date", "as_of", "published", "publication_date", "filing_date"), description="the date of publication"
    )


def read_json(
    source: Source, config: RecordsConfig, max_bytes: int, max_characters: int
) -> Iterator[Document | Quarantined]:
    """The documents of a JSON file: one filing, one record, or a list of records."""
    text, _ = decode(load(source, max_bytes))
    try:
        value = _value(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] == "{" and "\n" in text and _is_json(text.lstrip().split("\n", 1)[0]):
            yield from _read_lines(source, iter(text.encode().split(b"\n")), config, max_bytes, max_characters)
            return
        raise Unreadable("bad_json", f"{error}; the file may be cut short: restore it or remove it") from error
    records = value if isinstance(value, list) else [value]
    numbered = ((str(n), record) for n, record in enumerate(records, 1))
    yield from _read_records(source, numbered, config, max_characters, len(records) == 1)


def read_jsonl(
    source: Source, config: RecordsConfig, max_bytes: int, max_characters: int
) -> Iterator[Document | Quarantined]:
    """The documents of a JSON Lines file, a line at a time; a line that is no record is quarantined by itself."""
    load(replace(source, size=0), max_bytes) if not source.size else None
    try:
        with open_file(source.location) as stream:
            yield from _read_lines(source, _lines(stream, max_bytes), config, max_bytes, max_characters)
    except OSError as error:
        raise Unreadable("unreadable_file", f"{error.strerror}; grant read permission or remove the file") from error


def read_parquet(
    source: Source, config: RecordsConfig, max_bytes: int, max_characters: int, unpacked: Unpacked
) -> Iterator[Document | Quarantined]:
    """The documents of a Parquet file, some rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def rows() -> Iterator[tuple[str, Any]]:
        first = 1
        for place in range(file.num_row_groups):
            group = file.metadata.row_group(place)
            if group.total_byte_size > max_bytes:
                last = first + group.num_rows - 1
                yield (
                    f"{first}-{last}",
                    Unreadable(
                        "too_large",
                        f"the row group takes {group.total_byte_size:,} bytes, over the limit of {max_bytes:,}; "
                        "write the file in smaller row groups or raise read.max_bytes",
                    ),
                )
            else:
                unpacked.take(max(group.total_byte_size, group.num_rows * ROW))
                for batch in file.iter_batches(row_groups=[place], columns=texts):
                    unpacked.take(sum(map(_expansion, batch.columns)))
                batches = file.iter_batches(batch_size=BATCH, row_groups=[place])
                records = (batch.slice(n, 1).to_pylist()[0] for batch in batches for n in range(batch.num_rows))
                yield from ((str(number), record) for number, record in enumerate(records, first))
            first += group.num_rows

    if not source.size or source.size > max_bytes:
        load(source, max_bytes)
    try:
        schema = pq.read_schema(source.location)
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        file = pq.ParquetFile(source.location, read_dictionary=texts)  # a value that many rows share is held once
        yield from _read_records(source, rows(), config, max_characters, False)
    except MemoryError:  # Arrow's is one of its own exceptions too
        raise
    except (pa.ArrowException, OSError) as error:
        raise Unreadable("bad_parquet", f"{str(error).splitlines()[0]}; write the file anew or remove it") from error


def _expansion(column: Any) -> int:
    """The letters that a column of texts comes to beyond its dictionary: one may stand for millions of rows."""
    import pyarrow.compute as pc

    if not hasattr(column, "dictionary"):
        return 0
    lengths = pc.binary_length(column.dictionary)
    return (pc.sum(pc.take(lengths, column.indices)).as_py() or 0) - (pc.sum(lengths).as_py() or 0)


def _is_json(line: str) -> bool:
    try:
        _value(line)
    except (ValueError, RecursionError):
        return False
    return True


def _value(text: str) -> Any:
    """What a JSON text says; an integer too long to be one stays as it is written."""
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < DIGITS else digits)


def _lines(stream: BinaryIO, max_bytes: int) -> Iterator[bytes]:
    """The lines of a file; of one that is too long its beginning, which is too long still."""
    while line := stream.readline(max_bytes + 1):
        yield line
        while len(line) > max_bytes and not line.endswith(b"\n"):
            line = stream.readline(max_bytes + 1)


def _read_lines(
    source: Source, lines: Iterator[bytes], config: RecordsConfig, max_bytes: int, max_characters: int
) -> Iterator[Document | Quarantined]:
    def records() -> Iterator[tuple[str, Any]]:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            if len(line.rstrip(b"\n")) > max_bytes:
                yield (
                    str(number),
                    Unreadable("too_large", f"the line exceeds {max_bytes:,} bytes; raise read.max_bytes"),
                )
                continue
            try:
                yield str(number), _value(decode(line)[0])
            except (ValueError, RecursionError) as error:
                yield str(number), Unreadable("bad_record", f"not JSON ({error}); mend the line or remove it")
            except Unreadable as error:
                yield str(number), error

    yield from _read_records(source, records(), config, max_characters, False)


def _read_records(
    source: Source, records: Iterator[tuple[str, Any]], config: RecordsConfig, max_characters: int, single: bool
) -> Iterator[Document | Quarantined]:
    seen: set[str] = set()
    for number, record in records:
        place = source.path if single else f"{source.path}#{number}"
        try:
            if isinstance(record, Unreadable):
                raise record
            document = read_record(record, place, config, max_characters)
            if own := name(_first(record, config.id).strip()):
                document = replace(document, doc_id=own if source.alone else f"{source.path}#{own}")
            if document.doc_id in seen:
                raise Unreadable("duplicate_id", f"another record has the id {own!r}; give each record its own")
            seen.add(document.doc_id)
            yield document
        except Unreadable as error:
            yield quarantine(place, error)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:  # of values that no record has
            yield quarantine(place, Unreadable("bad_record", f"{error}; mend the record or remove it"))
        except MemoryError:
            raise
        except Exception as error:
            yield quarantine(place, failed(error))


def read_record(record: Any, source: str, config: RecordsConfig, max_characters: int) -> Document:
    """The document of one record: a filing in edgar-crawler's form, or a text with metadata."""
    if not isinstance(record, Mapping):
        raise Unreadable("bad_record", f"a {type(record).__name__}, not an object with a text; mend it or remove it")
    content = json.dumps(record, sort_keys=True, default=str)
    if is_edgar(record):
        return replace(read_edgar(record, source), content_hash=row_id(content))
    text = _first(record, config.text)
    if not text:
        raise Unreadable(
            "no_text", f"none of the fields {', '.join(config.text)} holds a text; name the field in read.records.text"
        )
    check_length(text, max_characters)
    marked = any(DELIMITER.match(line) and "|" in line for line in text.split("\n")) or text.lstrip().startswith("# ")
    document = (read_markdown if marked else read_text)(text, source)
    used = {*config.text, *config.id, *config.title, *config.date}
    found: dict[str, Any] = {}
    for field, columns in FIELDS.items():
        used.update(columns)
        if value := _first(record, columns):
            found[field] = value
    if year := YEAR.fullmatch(_first(record, ("fiscal_year", "year"))):
        found["fiscal_year"] = int(year[1])
        used.add("fiscal_year")
    rest = {str(key): _plain(value) for key, value in record.items() if key not in used and value is not None}
    return replace(
        document,
        content_hash=row_id(content),
        title=_first(record, config.title)
        or (document.title if marked else _first(record, config.id) or document.title),
        as_of=_first(record, config.date) or document.as_of,
        metadata={**document.metadata, **{key: value for key, value in rest.items() if value}},
        **found,
    )


def _first(record: Mapping[str, Any], columns: tuple[str, ...]) -> str:
    for column in columns:
        value = record.get(column)
        if value is not None and (said := _plain(value)).strip():
            return said
    return ""


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, date):  # or a time, whose day comes first too
        return value.isoformat()
    if value != value:  # tables write NaN where nothing is
        return ""
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)
