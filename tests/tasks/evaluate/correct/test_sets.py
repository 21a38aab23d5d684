"""Answers that are sets: right with every member and no other candidate, wrong where a plain list is not so."""

import pytest

from rarefy.data_contracts.rows import Answer, Question, Reply, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score
from rarefy.tasks.evaluate.correct.by_set import judge_set
from rarefy.tasks.models.llm.config import LLMConfig


def asked(text, members, others):
    answer = " and ".join(members)
    return Question(
        "q", "p", "listing", text, answer, (), (), (), (), (), members=tuple(members), chance=1 / 15,
        arithmetic=f"members [1 | 2] of {{{' | '.join(sorted((*members, *others)))}}} = 2; 1",
    )  # fmt: skip


INCOME = asked(
    "Which of Apple, Tesla, Meta Platforms and Walmart had net income above $20 billion in fiscal year 2024?",
    ["Apple", "Meta Platforms"],
    ["Tesla", "Walmart"],
)
NORTH = asked(
    "Which of Walmart's segments had net sales above $90 billion in fiscal year 2023: Walmart U.S., Walmart "
    "International or Sam's Club U.S.?",
    ["Walmart U.S.", "Walmart International"],
    ["Sam's Club U.S."],
)
AUDITED = asked(
    "Which of these companies are audited by Deloitte & Touche LLP: International Business Machines, Boeing, "
    "Procter & Gamble or Johnson & Johnson?",
    ["Boeing", "Procter & Gamble"],
    ["International Business Machines", "Johnson & Johnson"],
)
CASES = [  # question, answer, verdict
    (INCOME, "Apple and Meta Platforms", "right"),
    (INCOME, "Meta Platforms, Apple", "right"),
    (INCOME, "Apple Inc. and Meta Platforms, Inc.", "right"),
    (INCOME, "- Apple\n- Meta Platforms", "right"),
    (INCOME, "Apple and Meta had net income above $20 billion in fiscal year 2024.", "right"),
    (INCOME, "Both Apple ($93.7 billion) and Meta Platforms ($62.4 billion).", "right"),
    (INCOME, "According to the filings, Apple earned $93.7 billion and Meta Platforms earned $62.4 billion.", "right"),
    (INCOME, "Apple", "wrong"),
    (INCOME, "Meta Platforms had net income above $20 billion.", "wrong"),
    (INCOME, "Apple, Meta Platforms and Walmart", "wrong"),
    (INCOME, "|  | Year ended December 31, 2024 | Year ended December 31, 2023 | Year ended 2022 |", "wrong"),
    (INCOME, "The maker of the iPhone and the owner of Instagram, as their reports for the year show.", "open"),
    (INCOME, "Apple and Walmart", "wrong"),
    (INCOME, "Tesla", "wrong"),
    (INCOME, "Apple, Tesla, Meta Platforms and Walmart", "wrong"),
    (INCOME, "$93,736 million", "wrong"),
    (INCOME, "Nasdaq Global Select Market", "wrong"),
    (INCOME, "fiscal year 2024", "wrong"),
    (INCOME, "Both", "open"),
    (INCOME, "MP and another", "open"),
    (INCOME, "All of them", "wrong"),
    (INCOME, "All four companies", "wrong"),
    (INCOME, "Apple and Meta Platforms, but not Tesla or Walmart", "right"),
    (INCOME, "Apple ($9 billion) and Meta Platforms ($8 billion). Tesla's was only $2 billion.", "right"),
    (INCOME, "Apple ($9 billion). Meta Platforms did not.", "open"),
    (INCOME, "None of them", "wrong"),
    (INCOME, "Not Tesla, but Apple and Meta Platforms", "open"),
    (INCOME, "Apple and Meta Platforms did not.", "open"),
    (INCOME, "All except Tesla and Walmart", "open"),
    (INCOME, "Apple; Meta might have.", "open"),
    (INCOME, "Apple or Meta Platforms", "open"),
    (INCOME, "Apple earned 93.7, Meta Platforms 62.4, Walmart 15.5 and Tesla 7.1 billion, so the first two qualify.",
     "open"),
    (INCOME, "Apple, Meta Platforms and Google", "open"),
    (INCOME, "Apple had the largest profit of all technology firms that year by a wide margin.", "open"),
    (INCOME, "The two big technology companies", "open"),
    (NORTH, "Walmart U.S. and Walmart International", "right"),
    (NORTH, "Walmart U.S.", "wrong"),
    (NORTH, "Walmart International; Walmart U.S.; Sam’s Club U.S.", "wrong"),
    (AUDITED, "Boeing and Procter and Gamble", "right"),
    (AUDITED, "The Boeing Company; The Procter & Gamble Company", "right"),
    (AUDITED, "Boeing, Procter & Gamble and IBM", "wrong"),
    (AUDITED, "Johnson & Johnson and Boeing", "wrong"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "verdict"), CASES)
def test_sets(question, answer, verdict):
    assert judge_set(answer, question).verdict == verdict


def test_a_judge_is_told_that_it_is_a_set():
    heard = []

    def judge(requests):
        for request in requests:
            heard.append(request.messages[-1].content)
            yield Reply(request.request_id, "[Start answer]\nYes\n[End answer]")

    answer = Answer("t", "s", "a", "All but Tesla and Walmart")
    for protocol in ("rare", "retrieval_robustness", "magic_mushroom"):
        trial = Trial("t", protocol, "q", "gold", "passages", "v")
        config = CorrectConfig(judge=LLMConfig(provider="openai", model="judge-1"))
        list(score([answer], config, trials={"t": trial}, questions={"q": INCOME}, judge=judge))
    assert len(heard) == 3 and all("Apple; Meta Platforms" in text and "Tesla; Walmart" in text for text in heard)


def test_a_choice_of_a_question_as_a_table_gives_it():
    question = Question(
        "q", "p", "comparison", "Which had more, Apple or Tesla?", "Apple", (), (), (), (), (),
        alternatives=(["c1"],), arithmetic="largest [2 | 1] of {Apple | Tesla} = 2; not rounded; USD", chance=0.5,
    )  # fmt: skip
    trial = Trial("t", "rare", "q", "gold", "passages", "v")
    (row,) = score([Answer("t", "s", "a", "Tesla")], CorrectConfig(), trials={"t": trial}, questions={"q": question})
    assert (row.status, row.value) == ("scored", 0.0)


@pytest.mark.parametrize(("text", "value"), [("Meta and Apple", 1.0), ("Apple and Tesla", 0.0), ("Unknown", 0.0)])
def test_scores_of_sets(text, value):
    trial = Trial("t", "rare", "q", "gold", "passages", "v")
    (row,) = score([Answer("t", "s", "a", text)], CorrectConfig(), trials={"t": trial}, questions={"q": INCOME})
    assert (row.status, row.value) == ("scored", value)
