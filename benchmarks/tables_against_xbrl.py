"""How well Markdown tables keep what inline XBRL says of each number: its own cell, the year in its column's name."""

import re
import sys
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from measuring import make_parser

from rarefy.data_contracts.rows import Block, Document, Fact
from rarefy.tasks.corpus.read.html import read_html

YEAR = re.compile(r"(?:\b|(?<=FY))(?:19|20)\d\d\b|(?<=/)\d\d\b")
CELLS = re.compile(r"(?<!\\)\|")
OPENING = re.compile(r"\b(?:beginning|opening|start|previous(?:ly)?|prior|carr(?:y|ied) forward)\b", re.I)
SIGNS = r"[\s$€£¥()\-–—+%,.*†‡x]*"
COLUMNS = {
    "in_tables": "tagged numbers shown in tables, beyond those in row labels",
    "own_cell": "the cell holds this number, its signs and footnote marks, nothing else",
    "in_header": "the column's name gives the year in which the fact's period ends",
    "in_row": "the row's label gives it",
    "around": "a group row above, the caption, the line before or the section gives it",
    "opening": "an opening balance: the column names the year after",
    "unsaid": "no year is named in any of these",
    "wrong": "other years are named, this one nowhere",
    "in_label": "tagged numbers in row labels (par values and the like), apart from the rest",
    "tagged_cells": "share of cells with digits that hold a tagged number",
}


@dataclass(slots=True)
class Spot:
    """The cell that shows a fact, with the name of its column, the label of its row and the group rows above it."""

    column: int
    cell: str
    label: str
    header: str
    groups: tuple[str, ...]


def split_cells(line: str) -> list[str]:
    """The trimmed cells of a table's line."""
    return [cell.strip() for cell in CELLS.split(line)[1:-1]]


def find_fact(text: str, block: Block, fact: Fact) -> Spot:
    """Where in the table the fact is shown."""
    lines = text[block.start : block.end].split("\n")
    number, at = 0, block.start
    while at + len(lines[number]) < fact.end:
        at += len(lines[number]) + 1
        number += 1
    column = len(CELLS.findall(text[at : fact.start])) - 1
    header, cells = split_cells(lines[0]), split_cells(lines[number])
    above = [split_cells(line) for line in lines[2:number]]
    groups = tuple(row[0] for row in above if row[0] and not any(row[1:]))
    return Spot(column, cells[column], cells[0], header[column] if number else "", groups)


def find_years(words: str) -> set[str]:
    """The years that some words name, in four digits."""
    return {found if len(found) == 4 else f"20{found}" for found in YEAR.findall(words)}


def classify_year(spot: Spot, around: str, fact: Fact) -> str:
    """Which of `COLUMNS` says how the year of the fact's period is told. A year that ends by February has two names."""
    end = fact.period_end[:4]
    names = {end, str(int(end) - 1)} if fact.period_start and fact.period_end[5:7] <= "02" else {end}
    header, label = find_years(spot.header), find_years(spot.label)
    if names & header:
        return "in_header"
    if names & label:
        return "in_row"
    if OPENING.search(f"{spot.label} {spot.header}") and str(int(end) + 1) in header | find_years(around):
        return "opening"
    if names & find_years(" ".join(spot.groups[-3:]) + " " + around):
        return "around"
    return "wrong" if header | label else "unsaid"


def measure_filing(document: Document, show: int) -> Counter[str]:
    """Counts over one filing; prints up to `show` of each kind of failure to standard error."""
    tables = [(number, block) for number, block in enumerate(document.blocks) if block.kind == "table"]
    starts = [block.start for _, block in tables]
    counts: Counter[str] = Counter()
    printed: Counter[str] = Counter()
    tagged: set[int] = set()
    for fact in document.facts:
        index = bisect_right(starts, fact.start) - 1
        if not fact.unit or not fact.end or index < 0 or fact.end > tables[index][1].end:
            continue
        number, block = tables[index]
        tagged.add(fact.start)
        spot = find_fact(document.text, block, fact)
        if spot.column == 0:
            counts["in_label"] += 1
            continue
        near = document.blocks[max(0, number - 3) : number]
        around = " ".join([block.section, *(document.text[b.start : b.end] for b in near if b.kind != "table")])
        kind = classify_year(spot, around, fact)
        number_shown = re.escape(document.text[fact.start : fact.end])
        own = re.fullmatch(
            rf"{SIGNS}(?:[A-Z]{{1,3}}\$)?{SIGNS}{number_shown}{SIGNS}(?:\(\w{{1,3}}\)[,\s]*)*", spot.cell
        )
        counts.update({"in_tables": 1, "own_cell": bool(own), kind: 1})
        for failure in (kind, "own_cell" if not own else ""):
            if failure in ("wrong", "unsaid", "own_cell") and printed[failure] < show:
                printed[failure] += 1
                print(f"{document.source} {failure}: {fact.period_end} {fact.concept} {spot}", file=sys.stderr)
    for _, block in tables:
        for line in document.text[block.start : block.end].split("\n")[2:]:
            counts["digits"] += sum(bool(re.search(r"\d", cell)) for cell in split_cells(line)[1:])
    counts["tagged_cells"] = len(tagged)
    return counts


def format_row(name: str, counts: Counter[str]) -> str:
    """One line of the printed table."""
    seen, digits = max(counts["in_tables"], 1), max(counts["digits"], 1)
    cells = [f"{counts[column] / seen:>11.1%}" for column in list(COLUMNS)[1:-2]]
    tagged = f"{counts['tagged_cells'] / digits:>13.1%}"
    return f"{name:22}{counts['in_tables']:>11}{''.join(cells)}{counts['in_label']:>11}{tagged}"


def main() -> None:
    """Measure every filing of a folder that is tagged, and print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N failures of each kind per filing")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    print("\n".join(f"{name}: {meaning}" for name, meaning in COLUMNS.items()))
    print(f"\n{'filing':22}" + "".join(f"{name:>{13 if name == 'tagged_cells' else 11}}" for name in COLUMNS))
    for path in sorted(given.folder.glob("*.htm*")):
        document = read_html(path.read_bytes().decode("utf-8", "replace"), path.name)
        if any(fact.unit for fact in document.facts):
            counts = measure_filing(document, given.show)
            total += counts
            print(format_row(path.name, counts))
    print(format_row("all", total))


if __name__ == "__main__":
    main()
