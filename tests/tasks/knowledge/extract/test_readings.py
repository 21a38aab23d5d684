"""Figures, decisions and votes, taken from minutes."""

from datetime import date
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.knowledge.extract.readings import complete_period, extract_readings, find_origin

OPENING = (
    "A meeting of the Federal Open Market Committee was held in the offices of the Board of Governors in Washington, "
    "D.C., on Tuesday, November 2, 2010, at 1:00 p.m. and continued on Wednesday, November 3, 2010, at 9:00 a.m.\n\n"
)


def _document(text: str, domain: str = "economics") -> Document:
    return Document(
        *("a", "h", "a", "Minutes", "text/plain", OPENING + text),
        entity="Federal Open Market Committee",
        domain=domain,
        period_end="2010-11-03",
    )


def _rows(text: str, domain: str = "economics") -> list[Triplet]:
    document = _document(text, domain)
    return list(extract_readings(document, list(chunk([document], ChunkConfig()))))


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (
            "The unemployment rate fell to 9.6 percent in September.",
            ("unemployment rate", "fell to", "9.6 percent", "September 2010"),
        ),
        ("Core PCE prices rose 0.2 percent in December.", ("Core PCE prices", "rose", "0.2 percent", "December 2009")),
        (
            "M2 grew at an annual rate of about 7 percent in June and July.",
            ("M2", "grew annually about", "7 percent", "June and July 2010"),
        ),
        (
            "Over the 12 months ending in August, the employment cost index increased nearly 2 percent.",
            ("employment cost index", "increased about", "2 percent", "the 12 months ending in August 2010"),
        ),
        (
            "Voting against this action: Thomas M. Hoenig.",
            (
                "Federal Open Market Committee meeting of November 2-3, 2010",
                "was dissented from by",
                "Thomas M. Hoenig",
                "",
            ),
        ),
    ],
)
def test_a_plain_statement_gives_measure_verb_value_and_year(sentence: str, said: tuple[str, ...]) -> None:
    assert [(r.subject, r.relation, r.answer, r.period) for r in _rows(sentence)] == [said]


@pytest.mark.parametrize(
    "sentence",
    [
        "The staff projected that the unemployment rate fell to 9.6 percent in September.",
        "The unemployment rate was expected to fall to 9 percent in December.",
        "The unemployment rate fell to 9.6 percent.",
        "The index rose 2 percent in August.",
        "The unemployment rate fell to 9.6 percent in September and October of last year.",
        "Votes against this action: None.",
        "Yields declined 30 to 40 percent in August.",
    ],
)
def test_forecasts_and_what_has_no_time_or_name_give_none(sentence: str) -> None:
    assert _rows(sentence) == []


def test_two_values_of_one_measure_reject_each_other() -> None:
    rows = _rows(
        "The unemployment rate fell to 9.6 percent in May.\n\nThe unemployment rate rose to 9.7 percent in May."
    )
    assert [row.rejected_because for row in rows] == ["two_values_in_document"] * 2


def test_other_domains_are_left_alone() -> None:
    assert _rows("The unemployment rate fell to 9.6 percent in September.", "finance") == []


def test_fractions_stay_words_and_plain_numbers_are_values() -> None:
    rows = _rows(
        "The unemployment rate rose to 5-1/2 percent in May.\n\nThe unemployment rate fell to 5.0 percent in July."
    )
    assert [(row.answer, row.value) for row in rows] == [("5-1/2 percent", ""), ("5.0 percent", "5.0")]


def test_a_year_is_taken_only_where_the_day_settles_it() -> None:
    on = date(2010, 11, 3)
    assert complete_period("November", on) == "November 2010"
    assert complete_period("December", on) == "December 2009"
    assert complete_period("the third quarter", on) == "the third quarter of 2010"
    assert complete_period("the fourth quarter", on) == ""
    assert complete_period("May 2008", on) == "May 2008"


def test_a_place_belongs_to_the_last_meeting_opened_before_it() -> None:
    later = (
        "A meeting of the Federal Open Market Committee was held on Tuesday, December 14, 2010, at 8:30 a.m.\n\nEnd."
    )
    document = _document("Some words. " * 80 + "\n\n" + later)
    first, last = find_origin(document, 600), find_origin(document, len(document.text) - 2)
    assert first is not None and first.name == "Federal Open Market Committee meeting of November 2-3, 2010"
    assert last is not None and last.name == "Federal Open Market Committee meeting of December 14, 2010"


def test_real_minutes_give_readings(shared: Path) -> None:
    folder = shared / "corpora/economics/fomc-minutes"
    text = next(folder.glob("*2010-11-03*")).read_text(encoding="utf-8-sig")
    rows = _rows(text.split("PRESENT", 1)[1])
    assert {"was dissented from by", "preceded meeting of"} <= {row.relation for row in rows}
