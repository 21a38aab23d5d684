"""Statements in another syntax, held by what each must become and by what must be left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.text.syntax import RULES, replacements, rewrites
from rarefy.tasks.text.syntax.pieces import Edit, Kept, edited, join_pieces, moves

MADE = [
    ("The company acquired Mellanox in 2020.", "Mellanox was acquired by the company in 2020."),
    ("Participants supported the staff proposal.", "The staff proposal was supported by participants."),
    ("The owner must execute a grant agreement.", "A grant agreement must be executed by the owner."),
    ("He was defeated in the 1942 Democratic primary by James Eastland.",
     "James Eastland defeated him in the 1942 Democratic primary."),
    ("The film was released in Hong Kong theatres on 21 January 2000.",
     "On 21 January 2000, the film was released in Hong Kong theatres."),
    ("In fiscal year 2022, we retired our existing 349 million treasury shares.",
     "We retired our existing 349 million treasury shares in fiscal year 2022."),
    ("Payment of the monetary penalty is stayed until the lawsuit is resolved.",
     "Until the lawsuit is resolved, payment of the monetary penalty is stayed."),
    ("If the mortgagee does not agree, the loan must be refinanced.",
     "The loan must be refinanced if the mortgagee does not agree."),
    ("They also announced plans to open 100 more locations.",
     "In addition, they announced plans to open 100 more locations."),
    ("However, core inflation was still well below 2 percent.",
     "Core inflation, however, was still well below 2 percent."),
]  # fmt: skip

LEFT = [
    "Revenue and income grew 5% and 7%, respectively.",  # whose order says what belongs to what
    "Sales did not fall because prices rose.",  # what is denied reaches over the clause
    "The Association will only guarantee securities if the issuer executes an agreement.",
    "Because Apple grew, it hired.",  # a pronoun would stand before its name
    "Sales rose from $5 million in 2023 to $6 million in 2024.",  # a time of a sum, not of the verb
    "The company has two subsidiaries.",  # no passive
    "Every bank holds a bond.",  # which of the two counts comes first matters
    "Apple repurchased its shares.",
    "",
    "Revenue",
    "| a | b |",
    "😀 ‮abc‬ \u200b.",
]


def made(sentence: str) -> set[str]:
    return {join_pieces(sentence, way.pieces) for way in rewrites(sentence)}


@pytest.mark.parametrize(("sentence", "wanted"), MADE, ids=[wanted[:40] for _, wanted in MADE])
def test_a_sentence_is_put_in_another_syntax(sentence, wanted):
    assert wanted in made(sentence)


@pytest.mark.parametrize("sentence", LEFT)
def test_a_sentence_in_which_a_move_could_change_the_meaning_is_left(sentence):
    assert made(sentence) == set()


@pytest.mark.parametrize("sentence", [sentence for sentence, _ in MADE])
def test_what_stays_stands_where_its_move_says(sentence):
    for way in rewrites(sentence):
        text = join_pieces(sentence, way.pieces)
        kept = list(moves(way.pieces))
        assert kept
        for start, end, at in kept:
            assert text[at : at + end - start] == sentence[start:end]


def test_an_incorporated_name_at_the_end_brings_its_own_full_stop():
    (way,) = [w for w in rewrites("Janssen Biotech, Inc. owns a separate patent portfolio.") if w.rule == "passive"]
    assert join_pieces("Janssen Biotech, Inc. owns a separate patent portfolio.", way.pieces).endswith("Inc.")


def words_of(sentence: str) -> set[str]:
    return {
        join_pieces(sentence, edited((Kept(0, len(sentence)),), [edit]))
        for edits in replacements(sentence)
        for edit in edits
    }


def test_words_are_replaced_in_their_form_and_with_their_article():
    assert "This had a substantial effect on sales and a particular cost." not in words_of("x")
    assert "Spending continued to expand at a strong pace." in words_of(
        "Spending continued to expand at a robust pace."
    )
    assert "We faced an abrupt decline." in words_of("We faced a sudden decline.")
    assert "We bought two plants." in words_of("We purchased two plants.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Common stock and retained earnings were unchanged.",
        "The effective interest rate on the notes was 5%.",
        "Our principal executive offices are in Ohio.",
        "The Company is a large accelerated filer.",
    ],
)
def test_terms_are_left_alone(sentence):
    assert words_of(sentence) == set()


def test_phrases_are_replaced_where_they_stand():
    assert "Sales fell because of lower prices." in words_of("Sales fell as a result of lower prices.")
    assert "For instance, sales fell in March." in words_of("For example, sales fell in March.")


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=80))
def test_no_text_breaks_a_rule(text):
    for way in rewrites(text):
        assert join_pieces(text, way.pieces)
    replacements(text)


def test_a_megabyte_is_not_parsed():
    assert rewrites("word " * 200_000) == ()
    assert replacements("word " * 200_000) == ()


def test_edits_and_rewrites_go_together():
    source = "In 2020, we purchased it."
    turned = (Kept(9, 24), " ", "in", Kept(2, 7), Kept(24, 25))
    assert join_pieces(source, edited(turned, [Edit(12, 21, "bought")])) == "we bought it in 2020."


def test_every_rule_is_named():
    assert all(name == rule.__name__ for name, rule in RULES.items())
