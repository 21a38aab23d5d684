"""What a config names is looked for before a build, and what variants depend on besides names their tables."""

import pytest

from rarefy.flows.config import Config
from rarefy.flows.engine.config_check import check_config, check_variants
from rarefy.flows.engine.stages import drawing, varying
from rarefy.flows.faults import UsageFault
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.perturb import PerturbConfig


def config(**perturb: object) -> Config:
    return Config(perturb=PerturbConfig(**perturb))  # type: ignore[arg-type]


@pytest.mark.parametrize("look", [check_config, check_variants])
def test_a_perturbation_that_is_not_there_has_a_line_of_its_own(look):
    wrong = config(query=("nonsense",), document=("json", "upper_case"), context=("mine:gone",), pools={"golden_x": 3})
    with pytest.raises(UsageFault) as fault:
        look(wrong)
    lines = str(fault.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        f"perturb.{key}" for key in ("query", "document", "context", "pools")
    ]
    assert (
        "no query perturbation 'nonsense'; have surface" in lines[0]
        and "no document perturbation 'upper_case'" in lines[1]
    )
    assert "mine:gone" in lines[2] and "no perturbation 'golden_x'; have golden" in lines[3]


def test_the_defaults_are_all_there():
    assert check_variants(Config()) is None  # it raises with a line for each that is not


def test_variants_hang_on_the_words_and_models_that_ship():
    found = varying.dependencies(Config())
    assert {"interchangeable.tsv", "wordnet", "pipeline", "model", "spacy", "torch"} <= set(found)
    assert all(found[name] for name in ("interchangeable.tsv", "wordnet", "pipeline", "model"))


def test_a_function_from_outside_is_read():
    found = varying.dependencies(config(query=("makers:numbered",)))
    assert len(found["makers:numbered"]) == 32
    assert found["makers:numbered"] == drawing.dependencies(config(query=("makers:numbered",)))["makers:numbered"]


def test_nobody_is_asked_to_entail_what_needs_no_entailment():
    assert set(varying(config(query=("upper_case",), document=(), context=())).tools) == {"embed"}
    assert set(varying(config(query=("paraphrase",), document=(), context=())).tools) == {"embed", "nli"}


def test_a_model_is_asked_where_the_config_says_so():
    asked = config(query=("grammar",), document=(), context=(), by="model")
    asked = asked.model_copy(update={"llm": LLMConfig(provider="openai", model="m")})
    assert "llm" in varying(asked).tools and "unanswered" in varying(asked).makes
    assert "unanswered" not in varying(config()).makes and not drawing(asked).tools
