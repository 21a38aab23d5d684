"""A sheet of judged questions for people to score, and what their scores say of the judge (RARE §3.4, R23)."""

import csv
import io
import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk, Judgement, Question, row_id
from rarefy.flows.engine.human_labels import CELL, CUT, ID, labels
from rarefy.flows.faults import UsageFault
from rarefy.tasks.questions.grade.agreement import told
from rarefy.tasks.questions.grade.calibration import Calibrated, Share, compare
from rarefy.tasks.questions.grade.verdict import DIMENSIONS, scores
from rarefy.tasks.store.atomic_write import put_in_place

COLUMNS = ("id", "pattern", "domain", "question", "answer", "evidence", "passages", *DIMENSIONS, "note")
GUIDE = """\
Score each question in the columns readability, clarity and correctness from 1 to 5; leave empty what you cannot say.
readability: one grammatical, natural sentence (5 reads at once, 3 has to be read twice, 1 no sentence)
clarity: it means one thing and has one answer in the collection (5 nothing else fits, 3 a second reading is possible)
correctness: the passages give just this answer to it (5 they say so, 3 a step is missing, 1 wrong or not there)
Keep the id column, sort whole rows only, and save as CSV (UTF-8).
"""
_FORMULA = tuple("=+-@\t\r＝＋－＠")  # what a spreadsheet takes for the beginning of a formula


@dataclass(frozen=True)
class _Bench:
    questions: Mapping[str, Question]  # those judged
    judged: Mapping[str, Mapping[str, int]]  # their scores
    chunks: Mapping[str, Chunk]
    keep_above: int


def sheet(bench_dir: Path | str, path: Path | str, n: int = 100) -> int:
    """Write a sheet of `n` judged questions for people to score; how many there are (fewer where fewer were judged).

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
    bench = _bench(Path(bench_dir))
    chosen = _sample(bench, n)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for question in chosen:
        passages = "\n\n".join(bench.chunks[name].text for name in dict.fromkeys(question.chunk_ids))
        shown = (question.pattern, question.domain, question.text, question.answer, "\n".join(question.evidence))
        cells = [_safe(cell) for cell in (*shown, passages)]
        writer.writerow([ID + question.question_id, *cells, *([""] * (len(DIMENSIONS) + 1))])
    scratch = place.with_name(f".{place.name}.{os.getpid()}")
    scratch.write_text(text.getvalue(), encoding="utf-8-sig", newline="")  # with the mark that spreadsheets look for
    put_in_place(scratch, place)
    return len(chosen)


def calibrate(bench_dir: Path | str, path: Path | str) -> Calibrated:
    """What the labels of a sheet say of the judge; UsageFault with a line for each mistake in the sheet."""
    bench = _bench(Path(bench_dir))
    return compare(bench.judged, labels(Path(path), bench.questions), bench.keep_above)


def show(found: Calibrated) -> str:
    """The comparison as lines of text."""
    kept, rejected = found.population[True], found.population[False]
    lines = [
        f"{found.labelled:,} of {found.rows:,} questions in the sheet are labelled, {found.complete:,} on all three; "
        f"the judge kept {kept:,} and rejected {rejected:,} (kept: above {found.keep_above} on all three)",
        "kappas, offsets and recall are weighted to all that was judged; intervals are 95 %",
        *(told(one) for one in found.agreements),
        *(f"{of}: the judge gives {offset:+.2f} beside people" for of, offset in found.offsets.items()),
        f"{'':22}{'people keep':>14}{'people reject':>16}",
    ]
    for side, name in ((True, "judge keeps"), (False, "judge rejects")):
        lines.append(f"{name:22}{found.confusion[side, True]:>14,}{found.confusion[side, False]:>16,}")
    lines.append(f"precision of kept: {_told(found.precision)}")
    lines.append(f"recall of kept: {_told(found.recall)}")
    return "\n".join(lines)


def _told(share: Share) -> str:
    if share.value is None:
        return f"not known ({share.undefined})"
    return f"{share.value:.2f}, {share.low:.2f} to {share.high:.2f} (of {share.n:,})"


def _bench(folder: Path) -> _Bench:
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
    return _Bench(wanted, {name: scores(rounds[name]) for name in wanted}, chunks, above)


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
    from rarefy.flows.engine.table_versions import brought_up

    if not file.is_file():
        raise UsageFault(f"{file} is not there; build the benchmark anew")
    told = json.loads((file.parent / "manifest.json").read_bytes())  # looked at before
    yield from from_table(brought_up(file.stem, pq.read_table(file), told, file), row_type)


def _sample(bench: _Bench, n: int) -> list[Question]:
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
    """How many each stratum has of `n`: its share, what is over to the largest remainders."""
    total = sum(sizes.values())
    exact = {key: n * size / total for key, size in sizes.items()} if total else {}
    shares = {key: int(share) for key, share in exact.items()}
    most = sorted(exact, key=lambda key: (shares[key] - exact[key], key))
    for key in most[: n - sum(shares.values())]:
        shares[key] += 1
    return shares


def _safe(cell: str) -> str:
    """The text as a spreadsheet may have it: never a formula, and not longer than a cell."""
    text = cell if len(cell) <= CELL else cell[:CELL] + CUT
    return f"'{text}" if text.lstrip(" \n\v\f").startswith(_FORMULA) else text
