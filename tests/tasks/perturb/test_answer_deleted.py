"""A gold chunk loses its answer, keeps the rest, or says why not."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Chunk, Question, Span
from rarefy.tasks.perturb.answer_deleted import answer_deleted

PROSE = (
    "# Item 1. Business\n\nApple Inc. was founded in 1976. As of September 28, 2024, the Company had approximately "
    "164,000 full-time equivalent employees. It sells phones.\n\nIts headquarters are in Cupertino."
)
TABLE = (
    "Net sales by segment (in millions):\n\n| Segment | 2024 | 2023 |\n|---|---|---|\n"
    "| Americas | $167,045 | $162,560 |\n"
    "| Europe | 101,328 | 94,294 |\n| Total | $268,373 | $256,854 |"
)


def chunk_of(text: str) -> Chunk:
    return Chunk("c1", "d1", 0, len(text), "text", "", text, 100)


def asked(chunk: Chunk, answer: str, evidence: str, *aliases: str) -> Question:
    start = chunk.text.index(evidence)
    span = Span(chunk.chunk_id, start, start + len(evidence))
    return Question("q1", "p1", "single", "What?", answer, aliases, ("t1",), ("c1",), (evidence,), (span,))


def test_the_supporting_sentence_goes_and_its_neighbours_stay():
    chunk = chunk_of(PROSE)
    evidence = "As of September 28, 2024, the Company had approximately 164,000 full-time equivalent employees."
    text, reason = answer_deleted(asked(chunk, "164,000", evidence), chunk)
    assert reason == ""
    assert text == PROSE.replace(evidence + " ", "")


def test_a_table_loses_the_row_and_keeps_its_header():
    chunk = chunk_of(TABLE)
    header, row = "| Segment | 2024 | 2023 |", "| Europe | 101,328 | 94,294 |"
    question = asked(chunk, "101,328", row)
    at = TABLE.index(header)
    question = replace(
        question,
        evidence=(header, row),
        evidence_spans=(Span("c1", at, at + len(header)), *question.evidence_spans),
    )
    text, reason = answer_deleted(question, chunk)
    assert reason == ""
    assert text == TABLE.replace(row + "\n", "")


def test_the_answer_goes_from_other_sentences_too_in_any_notation():
    chunk = chunk_of(TABLE + "\n\nEuropean sales were strong. They reached $101.3 billion in 2024. Asia was weak.")
    text, reason = answer_deleted(asked(chunk, "101,328", "| Europe | 101,328 | 94,294 |"), chunk)
    assert reason == ""
    assert "101.3" not in text and "European sales were strong. Asia was weak." in text


def test_aliases_go_too():
    chunk = chunk_of("It is listed on The NASDAQ Stock Market. Trading on Nasdaq began in 1980. It pays dividends.")
    question = asked(chunk, "The NASDAQ Stock Market", "It is listed on The NASDAQ Stock Market.", "Nasdaq")
    assert answer_deleted(question, chunk) == ("It pays dividends.", "")


def test_a_repeated_supporting_sentence_goes_wherever_it_stands():
    chunk = chunk_of("Sales grew. Costs fell. SALES GREW. Nothing else.")
    assert answer_deleted(asked(chunk, "grew", "Sales grew."), chunk) == ("Costs fell. Nothing else.", "")


def test_an_answer_in_the_header_remains_and_is_reported():
    chunk = chunk_of(TABLE)
    question = asked(chunk, "2024", "| Europe | 101,328 | 94,294 |")
    assert answer_deleted(question, chunk) == (TABLE, "answer_remains")


def test_a_chunk_that_is_all_evidence_has_nothing_left():
    chunk = chunk_of("| Segment | 2024 |\n|---|---|\n| Europe | 101,328 |")
    assert answer_deleted(asked(chunk, "101,328", "| Europe | 101,328 |"), chunk)[1] == "nothing_left"


def test_a_chunk_without_evidence_is_not_changed():
    chunk = chunk_of(PROSE)
    question = asked(chunk, "1976", "Apple Inc. was founded in 1976.")
    elsewhere = replace(chunk_of("Another text."), chunk_id="c2")
    assert answer_deleted(question, elsewhere) == ("Another text.", "nothing_deleted")


CELLS = st.sampled_from(["$1,234", "12%", "(56)", "—", "7", "1.2", "2,024"])


@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=8), st.data())
def test_what_is_left_of_a_table_is_some_of_its_lines_in_order(rows, data):
    lines = [f"| Row {chr(65 + i)} | {a} | {b} |" for i, (a, b) in enumerate(rows)]
    text = "\n".join(["Caption (in millions).", "", "| Item | this | last |", "|---|---|---|", *lines])
    chosen = data.draw(st.integers(0, len(rows) - 1))
    answer = rows[chosen][0]
    chunk = chunk_of(text)
    left, reason = answer_deleted(asked(chunk, answer, lines[chosen]), chunk)
    if reason:
        assert left == text
    else:
        remaining = iter(text.split("\n"))
        assert all(line in remaining for line in left.split("\n"))
        assert lines[chosen] not in left and answer not in left.replace("112%", "")
        assert "| Item | this | last |" in left
