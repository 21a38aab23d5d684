"""S2A's selection and SKR's check, read from what models say."""

import pytest

from rarefy.tasks.evaluate.systems.rag import RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.strategies import parse_need, parse_selection


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Selected Contexts: Context 2, Context 5.", [2, 5]),
        ("Selected Conetxts: Context 2, Context 5.", [2, 5]),  # B6: as the paper's template misspells it
        ("**Selected Contexts:** Context 5, Context 2", [2, 5]),
        ("selected context(s): 2 and 5", [2, 5]),
        ("Selected Context: Context 3", [3]),
        ("Selected Contexts: Contexts 2, 3 and 5", [2, 3, 5]),
        ("Selected Contexts: Context 2-4", [2, 3, 4]),
        ("Selected Contexts: [2], [5]", [2, 5]),
        ("Selected Contexts:\nContext 2\nContext 5", [2, 5]),
        ("Selected Contexts: Context 2 (it tells of 4 plants), Context 5", [2, 5]),
        ("Selected Contexts: Context 2 because 3 of its lines help", [2]),
        ("Selected Contexts: Context 2, Context 99", [2]),
        ("Selected Contexts: all", [1, 2, 3, 4, 5, 6]),
        ("Selected Contexts: None", []),
        ("Selected Conetxts: None.", []),
        ("There are no contexts that help.", []),
        ("<think>Selected Contexts: Context 1</think>Selected Contexts: Context 2", [2]),
        ("I would choose Context 4 here.", [4]),
        ("Selected Contexts: Context 99", None),
        ("The auditor is Deloitte.", None),
        ("", None),
    ],
)
def test_the_contexts_that_a_reply_selects(text, numbers):
    assert parse_selection(text, 6) == numbers


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("Yes, I need.", True),
        ("“Yes, I need.”", True),
        ("No, I don’t need.", False),
        ("No, I don't need additional information.", False),
        ("<think>Yes or no?</think>\nNo, I don't need.", False),
        ("I need more information.", True),
        ("I do not need any.", False),
        ("Deloitte", None),
        ("Perhaps", None),
        ("", None),
    ],
)
def test_whether_the_model_says_that_it_needs_passages(text, need):
    assert parse_need(text) is need


def asked(request):
    return "\n".join(message.content for message in request.messages)


def test_s2a_answers_from_the_selected_contexts_alone(scripted, ask):
    (said,) = rag(RagConfig(strategy="s2a"), scripted)([ask("Q1", "retrieval_robustness")])
    assert scripted.steps() == ["s2a", "passages"]
    assert "Deloitte" in asked(scripted.asked[1]) and "Oslo" in asked(scripted.asked[1])
    assert "47.5" not in asked(scripted.asked[1])
    assert said.detail == "s2a: 1, 3 of 3"


@pytest.mark.parametrize(
    ("option", "reply"), [("s2a_none", "Selected Conetxts: None"), ("s2a_unread", "The auditor is Deloitte.")]
)
def test_s2a_without_a_selection_goes_the_way_that_is_named(option, reply, scripted, ask, say):
    for way, steps in (("closed_book", ["s2a", "closed_book"]), ("passages", ["s2a", "passages"]), ("error", ["s2a"])):
        scripted.asked.clear()
        scripted.replies["s2a"] = say(reply)
        (said,) = rag(RagConfig(strategy="s2a", **{option: way}), scripted)([ask("Q1", "retrieval_robustness")])
        assert scripted.steps() == steps
        assert said.error == ("unparsable" if way == "error" else "")
        assert said.calls == len(steps)


@pytest.mark.parametrize(
    ("reply", "steps", "way"),
    [
        ("Yes, I need.", ["skr", "passages"], "skr: need"),
        ("No, I don't need.", ["skr", "closed_book"], "skr: no need"),
        ("Deloitte", ["skr", "passages"], "skr: unclear"),
    ],
)
def test_skr_shows_the_passages_where_they_are_needed(reply, steps, way, scripted, ask, say):
    scripted.replies["skr"] = say(reply)
    (said,) = rag(RagConfig(strategy="skr"), scripted)([ask("Q1", "magic_mushroom")])
    assert (scripted.steps(), said.detail) == (steps, way)
    assert not any(passage.text[:15] in asked(scripted.asked[0]) for passage in ask().passages)


def test_skr_that_is_not_clear_is_an_error_where_one_wants_it_so(scripted, ask, say):
    scripted.replies["skr"] = say("Deloitte")
    (said,) = rag(RagConfig(strategy="skr", skr_unclear="error"), scripted)([ask("Q1", "magic_mushroom")])
    assert (said.error, said.detail) == ("unparsable", "Deloitte")


def test_own_know_shows_the_first_answer_beside_the_passages(scripted, ask, say):
    scripted.replies["closed_book"] = say("Answer: Ernst & Young.")
    (said,) = rag(RagConfig(strategy="own_know"), scripted)([ask("Q1", "retrieval_robustness")])
    assert asked(scripted.asked[1]).endswith("Who audits Acme, Q1 ? Previous Answer: Ernst & Young.")
    assert said.text == "Deloitte Q1" and said.detail == "own_know: Ernst & Young."


def test_a_draft_that_cannot_be_read_is_shown_as_it_came(scripted, ask, say):
    scripted.replies["closed_book"] = say('{"city": "Rome"}')
    (said,) = rag(RagConfig(strategy="own_know"), scripted)([ask("Q1", "rare")])
    assert '"city": "Rome"' in asked(scripted.asked[1]) and not said.error
