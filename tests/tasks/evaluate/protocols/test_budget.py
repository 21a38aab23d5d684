"""Which trials a budget draws: whole units, of each part in proportion, a smaller budget within a larger one."""

import random
from collections import Counter

import numpy as np
import pytest

from rarefy.data_contracts.rows import Answer, Question, Score, Trial
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.evaluate.protocols import ProtocolsConfig
from rarefy.tasks.evaluate.protocols.budget import draw_trials, list_units, order_units
from rarefy.tasks.evaluate.protocols.frame import NOT_DRAWN, build_frame
from rarefy.tasks.evaluate.statistics import figures
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig

OPTIONS = ProtocolsConfig()
QUESTIONS = [f"q{n:02}" for n in range(40)]


def row(protocol, question, cell, given="passages", **fields):
    name = " ".join(map(str, (protocol, question, cell, *fields.values())))
    return Trial(name, protocol, question, cell, given, question, **fields)


def rows_of(question):
    """Of a question: RARE's probe and cells, two retrievers' blocks, two documents of SURE with their changes."""
    yield row("rare", question, "probe", "closed_book")
    yield from (row("rare", question, "gold", query=name) for name in ("none", "word", "grammar"))
    yield row("retrieval_robustness", question, "closed_book", "closed_book")
    for retriever in ("bm25", "dense"):
        for k in (5, 10):
            for order in ("original", "reversed"):
                yield row("retrieval_robustness", question, "retrieved", retriever=retriever, k=k, order=order)
    yield row("sure", question, "probe", "closed_book")
    for cell in ("golden", "noise"):
        for document in ("none", "json", "html", "timestamp_pre"):
            yield row("sure", question, cell, chunk_id=f"{question} {cell}", document=document)


TRIALS = [one for question in QUESTIONS for one in rows_of(question)]
# the three closed-book trials of a question ask the same
CALLS = {t.trial_id: (f"{t.question_id} {'closed' if t.given == 'closed_book' else t.trial_id}",) for t in TRIALS}


def drawn(most, trials=TRIALS, seed=""):
    return draw_trials(order_units(list_units(trials, OPTIONS), seed), CALLS, most)


def calls_of(names):
    return {call for name in names for call in CALLS[name]}


@pytest.mark.parametrize("most", [20, 100, 400])
def test_a_budget_is_kept_and_used_up_to_a_unit(most):
    assert most - 10 < len(calls_of(drawn(most))) <= most


def test_the_same_is_drawn_in_any_order_of_rows_and_a_larger_budget_contains_a_smaller_one():
    shuffled = random.Random(1).sample(TRIALS, len(TRIALS))
    assert drawn(150, shuffled) == drawn(150)
    assert drawn(60) < drawn(150) < drawn(400)


def test_all_is_drawn_where_there_is_enough():
    assert drawn(10_000) == {one.trial_id for one in TRIALS}


def test_what_a_number_needs_is_drawn_together():
    names = drawn(200)
    mine = [one for one in TRIALS if one.trial_id in names]
    blocks = Counter((t.question_id, t.retriever) for t in mine if t.cell == "retrieved")
    assert blocks and set(blocks.values()) == {4}
    closed = {(t.protocol, t.question_id) for t in mine if t.given == "closed_book"}
    assert closed == {(t.protocol, t.question_id) for t in mine}
    pages = Counter((t.chunk_id, t.document) for t in mine if t.protocol == "sure" and t.chunk_id)
    assert any(document == "timestamp_pre" for _, document in pages)
    for chunk_id, document in pages:
        assert (chunk_id, "none") in pages
        assert document != "timestamp_pre" or (chunk_id, "html") in pages
        assert document != "html" or (chunk_id, "timestamp_pre") in pages


def test_protocols_have_even_shares_and_parts_are_in_proportion():
    names = drawn(240)
    spent = {
        name: len(calls_of(t.trial_id for t in TRIALS if t.protocol == name and t.trial_id in names))
        for name in ("rare", "sure", "retrieval_robustness")
    }
    assert min(spent.values()) > 60
    cells = Counter(t.query for t in TRIALS if t.protocol == "rare" and t.cell == "gold" and t.trial_id in names)
    assert len(cells) == 3 and max(cells.values()) - min(cells.values()) <= 1


def frame_of(left, value):
    """The frame of a protocol with 1 to 6 cells a question, some of them not drawn."""
    trials = [row("rare", q, "gold", query=f"w{i}") for at, q in enumerate(QUESTIONS) for i in range(1 + at % 6)]
    trials = [
        Trial(**{**{n: getattr(t, n) for n in Trial.__slots__}, "skipped_because": NOT_DRAWN * left(t)}) for t in trials
    ]
    scores = [
        Score(t.trial_id, "x", "rare", t.question_id, "scored", value(t), False, "exact")
        for t in trials
        if not t.skipped_because
    ]
    questions = [Question(q, "p", "single", "?", "1", (), (), ("c",), (), ()) for q in QUESTIONS]
    return build_frame(*map(to_table, (trials, [], scores, questions), (Trial, Answer, Score, Question)))


def test_a_mean_over_questions_stands_for_the_cells_that_were_not_drawn():
    """A question of few cells is drawn less often than one of many: over many samples the mean is that of the whole."""
    value = lambda t: float(int(t.question_id[1:]) % 6 < 3)  # noqa: E731  questions of up to three cells are right
    whole = frame_of(lambda t: False, value).mean("m", "all", per="question")
    truth = whole.numerator.sum() / whole.denominator.sum()
    source = np.random.default_rng(0)
    sums = np.zeros(2)
    for _ in range(60):
        part = frame_of(lambda t: source.random() > 0.2, value).mean("m", "all", per="question")
        sums += part.numerator.sum(), part.denominator.sum()
    assert sums[0] / sums[1] == pytest.approx(truth, abs=0.03)
    assert whole.denominator.sum() == len(QUESTIONS)


def test_a_first_look_draws_whole_questions_in_the_order_of_the_circle():
    rare = [one for one in TRIALS if one.protocol == "rare"]
    ordered = order_units(list_units(rare, OPTIONS, whole=True))
    names = draw_trials(ordered, CALLS, 42)
    mine = Counter(one.question_id for one in rare if one.trial_id in names)
    assert mine == Counter(dict.fromkeys([unit.question_id for unit in ordered["rare"][:10]], 4))
    assert len(calls_of(names)) == 40


def test_what_was_not_drawn_is_in_no_count():
    counts = frame_of(lambda t: t.query != "w0", lambda t: 1.0).counts()
    assert (counts.scored, counts.skipped) == (len(QUESTIONS), 0)


def test_a_look_has_no_intervals():
    measure = frame_of(lambda t: False, lambda t: float(t.query == "w0")).mean("m", "all", per="question")
    about = {"system": "x", "protocol": "rare", "config": StatisticsConfig(draws=100)}
    (whole,), (look,) = (list(figures([measure], **about, fewest=least)) for least in (2, 1_000))
    assert whole.low is not None and (look.low, look.high) == (None, None) and look.value == whole.value
