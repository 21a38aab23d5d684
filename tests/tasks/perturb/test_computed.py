"""Variants of questions whose answer is computed: their operands stand in the passages, not the answer."""

import numpy as np
import pytest

from rarefy.data_contracts.rows import COMPUTED, Variant, row_id
from rarefy.tasks.perturb import Case, Draft, PerturbConfig, vary
from rarefy.tasks.perturb.checks import answer_kept, no_answer
from rarefy.tasks.perturb.pools import draw
from rarefy.tasks.questions.operands import operands_of
from rarefy.tasks.questions.other_answers import leads_elsewhere
from rarefy.tasks.text.answers import find_readable
from tests.sample_questions import ask_sample

FEW = 8  # of each kind
NAMES = ("irrelevant_detail", "answer_deleted", "html", "golden_passage", "distracting", "inconsequential")
POOLS = {"distracting": 3, "inconsequential": 2}
CONFIG = PerturbConfig(query=NAMES[:1], document=NAMES[1:3], context=NAMES[3:], threshold=-1.0, pools=POOLS)


@pytest.fixture(scope="module")
def varied():
    """Some questions of each computed kind, and of absences, with their variants."""
    sample = ask_sample()
    kinds = (*COMPUTED, "listing", "absent")
    some = {kind: sorted(sample.of(kind), key=lambda q: row_id("few", q.question_id))[:FEW] for kind in kinds}
    questions = {q.question_id: q for of_kind in some.values() for q in of_kind}
    assert all(some.values())
    pools = {p.pool_id: p for p in draw(questions.values(), CONFIG, chunks=sample.chunks, triplets=sample.triplets)}
    embed = lambda texts: np.ones((len(texts), 2))  # noqa: E731  (nothing here is about likeness)
    rows = vary(questions.values(), CONFIG, chunks=sample.chunks, pools=pools, embed=embed)
    return questions, [row for row in rows if isinstance(row, Variant)]


def kept(varied, name):
    questions, rows = varied
    found = [(questions[v.question_id], v) for v in rows if v.perturbation == name and not v.rejected_because]
    assert found
    return found


def test_a_false_operand_leads_to_another_answer(varied):
    kinds = set()
    for question, variant in kept(varied, "distracting"):
        new, _, old = variant.detail.partition(" for ")
        assert leads_elsewhere(question, old, new) and not find_readable(variant.text, old, ())
        kinds.add(question.pattern)
    assert kinds >= {"change", "share"}


def test_no_operand_is_left_where_the_answer_is_deleted_or_in_noise(varied):
    for name in ("answer_deleted", "inconsequential"):
        for question, variant in kept(varied, name):
            assert not any(find_readable(variant.text, figure, ()) for figure in operands_of(question))


def test_all_operands_of_a_passage_stay_in_another_format(varied):
    _, rows = varied
    plain = {(v.question_id, v.chunk_id): v.text for v in rows if v.perturbation == "golden_passage"}
    for question, variant in kept(varied, "html"):
        held = plain[question.question_id, variant.chunk_id]
        assert all(find_readable(variant.text, f, ()) for f in operands_of(question) if find_readable(held, f, ()))


def test_a_question_that_names_its_answer_gets_a_detail_all_the_same(varied):
    assert {q.pattern for q, _ in kept(varied, "irrelevant_detail")} >= {"comparison", "superlative"}


def test_what_the_corpus_does_not_answer_has_variants_of_its_wording_alone(varied):
    questions, rows = varied
    sides = {v.side for v in rows if questions[v.question_id].pattern == "absent"}
    assert sides == {"query"}


COMPARED = ask_sample().of("change")[0]
CASE = Case(
    "c", "context", "Sales were $42,661 and $62,871.", "q", answer="$42,661", aliases=("$62,871",), computed=COMPARED
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "lost", "remains", "remains_replaced"),
    [
        ("Sales were $42,661 and $62,871.", False, True, True),
        ("Sales were $42,661 and $70,000.", True, True, False),
        ("Sales were $1 and $70,000.", True, False, False),
    ],
)
def test_of_a_computed_answer_each_operand_counts(text, lost, remains, remains_replaced):
    assert answer_kept(CASE, Draft(text)).startswith("answer_lost") is lost
    assert no_answer(CASE, Draft(text)).startswith("answer_remains") is remains
    assert no_answer(CASE, Draft(text, replaced="$62,871")).startswith("answer_remains") is remains_replaced
