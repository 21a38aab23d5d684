"""CRAG: three actions at two thresholds, and knowledge refined."""

import pytest

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.rag import RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.strategies import Strip, choose_action, refine_passages, split_strips


@pytest.mark.parametrize(
    ("best", "action"),
    [
        (1.0, "correct"),
        (0.5, "correct"),
        (0.4999, "ambiguous"),
        (0.0, "ambiguous"),
        (-0.91, "ambiguous"),
        (-0.9101, "incorrect"),
        (-1.0, "incorrect"),
    ],
)
def test_the_thresholds_of_magic_mushroom(best, action):
    config = RagConfig()
    assert (config.crag_correct, config.crag_incorrect) == (0.5, -0.91)
    assert choose_action(best, config.crag_correct, config.crag_incorrect) == action


def asked(request):
    return "\n".join(message.content for message in request.messages)


def answered(ask, scripted, ratings, protocol="magic_mushroom", **config):
    def rate(query, texts):
        return [next(score for words, score in ratings.items() if words in text) for text in texts]

    (said,) = rag(RagConfig(strategy="crag", **config), scripted, rate=rate)([ask("Q1", protocol)])
    return said


def test_one_correct_passage_is_enough_and_what_does_not_help_is_left_out(ask, scripted):
    said = answered(ask, scripted, {"Deloitte": 0.8, "$47.5": -0.7, "Oslo": -1.0}, crag_strip_least=-0.5)
    assert said.detail == "crag: correct (0.80)"
    assert "Deloitte" in asked(scripted.asked[0])
    assert "$47.5" not in asked(scripted.asked[0]) and "Oslo" not in asked(scripted.asked[0])
    assert "Acme 10-K 2024" in asked(scripted.asked[0]), "what is left of a passage stays under its title"


def test_ambiguous_passages_are_shown_refined(ask, scripted):
    said = answered(ask, scripted, {"Deloitte": 0.1, "$47.5": -0.4, "Oslo": -0.95}, crag_strips=2)
    assert said.detail == "crag: ambiguous (0.10)"
    assert "$47.5" in asked(scripted.asked[0]) and "Oslo" not in asked(scripted.asked[0])


def test_where_all_are_incorrect_the_model_answers_from_its_own_knowledge(ask, scripted):
    said = answered(ask, scripted, {"": -0.95})
    assert said.detail == "crag: incorrect (-0.95)"
    assert scripted.steps() == ["closed_book"]


def test_or_refuses_in_the_protocols_words_without_being_asked(ask, scripted):
    said = answered(ask, scripted, {"": -0.95}, crag_instead_of_web="refuse")
    assert (said.text, said.calls, scripted.asked) == ("I cannot answer the question.", 0, [])


def test_a_protocol_that_forbids_refusal_is_answered_all_the_same(ask, scripted):
    said = answered(ask, scripted, {"": -0.95}, "retrieval_robustness", crag_instead_of_web="refuse")
    assert said.text == "Deloitte Q1" and scripted.steps() == ["closed_book"]


def test_all_ambiguous_and_no_strip_good_enough_leaves_the_best_one(ask, scripted):
    answered(ask, scripted, {"Deloitte": -0.8, "": -0.9}, crag_strip_least=-0.5)
    assert "Deloitte" in asked(scripted.asked[0]) and "$47.5" not in asked(scripted.asked[0])


TEXT = "One is here. Two is there. Three is red. Four is blue. Five is last."


def test_a_passage_is_decomposed_by_sentences_and_nothing_is_lost():
    parts = ["One is here. Two is there.", "Three is red. Four is blue.", "Five is last."]
    assert split_strips(TEXT, 2) == [("", part) for part in parts]
    assert split_strips("one line", 3) == [("", "one line")]
    assert split_strips("", 3) == [("", "")]


TABLE = "| | 2024 | 2023 |\n|---|---|---|\n| Sales | 9 | 8 |\n| Costs | 5 | 4 |\n| Taxes | 1 | 1 |"


def test_rows_of_a_table_go_with_its_head():
    """A row without the years above it says nothing."""
    head = "| | 2024 | 2023 |\n|---|---|---|"
    text = f"In millions.\n\n{TABLE}\nThat is all. Really."
    assert split_strips(text, 2) == [
        ("", "In millions."),
        (head, "| Sales | 9 | 8 |\n| Costs | 5 | 4 |"),
        (head, "| Taxes | 1 | 1 |"),
        ("", "That is all. Really."),
    ]
    strips = [Strip(0, part, above) for above, part in split_strips(text, 1)]
    assert [strip.text for strip in strips][1:4] == ["| Sales | 9 | 8 |", "| Costs | 5 | 4 |", "| Taxes | 1 | 1 |"]
    (kept,) = refine_passages((Passage("a", text),), strips, [0.0, 0.9, 0.0, 0.8, 0.0, 0.0], RagConfig(crag_strips=2))
    assert kept.text == f"{head}\n| Sales | 9 | 8 |\n| Taxes | 1 | 1 |", "the head once"


def test_a_long_row_of_marks_takes_no_time():
    text = "|" + "-|" * 20_000 + "\n" + "| - " * 20_000 + "\n|x\n"
    lost = set(text.split()) - {word for strip in split_strips(text, 3) for part in strip for word in part.split()}
    assert not lost


def test_the_best_strips_are_put_together_in_their_order():
    passages = (Passage("a", TEXT, "A"), Passage("b", TEXT, "B"))
    strips = [Strip(place, text) for place in range(2) for _, text in split_strips(TEXT, 1)]
    rated = [0.9, 0.1, 1.0, 0.0, -1.0, 0.2, 0.3, 0.95, 0.4, 0.5]
    kept = refine_passages(passages, strips, rated, RagConfig(crag_strips=3))
    assert kept == (Passage("a", "One is here.\nThree is red.", "A"), Passage("b", "Three is red.", "B"))


def test_a_passage_may_be_rated_as_a_whole(ask, scripted):
    def rate(query, texts):
        return [0.9 if "since 2001" in text and "Deloitte" in text else -0.95 for text in texts]

    for rates, action in (("passages", "correct"), ("strips", "incorrect")):
        config = RagConfig(strategy="crag", crag_strip_sentences=1, crag_rates=rates)
        (said,) = rag(config, scripted, rate=rate)([ask("Q1", "magic_mushroom")])
        assert said.detail.startswith(f"crag: {action}")
