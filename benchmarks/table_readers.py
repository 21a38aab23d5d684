"""Read files with one reader and print what it makes of them: the worker of `tables_of_files.py`.

    python table_readers.py READER < paths.json

It runs under the interpreter that has the reader. Each gives Markdown or HTML, whichever keeps more of a table. Nothing
is downloaded.
"""

import html
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import peak_memory

Read = Callable[[str], str]
OFFICE = ("html", "md", "docx", "xlsx", "csv", "pptx")


def load_rarefy() -> Read:
    """The text that rarefy cuts and extracts from."""
    from rarefy.data_contracts.rows import Document
    from rarefy.tasks.corpus.read import ReadConfig, read_local
    from rarefy.tasks.corpus.read.sources import list_sources

    def read(path: str) -> str:
        (source,) = list_sources(path)
        rows = list(read_local(source, ReadConfig()))
        faults = [f"{row.reason}: {row.detail}" for row in rows if not isinstance(row, Document)]
        if faults:
            raise ValueError(faults[0])
        return "\n\n".join(row.text for row in rows if isinstance(row, Document))

    return read


def load_markitdown() -> Read:
    """Markdown, without plugins."""
    from markitdown import MarkItDown

    converter = MarkItDown(enable_plugins=False)
    return lambda path: str(converter.convert(path).text_content)


def load_docling() -> Read:
    """HTML of docling's document; for a PDF its standard pipeline, whose models must be on disk."""
    from docling.document_converter import DocumentConverter

    return use_docling(DocumentConverter())


def load_docling_native() -> Read:
    """docling's pipeline for PDF that needs no model; it looks for no tables."""
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import NativePdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption
    from docling.pipeline.native_pdf_pipeline import NativePdfPipeline

    option = PdfFormatOption(pipeline_cls=NativePdfPipeline, pipeline_options=NativePdfPipelineOptions())
    return use_docling(DocumentConverter(format_options={InputFormat.PDF: option}))


def use_docling(converter: Any) -> Read:
    """Its document as HTML, which keeps cells that span."""

    def read(path: str) -> str:
        return str(converter.convert(path).document.export_to_html())

    return read


def load_unstructured() -> Read:
    """HTML of tables and plain text of the rest, by the strategy "fast".

    It tells titles from sentences by spaCy's en_core_web_sm, which it would download; where that is not installed a
    pipeline without a tagger stands in. Tables do not depend on it.
    """
    import spacy
    from unstructured.partition.auto import partition

    if not spacy.util.is_package("en_core_web_sm"):
        blank = spacy.blank("en")
        blank.add_pipe("sentencizer")
        spacy.load = lambda *_, **__: blank

    def read(path: str) -> str:
        parts = []
        for element in partition(filename=path, strategy="fast"):
            table = getattr(element.metadata, "text_as_html", None)
            parts.append(table or f"<p>{html.escape(element.text)}</p>")
        return "\n".join(parts)

    return read


def read_pdfplumber(path: str, settings: dict[str, str]) -> str:
    """The tables of each page, and the lines over them."""
    import pdfplumber

    parts: list[str] = []
    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            top = 0.0
            tables = sorted(page.find_tables(settings), key=lambda table: table.bbox[1])
            for table in tables:
                high = max(table.bbox[1], top)
                above = page.crop((0, top, page.width, high)).extract_text() if high > top else ""
                rows = ["".join(f"<td>{html.escape(cell or '')}</td>" for cell in row) for row in table.extract()]
                parts += [
                    f"<p>{html.escape(above)}</p>",
                    f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>",
                ]
                top = min(max(table.bbox[3], top), float(page.height))
    return "\n".join(parts)


def load_pdfplumber() -> Read:
    """Tables by their lines, the default."""
    return lambda path: read_pdfplumber(path, {})


def load_pdfplumber_text() -> Read:
    """Tables by how words are aligned."""
    return lambda path: read_pdfplumber(path, {"vertical_strategy": "text", "horizontal_strategy": "text"})


def load_pandoc() -> Read:
    """HTML by pandoc, which runs as a program."""
    import pypandoc

    kinds = {"md": "gfm"}

    def read(path: str) -> str:
        kind = Path(path).suffix[1:]
        return str(pypandoc.convert_file(path, "html", format=kinds.get(kind, kind)))

    return read


READERS: dict[str, tuple[Callable[[], Read], tuple[str, ...]]] = {
    "rarefy": (load_rarefy, (*OFFICE, "pdf")),
    "markitdown": (load_markitdown, (*OFFICE, "pdf")),
    "docling": (load_docling, (*OFFICE, "pdf")),
    "docling native": (load_docling_native, ("pdf",)),
    "unstructured": (load_unstructured, (*OFFICE, "pdf")),
    "pandoc": (load_pandoc, OFFICE),
    "pdfplumber": (load_pdfplumber, ("pdf",)),
    "pdfplumber text": (load_pdfplumber_text, ("pdf",)),
}


def main() -> None:
    """Read the files named on standard input; what went wrong with one is told in its place."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", DO_NOT_TRACK="true", SCARF_NO_ANALYTICS="true")
    paths: list[str] = json.load(sys.stdin)
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print is no answer
    started = time.perf_counter()
    read = READERS[sys.argv[1]][0]()
    loading = time.perf_counter() - started
    made: list[dict[str, Any]] = []
    for path in paths:
        started = time.perf_counter()
        try:
            text, fault = read(path), ""
        except Exception as error:  # any library's: it is told, and the next file is read
            text, fault = "", f"{type(error).__name__}: {error}"[:300]
        made.append({"text": text, "fault": fault, "seconds": time.perf_counter() - started})
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    json.dump({"loading": loading, "peak": max(peak_memory(), children), "files": made}, output, ensure_ascii=False)
    output.close()


if __name__ == "__main__":
    main()
