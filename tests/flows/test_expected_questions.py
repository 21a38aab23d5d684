"""What is said beforehand of a corpus: how many questions the rules will find, from whole documents sampled."""

import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from rarefy.data_contracts.rows import Document
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.cli import main
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.config_check import model_faults
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run
from rarefy.flows.models import expected_questions
from rarefy.flows.models import expected_questions as expecting
from rarefy.flows.models.expected_questions import (
    ExpectedQuestions,
    clip_document,
    expect_questions,
    extrapolate,
    sample_documents,
)
from rarefy.tasks.sample import CORPUS
from rarefy.tasks.store.tables import Store

# What a default build of the sample corpus accepts; tests/test_golden.py reminds of what moves it.
ACCEPTED = {
    "single": 734, "chain": 58, "star": 55, "inverted_star": 5, "comparison": 76, "change": 654, "share": 198,
    "superlative": 40, "listing": 21, "absent": 66,
}  # fmt: skip
QUICK = Config.model_validate({"extract": {"methods": ("cover", "tables", "officers")}})


def still() -> float:
    """A clock that stands: no time runs out."""
    return 0.0


def begun(tmp_path: Path, corpus: Path, name: str = "store") -> tuple[Run, list]:
    """A run with the documents of a corpus read."""
    run = Run(Store(str(tmp_path / name)), ProgressBoard(Console(), True))
    return run, run.batch_documents(
        run.read_documents(stages.reading(QUICK), run.list_sources(str(corpus)), 0), 0, 1.0
    )[0]


@pytest.fixture(scope="session")
def sampled(tmp_path_factory):
    """The documents of the sample corpus."""
    run, parts = begun(tmp_path_factory.mktemp("sample"), CORPUS)
    rows = [row for part in parts for row in from_table(run.store.table(part["documents"]), Document)]
    return sorted(rows, key=lambda row: row.doc_id)


def test_the_forecast_of_the_whole_sample_corpus_is_near_what_its_build_accepts(sampled):
    made = extrapolate(sampled, len(sampled), len(sampled), Config(), still)
    assert made.documents == len(sampled) and not made.few
    for pattern, count in made.counts.items():
        assert ACCEPTED[pattern] / 2 <= count <= 2 * ACCEPTED[pattern]


def test_a_forecast_of_half_the_documents_says_twice_what_was_found_and_no_more_than_the_quota(sampled):
    quotas = {name: 40 if name == "change" else 100_000 for name in Config().graph.quotas}
    config = QUICK.model_copy(update={"graph": QUICK.graph.model_copy(update={"quotas": quotas})})
    filing = [row for row in sampled if row.facts][:1]
    once, twice = extrapolate(filing, 1, 1, config, still), extrapolate(filing, 1, 2, config, still)
    assert once.counts["single"] and 20 < once.counts["change"] <= 40  # of 40 that were drawn, those that were accepted
    assert twice.counts == {
        name: 40 if name == "change" else pytest.approx(2 * count) for name, count in once.counts.items()
    }


def test_the_same_documents_in_any_order_give_the_same_forecast(sampled):
    small = sorted(sampled, key=lambda row: len(row.text))[:3]
    assert extrapolate(small[::-1], 3, 3, Config(), still) == extrapolate(small, 3, 3, Config(), still)


def test_a_sample_keeps_to_its_size_and_hangs_little_on_a_new_document(tmp_path, monkeypatch):
    monkeypatch.setattr(expecting, "CHARACTERS", 400)
    store = Store(str(tmp_path / "store"))
    rows = [Document(f"d{n}", str(n), "a", "", "text/plain", "x" * 10) for n in range(200)]
    parts = [{"documents": store.keep(to_table([row], Document)), "rows": 1} for row in rows]
    (before, looked), (after, _) = (sample_documents(store, some) for some in (parts[::-1][1:], parts))
    assert looked == 40 and len(before) == 40
    assert len({row.doc_id for row in before} & {row.doc_id for row in after}) >= 39


def test_of_a_very_long_document_the_beginning_is_looked_at(sampled):
    longest = max(sampled, key=lambda row: len(row.text))
    short = clip_document(longest, 10_000)
    assert (
        len(short.text) == 10_000 and short.blocks and all(one.end <= 10_000 for one in (*short.blocks, *short.facts))
    )
    assert clip_document(longest, len(longest.text)) is longest


def test_what_time_does_not_allow_is_left_out_and_the_forecast_says_of_how_much(sampled):
    ticks = iter(range(10_000))
    made = extrapolate(sampled, len(sampled), len(sampled), QUICK, lambda: 3.0 * next(ticks))
    assert made.documents < len(sampled)
    assert (
        f"from {made.documents} of {len(sampled)} documents"
        in expected_questions.describe_expected(made, QUICK, "c")[0]
    )


def test_documents_with_the_same_text_count_once(tmp_path):
    corpus = tmp_path / "corpus"
    shutil.copytree(CORPUS, corpus)
    some = min(
        (path for path in corpus.iterdir() if path.suffix in (".md", ".txt")), key=lambda path: path.stat().st_size
    )
    for number in range(3):
        shutil.copy(some, corpus / f"again{number}{some.suffix}")
    run, parts = begun(tmp_path, corpus)
    found, looked = sample_documents(run.store, parts)
    assert looked == len(parts) == len(found) + 3


def test_of_very_many_parts_some_are_looked_at(tmp_path, monkeypatch):
    store = Store(str(tmp_path / "store"))
    rows = [Document(f"d{n}", str(n), "a", "", "text/plain", "Some text.") for n in range(20)]
    parts = [{"documents": store.keep(to_table([one], Document)), "rows": 1} for one in rows]
    monkeypatch.setattr(expected_questions, "PARTS", 5)
    found, looked = sample_documents(store, parts)
    assert len(found) == looked == 5


def test_an_expectation_is_one_line():
    made = ExpectedQuestions(3, 12, {"single": 271.4, "inverted_star": 1.2, "chain": 35, "star": 5})
    assert expected_questions.describe_expected(made, Config(), "filings") == [
        "about 310 questions: 270 single, 1 inverted star, 35 chain, 5 star (from 3 of 12 documents)"
    ]


def test_documents_that_give_no_question_are_counted_and_a_model_is_pointed_to(sampled):
    filing = [row for row in sampled if row.facts][:1]
    prose = [
        replace(
            filing[0], doc_id=f"p{n}", title="", text=f"Nobody spoke for {n} minutes.", blocks=(), facts=(), places=()
        )
        for n in range(2)
    ]
    made = extrapolate([*filing, *prose], 3, 3, QUICK, still)
    assert (made.documents, made.without) == (3, 2)
    _, more = expected_questions.describe_expected(made, QUICK, "c")
    assert more.startswith("2 of 3 documents looked at give no question. ") and "[llm]" in more


def test_next_to_nothing_is_said_with_the_exact_lines_that_name_a_model():
    made = ExpectedQuestions(16, 16, {"single": 0.0, "chain": 0.0})
    first, *more = expected_questions.describe_expected(made, Config(), "handbook/", "bench/")
    assert first == "next to nothing: no question by rules (from all documents)"
    text = "\n".join(more)
    written = text[text.index("[llm]") : text.index("\nand run")]
    config = Config.model_validate(tomllib.loads(written))
    assert not list(model_faults(config)) and config.extract.methods[-1] == "model"
    assert "prose" not in config.extract.methods and stages.extracting.asked(config) == {"llm": config.llm}
    assert "rarefy build handbook/ --out bench/ --config model.toml" in more
    assert any(line.startswith("export OPENAI_API_KEY=") for line in more)
    assert any(line.startswith("export OPENAI_BASE_URL=http://localhost") for line in more)
    assert more[-1].startswith("Or without a model, `rarefy perturb questions.jsonl")


def test_where_a_model_takes_part_the_rules_are_not_forecast(tmp_path):
    run, parts = begun(tmp_path, CORPUS)
    asked = Config.model_validate(tomllib.loads(expected_questions.model_toml(Config())))
    assert expect_questions(run, asked, parts) is None


@pytest.fixture
def prose(tmp_path):
    """A corpus of which the rules make nothing."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "how.md").write_text(
        "# How we work\n\nWe should talk more often. It helps. Ask whom you like.\n"
    )
    return tmp_path


def test_a_build_says_it_before_anything_is_made(api, prose, capsys):
    where = ["--out", str(prose / "out"), "--store", str(prose / "store")]
    main(["build", str(prose / "corpus"), *where])
    said = capsys.readouterr().err
    assert said.index("next to nothing") < said.index("chunk ")
    assert f"rarefy build {prose / 'corpus'} --out {prose / 'out'} --config model.toml" in said


def test_a_plan_says_it_too(api, prose, capsys):
    assert main(["plan", str(prose / "corpus"), "--store", str(prose / "store")]) == 0
    assert "next to nothing: no question by rules (from all documents)" in capsys.readouterr().out


def test_a_build_says_what_to_expect_once(copy, build):
    _, said = build(copy, store="fresh", out="fresh-out")
    assert said.count("expect            ") == 1
    _, said = build(copy, store="fresh", out="fresh-out")
    assert "expect " not in said


def test_a_quiet_build_takes_no_sample(copy, build, monkeypatch):
    monkeypatch.setattr(expecting, "extrapolate", None)
    assert build(copy, "--quiet", store="fresh", out="fresh-out") == (0, "")


def test_a_fault_in_a_sample_is_said_and_ends_no_build(copy, build, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(expecting, "_facts", broken)
    code, said = build(copy, store="fresh", out="fresh-out")
    assert code == 0 and "no forecast (ZeroDivisionError: a bug; while a sample was looked at: " in said
