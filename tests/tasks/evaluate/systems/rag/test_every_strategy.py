"""What holds for every strategy under every protocol the moment it is listed."""

from collections import Counter
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.evaluate.systems.rag import STRATEGIES, RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.conversation import PACKS

PROTOCOLS = ["", *(name for name in PACKS if name != "general")]
everywhere = pytest.mark.parametrize("protocol", PROTOCOLS)
every = pytest.mark.parametrize("strategy", STRATEGIES)


def told(request):
    return "\n".join(message.content for message in request.messages)


def helpful(query, texts):
    return [0.9 if "Deloitte" in text else -0.95 for text in texts]


def system(strategy, llm, **more):
    return rag(RagConfig(strategy=strategy, **more), llm, rate=helpful)


@every
@everywhere
def test_each_question_gets_its_own_answer_in_order(strategy, protocol, scripted, ask):
    asked = [ask(f"Q{number}", protocol) for number in range(50)]
    said = list(system(strategy, scripted)(asked))
    assert [one.asked_id for one in said] == [one.asked_id for one in asked]
    assert [one.text for one in said] == [f"Deloitte Q{number}" for number in range(50)]
    assert not any(one.error for one in said)


@every
@everywhere
def test_every_call_and_token_is_counted(strategy, protocol, scripted, ask):
    said = list(system(strategy, scripted)([ask("Q1", protocol), ask("Q2", protocol, passages=())]))
    made = Counter("Q1" if "Q1 ?" in told(request) else "Q2" for request in scripted.asked)
    assert {"Q1": said[0].calls, "Q2": said[1].calls} == dict(made)
    for one in said:
        assert (one.prompt_tokens, one.completion_tokens) == (100 * one.calls, 7 * one.calls)
        assert one.model == "scripted"
    assert made["Q1"] <= STRATEGIES[strategy].turns(RagConfig(strategy=strategy))


@every
@everywhere
def test_a_closed_book_question_takes_one_call_that_shows_no_passage(strategy, protocol, scripted, ask):
    (said,) = system(strategy, scripted)([ask("Q1", protocol, passages=())])
    (request,) = scripted.asked
    assert said.calls == 1 and said.text == "Deloitte Q1"
    (plain,) = (list(system("no_rag", other := type(scripted)())([ask("Q1", protocol)])), other.asked)[1]
    assert request.messages == plain.messages, "the closed-book prompt is one and the same"


@every
@everywhere
@pytest.mark.parametrize("code", ["too_long", "filtered", "timeout", "truncated", "server_error", "lost"])
def test_what_fails_in_any_step_is_a_row_with_its_code(strategy, protocol, code, scripted, ask):
    (whole,) = system(strategy, scripted)([ask("Q1", protocol)])
    for number in range(whole.calls):
        broken = type(scripted)()
        usual = broken.reply

        def reply(request, number=number, broken=broken, usual=usual):
            if len(broken.asked) - 1 == number:
                return Reply(request.request_id, "half an ans", error=code, detail="so it is", prompt_tokens=100)
            return usual(request)

        broken.reply = reply
        (said,) = system(strategy, broken)([ask("Q1", protocol)])
        assert (said.error, said.text, said.refused) == (code, "", None)
        assert "so it is" in said.detail and "half an ans" in said.detail
        assert said.calls == number + 1 == len(broken.asked)


@every
@everywhere
def test_a_reply_that_never_comes_is_lost_and_harms_no_other(strategy, protocol, scripted, ask):
    def lossy(requests):
        for reply in scripted(requests):
            if not reply.request_id.startswith("Q2"):
                yield reply

    said = list(system(strategy, lossy)([ask(f"Q{number}", protocol) for number in range(1, 4)]))
    assert [one.error for one in said] == ["", "lost", ""]


@every
@everywhere
def test_a_question_that_comes_twice_is_answered_twice(strategy, protocol, scripted, ask):
    said = list(system(strategy, scripted)([ask("Q1", protocol), ask("Q1", protocol)]))
    assert [one.text for one in said] == ["Deloitte Q1"] * 2


@every
@everywhere
def test_neighbours_and_order_change_nothing(strategy, protocol, scripted, ask):
    asked = [ask(f"Q{number}", protocol, passages=() if number % 3 == 0 else ask().passages) for number in range(9)]
    there = {one.asked_id: one for one in system(strategy, scripted)(asked)}
    back = {one.asked_id: one for one in system(strategy, scripted)(reversed(asked))}
    alone = {one.asked_id: next(iter(system(strategy, scripted)([one]))) for one in asked}
    assert there == back == alone


@every
@everywhere
def test_the_protocols_words_of_refusal_are_in_what_is_asked_last(strategy, protocol, scripted, ask):
    asked = ask("Q1", protocol)
    list(system(strategy, scripted)([asked]))
    last = told(scripted.asked[-1])
    if asked.refusal:
        assert asked.refusal in last
    else:
        assert "cannot answer" not in last and "no such info" not in last and "NO-RES" not in last


@every
@everywhere
def test_a_repeat_is_asked_with_another_seed_and_nothing_else_differs(strategy, protocol, scripted, ask):
    list(system(strategy, scripted, seed=7)([ask("Q1", protocol), ask("Q1", protocol, repeat=2)]))
    first, second = (
        sorted((replace(one, request_id="", seed=None) for one in scripted.asked if one.seed == seed), key=told)
        for seed in (7, 9)
    )
    assert first and first == second


@every
@everywhere
def test_passages_stand_in_their_order_and_as_data(strategy, protocol, scripted, ask):
    list(system(strategy, scripted)([ask("Q1", protocol)]))
    for request in scripted.asked:
        text = told(request)
        places = [text.find(one.text[:20]) for one in ask().passages if one.text[:20] in text]
        assert places == sorted(places)
        assert "</document>" not in text


@every
def test_no_question_is_answered_from_retrieval_that_never_was(strategy, scripted, ask):
    said = list(system(strategy, scripted)([ask("Q1", passages=None), ask("Q2")]))
    assert (said[0].error, said[0].calls) == ("no_passages", 0)
    assert said[1].text == "Deloitte Q2"


@every
def test_the_same_prompts_can_be_shown_whatever_the_protocol(strategy, scripted, ask):
    list(system(strategy, scripted, prompts="general")([replace(ask("Q1", "rare"), refusal="x-no")]))
    assert "cot_answer" not in "".join(map(told, scripted.asked))


@every
def test_memory_is_bounded_however_many_questions_there_are(strategy, scripted, ask):
    scripted.ahead = 16
    taken = 0

    def many():
        nonlocal taken
        for number in range(20_000):
            taken += 1
            yield ask(f"Q{number}", "retrieval_robustness")

    turns = STRATEGIES[strategy].turns(RagConfig(strategy=strategy))
    for given, _ in enumerate(system(strategy, scripted)(many()), 1):
        assert taken - given <= turns * (16 + 1_024)
        if given == 5_000:
            break


@pytest.mark.parametrize("strategy", ["own_know", "s2a", "skr"])
def test_second_turns_are_under_way_while_first_ones_still_come(strategy, ask, scripted):
    """The model is never left without requests between two turns."""
    scripted.ahead = 64
    list(system(strategy, scripted)([ask(f"Q{number}", "magic_mushroom") for number in range(4_000)]))
    second = [at for at, request in enumerate(scripted.asked) if request.request_id.endswith("-2")]
    first = [at for at, request in enumerate(scripted.asked) if request.request_id.endswith("-1")]
    assert len(first) == len(second) == 4_000
    assert second[0] < first[-1] - 2_000
