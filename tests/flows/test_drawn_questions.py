"""Which questions an evaluation of so many asks: of each kind in turn, and the same ones every time."""

import random
from collections import Counter

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.flows.engine.benchmark_folder import draw_questions

# As the sample corpus has them
HELD = {
    "single": 744, "chain": 10, "star": 71, "inverted_star": 2, "comparison": 330, "change": 480, "share": 170,
    "superlative": 130, "listing": 63, "absent": 93,
}  # fmt: skip
QUESTIONS = [
    Question(f"{kind}-{n}", "p", kind, "?", "", (), (), (), (), ()) for kind, many in HELD.items() for n in range(many)
]


@pytest.mark.parametrize("most", [10, 40, 100, 300, 500, 1_000])
def test_no_kind_has_more_than_a_fifth_of_what_is_drawn(most):
    drawn = draw_questions(QUESTIONS, most)
    assert len(drawn) == most
    assert max(Counter(question.pattern for question in drawn).values()) <= most / 5


def test_a_larger_draw_contains_a_smaller_one_in_any_order_of_rows():
    shuffled = random.Random(3).sample(QUESTIONS, len(QUESTIONS))
    assert draw_questions(shuffled, 200) == draw_questions(QUESTIONS, 200) == draw_questions(QUESTIONS, 900)[:200]


def test_where_all_are_drawn_none_is_left_out():
    assert {one.question_id for one in draw_questions(QUESTIONS, 10_000)} == {one.question_id for one in QUESTIONS}


def test_a_benchmark_of_one_kind_is_drawn_from_that():
    assert len(draw_questions([one for one in QUESTIONS if one.pattern == "single"], 50)) == 50
