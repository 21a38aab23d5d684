"""A sheet of judged questions for people to score, and what their scores say of the judge (RARE §3.4, R23)."""

import csv
import io
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk, Judgement, Question, row_id
from rarefy.flows.faults import UsageFault
from rarefy.tasks.atomic_write import put_in_place
from rarefy.tasks.questions.grade import DIMENSIONS, HIGHEST, LOWEST, median_scores
from rarefy.tasks.questions.grade.agreement import Calibration, ShareInterval, compare_with_people, describe_agreement

COLUMNS = ("id", "pattern", "domain", "question", "answer", "evidence", "passages", *DIMENSIONS, "note")
_FORMULA = tuple("=+-@\t\r＝＋－＠")  # what a spreadsheet takes for the beginning of a formula


@dataclass(frozen=True)
class _JudgedBenchmark:
    questions: Mapping[str, Question]  # those judged
    judged: Mapping[str, Mapping[str, int]]  # their scores
    chunks: Mapping[str, Chunk]
    keep_above: int


def write_sheet(bench_dir: Path | str, path: Path | str, n: int = 100) -> int:
    """Write a sheet of `n` judged questions for people to score; returns how many (fewer where fewer were judged).

    Half are such as the judge keeps and half such as it rejects, as far as there are, and in either half each pattern
    and domain has its share; which ones, and in what order, is settled by their ids. The judge's scores are not shown.
    UsageFault where there is no judged benchmark or the sheet already exists.
    """
    place = Path(path)
    if n < 1:
        raise UsageFault(f"a sheet of {n} questions: at least 1")
    if place.exists():
        raise UsageFault(f"{place} is there already and may hold labels; choose another name or move it away")
    if not place.parent.is_dir():
        raise UsageFault(f"{place}: there is no folder {place.parent}")
    bench = _load_judged(Path(bench_dir))
    chosen = _sample(bench, n)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for question in chosen:
        passages = "\n\n".join(bench.chunks[name].text for name in dict.fromkeys(question.chunk_ids))
        shown = (
            question.pattern,
            question.domain,
            question.text,
            question.answer_in_words,
            "\n".join(question.evidence),
        )
        cells = [_safe(cell) for cell in (*shown, passages)]
        writer.writerow([ID + question.question_id, *cells, *([""] * (len(DIMENSIONS) + 1))])
    scratch = place.with_name(f".{place.name}.{os.getpid()}")
    scratch.write_text(text.getvalue(), encoding="utf-8-sig", newline="")  # with the mark that spreadsheets look for
    put_in_place(scratch, place)
    return len(chosen)


def calibrate(bench_dir: Path | str, path: Path | str) -> Calibration:
    """What the labels of a sheet say of the judge; UsageFault with a line for each mistake in the sheet."""
    bench = _load_judged(Path(bench_dir))
    return compare_with_people(bench.judged, read_labels(Path(path), bench.questions), bench.keep_above)


def show(found: Calibration) -> str:
    """The comparison as lines of text."""
    kept, rejected = found.population[True], found.population[False]
    lines = [
        f"{found.labelled:,} of {found.rows:,} questions in the sheet are labelled, {found.complete:,} on all three; "
        f"the judge kept {kept:,} and rejected {rejected:,} (kept: above {found.keep_above} on all three)",
        "kappas, offsets and recall are weighted to all that was judged; intervals are 95 %",
        *(describe_agreement(one) for one in found.agreements),
        *(f"{of}: the judge gives {offset:+.2f} beside people" for of, offset in found.offsets.items()),
        f"{'':22}{'people keep':>14}{'people reject':>16}",
    ]
    for side, name in ((True, "judge keeps"), (False, "judge rejects")):
        lines.append(f"{name:22}{found.confusion[side, True]:>14,}{found.confusion[side, False]:>16,}")
    lines.append(f"precision of kept: {_describe_share(found.precision)}")
    lines.append(f"recall of kept: {_describe_share(found.recall)}")
    return "\n".join(lines)


def _describe_share(share: ShareInterval) -> str:
    if share.value is None:
        return f"not known ({share.undefined})"
    return f"{share.value:.2f}, {share.low:.2f} to {share.high:.2f} (of {share.n:,})"


def _load_judged(folder: Path) -> _JudgedBenchmark:
    """The judged questions of a benchmark, as its first judge judged them."""
    above = _keep_above(folder / "manifest.json")
    rounds: dict[str, list[Judgement]] = defaultdict(list)
    for one in _rows(folder / "judgements.parquet", Judgement):
        if one.judge == "first" and not one.error:
            rounds[one.question_id].append(one)
    if not rounds:
        raise UsageFault(f'{folder}: no question was judged; build it with [grade] by = "model" and a model as judge')
    questions = {row.question_id: row for row in _rows(folder / "questions.parquet", Question)}
    wanted = {name: questions[name] for name in sorted(rounds)}
    gold = {name for question in wanted.values() for name in question.chunk_ids}
    chunks = {row.chunk_id: row for row in _rows(folder / "chunks.parquet", Chunk) if row.chunk_id in gold}
    return _JudgedBenchmark(wanted, {name: median_scores(rounds[name]) for name in wanted}, chunks, above)


def _keep_above(manifest: Path) -> int:
    try:
        return int(json.loads(manifest.read_text(encoding="utf-8"))["config"]["grade"]["keep_above"])
    except OSError as error:
        raise UsageFault(f"{manifest.parent} is no benchmark: {error.strerror} (manifest.json)") from error
    except (ValueError, LookupError, TypeError) as error:
        raise UsageFault(f"{manifest}: no grade.keep_above in its config; build the benchmark anew") from error


def _rows(file: Path, row_type: type[Any]) -> Iterator[Any]:
    import pyarrow.parquet as pq  # late: 0.3 s

    from rarefy.data_contracts.tables import from_table
    from rarefy.flows.engine.benchmark_folder import migrate_table

    if not file.is_file():
        raise UsageFault(f"{file} is not there; build the benchmark anew")
    manifest = json.loads((file.parent / "manifest.json").read_bytes())  # looked at before
    yield from from_table(migrate_table(file.stem, pq.read_table(file), manifest, file), row_type)


def _sample(bench: _JudgedBenchmark, n: int) -> list[Question]:
    """The questions of a sheet, in an order that tells nothing."""
    sides: dict[bool, dict[tuple[str, str], list[Question]]] = {True: defaultdict(list), False: defaultdict(list)}
    for name, question in sorted(bench.questions.items(), key=lambda pair: row_id("calibrate", pair[0])):
        kept = min(bench.judged[name].values()) > bench.keep_above
        sides[kept][question.pattern, question.domain].append(question)
    sizes = {side: sum(map(len, groups.values())) for side, groups in sides.items()}
    most = min(n, sum(sizes.values()))
    rejected = min(sizes[False], max(most // 2, most - sizes[True]))
    wanted = {False: rejected, True: most - rejected}
    chosen = [
        question
        for side, groups in sides.items()
        for stratum, count in _allotted({key: len(rows) for key, rows in groups.items()}, wanted[side]).items()
        for question in groups[stratum][:count]
    ]
    return sorted(chosen, key=lambda question: row_id("sheet", question.question_id))


def _allotted(sizes: Mapping[tuple[str, str], int], n: int) -> dict[tuple[str, str], int]:
    """`n` shared out among strata by their sizes; what is left over goes to the largest remainders."""
    total = sum(sizes.values())
    exact = {key: n * size / total for key, size in sizes.items()} if total else {}
    shares = {key: int(share) for key, share in exact.items()}
    most = sorted(exact, key=lambda key: (shares[key] - exact[key], key))
    for key in most[: n - sum(shares.values())]:
        shares[key] += 1
    return shares


def _safe(cell: str) -> str:
    """The text for a spreadsheet's cell: never a formula, and not too long."""
    text = cell if len(cell) <= CELL else cell[:CELL] + CUT
    return f"'{text}" if text.lstrip(" \n\v\f").startswith(_FORMULA) else text


ID = "q:"  # before an id: an id of digits alone, or with one e, would become a number in a spreadsheet
CELL = 32_000  # characters; a spreadsheet's cell holds 32,767
CUT = " […]"  # where a longer text ends
_LABEL = re.compile(rf"\s*([{LOWEST}-{HIGHEST}])(?:[.,]0+)?\s*")
_FAULTS = 20  # told of one sheet


def read_labels(file: Path, questions: Mapping[str, Question]) -> dict[str, dict[str, int]]:
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
    """Why a row cannot be that of the question that it names; None where it can."""
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
    """The letters and digits of a text: spreadsheets change spaces, quotes and line ends."""
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
