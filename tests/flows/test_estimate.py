"""What an estimate says before a build, beside what the build came to."""

import io
import json
import re
import shutil
from contextlib import redirect_stdout
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
def place(three_reports, oracle, tmp_path):
    """The corpus, and a config whose facts come from rules and whose questions come from the oracle."""
    return prepared(tmp_path, three_reports)


def prepared(folder, reports):
    shutil.copytree(reports, folder / "corpus")
    add_staff(folder / "corpus")
    (folder / "quick.toml").write_text(CONFIG.format(methods='"cover", "prose"'))
    return folder


@pytest.fixture(scope="module")
def built(three_reports, oracle, build, tmp_path_factory):
    """The same folder, once it is estimated and built: what the estimate was, and what the build said."""
    folder = prepared(tmp_path_factory.mktemp("asked"), three_reports)
    said, _ = estimated(folder)
    assert open_reply_store("", folder / "store").usage("") == [], "an estimate sends nothing"
    code, told = build(folder)
    assert code == 0, told
    return folder, said, told


@pytest.fixture
def copy(built, tmp_path):
    """A copy of that folder, to do with as one likes."""
    return shutil.copytree(built[0], tmp_path / "copy")


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


def estimated(place, corpus="corpus", store="store"):
    where = ["--store", str(place / store), "--config", str(place / "quick.toml"), "--quiet"]
    with redirect_stdout(io.StringIO()) as out:
        assert main(["estimate", str(place / corpus), *where]) == 0
    said = out.getvalue()
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


def test_requests_whose_rows_are_known_are_counted_exactly_and_nothing_is_sent(built):
    place, said, told = built
    assert said["ask"]["calls"][1] == actual(place)["ask"]["calls"]
    assert said["ask"]["prompt"][1] == pytest.approx(actual(place)["ask"]["prompt_tokens"], rel=0.2)
    assert "Estimate → actual" in told


def test_the_ledger_says_how_long_a_token_is(copy, reports, build):
    reports(copy / "more", "Zenith")
    add_staff(copy / "more")
    said, told = estimated(copy, corpus="more")
    assert "ask: exact requests; tokens per character as before; replies as before" in told
    assert build(copy, corpus="more", out="other")[0] == 0
    came = actual(copy, "other")["ask"]
    assert said["ask"]["calls"][1] == came["calls"]
    assert said["ask"]["prompt"][1] == pytest.approx(came["prompt_tokens"], rel=0.05)


def test_where_it_is_yet_to_be_said_what_is_worth_asking_the_rest_is_a_range(place, reports, build):
    (place / "quick.toml").write_text((place / "quick.toml").read_text().replace("worth = 0", "worth = 4"))
    said, told = estimated(place)
    assert "ask: requests of all, if worth asking" in told
    code, told = build(place)
    assert code == 0, told
    low, likely, high = said["ask"]["calls"]
    assert low < likely < high and low <= actual(place)["ask"]["calls"] <= high
    assert "all of it is in the store" in estimated(place)[1]


def test_after_one_build_another_like_it_is_known_to_a_fifth(place, reports, build):
    varied = 'by = "model"\nquery = ["grammar"]\ndocument = ["simple"]\ncontext = []\nthreshold = 0.0'
    plain = re.search(r"query = \[\]\n.*?(?=\n\[)", CONFIG, re.DOTALL)
    (place / "quick.toml").write_text(CONFIG.replace(plain[0], varied).format(methods='"model"'))
    reports(place / "some", "Acme")
    add_staff(place / "some")
    reports(place / "more", "Zenith")
    add_staff(place / "more")
    assert build(place, corpus="some")[0] == 0
    said, _ = estimated(place, corpus="more")
    code, told = build(place, corpus="more", out="other")
    assert code == 0, told
    came = actual(place, "other")
    assert set(said) == set(came) == {"extract", "ask", "grade", "vary"}
    for stage in said:
        near(said[stage], came[stage])


def test_what_is_done_is_estimated_at_nothing(copy):
    _, told = estimated(copy)
    assert "all of it is in the store" in told


def test_remembered_replies_cost_nothing(copy):
    (copy / "fresh").mkdir()
    for file in (copy / "store").glob("replies*"):
        shutil.copy(file, copy / "fresh" / file.name)
    _, told = estimated(copy, store="fresh")
    assert "requests more are remembered" in told and "all of it is in the store" in told


def test_a_config_without_a_model_costs_nothing(place, api):
    (place / "quick.toml").write_text("[perturb]\nquery = []\n")
    _, told = estimated(place)
    assert "no stage of this config asks a model" in told


def test_what_models_write_and_compare_for_variants_is_counted_before_it_is_asked(place, build):
    (place / "quick.toml").write_text(VARIED)
    _, told = estimated(place)
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
    _, told = estimated(place)
    assert "all of it is in the store" in told


def of_models(place, store="store"):
    files = sorted((place / store / "estimates").glob("[0-9a-f]*"), key=lambda file: file.stat().st_mtime)
    stages = (json.loads(files[-1].read_text()).get("estimate") or {}).get("stages", ())
    return {one["model"]: one for one in stages if one["stage"] == "vary"}


def test_an_evaluation_is_counted_where_no_model_is_asked_any_more(place, build, capsys):
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
