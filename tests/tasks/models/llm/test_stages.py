"""What every stage does with a model's replies: none is missed, and only a whole one says anything."""

import json

import pytest
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.tasks.models.llm import parse_reply, replies


class Score(BaseModel):
    """A form."""

    score: int = Field(ge=1, le=5)


def requests(count):
    return [Request(f"r{n}", (Message("user", "?"),)) for n in range(count)]


def test_a_request_without_a_reply_gets_a_lost_one_at_the_end():
    def forgetful(asked):
        return [Reply(r.request_id, text="x") for r in asked if r.request_id != "r1"]

    assert [(r.request_id, r.error) for r in replies(forgetful, requests(3))] == [
        ("r0", ""),
        ("r2", ""),
        ("r1", "lost"),
    ]


def test_replies_come_before_all_requests_are_taken():
    taken = []

    def asked():
        for request in requests(3):
            taken.append(request.request_id)
            yield request

    first = next(replies(lambda some: (Reply(r.request_id) for r in some), asked()))
    assert first.request_id == "r0" and taken == ["r0"]


@pytest.mark.parametrize("strange", ["nobody", "r0"])
def test_a_second_reply_and_one_to_nobody_are_bugs(strange):
    with pytest.raises(KeyError):
        list(replies(lambda asked: [*(Reply(r.request_id) for r in asked), Reply(strange)], requests(1)))


def test_a_reply_is_read_by_its_form_or_unparsable_with_each_fault():
    said, reply = parse_reply(Reply("r", parsed=json.dumps({"score": 4})), Score)
    assert said == Score(score=4) and not reply.error
    said, reply = parse_reply(Reply("r", text="raw", parsed=json.dumps({"score": 9})), Score)
    assert said is None and (reply.error, reply.text) == ("unparsable", "raw") and "score: " in reply.detail


def test_a_failed_reply_stays_as_it_is():
    failed = Reply("r", error="refused", detail="no", parsed='{"score": 4}')
    assert parse_reply(failed, Score) == (None, failed)
