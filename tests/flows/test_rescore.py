"""Stored answers scored once more: another judge, other rules, nobody else asked, and nothing lost."""

import json

import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Answer, Chunk, Figure, Hits, Question, Score, Trial, Variant
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.config import Config
from rarefy.flows.engine.aggregate import SCHEMA, aggregate_scores, list_options, package_versions, write_result
from rarefy.flows.faults import UsageFault
from rarefy.flows.rescore import rescore
from rarefy.tasks.evaluate.correct import score
from rarefy.tasks.evaluate.protocols import PROTOCOLS

ANSWERS = {"q0": "$47,525 million", "q1": "$48 billion", "q2": "$46 billion", "q3": "no such info"}
OTHER_RARE = {"real_world": "strict"}
MODEL = {"correct": {"judge": {"provider": "judges:yes", "model": "yes-1"}}}


def question(name):
    return Question(
        name, "p", "single", f"What was the revenue of {name} in fiscal year 2024, in millions of US dollars?",
        "$47,525", ("$47.5 billion",), (), (f"c{name}",), (), (), period="fiscal year 2024", split="test",
    )  # fmt: skip


def result(place, config):
    """A finished result: four questions, two protocols, two systems that say the same."""
    questions = {name: question(name) for name in ANSWERS}
    chunks = [Chunk(f"c{name}", "d", 0, 4, "text", "", "Text", 1) for name in ANSWERS]
    variants = [Variant(f"v{name}", name, "query", "none", one.text) for name, one in questions.items()]
    trials = [
        Trial(f"{protocol}-{name}-{cell}", protocol, name, cell, given, f"v{name}", document=document, gold=1.0)
        for protocol, cells in {
            "rare": [("probe", "closed_book", ""), ("gold", "passages", "none")],
            "effect_size": [("original", "passages", "none")],
        }.items()
        for cell, given, document in cells
        for name in ANSWERS
    ]
    answers = [
        Answer(row.trial_id, system, row.question_id, ANSWERS[row.question_id]) for system in "ab" for row in trials
    ]
    answers.sort(key=lambda row: (row.trial_id, row.system))
    by_id = {row.trial_id: row for row in trials}
    scores = [*score(answers, config.correct, trials=by_id, questions=questions)]
    rows = {
        Trial: trials, Answer: answers, Score: scores, Question: [*questions.values()], Chunk: chunks, Hits: [],
        Variant: variants,
    }  # fmt: skip
    names = dict(zip(rows, "trials answers scores questions chunks hits variants".split(), strict=True))
    tables = {names[kind]: to_table(some, kind) for kind, some in rows.items()}
    about = {"kind": "extractive", "takes": ["closed_book", "passages"], "retrieves": False, "identity": {}}
    told = {"version": "1", "name": "b", "questions": 4, "of": 4, "documents": 1, "split": "test"}
    meta = {
        "schema": SCHEMA, "benchmark": told, "systems": {"a": about, "b": about},
        "protocols": {
            name: {"title": PROTOCOLS[name].title, "paper": PROTOCOLS[name].paper,
                   "options": list_options(getattr(config.protocols, name))}
            for name in ("rare", "effect_size")
        },
        "retrieval": {}, "correctness": list_options(config.correct), "left_out": [],
        "statistics": config.statistics.model_dump(mode="json"), "currency": "", "package": package_versions(),
    }  # fmt: skip
    figures, summary = aggregate_scores(tables, meta, config)
    write_result(place, {**tables, "figures": figures}, summary, config)
    return summary


@pytest.fixture(autouse=True)
def judge(tmp_path_factory, monkeypatch):
    """A model of one's own, module:function, that says Yes to everything and counts how often it was asked."""
    place = tmp_path_factory.mktemp("models")
    (place / "judges.py").write_text(
        "from rarefy.data_contracts.rows import Reply\n"
        "asked = []\n"
        "def yes(requests):\n"
        "    asked.extend(requests)\n"
        "    return [Reply(one.request_id, '[Start answer]Yes[End answer]', model='yes-1') for one in requests]\n"
    )
    monkeypatch.syspath_prepend(str(place))
    return place


def scores(place, name="scores"):
    return {(row.trial_id, row.system): row for row in from_table(pq.read_table(place / f"{name}.parquet"), Score)}


def again(place, out, tmp_path, **config):
    return rescore(place, out, Config.model_validate(config), str(tmp_path / "store"), quiet=True)


def test_other_rules_score_what_was_answered_and_the_old_scores_stay_beside_the_new(tmp_path):
    place = tmp_path / "result"
    before = result(place, Config())
    old = scores(place)
    assert {row.status for (trial, _), row in old.items() if trial.startswith("rare-q1")} == {"missing"}
    told = again(place, place, tmp_path, correct={"unmatched": "wrong"})
    new = scores(place)
    assert {key: row for key, row in new.items() if "rare-q1" not in key[0]} == {
        key: row for key, row in old.items() if "rare-q1" not in key[0]
    }
    assert {row.value for key, row in new.items() if "rare-q1" in key[0]} == {0.0}
    (kept,) = place.glob("scores.*.parquet")
    assert scores(place, kept.stem) == old
    (summary,) = place.glob("summary.*.json")
    assert json.loads(summary.read_bytes()) == before and len([*place.glob("figures.*.parquet")]) == 1
    changed = {one["name"]: one["value"] for one in told["correctness"]}
    assert changed["unmatched"] == "wrong" and told["benchmark"] == before["benchmark"]
    assert json.loads((place / "summary.json").read_bytes()) == json.loads(json.dumps(told))


def test_into_another_folder_the_result_stays_as_it_was_and_the_new_one_is_whole(tmp_path):
    place, out = tmp_path / "result", tmp_path / "new"
    result(place, Config())
    files = {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()}
    again(place, out, tmp_path, correct={"value": False})
    assert {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()} == files
    assert {file.name for file in out.iterdir()} >= {"summary.json", "report.html", "trials.parquet", "answers.parquet"}
    assert {row.status for key, row in scores(out).items() if "rare-q2" in key[0]} == {"missing"}


def test_the_same_rules_give_the_same_scores_and_figures_to_the_last_digit(tmp_path):
    place, out = tmp_path / "result", tmp_path / "new"
    result(place, Config())
    again(place, out, tmp_path)
    for name in ("scores", "figures"):
        assert pq.read_table(out / f"{name}.parquet").equals(pq.read_table(place / f"{name}.parquet"))


def test_the_results_own_options_make_its_figures_whatever_the_defaults_are(tmp_path):
    place = tmp_path / "result"
    made = Config.model_validate({"statistics": {"draws": 300, "seed": 7}})
    result(place, made)
    told = again(place, tmp_path / "new", tmp_path)
    assert (told["statistics"]["draws"], told["statistics"]["seed"]) == (300, 7)
    told = again(place, tmp_path / "newer", tmp_path, statistics={"draws": 500})
    assert told["statistics"]["draws"] == 500


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda place: (place / "summary.json").unlink(), "no finished result"),
        (lambda place: (place / "summary.json").write_text("{"), "evaluate again"),
        (lambda place: (place / "summary.json").write_text("[]"), "not a summary"),
        (lambda place: (place / "answers.parquet").unlink(), "no whole result"),
        (lambda place: (place / "scores.parquet").write_bytes(b"PAR1 or not"), "damaged"),
    ],
)
def test_a_folder_that_holds_no_whole_result_is_refused_in_plain_words(tmp_path, spoil, says):
    place = tmp_path / "result"
    result(place, Config())
    spoil(place)
    with pytest.raises(UsageFault, match=says):
        again(place, place, tmp_path)


def test_a_result_of_another_version_is_refused(tmp_path):
    place = tmp_path / "result"
    told = result(place, Config())
    (place / "summary.json").write_text(json.dumps({**told, "schema": 0}))
    with pytest.raises(UsageFault, match="of schema 0"):
        again(place, place, tmp_path)


def test_answers_of_other_trials_are_refused(tmp_path):
    place = tmp_path / "result"
    result(place, Config())
    strange = pq.read_table(place / "trials.parquet").slice(1)
    pq.write_table(strange, place / "trials.parquet")
    with pytest.raises(UsageFault, match=r"which trials\.parquet has not"):
        again(place, place, tmp_path)


def test_a_judge_is_asked_about_what_was_open_and_only_once(tmp_path):
    place, out = tmp_path / "result", tmp_path / "new"
    result(place, Config())
    told = again(place, out, tmp_path, **MODEL)
    import judges  # the module of the fixture

    assert len(judges.asked) == 1  # q1 under RARE; effect size has no judge, equal answers share one judgement
    judged = [row for row in scores(out).values() if row.stage == "judge"]
    assert {(row.question_id, row.protocol, row.value, row.judge) for row in judged} == {("q1", "rare", 1.0, "yes-1")}
    assert len(judged) == 4 and not [row for row in scores(out).values() if row.status == "missing"]
    assert {one["name"]: one["value"] for one in told["correctness"]}["judge"]["model"] == "yes-1"
    again(place, tmp_path / "newer", tmp_path, **MODEL)
    assert len(judges.asked) == 1 and scores(tmp_path / "newer") == scores(out)


def test_options_that_made_the_trials_cannot_be_changed_afterwards(tmp_path):
    place = tmp_path / "result"
    result(place, Config())
    with pytest.raises(UsageFault, match=r"protocols\.rare\..* differs from what made"):
        again(place, place, tmp_path, protocols={"rare": OTHER_RARE})


def test_figures_are_made_anew_from_the_new_scores(tmp_path):
    place, out = tmp_path / "result", tmp_path / "new"
    result(place, Config())
    again(place, out, tmp_path, correct={"unmatched": "wrong"})
    before, after = (
        {row.figure_id: row for row in from_table(pq.read_table(one / "figures.parquet"), Figure)}
        for one in (place, out)
    )
    assert before.keys() == after.keys()
    assert sum(row.n_missing for row in after.values()) < sum(row.n_missing for row in before.values())
