"""Write known tables into files of many kinds, with what each of their cells is called, for `tables_of_files.py`.

    python table_files.py tatqa_dataset_dev.json FOLDER [--tables N]

The tables are TAT-QA's (CC BY 4.0; `dataset_raw/` of github.com/NExTplusplus/TAT-QA), drawn by the hash of their uid.
It needs python-docx, openpyxl, python-pptx and Chromium, and nothing of rarefy.

A table's truth is made from its grid alone:

- Head rows are the rows above the first with a number that is no year, up to a row that has nothing but a label, where
  that is no unit and no period. A row of the body with a label and no value is a group; it holds for the rows below it
  up to the next one.
- A cell counts if it is a number in a row with a label. Its row head is that label, and the group's where there is one.
- Its column head is what stands over it in every head row. A head cell with blanks beside it spans columns: all of
  them where it is the only one and stands in the middle; equal shares where each stands in the middle of one.
- Its unit is the scale that a head, a corner cell or else the line above names ("in thousands"), and its own sign of
  per cent.

A table of which that leaves doubts is left out: blanks in the lowest head row, spans that are not even, two head rows
with words in the corner, heads that come again further down.
"""

import argparse
import hashlib
import html
import json
import re
import subprocess
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

KINDS = ("html", "md", "pdf", "docx", "xlsx", "csv", "pptx")
NUMBER = re.compile(
    r"[-–—−(]?\s*(?:[A-Z]{0,3}[$€£¥₹])?\s*[-–—−(]?\s*(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?<=\d)"
    r"\s*(?:%|x|bps|pts?)?\s*\)?\s*%?\s*(?:\(\w{1,2}\)|\*+)?"
)
YEAR = re.compile(r"(?:19|20)\d\d\s*(?:\(\w\)|\*+)?")
SCALE = re.compile(r"\b(thousand|million|billion)s?\b|(?<!\d)['’,]?(000)['’]?s?\b", re.I)
UNITS = re.compile(
    r"\(?[^()]*\b(?:in|of)\b[^()]*(?:thousand|million|billion)[^()]*\)?"
    r"|[^\w]*(?:\w+[ ']){0,2}(?:thousand|million|billion)s?\W*"
    r"|[^\w]*(?:[A-Z]{0,3}[$€£]?\s?['’]?000['’]?s?)\W*",
    re.I,
)
PERIOD = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:year|month|quarter|week)s?\b|\b(?:ended|ending|as of|as at)\b|"
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.I,
)


@dataclass
class Table:
    """A grid whose heads are known."""

    name: str
    lines: list[str]  # what is written above it
    corner: list[str]
    heads: list[list[tuple[int, int, str]]]  # of each head row: first column, number of columns, words
    labels: list[str]  # of each head row: what stands in its first column
    body: list[list[str]]
    bits: int
    cells: list[dict[str, Any]] = field(default_factory=list)


def is_number(cell: str) -> bool:
    """Whether a cell holds a number that is no year."""
    return bool(NUMBER.fullmatch(cell)) and not YEAR.fullmatch(cell)


def find_spans(row: list[str]) -> list[tuple[int, int, str]] | None:
    """The columns that each cell of a head row stands over; None where that is not certain."""
    width, filled = len(row) - 1, [at for at, cell in enumerate(row) if at and cell]
    share, left = divmod(width, len(filled))
    if left:
        return None
    for number, at in enumerate(filled):
        if at - 1 - number * share not in ((share - 1) // 2, share // 2):
            return None
    return [(1 + number * share, share, row[at]) for number, at in enumerate(filled)]


def make_table(grid: list[list[str]], name: str, lines: list[str], bits: int) -> Table | None:
    """The table with the truth of its cells; None where there are doubts."""
    grid = [[" ".join(cell.split()) for cell in row] for row in grid]
    width = max(map(len, grid))
    if any(len(row) != width for row in grid) or width < 2:
        return None
    corner: list[str] = []
    rows: list[list[str]] = []
    start = 0
    for row in grid:
        values = [cell for cell in row[1:] if cell]
        if any(map(is_number, values)):
            break
        if values:
            rows.append(row)
        elif not rows or UNITS.fullmatch(row[0]) or PERIOD.search(row[0]):
            corner.append(row[0])
        else:
            break
        start += 1
    body = [row for row in grid[start:] if any(row)]
    worded = [n for n, row in enumerate(rows) if row[0] and not UNITS.fullmatch(row[0]) and not PERIOD.search(row[0])]
    spans = [find_spans(row) for row in rows]
    if not rows or None in spans or worded not in ([], [len(rows) - 1]):
        return None
    lowest = [row for row in rows if not (len(set(row[1:]) - {""}) == 1 and UNITS.fullmatch("".join(row[1:])))]
    if not lowest or (not all(lowest[-1][1:])):
        return None
    again = [row for row in body if any(row[1:]) and (not row[0] or all(map(YEAR.fullmatch, filter(None, row[1:]))))]
    if again:
        return None
    heads = [span for span in spans if span is not None]
    table = Table(name, lines, [cell for cell in corner if cell], heads, [row[0] for row in rows], body, bits)
    add_truth(table)
    return table if len(table.cells) > 3 else None


def add_truth(table: Table) -> None:
    """Name every cell of the table."""
    words = [*table.corner, *table.labels, *(cell for row in table.heads for _, _, cell in row), *table.lines]
    scale = next((found.group(1) or "000" for cell in words if (found := SCALE.search(cell))), "")
    columns: dict[int, list[str]] = {}
    for row in table.heads:
        for first, share, cell in row:
            if not UNITS.fullmatch(cell):
                for at in range(first, first + share):
                    columns.setdefault(at, []).append(cell)
    group = ""
    for row in table.body:
        if not any(row[1:]):
            group = row[0]
        for at, cell in enumerate(row):
            if at and is_number(cell) and row[0]:
                truth = {"value": cell, "row": row[0], "group": group, "column": columns[at], "scale": scale.lower()}
                others = sorted({head for other, heads in columns.items() if other != at for head in heads})
                table.cells.append({**truth, "others": others})


# Files


def over_table(table: Table) -> tuple[list[str], list[str]]:
    """The lines above the table and its corner, of which the units go above in half of the tables."""
    units = [cell for cell in table.corner if UNITS.fullmatch(cell)] if table.bits & 1 else []
    return [*table.lines, *units], [cell for cell in table.corner if cell not in units]


def make_rows(table: Table, spread: str) -> list[list[tuple[str, int]]]:
    """All rows as (text, columns) cells; what spans is `merged`, or a cell `first` or in the `middle` of blanks."""
    rows = [[(cell, 1), *[("", 1)] * (len(table.body[0]) - 1)] for cell in over_table(table)[1]]
    for label, head in zip(table.labels, table.heads, strict=True):
        row = [(label, 1)]
        for _, share, cell in head:
            if spread == "merged":
                row.append((cell, share))
            else:
                at = (share - 1) // 2 if spread == "middle" else 0
                row += [(cell if number == at else "", 1) for number in range(share)]
        rows.append(row)
    return rows + [[(cell, 1) for cell in row] for row in table.body]


def write_html(table: Table, path: Path) -> None:
    """A page with the table; with lines around cells or without, heads as `th` or `td`."""
    lines, corner = over_table(table)
    high = len(corner) + len(table.heads)
    parts = []
    for number, row in enumerate(make_rows(table, "merged")):
        tag = "th" if number < high and table.bits & 2 else "td"
        cells = [f"<{tag}{f' colspan={n}' * (n > 1)}>{html.escape(cell)}</{tag}>" for cell, n in row]
        parts.append(f"<tr{' class=head' * (number < high)}>{''.join(cells)}</tr>")
    border = "td,th{border:1px solid black}" if table.bits & 4 else ""
    style = (
        "body{font:11pt serif}table{border-collapse:collapse}"
        f"{border}"
        "td,th{padding:2px 10px;font-weight:normal;text-align:right}"
        "tr.head td,tr.head th{text-align:center;font-weight:bold}"
        "td:first-child,th:first-child{text-align:left!important}"
    )
    above = "".join(f"<p>{html.escape(line)}</p>" for line in lines[1:])
    path.write_text(
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{html.escape(lines[0])}</title><style>{style}</style>"
        f"</head><body><h1>{html.escape(lines[0])}</h1>{above}<table>{''.join(parts)}</table>{AFTER_HTML}</body></html>"
    )


AFTER = "The notes on the other pages are a part of this statement and should be read with it."
AFTER_HTML = f"<p>{AFTER}</p>"


def write_md(table: Table, path: Path) -> None:
    """A pipe table, whose first row is its head."""
    rows = [[cell.replace("|", "\\|") for cell, _ in row] for row in make_rows(table, "middle")]
    pipes = [f"| {' | '.join(row)} |" for row in rows]
    lines = over_table(table)[0]
    rule = "|" + " --- |" * len(rows[0])
    path.write_text("\n\n".join([f"# {lines[0]}", *lines[1:], "\n".join([pipes[0], rule, *pipes[1:]]), AFTER]) + "\n")


def write_csv(table: Table, path: Path) -> None:
    """The bare grid, as a sheet is saved."""
    import csv

    rows = [[(cell, 1) for cell in (words, *[""] * (len(table.body[0]) - 1))] for words in over_table(table)[0][1:]]
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([cell for cell, _ in row] for row in rows + make_rows(table, "middle"))


def write_pdf(table: Table, path: Path) -> None:
    """The page as Chromium prints it."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        write_html(table, page)
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
        command += ["--no-pdf-header-footer", f"--print-to-pdf={path}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def fill_office_table(made: Any, rows: list[list[tuple[str, int]]]) -> None:
    """Write rows into a table of python-docx or python-pptx, whose cells merge alike."""
    for number, row in enumerate(rows):
        at = 0
        for cell, share in row:
            place = made.cell(number, at)
            if share > 1:
                place.merge(made.cell(number, at + share - 1))
            place.text = cell
            at += share


def write_docx(table: Table, path: Path) -> None:
    """A Word table, whose heads are merged in half of the files."""
    import docx

    document = docx.Document()
    lines = over_table(table)[0]
    document.add_heading(lines[0], 1)
    for line in lines[1:]:
        document.add_paragraph(line)
    rows = make_rows(table, "merged" if table.bits & 8 else "first")
    made = document.add_table(len(rows), len(table.body[0]))
    made.style = "Table Grid"
    fill_office_table(made, rows)
    document.add_paragraph(AFTER)
    document.save(str(path))


def write_pptx(table: Table, path: Path) -> None:
    """A slide with a title, a line of text and the table."""
    import pptx
    from pptx.util import Inches

    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    lines = over_table(table)[0]
    slide.shapes.title.text = lines[0][:200]
    slide.shapes.add_textbox(Inches(0.5), Inches(1.3), Inches(9), Inches(0.5)).text_frame.text = "\n".join(lines[1:])
    rows = make_rows(table, "merged" if table.bits & 8 else "first")
    size = len(rows), len(table.body[0])
    shape = slide.shapes.add_table(*size, Inches(0.5), Inches(2), Inches(9), Inches(0.3 * len(rows)))
    fill_office_table(shape.table, rows)
    show.save(str(path))


def write_xlsx(table: Table, path: Path) -> None:
    """A sheet with numbers as numbers; merged heads in half of the files, a blank first column in others."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    left = 2 if table.bits & 16 else 1
    at = 1
    for line in over_table(table)[0]:
        sheet.cell(at, left, line)
        at += 1
    at += 1
    for row in make_rows(table, "merged" if table.bits & 8 else "first"):
        column = left
        for cell, share in row:
            place = sheet.cell(at, column)
            if is_number(cell):
                place.value, place.number_format = number_of(cell)
            elif cell:
                place.value = int(cell) if YEAR.fullmatch(cell) and cell.isdigit() else cell
            if share > 1:
                sheet.merge_cells(start_row=at, end_row=at, start_column=column, end_column=column + share - 1)
            column += share
        at += 1
    book.save(str(path))


def number_of(cell: str) -> tuple[float, str]:
    """The number and the format with which a sheet shows it."""
    bare = re.sub(r"\(\w{1,2}\)$", "", cell)
    digits = bare if re.search(r"\d", bare) else cell
    found = re.search(r"[\d,]*\.?\d+", digits)
    value = float(found.group().replace(",", "")) if found else 0.0
    places = len(found.group().partition(".")[2]) if found else 0
    shape = "#,##0" + ("." + "0" * places if places else "")
    if re.match(r"\D*[-–—−(]", digits):
        value = -value
    if "%" in cell:
        return round(value / 100, places + 2), "0" + ("." + "0" * places if places else "") + "%"
    if "$" in cell:
        shape = f'"$"{shape}'
    return (int(value) if value == int(value) and not places else value), f"{shape}_);({shape})"


WRITERS = {
    "html": write_html, "md": write_md, "pdf": write_pdf, "docx": write_docx, "xlsx": write_xlsx, "csv": write_csv,
    "pptx": write_pptx,
}  # fmt: skip


def draw_tables(path: Path, number: int) -> tuple[list[Table], int, int]:
    """So many tables in the order of their uid's hash, how many could have been drawn, and how many there are."""
    entries = json.loads(path.read_text())
    tables = []
    for entry in entries:
        key = hashlib.sha256(entry["table"]["uid"].encode()).hexdigest()
        texts = [" ".join(p["text"].split()) for p in sorted(entry["paragraphs"], key=lambda p: p["order"])]
        title = next((text for text in texts if len(text) < 100 and text[-1] not in ".:;"), "Selected Financial Data")
        lead = next((text for text in texts if len(text) > 60 and "table" in text.lower()), "")
        lines = [title, *([lead[:400]] if lead else [])]
        table = make_table(entry["table"]["table"], key[:12], lines, int(key[12:20], 16))
        if table:
            tables.append(table)
    tables.sort(key=lambda table: table.name)
    return tables[:number], len(tables), len(entries)


def main() -> None:
    """Write the files and `truth.json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tatqa", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=80)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    tables, fit, all_of_them = draw_tables(given.tatqa, given.tables)
    for kind, write in WRITERS.items():
        for table in tables:
            path = given.folder / f"{table.name}.{kind}"
            if not path.exists():
                write(table, path)
    truth = [{**asdict(table), "half": "open" if number % 2 else "apart"} for number, table in enumerate(tables)]
    (given.folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1))
    cells = sum(len(table.cells) for table in tables)
    print(f"{len(tables)} tables with {cells:,} cells, drawn from {fit} without doubts of {all_of_them}")


if __name__ == "__main__":
    main()
