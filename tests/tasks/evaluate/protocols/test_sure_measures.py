"""What becomes of SURE's numbers when answers are lost, and what its options change (papers.md §000-E, §6)."""

from random import Random

import numpy as np
import pytest
from tried import Benchmark, numbers

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.sure import SureConfig, build_pairs, measures
from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures
from rarefy.tasks.evaluate.statistics.measure import Measure

NAMES = ("json", "html", "timestamp_pre")
CONFIG = SureConfig(perturbations=NAMES)


def benchmark(questions: int = 4) -> Benchmark:
    made = Benchmark()
    for at in range(questions):
        made.chunk(f"c{at}", f"It is 42, says c{at}.")
        made.chunk(f"n{at}", f"It is unknown, says n{at}.")
        made.ask(f"q{at}", f"c{at}", domain="finance" if at % 2 else "policy")
        for name in NAMES:
            made.change(f"q{at}", f"c{at}", name)
            made.change(f"q{at}", f"n{at}", name, side="noise")
    return made


def framed(made: Benchmark, says: object, config: SureConfig = CONFIG, **told: object) -> Frame:
    return made.framed(made.trials("sure", config), says, **told)  # type: ignore[arg-type]


def counts(frame: Frame, metric: str, slice_: str, config: SureConfig = CONFIG) -> tuple[int, int, int, int]:
    one = next(one for one in measures(frame, config) if (one.metric, one.slice) == (metric, slice_))
    assert isinstance(one, Measure)
    return one.counts.scored, one.counts.failed, one.counts.missing, one.counts.skipped


def test_a_document_whose_plain_answer_failed_is_in_no_pair_that_is_held_against_it() -> None:
    frame = framed(benchmark(1), lambda row: "failed" if (row.cell, row.document) == ("golden", "none") else 1.0)
    assert counts(frame, "RR", "perturbation=json") == (0, 1, 0, 0)
    assert counts(frame, "RR", "perturbation=timestamp_pre") == (1, 0, 0, 0)  # held against the page without
    assert counts(frame, "RR", "perturbation=timestamp_pre, against=plain") == (0, 1, 0, 0)


def test_a_changed_document_that_nobody_answered_is_missing() -> None:
    frame = framed(benchmark(1), lambda row: None if row.document == "json" else 1.0)
    assert counts(frame, "RR", "perturbation=json") == (0, 0, 1, 0)


def test_pairs_of_a_question_whose_probe_is_lost_are_golden_and_neither_known_nor_unknown() -> None:
    def says(row: Trial) -> float | str:
        return "failed" if row.cell == "probe" and row.question_id == "q0" else 1.0

    frame = framed(benchmark(), says)
    assert counts(frame, "RR", "all") == (12, 0, 0, 0)
    assert counts(frame, "RR", "subset=K-G") == (9, 0, 0, 0)
    note = next(one.note for one in measures(frame, CONFIG) if (one.metric, one.slice) == ("RR", "subset=K-G"))
    assert "3 scored pairs are neither K nor U" in note


def test_what_is_not_in_the_benchmark_is_skipped() -> None:
    config = SureConfig(perturbations=(*NAMES, "simple"))
    frame = framed(benchmark(), lambda row: 1.0, config)
    assert counts(frame, "RR", "perturbation=simple", config) == (0, 0, 0, 4)
    assert counts(frame, "RR", "all", config) == (12, 0, 0, 4)


def test_without_noise_documents_the_total_says_what_it_is_of() -> None:
    made = benchmark()
    made.variants = {name: row for name, row in made.variants.items() if row.side == "document"}
    frame = framed(made, lambda row: 1.0)
    total = next(one for one in measures(frame, CONFIG) if (one.metric, one.slice) == ("RR", "subset=total"))
    assert "there are no Noise documents" in total.note
    assert numbers(measures(frame, CONFIG))["RR", "subset=total"] == 1


def test_whole_types_count_a_document_only_where_all_changes_of_the_type_passed() -> None:
    made = benchmark(2)
    of_html = next(name for name, row in made.variants.items() if (row.chunk_id, row.perturbation) == ("c0", "html"))
    del made.variants[of_html]
    whole = CONFIG.model_copy(update={"whole_types": True})
    frame = framed(made, lambda row: 1.0)
    assert counts(frame, "RR", "perturbation=json") == (2, 0, 0, 0)
    assert counts(frame, "RR", "perturbation=json", whole) == (1, 0, 0, 1)
    assert counts(frame, "RR", "perturbation=html", whole) == (1, 0, 0, 1)
    assert counts(frame, "RR", "perturbation=timestamp_pre, against=plain", whole) == (2, 0, 0, 0)
    # a change that was made of no document at all says nothing against the others of its type
    more = whole.model_copy(update={"perturbations": (*NAMES, "yaml")})
    assert counts(framed(made, lambda row: 1.0, more), "RR", "perturbation=json", more) == (1, 0, 0, 1)


def test_a_type_is_the_mean_of_the_perturbations_that_were_made() -> None:
    config = SureConfig(perturbations=(*NAMES, "yaml", "markdown"))
    frame = framed(benchmark(), lambda row: float(row.document != "json"), config)
    assert numbers(measures(frame, config))["RR", "type=format"] == 1 / 2  # of json and html


def test_the_first_baseline_of_metadata_is_that_of_all_sums() -> None:
    def says(row: Trial) -> float:
        return float(row.document in ("none", "json"))  # no page can be read

    by_page = numbers(measures(framed(benchmark(), says), CONFIG))
    plain = CONFIG.model_copy(update={"metadata_baselines": ("plain", "html")})
    by_text = numbers(measures(framed(benchmark(), says, plain), plain))
    assert by_page["RR", "all"] == 2 / 3  # json and timestamp_pre are robust
    assert by_text["RR", "all"] == 1 / 3
    assert by_page["RR", "type=metadata"] == by_text["RR", "type=metadata, against=html"] == 1
    assert by_page["RR", "type=metadata, against=plain"] == by_text["RR", "type=metadata"] == 0


def test_an_answer_that_is_half_right_is_refused() -> None:
    with pytest.raises(ValueError, match=r"right \(1\) or wrong \(0\); one is 0\.5"):
        list(measures(framed(benchmark(1), lambda row: 0.5), CONFIG))


def guess(row: Trial) -> float:
    return float(Random(row.trial_id).random() < 0.6)


def test_rates_add_up_to_one_in_every_cell() -> None:
    found = numbers(measures(framed(benchmark(9), guess), CONFIG))
    cells = [slice_ for metric, slice_ in found if metric == "RR" and not np.isnan(found[metric, slice_])]
    assert len(cells) > 40
    for slice_ in cells:
        assert found["RR", slice_] + found["WR", slice_] + found["LR", slice_] == pytest.approx(1)
        if ("perturbed accuracy", slice_) in found:
            lost = found["base accuracy", slice_] - found["perturbed accuracy", slice_]
            assert found["LR", slice_] - found["WR", slice_] == pytest.approx(lost)


def test_no_order_of_rows_changes_a_digit() -> None:
    made = benchmark(9)
    once = dict(numbers(measures(framed(made, guess), CONFIG)))
    for seed in range(3):
        again = dict(numbers(measures(framed(made, guess, shuffle=seed), CONFIG)))
        assert list(again) == list(once)
        np.testing.assert_array_equal(list(again.values()), list(once.values()))


def test_figures_can_be_drawn_of_all_of_it() -> None:
    made = list(measures(framed(benchmark(9), guess), CONFIG))
    drawn = list(figures(made, system="it", protocol="sure", config=StatisticsConfig(draws=100)))
    assert len(drawn) == len(made)
    head = {one.metric for one in drawn if one.headline}
    assert head == {"RR", "WR", "LR", "base accuracy"}


def test_fewer_losses_are_better() -> None:
    for one in measures(framed(benchmark(2), guess), CONFIG):
        for part in (one,) if isinstance(one, Measure) else one.of:
            assert part.limits == ((1.0, 0.0) if part.metric == "LR" else (0.0, 1.0))


def test_a_pair_leads_to_both_of_its_trials() -> None:
    frame = framed(benchmark(1), guess)
    rows = build_pairs(frame, CONFIG).rows
    of = frame.rows.set_index("trial_id")
    for row in rows.to_dict("records"):
        assert of.loc[row["trial_id"], "document"] == row["perturbation"]
        assert of.loc[row["before_id"], "document"] == row["against"]
        assert of.loc[row["before_id"], "chunk_id"] == row["chunk_id"]


def test_nothing_tried_makes_no_numbers_up() -> None:
    frame = framed(benchmark(1), lambda row: None)
    found = numbers(measures(frame, CONFIG))
    assert np.isnan(found["RR", "all"])
