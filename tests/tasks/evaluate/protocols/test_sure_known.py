"""Systems of known robustness get the RR, WR and LR that follow from what they do (papers.md §6)."""

import math
from collections.abc import Callable

import pytest
from tried import Benchmark, Says, numbers

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.sure import TYPES, SureConfig, measures
from rarefy.tasks.evaluate.statistics.measure import Metric

FORMATS, METADATA = TYPES["format"], TYPES["metadata"]
CONFIG = SureConfig()


def benchmark(questions: int = 4, noise: bool = True) -> Benchmark:
    """Questions with one gold chunk, in all formats and kinds of metadata, and a Noise document each."""
    made = Benchmark()
    for at in range(questions):
        made.chunk(f"c{at}", f"It is 42.\nSo says c{at}.")
        made.chunk(f"n{at}", f"It is unknown.\nSo says n{at}.")
        made.ask(f"q{at}", f"c{at}", domain="finance" if at % 2 else "policy")
        for name in (*FORMATS, *METADATA):
            made.change(f"q{at}", f"c{at}", name, f"<{name}>\n{made.chunks[f'c{at}'].text}")
            if noise:
                made.change(f"q{at}", f"n{at}", name, f"<{name}>\n{made.chunks[f'n{at}'].text}", side="noise")
    return made


def of(made: Benchmark, says: Says, config: SureConfig = CONFIG, said: Callable[[Trial], str] = lambda row: "") -> dict:
    return {(one.metric, one.slice): one for one in listed(made, says, config, said)}


def listed(made: Benchmark, says: Says, config: SureConfig, said: Callable[[Trial], str]) -> list[Metric]:
    return list(measures(made.framed(made.trials("sure", config), says, said), config))


def worths(*args: object, **told: object) -> dict:
    return dict(numbers(of(*args, **told).values()))  # type: ignore[arg-type]


def reads(made: Benchmark) -> Callable[[Trial], float]:
    """Repeats what it is shown: right where the answer stands there."""
    return lambda row: float("42" in made.text(row))


def test_who_is_always_right_is_robust_and_knows_all() -> None:
    found = worths(benchmark(), lambda row: 1.0)
    assert [found[metric, "all"] for metric in ("RR", "WR", "LR", "base accuracy")] == [1, 0, 0, 1]
    assert found["RR", "subset=K-G"] == found["RR", "subset=K-N"] == 1
    assert math.isnan(found["RR", "subset=U-G"])


def test_who_always_refuses_is_robust_with_a_base_accuracy_of_nothing() -> None:
    found = worths(benchmark(), lambda row: "refused", said=lambda row: f"NO-RES {row.trial_id}")
    assert [found[metric, "all"] for metric in ("RR", "WR", "LR", "base accuracy")] == [1, 0, 0, 0]
    assert found["RR", "subset=U-G"] == 1
    assert found["same answer", "all"] == 1  # all refusals are the same


def test_who_repeats_what_it_is_shown_is_right_on_golden_and_wrong_on_noise_and_robust_on_both() -> None:
    made = benchmark()
    found = worths(made, reads(made))
    assert found["RR", "subset=U-G"] == found["RR", "subset=U-N"] == 1
    assert found["base accuracy", "subset=U-G"] == 1
    assert found["base accuracy", "subset=U-N"] == 0


def test_who_is_right_unless_it_is_json_loses_all_of_json_and_a_quarter_of_its_type() -> None:
    found = worths(benchmark(), lambda row: float(row.document != "json"))
    assert found["LR", "perturbation=json"] == found["LR", "perturbation=json, subset=K-G"] == 1
    assert found["RR", "perturbation=json"] == 0
    assert found["RR", "perturbation=yaml"] == 1
    assert found["RR", "type=format"] == 3 / 4  # the mean of its four perturbations: the radar
    assert found["RR", "type=metadata"] == 1
    assert found["RR", "all"] == 7 / 8  # of 4 formats and 4 kinds of metadata
    assert found["LR", "all"] == 1 / 8
    assert found["perturbed accuracy", "perturbation=json"] == 0
    assert found["base accuracy", "perturbation=json"] == 1


def test_who_reads_the_first_line_alone_loses_whatever_has_something_written_above_it() -> None:
    made = benchmark()
    found = worths(made, lambda row: float("42" in made.text(row).split("\n")[0]))
    assert found["LR", "type=format"] == 1
    # a page with metadata is held against the page without: wrong both times
    assert found["RR", "type=metadata"] == 1
    assert found["base accuracy", "type=metadata"] == 0
    assert found["LR", "type=metadata, against=plain"] == 1
    assert found["RR", "subset=U-N"] == 1  # inflated, as the paper says


def test_who_can_read_nothing_but_json_wins_it() -> None:
    found = worths(benchmark(), lambda row: float(row.document == "json"))
    assert found["WR", "perturbation=json"] == 1
    assert found["WR", "type=format"] == 1 / 4
    assert found["LR", "all"] == 0


def test_who_knows_half_of_the_questions_is_split_by_what_it_knows() -> None:
    def says(row: Trial) -> float:
        knows = row.question_id in ("q0", "q1")
        return float(knows or (row.cell == "golden" and row.document != "html"))

    made = of(benchmark(), says, SureConfig(metadata_baselines=("plain",)))
    found = numbers(made.values())
    assert found["RR", "perturbation=html, subset=K-G"] == 1
    assert found["LR", "perturbation=html, subset=U-G"] == 1
    assert found["LR", "perturbation=html"] == 1 / 2
    assert found["base accuracy", "subset=U-N"] == 0
    assert found["base accuracy", "subset=K-N"] == 1
    counts = [made["RR", f"subset={subset}"].counts.scored for subset in ("K-G", "K-N", "U-G", "U-N", "total")]
    assert counts == [16, 16, 16, 16, 64]


def test_the_total_is_the_mean_of_the_subsets_weighted_by_their_pairs() -> None:
    made = benchmark(6)
    for name in FORMATS[:2]:  # uneven: a golden document of q0 lacks two formats
        del made.variants[
            next(key for key, row in made.variants.items() if (row.chunk_id, row.perturbation) == ("c0", name))
        ]

    def says(row: Trial) -> float:
        return float((len(row.document) + int(row.question_id[1:]) * len(row.cell)) % 3 > 0)

    found = of(made, says)
    values = numbers(found.values())
    for metric in ("RR", "WR", "LR"):
        parts = [found[metric, f"subset={subset}"] for subset in ("K-G", "K-N", "U-G", "U-N")]
        weighted = sum(values[metric, one.slice] * one.counts.scored for one in parts if one.counts.scored)
        assert values[metric, "subset=total"] == pytest.approx(weighted / sum(one.counts.scored for one in parts))


def test_answers_that_differ_and_are_both_wrong_are_robust_and_not_the_same() -> None:
    def said(row: Trial) -> str:
        return {"none": "It was 7.", "json": "it was 7", "yaml": "8"}.get(row.document, "")

    found = worths(benchmark(), lambda row: 0.0, said=said)
    assert found["RR", "perturbation=json"] == found["RR", "perturbation=yaml"] == 1
    assert found["same answer", "perturbation=json"] == 1
    assert found["same answer", "perturbation=yaml"] == 0
