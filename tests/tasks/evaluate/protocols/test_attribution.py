"""Who is at fault for a wrong answer: the retriever or the generator."""

from collections.abc import Callable

import pytest
from framed import REFUSED, RETRIEVERS, RIGHT, WRONG, Verdict, framed, made, pooled, value

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols import attribution
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.magic_mushroom import MAGIC_MUSHROOM, MagicMushroomConfig
from rarefy.tasks.evaluate.protocols.rare import RARE, RareConfig
from rarefy.tasks.evaluate.statistics.measure import bounds, counts_of

CONFIG = RareConfig()


def found(frame: Frame) -> dict[tuple[str, str], float]:
    return {(one.metric, one.slice): value(one) for one in attribution.measures(frame)}


def of(
    system: Callable[[Trial], Verdict], *, gold: int = 1, takes: tuple[str, ...] = ("closed_book", "passages")
) -> Frame:
    """bm25 finds the gold of every wording, dense that of the original, hybrid none."""
    known = made(
        4,
        gold=gold,
        found=lambda n, retriever, wording: retriever == "bm25" or (retriever == "dense" and wording == "none"),
    )
    return framed(RARE, known, CONFIG, system, takes)


def test_the_generator_is_at_fault_where_all_gold_was_there_and_the_retriever_where_it_was_not() -> None:
    got = found(of(lambda trial: WRONG))
    assert got["Generator at fault", "all"] == pytest.approx(6 / 15) == got["All gold retrieved", "all"]
    assert got["Retriever at fault", "all"] == pytest.approx(9 / 15)
    assert got["Generator at fault", "retriever=bm25"] == 1 and got["Retriever at fault", "retriever=hybrid"] == 1
    assert got["Right with all gold", "all"] == 0


def test_the_shares_of_all_faults_sum_to_one() -> None:
    for gold in (1, 2):
        frame = of(lambda trial: RIGHT if trial.query == "word" else REFUSED, gold=gold)
        got = found(frame)
        for name in {name for _, name in got}:
            parts = [got.get((metric, name), 0.0) for metric in attribution.ABOUT]
            assert sum(parts) == pytest.approx(1)


def test_what_was_retrieved_and_whose_fault_it_would_be_needs_no_verdict() -> None:
    frame = of(lambda trial: WRONG)
    rows = frame.rows.copy()
    rows.loc[rows["retriever"] == "bm25", ["status", "value"]] = ["missing", float("nan")]  # all of them have all gold
    numbers = {
        one.metric: (value(one), bounds(one), counts_of(one).missing)
        for one in attribution.measures(Frame(rows, frame.questions))
        if one.slice == "all"
    }
    assert numbers["All gold retrieved"] == (pytest.approx(6 / 15), pytest.approx((6 / 15, 6 / 15)), 0)
    share, (least, most), missing = numbers["Generator at fault"]
    assert (share, least, most) == pytest.approx((1 / 10, 1 / 10, 6 / 15)) and missing
    assert numbers["Retriever at fault"][1] == pytest.approx((9 / 15, 9 / 10))


def test_half_of_the_gold_is_not_all_of_it() -> None:
    got = found(of(lambda trial: WRONG, gold=2))
    assert got["Generator at fault", "hops=multi"] == 0 and got["Generator at fault", "hops=single"] == pytest.approx(
        0.4
    )


def test_a_refusal_with_all_gold_there_is_the_generator_s() -> None:
    got = found(of(lambda trial: REFUSED if trial.gold == 1 else WRONG))
    assert got["Refused though all gold was there", "all"] == 1.0 and got["Generator at fault", "retriever=bm25"] == 1.0


def test_what_is_right_without_gold_is_told_apart_from_what_is_right_with_it() -> None:
    got = found(of(lambda trial: RIGHT if trial.gold == 1 or trial.query == "none" else WRONG))
    assert got["Right with all gold", "all"] == 1.0 and got["Right without all gold", "all"] == pytest.approx(1 / 9)


def test_an_answer_that_stands_in_another_passage_is_neither_s_fault_alone() -> None:
    frame = of(lambda trial: WRONG)
    rows = frame.rows.assign(answer_shown=(frame.rows["retriever"] == "hybrid").astype(object))
    got = found(Frame(rows, frame.questions))
    assert got["Answer shown without all gold", "retriever=hybrid"] == 1.0 and got[
        "Retriever at fault", "all"
    ] == pytest.approx(4 / 15)


def test_a_system_that_does_not_tell_what_it_retrieved_is_not_blamed_on_anybody() -> None:
    got = found(of(lambda trial: WRONG, takes=("closed_book", "own")))
    assert got["Fault not known", "all"] == 1.0 and got["Retriever at fault", "all"] == 0.0


def test_only_retrieved_passages_count_and_only_those_as_they_were_retrieved() -> None:
    frame = of(lambda trial: WRONG)
    (one,) = [one for one in attribution.measures(frame) if (one.metric, one.slice) == ("Generator at fault", "all")]
    assert one.counts.scored == 4 * 5 * len(RETRIEVERS)
    changed = Frame(frame.rows.assign(document="html"), frame.questions)
    assert not list(attribution.measures(changed))
    mixed = framed(MAGIC_MUSHROOM, pooled(2), MagicMushroomConfig(), lambda trial: WRONG)
    assert not list(attribution.measures(mixed))


def test_metric_and_slice_are_names_of_one_number_only_and_none_of_the_protocols_own() -> None:
    frame = of(lambda trial: WRONG)
    names = [(one.metric, one.slice) for one in (*RARE.measures(frame, CONFIG), *attribution.measures(frame))]
    assert len(names) == len(set(names))


def test_a_failure_counts_where_it_may_have_been() -> None:
    """The failed answers had no gold: how often an answer with gold is right does not depend on them."""
    frame = of(lambda trial: "failed" if trial.retriever == "hybrid" else RIGHT)
    counts = {one.metric: one.counts for one in attribution.measures(frame) if one.slice == "all"}
    assert (counts["Right with all gold"].scored, counts["Right with all gold"].failed) == (24, 0)
    assert (counts["Right without all gold"].scored, counts["Right without all gold"].failed) == (16, 20)
    assert counts["Generator at fault"].failed == 20
