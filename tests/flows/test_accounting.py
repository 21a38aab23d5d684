"""A build whose stages ask models: what is asked is booked, bounded, told, and never asked twice."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

CONFIG = """
[llm]
provider = "oracle:{answer}"
model = "oracle-1"
[judge]
provider = "oracle:answer"
model = "oracle-2"
[extract]
methods = ["cover", "model"]
[ask]
method = "model"
[probe]
by = "model"
[grade]
by = "model"
[perturb]
query = []
document = []
context = []
[[serving.prices]]
model = "oracle-*"
prompt = 2.0
completion = 8.0
as_of = 2026-11-01
source = "made up"
"""


@pytest.fixture
def place(three_reports, oracle, tmp_path):
    """The corpus, and a config whose stages ask the oracle."""
    shutil.copytree(three_reports, tmp_path / "corpus")
    return configured(tmp_path)


@pytest.fixture(scope="module")
def built(three_reports, oracle, build, tmp_path_factory):
    """The same folder, once it is built, and what was said."""
    folder = configured(tmp_path_factory.mktemp("asked"))
    shutil.copytree(three_reports, folder / "corpus")
    code, said = build(folder)
    assert code == 0, said
    return folder, said


@pytest.fixture
def copy(built, tmp_path):
    """A copy of that folder, to do with as one likes."""
    return shutil.copytree(built[0], tmp_path / "copy")


def configured(folder, answer="answer"):
    (folder / "quick.toml").write_text(CONFIG.format(answer=answer))
    return folder


def served(place, how):
    """The same config with other words on how models are asked."""
    text = (place / "quick.toml").read_text()
    (place / "quick.toml").write_text(f"{text[: text.index('[[serving')]}[serving]\n{how}\n")


def rows(place, name, out="out"):
    return pq.read_table(place / out / f"{name}.parquet").to_pylist()


def test_every_stage_asks_its_model_and_what_it_did_is_told(built):
    place, said = built
    assert [q for q in rows(place, "questions") if not q["rejected_because"]]
    assert {j["model"] for j in rows(place, "judgements")} == {"oracle"}
    models = json.loads((place / "out" / "models.json").read_text())
    used = {(one["stage"], one["model"]): one for one in models["used"]}
    assert {stage for stage, _ in used} >= {"extract", "ask", "grade"}
    for one in used.values():
        assert one["calls"] and one["cost"] == pytest.approx(
            (2 * one["prompt_tokens"] + 8 * one["completion_tokens"]) / 1e6
        )
    assert "Models" in said and "USD" in said and "calls" in said


def test_a_second_build_asks_nothing_and_is_the_same(copy, build):
    before = {path.name: path.read_bytes() for path in (copy / "out").glob("*.*")}
    code, said = build(copy)
    assert code == 0, said
    assert {path.name: path.read_bytes() for path in (copy / "out").glob("*.*")} == before
    assert " calls" not in said.partition("Funnel")[0]


def test_what_is_made_does_not_depend_on_how_it_is_served(copy, build):
    manifest = (copy / "out" / "manifest.json").read_bytes()
    served(copy, "concurrency = 3\nretries = 0")
    code, said = build(copy)
    assert code == 0 and "3 documents, found in the store" in said
    assert (copy / "out" / "manifest.json").read_bytes() == manifest


def test_a_spent_budget_is_exit_code_3_and_the_same_command_goes_on(place, build, built):
    code, said = build(place, "--max-calls", "4")
    assert code == 3
    assert "--max-calls 4 is reached" in said and "run the same command again" in said
    assert sum(one["calls"] for one in json.loads((place / "out" / "models.json").read_text())["used"]) == 4
    code, said = build(place)
    assert code == 0, said
    whole = json.loads((place / "out" / "models.json").read_text())
    assert whole["runs"] == 2 and sum(one["remembered"] for one in whole["used"]) == 1
    at_once = built[0] / "out"
    other = json.loads((at_once / "models.json").read_text())
    total = {(one["stage"], one["model"]): (one["calls"], one["cost"]) for one in whole["used"]}
    assert total == {(one["stage"], one["model"]): (one["calls"], one["cost"]) for one in other["used"]}
    assert (place / "out" / "questions.jsonl").read_bytes() == (at_once / "questions.jsonl").read_bytes()


def test_money_is_limited_too_where_every_model_has_a_price(place, build):
    code, said = build(place, "--max-cost", "0.02")
    assert code == 3 and "--max-cost 0.02 is too little for one call, which may cost up to 0.07" in said
    code, said = build(place, "--max-cost", "0.079")
    assert code == 3 and "--max-cost 0.079 is reached" in said
    (place / "quick.toml").write_text((place / "quick.toml").read_text().replace('"oracle-*"', '"oracle-1"'))
    code, said = build(place, "--max-cost", "5")
    assert code == 2 and "no price for oracle-2" in said


def test_a_stage_whose_requests_fail_stops_the_build_with_the_reasons_and_promises_nothing(place, build):
    configured(place, answer="refuse")
    for _ in range(2):
        code, said = build(place)
        assert code == 1
        assert "extract: 3 of 3 requests failed" in said and "3 refused" in said and "failure_budget = 0.05" in said


def test_a_budget_for_failures_lets_them_be_rows(place, build):
    configured(place, answer="refuse")
    served(place, "failure_budget = 1")
    code, said = build(place)
    assert code == 2
    assert "nothing to build: the corpus gives no triplets, and the model left unanswered: 3 refused" in said


def test_a_model_that_is_not_named_is_told_before_anything_is_made(place, build):
    (place / "quick.toml").write_text('[ask]\nmethod = "model"\n[grade]\nby = "model"\n')
    code, said = build(place)
    assert code == 2
    assert 'llm.provider: ask.method = "model" asks a model' in said
    assert 'judge.provider: grade.by = "model" asks a model' in said
    assert not (place / "store").exists()


def test_a_judge_that_judges_its_own_questions_is_remarked(copy, build):
    text = (copy / "quick.toml").read_text()
    (copy / "quick.toml").write_text(text.replace("oracle-2", "oracle-1"))
    code, said = build(copy)
    assert code == 0 and "the judge judges its own questions" in said


@pytest.mark.machines
def test_workers_ask_too_and_make_the_same(place, build, built):
    code, said = build(place, "--workers", "2")
    assert code == 0, said
    for name in ("questions.jsonl", "judgements.jsonl", "unanswered.jsonl", "manifest.json"):
        assert (place / "out" / name).read_bytes() == (built[0] / "out" / name).read_bytes()


@pytest.mark.machines
def test_a_worker_whose_budget_is_spent_stops_the_build_with_exit_code_3(place, build):
    code, said = build(place, "--workers", "2", "--max-calls", "2")
    assert code == 3 and "extract: --max-calls 2 is reached" in said
