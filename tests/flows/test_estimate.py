"""What an estimate says before a build, beside what the build came to."""

import json
import re
import shutil
from pathlib import Path

import pytest

from rarefy.flows.cli import main
from rarefy.tasks.models.llm.reply_store import open_reply_store

CONFIG = """
[llm]
provider = "oracle:answer"
model = "oracle-1"
[extract]
methods = [{methods}]
[ask]
method = "model"
worth = 0
[grade]
by = "model"
[perturb]
query = []
document = []
context = []
[[serving.prices]]
model = "oracle-1"
prompt = 2.0
completion = 8.0
as_of = 2026-11-01
source = "made up"
"""


def add_staff(corpus: Path) -> None:
    """A sentence in each report that rules take a fact from."""
    for number, file in enumerate(sorted(corpus.iterdir())):
        staff = f"<p>As of December 31, 2024, we employed {137 + number} people.</p>"
        file.write_text(file.read_text().replace("<p>The financial", f"{staff}<p>The financial"))


@pytest.fixture
def place(place, tmp_path, monkeypatch):
    """The corpus, and a config whose facts come from rules and whose questions come from the oracle."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    shutil.copytree(place / "corpus", tmp_path / "corpus")
    add_staff(tmp_path / "corpus")
    (tmp_path / "quick.toml").write_text(CONFIG.format(methods='"cover", "prose"'))
    return tmp_path


VARIED = """
[llm]
provider = "oracle:answer"
model = "oracle-1"
[generator]
provider = "oracle:answer"
model = "oracle-2"
[extract]
methods = ["cover", "prose"]
[perturb]
by = "model"
query = ["grammar"]
document = ["simple", "self_generated", "back_translation", "json"]
context = []
document_similarity = "words"
threshold = 0.0
[nli]
method = "model"
llm = { provider = "oracle:answer", model = "oracle-3" }
"""


def estimated(place, capsys, corpus="corpus", store="store"):
    capsys.readouterr()
    where = ["--store", str(place / store), "--config", str(place / "quick.toml"), "--quiet"]
    assert main(["estimate", str(place / corpus), *where]) == 0
    said = capsys.readouterr().out
    files = sorted((place / store / "estimates").glob("[0-9a-f]*"), key=lambda file: file.stat().st_mtime)
    kept = json.loads(files[-1].read_text()) if files else {}
    return {one["stage"]: one for one in (kept.get("estimate") or {}).get("stages", ())}, said


def actual(place, out="out"):
    return {one["stage"]: one for one in json.loads((place / out / "models.json").read_text())["used"]}


def near(said, came):
    tokens = came["prompt_tokens"] + came["completion_tokens"]
    assert said["calls"][1] == pytest.approx(came["calls"], rel=0.2)
    assert said["prompt"][1] + said["completion"][1] == pytest.approx(tokens, rel=0.2)
    assert said["cost"][1] / 1e9 == pytest.approx(came["cost"], rel=0.25)
    for name, amount in (("calls", came["calls"]), ("prompt", came["prompt_tokens"])):
        assert said[name][0] <= amount <= said[name][2]


def test_requests_whose_rows_are_known_are_counted_exactly_and_nothing_is_sent(place, build, capsys, api):
    said, _ = estimated(place, capsys)
    assert open_reply_store("", place / "store").usage("") == []
    code, told = build(place)
    assert code == 0, told
    assert said["ask"]["calls"][1] == actual(place)["ask"]["calls"]
    assert said["ask"]["prompt"][1] == pytest.approx(actual(place)["ask"]["prompt_tokens"], rel=0.2)
    assert "Estimate → actual" in told


def test_the_ledger_says_how_long_a_token_is(place, reports, build, capsys, api):
    reports(place / "more", "Zenith")
    add_staff(place / "more")
    assert build(place)[0] == 0
    said, told = estimated(place, capsys, corpus="more")
    assert "ask: exact requests; tokens per character as before; replies as before" in told
    assert build(place, corpus="more", out="other")[0] == 0
    came = actual(place, "other")["ask"]
    assert said["ask"]["calls"][1] == came["calls"]
    assert said["ask"]["prompt"][1] == pytest.approx(came["prompt_tokens"], rel=0.05)


def test_where_it_is_yet_to_be_said_what_is_worth_asking_the_rest_is_a_range(place, build, capsys, api):
    (place / "quick.toml").write_text((place / "quick.toml").read_text().replace("worth = 0", "worth = 4"))
    said, told = estimated(place, capsys)
    assert "ask: requests of all, if worth asking" in told
    code, told = build(place)
    assert code == 0, told
    low, likely, high = said["ask"]["calls"]
    assert low < likely < high and low <= actual(place)["ask"]["calls"] <= high
    assert "all of it is in the store" in estimated(place, capsys)[1]


def test_after_one_build_another_like_it_is_known_to_a_fifth(place, reports, build, capsys, api):
    varied = 'by = "model"\nquery = ["grammar"]\ndocument = ["simple"]\ncontext = []\nthreshold = 0.0'
    plain = re.search(r"query = \[\]\n.*?(?=\n\[)", CONFIG, re.DOTALL)
    (place / "quick.toml").write_text(CONFIG.replace(plain[0], varied).format(methods='"model"'))
    reports(place / "some", "Acme")
    add_staff(place / "some")
    reports(place / "more", "Zenith")
    add_staff(place / "more")
    assert build(place, corpus="some")[0] == 0
    said, _ = estimated(place, capsys, corpus="more")
    code, told = build(place, corpus="more", out="other")
    assert code == 0, told
    came = actual(place, "other")
    assert set(said) == set(came) == {"extract", "ask", "grade", "vary"}
    for stage in said:
        near(said[stage], came[stage])


def test_what_is_done_is_estimated_at_nothing(place, build, capsys, api):
    assert build(place)[0] == 0
    _, told = estimated(place, capsys)
    assert "all of it is in the store" in told


def test_remembered_replies_cost_nothing(place, build, capsys, api):
    assert build(place)[0] == 0
    (place / "fresh").mkdir()
    for file in (place / "store").glob("replies*"):
        shutil.copy(file, place / "fresh" / file.name)
    _, told = estimated(place, capsys, store="fresh")
    assert "requests more are remembered" in told and "all of it is in the store" in told


def test_a_config_without_a_model_costs_nothing(place, capsys, api):
    (place / "quick.toml").write_text("[perturb]\nquery = []\n")
    _, told = estimated(place, capsys)
    assert "no stage of this config asks a model" in told


def test_what_models_write_and_compare_for_variants_is_counted_before_it_is_asked(place, build, capsys, api):
    (place / "quick.toml").write_text(VARIED)
    _, told = estimated(place, capsys)
    said = of_models(place)
    assert open_reply_store("", place / "store").usage("") == [] and "vary: exact requests" in told
    code, told = build(place)
    assert code == 0, told
    used = json.loads((place / "out" / "models.json").read_text())["used"]
    came = {one["model"]: one for one in used if one["stage"] == "vary"}
    assert set(said) == set(came) == {"oracle-1", "oracle-2", "oracle-3"}
    for model, one in came.items():
        assert said[model]["calls"][1] == one["calls"] > 0
        assert said[model]["prompt"][1] == pytest.approx(one["prompt_tokens"], rel=0.25)
    variants = [json.loads(line) for line in (place / "out" / "variants.jsonl").read_text().splitlines()]
    kept = {row["perturbation"] for row in variants if not row["rejected_because"]}
    assert {"grammar", "simple", "self_generated", "back_translation", "json"} <= kept
    _, told = estimated(place, capsys)
    assert "all of it is in the store" in told


def of_models(place, store="store"):
    files = sorted((place / store / "estimates").glob("[0-9a-f]*"), key=lambda file: file.stat().st_mtime)
    stages = (json.loads(files[-1].read_text()).get("estimate") or {}).get("stages", ())
    return {one["model"]: one for one in stages if one["stage"] == "vary"}


def test_an_evaluation_is_counted_where_no_model_is_asked_any_more(place, build, capsys, api):
    (place / "quick.toml").write_text(
        '[perturb]\nquery = ["character"]\ndocument = []\ncontext = []\n[retrieve]\nretrievers = ["bm25"]\n'
    )
    where = ["--store", str(place / "store"), "--config", str(place / "quick.toml"), "--quiet"]
    which = ["--system", "extractive", "--protocol", "rare"]
    assert main(["estimate", str(place / "corpus"), *where, *which]) == 0
    said = capsys.readouterr().out
    assert build(place)[0] == 0
    capsys.readouterr()
    assert main(["estimate", str(place / "out"), *where, *which]) == 0
    exact = capsys.readouterr().out
    (calls,) = re.findall(r"[\d,]+ trials are [\d,]+ calls", exact)
    assert calls in said and "extractive is offline" in said and "no stage of this config asks a model" in said
    assert not (place / "out-result").exists()


def test_an_evaluation_of_questions_that_models_have_yet_to_write_counts_them_like_the_sample_s(place, capsys, api):
    config = (place / "quick.toml").read_text() + '[retrieve]\nretrievers = ["bm25"]\n'
    (place / "quick.toml").write_text(config)
    where = ["--store", str(place / "store"), "--config", str(place / "quick.toml"), "--quiet"]
    which = ["--system", "extractive", "--protocol", "effect_size", "--questions", "3"]
    assert main(["estimate", str(place / "corpus"), *where, *which]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "models have yet to write the questions" in said and "Forecast for extractive" in said
