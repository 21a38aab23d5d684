"""A cross-encoder over the first few: its own scores, whatever stands beside a pair, each pair once."""

from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Chunk, Variant
from rarefy.tasks.evaluate.retrieve import RetrieveConfig, retrieve
from rarefy.tasks.evaluate.retrieve.rerank import Reranker

PAIRS = [
    ("net sales in fiscal 2024", "Net sales rose 8% to $391,035 million in fiscal 2024."),
    ("federal funds rate", "Members agreed to maintain the target range."),
    ("sales", "sales sales sales sales"),
    ("segment income", " ".join(f"Segment reported operating income of {n} million" for n in range(40))),
]


def test_a_score_is_the_models_own_and_hangs_on_its_pair_alone(reranker: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    network = AutoModelForSequenceClassification.from_pretrained(reranker)
    tokenizer = AutoTokenizer.from_pretrained(reranker)
    scores = Reranker(str(reranker), 0, None)(PAIRS)
    for pair, score in zip(PAIRS, scores, strict=True):
        with torch.inference_mode():
            read = tokenizer(*pair, truncation=True, return_tensors="pt")
            assert score == pytest.approx(float(network(**read).logits[0, 0]), abs=1e-4)
        assert Reranker(str(reranker), 0, None)([pair]) == [score]
    assert Reranker(str(reranker), 0, None)(PAIRS[::-1]) == scores[::-1]
    assert len(set(scores)) == len(scores)


def test_a_pair_is_scored_once_and_remembered(reranker: Path, tmp_path: Path) -> None:
    first = Reranker(str(reranker), 0, tmp_path)
    scores = first([*PAIRS, PAIRS[0]])
    assert first.scored == len(PAIRS) and scores[0] == scores[-1]
    again = Reranker(str(reranker), 0, tmp_path)
    assert again(PAIRS) == scores[: len(PAIRS)] and again.scored == 0
    assert Reranker(str(reranker), 0, tmp_path)([]) == []


def test_it_reads_no_more_than_it_is_told_to(reranker: Path, tmp_path: Path) -> None:
    short = Reranker(str(reranker), 16, tmp_path)
    (one, other) = short([PAIRS[3], ("segment income", PAIRS[3][1] + " and more of it")])
    assert one == other
    assert short([PAIRS[3]]) != Reranker(str(reranker), 0, tmp_path)([PAIRS[3]])


def test_a_model_that_is_no_reranker_or_not_on_disk_is_refused(classifier: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="gives 3 numbers for a pair"):
        Reranker(str(classifier), 0, None)(PAIRS)
    with pytest.raises(ValueError, match="hf download"):
        RetrieveConfig.model_validate({"rerank": {"model": "nobody/has-this"}}).connect(tmp_path)


def test_what_is_left_is_the_rerankers_first_few_of_those_found(
    chunks: dict[str, Chunk], reranker: Path, tmp_path: Path
) -> None:
    config = RetrieveConfig.model_validate(
        {"preset": "rare", "retrievers": ["bm25"], "rerank": {"model": str(reranker)}, "titled": False}
    )
    retrievers = config.connect(tmp_path)
    (row,) = retrieve(
        [Variant("v1", "q1", "query", "none", "net sales of the company in the segment's region")],
        config,
        chunks=chunks,
        retrievers=retrievers,
    )
    assert row.reranker == str(reranker) and len(row.chunk_ids) == 5
    score = {
        name: Reranker(str(reranker), 0, None)([(row_text, chunks[name].text)])[0]
        for name in row.chunk_ids
        for row_text in ["net sales of the company in the segment's region"]
    }
    assert row.best == tuple(sorted(row.chunk_ids, key=lambda name: -score[name])[:3])
    assert row.best != row.chunk_ids[:3]
