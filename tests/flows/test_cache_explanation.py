"""`rarefy cache explain`: what made a key, and in what two replies to one question differ."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.flows.cli.setup_commands import explain
from rarefy.tasks.models.llm.reply_store import StoredReply, open_reply_store, reply_key

ASKED = Request("q1", (Message("system", "Be short."), Message("user", "Why is it so? " * 50)), temperature=0.2)


def keep(cache, asked: Request, model: str = "small", text: str = "Because.") -> str:
    name, made_of = reply_key({"model": model, "structured": "auto"}, asked)
    open_reply_store("", cache).keep(
        [], [StoredReply(name, made_of, Reply(asked.request_id, text, model="small-2024"))]
    )
    return name


def test_it_says_what_made_a_key(tmp_path):
    name = keep(tmp_path, ASKED)
    for known_by in (name, name[:8], "q1"):
        told = explain("", tmp_path, known_by)
        assert name in told
        assert "identity.model small" in told
        assert "temperature  0.2" in told
        assert "message 2    user, 700 characters" in told
        assert "Because." in told
        assert max(map(len, told.splitlines())) <= 120


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"temperature": 0.0}, "temperature 0.2 -> 0.0"),
        ({"seed": 7}, "seed none -> 7"),
        ({"messages": (ASKED.messages[0], Message("user", "How?"))}, "message 2 Why is it so?"),
        ({"messages": (ASKED.messages[0], Message("user", ASKED.messages[1].content + "!"))}, "700 -> 701 characters"),
        ({"messages": (*ASKED.messages, Message("assistant", "{"))}, "message 3 none -> {"),
    ],
)
def test_it_says_in_what_replies_to_one_request_differ(tmp_path, change, told):
    first = keep(tmp_path, ASKED)
    second = keep(tmp_path, replace(ASKED, **change))
    for known_by in ("q1", first, second):
        said = explain("", tmp_path, known_by)
        assert told in said
        assert f"{first[:12]} -> {second[:12]}" in said
        assert said.count("->") == 2


def test_another_model_is_told_by_its_name(tmp_path):
    keep(tmp_path, ASKED)
    keep(tmp_path, ASKED, model="large")
    assert "identity.model small -> large" in explain("", tmp_path, "q1")


def test_where_nothing_is_known_it_says_what_an_id_is(tmp_path):
    keep(tmp_path, ASKED)
    for unknown in ("ffff", "q"):
        assert "nothing is remembered" in explain("", tmp_path, unknown)
    with pytest.raises(OSError, match="there is none yet"):
        explain("", tmp_path / "nowhere", "q1")
    assert not (tmp_path / "nowhere").exists()


def test_of_many_it_shows_some_and_says_so(tmp_path):
    for i in range(30):
        keep(tmp_path, replace(ASKED, seed=1_000 + i))
    told = explain("", tmp_path, "q1")
    assert "older ones; give more of the key" in told
