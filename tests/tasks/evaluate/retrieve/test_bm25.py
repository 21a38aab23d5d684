"""BM25 in bm25s: Lucene's own scores, ties, what is kept on disk."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.analysis import Analysis, elasticsearch_analysis, stem
from rarefy.tasks.evaluate.retrieve.bm25 import TermScores, open_bm25, round_lengths
from rarefy.tasks.evaluate.retrieve.config import AnalysisConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.search import Passages, Search
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.text.quiet_bm25s import import_bm25s

# word:stem as Lucene 9.9.1's PorterStemFilter gives them (2026-11-21); the first are those of Porter's paper
STEMS = """caresses:caress ponies:poni ties:ti caress:caress cats:cat feed:feed agreed:agre plastered:plaster bled:bled
motoring:motor sing:sing conflated:conflat troubled:troubl sized:size hopping:hop tanned:tan falling:fall hissing:hiss
fizzed:fizz failing:fail filing:file happy:happi sky:sky relational:relat conditional:condit rational:ration
valenci:valenc hesitanci:hesit digitizer:digit conformabli:conform radicalli:radic differentli:differ vileli:vile
analogousli:analog vietnamization:vietnam predication:predic operator:oper feudalism:feudal decisiveness:decis
hopefulness:hope callousness:callous formaliti:formal sensitiviti:sensit sensibiliti:sensibl triplicate:triplic
formative:form formalize:formal electriciti:electr electrical:electr hopeful:hope goodness:good revival:reviv
allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust defensible:defens irritant:irrit
replacement:replac adjustment:adjust dependent:depend adoption:adopt homologou:homolog communism:commun activate:activ
angulariti:angular homologous:homolog effective:effect bowdlerize:bowdler probate:probat rate:rate cease:ceas
controll:control roll:roll liabilities:liabil securities:secur revenues:revenu earnings:earn depreciation:depreci
amortization:amort subsidiaries:subsidiari geologist:geologist analogy:analog apology:apolog yearly:yearli
employees:employe quarterly:quarterli outstanding:outstand banking:bank policies:polici equities:equiti
goodwill:goodwil yes:ye is:is as:as uses:us sensibly:sensibl ably:abli"""


def made(chunks: dict[str, Chunk], cache: Path, threads: int = 1, **told: Any) -> Search:
    config = RetrieveConfig.model_validate({"retrievers": ("bm25",), **told})
    return open_bm25(Passages(chunks, config.titled), config, cache=cache, threads=threads, means=InferenceContext())


def random_chunks(count: int) -> dict[str, Chunk]:
    """Passages of few words, so that many score alike, and of lengths that Lucene rounds."""
    drawn = np.random.default_rng(count)
    names = "rate board sales income cut fund year company segment report bank price tax loan risk".split()
    texts = [" ".join(drawn.choice(names, size=int(drawn.integers(0, 90)))) for _ in range(count)]
    return {f"n{at:05d}": Chunk(f"n{at:05d}", "d", 0, len(text), "text", "", text, 0) for at, text in enumerate(texts)}


@pytest.mark.parametrize("pair", STEMS.split())
def test_a_word_is_cut_as_lucene_cuts_it(pair: str) -> None:
    word, _, short = pair.partition(":")
    assert stem(word) == short


def test_scores_and_order_are_those_that_lucene_gave(
    chunks: dict[str, Chunk], lucene: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    found = made(chunks, tmp_path)(list(lucene), 100)
    for ranked, told in zip(found, lucene.values(), strict=True):
        assert list(ranked.chunk_ids) == list(told)
        assert ranked.scores == pytest.approx(list(told.values()), abs=1e-5)


def test_the_reference_of_these_tests_gives_what_lucene_gave(
    chunks: dict[str, Chunk], lucene: dict[str, dict[str, float]], reference: Callable[..., dict[str, float]]
) -> None:
    texts = {name: chunk.text for name, chunk in chunks.items()}
    for query, told in lucene.items():
        found = reference(texts, query, elasticsearch_analysis(AnalysisConfig()), 1.2, 0.75)
        assert list(found) == list(told)
        assert list(found.values()) == pytest.approx(list(told.values()), abs=1e-5)


@pytest.mark.parametrize("count", [60, 400])
@pytest.mark.parametrize("told", [{}, {"bm25": {"k1": 0.4, "b": 0.2}}, {"analysis": {"stemmer": "none"}}])
def test_random_passages_rank_as_by_bm25_written_out(
    count: int, told: dict[str, Any], reference: Callable[..., dict[str, float]], tmp_path: Path
) -> None:
    chunks = random_chunks(count)
    config = RetrieveConfig.model_validate(told)
    queries = ["the rate of sales", "income income tax", "banks reporting cuts", "risky funds and the year"]
    found = made(chunks, tmp_path, **told)(queries, 25)
    texts = {name: chunk.text for name, chunk in chunks.items()}
    for query, ranked in zip(queries, found, strict=True):
        plain = reference(texts, query, elasticsearch_analysis(config.analysis), config.bm25.k1, config.bm25.b)
        assert ranked.scores == pytest.approx(list(plain.values())[:25], abs=1e-5)
        assert all(plain[name] == pytest.approx(score, abs=1e-5) for name, score in zip(*ranked, strict=True))


@pytest.mark.parametrize("length", [0, 1, 23, 24, 39, 40, 41, 42, 57, 100, 333, 1_000, 70_000])
def test_lengths_are_rounded_as_lucene_rounds_them(length: int, request: pytest.FixtureRequest) -> None:
    # SmallFloat.byte4ToInt(intToByte4(length)), from Lucene's own table of 256 lengths
    table = {0: 0, 1: 1, 23: 23, 24: 24, 39: 39, 40: 40, 41: 40, 42: 42, 57: 56, 100: 96, 333: 312, 1_000: 984}
    expected = table.get(length, 65_560)
    assert round_lengths(np.array([length])).tolist() == [expected]


def test_a_short_list_is_the_beginning_of_a_long_one_and_ties_are_by_name(tmp_path: Path) -> None:
    chunks = random_chunks(3_000)
    search = made(chunks, tmp_path)
    (whole,) = search(["rate board sales"], 3_000)
    assert list(zip(whole.scores, whole.chunk_ids, strict=True)) == sorted(
        zip(whole.scores, whole.chunk_ids, strict=True), key=lambda pair: (-pair[0], pair[1])
    )
    assert len(set(whole.scores)) < len(whole.scores)
    for depth in (1, 2, 10, 77, 500):
        assert search(["rate board sales"], depth)[0] == whole.first(depth)


def test_the_shortcuts_for_many_passages_change_no_digit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chunks = random_chunks(2_000)
    queries = ["rate board sales", "income tax", "loan", "risk risk price of the zebra"] * 5
    plain = made(chunks, tmp_path)(queries, 40)
    monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.bm25.BOUNDED_FROM", 10)
    for common in (1, 10**9):  # every word as single places, every word as a whole row
        monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.bm25.COMMON_FRACTION", common)
        assert made(chunks, tmp_path)(queries, 40) == plain


def test_no_more_whole_rows_are_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.bm25.ROW_CACHE_BYTES", 4 * 10 * 2)
    columns = TermScores(
        np.ones(30, np.float32), np.tile(np.arange(10, dtype=np.int32), 3), np.array([0, 10, 20, 30]), 10
    )
    places, scores = columns.first([0, 1, 2], 4)
    assert places.tolist() == [0, 1, 2, 3] and scores.tolist() == [3, 3, 3, 3]
    assert len(columns._full) == 2


def test_bm25s_itself_reads_the_index_and_scores_alike(
    chunks: dict[str, Chunk], lucene: dict[str, dict[str, float]], tmp_path: Path
) -> None:
    import bm25s

    made(chunks, tmp_path)
    (place,) = (tmp_path / "indexes").iterdir()
    index = bm25s.BM25.load(place)
    analysis = Analysis(AnalysisConfig())
    for query, told in lucene.items():
        if told:
            scores = index.get_scores(analysis.words(query))
            assert {name: float(score) for name, score in zip(sorted(chunks), scores, strict=True) if score} == (
                pytest.approx(told, abs=1e-5)
            )


def test_a_passage_is_found_by_its_title_and_section_unless_that_is_turned_off(tmp_path: Path) -> None:
    told = {"title": "Acme annual report", "section": "Liquidity"}
    chunks = {
        "a": Chunk("a", "d", 0, 4, "text", told["section"], "Cash rose.", 0, title=told["title"]),
        "b": Chunk("b", "d", 0, 4, "text", "", "Cash fell.", 0),
    }
    assert [one.chunk_ids for one in made(chunks, tmp_path)(["Acme", "liquidity"], 5)] == [("a",), ("a",)]
    assert [one.chunk_ids for one in made(chunks, tmp_path, titled=False)(["Acme", "liquidity"], 5)] == [(), ()]


def test_an_index_is_made_once_and_again_where_it_was_damaged(
    chunks: dict[str, Chunk],
    lucene: dict[str, dict[str, float]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    import rarefy.tasks.evaluate.retrieve.bm25 as module

    counted = []
    real = module.build_bm25
    monkeypatch.setattr(module, "build_bm25", lambda *told: counted.append(1) or real(*told))
    first = made(chunks, tmp_path)(list(lucene), 10)
    assert made(dict(reversed(chunks.items())), tmp_path)(list(lucene), 10) == first
    assert counted == [1]
    (place,) = (tmp_path / "indexes").iterdir()
    damaged = place / "data.csc.index.npy"
    content = bytearray(damaged.read_bytes())
    content[-2] ^= 1
    damaged.write_bytes(bytes(content))
    with caplog.at_level(logging.WARNING):
        assert made(chunks, tmp_path)(list(lucene), 10) == first
    assert counted == [1, 1] and "data.csc.index.npy changed since it was written" in caplog.text
    (place / "vocab.index.json").unlink()
    assert made(chunks, tmp_path)(list(lucene), 10) == first
    assert counted == [1, 1, 1]


def test_other_passages_or_settings_are_another_index(chunks: dict[str, Chunk], tmp_path: Path) -> None:
    made(chunks, tmp_path)
    made({name: chunk for name, chunk in chunks.items() if name != "c1"}, tmp_path)
    made(chunks, tmp_path, bm25={"k1": 2.0})
    made(chunks, tmp_path, analysis={"stopwords": "none"})
    assert len(list((tmp_path / "indexes").iterdir())) == 4


def test_passages_without_a_word_and_words_beyond_ascii_stop_nothing(tmp_path: Path) -> None:
    texts = {"a": "", "b": "the of", "c": "Société Générale — 5 % Zinsen", "d": "x" * 500, "e": "\ud800 lone"}
    chunks = {name: Chunk(name, "d", 0, len(text), "text", "", text, 0) for name, text in texts.items()}
    found = made(chunks, tmp_path)(["société", "x" * 500, "zinsen 5", ""], 5)
    assert [one.chunk_ids for one in found] == [("c",), ("d",), ("c",), ()]
    only = {"b": chunks["b"]}
    assert made(only, tmp_path)(["of", "rate"], 5) == [((), ()), ((), ())]


@pytest.mark.parametrize("pattern", ["(", "(a)b", "a*"])
def test_a_pattern_that_is_no_word_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        AnalysisConfig(pattern=pattern)


def test_amounts_stay_whole() -> None:
    analysis = Analysis(AnalysisConfig())
    assert analysis.words("Sales were $1,234.50 (8.5%) in 2024, up.") == [
        "sale",
        "were",
        "1,234.50",
        "8.5",
        "2024",
        "up",
    ]


def test_the_package_does_not_log_what_it_does() -> None:
    import_bm25s()
    assert logging.getLogger("bm25s").getEffectiveLevel() == logging.WARNING
