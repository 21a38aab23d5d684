"""DRAGIN: retrieval among the passages given, where the model is uncertain of its own words."""

import math

import pytest

from rarefy.data_contracts.rows import Passage, Reply, Token
from rarefy.tasks.evaluate.systems.rag import RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.strategies import (
    answer_tokens,
    find_uncertain_token,
    is_content_word,
    rank_passages,
    token_entropy,
)
from rarefy.tasks.models.llm.faults import Unavailable

CERTAIN = Token("Deloitte", math.log(0.99), ("Deloitte",), (math.log(0.99),))
EVEN = Token(" KPMG", math.log(0.25), (" KPMG", " EY", " PwC", " BDO"), (math.log(0.25),) * 4)
WEAK = Token(" the", math.log(0.25), (" the", " a", " an", " my"), (math.log(0.25),) * 4)


def test_entropy_is_that_of_what_is_told_and_the_rest_as_one():
    assert token_entropy(EVEN) == pytest.approx(math.log(4))
    half = Token("x", math.log(0.5), ("x",), (math.log(0.5),))
    assert token_entropy(half) == pytest.approx(math.log(2))
    assert token_entropy(Token("x", 0.0, ("x",), (0.0,))) == 0
    # a token that was drawn though it is none of the likeliest counts beside them
    drawn = Token("z", math.log(0.25), ("x", "y"), (math.log(0.5), math.log(0.25)))
    assert token_entropy(drawn) == pytest.approx(-0.5 * math.log(0.5) - 2 * 0.25 * math.log(0.25))
    assert token_entropy(Token("x", -9999.0, ("y",), (0.0,))) == pytest.approx(0)


def test_only_content_words_count():
    assert find_uncertain_token([WEAK, CERTAIN, EVEN], 1.2) == 2
    assert find_uncertain_token([WEAK, CERTAIN], 1.2) is None
    assert find_uncertain_token([EVEN], math.log(4)) is None
    assert (
        is_content_word(" KPMG")
        and is_content_word("12.5")
        and not is_content_word(' {"')
        and not is_content_word(" the")
        and not is_content_word('": "')
    )


def test_thoughts_do_not_count():
    tokens = (Token("<think>", -1), EVEN, Token("</think>", -1), CERTAIN)
    text = "".join(token.text for token in tokens)
    assert answer_tokens(Reply("", text, logprobs=tokens)) == (CERTAIN,)
    assert answer_tokens(Reply("", "<think> KPMG", logprobs=tokens[:2])) == ()


def replies(*tokens):
    """A model that says these, one after the other, and whose prompts are kept."""
    prompts = []

    def llm(requests):
        for request in requests:
            prompts.append("\n".join(message.content for message in request.messages))
            assert request.logprobs == 20
            said = tokens[min(len(prompts), len(tokens)) - 1]
            yield Reply(
                request.request_id, "".join(token.text for token in said), finish_reason="stop", logprobs=tuple(said)
            )

    return llm, prompts


MANY = tuple(
    Passage(f"p{number}", text)
    for number, text in enumerate(
        [
            "Oslo is mild.",
            "Bergen is wet.",
            "The auditor of Acme is KPMG.",
            "Acme sells anvils.",
            "Rome is warm.",
            "Acme.",
        ]
    )
)


def test_a_certain_draft_needs_no_passage(ask):
    llm, prompts = replies([CERTAIN])
    (said,) = rag(RagConfig(strategy="dragin"), llm)([ask("Q1", "magic_mushroom", MANY)])
    assert (said.text, said.calls, len(prompts)) == ("Deloitte", 1, 1)
    assert said.detail == "dragin: 0 retrievals, certain"
    assert "anvils" not in prompts[0]


def test_an_uncertain_draft_is_asked_again_over_the_passages_that_fit(ask):
    llm, prompts = replies([CERTAIN, EVEN], [CERTAIN])
    (said,) = rag(RagConfig(strategy="dragin"), llm)([ask("Q1", "magic_mushroom", MANY)])
    assert (said.calls, said.detail) == (2, "dragin: 1 retrievals, certain")
    assert "KPMG" in prompts[1] and "anvils" in prompts[1] and "Bergen" not in prompts[1]


def test_it_stops_when_the_same_passages_are_found_again_or_no_round_is_left(ask):
    llm, prompts = replies([EVEN])
    (said,) = rag(RagConfig(strategy="dragin", dragin_rounds=5), llm)([ask("Q1", "magic_mushroom", MANY)])
    assert said.calls == 2 and said.detail == "dragin: 1 retrievals, uncertain of 'KPMG'"
    words = [[Token(word, 0.0, (word,), (0.0,)), EVEN] for word in ("Oslo", "Bergen mild wet", "Rome warm anvils")]
    llm, prompts = replies(*words)
    (said,) = rag(RagConfig(strategy="dragin", dragin_passages=1, dragin_rounds=2), llm)(
        [ask("Q1", "magic_mushroom", MANY)]
    )
    assert said.calls == 3 == len(prompts)


def test_no_logprobs_are_told_and_not_made_up(ask):
    def llm(requests):
        for request in requests:
            yield Reply(request.request_id, "Deloitte", finish_reason="stop")

    with pytest.raises(Unavailable, match="not available: this endpoint gives no logprobs; choose another strategy"):
        list(rag(RagConfig(strategy="dragin"), llm)([ask("Q1", "magic_mushroom")]))


def test_an_endpoint_that_rejects_logprobs_is_told_so_too(ask):
    def llm(requests):
        for request in requests:
            yield Reply(request.request_id, error="rejected", detail="400: logprobs is not supported")

    with pytest.raises(Unavailable, match="not available: this endpoint gives no logprobs"):
        list(rag(RagConfig(strategy="dragin"), llm)([ask("Q1", "magic_mushroom")]))


def test_a_closed_book_question_needs_no_logprobs(ask):
    def llm(requests):
        for request in requests:
            assert request.logprobs is None
            yield Reply(request.request_id, "Deloitte", finish_reason="stop")

    (said,) = rag(RagConfig(strategy="dragin"), llm)([ask("Q1", "magic_mushroom", ())])
    assert said.text == "Deloitte"


def test_a_draft_that_says_nothing_or_declines_is_an_answer(ask):
    for reply, refused in ((Reply("", "", "", "stop", error="empty"), None), (Reply("", "No.", error="refused"), True)):

        def llm(requests, reply=reply):
            for request in requests:
                yield Reply(request.request_id, reply.text, finish_reason=reply.finish_reason, error=reply.error)

        (said,) = rag(RagConfig(strategy="dragin"), llm)([ask("Q1", "magic_mushroom")])
        assert (said.error, said.refused) == ("", refused)


def test_the_best_passages_keep_their_order():
    assert [one.passage_id for one in rank_passages("auditor of Acme", MANY, 2)] == ["p2", "p5"]
    assert [one.passage_id for one in rank_passages("nothing fits", MANY, 2)] == ["p0", "p1"]
    assert rank_passages("x", (), 2) == ()
