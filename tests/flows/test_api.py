"""The functions of `import rarefy`, on the small benchmark of the known systems."""

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace

import known
import pandas as pd
import pytest

import rarefy
from rarefy.flows.engine import run as engine_run
from rarefy.flows.faults import RegressionFault, UsageFault

SETTINGS = {"correct": {"unmatched": "wrong"}, "statistics": {"draws": 100}, "retrieve": {"retrievers": ["bm25"]}}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return rarefy.load(known.benchmark(tmp_path_factory.mktemp("api") / "bench", 3))


@pytest.fixture
def evaluate(bench, tmp_path, monkeypatch):
    """Evaluates by one protocol, in a folder of the test."""
    monkeypatch.chdir(tmp_path)

    def run(system, protocols=("effect_size",), **options):
        return rarefy.evaluate(bench, system, protocols=protocols, quiet=True, **{**SETTINGS, **options})

    return run


def test_a_test_function_without_an_argument_is_told_what_it_lacks(bench):
    def test_mine():
        return "x"

    with pytest.raises(
        UsageFault, match=r"test_mine\(\) takes no argument \(test_api.py:\d+\).*def test_mine\(asked\)"
    ):
        rarefy.robust(bench, 0.8)(test_mine)


def counted(function=known.right):
    """A system that counts how often it is called."""

    def answer(asked):
        calls.append(asked.asked_id)
        return function(asked)

    calls = answer.calls = []
    answer.takes = ("closed_book", "passages")
    return answer


def test_importing_the_package_imports_nothing_else():
    look = "import sys, rarefy; print(rarefy.__version__, len([name for name in sys.modules if 'rarefy.' in name]))"
    said = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout.split()
    assert said == ["0.1.0", "0"]


def test_every_public_name_is_there_and_no_other():
    assert all(getattr(rarefy, name) is not None for name in rarefy.__all__)
    assert set(rarefy.__all__) <= set(dir(rarefy))
    with pytest.raises(AttributeError, match=r"no attribute 'evalute'; have .*evaluate"):
        _ = rarefy.evalute


def test_tables_of_a_benchmark_are_data_frames(bench):
    assert len(bench.questions) == 3 and set(bench.questions["rejected_because"]) == {""}
    assert {"questions", "variants", "chunks"} <= set(bench.tables)
    assert len(bench.variants) <= len(bench.table("variants"))
    cells = rarefy.load("sample").questions.query("answer == '10,396'")
    assert list(cells["answer_in_words"]) == ["$10,396 million"]
    assert "3 questions" in bench.summary() and "<pre>" in bench._repr_html_()
    assert str(bench) == bench.summary()
    assert "answer_in_words" in bench.table("questions")
    with pytest.raises(UsageFault, match="no table 'paths'; have"):
        bench.table("paths")


def test_the_facts_of_a_benchmark_are_a_graph():
    packaged = rarefy.load()
    facts = packaged.table("triplets").query("rejected_because == ''")
    graph = packaged.graph
    assert {name for *_, name in graph.edges(keys=True)} == set(facts["triplet_id"])
    for path in packaged.table("paths").query("pattern == 'chain'").itertuples():
        first, second = (facts.set_index("triplet_id").loc[name] for name in path.triplet_ids[:2])
        assert graph.edges[first.subject_key, first.object_key, first.name]["relation"] == first.relation
        assert graph.nodes[second.subject_key]["label"] in set(facts["subject"]) | set(facts["object"])


def test_what_is_no_benchmark_is_a_fault(tmp_path):
    with pytest.raises(rarefy.Fault, match="no such folder"):
        rarefy.load(tmp_path / "nowhere")


def test_a_callable_is_evaluated_without_a_flow_run(evaluate, monkeypatch):
    in_flow = []
    monkeypatch.setattr(engine_run, "is_in_flow", lambda: in_flow.append(0))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    result = evaluate(known.right)
    assert in_flow and "PREFECT_API_URL" not in os.environ
    assert result.systems == ["right"] and result.folder.name == "bench-right" and result.report.is_file()
    assert len(result.answers) == len(result.scores) and set(result.answers["system"]) == {"right"}
    assert len(result.trials) >= len(result.answers) and "value" in result.figures
    assert list(result.headline["protocol"].unique()) == ["effect_size"]
    assert "Effect size" in result.summary() and "\x1b" not in result.summary()
    shown = result._repr_html_()
    assert shown.index("right is ") < shown.index("<table") and "<th>value" in shown
    assert str(result) == result.summary() and result.about == rarefy.load_result(result.folder).about
    old = replace(result, about={**result.about, "findings": {"right": {}}})  # of a version with other findings
    with pytest.raises(UsageFault, match=r"rarefy rescore \S*bench-right`"):
        old.summary()


def test_faults_name_arguments_in_place_of_options(evaluate, tmp_path):
    both = evaluate({"mine": known.right, "other": known.refuses})
    with pytest.raises(UsageFault, match=r"nothing: no such folder"):
        rarefy.compare(both, tmp_path / "nothing")
    with pytest.raises(UsageFault, match=r"has several systems: say which with systems="):
        rarefy.compare(both, both)
    with pytest.raises(UsageFault, match=r"^protocol=rar: no such protocol"):
        rarefy.score([], protocol="rar")
    with pytest.raises(UsageFault, match=r"^only=caracter: no such perturbation"):
        rarefy.perturb([], only=["caracter"])


def test_a_function_that_cannot_be_called_with_one_argument_is_refused_before_anything_is_retrieved(evaluate):
    with pytest.raises(UsageFault, match="write it with one argument, a SystemInput"):
        evaluate(lambda asked, index: "never")


def test_charts_are_one_page_in_a_frame_of_its_own(evaluate, tmp_path):
    result = evaluate(known.right)
    charts = result.plot()
    assert "<svg" in charts.html and "<script" not in charts.html
    assert charts._repr_html_().startswith("<iframe srcdoc=") and "<svg" not in charts._repr_html_()
    result.plot("headline").save(tmp_path / "one.html")
    assert len((tmp_path / "one.html").read_text()) <= len(charts.html)
    with pytest.raises(UsageFault, match="no chart 'pie'; have headline"):
        result.plot("pie")


def test_a_figure_is_found_by_the_words_of_a_rule(evaluate):
    result = evaluate({"a": known.right, "b": known.refuses})
    assert result.figure("AH̃ of effect_size", "a")["system"] == "a"
    assert result.figure("effect_size", "b")["headline"]
    with pytest.raises(UsageFault, match=r"several numbers: .*\(a\), .*\(b\)"):
        result.figure("effect_size")
    with pytest.raises(UsageFault, match=r"no number 'speed' in .*; there is: "):
        result.figure("speed", "a")
    assert result.figure("accuracy", "a")["metric"] == "Original score"


def test_the_transcript_has_each_answer_with_what_was_asked(evaluate, bench):
    def answer(asked):
        if asked.query == least:
            raise OSError("no index")
        return "A person of note" if asked.passages else known.right(asked)

    least = min(bench.questions["text"])
    answer.takes = ("closed_book", "passages")
    result = evaluate(answer, ("effect_size", "rare"), correct={})
    table = result.transcript
    assert len(table) == len(result.answers) and not table.isna().any().any()
    assert set(table["verdict"]) == {"right", "wrong", "unscored", "failed"}  # of effect_size by containment
    plain = table[table["perturbation"] == "none"]
    texts = dict(zip(result.questions["question_id"], result.questions["text"], strict=True))
    assert (plain["question"] == plain["question_id"].map(texts)).all() and set(result.questions["text"]) >= {least}
    worded = table.query("perturbation == 'upper_case'")
    variants = bench.variants.query("perturbation == 'upper_case'")
    assert len(worded) and set(worded["question"]) == set(variants["text"])
    assert (worded["question"] != worded["question_id"].map(texts)).all()
    assert "raised: OSError: no index" in table.query("verdict == 'failed'")["why"].iloc[0]
    assert table.query("verdict == 'unscored'")["why"].str.startswith("judge_needed").all()
    assert table.query("verdict == 'right'")["why"].str.startswith("exact").all()
    withheld = result.headline[result.headline["value"].isna()]
    assert withheld[["worst", "best"]].notna().all(axis=1).any()


def test_the_same_call_asks_nothing_again_and_another_function_is_asked(evaluate):
    first = counted()
    evaluate({"mine": first})
    asked = len(first.calls)
    evaluate({"mine": first})
    assert asked and len(first.calls) == asked
    other = counted(known.refuses)  # the same code, around another function
    texts = evaluate({"mine": other}).answers["text"]
    assert set(texts) == {"I cannot answer the question."} and len(other.calls) == asked


def test_a_result_whose_folder_was_written_anew_says_so(evaluate):
    first = evaluate({"mine": known.right})
    second = evaluate({"mine": known.refuses})
    with pytest.raises(UsageFault, match="holds another result by now"):
        _ = first.answers
    with pytest.raises(UsageFault, match="holds another result by now"):
        rarefy.compare(first, second)


def test_a_version_keeps_answers_for_other_folders(evaluate):
    first, second = counted(), counted()
    evaluate({"mine": {"kind": first, "version": "7"}}, out="one")
    evaluate({"mine": {"kind": second, "version": "7"}}, out="two")
    assert first.calls and not second.calls
    evaluate({"mine": {"kind": second, "version": "8"}}, out="three")
    assert len(second.calls) == len(first.calls)


def test_what_was_answered_before_an_interrupt_is_not_asked_again(evaluate):
    calls, stop = [], [8]

    def answer(asked):  # with many it runs in the main thread, where Ctrl-C arrives
        calls.extend(one.asked_id for one in asked)
        if len(calls) in stop:
            raise KeyboardInterrupt
        return [known.right(one) for one in asked]

    answer.takes, answer.many = ("closed_book", "passages"), 4
    with pytest.raises(KeyboardInterrupt):
        evaluate({"mine": answer})
    first = list(calls)
    calls.clear()
    stop.clear()
    assert evaluate({"mine": answer}).answers["error"].eq("").all()
    assert len(first) == 8 and not set(first[:4]) & set(calls) and set(first[4:]) <= set(calls)


def test_ctrl_c_ends_the_call_and_the_next_goes_on(bench, tmp_path):
    script = tmp_path / "mine.py"
    script.write_text(
        textwrap.dedent(f"""
        import os, signal, sys, time
        import known, rarefy

        signal.signal(signal.SIGINT, signal.default_int_handler)  # what is run in the background ignores it

        def answer(asked):
            print(f"asked {{asked.asked_id}}\\n", end="", flush=True)  # in one piece: other threads print, too
            if len(sys.argv) > 1 and (calls := calls_made()) == 5:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            return known.right(asked)

        def calls_made(counter=[0]):
            counter[0] += 1
            return counter[0]

        answer.takes = ("closed_book", "passages")
        try:
            where = {str(bench.folder)!r}
            rarefy.evaluate(where, {{"mine": answer}}, protocols=["effect_size"], quiet=True, **{SETTINGS})
        except KeyboardInterrupt:
            print("\\ninterrupted\\n", end="")
        """)
    )
    runs = []
    for argument in (["stop"], []):
        command = [sys.executable, str(script), *argument]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (*sys.path, os.environ.get("PYTHONPATH"))))}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        runs.append(done.stdout.split("\n"))
    first, second = ([line for line in run if line.startswith("asked")] for run in runs)
    assert "interrupted" in runs[0] and len(first) >= 5  # on a busy machine one more may be asked before it is heard
    assert second and len(set(second) & set(first)) <= 2  # what was in the air, and nothing that was answered


def test_a_coroutine_is_evaluated_in_a_notebook_whose_loop_is_running(evaluate):
    async def answer(asked):
        await asyncio.sleep(0)
        return known.right(asked)

    answer.takes = ("closed_book", "passages")

    async def cell():
        return evaluate(answer)

    assert asyncio.run(cell()).answers["error"].eq("").all()


def test_with_prefect_it_is_a_flow_run_also_where_a_loop_is_running(evaluate, api, monkeypatch):
    found = []
    monkeypatch.setattr(engine_run, "run_id", lambda: found.append(engine_run.is_in_flow()) or "run")
    monkeypatch.setattr("rarefy.flows.evaluate.run_id", engine_run.run_id)

    async def cell():
        return evaluate(known.right, prefect=True)

    assert asyncio.run(cell()).systems == ["right"] and found == [True]


def test_systems_are_given_by_name_by_function_and_as_in_a_config(evaluate):
    class Rag:
        takes = ("closed_book", "passages")

        def __call__(self, asked):
            return known.right(asked)

    result = evaluate(["known:right", Rag()])
    assert result.systems == ["known:right", "Rag"]
    config = {"systems": {"cautious": {"kind": "known:refuses"}}}
    assert evaluate("cautious", config=config).about["systems"]["cautious"]["kind"] == "known:refuses"


@pytest.mark.parametrize(
    ("system", "options", "message"),
    [
        ([known.right, known.right], {}, "two systems are called right"),
        ([3], {}, "a int; give a function"),
        ({"mine": 3}, {}, "its kind is 3"),
        ({"mine": {"kind": known.right, "tkes": ["own"]}}, {}, "systems.mine.*no key 'tkes'; did you mean 'takes'"),
        ("extractiv", {}, "did you mean 'extractive'"),
        (5, {}, "5 is no system; give a function.*questions=N"),
        (known.right, {"workers": 2}, "a function of this process"),
        (known.right, {"protocols": ["rar"]}, "did you mean 'rare'"),
        (known.right, {"budget": 9, "quick": True}, "budget=9 and quick=True: give one"),
        (known.right, {"perturbb": {}}, "no key 'perturbb'; did you mean 'perturb'"),
        (known.right, {"config": "nowhere.toml"}, r"nowhere\.toml"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_begun(evaluate, tmp_path, system, options, message):
    with pytest.raises(UsageFault, match=message):
        evaluate(system, **options)
    assert not list(tmp_path.glob("rarefy-out/*/summary.json"))


def test_a_first_look_is_of_rare_met_where_no_protocol_is_named(evaluate):
    about = evaluate(known.right, protocols=(), quick=True).about
    assert [*about["protocols"]] == ["rare"] and about["budget"]["questions"] > 0


def test_two_results_are_compared(evaluate):
    better, worse = (evaluate({"mine": one}, out=one.__name__) for one in (known.right, known.refuses))
    comparison = rarefy.compare(worse, better)
    assert {"metric", "difference", "verdict"} <= set(comparison.differences)
    assert "effect size" in comparison.summary(verbose=True)
    assert len(comparison.summary().splitlines()) < 12 < len(comparison.summary(verbose=True).splitlines())
    rarefy.compare(worse.folder, better.folder, statistics={"draws": 100}).check("original drops 2 points")
    with pytest.raises(RegressionFault, match="drops"):
        rarefy.compare(better, worse).check("Original score of effect_size drops 2 points")


def test_questions_of_ones_own_are_perturbed_and_evaluated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records = [
        {"id": f"q{at}", "question": f"Where was the ship {name} built in 1912?", "answer": city, "contexts": [text]}
        for at, (name, city) in enumerate((("Aurora", "Bergen"), ("Borealis", "Oslo")))
        for text in [f"The ship {name} was built in {city} in 1912. It carried mail and {at + 3} passengers."]
    ]
    bench = rarefy.perturb(pd.DataFrame(records), ["character"], quiet=True)
    assert set(bench.variants["perturbation"]) == {"none", "character"} and len(bench.questions) == 2
    kept = rarefy.perturb(records, ["superficial"], out="kept", quiet=True)
    assert kept.folder == tmp_path / "kept" and len(rarefy.load("kept").variants) == len(kept.variants) > 2
    result = rarefy.evaluate(bench, lambda asked: "Bergen", protocols=["effect_size"], quiet=True, **SETTINGS)
    assert result.systems == ["lambda"]
    folder = bench.folder
    del bench, result
    assert not folder.exists()


def test_answers_made_elsewhere_are_scored(tmp_path):
    made = [
        {
            "question": "What was revenue in 2021?",
            "gold": "$4.4 million",
            "answer": "It was 4,400,000 dollars.",
            "n": 1,
        },
        {"question": "What was revenue in 2021?", "gold": ["$4.4 million"], "answer": "$5 million"},
        {"question": "Who founded it?", "gold": "Ada Byron", "answer": "no such info"},
        {"question": "Who founded it?", "gold": "Ada Byron", "answer": "the daughter of Lord Byron"},
        {"question": "Who founded it?", "gold": None, "answer": "I do not know."},
        {"question": "Who founded it?", "gold": "Ada Byron", "answer": None},
    ]
    for given in (made, pd.DataFrame(made)):
        scored = rarefy.score(given)
        assert list(scored["verdict"]) == ["right", "wrong", "refused", "unscored", "right", "missing"]
        assert list(scored["question"]) == [row["question"] for row in made] and scored["n"][0] == 1
        assert scored["why"][3].startswith("judge_needed") and scored["why"][5] == "not_answered"
    numbers = rarefy.score([{"question": "How many?", "gold": 5, "answer": answer} for answer in (5, 5.0, 6)])
    assert list(numbers["verdict"]) == ["right", "right", "wrong"]
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in made), encoding="utf-8")
    assert list(rarefy.score(str(file))["verdict"])[:2] == ["right", "wrong"]
    with pytest.raises(UsageFault, match="no such file"):
        rarefy.score(str(tmp_path / "none.jsonl"))
    assert list(rarefy.score(made, correct={"unmatched": "wrong"})["verdict"])[3] == "wrong"
    with pytest.raises(UsageFault, match="record 0 has no 'gold'"):
        rarefy.score([{"question": "?", "answer": "x"}])
