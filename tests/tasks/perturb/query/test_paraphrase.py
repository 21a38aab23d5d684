"""Paraphrases of questions."""

from random import Random

import pytest

from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.paraphrase import paraphrase

CONFIG = PerturbConfig()
QUESTIONS = [
    "What was Apple Inc.'s revenue in fiscal year 2024, in millions of US dollars?",
    "Who founded Apple in 1976?",
    "In fiscal year 2023, what was the cost of products sold, in millions of US dollars, of the company whose chief "
    "human resources officer is Balaji Purushothaman?",
]


def drafts(text: str, entity: str = "") -> list[str]:
    return [draft.text for draft in paraphrase(Case(text, "query", text, entity=entity), CONFIG, Random(text))]


def test_a_question_for_a_measure_has_five_paraphrases():
    assert len(drafts(QUESTIONS[0])) >= 5 and len(drafts(QUESTIONS[2])) >= 5


@pytest.mark.parametrize("question", QUESTIONS)
def test_paraphrases_differ_are_the_same_each_time_and_keep_every_fact(question):
    found = drafts(question)
    assert found and question not in found and len(set(found)) == len(found)
    assert found == drafts(question)
    for draft in paraphrase(Case("x", "query", question), CONFIG, Random(1)):
        assert CHECKS["same_facts"](Case("x", "query", question), draft) == "", draft.text


def test_words_of_the_entity_stay():
    assert all("Customer" in text for text in drafts("Who founded Customer Relations in 1976?", "Customer Relations"))


@pytest.mark.parametrize(
    "text", ["", "  ", "Revenue", "a\nb?", "What " * 300 + "?", "\\\"'{}|?", "\u200bמה?", "x" * 1_000_000]
)
def test_what_is_no_question_gives_nothing(text):
    assert drafts(text) == []
