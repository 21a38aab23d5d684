"""The answer in a reply, as each kind of prompt asks for it."""

import json

import pytest

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.evaluate.systems.rag import RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.reply_parsing import READERS, contains_words, strip_thoughts

REFUSAL = "no such info"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: Hong Kong.", "Hong Kong."),
        ("**Answer:** Hong Kong", "Hong Kong"),
        ("**Final Answer**: Hong Kong", "Hong Kong"),
        ("The answer is: Hong Kong", "Hong Kong"),
        ("answer：香港", "香港"),
        ("Question: What city is Kowloon a part of? Answer: Hong Kong", "Hong Kong"),
        ("Question: Who? Previous Answer: Paris. Answer: Hong Kong", "Hong Kong"),
        ("Answer: Hong Kong\n\nExplanation: Kowloon is one of its districts.", "Hong Kong"),
        ("Answer: Hong Kong\nQuestion: What is the capital of Italy?\nAnswer: Rome", "Hong Kong"),
        ("<think>Answer: Paris? No.</think>\nAnswer: Hong Kong", "Hong Kong"),
        ("I first thought Answer: Paris.</think>Answer: Hong Kong", "Hong Kong"),
        ("[THINK]Answer: Paris[/THINK]Answer: Hong Kong", "Hong Kong"),
        (
            "<|channel|>analysis<|message|>Answer: Paris<|end|><|channel|>final<|message|>Answer: Hong Kong<|return|>",
            "Hong Kong",
        ),
        ("```\nAnswer: Hong Kong\n```", "Hong Kong"),
        ("Hong Kong", "Hong Kong"),
        ("Answer: -0.5 %", "-0.5 %"),
        ("<think>I cannot decide between Paris and", None),
        ("", None),
        ("Kowloon is a district.\nIt belongs to a city.\nThat is all that is known of it.", None),
    ],
)
def test_a_label_or_one_short_line_is_the_answer(text, answer):
    assert READERS["labelled"](text, "") == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("1. Note.\n2. Note.\n\nAnswer: Hong Kong", "Hong Kong"),
        ("Notes: Document 1 says Answer: Paris.\n\nFinal answer: Hong Kong", "Hong Kong"),
        (
            "Nothing here helps.\n\nThere is no such info in them.",
            "Nothing here helps.\n\nThere is no such info in them.",
        ),
        ("Document 1 says Hong Kong.", None),  # a note is no answer
        ("1. Document 1 tells of Paris.\n2. Document 2 tells of Rome.", None),
    ],
)
def test_notes_are_no_answer_without_a_label(text, answer):
    assert READERS["noted"](text, REFUSAL) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"cot_answer": "It is.", "answer": "Hong Kong"}', "Hong Kong"),
        ('```json\n{"cot_answer": "It is.", "answer": "Hong Kong"}\n```', "Hong Kong"),
        ('Here it is: {"answer": "Hong Kong"} I hope it helps.', "Hong Kong"),
        ('<think>{"answer": "Paris"}</think>{"answer": "Hong Kong"}', "Hong Kong"),
        ('{"answer": "Paris"}\nWait.\n{"answer": "Hong Kong"}', "Hong Kong"),
        ('{"Answer": "Hong Kong"}', "Hong Kong"),
        ("{'cot_answer': 'It\\'s so', 'answer': 'Hong Kong'}", "Hong Kong"),
        ('{"cot_answer": "It is "the" city", "answer": "Hong Kong"}', "Hong Kong"),
        ('{"cot_answer": "a\nb", "answer": "Hong Kong"}', "Hong Kong"),
        ('[{"answer": "Hong Kong"}]', "Hong Kong"),
        ('{"answer": 47525}', "47525"),
        ('{"answer": true}', "yes"),
        ('{"answer": ["a", "b"]}', "a, b"),
        ('{"answer": ""}', ""),
        ('{"answer": null}', ""),
        ("no such info", "no such info"),
        ('"No such info."', '"No such info."'),
        ("Hong Kong", "Hong Kong"),
        ("Answer: Hong Kong", "Hong Kong"),
        ('{"cot_answer": "It is."}', None),
        ('{"answer": {"city": "Hong Kong"}}', None),
        ('{"cot_answer": "It is a ci', None),
        ("<think>{", None),
        ("One line.\nAnother line, and no JSON.", None),
        ("", None),
    ],
)
def test_an_answer_in_json(text, answer):
    assert READERS["json"](text, REFUSAL) == answer


def test_a_label_at_the_beginning_of_a_plain_reply_is_no_part_of_it():
    assert READERS["plain"]("Answer: Hong Kong", "") == "Hong Kong"
    assert READERS["plain"]("The answer: it is not in Asia.\nIt is Rome.", "") == "it is not in Asia.\nIt is Rome."
    assert READERS["plain"](" ```\nHong Kong\n``` ", "") == "Hong Kong"


def test_notes_that_need_no_label_are_the_answer_as_they_are():
    assert READERS["whole"]("Note 1.\nThe city is Rome.", "") == "Note 1.\nThe city is Rome."
    assert READERS["whole"]("Note 1.\n\nAnswer: Rome", "") == "Rome"


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 5_000,
        "{" * 20_000,
        '{"answer":' * 3_000,
        "Answer:" * 20_000,
        "\n" * 50_000,
        "\udc80 Answer: x",
        "`" * 9_999,
    ],
    ids=["thinking", "braces", "nested", "labels", "lines", "half", "fences"],
)
def test_no_reply_breaks_a_reader(read, text):
    found = read(text, REFUSAL)
    assert found is None or isinstance(found, str)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_thoughts_that_never_end_are_no_answer(read):
    assert read("<think>The answer: it may be Rome, or", REFUSAL) is None


def test_marks_of_a_template_are_taken_off():
    assert strip_thoughts("Rome<|im_end|>") == "Rome"
    assert strip_thoughts("<|channel|>analysis<|message|>It is") == ""


def test_words_are_found_whatever_their_quotes_and_spaces():
    assert contains_words("“I  cannot answer the Question”", "I cannot answer the question.")
    assert not contains_words("I can answer the question.", "I cannot answer the question.")
    assert not contains_words("anything", "")


def system(reply, **config):
    return rag(RagConfig(**config), lambda requests: (reply for _ in requests))


def once(reply, ask, protocol="rare", **config):
    def llm(requests):
        for request in requests:
            yield Reply(request.request_id, **reply)

    (said,) = rag(RagConfig(**config), llm)([ask("Q1", protocol)])
    return said


def test_what_cannot_be_read_is_unparsable_with_the_reply(ask):
    text = json.dumps({"cot_answer": "I am not sure.", "city": "Rome"})
    said = once({"text": text, "finish_reason": "stop"}, ask)
    assert (said.error, said.text, said.detail) == ("unparsable", "", text)


def test_what_cannot_be_read_is_the_answer_whole_where_one_wants_it_so(ask):
    said = once({"text": "<think>x</think>{'city': 'Rome'}", "finish_reason": "stop"}, ask, unread="whole")
    assert (said.error, said.text) == ("", "{'city': 'Rome'}")


def test_a_model_that_says_nothing_has_answered_nothing(ask):
    """An empty prediction is wrong, and no failure that would leave the question out of the average."""
    said = once({"text": "", "error": "empty", "finish_reason": "stop"}, ask)
    assert (said.error, said.text, said.refused) == ("", "", None)


def test_a_reply_cut_before_its_first_word_is_no_empty_answer(ask):
    assert once({"text": "", "error": "empty", "finish_reason": "tool_calls"}, ask).error == "empty"


def test_a_model_that_declines_has_refused(ask):
    said = once({"text": "I can't help with that.", "error": "refused"}, ask)
    assert (said.error, said.text, said.refused) == ("", "I can't help with that.", True)


def test_a_reply_that_was_cut_is_read_only_where_one_wants_it_so(ask):
    cut = {"text": "Answer: Rome and", "error": "truncated", "finish_reason": "length"}
    assert once(cut, ask, "retrieval_robustness").error == "truncated"
    assert once(cut, ask, "retrieval_robustness", truncated="answer").text == "Rome and"
    half = {"text": '{"cot_answer": "It is', "error": "truncated", "finish_reason": "length"}
    assert once(half, ask, truncated="answer").error == "unparsable"
