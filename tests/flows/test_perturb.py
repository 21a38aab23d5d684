"""A file of questions becomes a folder of variants, without an engine, a corpus or a model."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.tables import from_record
from rarefy.flows import perturb
from rarefy.flows.cli import main
from rarefy.flows.engine.perturbed_folder import VariantsFolder
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
        elif variant.family in ("irrelevant",):
            assert row["original"] is None
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


def test_noise_taken_from_elsewhere_is_told_no_original_and_a_changed_passage_is(perturbed):
    out, _ = perturbed(only="golden,distracting,inconsequential,irrelevant,distraction,low_quality")
    rows = [row for row in read(out / "variants.jsonl") if row["side"] == "context"]
    chunks = {row["chunk_id"]: row["text"] for row in read(out / "chunks.jsonl")}
    golds = {row["question_id"]: row["chunk_ids"] for row in read(out / "questions.jsonl")}
    told = {row["family"] for row in rows if row["original"] is not None}
    assert {"golden", "distracting", "distraction"} == told
    for row in rows:
        if row["original"] is None:
            assert row["family"] in ("inconsequential", "irrelevant", "low_quality")
        else:
            assert row["chunk_id"] in golds[row["question_id"]] and row["original"] in chunks[row["chunk_id"]]
        if row["perturbation"] == "golden_passage":
            assert row["text"] == row["original"]


def test_the_order_of_a_file_changes_no_variant_however_many_are_worked_on_together(perturbed, questions, monkeypatch):
    shared = "The pumps of Acme are sold in Norway, Sweden and Denmark. Sales of pumps rose in most years."
    records = [
        {**RECORDS[n % 4], "id": f"q{n}", "contexts": [*RECORDS[n % 4]["contexts"], *([shared] if n % 2 else [])]}
        for n in range(9)
    ] + [{"id": "u", "question": "Where are pumps sold?", "answer": "Norway", "contexts": [shared]}]
    found = []
    for name, size, order in (("a", 1_000, 1), ("b", 3, -1), ("c", 4, 1)):
        monkeypatch.setattr(perturb, "BATCH", size)
        ordered = records[::order] if name != "c" else records[5:] + records[:5]
        questions.write_text("".join(json.dumps(record) + "\n" for record in ordered))
        out, _ = perturbed(out=name, only="upper_case,irrelevant_detail,golden,distracting,inconsequential,irrelevant")
        rows = list(read(out / "variants.jsonl"))
        chunks = sorted(read(out / "chunks.jsonl"), key=lambda row: row["chunk_id"])
        found.append((sorted(rows, key=lambda row: (row["variant_id"], row["number"])), chunks))
        assert [row["question_id"] for row in read(out / "questions.jsonl")] == [row["id"] for row in ordered]
    assert any(row["family"] == "irrelevant" and not row["rejected_because"] for row in found[0][0])
    assert found[0] == found[1] == found[2]


def test_half_a_surrogate_pair_is_skipped_with_its_place_and_the_rest_is_made(perturbed, questions):
    bad = [
        '{"id": "x", "question": "What is \\ud800 in 2024?", "answer": "5"}',
        '{"id": "y", "question": "Who sells?", "answer": "Acme", "contexts": ["fine", "Acme \\udc00 sells."]}',
        '{"id": "z", "question": "What does Acme sell, \\ud83d\\ude00?", "answer": "pumps"}',
    ]
    with questions.open("a") as file:
        file.write("\n".join(bad) + "\n")
    out, _ = perturbed()
    skipped = read(out / "skipped.jsonl")
    assert [(row["reason"], row["place"]) for row in skipped] == [("not_unicode", "line 5"), ("not_unicode", "line 6")]
    assert "question: character 8 is half a surrogate pair (\\ud800)" in skipped[0]["detail"]
    assert "context 1: character 5" in skipped[1]["detail"]
    assert {row["question_id"] for row in read(out / "questions.jsonl")} == {"q0", "q1", "q2", "q3", "z"}


def test_a_record_without_an_id_that_comes_twice_is_made_once(perturbed, questions):
    record = {"question": "Who sells pumps?", "answer": "Acme"}
    questions.write_text(2 * (json.dumps(record) + "\n"))
    out, _ = perturbed(only="upper_case")
    assert len(read(out / "questions.jsonl")) == 1
    assert read(out / "skipped.jsonl")[0]["detail"].startswith("asked and answered before")


def test_other_judgements_make_other_variants_though_the_folder_is_named_by_a_file(tmp_path, capsys):
    beir = tmp_path / "beir"
    (beir / "qrels").mkdir(parents=True)
    texts = {"a": "Oslo is the capital of Norway.", "b": "Bergen lies in Norway, as does Oslo."}
    (beir / "corpus.jsonl").write_text("".join(json.dumps({"_id": k, "text": v}) + "\n" for k, v in texts.items()))
    (beir / "queries.jsonl").write_text('{"_id": "q", "text": "Capital of Norway?", "answer": "Oslo"}\n')
    given = ["perturb", beir / "queries.jsonl", "--layout", "beir", "--out", tmp_path / "out", "--only", "format"]
    for name in "ab":
        (beir / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\nq\t{name}\t1\n")
        assert "nothing changed" not in run(capsys, 0, *given, "--store", tmp_path / "store")
        assert [row["text"] for row in read(tmp_path / "out" / "chunks.jsonl")] == [texts[name]]
    assert "nothing changed" in run(capsys, 0, *given, "--store", tmp_path / "store")


def test_variants_are_not_written_where_questions_are_read(perturbed, questions, tmp_path, capsys):
    out, _ = perturbed()
    for given, place in ((out, out), (tmp_path, tmp_path / "new")):
        said = run(capsys, 2, "perturb", given, "--out", place, "--store", tmp_path / "store")
        assert "questions are read from there; choose a folder elsewhere" in said


def test_contexts_of_other_variants_go_and_those_of_the_same_stay(perturbed, questions, capsys):
    only = "golden,irrelevant"
    out, _ = perturbed(only=only)
    contexts = out / "contexts.jsonl"
    run(capsys, 0, "mix", out, "--out", contexts, "--k", 2, "--ratio", "0.5")
    (out / "chunks.jsonl").write_text("meddled with")
    _, said = perturbed(only=only)
    assert contexts.exists() and "removed" not in said
    questions.write_text("".join(json.dumps(record) + "\n" for record in RECORDS[:3]))
    _, said = perturbed(only=only)
    assert not contexts.exists() and "was mixed of other variants and is removed; run `rarefy mix` again" in said


def test_a_side_named_by_only_is_what_the_config_lists_there(perturbed, tmp_path, monkeypatch):
    (tmp_path / "my_changes.py").write_text(
        "from rarefy.tasks.perturb.case import Draft\n\n\n"
        "def shouted(case, config, random):\n    yield Draft(case.text.upper())\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    config = tmp_path / "my.toml"
    config.write_text('[perturb]\nquery = ["my_changes:shouted"]\ndocument = ["json"]\ncontext = []\n')

    def made(only: str, *more: object, code: int = 0) -> set[str] | str:
        out, said = perturbed("--config", config, *more, only=only, out=f"out-{only.replace(':', '-')}", code=code)
        return {row["perturbation"] for row in read(out / "variants.jsonl")} - {"none"} if not code else said

    assert made("document") == {"json"}
    assert made("query,document") == {"my_changes:shouted", "json"}
    assert made("my_changes:shouted") == {"my_changes:shouted"}
    assert made("document:my_changes:shouted") == {"my_changes:shouted"}
    assert "--only context: perturb.context of the config lists nothing" in made("context", code=2)
    assert "say what it changes, as query:json:dumps" in made("json:dumps", code=2)
    assert "'my_changes:nothing' cannot be imported" in made("query:my_changes:nothing", code=2)


def test_a_model_held_elsewhere_is_no_traceback(perturbed, tmp_path):
    config = tmp_path / "my.toml"
    config.write_text('[perturb]\nby = "model"\n[llm]\nprovider = "vllm"\nmodel = "m"\n')
    try:
        import vllm  # noqa: F401
    except ImportError:
        _, said = perturbed("--config", config, only="simple", code=2)
        assert 'provider "vllm" needs vLLM' in said


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
    assert imported("import rarefy.tasks.perturb, rarefy.tasks.perturb.layouts, rarefy.tasks.perturb.pools") == ""


LIBRARY = """
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.perturb.layouts import rows
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


def test_a_second_run_into_a_folder_that_is_being_written_is_refused_and_the_first_is_whole(perturbed, tmp_path):
    with VariantsFolder(tmp_path / "out", "recipe"):
        _, said = perturbed(code=2)
        assert "another run is writing there" in said and len(said.strip().splitlines()) == 1
    out, _ = perturbed()
    assert not list(out.glob(".*")) and "nothing changed" in perturbed()[1]


def test_a_folder_that_cannot_be_made_is_told_in_one_line(questions, tmp_path, capsys):
    said = run(capsys, 2, "perturb", questions, "--out", "/proc/x", "--only", "upper_case", "--store", tmp_path / "s")
    assert "--out /proc/x: no folder can be made there" in said and len(said.strip().splitlines()) == 1


def test_names_of_perturbations_may_have_blanks_and_capitals_and_none_at_all_is_wrong(perturbed):
    out, _ = perturbed(only=" Upper_Case , WHITE_SPACE,")
    assert {row["perturbation"] for row in read(out / "variants.jsonl")} == {"none", "upper_case", "white_space"}
    for blank in ("", " , "):
        assert "--only: no perturbation named" in perturbed(only=blank, code=2)[1]
    assert "did you mean 'upper_case'?" in perturbed(only="uper_case", code=2)[1]


def test_a_part_that_is_not_found_says_where_it_was_looked_for(perturbed):
    assert (
        "run the command from the folder that holds nowhere_to_be.py"
        in perturbed(only="query:nowhere_to_be:found", code=2)[1]
    )


def test_gold_without_known_evidence_is_counted(perturbed, questions):
    record = {"question": "Which city is it?", "answer": "Oslo", "gold_contexts": ["It lies on a fjord. It is old."]}
    with questions.open("a") as file:
        file.write(json.dumps(record) + "\n")
    out, said = perturbed()
    assert "1 have gold of which no sentence is known to be the evidence" in said
    assert json.loads((out / "funnel.json").read_text())["without_evidence"] == 1


def test_other_perturbations_in_the_same_folder_are_said_to_replace_what_lay_there(perturbed):
    assert "replace them all" not in perturbed(only="upper_case")[1]
    out, said = perturbed(only="white_space")
    assert f"{out} held variants of other settings or questions: these replace them all" in said


@pytest.mark.parametrize("command", [("perturb",), ("mix",), ("scenario", "fit")])
def test_help_is_as_wide_as_the_terminal(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 70


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_a_model_in_vllm_that_is_not_there_names_no_option_that_perturb_lacks(perturbed, tmp_path):
    config = tmp_path / "vllm.toml"
    config.write_text('[llm]\nprovider = "vllm"\nmodel = "some/model"\n[perturb]\nby = "model"\n')
    _, said = perturbed("--config", config, code=2)
    assert 'pip install "rarefy[vllm]" here, or serve the model' in said and "--dask" not in said
