"""A question that only looks different says the same."""

import re
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case, Move, join_pieces
from rarefy.tasks.perturb.checks import same_letters
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query import surface
from rarefy.tasks.perturb.query.surface import find_removable_punctuation
from rarefy.tasks.perturb.query.words import apply_edits, compose_drafts, draw_distinct

CASED = [surface.upper_case, surface.lower_case, surface.proper_case]
ALL = [*CASED, surface.no_punctuation, surface.butter_fingers, surface.character_swap,
       surface.white_space, surface.superficial_mix]  # fmt: skip
QUESTIONS = [
    "What was Apple Inc.'s gross margin (in %) for Services in fiscal 2024?",
    "How much did the U.S. segment of Target grow, by 47.5% or by $1,234.5 million, in Q3 2021?",
    "What does 24 CFR § 880.205(b) say about a 3% reserve, e.g. for U.S.C. purposes?",
    "who wrote the song hey jude",
    "Why don't penguins' feet freeze, and what's “it”?",
    "| Net sales | 391,035 | 383,285 |",
    "Was kostet die Straße in İstanbul?",
    "Зачем компания купила завод?",
    "מה היו ההכנסות של החברה?",
    "公司2024年的收入是多少？",
    "a\u0301b cafe\u0301 zero\u200bwidth 👍 \\n </body>",
    "INTC",
    "?",
    "",
]
TEXTS = st.one_of(st.sampled_from(QUESTIONS), st.text(max_size=80))


def drafts(make, text, seed=0, language="en", count=4):
    return list(islice(make(Case("c", "query", text, language=language), PerturbConfig(), Random(seed)), count))


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
@given(text=TEXTS, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_every_draft_differs_and_its_moves_are_true(make, text, seed):
    made = drafts(make, text, seed)
    assert len({d.text for d in made} | {text}) == len(made) + 1
    assert [d.text for d in made] == [d.text for d in drafts(make, text, seed)]
    for draft in made:
        assert re.findall(r"\d+(?:[.,]\d+)*", draft.text) == re.findall(r"\d+(?:[.,]\d+)*", text)
        assert all(text[m.start : m.end] == draft.text[m.at : m.at + m.end - m.start] for m in draft.moves)


@pytest.mark.parametrize("make", [*CASED, surface.white_space], ids=lambda make: make.__name__)
@given(text=TEXTS, seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_case_and_white_space_change_no_letter(make, text, seed):
    for draft in drafts(make, text, seed):
        assert same_letters(Case("c", "query", text), draft) == ""
        if make is surface.white_space:
            assert draft.text.split() == text.split()


def words_of(make, text, language="en"):
    """Every word that some draft changes, as it becomes."""
    return {w for seed in range(20) for d in drafts(make, text, seed, language) for w in d.text.split()} - set(
        text.split()
    )


def test_capitals_make_no_names_and_no_codes():
    text = "how did it help us and who may target the shell of apple in march"
    assert not words_of(surface.upper_case, text) & {"US", "IT", "WHO", "MAY", "TARGET", "APPLE", "MARCH", "SHELL"}
    assert not words_of(surface.proper_case, text) & {"Us", "It", "May", "Target", "Apple", "March", "Shell"}


def test_a_name_loses_its_capital_only_where_it_stays_the_name():
    text = "What did Target, Apple and Microsoft sell to the US, Turkey and Jassy in May?"
    lost = words_of(surface.lower_case, text)
    assert lost == {"what", "microsoft", "jassy"}


def test_units_and_symbols_keep_their_case():
    assert not words_of(surface.upper_case, "What is charged at 5 mbps or for 300 kwh?") & {"MBPS", "KWH", "KWH?"}


@pytest.mark.parametrize("make", CASED, ids=lambda make: make.__name__)
def test_what_has_no_case_or_another_one_is_left_alone(make):
    assert drafts(make, "公司的收入是多少") == [] == drafts(make, "מה היו ההכנסות") == drafts(make, "")
    assert not any("i" in w.lower() for w in words_of(make, "Istanbul nerede ve izmir ilimiz", "tr"))
    assert "STRASSE" not in " ".join(words_of(make, "die Straße und straße"))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("What was it, in 2024?", "What was it in 2024"),
        ("Did sales of $1,234.5 fall by 47.5%?", "Did sales of $1,234.5 fall by 47.5%"),
        ("Who leads the U.S.?", "Who leads the U.S."),
        (
            "What did Apple Inc., the maker, sell on September 28, 2024?",
            "What did Apple Inc the maker sell on September 28 2024",
        ),
        ("In 2022, 2023 and 2024?", "In 2022, 2023 and 2024"),
        ("What does No. 5 of 8.2(b) say?", "What does No. 5 of 8.2(b) say"),
        ('Who sang "Hello" in Yahoo! ads?', "Who sang Hello in Yahoo ads"),
        ("What was Target's income (loss)?", "What was Target's income (loss)"),
        ("Is it 5' 3\"?", "Is it 5' 3\""),
        ("你好，世界？", "你好，世界"),
    ],
)
def test_punctuation_goes_only_where_nothing_hangs_on_it(text, bare):
    draft = drafts(surface.no_punctuation, text)[0]
    assert draft.text == bare
    assert list(find_removable_punctuation(bare)) == []


def test_a_mix_is_of_two_kinds_at_least():
    for seed in range(30):
        for draft in drafts(surface.superficial_mix, QUESTIONS[0], seed):
            names = [f.__name__ for f in ALL if f"{f.__name__} (" in draft.detail]
            assert 2 <= len(names) <= 3
            assert draft.moves and not {"butter_fingers", "character_swap"} <= set(names)


def test_letters_are_swapped_only_in_scripts_with_letters_to_swap():
    assert drafts(surface.character_swap, "公司的收入是多少 全年净利润") == []
    assert drafts(surface.character_swap, "Зачем компания купила завод?", language="ru")


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    "text", ["Net sales, of words. " * 50_000, "x" * 1_000_000, '"' * 1_000_000], ids=["words", "one", "marks"]
)
def test_a_megabyte_is_changed_or_left(make, text):
    made = next(iter(make(Case("c", "query", text), PerturbConfig(share=0.01), Random(0))), None)
    assert made is None or made.text != text


@given(text=st.text("ab ,", min_size=1, max_size=30), seed=st.integers(0, 200))
@settings(deadline=None)
def test_composed_changes_keep_what_both_left_alone(text, seed):
    random = Random(seed)

    def change(old):
        places = sorted(random.sample(range(len(old) + 1), min(4, len(old) + 1) // 2 * 2))
        pairs = zip(places[::2], places[1::2], strict=True)
        return apply_edits(old, [(a, b, random.choice(["", "X", "YZ"])) for a, b in pairs])

    one = change(text)
    both = compose_drafts(one, change(one.text))
    kept = {i for m in both.moves for i in range(m.start, m.end)}
    assert all(text[m.start : m.end] == both.text[m.at : m.at + m.end - m.start] for m in both.moves)
    assert kept <= {i for m in one.moves for i in range(m.start, m.end)}


def test_edits_may_not_overlap():
    with pytest.raises(ValueError, match="overlap at character 1"):
        apply_edits("abc", [(0, 2, "x"), (1, 3, "y")])


def test_pieces_say_where_they_came_from():
    draft = join_pieces("abcdef", [(3, 6), "-", (0, 2)])
    assert draft.text == "def-ab" and draft.moves == (Move(3, 6, 0), Move(0, 2, 4))


def test_what_is_drawn_again_and_again_comes_to_an_end():
    assert [d.text for d in draw_distinct("a", lambda: apply_edits("a", [(0, 1, "b")]))] == ["b"]
