"""RARE-Met's numbers: of systems whose robustness follows from what they are, and of half-finished runs."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from framed import (
    REFUSED,
    RETRIEVERS,
    RIGHT,
    WRONG,
    Verdict,
    by_name,
    framed,
    made,
    of_trials,
    tried,
    values,
)

from rarefy.data_contracts.rows import Trial, row_id
from rarefy.tasks.evaluate.protocols.rare import DOCUMENT, FLAT, OVERALL, PROBE, QUERY, RARE, REAL, WORDINGS, RareConfig
from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures
from rarefy.tasks.evaluate.statistics.significance import z_as_published

CONFIG = RareConfig()
MAIN = (OVERALL, QUERY, DOCUMENT, REAL)


def right(trial: Trial) -> Verdict:
    return RIGHT


def refuses(trial: Trial) -> Verdict:
    return REFUSED


def right_unless_typo(trial: Trial) -> Verdict:
    return WRONG if trial.query == "character" else RIGHT


def reads(trial: Trial) -> Verdict:
    """Knows nothing: right where all gold is shown, else it refuses."""
    return RIGHT if trial.gold == 1 else REFUSED


def parrot(trial: Trial) -> Verdict:
    """Says what the last passage says."""
    if not trial.passage_ids:
        return REFUSED
    return (
        RIGHT
        if trial.passage_ids[-1] in (f"g{n}a" for n in range(9)) or trial.document == "back_translation"
        else WRONG
    )


def hallucinates(trial: Trial) -> Verdict:
    return WRONG


# Overall, query, document and real-world, by the table and by the strict rule, where every retriever finds the gold
EXPECTED = {
    right: ((1, 1, 1, 1), (1, 1, 1, 1)),
    refuses: ((4 / 6, 0, 1 / 2, 1), (1 / 6, 0, 1 / 2, 0)),
    right_unless_typo: ((4 / 5, 3 / 4, 1, 1), (4 / 5, 3 / 4, 1, 1)),
    reads: ((1, 1, 1, 1), (1, 1, 1, 1)),
    parrot: ((2 / 6, 1, 1 / 2, 0), (2 / 6, 1, 1 / 2, 0)),
    hallucinates: ((0, 0, 0, 0), (0, 0, 0, 0)),
}


@pytest.mark.parametrize("system", EXPECTED, ids=lambda system: system.__name__)
def test_systems_get_what_follows_from_their_definition(system) -> None:  # type: ignore[no-untyped-def]
    for rule, expected in zip(("table", "strict"), EXPECTED[system], strict=True):
        config = RareConfig(real_world=rule)
        got = values(RARE, framed(RARE, made(6), config, system), config)
        assert [got[name, "all"] for name in MAIN] == pytest.approx(expected)
        assert got[FLAT, "all"] == pytest.approx(expected[0])


def test_retrieval_that_misses_is_excused_by_the_table_and_wanted_as_a_refusal_by_the_strict_rule() -> None:
    known = made(4, found=lambda n, retriever, wording: retriever == "bm25")
    for rule, refused, wrongly_right in (("table", 1.0, 1.0), ("strict", 2 / 3, 1 / 3)):
        config = RareConfig(real_world=rule)  # type: ignore[arg-type]
        assert values(RARE, framed(RARE, known, config, refuses), config)[REAL, "all"] == pytest.approx(refused)

        def guesses(trial: Trial) -> Verdict:
            return WRONG if trial.cell == "probe" else RIGHT

        got = values(RARE, framed(RARE, known, config, guesses), config)[REAL, "all"]
        assert got == pytest.approx(wrongly_right)


def test_the_refusal_rate_and_the_share_of_right_answers_stand_beside_every_number() -> None:
    got = values(RARE, framed(RARE, made(6, gold=2), CONFIG, reads), CONFIG)
    robust = {key for key in got if key[0] in (*MAIN, WORDINGS)}
    for metric, name in robust:
        assert (f"{metric}: refusal rate", name) in got and (f"{metric}: correct", name) in got
    # single-hop: answer_deleted is refused; multi-hop: retrieval brings one of two chunks, and is refused too
    assert got[f"{OVERALL}: refusal rate", "hops=single"] == pytest.approx(1 / 6)
    assert got[f"{OVERALL}: refusal rate", "hops=multi"] == pytest.approx(4 / 6)
    assert got[OVERALL, "all"] == 1.0 and got[f"{OVERALL}: correct", "hops=multi"] == pytest.approx(2 / 6)
    assert got[f"{DOCUMENT}: refusal rate", "document=lexical_similar"] == 1.0


def test_there_is_a_number_for_each_of_the_thirty_cells_with_its_count() -> None:
    measures = by_name(RARE, framed(RARE, made(5), CONFIG, right_unless_typo), CONFIG)
    queries, documents = ("none", "character", "word", "irrelevant_detail", "grammar"), ("gold", "lexical_similar")
    names = [f"query={q}, document={d}" for q in queries for d in (*documents, "lexical_different")]
    names += [f"query={q}, document=retrieved, retriever={r}" for q in queries for r in RETRIEVERS]
    assert len(names) == 30
    for name in names:
        one = measures[OVERALL, name]
        assert one.counts.scored == 5
        assert one.numerator.sum() / one.denominator.sum() == float("character" not in name)


def test_every_breakdown_of_the_paper_is_there() -> None:
    got = values(RARE, framed(RARE, made(6, gold=2), CONFIG, right_unless_typo), CONFIG)
    for name in (
        "domain=finance",
        "pattern=chain",
        "hops=single",
        "query=character",
        "document=lexical_similar",
        "retriever=dense",
        "domain=policy, hops=single",
        "query=character, hops=multi",
        "document=gold, hops=single",
        "retriever=bm25, hops=multi",
    ):
        assert (OVERALL, name) in got, name
    assert got[OVERALL, "query=character"] == 0 and got[OVERALL, "query=word"] == 1


def test_known_and_unknown_questions_are_told_apart() -> None:
    def knows_the_first(trial: Trial) -> Verdict:
        return RIGHT if trial.question_id == "q0" else REFUSED

    got = values(RARE, framed(RARE, made(4), CONFIG, knows_the_first), CONFIG)
    assert got["Known", "all"] == 1 / 4 and got["Known: refusal rate", "all"] == 3 / 4
    assert got[OVERALL, "known=yes"] == 1.0 and got[OVERALL, "known=no"] == pytest.approx(4 / 6)


def test_originals_can_be_counted_in() -> None:
    config = RareConfig(include_original=True)
    got = values(RARE, framed(RARE, made(3), config, right_unless_typo), config)
    assert got[QUERY, "all"] == pytest.approx(4 / 5)
    got = values(RARE, framed(RARE, made(3), config, refuses), config)
    assert got[DOCUMENT, "all"] == pytest.approx(1 / 3)


def test_means_over_questions_and_over_cells_differ_where_a_cell_is_missing() -> None:
    def system(trial: Trial) -> Verdict:
        return RIGHT if trial.question_id == "q0" else WRONG

    half = replace(made(2)[0], hits={})  # q0 has 15 cells, q1 30
    frame = framed(RARE, [half, made(2)[1]], RareConfig(retrievers=()), system)
    by_question, flat = (values(RARE, frame, RareConfig(mean=mean)) for mean in ("question", "flat"))  # type: ignore[arg-type]
    assert by_question[OVERALL, "all"] == pytest.approx(1 / 2)
    assert flat[OVERALL, "all"] == pytest.approx(15 / 45) == by_question[FLAT, "all"]


def test_what_failed_is_missing_or_was_skipped_is_counted_and_bounded() -> None:
    def system(trial: Trial) -> Verdict:
        if trial.cell == "gold" and trial.query == "none":
            return "failed"
        return "missing" if trial.cell == "gold" and trial.query == "word" else RIGHT

    frame = framed(RARE, made(2, documents=("answer_deleted",)), CONFIG, system)
    counts = by_name(RARE, frame, CONFIG)[OVERALL, "all"].counts
    assert (counts.scored, counts.failed, counts.missing, counts.skipped) == (2 * 23, 2, 2, 2 * 5)
    config = StatisticsConfig(draws=100, floor=0.5)
    found = {
        (row.metric, row.slice): row
        for row in figures(RARE.measures(frame, CONFIG), system="s", protocol="rare", config=config)
    }
    overall = found[OVERALL, "all"]
    assert overall.value == 1.0 and overall.worst == pytest.approx(23 / 25) and overall.best == 1.0
    assert "; no cell of lexical_different: no_back_translation;" in overall.note


def test_a_lost_probe_takes_nothing_from_what_does_not_hang_on_it() -> None:
    def system(trial: Trial) -> Verdict:
        if trial.cell == PROBE:
            return "failed" if trial.question_id == "q0" else WRONG
        return "missing" if trial.cell == "gold" and trial.query == "word" else RIGHT

    got = by_name(RARE, framed(RARE, made(2), CONFIG, system), CONFIG)
    robust, correct, refusal = (got[f"{OVERALL}{of}", "all"] for of in ("", ": correct", ": refusal rate"))
    assert robust.counts.failed > 0 == correct.counts.failed and correct.counts == refusal.counts
    assert correct.counts.scored == robust.counts.scored + robust.counts.failed and correct.counts.missing == 2
    cells = correct.counts.scored + 2
    assert correct.bounds == (pytest.approx(1 - 2 / cells), 1.0)


def test_where_all_was_skipped_there_is_nothing_to_bound() -> None:
    frame = framed(RARE, made(2, documents=("answer_deleted",)), CONFIG, right)
    found = figures(RARE.measures(frame, CONFIG), system="s", protocol="rare", config=StatisticsConfig(draws=100))
    rows = [row for row in found if row.slice == "document=lexical_different"]
    assert rows and all((row.value, row.worst, row.best) == (None, None, None) for row in rows)
    assert all(row.n_skipped and not row.n_scored + row.n_failed + row.n_missing for row in rows)


def test_a_system_that_retrieves_itself_has_its_real_world_numbers_alone() -> None:
    frame = framed(RARE, made(3), CONFIG, right_unless_typo, takes=["own", "closed_book"])
    measures = by_name(RARE, frame, CONFIG)
    assert {name for name, _ in measures} & {OVERALL, QUERY, DOCUMENT} == set()
    assert "left out" in measures[REAL, "all"].note and measures[REAL, "all"].headline
    got = values(RARE, frame, CONFIG)
    assert got[REAL, "all"] == 1.0 and got[WORDINGS, "all"] == pytest.approx(4 / 5)
    assert got[WORDINGS, "query=character"] == 0.0


def test_own_retrieval_beside_given_passages_is_in_no_mean() -> None:
    def system(trial: Trial) -> Verdict:
        return WRONG if trial.given == "own" else RIGHT

    frame = framed(RARE, made(3), CONFIG, system, takes=["own", "closed_book", "passages"])
    got = values(RARE, frame, CONFIG)
    assert got[OVERALL, "all"] == got[REAL, "all"] == 1.0
    assert got[OVERALL, "retriever=own"] == got[REAL, "retriever=own"] == 0.0


def _random(trial: Trial) -> Verdict:
    return random.Random(trial.trial_id).choice([RIGHT, RIGHT, WRONG, REFUSED])


def test_no_order_of_rows_nor_of_workers_changes_a_digit() -> None:
    known = made(7, gold=2)
    trials = tried(RARE, known, CONFIG)
    first = values(RARE, of_trials(RARE, known, trials, _random), CONFIG)
    shuffled = sorted(trials, key=lambda row: row_id("shuffled", row.trial_id))
    halves = [row for n in (0, 1) for row in trials if (int(row.question_id[1:]) % 2) == n]
    for other in (shuffled, halves, trials[::-1]):
        assert repr(values(RARE, of_trials(RARE, known, other, _random), CONFIG)) == repr(first)


def test_overall_is_the_mean_that_the_paper_s_table_5_shows_where_the_wording_does_not_matter() -> None:
    """004-M evidence 1: (1 Query + 2 Document + 3 Retrieval) / 6, through the code."""

    def system(trial: Trial) -> Verdict:
        return random.Random(f"{trial.question_id} {trial.cell} {trial.retriever}").choice([RIGHT, WRONG, REFUSED])

    got = values(RARE, framed(RARE, made(40), CONFIG, system), CONFIG)
    query, document, real = (got[name, "all"] for name in (QUERY, DOCUMENT, REAL))
    assert got[OVERALL, "all"] == pytest.approx((query + 2 * document + 3 * real) / 6)
    assert len({round(got[name, "all"], 6) for name in MAIN}) == 4


def test_z_as_published_stands_next_to_an_interval_that_knows_of_questions() -> None:
    """004-M evidence 3: 30 cells of a question taken for independent make too much of a difference."""
    known = made(60)

    def system(share: float):  # type: ignore[no-untyped-def]
        # all cells of a question go the same way
        return lambda trial: RIGHT if random.Random(f"{share} {trial.question_id}").random() < share else WRONG

    flat = []
    for share in (0.5, 0.7):
        measures = by_name(RARE, framed(RARE, known, CONFIG, system(share)), CONFIG)
        flat.append(measures[FLAT, "all"])
    (p, n), (q, m) = ((one.numerator.sum() / one.denominator.sum(), one.counts.scored) for one in flat)
    assert n == m == 60 * 30
    z = z_as_published(p, n, q, m)
    pooled = (p + q) / 2
    assert z.statistic == pytest.approx((q - p) / math.sqrt(pooled * (1 - pooled) * 2 / n))
    # clustered: the question is the unit, so that the standard error is sqrt(30) times as large
    per_question = [one.numerator / one.denominator for one in flat]
    error = math.sqrt(sum(np.var(side, ddof=1) / len(side) for side in per_question))
    assert abs(z.statistic) > 5 * abs(q - p) / error
