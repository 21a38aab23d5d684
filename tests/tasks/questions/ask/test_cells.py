"""Cells of anybody's tables, from files to judged questions: words, what names the table, and comparisons."""

import re

import numpy as np
import pytest

from rarefy.data_contracts.rows import Question, Triplet
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.knowledge import extract, graph, normalise
from rarefy.tasks.knowledge.extract.cell_names import is_name
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.questions.ask.cells import say_head

MANUAL = """# HX-200 heat pump

## Technical data

| Property | HX-200/6 | HX-200/9 | HX-200/12 |
|---|---|---|---|
| Weight (kg) | 118 | 134 | 152 |
| Fuse size | 16 A | 20 A | 25 A |

## Error codes

| Code | Meaning | What to do |
|---|---|---|
| E01 | Flow too low | Clean the filter |
| E04 | Sensor lost | Check the connector |
"""
TRAVEL = """# Halvorsen travel policy

## Daily allowances by destination

| Destination | Half day (EUR) | Permits |
|---|---|---|
| Norway | 31 | 2 |
| Germany | 24 | 3 |
| United Kingdom | 27.50 | 3 |
"""
ROOMS = """# Guide of Halvorsen

## Office hours by site

| Site | Opens | Desk phone |
|---|---|---|
| Drammen | 06:30 | 1100 |
| Hamburg | 07:30 | 3100 |
| Gothenburg | 07:00 | 2100 |
"""


def questions_of(tmp_path, **files: str) -> list[Question]:
    """The questions that pass all gates, on Markdown files of these names."""
    for name, text in files.items():
        (tmp_path / f"{name}.md").write_text(f"{text}\nThese are words of prose that stand below the table.\n")
    documents = {d.doc_id: d for d in read_corpus(tmp_path, ReadConfig())}
    chunks = {c.chunk_id: c for c in chunk(documents.values(), ChunkConfig())}
    found = extract.extract(chunks.values(), extract.ExtractConfig(methods=("tables",)), documents=documents)
    embed = lambda texts: np.eye(len(texts), 8, dtype=np.float32)  # noqa: E731
    named = normalise.normalise(found, normalise.NormaliseConfig(), embed=embed)
    triplets = {t.triplet_id: t for t in named if isinstance(t, Triplet)}
    paths = graph.trace(triplets.values(), graph.GraphConfig())
    asked = ask.ask(paths, ask.AskConfig(), triplets=triplets, chunks=chunks, documents=documents)
    judged = gates.judge(asked, gates.GatesConfig(), chunks=chunks, triplets=triplets)
    return [question for question in judged if not question.rejected_because]


def texts(questions: list[Question], pattern: str = "single") -> set[str]:
    """The questions of one kind, the table, if one is named, at their end."""
    found = (
        re.sub(r"^(According to .+?), (?=\w)(.+)\?$", r"\2, \1?", q.text) for q in questions if q.pattern == pattern
    )
    return {text[0].upper() + text[1:].replace(", According to", ", according to") for text in found}


def test_a_thing_with_a_code_of_its_own_needs_no_table_and_a_property_is_asked_of_it(tmp_path):
    assert texts(questions_of(tmp_path, manual=MANUAL)) >= {
        "What is the weight of HX-200/9, in kg?",
        "What is the fuse size of HX-200/12?",
        "What is the meaning of code E01, according to “HX-200 heat pump”?",
        "What should you do for code E04, according to “HX-200 heat pump”?",
    }


def test_a_head_that_is_a_question_is_quoted():
    assert [say_head(head) for head in ("Why", "What it does", "Owner")] == ["", "", "owner"]


def test_a_column_that_is_quoted_is_of_a_table_that_is_named(tmp_path):
    table = "| Model | Works with |\n|---|---|\n| HX-200/9 | Nordic grid |\n"
    (question,) = questions_of(tmp_path, manual=f"# Pumps of Acme\n\n{table}")
    assert "listed under “Works with”" in question.text and "“Pumps of Acme”" in question.text


def test_a_column_of_values_is_named_where_there_are_others_and_a_head_of_nothing_is_no_thing(tmp_path):
    table = "| Component | Settings | Floor |\n|---|---|---|\n| Find memory | find.memory | 2Gi |\n"
    found = texts(questions_of(tmp_path, base=f"# Baseline of Acme\n\n{table}"))
    assert found and not any("what is given" in text.lower() for text in found)
    assert not is_name("What") and is_name("HX-200/9")


def test_a_property_that_has_but_a_value_is_of_what_its_table_is_about(tmp_path):
    table = "| Property | Value |\n|---|---|\n| Outside temperature | 7.8 °C |\n| FLOW_MAX | 12 |\n"
    found = texts(questions_of(tmp_path, pump=f"# Bungalow with a Nordic pump\n\n{table}"))
    (asked,) = [text for text in found if "outside temperature" in text.lower()]
    assert "“Bungalow with a Nordic pump”" in asked


def test_a_property_is_asked_of_its_table_and_page(tmp_path):
    service = "# Search operations\n\n## dev\n\n| Property | Details |\n|---|---|\n| Deployment type | rollout |\n"
    (question,) = questions_of(tmp_path, service=service)
    assert "“dev” in “Search operations”" in question.text


def test_a_head_in_the_plural_over_one_period_is_asked_in_the_singular(tmp_path):
    rows = "| 14 | 01/10/2026 - 01/23/2026 |\n| 15 | 01/24/2026 - 02/06/2026 |\n"
    table = f"| Payroll number | Payroll periods |\n|---|---|\n{rows}"
    found = texts(questions_of(tmp_path, pay=f"# Payroll schedule of Acme\n\n{table}"))
    assert any(text.startswith("What is the payroll period for payroll number 15") for text in found)


def test_a_name_needs_its_table_alone_and_words_need_both(tmp_path):
    found = texts(questions_of(tmp_path, travel=TRAVEL, rooms=ROOMS))
    assert found >= {
        "What is the half day amount for United Kingdom, in EUR, according to “Daily allowances by destination”?",
        "How many permits are listed for Germany, according to “Daily allowances by destination”?",
        "At what time does Drammen open, according to “Office hours by site”?",
    }


def test_the_document_is_named_where_a_table_of_another_one_gives_a_second_answer(tmp_path):
    other = MANUAL.replace("# HX-200 heat pump", "# Trade fair data").replace("134", "140").partition("## Error")[0]
    found = texts(questions_of(tmp_path, manual=MANUAL, fair=other))
    assert "What is the weight of HX-200/9, in kg, according to “HX-200 heat pump”?" in found
    assert "What is the fuse size of HX-200/9?" in found  # both say 20 A


@pytest.mark.parametrize("pattern", ["comparison", "superlative"])
def test_things_of_a_table_are_compared_by_what_is_measured(tmp_path, pattern):
    values = {"HX-200/6": 118, "HX-200/9": 134, "HX-200/12": 152, "Norway": 31, "Germany": 24, "United Kingdom": 27.5}
    made = [q for q in questions_of(tmp_path, manual=MANUAL, travel=TRAVEL, rooms=ROOMS) if q.pattern == pattern]
    assert (
        len(made) == 2
    )  # permits are a tie at the top but for two; a fuse has no plain number, a phone none to compare
    for question in made:
        among = [name for name in values if re.search(rf"{name}(?!\d)", question.text)]
        most = max if re.search(r"great|high|more|most", question.text) else min
        assert len(among) == (2 if pattern == "comparison" else 3) and question.chance == 1 / len(among)
        assert question.answer == most(among, key=values.__getitem__)
        assert len(question.evidence) == (2 if "HX" in question.answer else len(among) + 1)  # a head, and its rows
        assert re.search(r"(?:weight|half day amount)", question.text)


def test_equal_figures_are_not_compared(tmp_path):
    table = "| Article | Price (EUR) |\n|---|---|\n| HX-10 | 5 |\n| HX-20 | 5 |\n| HX-30 | 7 |\n| HX-40 | 9 |\n"
    made = questions_of(tmp_path, prices=f"# Prices of Acme\n\n{table}")
    compared = [q.text for q in made if q.pattern in ("comparison", "superlative")]
    assert compared == [] or not any("HX-10" in text or "HX-20" in text for text in compared)


WARDS = """# Review of the Merrow hospitals

## Activity by hospital

| Hospital | Beds | Inpatients 2022 | Inpatients 2023 | Whole day | Afternoon visit |
|---|---|---|---|---|---|
| Oakmoor Clinic | 96 | 2,310 | 2,455 | £5.00 | 14:00 to 18:00 |
| Larkfield General | 612 | 41,208 | 43,117 | £9.00 | 15:00 to 17:30 |
"""


def test_a_cell_is_asked_for_by_what_it_holds_and_a_year_behind_a_head_is_its_time(tmp_path):
    made = questions_of(tmp_path, review=WARDS)
    assert texts(made) >= {
        "How many beds does the hospital Oakmoor Clinic have?",
        "How many inpatients did the hospital Oakmoor Clinic have in 2023?",
        "How much is listed under “Whole day” for the hospital Oakmoor Clinic, according to “Activity by hospital”?",
        "When is the afternoon visit for the hospital Larkfield General?",
    }
    change = (
        "By what percentage did the number of inpatients of the hospital Oakmoor Clinic increase from 2022 to 2023?"
    )
    assert {q.text: q.answer for q in made if q.pattern == "change"}[change] == "6.3%"


def test_heads_with_prepositions_are_noun_phrases_and_an_adjective_behind_a_plural_is_not():
    heads = ("Days off work", "Visitors per patient", "Places free", "Open on Sundays", "Best served at")
    assert [say_head(head) for head in heads] == ["days off work", "visitors per patient", "", "", ""]


def test_a_vote_is_no_thing_that_has_the_motions_and_nothing_that_somebody_has(tmp_path):
    motions = "| Item | For | Against |\n|---|---|---|\n| Fare increase | 12 | 33 |\n| Sunday opening | 31 | 14 |\n"
    people = "| Candidate | Yes | Invalid |\n|---|---|---|\n| Ada Flint | 512 | 11 |\n| Rory Penn | 431 | 17 |\n"
    text = f"# Votes of Eastmere\n\n## Votes of the council\n\n{motions}\n## Votes in the election\n\n{people}"
    found = questions_of(tmp_path, votes=text)
    assert {"single"} == {q.pattern for q in found}
    assert texts(found) >= {
        "What figure is listed under “Against” for “Fare increase”, according to “Votes of the council”?",
        "What figure is listed under “Yes” for the candidate Ada Flint, according to “Votes in the election”?",
        "What figure is listed under “Invalid” for the candidate Rory Penn, according to “Votes in the election”?",
    }
    assert not is_name("Against")


def test_a_day_without_hours_is_asked_for_as_the_days_with_hours_are(tmp_path):
    rows = "| Monday | closed | 14:00–18:00 |\n| Tuesday | 10:00–18:00 | 14:00–19:00 |\n"
    table = f"| Day | Main library | Northfield branch |\n|---|---|---|\n{rows}"
    found = texts(questions_of(tmp_path, report=f"# Opening hours of the library\n\n{table}"))
    assert len(found) == 4 and all("what times are given for the" in text.lower() for text in found)


def test_a_change_is_between_years_of_one_kind_and_of_rows_of_a_kind(tmp_path):
    heads = "2022 actual ($) | 2023 actual ($) | 2024 estimate ($) | Budget 2025 ($)"
    fares = "| Bus fares | 389,100 | 402,300 | 418,700 | 455,200 |"
    rows = f"{fares}\n| Total revenue | 480,000 | 499,000 | 510,000 | 520,000 |\n"
    table = f"# Budget of Elm\n\n## Revenue by source\n\n| Source | {heads} |\n|---|---|---|---|---|\n{rows}"
    made = questions_of(tmp_path, budget=table)
    source = "according to “Revenue by source” in “Budget of Elm”"
    assert texts(made) >= {
        f"What actual amount is given for the source Bus fares for 2023, {source}?",
        f"What budgeted amount is given for “Total revenue” for 2025, {source}?",
    }
    assert {q.text.partition("by what ")[2]: q.answer for q in made if q.pattern == "change"} == {
        "percentage did the actual amount given for the source Bus fares increase from 2022 to 2023?": "3.4%",
        "percentage did the actual amount given for “Total revenue” increase from 2022 to 2023?": "4.0%",
    }


def test_a_change_of_a_row_says_what_the_rows_are(tmp_path):
    rows = "| Main library | 32,118 | 33,950 |\n| Northfield branch | 7,995 | 7,610 |\n"
    made = questions_of(
        tmp_path, report=f"# Report\n\n## Loans by branch\n\n| Branch | 2023 | 2024 |\n|---|---|---|\n{rows}"
    )
    changes = {q.text.partition("by what ")[2]: q.answer for q in made if q.pattern == "change"}
    assert changes == {
        "percentage did the figure given for the branch Main library increase from 2023 to 2024?": "5.7%",
        "percentage did the figure given for the Northfield branch decrease from 2023 to 2024?": "4.8%",
    }
