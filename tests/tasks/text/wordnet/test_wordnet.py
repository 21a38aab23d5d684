"""Lemmas, forms and synonyms as the shipped table gives them."""

import time

import pytest

from rarefy.tasks.text import wordnet


@pytest.mark.parametrize(
    ("word", "lemma", "pos", "form"),
    [
        ("companies", "company", "n", "plural"),
        ("children", "child", "n", "plural"),
        ("bought", "buy", "v", "ed"),
        ("began", "begin", "v", "past"),
        ("begun", "begin", "v", "participle"),
        ("supplied", "supply", "v", "ed"),
        ("computing", "compute", "v", "ing"),
        ("exceeds", "exceed", "v", "s"),
        ("largest", "large", "a", "superlative"),
        ("bigger", "big", "a", "comparative"),
    ],
)
def test_a_form_is_traced_to_its_lemma_and_made_from_it(word, lemma, pos, form):
    assert wordnet.Reading(lemma, pos, form) in wordnet.readings(word)
    assert wordnet.inflect(lemma, pos, form) == word


@pytest.mark.parametrize(
    ("lemma", "pos", "form", "made"),
    [
        ("rate of interest", "n", "plural", "rates of interest"),
        ("manufacturing plant", "n", "plural", "manufacturing plants"),
        ("buy back", "v", "ed", "bought back"),
        ("set up", "v", "ed", "set up"),
        ("stop", "v", "ing", "stopping"),
        ("tax", "n", "plural", "taxes"),
        ("country", "n", "plural", "countries"),
        ("stay", "v", "ed", "stayed"),
        ("important", "a", "superlative", None),  # "most important" is another word
        ("begin", "v", "ed", None),  # began or begun?
    ],
)
def test_terms_are_inflected_at_their_head(lemma, pos, form, made):
    assert wordnet.inflect(lemma, pos, form) == made


def test_a_word_may_be_several_things():
    assert {r.lemma for r in wordnet.readings("found")} >= {"found", "find"}


def test_synonyms_come_sense_by_sense():
    assert wordnet.senses("fiscal", "a") == (("financial",),)
    assert wordnet.senses("auditor", "n")[0][0] == "hearer"  # why they are not used unread
    assert wordnet.synonyms("qwzx", "n") == ()


def test_names_are_no_words_of_the_table():
    assert not wordnet.known("nvidia") and not wordnet.known("xqzt")
    assert wordnet.known("Sales")


def test_disparaging_senses_offer_no_synonyms():
    assert wordnet.known("cripple")  # a word, so that no typing error makes it
    assert "gimp" not in wordnet.synonyms("cripple", "n")


def test_the_table_is_read_in_a_blink():
    wordnet._rows.cache_clear()
    start = time.process_time()
    wordnet.senses("year", "n")
    assert wordnet.TABLE.stat().st_size < 3_000_000
    assert time.process_time() - start < 1  # 0.1 s on the machine it was written on


def test_licences_lie_beside_the_table():
    names = {path.name for path in wordnet.TABLE.parent.iterdir()}
    assert {"ATTRIBUTION.md", "LICENSE.md", "PRINCETON.txt"} <= names
    assert "CC BY 4.0" in wordnet.TABLE.with_name("ATTRIBUTION.md").read_text("utf-8")


def test_a_noun_is_a_kind_of_what_is_more_general_and_steps_from_its_neighbours():
    assert wordnet.is_kind_of("oxygen", "gas") and not wordnet.is_kind_of("gas", "oxygen")
    assert wordnet.is_kind_of("physicians", "doctor")
    assert wordnet.is_noun("carbon dioxide") and not wordnet.is_noun("qwzx")
    assert wordnet.steps_between("oxygen", "nitrogen") == 2 and wordnet.steps_between("oxygen", "qwzx") is None
