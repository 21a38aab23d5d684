"""`rarefy mix` reads what other commands write, and says what it could not do."""

import dataclasses
import hashlib
import json

import pytest
from mixed import chunk, pool, question

from rarefy.data_contracts.rows import Chunk, Context, Question, Variant
from rarefy.data_contracts.tables import from_record, to_table
from rarefy.flows.cli import main
from rarefy.flows.faults import UsageFault
from rarefy.flows.mix import mix_contexts, show

ROWS = {
    Question: [question("a"), question("b", hops=2)],
    Variant: [*pool(question("a")), *pool(question("b", hops=2), golden=2)],
    Chunk: [chunk("a-c0", "Acme, Form 10-K")],
}


def bench(folder, parquet: bool):
    for kind, rows in ROWS.items():
        name = f"{kind.__name__.lower()}s"
        if parquet:
            import pyarrow.parquet as pq

            pq.write_table(to_table(rows, kind), folder / f"{name}.parquet")
        else:
            text = "".join(json.dumps(dataclasses.asdict(row)) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(text)
    return folder


@pytest.mark.parametrize("parquet", [False, True])
def test_contexts_are_written_whole_and_alike_from_either_kind_of_file(tmp_path, parquet):
    out = tmp_path / "contexts.jsonl"
    made = mix_contexts(bench(tmp_path, parquet), out, ratios=(0.5,), k=4)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [from_record(record, Context) for record in records] == made
    assert all(len(record["texts"]) == record["passages"] == 4 for record in records)
    assert any("Acme, Form 10-K\n" in text for text in records[0]["texts"])
    assert records[0]["query"] == question(records[0]["question_id"]).text
    again = mix_contexts(bench(tmp_path, not parquet), out, show_texts=True, ratios=(0.5,), k=4)
    assert again == made


def test_each_context_names_the_file_of_variants_that_it_was_mixed_of(tmp_path):
    out = tmp_path / "contexts.jsonl"
    mix_contexts(bench(tmp_path, False), out, ratios=(0.5,), k=4)
    found = hashlib.sha256((tmp_path / "variants.jsonl").read_bytes()).hexdigest()
    assert {json.loads(line)["variants"] for line in out.read_text().splitlines()} == {found}


def test_ids_alone_are_written_where_that_is_asked_for(tmp_path):
    out = tmp_path / "contexts.jsonl"
    told = ["mix", str(bench(tmp_path, False)), "--out", str(out), "--ratio", "0.5", "--k", "4"]
    assert main([*told, "--ids", "--store", str(tmp_path / "store")]) == 0
    assert all("texts" not in json.loads(line) for line in out.read_text().splitlines())


def test_what_was_smaller_and_why_is_told(tmp_path):
    told = show(mix_contexts(bench(tmp_path, False), tmp_path / "c.jsonl", ratios=(0.2,)))
    assert "natural, k 10, ratio 0.2" in told
    assert "short of: golden in 1" in told
    told = show(mix_contexts(tmp_path, tmp_path / "c.jsonl", ratios=(0.5,), length="1500+"))
    assert "not made: 2, no choice of the passages has the length" in told


def test_a_file_of_scenarios_is_mixed_whole(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[web]\ngolden = 50\nirrelevant = 50\n")
    made = mix_contexts(bench(tmp_path, False), tmp_path / "c.jsonl", files=(file,))
    assert {one.setting for one in made} == {"web, k 10"}


def test_a_file_of_ones_own_needs_not_every_column(tmp_path):
    (tmp_path / "questions.jsonl").write_text(json.dumps(dataclasses.asdict(ROWS[Question][0])) + "\n")
    keys = ("variant_id", "question_id", "side", "perturbation", "text", "family", "chunk_id")
    lines = [json.dumps({key: dataclasses.asdict(row)[key] for key in keys}) for row in pool(question("a"))]
    (tmp_path / "variants.jsonl").write_text("\n\n".join(lines))
    assert mix_contexts(tmp_path, tmp_path / "c.jsonl", ratios=(0.5,))[0].passages == 10


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"ratios": (1.5,)}, "0 to 1"),
        ({"k": 0}, "greater than or equal to 1"),
        ({"mixes": ("none",)}, "no mix"),
        ({"scenarios": ("SCE9",)}, "have SCE1"),
        ({"position": "left"}, "position"),
        ({"placed": "gold"}, "no class 'gold'"),
        ({"length": "ten"}, "no length"),
        ({"order": "random"}, "have"),
        ({"tokenizer": "no-such-tokenizer"}, "tokenizer"),
    ],
)
def test_what_cannot_be_is_a_mistake_of_usage(tmp_path, asked, says):
    with pytest.raises(UsageFault, match=says):
        mix_contexts(bench(tmp_path, False), tmp_path / "c.jsonl", **asked)


def test_a_folder_without_passages_says_how_to_get_them(tmp_path):
    with pytest.raises(UsageFault, match=r"no questions\.parquet or questions\.jsonl"):
        mix_contexts(tmp_path, tmp_path / "c.jsonl")
    bench(tmp_path, False)
    (tmp_path / "variants.jsonl").write_text("")
    with pytest.raises(UsageFault, match="rarefy perturb"):
        mix_contexts(tmp_path, tmp_path / "c.jsonl")
    (tmp_path / "variants.jsonl").write_text('{"variant_id": "v"}\n')
    with pytest.raises(UsageFault, match=r"variants\.jsonl:1: no 'question_id'"):
        mix_contexts(tmp_path, tmp_path / "c.jsonl")
    (tmp_path / "variants.jsonl").write_text("{\n")
    with pytest.raises(UsageFault, match=r"variants\.jsonl:1"):
        mix_contexts(tmp_path, tmp_path / "c.jsonl")
    (tmp_path / "variants.jsonl").write_text('{"variant_id": "\\ud800"}\n')
    with pytest.raises(UsageFault, match=r"variants\.jsonl:1: half a surrogate pair"):
        mix_contexts(tmp_path, tmp_path / "c.jsonl")
    with pytest.raises(UsageFault, match="there is no folder"):
        mix_contexts(tmp_path, tmp_path / "none" / "c.jsonl")
