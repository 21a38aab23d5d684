import pytest
from pydantic import ValidationError

from rarefy.tasks.evaluate.systems.config import SystemConfig


def http(**told):
    return SystemConfig.model_validate({"kind": "http", "http": {"url": "http://localhost/ask", **told}})


def test_the_default_is_the_baseline_which_takes_all_and_is_given_what_hybrid_finds():
    config = SystemConfig()
    assert (config.kind, config.takes, config.retriever) == ("extractive", ("closed_book", "passages", "own"), "hybrid")
    assert not config.retrieves and not config.prompted and config.pinned and config.llm is None


def test_a_model_is_shown_the_protocols_prompts():
    config = SystemConfig.model_validate({"kind": "rag", "rag": {"llm": {"provider": "openai", "model": "m"}}})
    assert config.prompted and not config.retrieves and config.llm.model == "m" and config.pinned


def test_an_endpoint_takes_what_its_request_has_a_place_for():
    assert http().takes == ("own",) and http().retrieves
    with_passages = http(request={"q": "{query}", "docs": ["{context}"]})
    assert with_passages.takes == ("closed_book", "passages") and not with_passages.retrieves


def test_what_an_unpinned_system_answers_belongs_to_one_evaluation():
    assert not http().pinned
    config = SystemConfig.model_validate({"kind": "http", "version": "v2", "http": {"url": "http://localhost/ask"}})
    assert config.pinned and config.identity() != http().identity()


@pytest.mark.parametrize("kind", ["extractive", "rag", "http"])
def test_a_config_reads_back_as_it_was_written_and_is_a_key(kind):
    config = SystemConfig.model_validate({"kind": kind, "http": {"url": "http://localhost/ask"}})
    again = SystemConfig.model_validate(config.model_dump(mode="json"))
    assert again == config and hash(again) == hash(config) and again.identity() == config.identity()


WRONG = {
    "nobody": ({"kind": "nobody"}, "have extractive, rag, recorded, http"),
    "no address": ({"kind": "http"}, "needs its address"),
    "no address at all": ({"http": {"url": "localhost/ask"}}, 'is no address: "http://localhost'),
    "a key in a header": ({"http": {"headers": {"X-Api-Key": "abc123"}}}, r"http.headers.X-Api-Key holds a secret"),
    "a key in the address": ({"http": {"url": "https://x/ask?api_key=abc"}}, "http.url holds a password or key"),
    "a password in the address": ({"http": {"url": "https://me:pw@x/ask"}}, "http.url holds a password or key"),
    "a line in a header": ({"http": {"headers": {"X": "a\r\nY: b"}}}, "line break"),
    "an unknown place": ({"http": {"request": {"q": "{question}"}}}, r"nothing fills \{question\}"),
    "a place with a slip": ({"http": {"request": {"q": "{qurey}"}}}, r"did you mean \{query\}"),
    "an unknown place of a passage": ({"http": {"passage": "{body}"}}, r"http.passage: nothing fills \{body\}"),
    "no path": ({"http": {"reply": {"answer": "a..b"}}}, "cannot be read at"),
    "objects in an address": (
        {"http": {"method": "GET", "request": {"q": {"a": "{query}"}}}},
        "has no objects and lists",
    ),
    "an unknown key": ({"http": {"adress": "x"}}, "Extra inputs"),
    "an unknown giving": ({"takes": ["everything"]}, "closed_book"),
    "prompts that nobody reads": ({"prompted": True}, "extractive reads no prompt"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_a_config_must_not_say(what):
    told, why = WRONG[what]
    with pytest.raises(ValidationError, match=why) as caught:
        SystemConfig.model_validate(told)
    assert not any(secret in str(caught.value) for secret in ("abc", ":pw@"))


def test_secrets_by_name_alone_are_no_secrets():
    config = http(headers={"Authorization": "Bearer ${MY_KEY}"}, request={"q": "{query}", "api_key": "${OTHER_KEY}"})
    assert config.http.secrets() == ["MY_KEY", "OTHER_KEY"]
    assert "MY_KEY" in str(config.identity())


def test_every_option_is_described():
    for model in (
        SystemConfig,
        type(SystemConfig().http),
        type(SystemConfig().http.reply),
        type(SystemConfig().extractive),
    ):
        assert all(field.description for field in model.model_fields.values()), model
