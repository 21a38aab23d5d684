"""A sheet out, labels in, and what they say of the judge."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Chunk, Judgement, Question, row_id
from rarefy.data_contracts.tables import to_table
from rarefy.flows.calibrate import COLUMNS, calibrate, show, write_sheet
from rarefy.flows.faults import UsageFault
from rarefy.tasks.questions.grade.agreement import compare_with_people, wilson_interval

ASKED = "question answer evidence passages".split()


def question(at: int, pattern: str = "single", **more: object) -> Question:
    made = Question(
        row_id("question", at), "p", pattern, f"What is the measure of thing {at}?", f"${at}", (), (), ("c1",),
        (f"Thing {at} measures ${at}.",), (),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def judgement(of: Question, *scores: int, turn: int = 0, judge: str = "first", error: str = "") -> Judgement:
    return Judgement(row_id("j", of.question_id, judge, turn), of.question_id, judge, turn, *scores, error=error)


def bench(folder: Path, questions: list[Question], judgements: list[Judgement], above: int = 3) -> Path:
    folder.mkdir(exist_ok=True)
    rows = {
        "questions": (questions, Question),
        "judgements": (judgements, Judgement),
        "chunks": ([Chunk("c1", "d", 0, 9, "text", "", "The passage.", 3)], Chunk),
    }
    for name, (some, row_type) in rows.items():
        pq.write_table(to_table(some, row_type), folder / f"{name}.parquet")
    (folder / "manifest.json").write_text(json.dumps({"config": {"grade": {"keep_above": above}}}))
    return folder


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """200 questions of three patterns, 40 of them rejected by the judge."""
    questions = [question(at, ("single", "single", "chain", "star")[at % 4]) for at in range(200)]
    return bench(tmp_path / "b", questions, [judgement(q, 5, 4 if at % 5 else 2, 5) for at, q in enumerate(questions)])


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))


def write(path: Path, rows: list[dict[str, str]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def filled(judged: Path, path: Path, *scores: str, n: int = 20) -> list[dict[str, str]]:
    write_sheet(judged, path, n)
    return [row | dict(zip(("readability", "clarity", "correctness"), scores, strict=True)) for row in read(path)]


def test_a_sheet_has_both_sides_and_every_pattern_and_no_score(judged: Path, tmp_path: Path) -> None:
    assert write_sheet(judged, tmp_path / "s.csv", 40) == 40
    rows = read(tmp_path / "s.csv")
    assert tuple(rows[0]) == COLUMNS and len({row["id"] for row in rows}) == 40
    numbers = [int(row["question"].split()[-1][:-1]) for row in rows]
    assert sum(number % 5 == 0 for number in numbers) == 20
    for kept in (True, False):
        of = [row["pattern"] for row, number in zip(rows, numbers, strict=True) if bool(number % 5) is kept]
        assert sorted(of) == ["chain"] * 5 + ["single"] * 10 + ["star"] * 5
    assert not any(row[name] for row in rows for name in ("readability", "clarity", "correctness", "note"))
    assert all(row["passages"] == "The passage." and row["id"].startswith("q:") for row in rows)


def test_which_questions_a_sheet_has_hangs_on_their_ids_alone(judged: Path, tmp_path: Path) -> None:
    write_sheet(judged, tmp_path / "a.csv", 30)
    for name in ("questions", "judgements"):
        table = pq.read_table(judged / f"{name}.parquet")
        pq.write_table(table.take(Random(1).sample(range(200), 200)), judged / f"{name}.parquet")
    write_sheet(judged, tmp_path / "b.csv", 30)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert write_sheet(judged, tmp_path / "all.csv", 1_000) == 200


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r", " =", "＝"])
def test_no_cell_is_a_formula(tmp_path: Path, start: str) -> None:
    text = f'{start}cmd|"/c calc"!A1'
    q = question(1, text=text, answer=text, evidence=(text,), pattern=text)
    write_sheet(bench(tmp_path / "b", [q], [judgement(q, 5, 5, 5)]), tmp_path / "s.csv")
    (row,) = read(tmp_path / "s.csv")
    assert [row[name] for name in ("question", "answer", "evidence", "pattern")] == [f"'{text}"] * 4
    labelled = row | {"readability": "4", "clarity": "4", "correctness": "5"}
    assert calibrate(tmp_path / "b", write(tmp_path / "l.csv", [labelled])).complete == 1


def test_a_sheet_that_is_there_is_never_written_over(judged: Path, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("labels")
    with pytest.raises(UsageFault, match="may hold labels"):
        write_sheet(judged, tmp_path / "s.csv")
    assert (tmp_path / "s.csv").read_text() == "labels"
    with pytest.raises(UsageFault, match="there is no folder"):
        write_sheet(judged, tmp_path / "none" / "s.csv")
    with pytest.raises(UsageFault, match="at least 1"):
        write_sheet(judged, tmp_path / "t.csv", 0)


def test_a_benchmark_without_judgements_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="is no benchmark"):
        write_sheet(tmp_path / "none", tmp_path / "s.csv")
    with pytest.raises(UsageFault, match='by = "model"'):
        write_sheet(bench(tmp_path / "b", [question(1)], []), tmp_path / "s.csv")
    q = question(1)
    with pytest.raises(UsageFault, match='by = "model"'):
        write_sheet(bench(tmp_path / "b", [q], [judgement(q, error="timeout")]), tmp_path / "s.csv")
    (tmp_path / "b" / "manifest.json").write_text('{"config": {}}')
    with pytest.raises(UsageFault, match="keep_above"):
        write_sheet(tmp_path / "b", tmp_path / "s.csv")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_labels_are_read_as_spreadsheets_save_them(judged: Path, tmp_path: Path, delimiter: str, encoding: str) -> None:
    rows = filled(judged, tmp_path / "s.csv", " 4 ", "5.0", "5,0")
    rows[0] |= {"readability": "", "clarity": " ", "correctness": ""}
    rows[1] |= {"clarity": ""}
    rows[2]["question"] = rows[2]["question"].replace(" ", "  ").upper()
    found = calibrate(judged, write(tmp_path / "l.csv", rows, delimiter, encoding))
    assert (found.rows, found.labelled, found.complete) == (20, 19, 18)
    assert [one.n for one in found.agreements] == [19, 19, 18, 18, 19, 19, 18]


def test_every_mistake_is_told_by_its_line(judged: Path, tmp_path: Path) -> None:
    rows = filled(judged, tmp_path / "s.csv", "4", "5", "5")
    rows[0]["evidence"] = "three\nlines\nof text"
    rows[1]["clarity"] = "6"
    rows[2]["clarity"], rows[2]["correctness"] = "good", "4.5"
    rows[3]["id"] = rows[0]["id"]
    rows[4]["id"] = "q:0123"
    rows[5]["id"] = ""
    rows[6]["question"] = rows[7]["question"]
    with pytest.raises(UsageFault) as told:
        calibrate(judged, write(tmp_path / "l.csv", rows))
    lines = str(told.value).splitlines()
    for line, words in (
        (5, "clarity is '6'"),
        (6, "clarity is 'good'"),
        (6, "correctness is '4.5'"),
        (7, "line 2 too"),
        (8, "no judged question of this benchmark has the id 0123"),
        (9, "no id"),
        (10, "one column sorted"),
    ):
        assert any(f"line {line}: " in text and words in text for text in lines), (line, words, lines)
    assert len(lines) == 7


def test_what_is_no_sheet_is_told(judged: Path, tmp_path: Path) -> None:
    rows = filled(judged, tmp_path / "s.csv", "4", "5", "5")
    for text, words in {
        "": "no column id, readability",
        "id,readability,clarity\n": "no column correctness",
        "id,readability,clarity,correctness\n": "no rows",
        'id,readability,clarity,correctness\n"q:1,4': "line 2: no CSV",
    }.items():
        (tmp_path / "l.csv").write_text(text)
        with pytest.raises(UsageFault, match=words):
            calibrate(judged, tmp_path / "l.csv")
    (tmp_path / "l.csv").write_bytes(b"id,readability\nq:1,\xe9\n")
    with pytest.raises(UsageFault, match="line 2: neither UTF-8"):
        calibrate(judged, tmp_path / "l.csv")
    with pytest.raises(UsageFault, match="nothing is labelled"):
        calibrate(judged, tmp_path / "s.csv")
    with pytest.raises(UsageFault, match="No such file"):
        calibrate(judged, tmp_path / "none.csv")
    many = [row | {"clarity": "no"} for row in rows] + [row | {"id": "q:x"} for row in rows]
    with pytest.raises(UsageFault, match="and 20 more"):
        calibrate(judged, write(tmp_path / "l.csv", many))


def test_people_who_say_what_the_judge_says(judged: Path, tmp_path: Path) -> None:
    rows = filled(judged, tmp_path / "s.csv", "5", "4", "5", n=40)
    for row in rows:
        if int(row["question"].split()[-1][:-1]) % 5 == 0:
            row["clarity"] = "2"
    found = calibrate(judged, write(tmp_path / "l.csv", rows))
    assert found.confusion == {(True, True): 20, (True, False): 0, (False, True): 0, (False, False): 20}
    assert found.precision.value == 1 and found.precision.low == pytest.approx(0.839, abs=0.001)
    assert found.recall.value == 1 and 0.8 < (found.recall.low or 0) < 1
    by = {(one.of, one.weights): one for one in found.agreements}
    assert by["kept", "none"].kappa == by["clarity", "quadratic"].kappa == 1
    assert 0 < (by["kept", "none"].low or 0) < 1
    assert by["readability", "none"].kappa is None and "both rated everything 5" in by["readability", "none"].undefined
    text = show(found)
    assert "precision of kept: 1.00, 0.84 to 1.00 (of 20)" in text and "not defined" in text
    assert "the judge kept 160 and rejected 40" in text


def test_recall_counts_each_side_as_often_as_the_benchmark_has_it() -> None:
    """90 kept and 10 rejected; labelled are 10 of each, people would keep 9 and 5: recall is 81 / (81 + 5)."""
    judged = {f"q{at:02}": {"readability": 5, "clarity": 5 if at < 90 else 1, "correctness": 5} for at in range(100)}
    good, bad = ({"readability": 5, "clarity": 4, "correctness": score} for score in (4, 2))
    labels = {f"q{at:02}": good for at in (*range(9), *range(90, 95))} | {
        f"q{at:02}": bad for at in (9, *range(95, 100))
    }
    found = compare_with_people(judged, labels, 3)
    assert found.precision.value == 0.9 and found.precision.n == 10
    assert found.recall.value == pytest.approx(81 / 86) and found.recall.n == 14
    assert found.recall.low < 81 / 86 < found.recall.high  # type: ignore[operator]
    kept = next(one for one in found.agreements if one.of == "kept")
    # by hand: shares .81 .09 / .05 .05, observed .86, expected .9 * .86 + .1 * .14
    assert kept.kappa == pytest.approx((0.86 - 0.788) / (1 - 0.788)) and kept.low < kept.kappa < kept.high  # type: ignore
    assert found.offsets["clarity"] == pytest.approx(0.9 * 1 + 0.1 * -3)
    assert compare_with_people(judged, dict(Random(2).sample(list(labels.items()), 20)), 3) == found


def test_what_cannot_be_told_is_not_a_number() -> None:
    judged = {
        "a": {"readability": 5, "clarity": 5, "correctness": 5},
        "b": {"readability": 1, "clarity": 1, "correctness": 1},
    }
    found = compare_with_people(judged, {"a": judged["a"]}, 3)
    assert found.recall.value is None and "the judge rejects was labelled" in found.recall.undefined
    found = compare_with_people(judged, {"b": judged["b"]}, 3)
    assert found.precision.value is None and "not known" in show(found)
    assert all(one.kappa is None for one in found.agreements)
    found = compare_with_people(judged, {"a": judged["b"], "b": judged["b"]}, 3)
    assert found.recall.value is None and found.precision.value == 0


def test_wilson_as_published() -> None:
    """Newcombe, Statistics in Medicine 17:857 (1998), table I, method 3."""
    for hits, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson_interval(hits, n) == pytest.approx((low, high), abs=0.00006)


def test_the_median_of_the_rounds_and_the_first_judge_are_what_is_compared(tmp_path: Path) -> None:
    q = question(1)
    rounds = [judgement(q, score, 5, 5, turn=turn) for turn, score in enumerate((2, 5, 4))]
    rounds += [judgement(q, 1, 1, 1, judge="second"), judgement(q, turn=3, error="timeout")]
    place = bench(tmp_path / "b", [q], rounds)
    rows = filled(place, tmp_path / "s.csv", "4", "5", "5")
    found = calibrate(place, write(tmp_path / "l.csv", rows))
    assert found.confusion[True, True] == 1 and set(found.offsets.values()) == {0.0}


def test_too_few_labels_for_an_interval_are_told() -> None:
    whole = {"readability": 5, "clarity": 5, "correctness": 5}
    low = {"readability": 5, "clarity": 2, "correctness": 5}
    judged = {"a": whole, "b": low, "c": low}
    text = show(compare_with_people(judged, {"a": whole, "b": low, "c": low | {"clarity": 5}}, 3))
    assert "too few for an interval" in text
