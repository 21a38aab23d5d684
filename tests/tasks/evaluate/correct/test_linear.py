"""An answer is judged in about the time of its length, whatever it repeats."""

import pytest
from linear import long, longer_than_linear

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score

GOLDS = {
    "value": ("What was the revenue in fiscal year 2024, in millions of US dollars?", "$47,525"),
    "day": ("When was it founded?", "March 5, 2019"),
    "names": ("Which companies are members?", "Alto; Larkspur; Marlin"),
    "person": ("Who is the chief executive officer?", "Dana Whitfield"),
    "verdict": ("Is it a member?", "yes"),
}
PIECES = (
    "\n",
    " ",
    "\t",
    "\u00a0",
    "\n ",
    "- ",
    "(",
    "A ",
    "or ",
    "not ",
    "47 ",
    "1,",
    "twenty-",
    "Alto, ",
    "Dana ",
    "2024 ",
    "according to Form 10-K. ",
    "(Form 10-K) ",
)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("gold", GOLDS)
def test_a_long_answer_takes_no_more_than_its_share(gold: str, piece: str) -> None:
    question = Question("q", "p", "single", *GOLDS[gold], (), (), (), (), ())
    trial = Trial("t", "rare", "q", "gold", "passages", "v")

    def judge(characters: int) -> object:
        answer = Answer("t", "s", "a", f"It is {long(piece)(characters)} !")
        return list(score([answer], CorrectConfig(), trials={"t": trial}, questions={"q": question}))

    assert not longer_than_linear(judge)
