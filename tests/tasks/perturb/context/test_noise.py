"""Noise of each class is what its class says, and never holds the answer."""

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Chunk, Pool, Swap
from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.catalogue import CATALOGUE, load_maker
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.low_quality import falsify_passage
from rarefy.tasks.perturb.context.swaps import apply_edits

NOISE = ("distracting", "counterfactual", "debris", "inconsequential", "irrelevant")
GOLD = """In fiscal 2024, revenue was $47,525 million, an 80% rise.

|  | 2024 | 2023 |
|---|---|---|
| Revenue | 47,525 | 15,005 |
| Costs | 9,001 | 8,000 |"""
NEAR = (
    "## Results\n\nIn fiscal 2024 we spent $3,200 million on research, a 20% rise, and paid $1.5 billion to 29,600 "
    "employees in 36 countries. Gross margins improved in the fourth quarter of the year, as Note 5 says in full."
)
SHEET = """What we own is told below, in millions:

|  | 2024 | 2023 |
|---|---|---|
| Cash and equivalents | 7,280 | 3,389 |
| Marketable securities | 18,704 | 9,907 |
| Inventories of all kinds | 5,282 | 5,159 |
| Total assets | 31,266 | 18,455 |"""
FAR = "The owner of the project must keep all records of its tenants for as long as the agency that pays for it says."
TOLD = "As was said above, the revenue of 47.5 billion was the largest that this firm has ever had in any of its years."
CHUNKS = {
    name: Chunk(name, name[0], 0, len(text), "text", "Item 7 > Results", text, 0, title="Apex, Form 10-K")
    for name, text in {"a1": NEAR, "a2": SHEET, "a3": TOLD, "b1": FAR, "b2": TOLD}.items()
}
POOL = Pool(
    "p", "q", ("a1", "a2", "a3"), ("b1", "b2"),
    tuple(Swap("$47,525", new, "MONEY", "t") for new in ("$26,974", "$15,005", "$47,511", "$60,922")),
)  # fmt: skip
CASE = Case(
    "case", "context", GOLD, "q", "What was the revenue in fiscal 2024?", "$47,525", ("$47.5 billion", "47,525"),
    ((21, 42),), "gold", pool=POOL, chunks=CHUNKS,
)  # fmt: skip


def drafts(name: str, case: Case = CASE):
    return list(load_maker(CATALOGUE[name])(case, PerturbConfig(), Random("seed")))


@pytest.mark.parametrize("name", NOISE)
def test_noise_is_made_and_never_holds_the_answer(name):
    made = drafts(name)
    assert made
    for draft in made:
        assert all(not CHECKS[check](CASE, draft) for check in CATALOGUE[name].checks)
        assert draft.text != CASE.text and draft.text.strip()


@pytest.mark.parametrize("name", (*NOISE, "distraction_before", "distraction_after"))
def test_the_same_case_gives_the_same_drafts(name):
    assert drafts(name) == drafts(name)


@pytest.mark.parametrize("name", (*NOISE, "distraction_before", "distraction_after"))
def test_without_a_pool_there_is_no_noise(name):
    assert drafts(name, Case("c", "context", GOLD, answer="$47,525")) == []


def test_a_distracting_passage_is_the_gold_one_with_another_figure_in_every_notation():
    made = drafts("distracting")
    assert [d.detail for d in made] == ["$26,974 for $47,525", "$60,922 for $47,525"]
    assert "$26,974 million" in made[0].text and "| 26,974 | 15,005 |" in made[0].text
    assert all(GOLD[m.start : m.end] == made[0].text[m.at : m.at + m.end - m.start] for m in made[0].moves)


def test_a_passage_that_leads_to_the_answer_leads_elsewhere():
    text = "Our headquarters are in Boston, in the state of Massachusetts, and our people work there."
    pool = Pool(
        "p", "q", (), (), (Swap("$5", "$6", "MONEY"), Swap("Boston", "Denver", "GPE"), Swap("Boston", "Tampa", "GPE"))
    )
    case = Case("c", "context", text, "q", "What?", "$5", (), ((0, 30),), "g", pool=pool)
    assert [d.detail for d in drafts("distracting", case)] == ["Denver for Boston", "Tampa for Boston"]


def test_words_that_are_the_answer_by_accident_are_left():
    text = "We had 12 stores. Revenue is told elsewhere, by another."
    pool = Pool("p", "q", (), (), (Swap("12", "14", "NUMBER"),))
    case = Case("c", "context", text, "q", "What?", "12", (), ((18, 40),), "g", pool=pool)
    assert drafts("distracting", case) == []


def test_a_counterfactual_scales_what_belongs_together_and_keeps_dates_and_references():
    text = next(d.text for d in drafts("counterfactual") if d.chunk_id == "a1")
    assert "fiscal 2024" in text and "Note 5" in text and "a 20% rise" in text  # the change of sums scaled alike
    assert not any(figure in text for figure in ("3,200", "1.5", "29,600", " 36 "))
    first, second = (
        float(re.search(p, text)[1].replace(",", "")) for p in (r"\$([\d,]+) million", r"\$([\d.]+) billion")
    )
    assert first / 3200 == pytest.approx(second / 1.5, rel=0.1)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Present were Laura Lipscomb,4 Zeynep Senyuz,2 and Rebecca Zarutskie, of the staff.", False),  # notes
        ("They act as told in paragraphs 1 and 2 from time to time, and in footnote 2 below.", False),
        ("A year has 52 or 53 weeks, and a day 24 hours.", False),
        ("The GeForce RTX 4080-class performance is known to all.", False),
        ("Leases that begin then have terms between 3 and 7 years.", True),
        ("There were 15,115,823,000 shares of common stock outstanding.", True),
    ],
)
def test_what_counts_nothing_is_left_by_a_counterfactual(text, changed):
    edits = falsify_passage(text, (), Random("seed"))
    assert bool(edits) is changed
    assert all(re.fullmatch(r"[\d,.]+", text[start:end]) for start, end, _ in edits)


@pytest.mark.parametrize(
    ("text", "swap", "changed"),
    [
        ("He was president of Asta Group.", Swap("Asta Group", "Federal Reserve Bank", "ORG"), ""),
        ("He studied at the University of Toronto.", Swap("University of Toronto", "Lafayette College", "ORG"), ""),
        ("He left Varian, Inc. in May.", Swap("Varian, Inc.", "Tricon, Inc.", "ORG"), "He left Tricon, Inc. in May."),
        ("India Channels are seen in India and by Indian kids.", Swap("India", "Japan", "GPE"), ""),
        ("The seat is in Seattle, Washington for now.", Swap("Washington", "Texas", "STATE"), ""),
        ("It is held in Delaware for now.", Swap("Delaware", "Texas", "STATE"), "It is held in Texas for now."),
        ("The Microwave Power (“MP”) Division is told of.", Swap("Microwave Power", "Satcom Unit", "ORG"), ""),
        ("It implements `Future` for all.", Swap("Future", "Send", "ORG"), ""),
        ("What Graphics spent is told.", Swap("Graphics", "Grooming", "SEGMENT"), ""),
    ],
)  # fmt: skip
def test_a_name_gives_way_to_one_of_its_sort_where_nothing_else_names_it(text, swap, changed):
    edits = falsify_passage(text, (swap,), Random(0))
    assert apply_edits(text, edits)[0] == (changed or text)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Rates on loans declined somewhat in May.", "Rates on loans rose somewhat in May."),
        ("Rates on loans also declined somewhat in May.", ""),
        ("Rates have declined somewhat in May.", ""),
        ("Imports fell in May, edging higher in June.", ""),
        ("Sales increased in May. They remained weak.", ""),
        ("We sell in about 180 countries.", ""),
    ],
)
def test_a_trend_is_turned_only_where_nothing_leans_on_it(text, changed):
    assert apply_edits(text, falsify_passage(text, (), Random(0)))[0] == (changed or text)


def test_a_label_stays_with_the_words_that_describe_it():
    table = (
        "| Instrument | Impact | 2024 |\n|---|---|---|\n| Portfolio of bonds | Decline in fair value | 1,755 |\n"
        "| Term debt | Increase in interest expense | 1,139 |"
    )
    assert not falsify_passage(table, (), Random(0))


@pytest.mark.parametrize(
    "rows",
    [
        ("| Accounts receivable | 26,102 |", "| Cash at hand | 2,065 |", "| Accounts receivable, net | 25,085 |"),
        ("| Paid for leases | $(270.6) |", "| Leased for that | 263.7 |"),
        ("| Held at May 31, 2024 | 9.1 |", "| Granted | 6.6 |", "| Held at June 30, 2025 | 15.7 |"),
    ],
)
def test_labels_do_not_change_places_where_a_sign_or_another_row_would_tell(rows):
    assert not falsify_passage("\n".join(("| What | 2024 |", "|---|---|", *rows)), (), Random(0))


@pytest.mark.parametrize(
    "text",
    [
        "A senior needs 2 years (2 to the middle), as we say here.",
        "Our 2023 fiscal year was long.",
        "It takes 2-3 weeks until it is there.",
        "Each of them serves a two-year term. They serve no more than three terms of 2 years.",
        "A rise of 50 basis points (half a percentage point) is told.",
        "It prints `3 filtered out` at the end of it.",
    ],
)
def test_a_figure_that_is_told_twice_or_counts_nothing_stays(text):
    assert not falsify_passage(text, (), Random(0))


@pytest.mark.parametrize("seed", range(12))
def test_a_sum_and_a_half_stay_so(seed):
    text = "We paid $134 million, of which $49 million for assets and $85 million for goodwill."
    new = apply_edits(text, falsify_passage(text, (), Random(seed)))[0]
    total, *parts = map(int, re.findall(r"\$(\d+)", new))
    assert total == sum(parts)
    text = "The limit is $7,500 a year, or $3,750 a year if you split it."
    new = apply_edits(text, falsify_passage(text, (), Random(seed)))[0]
    whole, half = (int(n.replace(",", "")) for n in re.findall(r"\$([\d,]+)", new))
    assert whole == 2 * half


def test_a_counterfactual_is_made_of_what_is_near_the_question_first():
    texts = {
        "a1": "Our dogs are fed with some 40 kinds of food in all of our many parks.",
        "a2": "Our revenue comes from some 40 kinds of chips that are made in all of our many plants.",
    }
    chunks = {name: Chunk(name, "a", 0, 9, "text", "", text, 9) for name, text in texts.items()}
    case = replace(CASE, pool=Pool("p", "q", ("a1", "a2"), (), ()), chunks=CASE.chunks | chunks)
    assert [d.chunk_id for d in drafts("counterfactual", case)] == ["a2", "a1"]


def test_a_counterfactual_table_has_its_labels_moved_and_its_total_left():
    text = next(d.text for d in drafts("counterfactual") if d.chunk_id == "a2")
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")][2:]
    assert rows == ["Marketable securities", "Inventories of all kinds", "Cash and equivalents", "Total assets"]
    assert re.findall(r"[\d,]{5,}", text) == re.findall(r"[\d,]{5,}", SHEET)


def test_a_trend_is_turned_round_only_where_it_is_told_as_a_fact():
    told = "Demand increased in all of our markets. An increased risk was seen there. Costs may have increased in it."
    chunks = CHUNKS | {"a1": Chunk("a1", "a", 0, 9, "text", "", told, 0)}
    case = Case("c", "context", GOLD, "q", "What?", "$47,525", pool=POOL, chunks=chunks)
    text = next(d.text for d in drafts("counterfactual", case) if d.chunk_id == "a1")
    assert text == told.replace("Demand increased", "Demand decreased")


def test_rules_for_english_change_no_passage_in_another_language():
    chunks = CHUNKS | {"a1": replace(CHUNKS["a1"], language="de")}
    case = Case("c", "context", GOLD, "q", "What?", "$47,525", pool=POOL, chunks=chunks)
    assert {draft.chunk_id for draft in drafts("counterfactual", case)} == {"a2"}
    assert {draft.chunk_id for draft in drafts("inconsequential", case)} == {"a1", "a2"}


def test_debris_is_poor_in_words_of_its_passage_and_free_of_its_figures():
    for draft in drafts("debris"):
        source = CHUNKS[draft.chunk_id].text
        words = [w for w in re.findall(r"[^\W\d_]{4,}", draft.text) if w in source]
        assert len(words) < 0.7 * len(re.findall(r"[^\W\d_]{4,}", source))
        assert not re.search(r"\d,\d{3}", draft.text)


def test_what_is_near_is_taken_nearest_first_and_what_holds_the_answer_left():
    assert [d.chunk_id for d in drafts("inconsequential")] == ["a1", "a2"]
    assert [d.chunk_id for d in drafts("irrelevant")] == ["b1"]


@pytest.mark.parametrize(
    ("text", "off"),
    [
        ("A moderate spread over the intermeeting period, and marketing at that.", True),  # of other words
        ("At its meetings the board told how it marketed what it had.", False),
        ("The countries named here meet once, in the spring.", True),  # one word may be shared
    ],
)
def test_a_passage_is_on_the_topic_by_two_words_in_whichever_form(text, off):
    chunk = replace(CHUNKS["b1"], text=f"{text} {FAR}")
    asked = replace(CASE, question="At which meeting did the market and the rate rise?", chunks=CHUNKS | {"b1": chunk})
    assert ([d.chunk_id for d in drafts("irrelevant", asked)] == ["b1"]) is off


def test_a_distraction_stands_before_or_after_the_gold_passage_which_stays_whole():
    for name, joined in (("distraction_before", f"{FAR}\n\n{GOLD}"), ("distraction_after", f"{GOLD}\n\n{FAR}")):
        (draft,) = drafts(name)
        assert draft.text == joined and not draft.chunk_id
        (move,) = draft.moves
        assert draft.text[move.at : move.at + move.end - move.start] == GOLD


@given(st.text(max_size=400), st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_text_survives(text, answer, other):
    chunks = {"a1": Chunk("a1", "a", 0, len(text), "text", "", text, 0)}
    pool = Pool("p", "q", ("a1",), ("a1",), (Swap(answer, other, "GPE"),), (Swap(answer, other, "GPE"),))
    case = Case("c", "context", text, "q", text, answer, (), (), "g", pool=pool, chunks=chunks)
    for name in (*NOISE, "distraction_before", "distraction_after"):
        for draft in drafts(name, case):
            assert isinstance(draft.text, str)
            if name in NOISE and answer.strip():
                assert not CHECKS["no_answer"](case, draft) or name != "distracting"


def test_a_passage_that_holds_a_gold_sentence_or_names_what_leads_on_is_no_noise():
    row = "| Ada M. Roe | 57 | President and Chief Executive Officer |"
    held = {  # the row itself, and the name in other words
        "a1": f"Our directors:\n\n| Name | Age | Office |\n|---|---|---|\n{row}\n| Bo Li | 60 | Chair of it |",
        "a2": "Ada M. Roe has been our president for many years, and she was our treasurer for some years before that.",
        "b1": f"Of another report we say the same here:\n\n| Name | Age | Office |\n|---|---|---|\n{row}",
    }
    gold = f"What we say of officers.\n\n| Name | Age | Office |\n|---|---|---|\n{row}"
    chunks = CHUNKS | {
        k: Chunk(k, k[0], 0, len(t), "text", "", t, 0) for k, t in {**held, "g": gold, "h": GOLD}.items()
    }
    case = Case(
        "c", "context", gold, "q", "What was the revenue of the company whose chief executive officer is Ada M. Roe?",
        "$47,525", evidence=("| Name | Age | Office |", row, "Revenue"), golds=("g", "h"), pool=POOL, chunks=chunks,
    )  # fmt: skip
    for name in ("inconsequential", "counterfactual", "debris", "irrelevant", "distraction_after"):
        assert drafts(name, case) == [], name
    header = (
        "| Name | Age | Office |\n|---|---|---|\n| Bo Li | 60 | Chair of the board and of its one committee of pay |"
    )
    chunks["a1"] = Chunk("a1", "a", 0, 1, "text", "", f"Those who sit on our board are all told here:\n\n{header}", 0)
    assert [d.chunk_id for d in drafts("inconsequential", case)] == ["a1"]


REGIONS = """Revenue by region (in millions):

|  | 2023 | 2022 | 2021 |
|---|---|---|---|
| Revenue: |  |  |  |
| United States | $8,292 | $4,349 | $3,214 |
| Taiwan | 6,986 | 8,544 | 4,531 |
| China | 5,785 | 7,111 | 3,886 |
| Other countries | 5,911 | 6,910 | 5,044 |
| Total revenue | $26,974 | $26,914 | $16,675 |"""


def told_otherwise(text: str, old: str, new: str, question: str = "What was it?", kind: str = "MONEY") -> list[str]:
    pool = Pool("p", "q", (), (), (Swap(old, new, kind),))
    case = Case("c", "context", text, "q", question, old, (), ((0, len(text)),), "gold", pool=pool)
    return [draft.text for draft in drafts("distracting", case)]


def test_a_false_figure_of_a_table_leaves_a_table_that_adds_up():
    (part,) = told_otherwise(REGIONS, "5,785", "5,154")
    assert part == REGIONS.replace("5,785", "5,154").replace("26,974", "26,343")
    (total,) = told_otherwise(REGIONS, "$26,974", "$28,000")
    assert total == REGIONS.replace("26,974", "28,000").replace("8,292", "9,318")


def test_what_is_left_of_a_sum_and_the_total_of_segments_stay_right():
    text = (
        "|  | 2024 |\n|---|---|\n| Apps: |  |\n| Sales | $9,000 |\n| Costs | (4,000) |\n| Income | $5,000 |\n"
        "| Labs: |  |\n| Sales | $2,000 |\n| Costs | (1,200) |\n| Income | $800 |\n"
        "| Total: |  |\n| Sales | $11,000 |\n| Costs | (5,200) |\n| Income | $5,800 |"
    )
    (made,) = told_otherwise(text, "$11,000", "$12,500")
    changed = {a: b for a, b in zip(text.split("\n"), made.split("\n"), strict=True) if a != b}
    assert changed["| Sales | $11,000 |"] == "| Sales | $12,500 |"
    assert changed["| Sales | $9,000 |"] == "| Sales | $10,500 |"
    assert changed["| Income | $5,000 |"] == "| Income | $6,500 |"
    assert changed["| Income | $5,800 |"] == "| Income | $7,300 |"


def test_a_table_that_no_few_changes_would_put_right_is_not_told_otherwise():
    text = "|  | 2024 |\n|---|---|\n| Sales | 9,000 |\n| Costs | 8,900 |\n| Profit | 100 |\n| All | 18,000 |"
    assert told_otherwise(text, "9,000", "5,000") == []


def test_no_city_is_moved_to_another_state():
    text = "California (State of incorporation)\n\nOne Park Way Cupertino, California (Address of our offices)"
    pool = Pool("p", "q", (), (), (Swap("California", "Delaware", "PLACE"),))
    case = Case("c", "context", text, "q", "What did the firm of California earn?", "18", (), ((0, 10),), pool=pool)
    assert [draft.text for draft in drafts("distracting", case)] == [text.replace("California", "Delaware", 1)]
    assert told_otherwise(text, "California", "Delaware", kind="PLACE") == []


def test_a_person_is_gone_with_the_surname_or_the_passage_is_not_used():
    text = "Commander Neil Armstrong landed in 1969. Armstrong became the first person to step onto the Moon."
    asked = "Who was the first person on the Moon?"
    assert told_otherwise(text, "Neil Armstrong", "Neil Martin", asked, "PERSON") == [
        text.replace("Armstrong", "Martin")
    ]
    assert told_otherwise(text, "Neil Armstrong", "Neil Martin", asked, "NAME") == []


def test_what_the_question_is_about_is_never_renamed():
    text = "The Eiffel Tower is named after the engineer Gustave Eiffel, whose company built it."
    assert told_otherwise(text, "Gustave Eiffel", "Gustave Martin", "Who built the Eiffel Tower?", "PERSON") == []


def test_no_sentence_is_made_to_contradict_the_table_below_it():
    text = (
        "As of December 31, 2024 we had $29.0 billion of notes, of which $10.5 billion were issued this year.\n\n"
        "|  | 2024 |\n|---|---|\n| August 2024 Notes | 10,500 |\n| Older Notes | 18,500 |\n| Total amount | 29,000 |"
    )
    chunks = {"a1": Chunk("a1", "a", 0, len(text), "text", "", text, 0)}
    pool = Pool("p", "q", ("a1",), (), ())
    case = Case("c", "context", GOLD, "q", "What was it?", "$47,525", (), ((21, 42),), "gold", pool=pool, chunks=chunks)
    for draft in drafts("counterfactual", case):
        assert "$29.0 billion" in draft.text and "$10.5 billion" in draft.text


@pytest.mark.parametrize("name", ("irrelevant", "distraction_before", "distraction_after"))
def test_a_passage_from_elsewhere_does_not_tell_another_firms_figure_of_the_same_measure(name):
    other = "Interest expenses rose in the year, and other income fell, as the next table of our results shows in full."
    chunks = CHUNKS | {"b1": Chunk("b1", "b", 0, len(other), "text", "", other, 0)}
    asked = replace(CASE, question="What was the other income before interest?", chunks=chunks)
    assert drafts(name, asked) == []


def test_a_name_in_short_is_the_answer_too():
    told = "The Vistula is the longest river of the country, and rises in the hills of the south before it turns north."
    chunks = CHUNKS | {"b1": Chunk("b1", "b", 0, len(told), "text", "", told, 0)}
    asked = replace(CASE, question="On what does the town stand?", answer="River Vistula", aliases=(), chunks=chunks)
    assert not any("Vistula" in draft.text for draft in drafts("irrelevant", asked))


def test_no_row_with_nothing_in_a_year_changes_its_label():
    text = (
        "|  | 2013 | 2012 |\n|---|---|---|\n| Research of new things | 10,411 | 9,811 |\n"
        "| Selling to the trade | 15,276 | 13,857 |\n| Goodwill impairment | 0 | 6,193 |\n| Legal matters | — | 800 |"
    )
    edits = falsify_passage(text, (), Random("seed"))
    assert {text[a:b] for a, b, _ in edits} == {"Research of new things", "Selling to the trade"}


def test_an_opening_balance_stays_the_closing_one_of_the_year_before():
    text = (
        "|  | 2025 | 2024 |\n|---|---|---|\n| Net change | (399) | 1,094 |\n| Effect of rates | 1,200 | 300 |\n"
        "| Cash at beginning of year | 9,935 | 8,541 |\n| Cash at end of year | $10,736 | $9,935 |"
    )
    for made in told_otherwise(text, "$10,736", "$11,000"):
        assert "| Cash at beginning of year | 9,935 | 8,541 |" in made and "| 1,464 |" in made
