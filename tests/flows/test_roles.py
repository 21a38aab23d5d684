"""Which models write and compare variants, and what a config lacks for it."""

import pytest

from rarefy.flows.cli.doctor import of_nli
from rarefy.flows.config import Config
from rarefy.flows.engine.config_check import config_remarks, model_faults
from rarefy.flows.engine.stages import models_asked, varying
from rarefy.flows.models import roles
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.nli import NLIConfig
from rarefy.tasks.perturb import PerturbConfig

ONE, TWO = (LLMConfig(provider="openai", model=name) for name in ("m-1", "m-2"))


def config(by="model", document=("style", "source"), nli=None, **more):
    perturb = PerturbConfig(by=by, query=(), document=document, context=())
    return Config(perturb=perturb, nli=nli or NLIConfig(), **more)


def test_rules_ask_nobody_whatever_is_chosen_and_named():
    given = config(by="rules", llm=ONE, generator=TWO)
    assert varying.asked(given) == {} and models_asked(given) == [] and list(model_faults(given)) == []
    assert {*varying(given).tools} == {"embed", "nli"} and "unanswered" not in varying(given).makes


def test_the_model_writes_and_the_system_under_test_writes_its_own():
    given = config(llm=ONE, generator=TWO)
    assert varying.asked(given) == {"llm": ONE, "generator": TWO} and models_asked(given) == [ONE, TWO]
    assert varying.asked(config(document=("style",), llm=ONE, generator=TWO)) == {"llm": ONE}
    assert varying.asked(config(document=("self_generated",), generator=TWO)) == {"generator": TWO}
    assert varying.asked(config(document=("json",), llm=ONE)) == {}
    assert "unanswered" in varying(given).makes


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (config(), {"llm.provider": 'perturb.by = "model"', "generator.provider": '"self_generated"'}),
        (config(llm=ONE), {"generator.provider": '"self_generated"'}),
        (config(llm=ONE, document=("style",)), {}),
        (config(document=("self_generated",), generator=TWO), {}),
        (config(by="rules"), {}),
    ],
)
def test_a_model_that_is_asked_for_and_not_named_is_a_fault_with_the_key_that_asks(given, lines):
    told = list(model_faults(given))
    assert len(told) == len(lines)
    for line, (place, key) in zip(told, lines.items(), strict=True):
        assert line.startswith(f"{place}: ") and key in line


def test_an_inference_by_a_model_is_a_model_that_is_asked():
    given = config(by="rules", document=("style",), nli=NLIConfig(method="model", llm=TWO))
    assert roles.needs_entailment(given) and roles.model_of_tool(given.nli) == TWO and models_asked(given) == [TWO]
    assert "unanswered" in varying(given).makes
    assert (
        roles.model_of_tool(NLIConfig()) is None
        and roles.model_of_tool(given.embed) is None
        and roles.model_of_tool(ONE) == ONE
    )


def test_where_nothing_must_be_entailed_no_inference_is_connected():
    given = config(document=("json", "answer_deleted"), nli=NLIConfig(method="model", llm=TWO))
    assert not roles.needs_entailment(given) and models_asked(given) == [] and "nli" not in varying(given).tools
    assert of_nli(given)[1] == "not available"


@pytest.mark.parametrize(
    ("nli", "fault"),
    [
        (NLIConfig(method="guess"), "nli.method: no 'guess' here; have rules"),
        (NLIConfig(method="nowhere:check"), "nli.method: 'nowhere:check' cannot be imported"),
        (NLIConfig(method="cross-encoder", model="./nowhere"), "nli.model: "),
        (NLIConfig(method="model", llm=LLMConfig(provider="nobody", model="m")), "nli.llm.provider: no 'nobody' here"),
    ],
)
def test_an_inference_that_is_not_to_be_had_is_told_by_its_key(nli, fault):
    (told,) = model_faults(config(by="rules", nli=nli))
    assert told.startswith(fault)


def test_what_is_allowed_and_yet_strange_is_worth_a_word():
    other = NLIConfig(method="model", llm=LLMConfig(provider="openai", model="m-3"))
    assert list(config_remarks(config(llm=ONE, generator=TWO, nli=other))) == []
    (same,) = config_remarks(config(llm=ONE, generator=ONE, nli=other))
    assert "the same texts" in same
    (own,) = config_remarks(config(document=("style",), llm=ONE, nli=NLIConfig(method="model", llm=ONE)))
    assert "nli.llm" in own
    (idle,) = config_remarks(config(by="rules", generator=TWO))
    assert "[generator] is not asked" in idle
    (vain,) = config_remarks(config(document=("style", "json"), llm=ONE))
    assert "most of simple, complex will be written, paid for and rejected" in vain


def test_prompts_of_variants_are_part_of_what_they_hang_on():
    assert "prompts" in varying.dependencies(config(llm=ONE)) and "prompts" not in varying.dependencies(config("rules"))
