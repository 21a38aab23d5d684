"""A config says what is made, and a wrong one says where it is wrong."""

import re
import tomllib
from itertools import pairwise

import pytest

from rarefy.flows.cli.template import template
from rarefy.flows.config import Config, load, validate
from rarefy.flows.engine.stages import tracing
from rarefy.flows.faults import UsageFault
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.models.llm import LLMConfig


def written(tmp_path, text: str):
    path = tmp_path / "rarefy.toml"
    path.write_text(text)
    return path


def test_no_file_is_the_default():
    assert load(None) == Config()


def test_the_template_is_the_default_config(tmp_path):
    assert load(written(tmp_path, template())) == Config()


def test_the_template_names_every_key_and_explains_it():
    text = template()
    none = {"systems", "models", "embedders"}  # by default
    assert set(tomllib.loads(text)) == set(Config.model_fields) - none
    for section, field in Config.model_fields.items():
        for key in getattr(field.annotation, "model_fields", {}):
            assert f"\n{key} = " in text or f"\n# {key} = " in text or f".{key}]" in text, f"{section}.{key}"
    lines = text.splitlines()
    keys = [(above, line) for above, line in pairwise(lines) if " = " in line and not line.startswith(("#", " "))]
    bare = [line for above, line in keys if "  # " not in line and not above.startswith("#")]
    assert bare == [], "each key is explained behind it or above it"
    assert max(map(len, lines)) <= 120


def test_the_template_shows_a_system_that_can_be_taken_out_of_its_comments(tmp_path):
    lines = template().splitlines()
    start = lines.index("# [systems.NAME]")
    end = lines.index("", start)
    shown = [line.removeprefix("# ") for line in lines[start:end]]
    assert load(written(tmp_path, "\n".join(shown))).systems == {"NAME": SystemConfig()}


def test_models_are_described_once_and_named_from_everywhere(tmp_path):
    text = """
        llm = "writer"
        judge = "reader"
        second_judge = ""

        [models]
        writer = { provider = "openai", model = "w-1" }
        reader = { provider = "openai", model = "r-1", endpoint = "OTHER" }
        [embedders.wide]
        provider = "openai"
        model = "e-1"

        [nli]
        method = "model"
        llm = "reader"
        [[retrieve.dense]]
        embed = "wide"
        [systems.mine]
        kind = "rag"
        rag = { llm = "writer", embed = "wide" }
        [correct]
        judge = "reader"
    """
    config = load(written(tmp_path, text))
    writer, reader = (LLMConfig(provider="openai", model="w-1"), config.judge)
    assert config.llm == writer == config.systems["mine"].rag.llm and reader.endpoint == "OTHER"
    assert config.nli.llm == reader == config.correct.judge and not config.second_judge.provider
    assert config.retrieve.dense[0].embed.model == "e-1" == config.systems["mine"].rag.embed.model
    plain = config.model_dump(mode="json")
    assert "models" not in plain and "embedders" not in plain, "what is asked is where it is asked"
    assert Config.model_validate(plain).llm == writer, "a model that is written out stays one"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('llm = "writer"', "llm: there is no [models.writer]; have none"),
        ('[nli]\nllm = "x"\n[models.y]\nprovider = "openai"\nmodel = "m"', "nli.llm: there is no [models.x]; have y"),
        ('[systems.me.rag]\nembed = "x"', "systems.me.rag.embed: there is no [embedders.x]; have none"),
    ],
)
def test_a_model_that_nobody_described_is_named_with_those_that_are(tmp_path, text, told):
    with pytest.raises(UsageFault, match=re.escape(told)):
        load(written(tmp_path, text))


def test_a_changed_value_is_taken_and_the_rest_stays(tmp_path):
    config = load(written(tmp_path, "[chunk]\nsize = 300\n"))
    assert config.chunk.size == 300
    assert config.model_copy(update={"chunk": Config().chunk}) == Config()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("chnk = {}", ["no key 'chnk'", "did you mean 'chunk'?", "allowed:"]),
        ("[chunk]\noverlaps = 3", ["[chunk] has no key 'overlaps'", "did you mean 'overlap'?", "tokenizer"]),
        ("size = 300", ["no key 'size'", "it belongs to [chunk]"]),
        ("[read.records]\ntxt = []", ["[read.records] has no key 'txt'", "'text'"]),
        ('[chunk]\nsize = "many"', ["chunk.size", "valid integer", "'many'"]),
        ("[chunk]\nsize = 1", ["chunk.size", "greater than or equal to 32"]),
        ('[chunk]\nprofile = "law"', ["chunk.profile", "no profile 'law'", "finance"]),
        ("chunk = 3", ["chunk", "(it is 3)"]),
        ("[chunk\n", ["not TOML", "line 1"]),
        ("models = 3", ["models", "(it is 3)"]),
        ('[models.m]\nmodle = "x"\n[correct]\njudge = "m"', ["[models.m] has no key 'modle'", "'model'"]),
    ],
)
def test_a_mistake_is_one_line_that_names_file_key_and_way_out(tmp_path, text, told):
    path = written(tmp_path, text)
    with pytest.raises(UsageFault) as fault:
        load(path)
    (line,) = str(fault.value).splitlines()
    assert line.startswith(f"{path}: ")
    for words in told:
        assert words in line


def test_every_mistake_has_its_line(tmp_path):
    with pytest.raises(UsageFault) as fault:
        load(written(tmp_path, '[chunk]\noverlaps = 3\nsize = "many"\n'))
    assert len(str(fault.value).splitlines()) == 2


def test_a_file_that_is_not_there_names_the_way_out(tmp_path):
    with pytest.raises(UsageFault, match="rarefy init"):
        load(tmp_path / "none.toml")


def test_a_file_in_another_encoding_is_told(tmp_path):
    path = tmp_path / "rarefy.toml"
    path.write_bytes(b"# caf\xe9\n")
    with pytest.raises(UsageFault, match="UTF-8"):
        load(path)


def test_whether_patterns_use_lines_of_a_cover_page_follows_who_asks():
    def used(**sections):
        return tracing(validate(sections, "here")).config.cover_facts

    assert used() is True and used(ask={"method": "model"}) is False
    assert used(ask={"method": "model"}, graph={"cover_facts": True}) is True
    assert used(graph={"cover_facts": False}) is False
