"""Whatever changes an answer changes the key, and nothing else does."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm.reply_store import reply_key

IDENTITY = {"model": "m", "structured": "auto", "extra": {"a": 1, "b": {"c": [1, 2], "d": None}}}
ASKED = Request("r1", (Message("system", "Be short."), Message("user", "Why?")), '{"type":"object"}', 0.2, 100, 7, 5)
OTHER = {
    "messages": ASKED.messages[:1],
    "schema": '{"type": "object"}',
    "temperature": 0.0,
    "max_tokens": 101,
    "seed": None,
    "logprobs": None,
}
TEXT = some.text(some.characters(), max_size=20)  # with NUL and lone surrogates
MESSAGES = some.lists(some.builds(Message, some.sampled_from(["system", "user", "assistant"]), TEXT), max_size=3)
REQUESTS = some.builds(
    Request,
    some.just("r"),
    MESSAGES.map(tuple),
    TEXT,
    some.floats(0, 2),
    some.integers(1, 9_999),
    some.none() | some.integers(),
    some.none() | some.integers(0, 20),
)


def test_the_fields_of_a_request_are_those_that_are_tried():
    assert {field.name for field in fields(Request)} == {*OTHER, "request_id"}


@pytest.mark.parametrize("name", OTHER)
def test_any_changed_field_changes_the_key(name):
    assert reply_key(IDENTITY, replace(ASKED, **{name: OTHER[name]}))[0] != reply_key(IDENTITY, ASKED)[0]


def test_the_name_that_the_asker_gave_is_no_part_of_it():
    assert reply_key(IDENTITY, replace(ASKED, request_id="r2")) == reply_key(IDENTITY, ASKED)


@given(REQUESTS, REQUESTS)
def test_two_requests_have_one_key_only_if_they_are_equal(one, other):
    assert (reply_key(IDENTITY, one)[0] == reply_key(IDENTITY, other)[0]) == (one == other)


@given(some.dictionaries(TEXT, TEXT | some.integers() | some.none(), max_size=5), some.randoms())
def test_the_order_of_an_identity_is_no_part_of_it_and_its_values_are(identity, randomly):
    names = list(identity)
    randomly.shuffle(names)
    assert reply_key({name: identity[name] for name in names}, ASKED) == reply_key(identity, ASKED)
    for name in names:
        assert reply_key({**identity, name: [identity[name]]}, ASKED)[0] != reply_key(identity, ASKED)[0]
        assert (
            reply_key({other: identity[other] for other in names if other != name}, ASKED)[0]
            != reply_key(identity, ASKED)[0]
        )


@given(TEXT, TEXT, some.integers(0, 20))
def test_where_one_message_ends_and_the_next_begins_matters(first, second, at):
    whole = first + second
    assume(whole[:at] != first)
    one = Request("r", (Message("user", first), Message("user", second)))
    other = Request("r", (Message("user", whole[:at]), Message("user", whole[at:])))
    assert reply_key({}, one)[0] != reply_key({}, other)[0]


def test_half_of_a_character_is_not_the_character():
    one, other = (Request("r", (Message("user", text),)) for text in ("\ud83d\ude00", "\U0001f600"))
    assert reply_key({}, one)[0] != reply_key({}, other)[0]


def test_whole_numbers_are_as_good_as_fractions_for_a_temperature():
    assert reply_key({}, replace(ASKED, temperature=1))[0] == reply_key({}, replace(ASKED, temperature=1.0))[0]


def test_it_is_32_hex_digits_and_the_same_in_every_release():
    name, made_of = reply_key(IDENTITY, ASKED)
    assert name == "a655dc0b1a6c304ef73df05f9ea5619d"  # another one asks, and pays, for everything again
    told = json.loads(made_of)
    assert told["identity"] == IDENTITY
    assert (told["temperature"], told["max_tokens"], told["seed"], told["logprobs"]) == (0.2, 100, 7, 5)
    assert told["messages"][1] == {"role": "user", "digest": "d48a1ceb3df4b237", "characters": 4, "begins": "Why?"}


def test_what_made_it_fits_a_screen_and_holds_no_secret(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-0123456789")
    identity = {
        "model": "m",
        "extra": {"extra_headers": {"Authorization": "Bearer abcdef.0123456789", "x": "canary-0123456789"}},
    }
    _, made_of = reply_key(identity, Request("r", (Message("user", "word " * 100_000),), schema="x" * 100_000))
    assert len(made_of) < 2_000
    assert "canary" not in made_of and "abcdef" not in made_of


def test_an_identity_may_hold_what_a_config_file_holds():
    from datetime import date

    assert (
        reply_key({"extra": {"as_of": date(2024, 1, 1)}}, ASKED)[0]
        != reply_key({"extra": {"as_of": date(2024, 1, 2)}}, ASKED)[0]
    )
