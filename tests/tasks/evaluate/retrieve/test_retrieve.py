"""Hits of every wording by every retriever: which, how deep, in what order, and by retrievers of one's own."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk, Hits, Question, Variant
from rarefy.tasks.evaluate.retrieve import RETRIEVERS, Passages, Ranked, RetrieveConfig, Search, fuse_rankings, retrieve

VARIANTS = [
    Variant("v1", "q1", "query", "none", "net sales in fiscal 2024"),
    Variant("v2", "q1", "query", "typos", "nett sale in fiscal 2024"),
    Variant("v3", "q1", "query", "typos", "net sales in fiscal 2024", rejected_because="unchanged"),
    Variant("v4", "q1", "document", "shorter", "Net sales rose.", chunk_id="c1"),
    Variant("v5", "q2", "query", "lower_case", "net sales in fiscal 2024"),
    Variant("v6", "q2", "query", "none", "zebra"),
]


def question(name: str, **told: Any) -> Question:
    fields = {"pattern": "single", "text": f"{name}?", "answer": "8%", "aliases": (), "chunk_ids": ("c1",)} | told
    return Question(question_id=name, path_id="p", triplet_ids=(), evidence=(), evidence_spans=(), **fields)


def lengths(passages: Passages, config: RetrieveConfig, **_: Any) -> Search:
    """A retriever of one's own: passages by how far their length is from the query's."""

    def search(queries: Sequence[str], depth: int, /) -> Sequence[Ranked]:
        found = []
        for query in queries:
            away = {
                name: abs(len(text) - len(query)) for name, text in zip(passages.names, passages.texts, strict=True)
            }
            order = [name for _, name in sorted((far, name) for name, far in away.items())]
            found.append(Ranked(tuple(order), tuple(-float(away[name]) for name in order)))
        return found

    return search


def run(chunks: dict[str, Chunk], cache: Path, variants: Sequence[Variant] = VARIANTS, **told: Any) -> list[Hits]:
    questions = told.pop("questions", None)
    config = RetrieveConfig.model_validate({"retrievers": ("bm25",), "titled": False, **told})
    retrievers = config.connect(cache, threads=1)
    return list(retrieve(variants, config, chunks=chunks, retrievers=retrievers, questions=questions))


def test_only_kept_queries_are_searched_and_the_original_deeper(chunks: dict[str, Chunk], tmp_path: Path) -> None:
    hits = run(chunks, tmp_path, depth=8, depth_reworded=2, fetch=2, keep=1)
    assert [row.query_id for row in hits] == ["v1", "v2", "v5", "v6"]
    assert [len(row.chunk_ids) for row in hits] == [5, 2, 2, 0]
    assert hits[2].chunk_ids == hits[0].chunk_ids[:2] and hits[2].scores == hits[0].scores[:2]
    assert [row.best for row in hits] == [row.chunk_ids[:1] for row in hits]
    assert {row.reranker for row in hits} == {""}
    assert len({row.hits_id for row in hits}) == 4


def test_a_question_without_its_own_words_among_the_variants_is_searched_as_it_stands(
    chunks: dict[str, Chunk], tmp_path: Path
) -> None:
    questions = {
        "q1": question("q1"),
        "q3": question("q3", text="federal funds rate"),
        "q4": question("q4", rejected_because="unclear"),
    }
    hits = run(chunks, tmp_path, questions=questions)
    assert hits[-1].query_id == hits[-1].question_id == "q3" and hits[-1].chunk_ids == ("c3", "c4")
    assert [row.query_id for row in hits] == ["v1", "v2", "v5", "v6", "q3"]


def test_neither_the_order_of_rows_nor_their_number_nor_resuming_changes_a_hit(
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "of_lengths", SimpleNamespace(lengths=lengths))
    names = ("bm25", "of_lengths:lengths")
    told = {"retrievers": (*names, "hybrid"), "hybrid": {"of": names}}
    whole = run(chunks, tmp_path, **told)
    assert sorted(run(chunks, tmp_path, VARIANTS[::-1], **told), key=lambda row: row.hits_id) == sorted(
        whole, key=lambda row: row.hits_id
    )
    one_by_one = [row for variant in VARIANTS for row in run(chunks, tmp_path / "b", [variant], **told)]
    assert one_by_one == whole
    monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.BLOCK", 1)
    assert run(dict(reversed(chunks.items())), tmp_path, **told) == whole


def test_hybrid_fuses_deep_lists_of_retrievers_that_need_not_be_named(
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(RETRIEVERS, "lengths", lengths)
    monkeypatch.setattr("rarefy.tasks.evaluate.retrieve.config.FIXED", ("bm25", "elasticsearch", "hybrid", "lengths"))
    told = {"hybrid": {"of": ("bm25", "lengths"), "window": 8}, "depth": 8, "depth_reworded": 3, "fetch": 3}
    (alone, *_) = run(chunks, tmp_path, VARIANTS[:1], retrievers=("hybrid",), **told)
    lists = run(chunks, tmp_path, VARIANTS[:1], retrievers=("bm25", "lengths"), **told)
    expected = fuse_rankings([Ranked(row.chunk_ids, row.scores) for row in lists], 60)
    assert (alone.chunk_ids, alone.scores) == expected
    reworded = run(chunks, tmp_path, [VARIANTS[4]], retrievers=("hybrid",), **told)
    assert reworded[0].chunk_ids == alone.chunk_ids[:3]


def test_reciprocal_rank_fusion_gives_the_sums_of_its_paper() -> None:
    lists = [Ranked(("a", "b", "c"), (9.0, 8.0, 7.0)), Ranked(("c", "a"), (0.5, 0.4)), Ranked()]
    found = fuse_rankings(lists, 60)
    assert found.chunk_ids == ("a", "c", "b")
    assert found.scores == pytest.approx((1 / 61 + 1 / 62, 1 / 63 + 1 / 61, 1 / 62), abs=1e-9)
    assert fuse_rankings([Ranked(("b", "a"), (1.0, 1.0)), Ranked(("a", "b"), (1.0, 1.0))], 60).chunk_ids == ("a", "b")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "0 lists for 1 queries"),
        ([(("nobody",), (1.0,))], "'nobody', which is no chunk_id"),
        ([(("c1", "c1"), (2.0, 1.0))], "a passage twice"),
        ([(("c1", "c2"), (1.0, 2.0))], "scores must fall"),
        ([(("c1", "c2"), (1.0, float("nan")))], "scores must fall"),
        ([(("c1",), ())], "no pair of chunk_ids and scores"),
        ([5], "no pair of chunk_ids and scores"),
    ],
)
def test_a_retriever_of_ones_own_that_gives_no_ranking_is_told_so(
    chunks: dict[str, Chunk], monkeypatch: pytest.MonkeyPatch, found: Any, said: str, tmp_path: Path
) -> None:
    module = SimpleNamespace(make=lambda *_, **__: lambda queries, depth: found)
    monkeypatch.setitem(sys.modules, "of_ones_own", module)
    with pytest.raises(ValueError, match=f"retriever of_ones_own:make.*{said}"):
        run(chunks, tmp_path, VARIANTS[:1], retrievers=("of_ones_own:make",))


def test_an_empty_benchmark_is_said_to_be_empty(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no chunks to search"):
        run({}, tmp_path)


def test_the_presets_are_the_arrangements_of_their_papers() -> None:
    rare = RetrieveConfig(preset="rare")
    assert (rare.fetch, rare.keep, rare.rerank.model) == (5, 3, "cross-encoder/ms-marco-MiniLM-L-12-v2")
    assert RetrieveConfig.model_validate({"preset": "rare", "keep": 2}).keep == 2
    longer = RetrieveConfig.model_validate({"preset": "rare", "rerank": {"longest": 256}})
    assert (longer.rerank.longest, longer.rerank.model) == (256, rare.rerank.model)
    robust = RetrieveConfig(preset="retrieval_robustness")
    assert (robust.retrievers, robust.depth, robust.rerank.model) == (("bm25", "dense"), 100, "")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"retrievers": ("solr",)}, "no retriever 'solr'; have bm25, elasticsearch, hybrid, dense"),
        ({"retrievers": ("bm25", "bm25")}, "names one twice"),
        ({"hybrid": {"of": ("bm25", "hybrid")}}, "cannot hold hybrid itself"),
        ({"dense": [{}, {}]}, "need names of their own"),
        ({"dense": [{"name": "bm25"}]}, "need names of their own"),
        ({"keep": 6}, "keep = 6 must not exceed fetch = 5"),
        ({"fetch": 20}, "depth_reworded = 10"),
    ],
)
def test_a_config_that_cannot_be_meant_is_refused(told: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RetrieveConfig.model_validate(told)


def test_what_hits_hang_on_leaves_out_what_is_not_used() -> None:
    config = RetrieveConfig(retrievers=("bm25",))
    other = RetrieveConfig.model_validate(
        {"retrievers": ("bm25",), "dense": [{"index": "hnsw"}], "hybrid": {"constant": 1}}
    )
    assert config.identity() == other.identity()
    for told in (
        {"bm25": {"k1": 2}},
        {"depth": 50},
        {"titled": False},
        {"rerank": {"model": "x"}},
        {"retrievers": ("dense",)},
    ):
        assert RetrieveConfig.model_validate({"retrievers": ("bm25",), **told}).identity() != config.identity()
    assert hash(config) != hash(RetrieveConfig(depth=50))


def test_two_embedders_are_two_retrievers() -> None:
    config = RetrieveConfig.model_validate(
        {
            "retrievers": ("one", "other", "hybrid"),
            "hybrid": {"of": ("one", "bm25")},
            "dense": [{"name": "one"}, {"name": "other"}],
        }
    )
    assert config.connected() == ("one", "other", "bm25")
