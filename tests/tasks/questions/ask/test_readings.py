"""Questions about figures, decisions and votes of minutes."""

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.knowledge.extract.readings import extract_readings
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.patterns import ask_fact

OPENING = "A meeting of the Federal Open Market Committee was held on Tuesday, November 2, 2010, at 1:00 p.m.\n\n"
MINUTES = "the minutes of the Federal Open Market Committee meeting of November 2, 2010"


def _asked(sentence: str) -> str:
    document = Document(
        *("a", "h", "a", "Minutes", "text/plain", OPENING + sentence),
        entity="Federal Open Market Committee",
        domain="economics",
        period_end="2010-11-02",
    )
    chunks = list(chunk([document], ChunkConfig()))
    (row,) = extract_readings(document, chunks)
    return ask_fact(row, CorpusIndex({}, {c.chunk_id: c for c in chunks}, {"a": document})).text


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "The unemployment rate edged down in September to 9.6 percent.",
            f"To what level did the unemployment rate edge down in September 2010, according to {MINUTES}?",
        ),
        (
            "The unemployment rate in September remained at 9.6 percent.",
            f"At what level did the unemployment rate remain in September 2010, according to {MINUTES}?",
        ),
        (
            "Core PCE prices rose about 1 percent in August.",
            f"By about what percentage did core PCE prices rise in August 2010, according to {MINUTES}?",
        ),
        (
            "The unemployment rate was 9.6 percent in August, as in July.",
            f"What was the unemployment rate in August 2010, according to {MINUTES}?",
        ),
        (
            "The broad index of the dollar declined 2 percent, on net, over the intermeeting period.",
            "How much did the broad index of the dollar decline over the intermeeting period before the "
            "Federal Open Market Committee meeting of November 2, 2010, according to the minutes of that meeting?",
        ),
        (
            "Votes against this action: Mr. Hoenig.",
            "Who voted against the policy action at the Federal Open Market Committee meeting of November 2, 2010?",
        ),
        (
            "It was agreed that the next meeting of the Committee would be held on Tuesday, December 14, 2010.",
            "According to the minutes of the Federal Open Market Committee meeting of November 2, 2010, when was "
            "the next meeting to be held?",
        ),
        (
            "At its August meeting, the FOMC lowered its target for the federal funds rate 25 basis points, to 2 "
            "percent.",
            "At what level did the Federal Open Market Committee set its target for the federal funds rate at its "
            "August 2010 meeting?",
        ),
    ],
)
def test_the_verb_of_the_minutes_becomes_the_question(sentence: str, question: str) -> None:
    assert _asked(sentence).replace("FOMC meeting", "Federal Open Market Committee meeting") == question
