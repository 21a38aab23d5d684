"""What an evaluation will cost, and an evaluation within a budget of calls, through the command line."""

import json
import re

import known
import pyarrow.parquet as pq
import pytest
from evaluated import evaluate, systems

from rarefy.flows import evaluate as evaluation
from rarefy.flows.compare import compare
from rarefy.flows.models.request_forecast import RequestForecast
from rarefy.flows.reports.forecast_table import describe_forecast
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig

FEW = (*systems("right"), "--protocol", "rare", "--protocol", "retrieval_robustness", "--questions", "4")


@pytest.fixture(scope="module")
def place(known_place, api):
    assert evaluate(known_place, "budget-30", *FEW, "--budget", "30") == 0
    return known_place


def answers(place, out):
    table = pq.read_table(place / out / "answers.parquet")
    return dict(zip(table["trial_id"].to_pylist(), table["asked_id"].to_pylist(), strict=True))


def test_a_budget_is_kept_and_said_in_every_form(place, capsys):
    told = json.loads((place / "budget-30" / "summary.json").read_bytes())["budget"]
    assert told["calls"] == 30 and told["look"] and told["of"] > 60
    assert told["asked"] == len(set(answers(place, "budget-30").values())) <= 30
    said = f"a look: {told['asked']} of {told['of']} calls"
    for name in ("summary.md", "report.html"):
        text = (place / "budget-30" / name).read_text("utf-8")
        assert said in text and "few questions have each of their changes (--quick asks whole ones)" in text
    figures = pq.read_table(place / "budget-30" / "figures.parquet").to_pylist()
    of_system = [row for row in figures if row["system"]]
    assert any(row["value"] is not None for row in of_system) and all(row["low"] is None for row in of_system)


def test_a_first_look_is_whole_questions_of_rare_met(place, capsys):
    assert evaluate(place, "quick", *systems("right"), "--quick", quiet=False) == 0
    summary = json.loads((place / "quick" / "summary.json").read_bytes())
    told = summary["budget"]
    assert list(summary["protocols"]) == ["rare"] and told["asked"] <= 300
    said = " ".join(capsys.readouterr().out.split())
    assert f"a first look: RARE-Met alone, on {told['questions']} whole questions" in said
    trials = pq.read_table(place / "quick" / "trials.parquet").to_pylist()
    assert len({trial["question_id"] for trial in trials}) == told["questions"] == summary["benchmark"]["questions"]
    assert all(trial["skipped_because"] != "not_drawn" for trial in trials)


@pytest.mark.parametrize(("most", "alone"), [(60, True), (300, False)])
def test_a_first_look_asks_what_rules_can_score_as_far_as_that_goes(place, monkeypatch, most, alone):
    decided = known.CITIES[::2]
    monkeypatch.setattr(evaluation, "is_decided_by_rules", lambda question: question.answer in decided)
    monkeypatch.setattr(evaluation, "QUICK", most)
    (place / "unjudged.toml").write_text("[statistics]\ndraws = 200\n")
    given = (*systems("right"), "--quick", "--config", str(place / "unjudged.toml"))  # the last one counts
    assert evaluate(place, f"decided-{most}", *given) == 0
    told = json.loads((place / f"decided-{most}" / "summary.json").read_bytes())["budget"]
    asked = {row["answer"] for row in pq.read_table(place / f"decided-{most}" / "questions.parquet").to_pylist()}
    assert (asked <= {*decided}, told.get("decided_by_rules", False)) == (alone, alone)


def test_a_first_look_finds_passages_for_few_questions_and_draws_those_that_it_would_draw_of_all(place, monkeypatch):
    searched, drawn = [], []
    retrieve = evaluation._retrieve

    def search(run, opened, config):
        searched.append(opened.asked)
        return retrieve(run, opened, config)

    monkeypatch.setattr(evaluation, "_retrieve", search)
    monkeypatch.setattr(evaluation, "QUICK", 100)
    for first in (1, 100):
        monkeypatch.setattr(evaluation, "FIRST_QUESTIONS", first)
        assert evaluate(place, f"quick-{first}", *systems("right"), "--quick") == 0
        drawn.append(
            {row["question_id"] for row in pq.read_table(place / f"quick-{first}" / "hits.parquet").to_pylist()}
        )
    *few, every = searched
    assert few[0] == 1 and max(few) < every
    assert drawn[0] == drawn[1] and 1 < len(drawn[0]) < max(few) + 1


def test_a_first_look_is_of_the_protocols_that_are_named(place, capsys):
    assert evaluate(place, "quick-2", *FEW, "--quick") == 0
    summary = json.loads((place / "quick-2" / "summary.json").read_bytes())
    assert list(summary["protocols"]) == ["rare", "retrieval_robustness"]


def test_two_budgets_are_compared_on_what_both_asked(place):
    assert evaluate(place, "budget-60", *FEW, "--budget", "60") == 0
    small, large = (answers(place, name) for name in ("budget-30", "budget-60"))
    assert small.keys() < large.keys()
    found = compare(place / "budget-30", place / "budget-60", config=StatisticsConfig(draws=100))
    assert sum(one.shared for one in found.paired) == len(small)
    assert any("--budget 30" in line for line in found.remarks)


def test_a_dry_run_counts_calls_by_part_and_asks_two_questions(place, capsys):
    assert evaluate(place, "dry", *FEW, "--dry-run", "--verbose", quiet=False) == 0
    said = capsys.readouterr().out
    whole = json.loads((place / "budget-30" / "summary.json").read_bytes())["budget"]["of"]
    assert "none, gold" in said and "bm25" in said and "one question of middle length" in said
    assert f"are {whole} calls" in said and "2 are answered already and not in the table" in said
    assert not (place / "dry" / "summary.json").exists()


def test_a_dry_run_leaves_out_what_a_first_call_loads(place, capsys):
    told = (*systems("loads"), "--protocol", "rare", "--questions", "4")
    assert evaluate(place, "dry-5", *told, "--dry-run", quiet=False) == 0
    said = " ".join(capsys.readouterr().out.split())
    found = re.search(r"after a first call of (?P<first>[\d.]+) s, which may load things: (?P<second>[\d.]+) s", said)
    assert found and float(found["first"]) >= 0.4 > float(found["second"])


def test_minutes_under_one_are_shown_in_seconds():
    def minutes(*three):
        return describe_forecast(RequestForecast("rare", "", *[(1.0,) * 3] * 4, three, "", ""))["minutes"]

    assert minutes(0.47, 0.47, 0.47) == "28 s" and minutes(0.001, 0.001, 0.001) == "under 1 s"
    assert minutes(0.5, 2.0, 90.0) == "2.0\n30 s–90.0" and minutes(0.0, 0.0, 0.0) == "0.0"


def test_a_dry_run_of_a_system_that_retrieves_itself_embeds_nothing_and_counts_the_calls(place, monkeypatch, capsys):
    monkeypatch.setenv("KNOWN_SPEAKS", "1")
    store = place / "retrieves-itself"
    told = (*systems("mute"), "--protocol", "rare", "--protocol", "effect_size", "--store", str(store))
    assert evaluate(place, "dry-4", *told, "--dry-run", "--no-probe", quiet=False) == 0
    assert not list(store.rglob("embeddings.sqlite"))
    assert evaluate(place, "own", *told) == 0
    assert f"are {len(set(answers(place, 'own').values())):,} calls" in capsys.readouterr().out


def test_a_dry_run_without_a_probe_asks_nothing_and_the_offline_system_costs_nothing(place, capsys):
    assert evaluate(place, "dry-2", *FEW, "--dry-run", "--no-probe", quiet=False) == 0
    assert "no question was put to it" in capsys.readouterr().out
    assert evaluate(place, "dry-3", "--protocol", "rare", "--questions", "2", "--dry-run", quiet=False) == 0
    said = capsys.readouterr().out
    assert "extractive is offline" in said and "finding passages, scoring and the report take" in said
    assert "gold" not in said and "--verbose" in said  # protocols alone
    assert not (place / "dry-3").exists()


def test_a_dry_run_says_why_a_model_cannot_be_asked(place, capsys):
    config = '[systems.mine]\nkind = "rag"\nrag.llm = { provider = "openai", model = "m", endpoint = "NOT_SET" }\n'
    (place / "model.toml").write_text(config)
    told = ["--protocol", "rare", "--questions", "2", "--dry-run", "--config", str(place / "model.toml")]
    assert evaluate(place, "dry-4", "--system", "mine", *told, quiet=False) == 1
    said = capsys.readouterr().out
    assert "could not be put to it: no endpoint: set NOT_SET_API_KEY" in said and "exact requests" in said
    assert not (place / "dry-4").exists()


def test_a_budget_too_small_for_anything_is_refused(place, capsys):
    assert evaluate(place, "none", *systems("right"), "--protocol", "retrieval_robustness", "--budget", "2") == 2
    assert "too few" in capsys.readouterr().err
    assert not (place / "none").exists()
