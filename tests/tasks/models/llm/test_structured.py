"""The ladder from a reply's text to a value that keeps its schema."""

import json
import time
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm.structured import build_reask, parse, response_format

ANY, OBJECT = "{}", '{"type": "object"}'


class Fact(BaseModel):
    subject: str
    value: int
    sure: bool = True
    note: str = ""


class Facts(BaseModel):
    facts: list[Fact]


class Label(BaseModel):
    model_config = ConfigDict(extra="forbid")
    label: Literal["entailment", "neutral", "contradiction"]
    score: float | None = None


FACTS, LABEL = json.dumps(Facts.model_json_schema()), json.dumps(Label.model_json_schema())
ONE = '{"facts":[{"subject":"Apple","value":7}]}'

# reply, schema, how, value: "" where no value may be taken
SLIPS: list[tuple[str, str, str, str]] = [
    # as asked
    ('{"b": 1, "a": [1, 2]}', ANY, "clean", '{"a":[1,2],"b":1}'),
    ('\ufeff\n {"a": "é"}\n', ANY, "clean", '{"a":"é"}'),
    # among other things
    ('```json\n{"a": 1}\n```', OBJECT, "fenced", '{"a":1}'),
    ('```\n{"a": "```"}\n```\nDone.', OBJECT, "fenced", '{"a":"```"}'),
    ('Here is the JSON: {"a": 1}', OBJECT, "fenced", '{"a":1}'),
    ('Here is the JSON:\n\n**{"a": 1}**\n\nLet me know [or not]!', OBJECT, "fenced", '{"a":1}'),
    ('As noted [see Note 4] {sic}: {"a": 1}', OBJECT, "fenced", '{"a":1}'),
    ('<think>Maybe {"a": 2}?</think>\n{"a": 1}', OBJECT, "fenced", '{"a":1}'),
    ('So {"a": 2} is wrong.\n</think>\n\n```json\n{"a": 1}\n```', OBJECT, "fenced", '{"a":1}'),
    ('{"a": 1}}', OBJECT, "fenced", '{"a":1}'),
    ('The draft [1, 2] becomes {"a": 1}', OBJECT, "fenced", '{"a":1}'),
    ('{"a": 1}\n{"a": 1}', OBJECT, "fenced", '{"a":1}'),
    # two answers are none
    ('{"a": 1}\n{"a": 2}', OBJECT, "", ""),
    ('First {"a": 1}, or rather {"a": 2}.', OBJECT, "", ""),
    ('{"a": 1, "a": 2}', OBJECT, "", ""),
    ('{"a": 1, "a": 1}', OBJECT, "clean", '{"a":1}'),
    # syntax
    ('{"a": [1, 2,], "b": 3,}', OBJECT, "repaired", '{"a":[1,2],"b":3}'),
    ("{'a': 'it', 'b': [True, False, None]}", OBJECT, "repaired", '{"a":"it","b":[true,false,null]}'),
    ('{a: 1, b: "x"}', OBJECT, "repaired", '{"a":1,"b":"x"}'),
    ('{"a": 1 "b": 2}', OBJECT, "repaired", '{"a":1,"b":2}'),
    ('{"a": 1, // the first\n "b": "http://x/y"}', OBJECT, "repaired", '{"a":1,"b":"http://x/y"}'),
    ('{"a": 1, /* the first */ "b": 2}', OBJECT, "repaired", '{"a":1,"b":2}'),
    ('{"a": "two\nlines"}', OBJECT, "repaired", '{"a":"two\\nlines"}'),
    ('{"a": "he said "yes" to it", "b": 2}', OBJECT, "repaired", '{"a":"he said \\"yes\\" to it","b":2}'),
    ("{“a”: “x”}", OBJECT, "repaired", '{"a":"x"}'),
    ('{"a": "it\\\'s"}', OBJECT, "repaired", '{"a":"it\'s"}'),
    ('Sure:\n```json\n{"a": [1, 2,]}\n```\nHope [this] helps', OBJECT, "repaired", '{"a":[1,2]}'),
    # what a repair would have to invent
    ('{"facts": [{"subject": "Apple", "value": 7}, {"subject": "Mi', FACTS, "", ""),
    ('{"facts": [{"subject": "Apple", "value": 7}', FACTS, "", ""),
    ('{"facts": [{"subject": "Apple", "value": 7}]', FACTS, "", ""),
    ('[{"a": [1]}, {"a": [2]', ANY, "", ""),
    ('{"a": [1, 2}', OBJECT, "", ""),
    ('{"a": "cut of}', OBJECT, "", ""),
    ('{"a": }', OBJECT, "", ""),
    ("[1, 2, ...]", ANY, "", ""),
    ('{"a": $1.5}', OBJECT, "", ""),
    ('{"a": "b" + "c"}', OBJECT, "", ""),
    ('{"a": "x": "y"}', OBJECT, "", ""),
    # no JSON values
    ('{"a": NaN}', OBJECT, "", ""),
    ('{"a": -Infinity,}', OBJECT, "", ""),
    ('{"a": 1e999}', OBJECT, "", ""),
    ('{"a": undefined}', OBJECT, "", ""),
    ("I cannot help with that.", ANY, "", ""),
    ("", ANY, "", ""),
    ("<think>on and on", ANY, "", ""),
    # types
    ('{"facts": [{"subject": "Apple", "value": "7"}]}', FACTS, "repaired", ONE),
    ('{"facts": [{"subject": "Apple", "value": "7 million"}]}', FACTS, "", ""),
    ('{"facts": [{"subject": "Apple", "value": 7, "sure": null}]}', FACTS, "repaired", ONE),
    ('{"facts": [{"subject": 3, "value": 7}]}', FACTS, "repaired", '{"facts":[{"subject":"3","value":7}]}'),
    ('[{"subject": "Apple", "value": 7}]', FACTS, "repaired", ONE),
    (f"[{ONE}]", FACTS, "repaired", ONE),
    ('{"facts": [{"subject": "Apple"}]}', FACTS, "", ""),
    ('{"label": "Entailment."}', LABEL, "repaired", '{"label":"entailment"}'),
    ('{"label": "neutral", "why": "so"}', LABEL, "repaired", '{"label":"neutral"}'),
    ('{"label": "neutral", "score": "0.5"}', LABEL, "repaired", '{"label":"neutral","score":0.5}'),
    ('{"label": "yes"}', LABEL, "", ""),
    ('"a text"', '{"type": "string"}', "clean", '"a text"'),
    ("[1, 2]", OBJECT, "", ""),
]


@pytest.mark.parametrize(("text", "schema", "how", "value"), SLIPS)
def test_each_slip_has_its_outcome(text: str, schema: str, how: str, value: str) -> None:
    parsed = parse(text, schema)
    assert (parsed.how, parsed.value) == (how, value)
    assert bool(parsed.fault) == (not how)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
HELD = st.lists(JSON, min_size=1, max_size=4) | st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=4)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from(["{}", " {}\n", "```json\n{}\n```", "```\n{}```\n"]), st.sampled_from([None, 2]))
def test_any_value_bare_or_fenced_is_that_value(value: Any, around: str, indent: int | None) -> None:
    text = around.replace("{}", json.dumps(value, indent=indent, ensure_ascii=indent is None))
    assert parse(text, ANY).value == _canonical(value)


@settings(max_examples=150, deadline=None)
@given(HELD, st.sampled_from(["Here it is: {}", "<think>hm</think>{}", "{} That is all.", "A:\n```json\n{}\n```\nB"]))
def test_any_array_or_object_among_words_is_that_value(value: Any, around: str) -> None:
    assert parse(around.replace("{}", json.dumps(value)), ANY).value == _canonical(value)


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text(alphabet="{}[]\"',:\\/ 1a\n`", max_size=60))
def test_no_text_raises_and_what_is_taken_keeps_the_schema(text: str) -> None:
    parsed = parse(text, FACTS)
    assert bool(parsed.value) == bool(parsed.how) != bool(parsed.fault)
    if parsed.value:
        Facts.model_validate_json(parsed.value)


@settings(max_examples=150, deadline=None)
@given(HELD, st.data())
def test_nothing_cut_short_is_taken_for_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    parsed = parse(text[: data.draw(st.integers(1, len(text) - 1))], ANY)
    assert parsed.how == "" or parsed.value != _canonical(value)
    # an outer array or object that is open at the end has no value
    assert parsed.how == ""


@pytest.mark.parametrize("text", ["[" * 10_000, '{"a":' * 10_000, "{" * 50_000, "[" * 300 + "]" * 300, "x" * 2_000_000])
def test_deep_and_long_replies_are_refused_at_once(text: str) -> None:
    start = time.monotonic()
    assert parse(text, ANY).how == ""
    assert time.monotonic() - start < 2


def test_half_a_character_is_replaced() -> None:
    assert parse('{"a": "\\ud83d!", "\\udc00": 1}', ANY).value == '{"a":"�!","�":1}'
    assert parse('{"a": "\ud83d",}', ANY).value == '{"a":"�"}'


def test_a_bad_schema_is_a_bug_and_told() -> None:
    for schema in ("{", '{"type": 5}', '{"$ref": "#/$defs/missing"}', "3"):
        with pytest.raises(ValueError, match="schema"):
            parse("{}", schema)


def test_a_schema_elsewhere_is_never_fetched() -> None:
    with pytest.raises(ValueError, match="schema"):
        parse("{}", '{"$ref": "http://localhost:9/schema.json"}')


def test_the_re_ask_keeps_id_and_settings_and_shows_reply_fault_and_schema() -> None:
    first = Request("r1", (Message("user", "Facts?"),), FACTS, 0.5, 99, 7)
    second = build_reask(first, "x" * 100_000, "$.facts: missing")
    assert (second.request_id, second.schema, second.temperature, second.max_tokens, second.seed) == (
        "r1",
        FACTS,
        0.5,
        99,
        7,
    )
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert len(second.messages[1].content) == 4_000
    assert "$.facts: missing" in second.messages[2].content and FACTS in second.messages[2].content
    assert [message.role for message in build_reask(first, " ", "empty").messages] == ["user", "user"]


class Item(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str = Field("", max_length=5)
    kind: Literal["a", "b"] = "a"
    inner: "Item | None" = None


class Items(BaseModel):
    items: list[Item] = Field(default_factory=list, min_length=1)


def test_strict_mode_requires_everything_and_allows_nothing_else() -> None:
    told = response_format(json.dumps(Items.model_json_schema()))
    shape = told["json_schema"]
    assert told["type"] == "json_schema" and shape["strict"] is True and shape["name"] == "Items"
    item = shape["schema"]["$defs"]["Item"]
    assert item["required"] == ["name", "kind", "inner"] and item["additionalProperties"] is False
    assert item["properties"]["inner"]["anyOf"][0] == {"$ref": "#/$defs/Item"}
    assert shape["schema"]["properties"]["items"]["minItems"] == 1
    assert "default" not in json.dumps(shape) and "maxLength" not in json.dumps(shape)


def test_a_root_that_is_a_reference_is_put_in_its_place() -> None:
    shape = response_format(json.dumps(Item.model_json_schema()))["json_schema"]
    assert shape["strict"] is True and shape["schema"]["type"] == "object" and "Item" in shape["schema"]["$defs"]


@pytest.mark.parametrize(
    "schema",
    [
        '{"type": "array", "items": {"type": "string"}}',
        '{"type": "object"}',
        '{"type": "object", "additionalProperties": {"type": "number"}}',
        '{"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}}}',
        '{"type": "object", "properties": {"a": {}}}',
    ],
)
def test_what_strict_mode_cannot_say_is_sent_as_it_is(schema: str) -> None:
    shape = response_format(schema)["json_schema"]
    assert shape["strict"] is False and shape["schema"] == json.loads(schema)


def test_the_official_client_agrees_on_what_strict_mode_is() -> None:
    from openai.lib._pydantic import to_strict_json_schema

    theirs, ours = to_strict_json_schema(Facts), response_format(FACTS)["json_schema"]["schema"]
    assert ours["$defs"]["Fact"]["required"] == theirs["$defs"]["Fact"]["required"]
    assert ours["additionalProperties"] is theirs["additionalProperties"] is False
