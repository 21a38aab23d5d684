"""Another order of the same words asks the same, or there is none."""

import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.checks import same_facts
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.grammar import grammar
from rarefy.tasks.perturb.query.question_parts import parse_question

ONLY_MARKS = {"no question mark", "capital, question mark", "no comma after what comes first"}
# What a rewrite may add or drop besides order: words of grammar
GRAMMAR = set("the of s is was it that which had did do does sold please tell me whether".split())


def drafts(text, entity="", seed=0):
    return list(grammar(Case("c", "query", text, entity=entity), PerturbConfig(), Random(seed)))


def orders(text, entity=""):
    return {d.text for d in drafts(text, entity) if d.detail not in ONLY_MARKS}


def test_a_comma_before_what_comes_first_does_not_stay_behind():
    (first,) = (
        d.text for d in drafts("What is the unit price for S-2511-A (Part no.), in EUR?") if "first" in d.detail
    )
    assert first == "In EUR, what is the unit price for S-2511-A (Part no.)?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "For which of these did Apple's net sales grow at the faster rate in 2024: services or Mac?",
            "For which of these did Apple's net sales grow at the faster rate in 2024: Mac or services?",
        ),
        (
            "In which regions did AMD report higher net revenue: Europe, China (including Hong Kong, Macau), or Japan?",
            "In which regions did AMD report higher net revenue: Japan, China (including Hong Kong, Macau) or Europe?",
        ),
        (
            "What was the decrease in Apple's inventories from the end of 2023 to the end of 2025?",
            "Please tell me what the decrease in Apple's inventories from the end of 2023 to the end of 2025 was.",
        ),
    ],
)
def test_what_is_offered_is_turned_and_a_noun_phrase_told(text, expected):
    assert expected in orders(text)


def test_what_is_offered_stays_behind_what_is_asked():
    text = "Where did NVIDIA's revenue grow at the fastest rate, in Taiwan, the United States or China?"
    assert not [d.text for d in drafts(text) if d.text.endswith("where?")]


def test_options_that_need_their_preposition_are_not_turned():
    assert not [d for d in drafts("When was it lowest: in fiscal 2022, 2023 or 2024?") if "offered" in d.detail]


@pytest.mark.parametrize(
    ("text", "entity", "expected"),
    [
        (
            "What was Apple Inc.'s gross margin for Services in fiscal 2024, in millions of US dollars?",
            "Apple Inc.",
            {
                "In fiscal 2024, what was Apple Inc.'s gross margin for Services, in millions of US dollars?",
                "In millions of US dollars, what was Apple Inc.'s gross margin for Services in fiscal 2024?",
                "What was the gross margin of Apple Inc. for Services in fiscal 2024, in millions of US dollars?",
                "Please tell me what Apple Inc.'s gross margin for Services was in fiscal 2024, in millions of US "
                "dollars.",
            },
        ),
        (
            "At the end of fiscal year 2024, what was the net debt, in millions of US dollars, of the company that "
            "issued the 1.150% Notes due 2028?",
            "Hidden Inc.",
            {
                "Please tell me what the net debt of the company that issued the 1.150% Notes due 2028 was at the end "
                "of fiscal year 2024, in millions of US dollars.",
                "What was the net debt at the end of fiscal year 2024, in millions of US dollars, of the company "
                "that issued the 1.150% Notes due 2028?",
                "At the end of fiscal year 2024, what was the net debt, in millions of US dollars, of the company "
                "which issued the 1.150% Notes due 2028?",
            },
        ),
        (
            "What were the diluted earnings of Apple Inc. in fiscal year 2024?",
            "Apple Inc.",
            {
                "What were Apple Inc.'s diluted earnings in fiscal year 2024?",
                "In fiscal year 2024, what were the diluted earnings of Apple Inc.?",
                "Please tell me what the diluted earnings of Apple Inc. in fiscal year 2024 were.",
            },
        ),
        (
            "In which quarter will ASU 2025-06 become effective for Apple Inc.?",
            "",
            {"ASU 2025-06 will become effective for Apple Inc. in which quarter?"},
        ),
        ("In which city was Albert Einstein born?", "",
         {"Albert Einstein was born in which city?", "Which city was Albert Einstein born in?",
          "Please tell me in which city Albert Einstein was born."}),
        ("who wrote the song hey jude", "", {"who was it that wrote the song hey jude"}),
        ("Did Norway's GDP grow by more than 2.5% in Q3 2021?", "",
         {"In Q3 2021, did Norway's GDP grow by more than 2.5%?",
          "Please tell me whether Norway's GDP grew by more than 2.5% in Q3 2021."}),
        (
            "What damages are available under 42 U.S.C. § 1983 if a municipality's policy caused the loss?",
            "",
            {"If a municipality's policy caused the loss, what damages are available under 42 U.S.C. § 1983?"},
        ),
        (
            "If 24 CFR part 880 conflicts with the rules for projects, which part controls?",
            "",
            {"Which part controls if 24 CFR part 880 conflicts with the rules for projects?"},
        ),
        ("Which product did Apple discontinue in 2023?", "",
         {"In 2023, which product did Apple discontinue?", "Please tell me which product Apple discontinued in 2023.",
          "Apple discontinued which product in 2023?", "Which product was it that Apple discontinued in 2023?"}),
        ("At 37signals, who must approve it?", "", {
         "At 37signals, who is it that must approve it?"}),
        ("Who must approve the purchase of a computer at 37signals?", "", {
            "At 37signals, who must approve the purchase of a computer?",
            "Please tell me who must approve the purchase of a computer at 37signals.",
            "Who is it that must approve the purchase of a computer at 37signals?",
        }),
        ("What was the increase in Medicare?", "", {"Please tell me what the increase in Medicare was."}),
        ("Of Ohio and Iowa, which had the higher rate?", "", {"Which of Ohio and Iowa had the higher rate?"}),
        ("In fiscal 2024, what was the cost of the segment of the company?", "", {
            "What was the cost of the segment of the company in fiscal 2024?",
            "Please tell me what the cost of the segment of the company was in fiscal 2024.",
        }),
        ("How much higher was revenue in 2024 than in 2023?", "",
         {"Please tell me how much higher revenue was in 2024 than in 2023."}),
        ("How often are lessons released?", "", {"Please tell me how often lessons are released."}),
        ("Which adapters should the room come with?", "",
         {"Please tell me which adapters the room should come with."}),
        ("What must a traveller who upgrades pay?", "", set()),
        ("What was NIKE's compensation expense as a percentage of its revenue in fiscal 2024?", "NIKE", {
            "Please tell me what NIKE's compensation expense as a percentage of its revenue was in fiscal 2024.",
            "In fiscal 2024, what was NIKE's compensation expense as a percentage of its revenue?",
        }),
        ("Which method does not block the thread?", "", set()),
        ("Under 24 CFR 3280.111, at least how many inches of space must be kept?", "", {
            "At least how many inches of space must be kept, under 24 CFR 3280.111?",
        }),
        ("What’s the boiling point of water?", "", {"What is the boiling point of water?"}),
    ],
)  # fmt: skip
def test_words_move_only_where_they_say_the_same(text, entity, expected):
    assert orders(text, entity) == expected


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("What was the price of the plan adopted in 2024?", "In 2024"),
        ("Who wrote the novel set in 1984?", "In 1984"),
        ("What did Apple say about its revenue in 2023?", "In 2023"),
        ("How does NVIDIA describe its acquisition in 2020?", "In 2020"),
        ("What was the budget for 2024?", "For 2024"),
        ("What drove the growth of the expense that came to $27,601 million in 2025?", "In 2025"),
        ("What was the theme of the conference held in 2019?", "In 2019"),
        ("What are the notes due in 2025 called?", "In 2025"),
        ("What did the FDA approve in December 2020, and which company made it?", "In December"),
        ("What was the amount of the shares it repurchased in 2024?", "In 2024"),
        ("Was revenue higher in 2023 than in 2022?", "In 2022"),
        ("What was McDonald's revenue in 2020?", "of McDonald"),
        ("What was Destiny's Child in 1999?", "of Destiny"),
        ("What is the weather like in Paris?", "is what"),
        ("What is the company worth?", "is what"),
        ("What was the house Elvis bought called?", "was what"),
        ("In 2025, what share was made through the channels in which stock declines?", "declines in 2025"),
        ("Which group does the company say in its 2024 10-K it targets no advertising to?", "says"),
        ("Who decides if the claim is valid?", "If"),
        ("If a participant loses its place, who decides whether it may come back?", "Who decides"),
        ("What is the city of Paris in Texas?", "Paris's"),
    ],
)
def test_no_order_is_better_than_another_question(text, wrong):
    assert not any(wrong in draft.text for draft in drafts(text))


def real(shared):
    lines = (shared / "reference" / "recorded-model" / "questions.jsonl").read_text("utf-8").splitlines()
    return [question for line in lines if (question := json.loads(line)["question"])]


def bag(text):
    return re.findall(r"[^\W_]+", text.lower())


def test_real_questions_keep_their_words_facts_and_places(shared):
    moved = 0
    for text in real(shared):
        case = Case("c", "query", text)
        found = list(grammar(case, PerturbConfig(), Random(1)))
        moved += any(draft.detail not in ONLY_MARKS for draft in found)
        assert len({draft.text for draft in found} | {text}) == len(found) + 1
        for draft in found:
            before, after = bag(text), bag(draft.text)
            new = [word for word in after if word not in before]
            assert all(word in GRAMMAR or word[:2] in {w[:2] for w in before} for word in new), draft.text
            assert same_facts(case, draft) == "", draft.text
            assert all(text[m.start : m.end] == draft.text[m.at : m.at + m.end - m.start] for m in draft.moves)
            assert "  " not in draft.text and " ," not in draft.text and "??" not in draft.text
    assert moved > 0.45 * len(real(shared))


def test_which_order_comes_first_is_drawn():
    text = "What was Apple Inc.'s revenue in fiscal 2024?"
    firsts = {drafts(text, "Apple Inc.", seed)[0].text for seed in range(40)}
    assert len(firsts) >= 3
    assert drafts(text, "Apple Inc.", 3) == drafts(text, "Apple Inc.", 3)


@pytest.mark.parametrize(
    "text", ["", " ", "?", "INTC", "Revenue", "| a | b |", "What\nwas it?", "What " * 300_000, "in 2024, " * 100_000]
)
def test_what_is_no_question_is_left_alone(text):
    assert drafts(text) == []


@given(st.text(max_size=120))
@settings(max_examples=60, deadline=None)
def test_any_text_is_survived(text):
    for asked_for in (text, f"What was {text} in 2024?", f"In 2024, what {text}?"):
        for draft in drafts(asked_for):
            assert draft.text != asked_for


def test_the_parts_of_a_question():
    text = "As of June 30, 2024, to whom was the debt owed, according to its 2024 Form 10-K?"
    parts = parse_question(text)
    assert parts and parts.front and text[parts.front.start : parts.front.end] == "As of June 30, 2024"
    assert (parts.wh, text[slice(*parts.aux)], text[slice(*parts.body)]) == ("whom", "was", " the debt owed")
    assert [(tail.kind, tail.comma) for tail in parts.tails] == [("source", True)]
