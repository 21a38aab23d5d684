"""Gold passages as they stand, and augmented."""

from dataclasses import replace
from random import Random

import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.golden import golden_augmented, golden_passage
from rarefy.tasks.perturb.spans import project_spans

CONFIG = PerturbConfig()
PROSE = (
    "In fiscal year 2022, we retired our existing 349 million treasury shares. We also face risks related to business "
    "trends. These risks could adversely affect our customers, particularly in countries with considerable volatility."
)
TABLE = """(In millions)

|  | 2024 | 2023 |
|---|---|---|
| Net sales | $391,035 | $383,285 |
| Net income | 93,736 | 96,995 |
"""


def case(text: str, answer: str, question: str = "How many?") -> Case:
    at = text.find(answer)
    return Case(
        text, "context", text, question=question, answer=answer, spans=((at, at + len(answer)),) if at >= 0 else ()
    )


def drafts(it: Case) -> list[Draft]:
    return list(golden_augmented(it, CONFIG, Random(7)))


def test_a_golden_passage_stands_as_it_is():
    (draft,) = golden_passage(case(PROSE, "349 million"), CONFIG, Random(1))
    assert draft.text == PROSE and project_spans(case(PROSE, "349 million"), draft)
    assert list(golden_passage(case(" ", "x"), CONFIG, Random(1))) == []


@pytest.mark.parametrize(("text", "answer"), [(PROSE, "349 million"), (TABLE, "$383,285")])
def test_drafts_keep_the_answer_and_its_place_and_differ(text, answer):
    found = drafts(case(text, answer))
    assert len(found) >= 3
    assert len({draft.text for draft in found} | {text}) == len(found) + 1
    for draft in found:
        assert answer in draft.text
        for move in draft.moves:
            assert text[move.start : move.end] == draft.text[move.at : move.at + move.end - move.start]
        assert [draft.text[a:b] for a, b in project_spans(case(text, answer), draft)] == [answer]


def test_drafts_are_the_same_each_time():
    assert drafts(case(PROSE, "349 million")) == drafts(case(PROSE, "349 million"))


def test_syntax_and_words_change():
    told = "; ".join(draft.detail for draft in drafts(case(PROSE, "349 million")))
    assert "trailing" in told and "added" in told and "adversely > negatively" in told


def test_words_of_the_answer_and_of_the_question_stay():
    for draft in drafts(case(PROSE, "adversely affect", "Which customers?")):
        assert "adversely affect" in draft.text and "customers" in draft.text


def test_a_word_is_the_same_word_throughout_a_draft():
    text = "Our customers pay late. We purchased two plants. Some customers never pay, and customers complain often."
    for draft in drafts(case(text, "two plants")):
        assert not ("customers" in draft.text and "clients" in draft.text)


@pytest.mark.parametrize("text", ["", "word", "| a | b |", "\u200b‮😀", '"\\{}</body>', "Total\n\n- one\n- two"])
def test_nothing_is_made_of_nothing(text):
    assert drafts(case(text, "x")) == []


def test_a_megabyte_is_not_read_through():
    text = PROSE + " " + "We purchased two plants. " * 40_000
    found = drafts(case(text, "349 million"))
    assert found and all(draft.text.endswith(text[-10_000:]) for draft in found)


def test_one_word_in_the_old_syntax_is_no_other_wording():
    text = "For further information, see Note 12. " + "Legal accruals stood at 5,523 in the year 2024. " * 3
    assert all(draft.detail.count(" > ") != 1 or ";" in draft.detail for draft in drafts(case(text, "5,523")))


def test_a_part_of_a_chunk_without_known_evidence_is_not_called_golden():
    chunk = Chunk("c", "d", 0, len(PROSE) * 3, "text", "", PROSE + "\n\n" + PROSE * 2, 90)
    part = Case("x", "context", PROSE, "q", "?", "349 million", chunk_id="c", chunks={"c": chunk})
    assert [d.refused for d in golden_passage(part, CONFIG, Random(1))] == ["no_evidence"]
    assert [d.refused for d in golden_augmented(part, CONFIG, Random(1))] == ["no_evidence"]
    known = replace(part, spans=((0, 10),))
    assert [d.refused for d in golden_passage(known, CONFIG, Random(1))] == [""]
