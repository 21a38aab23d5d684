"""What becomes one name, what never does, and that order has no say in it."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from rarefy.data_contracts.rows import Document, Merge, Triplet, row_id
from rarefy.tasks.knowledge.normalise import NormaliseConfig, normalise
from rarefy.tasks.models.embed import Embedder, Vectors


def near(*groups: str) -> Embedder:
    """An embedder to which labels of one group ("a|b") are all but the same, and others far apart."""
    group_of = {name: index for index, group in enumerate(groups) for name in group.split("|")}

    def embed(texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row, group_of.get(text, 30 + hash_of(text) % 30)] = 1
            vectors[row, 63] = 0.1 + hash_of(text) % 7 / 100
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    return embed


def hash_of(text: str) -> int:
    return int(row_id(text), 16)


def fact(
    subject: str, relation: str, thing: str, kinds: str = "ORG PRODUCT", method: str = "prose", **more: str
) -> Triplet:
    subject_type, object_type = kinds.split()
    row = Triplet(
        triplet_id=row_id(subject, relation, thing, kinds, method, *more.values()),
        chunk_id="c",
        doc_id="d",
        start=0,
        end=1,
        subject=subject,
        relation=relation,
        object=thing,
        source_sentence=f"{subject} {relation} {thing}.",
        method=method,
        subject_type=subject_type,
        object_type=object_type,
    )
    return replace(row, **more)


def run(rows: list[Triplet], *groups: str, **config: object) -> tuple[list[Triplet], list[Merge]]:
    made = list(normalise(rows, NormaliseConfig(**config), embed=near(*groups)))
    return [row for row in made if isinstance(row, Triplet)], [row for row in made if isinstance(row, Merge)]


def test_relations_near_each_other_become_the_most_supported_one() -> None:
    rows = [fact("A", "manufactures", "x"), fact("B", "manufactures", "y"), fact("C", "produces", "z")]
    keyed, (merge,) = run(rows, "manufactures|produces")
    assert [row.relation_key for row in keyed] == ["manufactures"] * 3
    assert (merge.name, merge.canonical, merge.entity_type) == ("produces", "manufactures", "ORG > PRODUCT")
    assert "C produces z." in merge.evidence and "manufactures" in merge.evidence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("increased", "decreased"),
        ("rose", "fell"),
        ("reported basic earnings", "reported diluted earnings"),
        ("holds current assets", "holds noncurrent assets"),
        ("holds current assets", "holds non-current assets"),
        ("reports gross sales", "reports net sales"),
        ("reports net sales", "reports sales"),
        ("has total assets", "has total liabilities"),
        ("has domestic income", "has foreign income"),
        ("income before taxes", "income taxes"),
        ("closed before", "closed after"),
        ("owns 5% of", "owns 10% of"),
        ("has two plants", "has three plants"),
        ("acquired", "was acquired by"),
        ("supplies to", "supplies from"),
        ("granted", "was granted"),
        ("may acquire", "acquired"),
        ("supports", "does not support"),
        ("includes", "excludes"),
        ("lends to", "borrows to"),
        ("issued shares", "repurchased shares"),
        ("short-term debt", "long-term debt"),
        ("cutting", "raising"),
        ("vested", "unvested"),
        ("first quarter of", "second quarter of"),
        ("has served as", "has served in"),
        ("other (income) expense", "other income (expense)"),
        ("earnings per share", "shares used in computing earnings per share"),
        ("accumulated comprehensive loss", "comprehensive loss"),
        ("cash provided", "cash used"),
        ("was chief executive officer of", "is chief executive officer of"),
        ("is chief executive officer of", "is chief legal officer of"),
        ("is vice president of", "is president of"),
        ("is director of", "is former director of"),
        ("sold", "sells"),
        ("were made in", "are made in"),
        ("led", "leads"),
    ],
)
def test_opposites_never_merge_however_near_they_are_embedded(one: str, other: str) -> None:
    rows = [fact("A", one, "x"), fact("B", other, "y")]
    keyed, merges = run(rows, f"{one}|{other}")
    assert not merges and [row.relation_key for row in keyed] == [one, other]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("increased", "grew"),
        ("was sold by", "were sold by"),
        ("is based in", "is located in"),
        ("makes", "produces"),
        ("was lowered partly by", "was lowered by"),
        ("is attorney of", "is lawyer of"),
        ("had revenues of", "had revenue of"),
        ("were apparently boosted by", "was boosted by"),
    ],
)
def test_words_of_one_side_may_merge(one: str, other: str) -> None:
    assert len(run([fact("A", one, "x"), fact("B", other, "y")], f"{one}|{other}")[1]) == 1


def test_relations_of_different_types_or_of_tables_merge_by_form_only() -> None:
    rows = [fact("A", "makes", "x"), fact("B", "produces", "y", "PERSON PRODUCT")]
    assert not run(rows, "makes|produces")[1]
    rows = [fact("A", label, "5", "ORG MONEY", "table") for label in ("Net sales", "net sales", "Net revenue")]
    keyed, (merge,) = run(rows, "Net sales|net sales|Net revenue")
    assert merge.canonical == "Net sales"
    assert [row.relation_key for row in keyed] == ["Net sales", "Net sales", "Net revenue"]
    rows = [
        fact("A", label, "5", "ORG MONEY", "table")
        for label in ("Non-current assets", "noncurrent assets", "Margin", "Margin %")
    ]
    assert len(run(rows)[1]) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("other income (expense), net", "other (income) expense, net"),
        ("income (loss)", "income loss"),
        ("margin 5.5", "margin 55"),
    ],
)
def test_brackets_and_digits_are_more_than_form(one: str, other: str) -> None:
    assert not run([fact("A", one, "5", "ORG MONEY", "table"), fact("A", other, "5", "ORG MONEY", "table")])[1]


def test_a_set_never_grows_by_a_chain_of_neighbours() -> None:
    angles = {"makes": 0.0, "builds": 0.4, "forges": 0.8}  # cosine 0.92 between neighbours, 0.70 between the ends

    def embed(texts: Sequence[str]) -> Vectors:
        return np.array([[np.cos(angles[t]), np.sin(angles[t])] for t in texts], dtype=np.float32)

    rows = [fact("A", name, "x") for name in angles]
    made = list(normalise(rows, NormaliseConfig(), embed=embed))
    assert sum(isinstance(row, Merge) for row in made) == 1


def test_the_order_of_the_triplets_has_no_say() -> None:
    names = [
        "Apple Inc.",
        "Apple",
        "APPLE INC",
        "The Coca-Cola Company",
        "Coca Cola Co",
        "Acme LLC",
        "Acme Corp",
        "Acme",
    ]
    verbs = ["makes", "produces", "builds", "sells", "Makes"]
    rows = [fact(n, v, f"thing {i % 5}") for i, n in enumerate(names) for v in verbs[: i % 5 + 1]]
    expected = None
    for seed in range(5):
        Random(seed).shuffle(rows)
        keyed, merges = run(rows, "makes|produces|builds|Makes")
        result = (sorted((r.triplet_id, r.subject_key, r.relation_key, r.object_key) for r in keyed), merges)
        expected = expected or result
        assert result == expected


def keys(*names: str, kind: str = "ORG", **config: object) -> list[str]:
    rows = [fact(name, "makes", f"x{i}", f"{kind} PRODUCT") for i, name in enumerate(names)]
    return [row.subject_key for row in run(rows, **config)[0]]


def test_organisations_merge_over_suffix_case_and_punctuation() -> None:
    assert len(set(keys("Apple Inc.", "Apple", "APPLE, INC.", "Apple Incorporated"))) == 1
    assert len(set(keys("The Coca-Cola Company", "COCA COLA CO", "Coca-Cola"))) == 1
    assert len(set(keys("JPMorgan Chase & Co.", "JPMorgan Chase", "Procter & Gamble", "Procter and Gamble"))) == 2
    assert keys("Ernst & Young LLP", "ERNST & YOUNG LLP", "Ernst & Young LLP")[1] == "ORG:Ernst & Young LLP"


def test_a_bare_name_that_two_companies_could_have_is_no_ones() -> None:
    assert len(set(keys("Acme LLC", "Acme Corp", "Acme"))) == 3
    assert len(set(keys("Bank of America", "Bank of Canada", "Bank"))) == 3


def test_other_types_merge_over_case_accents_and_spaces_only() -> None:
    assert len(set(keys("São Paulo", "Sao  Paulo", "SAO PAULO", kind="GPE"))) == 1
    assert len(set(keys("Paris Inc.", "Paris", "Paris.", kind="GPE"))) == 3
    rows = [fact("Apple Inc.", "makes", "Apple"), fact("Apple", "is", "round", "PRODUCT TEXT")]
    keyed, merges = run(rows)
    assert not merges and {keyed[0].subject_key, keyed[0].object_key} == {"ORG:Apple Inc.", "PRODUCT:Apple"}


def test_a_registrant_keeps_its_registered_name() -> None:
    rows = [fact("Apple", f"makes{i}", "x", entity="Apple Inc.") for i in range(5)] + [fact("Apple Inc.", "makes", "x")]
    assert {row.subject_key for row in run(rows)[0]} == {"ORG:Apple Inc."}


def test_a_short_name_stated_in_a_sentence_is_an_alias_unless_two_state_it() -> None:
    stated = fact("Meta Platforms, Inc.", "runs", "x", source_sentence='Meta Platforms, Inc. ("Meta") runs x.')
    rows = [stated, fact("Meta", "runs", "y")]
    assert {row.subject_key for row in run(rows)[0]} == {"ORG:Meta"}
    other = fact("Meta Materials LLC", "runs", "z", source_sentence="Meta Materials LLC (“Meta”) runs z.")
    assert len({row.subject_key for row in run([*rows, other])[0]}) == 3
    generic = fact("Meta Platforms, Inc.", "runs", "x", source_sentence='Meta Platforms, Inc. (the "Company") runs x.')
    assert len({row.subject_key for row in run([generic, fact("Company", "runs", "y")])[0]}) == 2


def test_a_name_with_its_own_initials_in_brackets_is_the_same_name() -> None:
    rows = [
        fact(name, "is built by", "x", "NAME ORG")
        for name in ("Space Launch System", "Space Launch System (SLS)", "Acme", "Acme (UK)")
    ]
    keyed, (merge,) = run(rows)
    assert [row.subject_key for row in keyed] == ["NAME:Space Launch System"] * 2 + ["NAME:Acme", "NAME:Acme (UK)"]
    assert "initials" in merge.evidence


def test_a_name_with_initials_in_brackets_is_the_organisation_without() -> None:
    rows = [
        fact("Cross Project Council", "runs", "x", "ORG NAME"),
        fact("Cross Project Council (CPC)", "runs", "y", "NAME NAME"),
    ]
    assert {row.subject_key for row in run(rows)[0]} == {"ORG:Cross Project Council"}


def test_aliases_of_the_config_are_used_within_a_type() -> None:
    made = keys("Google", "Alphabet Inc.", aliases={"google": "Alphabet Inc."})
    assert made == ["ORG:Alphabet Inc."] * 2


def test_equal_literals_share_a_key_only_as_the_same_fact() -> None:
    base = {"value": "5", "unit": "USD", "period_end": "2024-12-31"}
    rows = [
        fact("Apple Inc.", "net sales", "$5", "ORG MONEY", "table", **base),
        fact("Apple", "Net sales", "5 million", "ORG MONEY", "table", **base),
        fact("Apple Inc.", "net income", "$5", "ORG MONEY", "table", **base),
        fact("Tesla, Inc.", "net sales", "$5", "ORG MONEY", "table", **base),
        fact("Apple Inc.", "net sales", "$5", "ORG MONEY", "table", **(base | {"period_end": "2023-12-31"})),
        fact("Apple Inc.", "net sales", "5%", "ORG PERCENT", "table", **(base | {"unit": "percent"})),
    ]
    made = [row.object_key for row in run(rows)[0]]
    assert made[0] == made[1] and len(set(made)) == 5


def test_rejected_triplets_go_through_unkeyed_and_count_for_nothing() -> None:
    rows = [fact("A", "makes", "x"), fact("A", "makes ", "y", rejected_because="empty_part")]
    keyed, merges = run(rows)
    assert keyed[1] == rows[1] and not merges and keyed[0].relation_key == "makes"
    assert list(normalise([], NormaliseConfig(), embed=near())) == []


def test_every_merge_is_of_two_names_and_has_a_name_of_its_own() -> None:
    rows = [fact(n, v, "x") for n in ("Apple Inc.", "apple inc", "Apple") for v in ("makes", "Makes", "produces")]
    merges = run(rows, "Makes|produces")[1]
    assert len({m.merge_id for m in merges}) == len(merges) == 4
    assert all(m.name != m.canonical and m.evidence for m in merges)


def test_a_thing_is_what_a_sentence_calls_it_for_short() -> None:
    full = fact("Chief Revenue Officer", "approves", "discounts", "NAME NAME")
    full = replace(full, source_sentence="The Chief Revenue Officer (CRO) approves discounts.")
    rows, _ = run([full, fact("CRO", "reports to", "board", "NAME NAME")])
    assert len({row.subject_key for row in rows}) == 1


@pytest.mark.parametrize(("other", "one"), [("d", True), ("e", False)])
def test_a_team_has_one_name_with_and_without_that_word_in_one_document(other: str, one: bool) -> None:
    rows, _ = run([
        fact("Finance Team", "approves", "budgets", "NAME NAME"),
        replace(fact("Finance", "pays", "invoices", "NAME NAME"), doc_id=other),
        fact("Sales Team", "signs", "deals", "NAME NAME"),
        fact("Sales Group", "meets", "clients", "NAME NAME"),
        fact("Sales", "calls", "leads", "NAME NAME"),
    ])  # fmt: skip
    assert (rows[0].subject_key == rows[1].subject_key) is one
    assert len({row.subject_key for row in rows[2:]}) == 3


def test_a_name_without_a_type_is_the_one_organisation_that_has_a_legal_form_behind_it() -> None:
    rows, merges = run([
        fact("Dell Inc.", "owns", "EMC", "ORG NAME"),
        fact("Dell", "buys from", "Intel", "NAME NAME"),
        fact("Acme LLC", "owns", "Bolt", "ORG NAME"),
        fact("Acme Corp.", "owns", "Nut", "ORG NAME"),
        fact("Acme", "owns", "Screw", "NAME NAME"),
    ])  # fmt: skip
    assert rows[1].subject_key == rows[0].subject_key == "ORG:Dell Inc."
    assert len({row.subject_key for row in rows[2:]}) == 3
    assert [(merge.name, merge.canonical) for merge in merges] == [("Dell", "Dell Inc.")]


def of_document(text: str) -> dict[str, Document]:
    return {"d": Document("d", "h", "d", "", "text/plain", text)}


@pytest.mark.parametrize(
    ("full", "text", "one"),
    [
        ("Zorvane Works Council", "Zorvane has a council. At Zorvane it is called Works Council.", True),
        ("Zorvane Works Council", "The Works Council meets.", False),
        ("Second Works Council", "The Works Council is not the Second Works Council. Second thoughts.", False),
        ("Works Council of Zorvane", "The Works Council of Zorvane meets. The Works Council decides.", True),
    ],
)
def test_a_role_is_that_of_the_one_owner_whom_its_documents_name(full: str, text: str, one: bool) -> None:
    rows = [fact("Works Council", "meets in", "June", "ORG NAME"), fact(full, "has", "seats", "ORG NAME")]
    made = normalise(rows, NormaliseConfig(), embed=near(), documents=of_document(text))
    keys = {row.subject_key for row in made if isinstance(row, Triplet)}
    assert (len(keys) == 1) is one


def test_a_role_of_two_owners_is_neither_ones() -> None:
    names = ["Works Council", "Zorvane Works Council", "Quillan Works Council"]
    rows = [fact(name, "meets in", "June", "ORG NAME") for name in names]
    made = normalise(rows, NormaliseConfig(), embed=near(), documents=of_document("Zorvane, Zorvane, Quillan, Quillan"))
    assert len({row.subject_key for row in made if isinstance(row, Triplet)}) == 3


def test_a_role_is_the_same_in_the_plural_and_a_single_word_is_not() -> None:
    rows = [
        fact(name, "is chosen", "x", "NAME NAME")
        for name in ("Senior Delegate", "Senior Delegates", "Orsa Varlin", "Orsa Varlins", "Motor", "Motors")
    ]
    keys = [row.subject_key for row in run(rows)[0]]
    assert keys[0] == keys[1] and len(set(keys)) == 5
