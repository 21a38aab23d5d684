"""Read JSON, JSONL and Parquet records, and 10-K reports in the JSON form of edgar-crawler."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Document, Quarantined, row_id
from rarefy.tasks.corpus.read.compose import LONG, Piece, clean_characters, compose_text, recover_paragraphs
from rarefy.tasks.corpus.read.cover import fiscal_year, preferred_name
from rarefy.tasks.corpus.read.decode import decode
from rarefy.tasks.corpus.read.metadata import DATES, fill_fields, first_value
from rarefy.tasks.corpus.read.sources import Source, load, open_file
from rarefy.tasks.corpus.read.text import DELIMITER, is_title, read_markdown, read_text
from rarefy.tasks.corpus.read.text import FURNITURE as TEXT_FURNITURE
from rarefy.tasks.corpus.read.unreadable import (
    UnpackedSize,
    Unreadable,
    check_length,
    describe_failure,
    one_line_id,
    quarantine_source,
)
from rarefy.tasks.text.dates import parse_day
from rarefy.tasks.text.names import FORM

# edgar-crawler reports

ITEM_KEY = re.compile(r"item_(\d{1,2}[A-C]?)", re.I)
ITEM_LABEL = re.compile(r"\s*item\s*(\d{1,2}\s?[A-C]?)\s*[.:—–-]*\s*", re.I)
TITLES = {
    "1": "Business",
    "1A": "Risk Factors",
    "1B": "Unresolved Staff Comments",
    "1C": "Cybersecurity",
    "2": "Properties",
    "3": "Legal Proceedings",
    "4": "Mine Safety Disclosures",
    "5": "Market for Registrant's Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities",
    "6": "Selected Financial Data",
    "7": "Management's Discussion and Analysis of Financial Condition and Results of Operations",
    "7A": "Quantitative and Qualitative Disclosures About Market Risk",
    "8": "Financial Statements and Supplementary Data",
    "9": "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
    "9A": "Controls and Procedures",
    "9B": "Other Information",
    "9C": "Disclosure Regarding Foreign Jurisdictions that Prevent Inspections",
    "10": "Directors, Executive Officers and Corporate Governance",
    "11": "Executive Compensation",
    "12": "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters",
    "13": "Certain Relationships and Related Transactions, and Director Independence",
    "14": "Principal Accountant Fees and Services",
    "15": "Exhibits and Financial Statement Schedules",
    "16": "Form 10-K Summary",
}
FURNITURE = re.compile(r"table of contents|part [iv]{1,3}|index to financial statements", re.I)
RUNNING = re.compile(rf"\b{FORM}|(?i:continued|10-K)")
FIGURE = re.compile(r"[\s$€£¥%()\d.,/*—–†-]+|N/?[AM]", re.I)
DEBRIS = 6  # lines: fewer short ones in a row may be headings; a table's cells come in dozens
KEPT = ("cik", "company", "filing_type", "sic", "state_of_inc", "state_location", "fiscal_year_end", "htm_filing_link")


def is_edgar(record: object) -> bool:
    """Whether a JSON value is a filing as edgar-crawler writes it."""
    return isinstance(record, Mapping) and sum(1 for key in record if ITEM_KEY.fullmatch(str(key))) >= 2


def read_edgar(record: Mapping[str, object], source: str) -> Document:
    """The document of one filing, an item a section."""
    fields = {str(key): str(value).strip() for key, value in record.items() if value is not None}
    dropped: Counter[str] = Counter()
    pieces: list[Piece] = []
    for key, value in fields.items():
        item = ITEM_KEY.fullmatch(key)
        if item and value:
            pieces += _item_pieces(item.group(1).upper(), clean_characters(value, dropped), dropped)
    composed = compose_text(pieces)
    name = preferred_name(fields.get("company", ""), composed.text)
    period_end, form = fields.get("period_of_report", ""), fields.get("filing_type", "")
    year = fiscal_year(parse_day(period_end), composed.text)
    title = " ".join(filter(None, (name, form, f"for fiscal year {year}" if year else "")))
    return Document(
        doc_id=source,
        content_hash="",
        source=source,
        title=title or source,
        media_type="application/json",
        text=composed.text,
        blocks=composed.blocks,
        entity=name,
        domain="finance",
        form=form,
        fiscal_year=year,
        period_end=period_end,
        as_of=fields.get("filing_date", ""),
        dropped={kind: count for kind, count in dropped.items() if count},
        metadata={key: fields[key] for key in KEPT if fields.get(key)},
    )


def _item_pieces(number: str, text: str, dropped: Counter[str]) -> Iterator[Piece]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    title = TITLES.get(number, "")
    label = ITEM_LABEL.match(lines[0]) if lines else None
    if label and label.group(1).replace(" ", "").upper() == number:
        rest = lines.pop(0)[label.end() :].strip()
        if not rest and lines and len(lines[0]) < 200:
            rest = lines.pop(0)
        if len(rest) < 200:
            title = rest.rstrip(".") or title
        else:
            lines.insert(0, rest)
    yield Piece("heading", f"Item {number}. {_title_case(title)}".strip(), 2)
    paragraphs = list(_join_cut_paragraphs(_without_debris(_without_furniture(lines, dropped), dropped)))
    titles = [is_title(paragraph) for paragraph in paragraphs]
    for at, paragraph in enumerate(paragraphs):
        # Four short lines in a row are a list, or a table of words, whose cells head nothing.
        if titles[at] and not any(
            all(titles[n : n + 4]) and len(titles[n : n + 4]) == 4 for n in range(max(at - 3, 0), at + 1)
        ):
            yield Piece("heading", paragraph, 3 if paragraph.isupper() else 4)
        elif len(paragraph) > LONG:
            yield from (Piece(kind, words, 4) for kind, words in recover_paragraphs(paragraph))
        else:
            yield Piece("text", paragraph.replace("• ", "- ", 1) if paragraph.startswith("• ") else paragraph)


def _title_case(title: str) -> str:
    """A title in capitals as one in title case."""
    if not title.isupper():
        return title
    little = {"of", "and", "the", "to", "in", "on", "for", "with", "by", "about", "that", "from", "or", "a", "an"}
    words = title.lower().split()
    return " ".join(w if w in little and n else w[:1].upper() + w[1:] for n, w in enumerate(words))


def _without_furniture(lines: list[str], dropped: Counter[str]) -> list[str]:
    """Lines that are no page number, no link to the contents, no running header."""
    often = {
        line for line, count in Counter(lines).items() if count >= 5 and len(line) < 80 and not FIGURE.fullmatch(line)
    }
    kept = []
    for line in lines:
        if re.fullmatch(r"[-–—]\s?\d{1,3}\s?[-–—]|page \d{1,3}", line, re.I):
            dropped["page_numbers"] += len(line)
        elif FURNITURE.fullmatch(line) or (line in often and RUNNING.search(line)):
            dropped["running_headers"] += len(line)
        else:
            kept.append(line)
    return kept


def _without_debris(lines: list[str], dropped: Counter[str]) -> Iterator[str]:
    """Lines without the cells of tables that the crawler flattened: figures without headers say nothing."""
    run: list[str] = []
    for line in [*lines, ""]:
        short = bool(line) and len(line) <= 80 and (bool(FIGURE.fullmatch(line)) or line[-1] not in ".;:?!")
        if short:
            run.append(line)
            continue
        figures = [number for number, cell in enumerate(run) if FIGURE.fullmatch(cell)]
        if len(run) >= DEBRIS and len(figures) >= 0.3 * len(run):
            end = figures[-1] + 1  # what stands after the last figure is the next heading
            dropped["table_debris"] += sum(map(len, run[:end]))
            run = run[end:]
        for cell in run:
            if TEXT_FURNITURE["page_numbers"].fullmatch(cell):
                dropped["page_numbers"] += len(cell)
            elif FIGURE.fullmatch(cell):
                dropped["table_debris"] += len(cell)
            else:
                yield cell
        run = []
        if line:
            yield line


def _join_cut_paragraphs(lines: Iterator[str]) -> Iterator[str]:
    """Paragraphs that a page's end had cut in two, whole again."""
    gathered = ""
    for line in lines:
        cut = gathered and gathered[-1] not in '.:;?!”")' and len(gathered) > 60
        if cut and (line[0].islower() or line[0] in "($"):
            gathered = f"{gathered} {line}"
            continue
        if gathered:
            yield gathered
        gathered = line
    if gathered:
        yield gathered


BATCH = 64  # rows of a Parquet file held at once
ROW = 100  # bytes that a row of a Parquet file counts for at least: a million empty ones take no space at all
DIGITS = 4000  # of an integer: Python turns none into a number that has more than 4,300


class RecordsConfig(BaseModel, frozen=True, extra="forbid"):
    """Which columns of a JSONL or Parquet file hold what; the first that a record has is taken."""

    text: tuple[str, ...] = Field(
        default=("text", "content", "body", "contents", "document"), description="the text itself"
    )
    id: tuple[str, ...] = Field(
        default=("doc_id", "id", "_id", "docid", "document_id"), description="the user's own id"
    )
    title: tuple[str, ...] = Field(default=("title", "name", "headline"), description="the title")
    date: tuple[str, ...] = Field(default=DATES, description="the date of publication")


def read_json(
    source: Source, config: RecordsConfig, max_bytes: int, max_characters: int
) -> Iterator[Document | Quarantined]:
    """The documents of a JSON file: one filing, one record, or a list of records."""
    text, _ = decode(load(source, max_bytes))
    try:
        value = _parse_json(text)
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
            yield from _read_lines(source, _split_lines(stream, max_bytes), config, max_bytes, max_characters)
    except OSError as error:
        raise Unreadable("unreadable_file", f"{error.strerror}; grant read permission or remove the file") from error


def read_parquet(
    source: Source, config: RecordsConfig, max_bytes: int, max_characters: int, unpacked: UnpackedSize
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
        _parse_json(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parse_json(text: str) -> Any:
    """What a JSON text says; an integer too long to be one stays as it is written."""
    return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < DIGITS else digits)


def _split_lines(stream: BinaryIO, max_bytes: int) -> Iterator[bytes]:
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
                yield str(number), _parse_json(decode(line)[0])
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
            if own := one_line_id(first_value(record, config.id).strip()):
                document = replace(document, doc_id=own if source.alone else f"{source.path}#{own}")
            if document.doc_id in seen:
                raise Unreadable("duplicate_id", f"another record has the id {own!r}; give each record its own")
            seen.add(document.doc_id)
            yield document
        except Unreadable as error:
            yield quarantine_source(place, error)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:  # of values that no record has
            yield quarantine_source(place, Unreadable("bad_record", f"{error}; mend the record or remove it"))
        except MemoryError:
            raise
        except Exception as error:
            yield quarantine_source(place, describe_failure(error))


def read_record(record: Any, source: str, config: RecordsConfig, max_characters: int) -> Document:
    """The document of one record: a filing in edgar-crawler's form, or a text with metadata."""
    if not isinstance(record, Mapping):
        raise Unreadable("bad_record", f"a {type(record).__name__}, not an object with a text; mend it or remove it")
    content = json.dumps(record, sort_keys=True, default=str)
    if is_edgar(record):
        return replace(read_edgar(record, source), content_hash=row_id(content))
    text = first_value(record, config.text)
    if not text:
        raise Unreadable(
            "no_text", f"none of the fields {', '.join(config.text)} holds a text; name the field in read.records.text"
        )
    check_length(text, max_characters)
    marked = any(DELIMITER.match(line) and "|" in line for line in text.split("\n")) or text.lstrip().startswith("# ")
    document = (read_markdown if marked else read_text)(text, source)
    title = first_value(record, config.title) or ("" if marked else first_value(record, config.id))
    described = fill_fields(document, record, config.date, {*config.text, *config.id, *config.title})
    return replace(described, content_hash=row_id(content), title=title or document.title)
