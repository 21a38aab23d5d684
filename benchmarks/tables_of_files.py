"""Readers of files against each other: of how many cells are the row head, the column head and the unit right?

    python table_files.py tatqa_dataset_dev.json FOLDER
    python tables_of_files.py FOLDER [--python markitdown=ENV/bin/python …] [--real table_cells.json --pdfs FOLDER]

`table_files.py` says how the truth is made. What each reader gives is parsed by one parser of Markdown and HTML tables,
in which a cell that spans stands in every place it spans. A cell of the truth is looked for among the cells with its
number (a sheet's 0.157 is 15.7 %); of several the one is taken that has most right.

- row: the first filled cell to its left in its row, a running number aside, is the label, and the nearest row above
  that holds but one text is the group; a group may also be in the label, in the column head, or, where no row above is
  one, in the head of the first column or the lines before the table.
- column: what stands over it, in its own column above the first row of figures, has all words of its column head and
  none that only other columns have.
- unit: the scale is named in the table above the cell, or in the 500 characters before the table; a per cent sign is in
  the cell or in what names it. Cells without a unit are left out of this share.

Files are read one after another in a process for each reader and kind, under the interpreter that `--python` names.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from typing import Any

from measuring import make_parser, print_head, print_row
from table_files import KINDS, is_number
from table_readers import READERS

PARTS = ("found", "row", "column", "unit", "all")
NOTE = re.compile(r"\((?:\d{1,2}|[a-z])\)|[*†‡¹²³]")
BEFORE = 500  # characters before a table in which its unit and its group may stand: a title and a paragraph


@dataclass
class Parsed:
    """A table of a reader's output: its cells, and the text before it."""

    rows: list[list[str]]
    before: str


class HtmlTables(HTMLParser):
    """The tables of an HTML text and the texts between them; a table within a cell is text of that cell."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.before: list[str] = []
        self.rows: list[list[tuple[str, int, int]]] = []
        self.cell: list[str] | None = None
        self.spans = (1, 1)
        self.hidden = 0
        self.tables: list[Parsed] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("style", "script"):
            self.hidden += 1
        elif tag == "table":
            self.depth += 1
            if self.depth == 1:
                self.rows = []
        elif self.depth == 1 and tag == "tr":
            self._close_cell()
            self.rows.append([])
        elif self.depth == 1 and tag in ("td", "th"):
            self._close_cell()
            self.cell = []
            self.spans = int(given.get("colspan") or 1), int(given.get("rowspan") or 1)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script"):
            self.hidden -= 1
        elif self.depth == 1 and tag in ("td", "th", "tr"):
            self._close_cell()
        elif tag == "table":
            self._close_cell()
            self.depth -= 1
            if self.depth == 0:
                self.tables.append(Parsed(lay_out(self.rows), "".join(self.before)[-BEFORE:]))
                self.before = []

    def handle_data(self, data: str) -> None:
        if self.hidden:
            return
        if self.depth and self.cell is not None:
            self.cell.append(data)
        else:
            self.before.append(data)

    def _close_cell(self) -> None:
        if self.cell is not None:
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append((" ".join("".join(self.cell).split()), *self.spans))
            self.cell = None


def lay_out(rows: list[list[tuple[str, int, int]]]) -> list[list[str]]:
    """The grid, with the text of a cell that spans in every place."""
    grid: dict[tuple[int, int], str] = {}
    for number, row in enumerate(rows):
        at = 0
        for text, wide, high in row:
            while (number, at) in grid:
                at += 1
            for down in range(high):
                for right in range(wide):
                    grid.setdefault((number + down, at + right), text)
            at += wide
    width = max((column for _, column in grid), default=-1) + 1
    return [[grid.get((number, at), "") for at in range(width)] for number in range(len(rows))]


def parse_tables(text: str) -> list[Parsed]:
    """Every table of a text that is Markdown, HTML or both, in order; pipe tables are made HTML first."""
    lines: list[str] = []
    piped: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith("|"):
            piped.append(line.strip())
            continue
        if piped:
            lines.append(pipes_to_html(piped))
            piped = []
        lines.append(line)
    parser = HtmlTables()
    parser.feed("\n".join(lines))
    parser.close()
    return parser.tables


def pipes_to_html(lines: list[str]) -> str:
    """A pipe table as HTML, without its rule."""
    rows = []
    for line in lines:
        if re.fullmatch(r"\|(?:\s*:?-+:?\s*\|)+", line):
            continue
        cells = re.split(r"(?<!\\)\|", line.removeprefix("|").removesuffix("|"))
        plain = [re.sub(r"\*\*|<br ?/?>", " ", cell.replace("\\|", "|")).strip() for cell in cells]
        rows.append("<tr>" + "".join(f"<td>{escape_tags(cell)}</td>" for cell in plain) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


def escape_tags(text: str) -> str:
    """A cell whose signs are no tags."""
    return text.replace("<", "&lt;")


def words_of(text: str) -> list[str]:
    """Its words without marks of footnotes and signs, in lower case."""
    text = text.lower().replace("\\", "")
    return re.findall(r"[^\W_]+|%", NOTE.sub(" ", text)) or re.findall(r"[^\W_]+", text)


def number_keys(cell: str) -> set[str]:
    """The numbers that a cell may be; none where it holds words besides."""
    bare = NOTE.sub("", cell) if re.sub(r"\W", "", NOTE.sub("", cell)) else cell
    bare = bare.replace("\\", "").replace("_", "")
    found = re.search(r"\d[\d,]*\.?\d*|\.\d+", bare)
    if not found or re.search(r"[a-z]{4}", bare, re.I) or re.search(r"\d", bare[found.end() :]):
        return set()
    value = float(found.group().replace(",", ""))
    if re.match(r"\s*[A-Z]{0,3}[$€£¥]?\s*[-–—−‑(]", bare):
        value = -value
    made = {f"{value:.6g}"}
    return made | {f"{value / 100:.6g}"} if "%" in bare else made


def judge_cell(truth: dict[str, Any], tables: list[Parsed]) -> Counter[str]:
    """Which of `PARTS` are right."""
    best: Counter[str] = Counter()
    wanted = number_keys(truth["value"])
    for table in tables:
        for at, row in enumerate(table.rows):
            for column, cell in enumerate(row):
                if column and cell and wanted & number_keys(cell):
                    found = judge_place(truth, table, at, column)
                    best = max(best, found, key=lambda parts: sum(parts.values()))
    return best


def judge_place(truth: dict[str, Any], table: Parsed, at: int, column: int) -> Counter[str]:
    """Which of `PARTS` are right of a cell that holds the number."""
    rows = table.rows
    labels = [cell for cell in rows[at][:column] if cell]
    label = next((cell for cell in labels if not is_number(cell.rstrip("."))), labels[0] if labels else "")
    figures = [n for n, row in enumerate(rows) if any(is_number(cell) for cell in row[1:])]
    first = min(figures, default=0)
    names = [rows[n][column] for n in range(min(first, at))]
    group, named = words_of(truth["group"]), words_of(label)
    row_right = named == words_of(truth["row"]) and (not group or group == find_group(table, at, first))
    row_right = row_right or (bool(group) and named == group + words_of(truth["row"]))
    found = {word for name in names for word in words_of(name)}
    row_right = row_right or (named == words_of(truth["row"]) and bool(group) and set(group) <= found)
    own = {word for head in truth["column"] for word in words_of(head)}
    foreign = {word for head in truth["others"] for word in words_of(head)} - own
    column_right = own <= found and not (foreign & found)
    around = " ".join([table.before, *(cell for row in rows[:at] for cell in row if not is_number(cell))]).lower()
    scale = not truth["scale"] or truth["scale"] in around
    percent = "%" not in truth["value"] or any(
        "%" in t or "percent" in t.lower() for t in (rows[at][column], label, *names)
    )
    unit = scale and percent
    made = Counter({"found": 1, "row": int(row_right), "column": int(column_right)})
    if has_unit(truth):
        made["unit"] = int(unit)
    made["all"] = int(row_right and column_right and unit)
    return made


def find_group(table: Parsed, at: int, first: int) -> list[str]:
    """The words of the group that a row is in: of the nearest row above with one text, or what goes before the rows."""
    for number in range(at - 1, -1, -1):
        texts = {cell for cell in table.rows[number] if cell}
        if len(texts) == 1 and table.rows[number][0] and not is_number(table.rows[number][0]):
            return words_of(texts.pop())
    heads = [words_of(table.rows[number][0]) for number in range(first)]
    lines = [words_of(line) for line in table.before.replace("<", "\n").split("\n")]
    return next((words for words in reversed([*lines, *heads]) if words), [])


def has_unit(truth: dict[str, Any]) -> bool:
    """Whether a cell's unit is asked about."""
    return bool(truth["scale"]) or "%" in truth["value"]


def list_real_cells(cells: Path, folder: Path, half: str) -> list[tuple[Path, list[dict[str, Any]]]]:
    """The files that were read by hand, as far as they are in the folder, with the truth of their cells."""
    files: dict[Path, list[dict[str, Any]]] = {}
    for entry in json.loads(cells.read_text())["files"]:
        path = folder / entry["file"]
        if half not in ("all", entry["half"]):
            continue
        if not path.exists():
            print(f"not there: {path.name}, of {entry['from']}", file=sys.stderr)
            continue
        for label, group, *values in entry["rows"]:
            for column, value in zip(entry["columns"], values, strict=True):
                others = sorted({head for heads in entry["columns"] for head in heads if heads is not column})
                truth = {"value": value, "row": label, "group": group, "column": column, "scale": entry["scale"]}
                files.setdefault(path, []).extend([{**truth, "others": others}] if value else [])
    return list(files.items())


def run_reader(name: str, python: str, paths: list[Path]) -> dict[str, Any]:
    """What a reader makes of the files, in a process of its own."""
    command = [python, str(Path(__file__).with_name("table_readers.py")), name]
    done = subprocess.run(command, input=json.dumps([str(path) for path in paths]), capture_output=True, text=True)
    if done.returncode:
        return {"failed": done.stderr.strip().split("\n")[-1]}
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def measure(name: str, kind: str, python: str, files: list[tuple[Path, list[dict[str, Any]]]], show: int) -> bool:
    """Print the line of one reader and one kind; False where it could not be run."""
    answer = run_reader(name, python, [path for path, _ in files])
    failed = answer.get("failed") or (all(f["fault"] for f in answer["files"]) and answer["files"][0]["fault"])
    if failed:
        print(f"not run: {name} on {kind}: {failed}", file=sys.stderr)
        return False
    right: Counter[str] = Counter()
    total = units = 0
    for (path, cells), made in zip(files, answer["files"], strict=True):
        if made["fault"]:
            print(f"{name} {path.name}: {made['fault']}", file=sys.stderr)
        tables = parse_tables(made["text"])
        for truth in cells:
            parts = judge_cell(truth, tables)
            right += parts
            total += 1
            units += has_unit(truth)
            missing = [part for part in PARTS[:4] if not parts[part] and (part != "unit" or has_unit(truth))]
            if missing and show > 0:
                show -= 1
                heads = {key: truth[key] for key in ("value", "row", "group", "column", "scale")}
                print(f"{name} {path.name} lacks {', '.join(missing)}: {heads}", file=sys.stderr)
    shares = [f"{right[part] / max(units if part == 'unit' else total, 1):.1%}" for part in PARTS]
    seconds = median(made["seconds"] for made in answer["files"])
    print_row(kind, name, *shares, f"{seconds:.3f}", f"{answer['peak']:.0f}")
    return True


def main() -> None:
    """Measure every reader on every kind of file, and print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path, help="what table_files.py has written")
    parser.add_argument("--python", action="append", default=[], metavar="READER=PATH", help="interpreter of a reader")
    parser.add_argument("--readers", nargs="*", default=list(READERS), help="only these")
    parser.add_argument("--kinds", nargs="*", default=[*KINDS, "real pdf"], help="only these")
    parser.add_argument("--half", choices=["all", "open", "apart"], default="all", help="of the tables, drawn by hash")
    parser.add_argument("--real", type=Path, default=Path(__file__).with_name("table_cells.json"))
    parser.add_argument("--pdfs", type=Path, help="folder with the PDFs that it names")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N cells with a fault of each line")
    given = parser.parse_args()
    pythons = dict(pair.split("=", 1) for pair in given.python)
    tables = json.loads((given.folder / "truth.json").read_text())
    tables = [table for table in tables if given.half in ("all", table["half"])]
    print(f"{len(tables)} tables, {sum(len(table['cells']) for table in tables):,} cells\n")
    print_head("kind", "reader", *PARTS, "s per file", "MiB", text_columns=2)
    for kind in given.kinds:
        files = [(given.folder / f"{table['name']}.{kind}", table["cells"]) for table in tables]
        if kind == "real pdf":
            files = list_real_cells(given.real, given.pdfs, given.half) if given.pdfs else []
        for name in given.readers:
            if kind.split()[-1] in READERS[name][1] and files:
                measure(name, kind, pythons.get(name.split()[0], sys.executable), files, given.show)


if __name__ == "__main__":
    main()
