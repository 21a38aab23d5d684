"""Every perturbation keeps what a question means, changes what its name says, and does so the same way each time."""

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Chunk, Question, Span
from rarefy.tasks import wordnet
from rarefy.tasks.perturb import DOCUMENT, PERTURBATIONS, QUERY, PerturbConfig, vary
from rarefy.tasks.perturb.word import reviewed
from rarefy.tasks.perturb.words import MEANT

# The stage.

CHUNKS = {
    name: Chunk(name, "d", 0, 90, "text", "", text, 20)
    for name, text in {
        "c1": "Apple Inc. is located in Cupertino. It makes phones. Its chief is Tim Cook.",
        "c2": "Tim Cook was born in Mobile. He likes football.",
    }.items()
}


def question_of(number: int, **more: object) -> Question:
    evidence = "Its chief is Tim Cook."
    start = CHUNKS["c1"].text.index(evidence)
    text = f"Who is the chief of the large company number {number} that makes phones?"
    spans = (Span("c1", start, start + len(evidence)),)
    question = Question(f"q{number}", "p", "single", text, "Tim Cook", (), ("t",), ("c1",), (evidence,), spans)
    return replace(question, **more)


def letters(texts):
    """Counts of letters stand in for an embedding."""
    return np.array([[t.lower().count(chr(97 + i)) + 0.01 for i in range(26)] for t in texts])


def test_the_question_itself_is_a_variant_and_each_perturbation_adds_one():
    variants = list(vary([question_of(1)], PerturbConfig(), chunks=CHUNKS, embed=letters))
    assert [(v.side, v.perturbation) for v in variants] == [
        ("query", "none"),
        ("query", "character"),
        ("query", "word"),
        ("document", "answer_deleted"),
    ]
    assert variants[0].text == question_of(1).text and variants[0].similarity == 1.0
    assert variants[3].text == "Apple Inc. is located in Cupertino. It makes phones." and variants[3].chunk_id == "c1"
    assert not any(v.rejected_because for v in variants)
    assert len({v.variant_id for v in variants}) == 4


def test_rejected_questions_get_no_variants():
    assert (
        list(vary([question_of(1, rejected_because="readable")], PerturbConfig(), chunks=CHUNKS, embed=letters)) == []
    )


def test_neither_order_nor_company_changes_a_variant():
    questions = [question_of(i) for i in range(5)]
    together = {v.variant_id: v for v in vary(questions, PerturbConfig(), chunks=CHUNKS, embed=letters)}
    for question in reversed(questions):
        for variant in vary([question], PerturbConfig(), chunks=CHUNKS, embed=letters):
            assert together[variant.variant_id] == variant


def test_what_stays_below_the_threshold_is_kept_marked_and_rejected():
    config = PerturbConfig(threshold=1.0, query=("character",), document=(), edits=("deletion",))
    asked: list[str] = []

    def embed(texts):
        asked.extend(texts)
        return letters(texts)

    _, variant = vary([question_of(1)], config, chunks=CHUNKS, embed=embed)
    assert variant.below_threshold and variant.rejected_because == "below_threshold"
    candidates = set(asked) - {question_of(1).text}
    assert variant.text in candidates and 1 < len(candidates) <= config.candidates
    original = letters([question_of(1).text])[0]
    cosines = {
        t: float(v @ original / np.linalg.norm(v) / np.linalg.norm(original))
        for t, v in zip(asked, letters(asked), strict=True)
    }
    assert variant.similarity == pytest.approx(max(cosines[t] for t in candidates), abs=1e-4)


def test_later_candidates_are_embedded_only_where_they_are_needed():
    asked: list[str] = []

    def embed(texts):
        asked.extend(texts)
        return letters(texts)

    list(vary([question_of(i) for i in range(10)], PerturbConfig(threshold=-1), chunks=CHUNKS, embed=embed))
    assert len(asked) <= 10 * 3  # originals, and first candidates of two perturbations


def test_a_question_without_a_replaceable_word_says_so():
    question = question_of(1, text="Who is Tim Cook?")
    variant = list(vary([question], PerturbConfig(query=("word",), document=()), chunks=CHUNKS, embed=letters))[1]
    assert (variant.rejected_because, variant.text) == ("no_candidate", question.text)


def test_a_chunk_that_cannot_be_changed_takes_the_others_of_its_question_with_it():
    question = question_of(1, chunk_ids=("c1", "c2"))
    made = [v for v in vary([question], PerturbConfig(query=()), chunks=CHUNKS, embed=letters) if v.side == "document"]
    assert {v.chunk_id: v.rejected_because for v in made} == {"c1": "other_chunk_rejected", "c2": "nothing_deleted"}


def test_an_outsiders_perturbation_is_found_by_name():
    config = PerturbConfig(query=("builtins:str",), document=())
    assert "character" in PERTURBATIONS and "answer_deleted" in DOCUMENT
    with pytest.raises(ValueError, match="no 'typo' here"):
        list(vary([question_of(1)], PerturbConfig(query=("typo",)), chunks=CHUNKS, embed=letters))
    assert config.query == ("builtins:str",)


@pytest.mark.parametrize("similarity", ["words", "embedding"])
def test_a_changed_chunk_is_like_its_original_but_not_the_same(similarity):
    config = PerturbConfig(query=(), document_similarity=similarity)
    variant = list(vary([question_of(1)], config, chunks=CHUNKS, embed=letters))[1]
    assert 0.5 < variant.similarity < 1
