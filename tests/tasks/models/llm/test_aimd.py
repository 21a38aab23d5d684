"""How many requests are in flight follows what the server bears."""

import asyncio
import time

from rarefy.tasks.models.llm.rate_limits import ConcurrencyLimit


def test_no_more_are_inside_than_the_limit_and_all_get_in():
    async def run():
        gate, inside, most, done = ConcurrencyLimit(5), 0, 0, 0

        async def one():
            nonlocal inside, most, done
            async with gate:
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0.001)
                inside -= 1
                done += 1

        await asyncio.gather(*(one() for _ in range(50)))
        return most, done, gate.inside

    assert asyncio.run(run()) == (5, 50, 0)


def full(gate):
    gate.inside = int(gate.limit)
    return gate


def test_answers_let_more_in_until_the_most_and_a_complaint_halves():
    gate = ConcurrencyLimit(100)
    assert gate.limit == 32
    for _ in range(200):
        full(gate).answered()
    assert gate.limit == 100
    sent = time.monotonic()
    gate.complained(sent)
    assert gate.limit == 50
    gate.complained(sent)  # of the same round trip
    assert gate.limit == 50
    gate.complained(time.monotonic())
    assert gate.limit == 25
    for _ in range(25):
        full(gate).answered()  # by one per round from now on
    assert 25.9 < gate.limit < 26.1


def test_room_that_nobody_used_does_not_grow():
    gate = ConcurrencyLimit(100)
    gate.inside = 3
    for _ in range(50):
        gate.answered()
    assert gate.limit == 32


def test_one_request_is_always_let_in():
    gate = ConcurrencyLimit(8)
    for _ in range(20):
        gate.complained(time.monotonic())
    assert gate.limit == 1


def test_a_cancelled_waiter_takes_no_place():
    async def run():
        gate = ConcurrencyLimit(1)
        await gate.__aenter__()
        waiting = asyncio.create_task(gate.__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await gate.__aexit__()
        await asyncio.wait_for(gate.__aenter__(), 1)
        return gate.inside

    assert asyncio.run(run()) == 1
