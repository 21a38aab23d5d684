import pytest

from rarefy.tasks.evaluate.systems.extractive.phrases import (
    WEIGHTS,
    best_phrase,
    find_phrases,
    parse_slot,
    phrase_features,
)
from rarefy.tasks.evaluate.systems.extractive.question import parse_question
from rarefy.tasks.text.syntax.tree import tag_words

# each made up for this test: (sentence, question, the whole answer)
ANSWERS = [
    ("The museum was designed by Karen Holt and opened in spring.", "Who designed the museum?", "Karen Holt"),
    ("The town of Velm is known for its glass bells.", "What is Velm known for?", "glass bells"),
    ("In 1902 the Danish architect Nils Brandt drew the tower.", "Which architect drew the tower?", "Nils Brandt"),
    ("The workshop moved to Lisbon, Portugal after the fire.", "Where did the workshop move?", "Lisbon, Portugal"),
    ('The ship was renamed "Morning Star" by its owner.', "What was the ship renamed?", "Morning Star"),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "question", "answer"), ANSWERS)
def test_the_phrase_that_stands_where_the_question_has_its_gap_answers(sentence, question, answer):
    found = best_phrase(sentence, parse_question(question))
    assert found is not None and found[0] == answer


def test_a_gap_is_what_is_asked_for_and_on_which_side_of_the_verb_it_stands():
    assert parse_slot("Which architect designed the tower?").noun == "architect"
    assert parse_slot("Which architect designed the tower?").after == "design"
    assert parse_slot("What did she buy?").before == "buy"
    assert parse_slot("What are the products of Acme?").many and not parse_slot("What is the product of Acme?").many
    assert parse_slot("Name a luxury division of Toyota.") == parse_slot("")


def test_what_the_question_said_itself_is_no_answer():
    assert best_phrase("Karen Holt met Karen Holt.", parse_question("What did Karen Holt do to Karen Holt?")) is None


def test_phrases_are_a_bounded_number_for_each_word():
    def count(times: int) -> int:
        return len(
            find_phrases(tag_words("The old mill and the new bridge of the town were sold. " * times), frozenset())
        )

    one, two, four = count(1), count(2), count(4)
    assert one < two < four <= 5 * one


def test_every_feature_has_its_weight():
    words = tag_words("The firm sells pumps.")
    for one in find_phrases(words, frozenset()):
        assert len(phrase_features(words, one, "any", {}, parse_slot("What does the firm sell?"))) == len(WEIGHTS)


def test_a_sentence_without_words_or_too_long_has_no_phrase():
    want = parse_question("Who designed the museum?")
    assert best_phrase("", want) is None
    assert best_phrase("x " * 5_000, want) is None
