"""A gold chunk loses its answer, keeps the rest, or says why not."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.answer_deleted import answer_deleted, parse_cell

PROSE = (
    "# Item 1. Business\n\nApple Inc. was founded in 1976. As of September 28, 2024, the Company had approximately "
    "164,000 full-time equivalent employees. It sells phones.\n\nIts headquarters are in Cupertino."
)
TABLE = (
    "Net sales by segment (in millions):\n\n| Segment | 2024 | 2023 |\n|---|---|---|\n"
    "| Americas | $167,045 | $162,560 |\n"
    "| Europe | 101,328 | 94,294 |\n| Japan | 25,052 | 24,257 |"
)


def deleted(text: str, answer: str, *evidence: str, aliases: tuple[str, ...] = ()) -> Draft:
    """The one draft for a passage with this answer and evidence."""
    spans = tuple((text.index(e), text.index(e) + len(e)) for e in evidence)
    case = Case("c", "document", text, answer=answer, aliases=aliases, spans=spans)
    (draft,) = answer_deleted(case, PerturbConfig(), Random(0))
    return draft


def moved_apart(text: str, draft: Draft) -> bool:
    """Whether the draft is nothing but what moved, in order."""
    pieces = [text[move.start : move.end] for move in draft.moves]
    places = [move.at for move in draft.moves]
    return "".join(pieces) == draft.text and places == [sum(map(len, pieces[:i])) for i in range(len(pieces))]


def test_the_supporting_sentence_goes_and_its_neighbours_stay():
    evidence = "As of September 28, 2024, the Company had approximately 164,000 full-time equivalent employees."
    draft = deleted(PROSE, "164,000", evidence)
    assert not draft.refused
    assert draft.text == PROSE.replace(evidence + " ", "")
    assert moved_apart(PROSE, draft) and len(draft.moves) == 2


def test_a_table_loses_the_row_and_keeps_its_header():
    row = "| Europe | 101,328 | 94,294 |"
    draft = deleted(TABLE, "101,328", "| Segment | 2024 | 2023 |", row)
    assert not draft.refused
    assert draft.text == TABLE.replace(row + "\n", "")


def test_the_answer_goes_from_other_sentences_too_in_any_notation():
    text = TABLE + "\n\nEuropean sales were strong. They reached $101.3 billion in 2024. Asia was weak."
    draft = deleted(text, "101,328", "| Europe | 101,328 | 94,294 |")
    assert not draft.refused
    assert "101.3" not in draft.text and "European sales were strong. Asia was weak." in draft.text


def test_a_number_goes_in_the_unit_of_the_table_and_of_the_text():
    row = "| Data Center | $47,525 |"
    text = (
        f"Revenue of the segment was 47.525 billion. Gaming fell.\n\n| | 2024 |\n|---|---|\n{row}\n| Gaming | 10,447 |"
    )
    draft = deleted(text, "$47,525", row)
    assert draft.text == "Gaming fell.\n\n| | 2024 |\n|---|---|\n| Gaming | 10,447 |"


def test_aliases_go_too():
    text = "It is listed on The NASDAQ Stock Market. Trading on Nasdaq began in 1980. It pays dividends."
    draft = deleted(text, "The NASDAQ Stock Market", "It is listed on The NASDAQ Stock Market.", aliases=("Nasdaq",))
    assert draft.text == "It pays dividends." and not draft.refused


def test_a_repeated_supporting_sentence_goes_wherever_it_stands():
    draft = deleted("Sales grew. Costs fell. SALES GREW. Nothing else.", "grew", "Sales grew.")
    assert draft.text == "Costs fell. Nothing else."


def test_the_evidence_of_another_gold_chunk_goes_from_this_one_too():
    text = "It is led by Ann Lee. It was founded in 1976. It sells phones."
    spans = ((text.index("It was"), text.index(" It sells")),)
    case = Case("c", "document", text, answer="Berlin", spans=spans, evidence=("It is led by Ann Lee.",))
    (draft,) = answer_deleted(case, PerturbConfig(), Random(0))
    assert draft.text == "It sells phones."


def test_a_gold_chunk_that_never_held_the_answer_loses_its_evidence():
    draft = deleted(PROSE, "Tim Cook", "Its headquarters are in Cupertino.")
    assert draft.text == PROSE.replace("\n\nIts headquarters are in Cupertino.", "")
    assert not draft.refused


def test_without_known_evidence_the_sentences_with_the_answer_go():
    draft = deleted(PROSE, "Cupertino")
    assert draft.text == PROSE.replace("\n\nIts headquarters are in Cupertino.", "")


def test_an_answer_in_the_header_remains_and_is_reported():
    draft = deleted(TABLE, "2024", "| Europe | 101,328 | 94,294 |")
    assert (draft.text, draft.refused) == (TABLE, "answer_remains")


def test_a_chunk_that_is_all_evidence_has_nothing_left():
    row = "| Europe | 101,328 |"
    assert deleted(f"| Segment | 2024 |\n|---|---|\n{row}", "101,328", row).refused == "nothing_left"


def test_a_chunk_without_evidence_and_answer_is_not_changed():
    assert deleted("Another text.", "1976").refused == "nothing_deleted"
    assert deleted("", "1976").refused == "nothing_deleted"


BALANCE = (
    "|  | 2024 | 2023 |\n|---|---|---|\n| Assets |  |  |\n| Cash | $2,043 | $1,862 |\n"
    "| Receivables, net | 1,694 | 1,169 |\n"
    "| Total current assets | 3,737 | 3,031 |\n| Goodwill | 4,510 | 4,410 |\n| Other assets | 2,116 | 1,820 |\n"
    "| Total assets | $10,363 | $9,261 |\n| Total liabilities | 6,120 | 5,011 |\n"
    "| Total liabilities and equity | $10,363 | $9,261 |"
)


def lost(text: str, row: str, answer: str) -> list[str]:
    """The lines that go besides the row."""
    draft = deleted(text, answer, row)
    assert not draft.refused and moved_apart(text, draft)
    return [line for line in text.split("\n") if line not in draft.text.split("\n") and line != row]


def test_a_part_goes_with_the_total_that_would_give_it_away():
    total = "| Total net sales | 391,035 | 383,285 |"
    text = (
        "|  | 2024 | 2023 |\n|---|---|---|\n| U.S. | 142,196 | 138,573 |\n| China | 66,952 | 72,559 |\n"
        f"| Other | 181,887 | 172,153 |\n{total}"
    )
    assert lost(text, "| China | 66,952 | 72,559 |", "66,952") == [total]


def test_a_total_goes_with_its_weightiest_part_and_a_net_figure_with_what_it_is_the_rest_of():
    assert lost(BALANCE, "| Total current assets | 3,737 | 3,031 |", "3,737") == [
        "| Cash | $2,043 | $1,862 |",
        "| Goodwill | 4,510 | 4,410 |",  # or it would follow from total assets
    ]
    text = "|  | 2024 |\n|---|---|\n| Gross | 11,962 |\n| Allowance | (1,224) |\n| Net | 10,738 |\n| Sites | 14 |"
    assert lost(text, "| Gross | 11,962 |", "11,962") == ["| Net | 10,738 |"]


def test_a_total_that_other_totals_give_away_does_not_help_and_stays():
    # total assets stand again below, and are the sum of totals: another part of the sum hides it with one row
    (other,) = lost(BALANCE, "| Other assets | 2,116 | 1,820 |", "2,116")
    assert other == "| Goodwill | 4,510 | 4,410 |"


def test_a_part_that_is_the_rest_of_all_hides_no_total_after_it():
    text = (
        "|  | 2024 |\n|---|---|\n| Total assets | 9,000 |\n| Debt | 2,500 |\n| Payables | 1,500 |\n| Taxes | 700 |\n"
        "| Leases | 300 |\n| Shareholders' equity | 3,400 |\n| Other holders | 600 |\n| Total equity | 4,000 |"
    )
    assert lost(text, "| Total equity | 4,000 |", "4,000")


def test_what_follows_step_by_step_is_hidden_too():
    text = (
        "|  | 2024 |\n|---|---|\n| Sales | 8,150 |\n| Cost | 3,020 |\n| Gross margin | 5,130 |\n| Research | 1,045 |\n"
        "| Selling | 902 |\n| Total expenses | 1,947 |\n| Operating income | 3,183 |"
    )
    row = "| Operating income | 3,183 |"
    gone = lost(text, row, "3,183")
    assert 1 <= len(gone) <= 3
    left = {line.split("|")[1].strip() for line in text.split("\n") if line != row and line not in gone}
    assert not {"Gross margin", "Total expenses"} <= left and not {"Sales", "Cost", "Total expenses"} <= left
    assert not {"Gross margin", "Research", "Selling"} <= left and not {"Sales", "Cost", "Research", "Selling"} <= left


def test_a_table_that_adds_up_to_nothing_loses_the_row_alone():
    assert lost(TABLE, "| Europe | 101,328 | 94,294 |", "101,328") == []


def test_a_sentence_on_growth_from_which_the_answer_follows_goes():
    said = "Net sales were $60.9 billion in 2024."
    for other in ("They rose by $33.9 billion from $27.0 billion in 2023.", "They were up 126% from $27.0 billion."):
        draft = deleted(f"{said} {other} Costs fell by 12%.", "$60.9 billion", said)
        assert draft.text == "Costs fell by 12%."


def test_what_a_row_says_goes_where_a_sentence_says_it_again():
    row = "| B. Kevin Turner | 48 | Chief Operating Officer |"
    said = "Mr. Turner was named Chief Operating Officer in September 2005."
    text = (
        f"| Name | Age | Position |\n|---|---|---|\n| Amy Hood | 41 | Chief Financial Officer |\n{row}\n\n{said} "
        "Mr. Turner came from a retailer. Ms. Hood is Chief Financial Officer."
    )
    question = "What were the assets of the company whose chief operating officer is B. Kevin Turner?"
    at = text.index(row)
    case = Case("c", "document", text, question=question, answer="1,520", spans=((at, at + len(row)),))
    (draft,) = answer_deleted(case, PerturbConfig(), Random(0))
    assert row not in draft.text and said not in draft.text
    assert "retailer" in draft.text and "Ms. Hood" in draft.text and "Amy Hood" in draft.text


def test_a_table_of_a_megabyte_is_no_trouble():
    rows = [f"| Row {i} | {i * 37 % 9973 + 1000} | {i * 91 % 9967 + 1000} |" for i in range(8_000)]
    text = "| Item | this | last |\n|---|---|---|\n" + "\n".join(rows)
    draft = deleted(text, "77,777,777", rows[4_000])
    assert not draft.refused and len(draft.text) < len(text)
    answer = rows[4_000].split("|")[2].strip()
    assert rows[4_000] not in deleted(text, answer, rows[4_000]).text


CELLS = st.sampled_from(["$1,234", "12%", "(56)", "—", "7", "1.2", "2,024"])


@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=8), st.data())
def test_what_is_left_of_a_table_is_some_of_its_lines_in_order(rows, data):
    lines = [f"| Row {chr(65 + i)} | {a} | {b} |" for i, (a, b) in enumerate(rows)]
    text = "\n".join(["Caption (in millions).", "", "| Item | this | last |", "|---|---|---|", *lines])
    chosen = data.draw(st.integers(0, len(rows) - 1))
    answer = rows[chosen][0]
    draft = deleted(text, answer, lines[chosen])
    if draft.refused:
        assert draft.text == text
    else:
        remaining = iter(text.split("\n"))
        assert all(line in remaining for line in draft.text.split("\n"))
        assert lines[chosen] not in draft.text and answer not in draft.text.replace("112%", "")
        assert "| Item | this | last |" in draft.text
        assert moved_apart(text, draft)


SENTENCES = st.sampled_from(
    ["Sales rose.", "It has 7 sites.", "# Head", "| a | 7 |", "العربية 7.", "", " ", "\u200b🙂 e\u0301."]
)


@given(st.lists(st.tuples(SENTENCES, st.sampled_from([" ", "\n", "\n\n", "\n\n\n"]))), st.data())
def test_what_is_left_of_any_text_is_what_moved(parts, data):
    text = "".join(sentence + gap for sentence, gap in parts)
    evidence = data.draw(st.sampled_from([sentence for sentence, _ in parts if sentence] or [text]))
    draft = deleted(text, "7", evidence)
    assert draft.refused or moved_apart(text, draft)
    assert draft.refused or ("7" not in draft.text and len(draft.text) < len(text))


@pytest.mark.parametrize(
    ("cell", "figure"),
    [
        (" $(130) (4) ", -130.0),
        ("- 1,234.5", -1234.5),
        ("€ 7", 7.0),
        ("9/16/2016", None),
        ("001-35727", None),
        ("2024 – 2062", None),
        ("10-K", None),
        ("12%", None),
        ("five", None),
    ],
)
def test_a_cell_that_is_no_figure_adds_up_to_nothing(cell, figure):
    assert parse_cell(cell) == figure
