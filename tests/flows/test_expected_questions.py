"""What is said beforehand of a corpus: how many questions the rules will find, from whole documents sampled."""

import random
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from rarefy.data_contracts.rows import Document
from rarefy.data_contracts.tables import to_table
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
    Outline,
    Range,
    choose_documents,
    clip_document,
    expect_questions,
    extrapolate,
)
from rarefy.tasks.sample import CORPUS
from rarefy.tasks.store.tables import Store

# What a default build of the sample corpus accepts; tests/test_golden.py reminds of what moves it.
ACCEPTED = {
    "single": 804, "chain": 60, "star": 11, "inverted_star": 5, "comparison": 382, "change": 483, "share": 151,
    "superlative": 64, "listing": 94, "absent": 70,
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


def outline(number: int, issuer: str = "", size: int = 100, kind: str = "finance 10-K") -> Outline:
    """A document of text alone, so that its work is its size."""
    return Outline(number, 0, f"d{number:03}", issuer or f"issuer {number}", kind, 0, size)


@pytest.fixture(scope="session")
def sampled(tmp_path_factory):
    """The sample corpus, read, with the outlines of its documents and the documents."""
    run, parts = begun(tmp_path_factory.mktemp("sample"), CORPUS)
    seen, times = expected_questions.outlines(run.store, parts, expected_questions.sample_parts(parts))
    assert times == 1.0
    return seen, expected_questions.load_documents(run.store, parts, seen, expecting.MOST)


def test_the_forecast_of_the_sample_corpus_is_near_what_its_build_accepts(sampled):
    seen, documents = sampled
    made = extrapolate(seen, 1.0, documents, Config(), len(seen), still)
    assert ACCEPTED["single"] / 2 <= made.single <= 2 * ACCEPTED["single"]
    for pattern, one in made.multi.items():
        assert one.low <= ACCEPTED[pattern] <= one.high and one.low <= one.likely <= one.high
    assert not made.few


def test_nothing_is_uncertain_where_the_sample_is_the_whole_corpus(sampled):
    seen, documents = sampled
    filing = [row for row in documents if row.doc_id == min(row.doc_id for row in documents if row.facts)]
    own = [one for one in seen if one.doc_id == filing[0].doc_id]
    made = extrapolate(own, 1.0, filing, Config(), 1, still)
    assert made.single and all(one.low == one.likely == one.high for one in made.multi.values())


def test_a_forecast_of_half_the_documents_says_twice_what_was_found(sampled):
    seen, documents = sampled
    once = extrapolate(seen, 1.0, documents, QUICK, len(seen), still)
    twice = extrapolate(seen, 2.0, documents, QUICK, 2 * len(seen), still)
    assert twice.single == pytest.approx(2 * once.single)
    assert all(twice.multi[name].likely == pytest.approx(2 * once.multi[name].likely) for name in once.multi)
    assert all(twice.multi[name].low <= twice.multi[name].likely < twice.multi[name].high for name in once.multi)


def test_the_same_documents_in_any_order_give_the_same_forecast(sampled):
    seen, documents = sampled
    small = sorted(documents, key=lambda row: len(row.text))[:3]
    own = [one for one in seen if one.doc_id in {row.doc_id for row in small}]
    first = extrapolate(own, 1.0, small, Config(), 3, still)
    assert extrapolate(own[::-1], 1.0, small[::-1], Config(), 3, still) == first


def test_a_sample_has_all_documents_of_an_entity_and_keeps_to_its_budget():
    seen = [outline(number, f"issuer {number // 3}") for number in range(300)]
    chosen = choose_documents(seen, 3_000)
    by_issuer = {one.issuer for one in chosen}
    assert all(one in chosen for one in seen if one.issuer in by_issuer)
    assert 2_000 <= sum(one.size for one in chosen) <= 1.25 * 3_000


def test_a_sample_hangs_neither_on_order_nor_much_on_a_new_document():
    seen = [outline(number, size=50 + number) for number in range(200)]
    shuffled = random.Random(7).sample(seen, len(seen))
    assert choose_documents(shuffled, 4_000) == choose_documents(seen, 4_000)
    before, after = set(choose_documents(seen, 4_000)), set(choose_documents([*seen, outline(900)], 4_000))
    assert len(before & after) > 0.8 * len(before)


def test_each_kind_of_document_is_in_the_sample():
    seen = [outline(n) for n in range(50)] + [outline(n, kind="policy text/markdown") for n in range(50, 60)]
    assert {one.kind for one in choose_documents(seen, 1_000)} == {"finance 10-K", "policy text/markdown"}


def test_an_entity_with_more_than_the_budget_is_sampled_by_documents():
    seen = [outline(number, "Federal Open Market Committee") for number in range(100)]
    assert 5 <= len(choose_documents(seen, 1_000)) <= 13


def test_tables_count_as_the_work_they_are():
    seen = [Outline(number, 0, f"d{number:03}", f"issuer {number}", "10-K", 50, 50) for number in range(100)]
    assert len(choose_documents(seen, 9_000)) < 0.3 * len(
        choose_documents([outline(number) for number in range(100)], 9_000)
    )


def test_a_small_corpus_is_its_own_sample():
    seen = [outline(number) for number in range(5)]
    assert choose_documents(seen, 500) == seen


def test_of_a_very_long_document_the_beginning_is_looked_at(sampled):
    _, documents = sampled
    longest = max(documents, key=lambda row: len(row.text))
    short = clip_document(longest, 10_000)
    assert (
        len(short.text) == 10_000 and short.blocks and all(one.end <= 10_000 for one in (*short.blocks, *short.facts))
    )
    assert clip_document(longest, len(longest.text)) is longest


def test_what_time_does_not_allow_is_left_out_and_the_forecast_says_of_how_much(sampled):
    seen, documents = sampled
    ticks = iter(range(10_000))
    made = extrapolate(seen, 1.0, documents, QUICK, len(seen), lambda: 3.0 * next(ticks))
    assert made.documents < len(seen)
    assert (
        f"from {made.documents} of {len(seen)} documents" in expected_questions.describe_expected(made, QUICK, "c")[0]
    )


def test_documents_with_the_same_text_count_once(tmp_path):
    corpus = tmp_path / "corpus"
    shutil.copytree(CORPUS, corpus)
    some = min(
        (path for path in corpus.iterdir() if path.suffix in (".md", ".txt")), key=lambda path: path.stat().st_size
    )
    run, parts = begun(tmp_path, corpus, "one")
    once, _ = expected_questions.outlines(run.store, parts, expected_questions.sample_parts(parts))
    for number in range(3):
        shutil.copy(some, corpus / f"again{number}{some.suffix}")
    run, parts = begun(tmp_path, corpus, "two")
    again, times = expected_questions.outlines(run.store, parts, expected_questions.sample_parts(parts))
    assert len(parts) == len(once) + 3 and len(again) == len(once) and times == 1.0


def test_of_very_many_parts_some_are_looked_at_and_count_for_all(tmp_path, monkeypatch):
    store = Store(str(tmp_path / "store"))
    row = Document("a", "0", "a", "", "text/plain", "Some text.")
    rows = [replace(row, doc_id=f"d{n}", content_hash=str(n)) for n in range(20)]
    parts = [{"documents": store.keep(to_table([one], Document)), "rows": 1} for one in rows]
    monkeypatch.setattr(expected_questions, "PARTS", 5)
    seen, times = expected_questions.outlines(store, parts, expected_questions.sample_parts(parts))
    assert len(seen) == 5 and times == 4.0


def test_an_expectation_is_one_line():
    multi = {"inverted_star": Range(0, 1, 3.2), "chain": Range(18.7, 35, 61), "star": Range(5, 5, 5)}
    made = ExpectedQuestions(3, 12, 1_000_000, 271.4, multi)
    assert expected_questions.describe_expected(made, Config(), "filings") == [
        "about 310 questions: 270 single, 0 to 3 inverted star, 19 to 61 chain, 5 star (from 3 of 12 documents)"
    ]


def test_next_to_nothing_is_said_with_the_exact_lines_that_name_a_model():
    made = ExpectedQuestions(16, 16, 97_598, 0.0, {"chain": Range(0, 0, 3)})
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
