"""Questions that the corpus does not answer: right is to refuse, and their figure is in no headline."""

from dataclasses import replace

import pytest
from framed import REFUSED, RIGHT, WRONG, framed, made

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score
from rarefy.tasks.evaluate.protocols import PROTOCOLS, ProtocolsConfig, TrialsConfig, trials
from rarefy.tasks.evaluate.protocols.attribution import measures as attribution
from rarefy.tasks.evaluate.protocols.rare import ABSTENTION, RARE, REFUSED_ANSWERABLE, RareConfig
from rarefy.tasks.evaluate.results.wording import with_companions
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.measured import measured

ABSENT = Question(
    "gone", "p", "absent", "What was Tesla's revenue in fiscal year 2019?", "not stated in the documents",
    (), ("t",), (), (), (),
)  # fmt: skip


def with_absences(number=3):
    """Answerable cases and as many that nothing answers, with what was retrieved for them."""
    answerable = made(number)
    gone = []
    for case in answerable:
        name = f"gone-{case.question.question_id}"
        question = replace(case.question, question_id=name, pattern="absent", chunk_ids=(), evidence=())
        gone.append(replace(case, question=question, documents=(), context=()))
    return [*answerable, *gone]


def figures(system):
    frame = framed(RARE, with_absences(), RareConfig(), system)
    found = {(m.metric, m.slice): m for m in RARE.numbers(frame, RareConfig())}
    return {key: m.numerator.sum() / m.denominator.sum() for key, m in found.items() if m.denominator.sum()}, found


def refuses(trial):
    # of an absence a refusal is right; RARE's rules decide of the others
    return (1.0, True) if trial.question_id.startswith("gone") else REFUSED


def answers(trial):
    return WRONG if trial.question_id.startswith("gone") else RIGHT


def test_who_always_refuses_abstains_everywhere():
    values, found = figures(refuses)
    assert values[ABSTENTION, "all"] == values[REFUSED_ANSWERABLE, "all"] == 1.0
    assert found[ABSTENTION, "all"].counts.scored == 3 * 3  # three retrievers
    assert not found[ABSTENTION, "all"].headline


def test_who_never_refuses_abstains_nowhere():
    values, _ = figures(answers)
    assert values[ABSTENTION, "all"] == values[REFUSED_ANSWERABLE, "all"] == 0.0
    assert values[ABSTENTION, "retriever=bm25"] == 0.0


@pytest.mark.parametrize("system", [refuses, answers])
def test_absences_are_in_no_other_number(system):
    _, found = figures(system)
    alone = {(m.metric, m.slice): m for m in RARE.numbers(framed(RARE, made(3), RareConfig(), system), RareConfig())}
    assert {key: m.counts for key, m in found.items() if key[0] not in (ABSTENTION, REFUSED_ANSWERABLE)} == {
        key: m.counts for key, m in alone.items()
    }
    frame = framed(RARE, with_absences(), RareConfig(), system)
    other = framed(RARE, made(3), RareConfig(), system)
    assert [m.counts for m in attribution(frame)] == [m.counts for m in attribution(other)]


def test_only_protocols_that_allow_refusing_ask_them():
    cases = with_absences(1)
    config = TrialsConfig(
        chosen=tuple(PROTOCOLS), takes=frozenset(("closed_book", "passages", "own")), options=ProtocolsConfig()
    )
    rows = list(
        trials(
            [case.question for case in cases], config,
            variants={row.variant_id: row for case in cases for row in case.queries},
            chunks=cases[0].chunks, hits={row.hits_id: row for case in cases[:1] for row in case.hits.values()},
        )
    )  # fmt: skip
    asked = {row.protocol for row in rows if row.question_id.startswith("gone")}
    assert asked == {"rare"}
    assert all(PROTOCOLS[name].refusal for name in asked)


def test_figures_of_abstention_follow_the_retrieval_headline():
    name = "Real-World Retrieval Robustness"
    rows = [
        {"metric": metric, "system": "s", "protocol": "rare", "slice": "all", "value": 0.5}
        for metric in (name, ABSTENTION, REFUSED_ANSWERABLE)
    ]
    assert [row["metric"] for row in with_companions(rows[:1], rows)] == [name, ABSTENTION, REFUSED_ANSWERABLE]


def test_retrieval_is_not_measured_on_them():
    cases = with_absences(1)
    questions = {case.question.question_id: case.question for case in cases}
    hits = [row for case in cases for row in case.hits.values()]
    variants = {row.variant_id: row for case in cases for row in case.queries}
    rows = list(measured(hits, questions, cases[0].chunks, variants, RetrieveConfig()))
    assert rows and all(len(row.numerator) == 1 for row in rows)


@pytest.mark.parametrize(
    ("text", "value", "refused"),
    [
        ("no such info", 1.0, True),
        ("Not stated in the documents.", 1.0, True),
        ("The provided passages do not state Tesla's revenue for 2019.", 1.0, True),
        ("I cannot answer the question.", 1.0, True),
        ("$24,578 million", 0.0, False),
        ("In fiscal year 2019 it was $24.6 billion.", 0.0, False),
        ("The passages do not say. However, Tesla's revenue in 2019 was about $24.6 billion.", 0.0, False),
        ("", 0.0, False),
    ],
)
def test_right_is_to_say_that_it_is_not_there(text, value, refused):
    trial = Trial("t", "rare", "gone", "retrieved", "passages", "v")
    rows = score([Answer("t", "s", "a", text)], CorrectConfig(), trials={"t": trial}, questions={"gone": ABSENT})
    (row,) = rows
    assert (row.status, row.value, row.refused) == ("scored", value, refused)


def test_a_system_that_says_so_itself_is_heard():
    trial = Trial("t", "rare", "gone", "retrieved", "own", "v")
    answer = Answer("t", "s", "a", "", refused=True)
    (row,) = score([answer], CorrectConfig(), trials={"t": trial}, questions={"gone": ABSENT})
    assert (row.value, row.refused) == (1.0, True)
