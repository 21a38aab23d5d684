"""Tables without tags, of anybody's documents: what is asked of them, and what is turned down with a reason."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.column_heads import KindOfYear, read_head, read_kind, stated_unit, without_marks
from rarefy.tasks.knowledge.extract.table_names import _find_topic, is_clause
from rarefy.tasks.questions.ask.aliases import answer_aliases
from rarefy.tasks.questions.ask.cells import ask_for_cell, cell_fault


def facts_of(tmp_path, text: str, name: str = "report.md", **config) -> list[Triplet]:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / name).write_text(f"{text}\n\nThese are words of prose that stand below the table.\n")
    (document,) = read_corpus(tmp_path, ReadConfig(**config))
    return tables_of(document)


def tables_of(document) -> list[Triplet]:
    chunks = chunk([document], ChunkConfig())
    return list(extract(chunks, ExtractConfig(methods=("tables",)), documents={document.doc_id: document}))


def asked(facts: list[Triplet]) -> dict[str, str]:
    """Answer by question, where the table is named first: which of the two forms is taken is drawn by hash."""
    return {name_first(ask_for_cell(t)): t.answer for t in facts if not t.rejected_because}


def name_first(question: str) -> str:
    what, behind, table = question.removesuffix("?").partition(", according to ")
    return f"According to {table}, {what[0].lower()}{what[1:]}?" if behind else question


def reasons(facts: list[Triplet]) -> dict[str, str]:
    return {t.answer: t.rejected_because for t in facts}


SEGMENTS = """# Annual report 2019 of Acme

## Net sales by segment

The following table presents our net sales by segment for the years ended June 30, 2019 and 2018:

| | | Fiscal | |
|---|---|---|---|
| | 2019 | 2018 | Change |
| | | (in millions) | |
| Transport: | | | |
| Cars (1) | $ 5,686 | $ 6,092 | (7)% |
| Trucks | 1,221 | 1,280 | (5)% |
| Total transport | 6,907 | 7,372 | (6)% |
| Industry: | | | |
| Other | 914 | 918 | 0 |
| | 914 | 918 | 0 |
| Total | $ 7,821 | $ 8,290 | (6)% |
"""


def test_a_cell_is_asked_for_in_the_words_of_its_row_its_group_its_column_and_its_table(tmp_path):
    facts = facts_of(tmp_path, SEGMENTS)
    questions = asked(facts)
    source = "According to “Net sales by segment” in “Annual report 2019 of Acme”"
    cars = f"{source}, what amount is given for “Cars” under “Transport” in fiscal 2019?"
    assert questions[cars] == "$5,686"
    assert questions[f"{source}, what amount is given for “Total transport” in fiscal 2018?"]
    change = f"{source}, what is the change for “Trucks” under “Transport”?"
    assert questions[change] == "(5)%"
    total = f"{source}, what amount is given for “Total” in fiscal 2018?"
    assert questions[total] == "$8,290", "the unnamed total above it closed its group"
    cell = next(t for t in facts if t.answer == "$5,686")
    assert (cell.value, cell.unit, cell.scale, cell.subject_from) == ("5686000000", "$", "millions", "caption")
    assert cell.group.startswith("| Transport:") and "2019" in cell.header
    assert {t.rejected_because for t in facts if t.answer in ("914", "918")} == {"", "row_without_label"}


def test_whom_a_table_is_about_comes_from_config_metadata_caption_heading_and_title_in_that_order(tmp_path):
    table = "\n\n| | 2019 |\n|---|---|\n| Fixed price contracts | 1,452 |\n"
    texts = {
        "caption": f"# Report of Acme\n\n## Sales\n\nTable 4: Sales by contract{table}",
        "heading": f"# Report of Acme\n\n## Sales by contract{table}",
        "title": f"---\ntitle: Report of Acme\n---\n{table}",
    }
    for source, text in texts.items():
        (fact,) = facts_of(tmp_path, text)
        assert (fact.subject_from, fact.rejected_because) == (source, "")
    assert facts_of(tmp_path, texts["caption"])[0].subject == "“Sales by contract” in “Report of Acme”"
    (fact,) = facts_of(tmp_path, texts["heading"], entity="Bolt Ltd")
    assert (fact.subject_from, fact.entity) == ("entity", "Bolt Ltd")
    assert fact.subject == "“Sales by contract” in “Report of Acme” of Bolt Ltd"


def test_a_file_name_alone_is_no_subject_and_the_row_says_so(tmp_path):
    (fact,) = facts_of(tmp_path, "Four words of prose stand here.\n\n| | 2019 |\n|---|---|\n| Fixed price | 1,452 |\n")
    assert fact.rejected_because == "no_subject"


def test_a_lead_in_that_changes_what_a_row_means_is_in_its_name_or_the_row_is_turned_down(tmp_path):
    table = "\n\n| | 2019 |\n|---|---|\n| Research and development | 1,452 |\n"
    lost = "# Acme\n\n## Compensation\n\nThese amounts are remaining to be recognized over three years." + table
    (fact,) = facts_of(tmp_path, lost)
    assert fact.rejected_because == "qualified_by_lead_in"
    named = "# Acme\n\n## Compensation\n\nThe following table shows stock compensation to be recognized:" + table
    (fact,) = facts_of(tmp_path, named)
    assert (fact.rejected_because, fact.subject) == ("", "“Stock compensation to be recognized” in “Acme”")


def test_what_has_no_label_no_head_or_two_meanings_is_turned_down(tmp_path):
    facts = facts_of(
        tmp_path,
        "# Debtors of Acme\n\n| Item | Note | 2019 | |\n|---|---|---|---|\n| Trade debtors | 4 | 415 | 7.5 |\n"
        "| Other | 5 | 12 | 8.5 |\n| Other | 6 | 13 | 9.5 |\n| | | 440 | |\n",
    )
    expected = {"4": "reference_column", "415": "", "7.5": "column_without_head", "12": "label_used_twice"}
    assert {answer: reason for answer, reason in reasons(facts).items() if answer in expected} == expected
    assert reasons(facts)["440"] == "row_without_label"


@pytest.mark.parametrize(
    ("head", "period", "currency", "scale"),
    [
        ("2019 €m", "2019", "EUR", "millions"),
        ("30 June 2019 $’000", "30 June 2019", "$", "thousands"),
        ("US$ million 2018", "2018", "USD", "millions"),
        ("2019 RMB’Million", "2019", "CNY", "millions"),
        ("FY2020 (₹ in crores)", "FY2020", "INR", "crores"),
        ("Years Ended September 30, 2019", "the year ended September 30, 2019", "", None),
        ("Three Months Ended June 30, 2019", "the three months ended June 30, 2019", "", None),
        ("As of December 31, 2019", "December 31, 2019", "", None),
        ("Q4 2019", "Q4 2019", "", None),
        ("2019 (in millions of euros)", "2019", "EUR", "millions"),
        ("Year 2020", "2020", "", None),
        ("Sept. 30, 2019", "Sept. 30, 2019", "", None),
        ("Budget 2020", "", "", None),
        ("Group 2019 £m", "", "GBP", "millions"),
        ("Americas", "", "", None),
    ],
)
def test_a_head_is_a_period_with_its_unit_or_a_category(head, period, currency, scale):
    found = read_head(head)
    assert (found.period, found.currency, found.scale) == (period, currency, scale)


def test_the_words_around_a_table_state_a_unit_and_prose_does_not():
    assert (stated_unit("(Rs. in lakhs)").currency, stated_unit("(Rs. in lakhs)").scale) == ("INR", "lakhs")
    assert (stated_unit("£m").currency, stated_unit("£m").scale) == ("GBP", "millions")
    assert stated_unit("(In thousands of U.S. dollars)").currency == "$"
    assert stated_unit("We sold millions of units for $5 million.").scale is None


def test_figures_are_read_in_the_notation_of_their_table(tmp_path):
    comma = "# Umsatz of Acme GmbH\n\n| in T€ | 2019 |\n|---|---|\n| Licences | 1.234 |\n| Services | 12,5 |\n"
    values = {t.answer: t.value for t in facts_of(tmp_path, comma)}
    assert values == {"1.234": "1234", "12,5": "12.5"}
    indian = "# Acme India\n\n| ₹ in lakhs | 2019 |\n|---|---|\n| Revenue from operations | 1,23,456.78 |\n"
    (fact,) = facts_of(tmp_path, indian)
    assert (fact.value, fact.unit, fact.scale) == ("12345678000", "INR", "lakhs")


def test_rates_counts_and_sums_per_share_do_not_take_the_scale_of_the_table(tmp_path):
    facts = facts_of(
        tmp_path,
        "# Highlights of Acme\n\n(in millions, except per share data)\n\n| | 2019 |\n|---|---|\n| Revenue | $ 1,200 |\n"
        "| Effective tax rate | 21.0% |\n| Earnings per share | $ 2.50 |\n| Number of employees | 1,500 |\n",
    )
    assert {t.answer: (t.value, t.unit) for t in facts} == {
        "$1,200": ("1200000000", "$"),
        "21.0%": ("21", "percent"),
        "$2.50": ("2.5", "$/shares"),
        "1,500": ("1500", ""),
    }


def test_a_table_of_properties_asks_for_the_property_and_odd_heads_are_quoted(tmp_path):
    facts = facts_of(
        tmp_path,
        "# Search service\n\n| PROPERTY | DETAILS |\n|---|---|\n"
        "| Service ID | search-v2 |\n| Owners | Core Search |\n\n"
        "## Table 3-1: Paging\n\n| Team | Paged at night | On-Call Lead |\n|---|---|---|\n"
        "| Billing | half | Ada Lovelace |\n",
    )
    paging = "According to “Paging” in “Search service”"
    assert asked(facts) == {
        "According to “Search service”, what is the service ID?": "search-v2",
        "According to “Search service”, what is given for owners?": "Core Search",
        f"{paging}, what is listed under “Paged at night” for the team Billing?": "half",
        f"{paging}, who is the on-call lead for the team Billing?": "Ada Lovelace",
    }


def test_a_list_that_a_sentence_introduces_is_called_by_what_it_lists_and_a_duration_is_said_in_words(tmp_path):
    table = "| Name | Default |\n|---|---|\n| Push interval | 10s |\n| Retry policy | exponential backoff |\n"
    lead = "Here is a comprehensive list of settings for pushing metrics:"
    facts = facts_of(tmp_path, f"# Metrics of Acme\n\n## Options\n\n{lead}\n\n{table}")
    interval = next(fact for fact in facts if fact.answer == "10s")
    assert interval.subject == "“Settings for pushing metrics” in “Metrics of Acme”"
    assert answer_aliases(interval) == ("10 seconds",)


@pytest.mark.parametrize(
    "lead, name",
    [
        ("The following summarizes the changes in deferred revenue:", "Changes in deferred revenue"),
        ("Short-term borrowings include:", "Short-term borrowings"),
        ("Costs that the plan includes:", ""),
    ],
)
def test_a_lead_in_that_is_no_whole_sentence_names_its_table(lead, name):
    assert _find_topic(lead, dated=True) == name


def test_a_table_of_terms_gives_terms_and_no_verdicts_or_sentences(tmp_path):
    facts = facts_of(
        tmp_path,
        "# On-call at Acme\n\n| Service | Owner | Paged at night | Remarks |\n|---|---|---|---|\n"
        "| Billing | Ada Lovelace | yes | It was moved to the new cluster last year and is fine now. |\n"
        "| Search | Alan Turing | no | – |\n",
    )
    question = "According to “On-call at Acme”, who is the owner of the service Billing?"
    assert asked(facts)[question] == "Ada Lovelace"
    assert set(asked(facts).values()) == {"Ada Lovelace", "Alan Turing"}


ERRORS = """# HX-200 manual

## Error codes

| Code | Meaning | What to do |
|---|---|---|
| E01 | Flow too low | Clean the filter |
| 404 | Sensor lost | Check connector X7 on the main board |
"""


def test_a_code_a_version_and_a_number_under_a_head_that_says_so_name_a_row(tmp_path):
    assert set(reasons(facts_of(tmp_path, ERRORS)).values()) == {""}
    releases = "# Releases of Acme\n\n| Release | Status |\n|---|---|\n| [22.x][] | Current |\n| 1.2.3 | Old |\n"
    assert reasons(facts_of(tmp_path, releases)) == {"Current": "", "Old": ""}


@pytest.mark.parametrize(
    ("head", "label"), [("Offset", "12"), ("Voltage", "5V"), ("Delay", "10s"), ("No.", "1"), ("Format", "%02X")]
)
def test_a_number_an_amount_and_a_count_of_rows_name_none(tmp_path, head, label):
    (fact,) = facts_of(tmp_path, f"# Pins of Acme\n\n| {head} | Signal |\n|---|---|\n| {label} | Ground |\n")
    assert fact.rejected_because == "label_is_a_number"


def test_amounts_times_and_names_are_facts_among_figures_too_and_every_cell_has_a_reason(tmp_path):
    facts = facts_of(
        tmp_path,
        "# HX-200 manual\n\n## Technical data\n\n| Property | HX-200/6 | HX-200/9 |\n|---|---|---|\n"
        "| Weight (kg) | 118 | 134 |\n| Fuse size | 16 A | 20 A |\n| Operating range | −25 to 43 °C | −22 to 43 °C |\n"
        "| Refrigerant | R290 | R32 |\n| Noise | 51 | n/a |\n| Cooling | yes | – |\n"
        "| Mounting | Stand it on a level base and keep two metres free. | wall |\n",
    )
    found = {(t.relation.split("”")[0][1:], t.answer): t.rejected_because for t in facts}
    kept = {answer for (_, answer), reason in found.items() if not reason}
    assert kept >= {"16 A", "20 A", "−25 to 43 °C", "−22 to 43 °C", "R290", "R32", "118", "51", "wall"}
    assert found["Noise", "n/a"] == "cell_says_nothing" and found["Cooling", "yes"] == "cell_is_a_flag"
    assert "cell_is_a_text" in found.values() and len(facts) == 13  # the dash states nothing


TRAININGS = (
    ("Training", "Due within", "Trainer"),
    ("Fire safety", "1 week", "Odd Lien"),
    ("R290", "1 week", "Sara Holm"),
)


def test_a_table_of_words_of_a_page_is_read_where_each_column_has_a_head_and_each_row_a_label(tmp_path):
    def page(rows):
        lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
        return (
            "<h1>Mandatory trainings at Acme</h1><table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
        )

    found = {t.answer: t.rejected_because for t in facts_of(tmp_path / "a", page(TRAININGS), "a.html")}
    assert found == {"1 week": "", "Odd Lien": "", "Sara Holm": ""}
    form = "= Steps at Acme\n\n|===\n| Name: | Date of this:\n\n| First | Odd Lien\n| Next | Sara Holm\n|===\n"
    assert {t.rejected_because for t in facts_of(tmp_path / "b", form, "b.adoc")} == {"head_not_sure"}


@pytest.mark.parametrize(
    ("name", "half"),
    [
        ("It receives the following environment variables", True),
        ("Choose the installation route that best fits your setup", True),
        ("This is", True),
        ("Header is structured", True),
        ("Always use these as the source unit", True),
        ("The firmware currently supports 34 languages", True),
        ("Located in src/main", True),
        ("Settings that are easy to miss", False),
        ("Stock compensation to be recognized", False),
        ("Net sales by segment", False),
    ],
)
def test_half_a_sentence_is_no_name_of_a_table(name, half):
    assert is_clause(name) == half


def test_a_table_whose_head_is_a_row_of_names_has_none_and_a_label_with_a_description_is_a_text(tmp_path):
    table = "| Data | Priya Nair & Odd Lien |\n|---|---|\n| Design | Sara Holm |\n| Research | Mats Ekdahl |\n"
    found = facts_of(tmp_path, f"# Collectives of Acme\n\n{table}")
    assert {t.rejected_because for t in found} == {"head_not_sure"}
    label = "All hands Meeting of all. It is held at noon"
    (fact,) = facts_of(tmp_path, f"# Meetings of Acme\n\n| Meeting | Who comes |\n|---|---|\n| {label} | Staff |\n")
    assert fact.rejected_because == "label_is_a_text"


def test_a_row_of_one_letter_is_no_beginning_of_the_label_below_it(tmp_path):
    table = "| Use this | Not this |\n|---|---|\n| C | |\n| call site | callsites |\n"
    (fact,) = facts_of(tmp_path, f"# Terms of Acme\n\n{table}")
    assert fact.relation.startswith("“call site”") and fact.rejected_because == "group_unclear"


def test_two_tables_side_by_side_and_the_words_of_a_day_are_no_facts(tmp_path):
    beside = "| Code | Language | Code |\n|---|---|---|\n| en | English | de |\n"
    found = {t.answer: t.rejected_because for t in facts_of(tmp_path, f"# Languages of Acme\n\n{beside}")}
    assert found == {"English": "", "de": "column_named_twice"}
    history = "| Date | Author |\n|---|---|\n| 4 May 2023 | Ada Lovelace |\n"
    assert reasons(facts_of(tmp_path, f"# Changes of Acme\n\n{history}")) == {"Ada Lovelace": "term_of_a_period"}


def test_a_table_that_half_a_sentence_introduces_is_named_by_its_heading_where_it_is_the_only_one_there(tmp_path):
    table = "| Variable | Description |\n|---|---|\n| DOC_ID | Key of the row |\n\n"
    text = f"# Scripts of Acme\n\n## Hooks before reading\n\nIt receives the following variables:\n\n{table}"
    (fact,) = facts_of(tmp_path, text)
    assert (fact.subject, fact.rejected_because) == ("“Hooks before reading” in “Scripts of Acme”", "")
    both = facts_of(tmp_path, f"{text}They get these on errors:\n\n{table.replace('DOC', 'ERR')}")
    assert {t.rejected_because for t in both} == {"lead_in_names_nothing"}


def test_delimited_values_speak_of_whom_the_config_names_with_the_name_of_their_file(tmp_path):
    text = "Region;Stores;Sales (€m)\nNorth;12;1,5\nSouth;7;0,9\n"
    (tmp_path / "sales_by_region.csv").write_text(text)
    (document,) = read_corpus(tmp_path, ReadConfig(entity="Acme"))
    rows = tables_of(document)
    cell = next(t for t in rows if t.answer == "1,5")
    assert (cell.value, cell.unit, cell.scale, cell.place) == ("1500000", "EUR", "millions", "C2")
    question = "According to “sales by region” of Acme, what are the sales of the region North"
    assert ask_for_cell(cell) == f"{question}, in millions of euros?"
    (document,) = read_corpus(tmp_path, ReadConfig())
    rows = tables_of(document)
    assert [(t.rejected_because, t.answer) for t in rows] == [("no_subject", "12"), ("no_subject", "7")]


@pytest.mark.parametrize(
    "title",
    ["Brindle & Moss price list 2024", "Price list 2024", "Furniture prices", "Prices of Brindle & Moss in 2024"],
)
def test_the_first_line_of_delimited_values_is_the_name_of_the_table(tmp_path, title):
    rows = "".join(f"Table {n},{n + 310}\n" for n in range(300))  # several chunks: each knows the name
    (tmp_path / "p.csv").write_text(f"{title}\nPiece,Weight\n{rows}")
    (document,) = read_corpus(tmp_path, ReadConfig())
    found = tables_of(document)
    assert {(t.subject, t.subject_from, t.rejected_because) for t in found} == {(f"“{title}”", "caption", "")}
    assert len(found) == 300 and len({t.chunk_id for t in found}) > 1


@pytest.mark.parametrize("title", ["Prices", "All of these were exported from the shop.", "in thousands", "2024"])
def test_one_word_a_sentence_a_unit_and_a_period_name_no_table(tmp_path, title):
    (tmp_path / "p.csv").write_text(f"{title}\nPiece,Weight\nKent table,310\nEden chair,145\n")
    (document,) = read_corpus(tmp_path, ReadConfig())
    assert {t.rejected_because for t in tables_of(document)} == {"no_subject"}


def test_a_column_of_years_says_when_each_row_holds(tmp_path):
    rows = "| Region | Year | Stores |\n|---|---|---|\n| North | 2019 | 12 |\n| North | 2020 | 14 |\n"
    questions = asked(facts_of(tmp_path, f"# Stores of Acme by region\n\n{rows}"))
    source = "According to “Stores of Acme by region”"
    assert questions[f"{source}, how many stores are listed for the region North in 2020?"] == "14"
    assert set(questions.values()) == {"12", "14"}


def test_the_unit_of_a_column_is_in_the_question(tmp_path):
    heads = "Boat | Full day (EUR) | Weight (kg) | Warranty (years) | Power (in W) | Length (m) | Crew (a)"
    table = f"| {heads} |\n|---|---|---|---|---|---|---|\n"
    rows = "| Kayak | 60 | 17.8 | 10 | 90 | 4.2 | 2 |\n| Canoe | €75 | 19.5 | 12 | 95 | 5.1 | 3 |"
    questions = asked(facts_of(tmp_path, f"# Rental of boats\n\n## Boats and prices\n\n{table}{rows}"))
    by_answer = {answer: question for question, answer in questions.items()}
    ends = {answer: question.partition("what ")[2] for answer, question in by_answer.items()}
    assert ends["60"] == "is the full day amount for the boat Kayak, in EUR?"
    assert ends["17.8"] == "is the weight of the boat Kayak, in kg?"
    assert ends["10"] == "is the warranty of the boat Kayak, in years?"
    assert ends["90"] == "is the power of the boat Kayak, in W?"
    assert ends["2"] == "is the crew of the boat Kayak?"  # (a) marks a note
    assert "“Length (m)”" in by_answer["4.2"]  # of metres here, of millions elsewhere
    assert "in EUR" not in ends["€75"]


@pytest.mark.parametrize(
    ("head", "plain"),
    [
        ("2023 [1]", "2023"),
        ("Total [12]", "Total"),
        ("2023 (12)", "2023"),
        ("Net sales (a)", "Net sales"),
        ("Sales ¹", "Sales"),
    ],
)
def test_marks_of_notes_are_no_words_of_a_head(head, plain):
    assert without_marks(head) == plain


@pytest.mark.parametrize("head", ["Weight (kg)", "Length (m)", "Area in m²"])
def test_a_unit_in_brackets_is_no_mark(head):
    assert without_marks(head) == head


def test_columns_of_payments_that_fall_due_are_no_years(tmp_path):
    head = "# Lease payments of Acme\n\n| | 2025 | 2026 | Thereafter |\n|---|---|---|---|\n"
    table = f"{head}| Warehouses | 120 | 130 | 900 |"
    found = reasons(facts_of(tmp_path, table))
    assert found["120"] == found["130"] == "due_later"


def test_the_currency_of_a_head_that_is_a_period_is_asked_for(tmp_path):
    head, row = "| Item | 2024 (EUR) | 2025 (EUR) |", "| Compute | 112,400 | 131,900 |"
    table = f"# Budget\n\n## Yearly budget\n\n{head}\n|---|---|---|\n{row}\n"
    facts = facts_of(tmp_path, table)
    assert {t.unit for t in facts} == {"EUR"}
    assert all("in euros" in question for question in asked(facts))


MINUTES = """# Minutes of the annual general meeting of the Elmbridge Allotment Association

Held at the village hall on 14 March 2024.

{}

The treasurer reported that rents rise from 1 October.

| Plot size | Number of plots | Annual rent | Waiting list |
|---|---|---|---|
| Full plot | 38 | £64 | 17 |
| Half plot | 52 | £36 | 29 |
"""


@pytest.mark.parametrize("heading", ["", "## Item 4", "## Notes", "## 2024/25", "## Rents", "## 4. Plots and rents"])
def test_the_only_table_of_a_document_is_named_by_its_title_also_below_a_heading_that_says_nothing(tmp_path, heading):
    facts = facts_of(tmp_path, MINUTES.format(heading))
    assert len(facts) == 6 and set(reasons(facts).values()) == {""}
    assert all("“Minutes of the annual general meeting" in fact.subject for fact in facts)


def test_a_title_does_not_tell_which_of_several_tables_is_meant(tmp_path):
    second = "\n\nIt also bought tools.\n\n| Tool | Price |\n|---|---|\n| Spade | £12 |\n| Barrow | £48 |\n"
    facts = facts_of(tmp_path, MINUTES.format("## Item 4") + second)
    assert set(reasons(facts).values()) == {"table_not_named"}


def test_a_code_of_a_currency_in_a_cell_is_of_the_answer(tmp_path):
    facts = facts_of(
        tmp_path, "# Fees\n\n## Charges\n\n| Charge | Amount |\n|---|---|\n| Coat | EUR 29 |\n| Key | EUR 34 |\n"
    )
    assert [fact.answer for fact in facts] == ["EUR 29", "EUR 34"]


@pytest.mark.parametrize(
    ("cell", "answer", "reason"),
    [
        ("35 ¹", "35", ""),
        ("3.1²", "3.1", ""),
        ("212*", "212", ""),
        ("5,240 (1)", "5,240", ""),
        ("≥ 19 ²", "≥ 19", ""),
        ("11.5 ± 0.2*", "11.5 ± 0.2", ""),
        ("Type B ¹ ²", "Type B", ""),
        ("7 m²", "7 m²", ""),
        ("35¹", "35¹", "footnote_mark"),  # or a power
    ],
)
def test_marks_of_notes_are_no_part_of_a_value(tmp_path, cell, answer, reason):
    head = "# Data of the HX series\n\n| Pump | Water temperature | Flange |\n|---|---|---|\n"
    facts = facts_of(tmp_path, f"{head}| HX-25 | {cell} | F1 |\n| HX-40 | 40.5 | F2 |\n")
    assert (facts[0].answer, facts[0].rejected_because) == (answer, reason)


def test_a_unit_of_a_row_is_of_what_it_measures_alone(tmp_path):
    head = (
        "# Water of Elm\n\n## Results for the Elm reservoir\n\n| Parameter | Unit | Result | Limit | Method | Price |"
    )
    rows = "| Nitrate | mg/L | 18.6 | 50 | ISO 10304 | 12.5 |\n| Lead | µg/L | < 0.5 | 10* | 200.8 | 14 |"
    facts = facts_of(tmp_path, f"{head}\n|---|---|---|---|---|---|\n{rows}\n")
    heads = {t.answer: t.relation.partition("in the column ")[2] for t in facts}
    assert heads == {
        "18.6": "“Result (mg/L)”", "50": "“Limit (mg/L)”", "ISO 10304": "“Method”", "12.5": "“Price”",
        "< 0.5": "“Result (µg/L)”", "10": "“Limit (µg/L)”", "200.8": "“Method”", "14": "“Price”",
    }  # fmt: skip


def test_a_unit_of_a_row_is_said_with_what_it_measures_where_columns_are_things(tmp_path):
    head = "# Data of the pumps\n\n| Parameter | Unit | HX-1 | BM-2 |\n|---|---|---|---|\n"
    rows = "| Voltage | V | 230 | 400 |\n| Rated current | A | 3.1 | 5.8 |\n| Mass | kg | 11.5 ± 0.2 | 19 |\n"
    facts = facts_of(tmp_path, f"{head}{rows}| Protection | | IP54 | IP65 |")
    ends = {answer: question.partition("what ")[2] for question, answer in asked(facts).items()}
    assert ends["230"] == "is the voltage of HX-1, in V?"
    assert ends["3.1"] == "figure does HX-1 have for “Rated current in A”?"
    assert ends["11.5 ± 0.2"] == "is the mass of HX-1, in kg?"
    assert ends["IP54"] == "is the protection of HX-1?"
    assert ends["400"] == "figure is listed under “BM-2” for “Voltage in V”?"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("2025 budget ($ thousands)", KindOfYear("budget", "2025")),
        ("2023 Actual", KindOfYear("actual", "2023")),
        ("2023 (actual)", KindOfYear("actual", "2023")),
        ("Budget FY2025", KindOfYear("budget", "FY2025")),
        ("Revised estimate 2024/25", KindOfYear("revised estimate", "2024/25")),
        ("2025 Adopted", KindOfYear("adopted", "2025")),
        ("Expenditure ($ thousands) 2024 estimate", KindOfYear("estimate", "2024", "Expenditure")),
        ("Sales target 2025", KindOfYear("target", "2025", "Sales")),
        *((head, None) for head in ("2025", "Budget", "Inpatients 2023", "Share of 2025 budget", "Revised 2024")),
        *((head, None) for head in ("Change on 2024 estimate ($)", "Variance from 2025 budget (EUR)", "Target 7")),
        *((head, None) for head in ("2025 budget vs 2024 actual", "2025 budget (%)", "Sales 2024 plan B")),
    ],
)
def test_a_head_says_whether_a_year_was_planned(head, kind):
    assert read_kind(head) == kind
    assert kind is None or (read_head(head).year, read_head(head).words) == (kind.year, head)


def test_what_was_planned_for_a_year_is_asked_for_as_that(tmp_path):
    head = "# Budget of Elm\n\n## Fees by office\n\n| Office | 2023 actual | Budget 2025 (EUR) | 2024 estimate (€m) |"
    facts = facts_of(
        tmp_path, f"{head}\n|---|---|---|---|\n| Parking | 51,000 | 52,200 | 1.4 |\n| Total | 1 | 2 | 3 |\n"
    )
    source = "According to “Fees by office” in “Budget of Elm”"
    questions = asked(facts)
    assert questions[f"{source}, what actual figure is given for the office Parking for 2023?"] == "51,000"
    assert questions[f"{source}, what budgeted amount is given for the office Parking for 2025, in euros?"] == "52,200"
    assert {t.answer: t.value for t in facts}["1.4"] == "1400000"
    assert any("what estimated amount" in q and q.endswith("in millions of euros?") for q in questions)


def test_a_label_over_several_rows_of_kinds_names_none_of_them(tmp_path):
    rows = "| Per cycle | low | 5 |\n|  | high | 12 |\n| In all |  | 17 |\n|  |  | 18 |\n"
    table = f"| Saving | Kind | Idle time |\n|---|---|---|\n{rows}"
    found = reasons(facts_of(tmp_path, f"# Report of Acme\n\n{table}"))
    assert (found["5"], found["12"], found["17"]) == ("row_has_two_labels", "row_without_label", "")


def test_what_a_program_writes_for_no_label_is_none(tmp_path):
    table = "| Answer | Share |\n|---|---|\n| (no label) | 63 |\n| Phone | 12 |\n"
    assert reasons(facts_of(tmp_path, f"# Report of Acme\n\n{table}")) == {"63": "row_without_label", "12": ""}


FORMATS = """# Radio formats by device

| Device | Native format | Firmware |
|---|---|---|
| Base | available *2,*7 | OK** |
| Display | optional*5 | Low power* |
| Shield | shipped *2 | OK** (10 s) |
| Router *4 | built-in | $25.00*¹ |

\\# - in the shop

*2 The module.

*5 needs hardware

*7 has all formats

\\* Need further tests

\\*\\* Most banks shut down.

¹ Plus the cost of postage.
"""


def test_marks_of_notes_are_no_part_of_an_answer(tmp_path):
    said = {t.answer: t.rejected_because for t in facts_of(tmp_path, FORMATS)}
    assert {"available", "optional", "shipped", "built-in", "Low power", "$25.00"} <= said.keys()
    assert said["OK"] == "cell_is_a_flag"
    assert said["OK** (10 s)"] == "footnote_mark"
    assert said["available"] == said["Low power"] == ""


def test_stars_that_no_note_explains_are_kept(tmp_path):
    table = FORMATS.partition("*2 The")[0].replace("Low power*", "boot*")
    assert "boot*" in {t.answer for t in facts_of(tmp_path, table)}


def test_a_statement_of_the_parent_company_says_so(tmp_path):
    rows = "| | 2009 | 2008 |\n|---|---|---|\n| Total liabilities | $44,015 | 43,956 |\n"
    lead = "### ACME, INC.\n\n(PARENT COMPANY)\n\nBalance Sheets\n\n(In thousands)\n\n(Unaudited)\n\n"
    lead += "December 31, 2009 and 2008\n\n"
    (tmp_path / "a.md").write_text(
        f"# Acme\n\n## Exhibits\n\n{lead}{rows}\nThese are words of prose below the table.\n"
    )
    (document,) = read_corpus(tmp_path, ReadConfig())
    filing = replace(document, form="10-K", entity="Acme", title="Acme, Form 10-K for fiscal year 2009")
    found = tables_of(filing)
    assert {t.subject for t in found} == {
        "“Balance Sheets (parent company only)” in “Acme, Form 10-K for fiscal year 2009”"
    }
    assert {cell_fault(t) for t in found} == {"table_of_others"}


def test_instructions_to_fill_in_a_form_are_no_facts(tmp_path):
    rows = "| Change reason | Select applicable reason |\n| Overtime rate | Leave blank |\n"
    more = "| Division | Home (if applicable) |\n"
    more += "| Comment | Elaborate on reason for increase |\n| Pay type | Salary |\n| Chair | Select Committee |\n"
    table = f"# Change of pay\n\n| Field | Remark |\n|---|---|\n{rows}{more}"
    wrong = "cell_is_an_instruction"
    assert list(reasons(facts_of(tmp_path, table)).values()) == [wrong, wrong, wrong, wrong, "", ""]
    to_fill_in = reasons(facts_of(tmp_path, table.replace("Remark", "How to fill out")))
    assert set(to_fill_in.values()) == {wrong}
