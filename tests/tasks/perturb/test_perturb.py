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

SUBJECTS = ["NVIDIA Corporation", "Apple Inc.", "The Coca-Cola Company", "JPMorgan Chase & Co."]
QUESTIONS = [
    "What was {0}'s Data Center revenue in fiscal year 2024?",
    "How many shareholders of record did {0} have as of January 26, 2025?",
    "Which customers accounted for 10% or more of {0}'s net sales (in millions) in fiscal 2023?",
    "What percentage of total revenue did {0} spend on research and development for the year ended June 30, 2024?",
    "In which state is the company that purchased Activision for $68.7 billion located?",
    "How large was the basic net income per share of {0}, traded as NVDA, before the four-for-one split of 2021?",
    "Under 24 CFR § 880.205, who is allowed to choose the auditor of {0}'s “annual report”?",
]
TEXTS = st.builds(lambda q, s: Question("q", "p", "single", q.format(s), "x", (), (), (), (), (), entity=s),
                  st.sampled_from(QUESTIONS), st.sampled_from(SUBJECTS))  # fmt: skip
SEEDS = st.integers(0, 10_000)


def numbers_of(text: str) -> list[str]:
    return re.findall(r"\S*\d\S*", text)


def kept(text: str) -> list[str]:
    """What no perturbation of a question may touch."""
    words = re.findall(r"[\w-]+", text)
    return [w for w in words if w.lower() in MEANT or (w.isupper() and len(w) > 1) or len(w) < 3]


@pytest.mark.parametrize("name", QUERY)
@given(question=TEXTS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_a_changed_question_differs_and_keeps_numbers_codes_and_words_that_decide(name, question, seed):
    config = PerturbConfig()
    text = QUERY[name](question, config, Random(seed))
    assert text == QUERY[name](question, config, Random(seed))
    if not text:
        assert name == "word"
        return
    assert text != question.text
    assert numbers_of(text) == numbers_of(question.text)
    assert [w for w in kept(question.text) if w not in re.findall(r"[\w-]+", text)] == []
    assert text.count("?") == 1
    assert "“annual report”" in text or "“" not in question.text or name == "character"


@given(
    question=TEXTS,
    seed=SEEDS,
    share=st.sampled_from([0.05, 0.1, 0.3]),
    share_of=st.sampled_from(["words", "characters"]),
)
@settings(max_examples=60, deadline=None)
def test_typing_errors_are_no_more_than_asked_for_and_make_no_other_word(question, seed, share, share_of):
    text = QUERY["character"](question, PerturbConfig(share=share, share_of=share_of), Random(seed))
    before, after = question.text.split(), text.split()
    assert len(before) == len(after)
    wrong = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    letters = sum(c.isalnum() or c == "-" for c in question.text)
    assert 1 <= len(wrong) <= max(1, share * (len(before) if share_of == "words" else letters))
    for a, b in wrong:
        assert a.lstrip("“(")[0] == b.lstrip("“(")[0], "first letters stay"
        assert abs(len(a) - len(b)) <= 2
        core = re.sub(r"(['’]s)?\W*$", "", b).lstrip("“(")
        assert not wordnet.known(core)
    assert any(not set(b) & set("асеіјорѕхуһк") for a, b in wrong), "a look-alike letter alone would be invisible"


@given(question=TEXTS, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_synonyms_leave_names_alone(question, seed):
    text = QUERY["word"](question, PerturbConfig(), Random(seed))
    if text:
        assert question.text.count(question.entity) == text.count(question.entity)
        capitals = re.findall(r"\b[A-Z]\w+", question.text)
        assert [c for c in re.findall(r"\b[A-Z]\w+", text) if c != "CEO"] == [c for c in capitals if c != "CEO"]


@pytest.mark.parametrize("edit", ["neighbour_key", "deletion", "swap", "homoglyph"])
def test_each_kind_of_typing_error_does_what_its_name_says(edit):
    kinds = ("deletion", edit) if edit == "homoglyph" else (edit,)
    question = Question(
        "q", "p", "single", "What does the manufacturing subsidiary produce there?", "x", (), (), (), (), ()
    )
    before, after = question.text, QUERY["character"](question, PerturbConfig(edits=kinds, share=1), Random(3))
    if edit == "deletion":
        assert len(after) < len(before)
    elif edit == "swap":
        assert sorted(after) == sorted(before)
    elif edit == "homoglyph":
        assert not after.isascii()
    else:
        assert len(after) == len(before) and after.isascii()


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("What was its income in fiscal year 2024?", "What was its income in financial year 2024?"),
        ("What did shareholders' equity amount to?", "What did stockholders' equity amount to?"),
        ("Which manufacturers does it own?", "Which makers does it own?"),
        ("Where is an annual fee due?", "Where is a yearly fee due?"),
        ("When did Tesla purchase it?", "When did Tesla buy it?"),
        ("Which units were purchased there?", "Which units were bought there?"),
        ("What percentage of it was sold?", "What {share|portion} of it was sold?"),
    ],
)
def test_a_synonym_takes_the_form_of_the_word(text, changed):
    question = Question("q", "p", "single", text, "x", (), (), (), (), ())
    made = {QUERY["word"](question, PerturbConfig(), Random(seed)) for seed in range(8)}
    head, _, rest = changed.partition("{")
    options, _, tail = rest.partition("}")
    assert made == {head + o + tail for o in options.split("|")}


@pytest.mark.parametrize(
    "text",
    [
        "What was the net revenue?",
        "What was the gross margin percentage?",
        "What was the net cash provided by operating activities?",
        "What were total current assets?",
        "What was the basic loss per share?",
        "What were the customer relationships worth?",
        "What is the “annual rent”?",
        "Who audits it?",
        "Which one has operating segment Asia?",
        "What were Apple's finished goods?",
        "What was the assisted rent?",
        "Which wholly owned unit is it?",
    ],
)
def test_no_synonym_is_better_than_a_wrong_one(text):
    question = Question("q", "p", "single", text, "x", (), (), (), (), ())
    assert QUERY["word"](question, PerturbConfig(), Random(0)) == ""


def test_every_reviewed_pair_is_one_of_wordnets():
    for (lemma, pos), allowed in reviewed().items():
        assert allowed.synonyms <= set(wordnet.synonyms(lemma, pos)), lemma


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
