"""Many at once, asked one by one: each gets its own answer whatever the model's code does."""

import asyncio

import pytest

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.tasks.models.llm.faults import Failed
from rarefy.tasks.models.llm.providers import Batched


def requests(count):
    return [Request(f"r{n}", (Message("user", f"question {n}"),)) for n in range(count)]


def asked(function, count, size=1_000):
    async def run():
        provider = Batched(function, "mine", size)
        return await asyncio.gather(*(provider(r, 10) for r in requests(count)), return_exceptions=True)

    return asyncio.run(run())


def test_replies_in_another_order_find_their_requests():
    sizes = []

    def model(batch):
        sizes.append(len(batch))
        return [Reply(r.request_id, text=r.messages[0].content.upper()) for r in reversed(batch)]

    replies = asked(model, 50, size=20)
    assert [(r.request_id, r.text) for r in replies] == [(f"r{n}", f"QUESTION {n}") for n in range(50)]
    assert max(sizes) <= 20


def test_a_missing_reply_is_lost_and_its_siblings_are_not():
    replies = asked(
        lambda batch: [Reply(r.request_id, text="x") for r in batch if not r.messages[0].content.endswith("3")], 8
    )
    assert [isinstance(r, Failed) and r.reason for r in replies] == [n == 3 and "lost" for n in range(8)]


def test_the_first_of_two_replies_counts_and_a_strangers_reply_is_nobodys():
    def model(batch):
        for r in batch:
            yield Reply(r.request_id, text="first")
            yield Reply(r.request_id, text="second")
        yield Reply("stranger", text="?")

    assert {r.text for r in asked(model, 3)} == {"first"}


def test_a_bug_in_the_models_code_reaches_whoever_asked():
    def model(batch):
        raise ZeroDivisionError("mine")

    assert all(isinstance(r, ZeroDivisionError) for r in asked(model, 3))


def test_two_askers_may_use_one_id_for_different_requests():
    async def run():
        provider = Batched(lambda batch: [Reply(r.request_id, text=r.messages[0].content) for r in batch], "mine", 9)
        ask = [Request("same", (Message("user", text),)) for text in ("a", "b")]
        return [r.text for r in await asyncio.gather(*(provider(r, 1) for r in ask))]

    assert asyncio.run(run()) == ["a", "b"]


@pytest.mark.parametrize("size", [1, 3])
def test_every_request_is_asked_once_whatever_the_size(size):
    seen = []
    asked(lambda batch: [seen.append(r.messages[0].content) or Reply(r.request_id, text="x") for r in batch], 10, size)
    assert sorted(seen) == sorted(f"question {n}" for n in range(10))
