"""A file of questions becomes a folder of variants, without an engine, a corpus or a model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.tables import from_record
from rarefy.flows.cli import main
from rarefy.flows.perturb import batches
from rarefy.tasks.layouts import Asked
from rarefy.tasks.perturb import CATALOGUE

RECORDS = [
    {
        "id": f"q{number}",
        "question": f"What was the revenue of {name} in fiscal year 2024?",
        "answer": f"${number + 3}.{number} billion",
        "contexts": [
            f"{name} sells pumps. Revenue of {name} in fiscal year 2024 was ${number + 3}.{number} billion. It grew.",
            f"{name} was founded in 19{number + 50}. Its office is in Oslo.",
        ],
        "title": name,
    }
    for number, name in enumerate(("Acme", "Borealis", "Cirrus", "Dovre"))
]
ONLY = "upper_case,white_space,format,deletion,reverse_order,irrelevant,simple"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return path


def run(capsys, code: int, *given: object) -> str:
    capsys.readouterr()
    assert main([str(word) for word in given]) == code
    told = capsys.readouterr()
    return told.out + told.err


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def perturbed(questions, tmp_path, capsys):
    def work(*more: object, code: int = 0, out: str = "out", only: str = ONLY) -> tuple[Path, str]:
        given = ["perturb", questions, "--out", tmp_path / out, "--store", tmp_path / "store", "--only", only, *more]
        return tmp_path / out, run(capsys, code, *given)

    return work


def test_a_file_becomes_variants_with_their_originals(perturbed):
    out, said = perturbed()
    rows = read(out / "variants.jsonl")
    variants = [from_record(row, Variant) for row in rows]
    chunks = {row["chunk_id"]: from_record(row, Chunk) for row in read(out / "chunks.jsonl")}
    questions = {row["question_id"]: from_record(row, Question) for row in read(out / "questions.jsonl")}
    assert set(questions) == {"q0", "q1", "q2", "q3"} and len(chunks) == 8
    assert {v.perturbation for v in variants} >= {"none", "upper_case", "json", "html", "answer_deleted", "simple"}
    for variant, row in zip(variants, rows, strict=True):
        if variant.side == "query":
            assert row["original"] == questions[variant.question_id].text
        else:
            assert row["original"] in chunks[variant.chunk_id].text
        if variant.perturbation == "none":
            assert variant.text == row["original"]
        for span in variant.spans:
            assert 0 <= span.start < span.end <= len(variant.text)
    assert "4 questions (4 en)" in said and "needs_model" in said


def test_the_funnel_adds_up(perturbed):
    out, _ = perturbed()
    told = json.loads((out / "funnel.json").read_text())
    rows = read(out / "variants.jsonl")
    assert told["questions"] == 4 and told["languages"] == {"en": 4}
    for name, rate in told["perturbations"].items():
        mine = [row for row in rows if row["perturbation"] == name]
        assert rate["rows"] == len(mine) == rate["kept"] + sum(rate["rejected"].values())
        assert rate["kept"] == sum(not row["rejected_because"] for row in mine)
    assert told["perturbations"]["simple"]["tried"] == 0
    assert told["families"]["format"] == {
        "side": "document", "family": "format", "rows": 4, "tried": 4, "kept": 4, "percent": 100.0, "rejected": {},
    }  # fmt: skip


def test_another_run_makes_nothing_and_says_the_same(perturbed):
    out, first = perturbed()
    times = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    _, said = perturbed()
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == times
    assert "nothing changed since this was made" in said
    assert first.split("Variants")[1].split("Variants lie")[0] in said


def test_what_changed_is_made_again(perturbed, questions):
    out, _ = perturbed()
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "variants.jsonl").write_text("meddled with")
    perturbed()
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    questions.write_text(json.dumps(RECORDS[0]) + "\n")
    perturbed()
    assert len(read(out / "questions.jsonl")) == 1


def test_what_cannot_be_asked_is_told_and_the_rest_is_made(perturbed, questions):
    with questions.open("a") as file:
        file.write("{\n" + json.dumps(RECORDS[0]) + "\n")
    out, said = perturbed()
    assert [row["reason"] for row in read(out / "skipped.jsonl")] == ["not_json", "duplicate_id"]
    assert [row["place"] for row in read(out / "skipped.jsonl")] == ["line 5", "line 6"]
    assert "1 skipped: not_json" in said and "line 5" in said
    assert len(read(out / "questions.jsonl")) == 4


def test_a_language_that_a_perturbation_does_not_know_is_refused(perturbed):
    out, _ = perturbed("--language", "German", only="character,upper_case")
    reasons = {(row["perturbation"], row["rejected_because"]) for row in read(out / "variants.jsonl")}
    assert reasons == {("none", ""), ("character", "language"), ("upper_case", "")}


def test_questions_without_answers_have_their_words_varied(perturbed, questions):
    questions.write_text(json.dumps({"question": "Who sells the best pumps in Norway?"}) + "\n")
    out, said = perturbed()
    assert {row["side"] for row in read(out / "variants.jsonl")} == {"query"}
    assert "1 have no answer: their words are varied, their passages are not" in said


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--only", "nonsense"), "--only nonsense: no such perturbation; have query, document, context, surface"),
        (("--layout", "nonsense"), "no layout 'nonsense'; have squad"),
        (("--language", "Klingon and more"), "no language of that name"),
        (("--config", "missing.toml"), "missing.toml: No such file"),
    ],
)
def test_what_is_asked_for_wrongly_is_exit_code_2(perturbed, more, told):
    _, said = perturbed(*more, code=2)
    assert told in said and len(said.strip().splitlines()) == 1


def test_a_file_with_nothing_to_ask_says_why(perturbed, questions, tmp_path):
    questions.write_text('{"text": "x"}\n')
    out, said = perturbed(code=2)
    assert "no question that can be perturbed (1 no_question; line 1: no field question" in said
    assert not (out / "manifest.json").exists()


def test_a_folder_of_something_else_is_left_alone(perturbed, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.doc").write_text("mine")
    _, said = perturbed(code=2)
    assert "holds 'thesis.doc', which is no variant" in said


def test_sides_and_families_name_their_members(perturbed):
    out, _ = perturbed(only="metadata", out="metadata")
    names = {row["perturbation"] for row in read(out / "variants.jsonl")} - {"none"}
    assert names == {e.name for e in CATALOGUE.values() if e.family == "metadata" and e.default}


def test_questions_come_in_batches_none_of_them_small():
    rows = [Asked(str(n), str(n), "?") for n in range(23)]
    assert [len(batch) for batch in batches(rows, 10)] == [10, 13]
    assert [len(batch) for batch in batches(rows, 9)] == [9, 9, 5]
    assert [len(batch) for batch in batches(rows[:3], 10)] == [3]
    assert [row for batch in batches(rows, 5) for row in batch] == rows


def imported(code: str) -> str:
    told = f"{code}\nprint(*sorted({{'prefect', 'dask', 'distributed', 'great_expectations'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", f"import sys\n{told}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_neither_the_command_nor_the_library_imports_an_engine(questions, tmp_path):
    given = [
        "perturb",
        str(questions),
        "--out",
        str(tmp_path / "o"),
        "--store",
        str(tmp_path / "s"),
        "--only",
        "format",
    ]
    assert imported(f"from rarefy.flows.cli import main\nassert main({given!r}) == 0") == ""
    assert imported("import rarefy.tasks.perturb, rarefy.tasks.layouts, rarefy.tasks.perturb.pools") == ""


LIBRARY = """
from rarefy.tasks.embed import EmbedConfig
from rarefy.tasks.layouts import rows
from rarefy.tasks.perturb import PerturbConfig, vary
from rarefy.tasks.perturb.pools import draw

questions, chunks = rows(records)
config = PerturbConfig(query=("superficial",), document=("format",), context=("irrelevant",))
pools = {pool.pool_id: pool for pool in draw(questions, config, chunks=chunks)}
for variant in vary(questions, config, chunks=chunks, pools=pools, embed=EmbedConfig().connect()):
    print(variant.question_id, variant.perturbation, variant.rejected_because or variant.text)
"""


def test_ten_lines_do_the_same(capsys):
    assert len(LIBRARY.strip().splitlines()) <= 10
    exec(LIBRARY, {"records": RECORDS})
    told = capsys.readouterr().out
    assert "q0 upper_case" in told and "# Acme\n\nAcme sells pumps." in told and "q3 irrelevant" in told
