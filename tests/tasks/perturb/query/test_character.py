"""Typing errors stay few, readable and out of what decides a question."""

import re
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.surface import character
from rarefy.tasks.perturb.query.words import MEANT, split_words
from rarefy.tasks.text import wordnet

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
CASES = st.builds(
    lambda q, s: Case("c", "query", q.format(s), entity=s), st.sampled_from(QUESTIONS), st.sampled_from(SUBJECTS)
)
SEEDS = st.integers(0, 10_000)


def first(case: Case, config: PerturbConfig, seed: int) -> str:
    return next(character(case, config, Random(seed))).text


def numbers_of(text: str) -> list[str]:
    return re.findall(r"\S*\d\S*", text)


def meant(text: str) -> list[str]:
    """What no typing error may touch."""
    found = re.findall(r"[\w-]+", text)
    return [w for w in found if w.lower() in MEANT or (w.isupper() and len(w) > 1) or len(w) < 3]


@given(case=CASES, seed=SEEDS)
@settings(max_examples=60, deadline=None)
def test_numbers_codes_and_words_that_decide_stay(case, seed):
    for draft in islice(character(case, PerturbConfig(), Random(seed)), 4):
        assert draft.text != case.text
        assert numbers_of(draft.text) == numbers_of(case.text)
        assert [w for w in meant(case.text) if w not in re.findall(r"[\w-]+", draft.text)] == []
        assert draft.text.count("?") == 1
        for move in draft.moves:
            assert case.text[move.start : move.end] == draft.text[move.at : move.at + move.end - move.start]


@given(case=CASES, seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_drafts_differ_and_come_the_same_each_time(case, seed):
    texts = [d.text for d in islice(character(case, PerturbConfig(), Random(seed)), 6)]
    assert len(set(texts)) == len(texts) > 1
    assert texts == [d.text for d in islice(character(case, PerturbConfig(), Random(seed)), 6)]


@given(
    case=CASES,
    seed=SEEDS,
    share=st.sampled_from([0.05, 0.1, 0.3]),
    share_of=st.sampled_from(["words", "characters"]),
)
@settings(max_examples=60, deadline=None)
def test_typing_errors_are_no_more_than_asked_for_and_make_no_other_word(case, seed, share, share_of):
    text = first(case, PerturbConfig(share=share, share_of=share_of), seed)
    before, after = case.text.split(), text.split()
    assert len(before) == len(after)
    wrong = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    letters = sum(c.isalnum() or c == "-" for c in case.text)
    assert 1 <= len(wrong) <= max(1, share * (len(before) if share_of == "words" else letters))
    for a, b in wrong:
        assert a.lstrip("“(")[0] == b.lstrip("“(")[0], "first letters stay"
        assert abs(len(a) - len(b)) <= 2
        core = re.sub(r"(['’]s)?\W*$", "", b).lstrip("“(")
        assert not wordnet.known(core)
    assert not any((set(b) - set(a)) & set("асеіјорѕхуһк") for a, b in wrong), "nobody sees a look-alike letter"


@pytest.mark.parametrize("edit", ["neighbour_key", "deletion", "swap", "homoglyph"])
def test_each_kind_of_typing_error_does_what_its_name_says(edit):
    kinds = ("deletion", edit) if edit == "homoglyph" else (edit,)
    before = "What does the manufacturing subsidiary produce there?"
    after = first(Case("c", "query", before), PerturbConfig(edits=kinds, share=1), 3)
    if edit == "deletion":
        assert len(after) < len(before)
    elif edit == "swap":
        assert sorted(after) == sorted(before)
    elif edit == "homoglyph":
        assert not after.isascii()
    else:
        assert len(after) == len(before) and after.isascii()


@pytest.mark.parametrize(
    "text", ["", " ", "?", "INTC", "Q3 2024?", "收入是多少？公司的名字叫什么呢", "ما هي إيرادات الشركة", "👩‍👩‍👧 👍"]
)
def test_where_nothing_may_be_touched_there_is_no_draft(text):
    assert list(character(Case("c", "query", text), PerturbConfig(), Random(0))) == []


def test_the_drafts_of_a_short_question_come_to_an_end():
    config = PerturbConfig(edits=("swap",))
    assert [d.text for d in character(Case("c", "query", "When?"), config, Random(0))] in (
        ["Wehn?", "Whne?"],
        ["Whne?", "Wehn?"],
    )


@pytest.mark.parametrize("text", ["word " * 200_000, "." * 1_000_000, "a" * 1_000_000, "“" * 500_000 + " x" * 200_000])
def test_a_megabyte_is_changed_or_left(text):
    made = next(character(Case("c", "query", text), PerturbConfig(share=0.01), Random(0)), None)
    assert made is None or (made.text != text and len(made.text) > len(text) / 2)


def test_words_know_their_quotes_possessives_and_joiners():
    found = {w.text: w for w in split_words("Apple’s “net sales” in FY-2024, of the companies' cafe\u0301s?")}
    assert found["Apple"].owns and found["companies"].owns
    assert not found["net"].plain and not found["sales"].plain
    assert found["FY-2024"].ends and not found["FY-2024"].plain
    assert not any(w.plain for text, w in found.items() if text.startswith("cafe"))
