"""Read sources of any kind as documents of normalised text (RARE §3.1, R1).

Files come in: HTML filings, PDF, plain text, Markdown, reStructuredText, AsciiDoc, Word, PowerPoint and Excel files,
CSV, books, mails, JSON, JSONL and Parquet, and archives of these. `Document` rows go out, and a `Quarantined` row for
each source that cannot be read, with the reason and the way out.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import records
from rarefy.tasks.corpus.read.decode import decode
from rarefy.tasks.corpus.read.metadata import ENTITY_FROM, describe_document, filing_id, normalise_document
from rarefy.tasks.corpus.read.records import RecordsConfig
from rarefy.tasks.corpus.read.sources import (
    ABOUT_CORPUS,
    MEDIA_TYPES,
    OLD_OFFICE,
    UNKNOWN,
    Member,
    Source,
    current_digest,
    file_state,
    list_sources,
    load,
    local_copy,
)
from rarefy.tasks.corpus.read.text import read_markdown, read_text
from rarefy.tasks.corpus.read.unreadable import (
    UnpackedSize,
    Unreadable,
    check_length,
    describe_failure,
    quarantine_source,
)
from rarefy.tasks.find import find

VERSION = 22  # tables of names alone; first rows of lists; text in the boxes of tables

MARKUP = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|body|xbrl)\b", re.I | re.S)
PICTURE = re.compile(rb"\s*(?:<[?!][^<]*)*<svg\b")
HTML = re.compile(r"<(?:html|body|div|p|font)\b", re.I)
# Four words in a row, figures between them or not, are the least that says something; or eight characters of a script
# that sets no spaces. Vowels of Indian scripts are marks, which \w leaves out.
SHORT = 500  # characters of a text that may be one sentence or two, rather than a list of codes
SENTENCE = re.compile(
    r"\b[^\W\d_]++(?:[,;:’'\-]? (?:[\d.,$%()]++ )?[^\W\d_][\w’'\-]*+){3}"
    r"|(?:[\u0900-\u0dff]++[,;:]? ){3}[\u0900-\u0dff]"
    r"|[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{8}"
)
# What a table must have to say something: a name and a figure after it, or names enough
NAME, FIGURE, NAMES = re.compile(r"[^\W\d_]{2,}+"), re.compile(r"\d"), 8

# EDGAR's full submission text files: many documents in one, the report first
SUBMISSION = re.compile(r"\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE|<(?:SEC|IMS)-DOCUMENT>|<DOCUMENT>)", re.I)
SUBMITTED_BODY = re.compile(r"<DOCUMENT>\s*<TYPE>[^\n]*.*?<TEXT>", re.I | re.S)

CHANGED = "changed_while_reading", "the file was written to after it was listed; build again once it is whole"
# What depends on the machine and not on the bytes: such a source is tried again by the next run
OUT_OF_TIME = "read_timeout", "its reader worked longer than read.seconds; split the file, remove it or raise the limit"
OUT_OF_MEMORY = (
    "read_memory",
    "its reader took more memory than read.memory_bytes, or than there is; split it, remove it or raise the limit",
)
DIED = "reader_died", "the process that read it was ended by {}; write the file anew or remove it"


class ReadConfig(BaseModel, frozen=True, extra="forbid"):
    """How sources become documents."""

    domain: Literal["auto", "finance", "economics", "policy", "default"] = Field(
        default="auto",
        description="what the corpus is about, which sets how it is chunked; auto: filings are finance, papers of the "
        "Federal Reserve, OECD and IMF economics, parts of the CFR policy, the rest default",
    )
    entity: str = Field(
        default="",
        description="whom or what the documents are about, where all are about one (a company, a product): the subject "
        "of what their tables state, in place of what each document says of itself",
    )
    identity: Literal["path", "filing"] = Field(
        default="path",
        description="what names a document whose record brings no id: its path, or the filing that it is (CIK, form "
        "and period, if it says all three): one that was moved or fetched again is the same document",
    )
    max_bytes: int = Field(
        default=200_000_000,
        gt=0,
        description="a larger file is quarantined; of a JSONL file a larger line, of a Parquet file a larger row group "
        "or text",
    )
    max_characters: int = Field(
        default=50_000_000,
        gt=0,
        description="a document with a longer text is quarantined: of a plain text, Markdown or record the text before "
        "it is read, of HTML and PDF what is shown",
    )
    max_depth: int = Field(
        default=3, ge=0, description="files inside of files (archives, attachments) are read to so many levels"
    )
    max_pages: int = Field(default=2_000, gt=0, description="a PDF of more pages is quarantined")
    max_cells: int = Field(
        default=500_000,
        gt=0,
        description="a workbook or CSV file of more cells is quarantined; every cell that is shown has its place kept",
    )
    max_unpacked_bytes: int = Field(
        default=1_000_000_000,
        gt=0,
        description="an archive, Office file, PDF or Parquet file is quarantined that unpacks to more, as far as it "
        "is read",
    )
    max_ratio: int = Field(
        default=200,
        gt=0,
        description="and one that unpacks to more times its size, where that is more than 20 MB: no text packs so well",
    )
    seconds: float = Field(
        default=600,
        gt=0,
        description="of work on one document (or record), after which its reader is ended and the document quarantined "
        "for this run; four times as many by the clock",
    )
    memory_bytes: int = Field(
        default=6_000_000_000,
        ge=500_000_000,
        description="of memory for a reader, which is ended when it asks for more, and the document quarantined for "
        "this run (on Linux; plain texts and JSON of less than 200 kB are read without these two bounds)",
    )
    records: RecordsConfig = Field(default=RecordsConfig(), description="columns of JSON, JSONL and Parquet files")
    readers: dict[str, str] = Field(
        default={},
        description='readers by file ending, {".odt": "mypackage.odt:read"}: (Source, ReadConfig) to documents',
    )


Reader = Callable[[Source, ReadConfig], Iterator[Document | Quarantined]]


def _text(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    content = load(source, config.max_bytes)
    if content.startswith(b"%PDF-"):
        yield from _pdf(source, config)
        return
    text, notes = decode(content)
    del content
    check_length(text, config.max_characters)
    read = read_text
    submission = bool(SUBMISSION.match(text))
    if submission and not HTML.search(main_document(text)[:20_000]):
        text = main_document(text)
    elif submission or MARKUP.match(text[:4096]):
        from rarefy.tasks.corpus.read.html import read_html as read
    elif source.media_type == "text/markdown":
        read = read_markdown
    document = replace(read(text, source.path), doc_id=source.path)
    yield replace(document, metadata={**document.metadata, **notes})


def main_document(submission: str) -> str:
    """The text of the first document in an EDGAR submission; the whole where none is marked."""
    opening = SUBMITTED_BODY.search(submission)
    if not opening:
        return submission
    end = submission.find("</TEXT>", opening.end())
    return submission[opening.end() : end if end > 0 else len(submission)]


def _html(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.html import read_html  # late: lxml is not needed for a corpus of texts

    content = load(source, config.max_bytes)
    if content.startswith(b"%PDF-"):
        raise Unreadable("wrong_type", "a PDF under an HTML name; rename it to end in .pdf")
    text, notes = decode(content)
    del content
    document = replace(read_html(text, source.path), doc_id=source.path)
    if document.domain == "default":
        document = describe_document(document)
    yield replace(document, metadata={**document.metadata, **notes})


def _pdf(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.pdf import read_pdf  # late: pdfplumber takes a second

    content = load(source, config.max_bytes)
    yield read_pdf(content, source.path, config.max_pages, config.max_unpacked_bytes, config.max_ratio)


def _docx(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.word import read_docx  # late: lxml is not needed for a corpus of texts

    yield read_docx(load(source, config.max_bytes), source.path, unpacked_size(source, config))


def _pptx(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.slides import read_pptx  # late: python-pptx takes half a second

    yield read_pptx(load(source, config.max_bytes), source.path, unpacked_size(source, config))


def _xlsx(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.sheets import read_xlsx  # late: openpyxl takes half a second

    content, unpacked = load(source, config.max_bytes), unpacked_size(source, config)
    yield read_xlsx(content, source.path, unpacked, config.max_cells, config.max_characters)


def _old_office(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    """What bears a name of Office 97: refused, unless it is a later file, a page or a text that was named so."""
    from rarefy.tasks.corpus.read.packages import refuse_ole2

    content = load(source, config.max_bytes)
    refuse_ole2(content)
    later = {".doc": _docx, ".ppt": _pptx, ".xls": _xlsx}.get(Path(source.path).suffix.lower(), _unknown)
    yield from (later if content.startswith(b"PK\x03\x04") else _unknown)(source, config)


def _delimited(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.delimited import read_delimited

    text, notes = decode(load(source, config.max_bytes))
    check_length(text, config.max_characters)
    document = read_delimited(text, source.path, source.media_type, config.max_cells)
    yield replace(document, metadata={**document.metadata, **notes})


def _max_record_characters(config: ReadConfig) -> int:
    """The most characters of a record's text."""
    return min(config.max_characters, config.max_bytes)


def _json(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    return records.read_json(source, config.records, config.max_bytes, _max_record_characters(config))


def _jsonl(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    return records.read_jsonl(source, config.records, config.max_bytes, _max_record_characters(config))


def _parquet(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    limits = config.max_bytes, _max_record_characters(config), unpacked_size(source, config)
    return records.read_parquet(source, config.records, *limits)


def unpacked_size(source: Source, config: ReadConfig) -> UnpackedSize:
    """The count of unpacked bytes that a source's reader goes by: its own, or that of the archive that holds it."""
    if isinstance(source, Member):
        return source.unpacked
    return UnpackedSize(source.size, config.max_unpacked_bytes, config.max_ratio)


def read_zip(source: Source, config: ReadConfig, read: "Reader | None" = None) -> Iterator[Document | Quarantined]:
    """The documents of the files in an archive; `read` is what reads each of them."""
    from rarefy.tasks.corpus.read.members import read_archive

    each = read or read_local
    unpacked = unpacked_size(source, config)
    yield from read_archive(source, config.max_bytes, config.max_depth, unpacked, lambda member: each(member, config))


def _epub(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.epub import read_epub

    yield read_epub(load(source, config.max_bytes), source.path, unpacked_size(source, config))


def _mail(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.mail import read_mail

    unpacked = unpacked_size(source, config)
    limits = config.max_bytes, config.max_characters, config.max_depth
    yield from read_mail(source, *limits, unpacked, lambda member: read_local(member, config))


def _mailbox(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.mail import read_mailbox

    unpacked = unpacked_size(source, config)
    yield from read_mailbox(
        source, config.max_bytes, config.max_depth, unpacked, lambda member: read_local(member, config)
    )


def _asciidoc(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.asciidoc import read_asciidoc

    text, notes = _decoded(source, config)
    document = read_asciidoc(text, source.path, config.seconds)
    yield replace(document, metadata={**document.metadata, **notes})


def _rst(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    from rarefy.tasks.corpus.read.rst import read_rst

    text, notes = _decoded(source, config)
    document = read_rst(text, source.path)
    yield replace(document, metadata={**document.metadata, **notes})


def _decoded(source: Source, config: ReadConfig) -> tuple[str, dict[str, str]]:
    """A source's text within the limits, and notes on how it was decoded."""
    text, notes = decode(load(source, config.max_bytes))
    check_length(text, config.max_characters)
    return text, notes


def _unknown(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    try:
        if PICTURE.match(load(source, config.max_bytes)[:4096]):
            raise Unreadable("binary_file", "it is a picture in SVG")
        yield from _text(source, config)
    except Unreadable as error:
        if error.reason != "binary_file":
            raise
        raise Unreadable(
            "unsupported_type",
            f"no reader for this kind of file ({error.detail}); {', '.join(sorted(MEDIA_TYPES))} are read",
        ) from error


def _reject_note(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    raise Unreadable(
        "about_the_corpus", "taken for a note about the corpus, not a part of it; rename it to have it read"
    )


READERS: dict[str, Reader] = {
    "application/json": _json,
    "application/jsonl": _jsonl,
    "application/mbox": _mailbox,
    "application/parquet": _parquet,
    "application/epub+zip": _epub,
    "application/pdf": _pdf,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": _pptx,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": _xlsx,
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": _docx,
    "application/zip": read_zip,
    "message/rfc822": _mail,
    "text/asciidoc": _asciidoc,
    "text/csv": _delimited,
    "text/html": _html,
    "text/markdown": _text,
    "text/plain": _text,
    "text/tab-separated-values": _delimited,
    "text/x-rst": _rst,
    ABOUT_CORPUS: _reject_note,
    OLD_OFFICE: _old_office,
    UNKNOWN: _unknown,
}


def read(source: Source, config: ReadConfig) -> Iterator[Document | Quarantined]:
    """The documents of one source, or the reason why there are none; of one behind a URL, of a copy of it."""
    try:
        with local_copy(source) as near:
            yield from read_local(near, config)
    except Unreadable as error:
        yield quarantine_source(source.path, error)


def read_local(source: Source, config: ReadConfig, reader: Reader | None = None) -> Iterator[Document | Quarantined]:
    """The documents of a source on this machine's disks; whatever its reader raises becomes a quarantine row."""
    ending = Path(source.path).suffix.lower()
    if not reader:
        outside = config.readers.get(ending)
        reader = find(outside, {}) if outside else READERS.get(source.media_type, _unknown)
    before = file_state(source)
    found = current_digest(source)
    fault: Unreadable | None = None
    changed = bool(source.digest and found) and found != source.digest
    try:
        for row in reader(source, config) if not changed else ():
            if changed := file_state(source) != before:
                break
            yield row if isinstance(row, Quarantined) else _finish_document(row, found or source.digest, config)
    except Unreadable as error:
        fault = error
    except RecursionError:
        fault = Unreadable("too_deep", "its parts are nested too deep to be read; flatten it or remove it")
    except MemoryError:
        fault = Unreadable(*OUT_OF_MEMORY)
    except Exception as error:  # a library's or ours: no fault in one document may end the build of all others
        fault = describe_failure(error)
    if (
        changed or file_state(source) != before
    ):  # what was read is not what the digest says, whatever went wrong with it
        fault = Unreadable(*CHANGED)
    if fault:
        yield quarantine_source(source.path, fault)


def read_corpus(corpus: Path | str, config: ReadConfig) -> Iterator[Document | Quarantined]:
    """Every document and every fault of a corpus, in the order of its paths."""
    for source in list_sources(corpus):
        yield from read(source, config)


def _has_telling_table(document: Document) -> bool:
    """Whether a table names what its figures are, or is one of names, which needs no sentence."""
    for block in document.blocks:
        if block.kind == "table":
            names = list(islice(NAME.finditer(document.text, block.start, block.end), NAMES))
            if len(names) == NAMES or (names and FIGURE.search(document.text, names[0].end(), block.end)):
                return True
    return False


def _finish_document(document: Document, digest: str, config: ReadConfig) -> Document | Quarantined:
    """The document with its digest and normalised metadata, or a quarantine row where it says nothing."""
    if not document.text.strip():
        return quarantine_source(
            document.source, Unreadable("no_text", "nothing but space and marks; restore it or remove it")
        )
    if not SENTENCE.search(document.text) and not _has_telling_table(document):
        short = len(document.text) < SHORT
        why = "too short to ask about" if short else "codes alone"
        way = "add to it, or remove it" if short else "remove it"
        return quarantine_source(
            document.source,
            Unreadable("no_sentences", f"no four words in a row, and no table that names its figures: {why}; {way}"),
        )
    dated = replace(
        document,
        doc_id=filing_id(document) if config.identity == "filing" else document.doc_id,
        content_hash=document.content_hash or digest,
        domain=document.domain if config.domain == "auto" else config.domain,
    )
    if config.entity:
        dated = replace(dated, entity=config.entity, metadata={**dated.metadata, ENTITY_FROM: "entity"})
    try:
        check_length(document.text, config.max_characters)
        return normalise_document(dated)
    except Unreadable as error:
        return quarantine_source(document.source, error)
