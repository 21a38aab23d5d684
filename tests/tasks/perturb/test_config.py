"""Which kinds a config has: those of a first look, or all that rules can make."""

from rarefy.tasks.evaluate.protocols import ProtocolsConfig
from rarefy.tasks.evaluate.protocols.sure import TYPES
from rarefy.tasks.perturb import PerturbConfig
from rarefy.tasks.perturb.catalogue import CATALOGUE, choose_perturbations
from rarefy.tasks.perturb.mix.config import NOISE


def names(config):
    return {entry.name for entry in choose_perturbations(config)}


def test_a_first_look_has_what_each_protocol_needs():
    first, options = names(PerturbConfig()), ProtocolsConfig()
    assert {*options.rare.queries, options.rare.lexical_similar} <= first
    assert all(first & set(TYPES[kind]) for kind in ("logic", "format", "metadata"))  # style and source take a model
    assert "html" in first  # what a page with metadata is compared with
    assert first & set(options.effect_size.superficial) and first & set(options.effect_size.distraction)
    families = {CATALOGUE[name].family for name in first}
    assert {"golden", *NOISE} <= families


def test_all_kinds_are_all_that_rules_can_make():
    every = names(PerturbConfig().with_all_kinds())
    assert names(PerturbConfig()) < every
    made = {e.name for e in CATALOGUE.values() if e.rules and e.default}
    assert made <= every


def test_what_a_config_names_stays_as_it_is_with_all_kinds():
    config = PerturbConfig(query=("word",), document=()).with_all_kinds()
    assert config.query == ("word",) and config.document == ()
    assert "counterfactual" in names(config)
