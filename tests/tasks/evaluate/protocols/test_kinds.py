"""Which kinds of question count in which protocol's numbers: the documented table, and what the numbers are of."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from framed import RIGHT, WRONG, by_name, framed, made, pooled

from rarefy.data_contracts.rows import KINDS, hops_of
from rarefy.tasks.evaluate.protocols import PROTOCOLS, ProtocolsConfig, TrialsConfig, trials

ROOT = Path(__file__).parents[4]
CONFIGS = ProtocolsConfig()
EVERY = [(name, kind) for name, kind in product(PROTOCOLS, KINDS) if kind != "absent"]


def says(protocol, kind):
    if kind in protocol.kinds:
        return "counts"
    return "beside" if kind in protocol.beside else "not asked"


def test_the_documented_table_is_that_of_the_code():
    rows = [re.findall(r"[\w` -]+", line) for line in (ROOT / "docs" / "kinds.md").read_text().splitlines()]
    told = {row[0].strip(" `"): [cell.strip() for cell in row[1:]] for row in rows if len(row) == 1 + len(PROTOCOLS)}
    assert {kind: told[kind] for kind in KINDS} == {
        kind: [says(protocol, kind) for protocol in PROTOCOLS.values()] for kind in KINDS
    }
    assert not any(set(protocol.kinds) & set(protocol.beside) for protocol in PROTOCOLS.values())


def test_what_is_not_there_is_asked_only_where_refusing_may_be_right():
    asking = [protocol for protocol in PROTOCOLS.values() if protocol.asks("absent")]
    assert asking and all(protocol.refusal and protocol.abstention for protocol in asking)
    assert not any("absent" in protocol.kinds for protocol in PROTOCOLS.values())


def cases_of(name):
    """Four cases that a protocol can try."""
    if name == "magic_mushroom":
        return pooled(4)
    documents = ("answer_deleted", "back_translation", "html", "json", "reverse_order")
    return made(4, documents=documents, retrievers=("bm25", "dense"))


def frame_of(name, kind, system):
    """The trials of four cases, the last two of them of a kind."""
    cases = cases_of(name)
    changed = [replace(one, question=replace(one.question, pattern=kind)) for one in cases[2:]]
    return framed(PROTOCOLS[name], [*cases[:2], *changed], getattr(CONFIGS, name), system)


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_headlines_are_of_the_kinds_that_count_and_others_stand_beside(name, kind):
    protocol, config = PROTOCOLS[name], getattr(CONFIGS, name)

    def system(trial):
        return RIGHT if trial.question_id in ("q0", "q1") else WRONG

    found = by_name(protocol, frame_of(name, kind, system), config)
    first = cases_of(name)[:2]
    alone = by_name(protocol, framed(protocol, first, config, system), config)
    heads = [key for key, one in found.items() if one.headline]
    beside = {key: one for key, one in found.items() if key[1] == f"pattern={kind}"}
    assert heads
    if kind in protocol.kinds:
        assert any(total(found[key]) != total(alone[key]) for key in heads)
        return
    assert beside and not any(one.headline for one in beside.values())
    assert all("in no headline" in one.note for one in beside.values())
    assert {key: total(one) for key, one in found.items() if key not in beside} == {
        key: total(one) for key, one in alone.items()
    }


def total(measure):
    """The sums that a number is made of."""
    parts = measure.of if hasattr(measure, "of") else (measure,)
    return [(one.numerator.sum(), one.denominator.sum(), one.counts) for one in parts]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_pattern_of_ones_own_counts(name):
    assert PROTOCOLS[name].asks("mine:ring") and "mine:ring" not in PROTOCOLS[name].uncounted


def test_what_is_not_asked_has_no_trials():
    cases = [replace(one, question=replace(one.question, pattern="absent", chunk_ids=())) for one in made(1)]
    config = TrialsConfig(chosen=tuple(PROTOCOLS), takes=frozenset(("closed_book", "passages", "own")), options=CONFIGS)
    rows = trials(
        [one.question for one in cases], config,
        variants={row.variant_id: row for row in cases[0].queries},
        chunks=cases[0].chunks, hits={row.hits_id: row for row in cases[0].hits.values()},
    )  # fmt: skip
    assert {row.protocol for row in rows} == {name for name, one in PROTOCOLS.items() if one.asks("absent")}


def test_hops_are_of_the_patterns():
    assert {kind: hops_of(kind) for kind in KINDS} == {
        "single": "single", "chain": "multi", "star": "multi", "inverted_star": "multi",
        "comparison": "computed", "change": "computed", "share": "computed", "superlative": "computed",
        "listing": "computed", "absent": "",
    }  # fmt: skip


@pytest.mark.parametrize("name", PROTOCOLS)
def test_beside_what_is_chosen_from_named_things_stands_what_a_guess_gets(name):
    cases = cases_of(name)
    changed = [
        replace(one, question=replace(one.question, pattern="comparison", chance=chance))
        for one, chance in zip(cases, (0.0, 0.0, 0.5, 0.3), strict=True)
    ]
    given = [*cases[:2], *changed[2:]]
    config = getattr(CONFIGS, name)
    found = by_name(PROTOCOLS[name], framed(PROTOCOLS[name], given, config, lambda trial: RIGHT), config)
    of_kind = [one for one in found.values() if one.slice == "pattern=comparison"]
    assert of_kind and all("a guess among what is named is right in 40%" in one.note for one in of_kind)
    assert not any("a guess" in one.note for one in found.values() if one.slice != "pattern=comparison")


def test_of_what_may_be_chosen_only_some_questions_may_name_it():
    cases = made(4)
    given = [
        replace(one, question=replace(one.question, pattern="superlative", chance=chance))
        for one, chance in zip(cases, (0.25, 0.0, 0.25, 0.25), strict=True)
    ]
    config = CONFIGS.effect_size
    frame = framed(PROTOCOLS["effect_size"], given, config, lambda trial: RIGHT, ("closed_book", "passages"))
    assert frame.guess() == (
        "a guess among what is named is right in 25%, of the 75% of the questions that name what may be chosen"
    )
