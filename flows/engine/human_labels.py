"""The scores that people wrote into a sheet, each mistake told by its line."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rarefy.data_contracts.rows import Question
from rarefy.flows.faults import UsageFault
from rarefy.tasks.questions.grade.verdict import DIMENSIONS, HIGHEST, LOWEST

ID = "q:"  # before an id: an id of digits alone, or with one e, would become a number in a spreadsheet
CELL = 32_000  # characters; a spreadsheet's cell holds 32,767
CUT = " […]"  # where a longer text ends
_LABEL = re.compile(rf"\s*([{LOWEST}-{HIGHEST}])(?:[.,]0+)?\s*")
_FAULTS = 20  # told of one sheet


def labels(file: Path, questions: Mapping[str, Question]) -> dict[str, dict[str, int]]:
    """The scores in a sheet by question and dimension, none where a cell is empty.

    UsageFault with a line for each mistake: a column that is missing, an id that is missing, unknown or doubled, a
    score that is none, a row whose question is not that of its id.
    """
    header, rows = _table(file)
    missing = [name for name in ("id", *DIMENSIONS) if name not in header]
    if missing:
        raise UsageFault(f"{file}: no column {', '.join(missing)}; it has {', '.join(filter(None, header)) or 'none'}")
    faults: list[str] = []
    found: dict[str, dict[str, int]] = {}
    lines: dict[str, int] = {}
    for line, cells in rows:
        row = dict(zip(header, [*cells, *([""] * len(header))], strict=False))
        name = row["id"].strip().removeprefix("'").removeprefix(ID)
        if fault := _misplaced(name, row, lines, questions):
            faults.append(f"line {line}: {fault}")
            continue
        lines[name] = line
        found[name] = {}
        for of in DIMENSIONS:
            match = _LABEL.fullmatch(row[of])
            if match:
                found[name][of] = int(match[1])
            elif row[of].strip():
                faults.append(f"line {line}: {of} is {row[of].strip()[:40]!r}; write {LOWEST} to {HIGHEST} or nothing")
    if not found and not faults:
        faults.append("it has no rows")
    if faults:
        more = [f"and {len(faults) - _FAULTS:,} more"] if len(faults) > _FAULTS else []
        raise UsageFault("\n".join(f"{file}: {fault}" for fault in (*faults[:_FAULTS], *more)))
    if not any(found.values()):
        raise UsageFault(f"{file}: nothing is labelled yet; fill in {', '.join(DIMENSIONS)}")
    return found


def _misplaced(
    name: str, row: Mapping[str, str], lines: Mapping[str, int], questions: Mapping[str, Question]
) -> str | None:
    """Why a row cannot be that of the question it names."""
    if not name:
        return "no id"
    if name in lines:
        return f"the id {name} is that of line {lines[name]} too"
    if name not in questions:
        return f"no judged question of this benchmark has the id {name}; is it the benchmark that the sheet is of?"
    if row.get("question") and _letters(row["question"]) != _letters(questions[name].text[:CELL]):
        return f"this is not the question with the id {name}; was one column sorted without the others?"
    return None


def _letters(text: str) -> str:
    """What of a text survives spreadsheets: they change spaces, quotes and line ends."""
    return "".join(c for c in text.removesuffix(CUT).casefold() if c.isalnum())


def _table(file: Path) -> tuple[list[str], list[tuple[int, Sequence[str]]]]:
    """The header in small letters, and each row that is not empty with the number of its first line."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageFault(f"{file}: {error.strerror}") from error
    try:
        text = content.decode("utf-16" if content[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageFault(f"{file}: line {line}: neither UTF-8 nor UTF-16; save it as CSV (UTF-8)") from error
    first = text.partition("\n")[0]
    # where numbers have a decimal comma, spreadsheets write semicolons
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), strict=True)
    rows: list[tuple[int, Sequence[str]]] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise UsageFault(f"{file}: line {line}: no CSV ({error})") from error
        if cells is None:
            break
        if any(cell.strip() for cell in cells):
            rows.append((line, cells))
    return [name.strip().casefold() for name in rows[0][1]] if rows else [], rows[1:]
