"""A scenario is fitted to whatever a retriever wrote, and mixed from."""

import dataclasses
import json

import pytest
from mixed import question

from rarefy.data_contracts.rows import Chunk, Span
from rarefy.flows.cli import main
from rarefy.flows.faults import UsageFault
from rarefy.flows.scenario import fit, read, show
from rarefy.tasks.perturb.mix import read_scenarios

TEXTS = {
    "gold": "Acme had 164,000 employees as of May 2024.",
    "near": "The Company sold its plant in Ohio. Demand was weak in the spring of the year.",
    "rain": "Rain fell on most of the county in May and June.",
}
CHUNKS = {
    name: Chunk(name, "acme" if name != "rain" else "weather", at, at + 1, "text", "", text, 9)
    for at, (name, text) in enumerate(TEXTS.items())
}
Q = question(chunk_ids=("gold",), evidence=(TEXTS["gold"],), evidence_spans=(Span("gold", 0, 1),))


@pytest.fixture
def bench(tmp_path):
    folder = tmp_path / "bench"
    folder.mkdir()
    for name, rows in (("questions", [Q]), ("chunks", CHUNKS.values())):
        text = "".join(json.dumps(dataclasses.asdict(row)) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text)
    return folder


LINES = {
    "ids": {"question_id": "q", "passages": ["gold", "near", "rain"]},
    "texts": {"qid": "q", "contexts": list(TEXTS.values())},
    "objects": {"question": Q.text.upper(), "retrieved": [{"id": name, "score": 1} for name in TEXTS]},
    "contents": {"id": "q", "documents": [{"page_content": text, "title": ""} for text in TEXTS.values()]},
}


@pytest.mark.parametrize("name", LINES)
def test_passages_are_read_as_retrievers_write_them(tmp_path, bench, name):
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps(LINES[name]) + "\n")
    fitted = fit(file, bench)
    assert [row.label for row in fitted.classified] == ["golden", "inconsequential", "irrelevant"]


def test_one_passage_a_line_and_a_trec_run_are_read_too(tmp_path, bench):
    single, run = tmp_path / "s.jsonl", tmp_path / "run.trec"
    rows = [{"query_id": "q", "passage_id": name, "rank": at, "text": TEXTS[name]} for at, name in enumerate(TEXTS, 1)]
    single.write_text("\n".join(json.dumps(row) for row in rows))
    run.write_text("".join(f"q Q0 {name} 9 {at} me\n" for at, name in enumerate(reversed(TEXTS))))
    one, other = fit(single, bench), fit(run, bench)
    assert [row.passage_id for row in one.classified] == list(TEXTS)
    assert [row.label for row in one.classified] == [row.label for row in other.classified]


def test_a_scenario_is_written_with_what_it_was_seen_in(tmp_path, bench):
    file, out, passages = tmp_path / "r.jsonl", tmp_path / "mine.toml", tmp_path / "p.jsonl"
    file.write_text(json.dumps(LINES["ids"]) + '\n{"question_id": "x", "passages": ["some text"]}\n')
    told = show(fit(file, bench, out=out, passages_out=passages))
    assert "1 of 1 questions" in told
    assert "1 passages are for questions that the benchmark has not" in told
    assert '["mine".fitted]' in out.read_text()
    assert abs(read_scenarios(out)["mine"].ratio - 2 / 3) < 0.001
    assert len(passages.read_text().splitlines()) == 3


SORTER = """
import json
from rarefy.data_contracts.rows import Reply

def sort(requests):
    for request in requests:
        yield Reply(request.request_id, json.dumps({"reason": "so", "label": "golden"}), finish_reason="stop",
                    prompt_tokens=10, completion_tokens=5, model="m")
"""


def test_what_a_fit_by_a_model_may_ask_is_bounded_and_the_same_command_goes_on(tmp_path, bench, monkeypatch, capsys):
    (tmp_path / "sorter.py").write_text(SORTER)
    monkeypatch.syspath_prepend(str(tmp_path))
    file, config = tmp_path / "r.jsonl", tmp_path / "my.toml"
    file.write_text(json.dumps(LINES["texts"]) + "\n")
    config.write_text('[llm]\nprovider = "sorter:sort"\nmodel = "m"\n')
    given = ["scenario", "fit", str(file), str(bench), "--by", "model", "--config", str(config)]
    given += ["--store", str(tmp_path / "store"), "--passages", str(tmp_path / "p.jsonl")]
    assert main([*given, "--max-calls", "2"]) == 3
    told = capsys.readouterr()
    assert len(told.err.strip().splitlines()) == 1 and not (tmp_path / "p.jsonl").exists()
    assert main([*given, "--max-calls", "2"]) == 0, "two replies are remembered, one is left to ask for"
    assert len((tmp_path / "p.jsonl").read_text().splitlines()) == 3
    assert main([*given, "--max-cost", "1"]) == 2
    assert "no price for m" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"passages": ["a"]}', "r:1: no question_id"),
        ('{"question_id": "q", "passages": [{"id": "nowhere"}]}', "r:1: passage 1 has no text"),
        ('{"question_id": "q", "passages": [{"text": 3}]}', "r:1: passage 1 has no text"),
        ('{"question_id": "q", "passages": [{"text": "a", "rank": "x"}]}', "r:1: passage 1"),
        ('{"question_id": "z", "passages": ["a"]}', "none of its 1 passages"),
        ("q Q0 nowhere 1 1 me", "r:1: no chunk 'nowhere'"),
        ("q Q0 gold 1 high me", "r:1: could not convert"),
        ("hello there", "neither JSON nor"),
        ("", "none of its 0 passages"),
        ("{", "r:1"),
    ],
)
def test_a_line_that_says_nothing_is_named(tmp_path, bench, text, says):
    file = tmp_path / "r"
    file.write_text(text)
    with pytest.raises(UsageFault, match=says):
        fit(file, bench)


def test_what_cannot_be_is_a_mistake_of_usage(tmp_path, bench):
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps(LINES["ids"]))
    with pytest.raises(UsageFault, match="the deepest has 3"):
        fit(file, bench, k=4)
    with pytest.raises(UsageFault, match="needs a model"):
        fit(file, bench, by="model")
    with pytest.raises(UsageFault, match="there is no folder"):
        fit(file, bench, out=tmp_path / "none" / "s.toml")
    with pytest.raises(UsageFault, match="No such file"):
        list(read(tmp_path / "none.jsonl", {}, {}))
