"""The catalogue has every row of the papers, and what it says of each is so."""

import pytest

from rarefy.data_contracts.suites.variants import FAMILIES
from rarefy.tasks.find import find
from rarefy.tasks.perturb import CATALOGUE, PerturbConfig, choose_perturbations
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.model_drafts import CONVERSATIONS
from rarefy.tasks.perturb.proof import ENTAILMENT, SIMILARITY


def test_every_row_of_sures_taxonomy_is_there():
    rows = [e for e in CATALOGUE.values() if e.paper.startswith("SURE") and e.default]
    families = [e.family for e in rows]
    assert len(rows) == 15
    counts = {"style": 2, "source": 2, "logic": 3, "format": 4, "metadata": 4}
    assert {f: families.count(f) for f in families} == counts
    printed = {e.name for e in CATALOGUE.values() if not e.default}
    assert printed == {f"{e.name}_as_printed" for e in rows if e.family in ("format", "metadata")}


def test_the_other_papers_rows_are_there():
    rare = {e.name for e in CATALOGUE.values() if e.paper.startswith("RARE")}
    assert rare == {"character", "word", "grammar", "irrelevant_detail", "answer_deleted", "back_translation"}
    ibm = [e.family for e in CATALOGUE.values() if e.paper.startswith("IBM")]
    assert (ibm.count("superficial"), ibm.count("paraphrase"), ibm.count("distraction")) == (8, 1, 2)
    classes = {e.family for e in CATALOGUE.values() if e.paper.startswith("Magic")}
    assert classes == {"golden", "distracting", "low_quality", "inconsequential", "irrelevant"}
    pools = PerturbConfig().pools
    assert pools["counterfactual"] + pools["debris"] == 7
    assert {"golden_augmented": 10, "distracting": 10, "inconsequential": 7, "irrelevant": 7}.items() <= pools.items()


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_entry_leads_to_what_it_names(name):
    entry = CATALOGUE[name]
    assert entry.rules or entry.role, "somebody must make it"
    if entry.rules:
        assert callable(find(entry.rules, {}))
    if entry.role:
        assert entry.role in CONVERSATIONS
    assert set(entry.checks) <= {*CHECKS, SIMILARITY, ENTAILMENT}
    assert set(entry.baseline) <= {"none", *CATALOGUE}
    before, after = entry.example
    assert before and after and (before != after or not entry.changes)


def test_a_family_stands_for_its_members_and_a_name_for_itself():
    config = PerturbConfig(query=("superficial",), document=("format", "json_as_printed"), context=())
    names = [entry.name for entry in choose_perturbations(config)]
    assert len(names) == 8 + 4 + 1 and names[-1] == "json_as_printed" and len(set(names)) == len(names)


def test_the_contract_of_variants_asks_no_more_and_no_other_than_the_catalogue():
    assert {entry.family for entry in CATALOGUE.values()} == {*FAMILIES}
    for entry in CATALOGUE.values():
        proven = FAMILIES[entry.family]
        assert proven.side == entry.side and proven.checks <= set(entry.checks), entry.name


def test_a_name_that_is_a_family_too_is_all_there_is_of_it():
    families = {e.family: [o.name for o in CATALOGUE.values() if o.family == e.family] for e in CATALOGUE.values()}
    assert all(families.get(name, [name]) == [name] for name in CATALOGUE)
