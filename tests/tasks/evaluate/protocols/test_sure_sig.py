"""SIG: what two systems are both unrobust on, up to n per subset and perturbation (SURE §4.3, S10)."""

import pytest
from tried import Benchmark, numbers

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.sure import SureConfig, across, build_sig_table

NAMES = ("json", "yaml")
CONFIG = SureConfig(perturbations=NAMES)


def benchmark(questions: int = 6) -> Benchmark:
    made = Benchmark()
    for at in range(questions):
        made.chunk(f"c{at}", f"It is 42, says c{at}.")
        made.chunk(f"n{at}", f"It is unknown, says n{at}.")
        made.ask(f"q{at}", f"c{at}")
        for name in NAMES:
            made.change(f"q{at}", f"c{at}", name)
            made.change(f"q{at}", f"n{at}", name, side="noise")
    return made


def system(loses: str, knows: str = "012") -> object:
    """Right but on the changes of `loses`; knows these questions."""

    def says(row: Trial) -> float:
        if row.cell == "probe":
            return float(row.question_id[1:] in knows)
        return float(row.document not in loses.split())

    return says


def frames(made: Benchmark, **says: object) -> dict[str, Frame]:
    tried = made.trials("sure", CONFIG)
    return {name: made.framed(tried, one) for name, one in says.items()}  # type: ignore[arg-type]


def test_the_pairs_that_both_lose_are_sig_and_noise_is_not() -> None:
    table = build_sig_table(frames(benchmark(), a=system("json yaml"), b=system("json")), CONFIG).to_pylist()
    assert {row["perturbation"] for row in table} == {"json"}
    assert sorted(row["chunk_id"] for row in table) == [f"c{i}" for i in range(6)]
    assert {row["subset"] for row in table if row["question_id"] in ("q0", "q1", "q2")} == {"K-G"}
    assert {(row["C of a"], row["C of b"]) for row in table} == {(1, 1)}


def test_no_more_than_n_are_taken_of_a_cell_whatever_the_order_of_rows() -> None:
    made = benchmark(12)
    config = CONFIG.model_copy(update={"sig_size": 2})
    says = {"a": system("json yaml"), "b": system("json yaml")}
    table = build_sig_table(frames(made, **says), config).to_pylist()
    cells = [(row["subset"], row["perturbation"]) for row in table]
    assert {cell: cells.count(cell) for cell in cells} == {
        (subset, name): 2 for subset in ("K-G", "U-G") for name in NAMES
    }
    tried = made.trials("sure", CONFIG)
    again = {name: made.framed(tried, one, shuffle=7) for name, one in says.items()}  # type: ignore[arg-type]
    assert build_sig_table(again, config).to_pylist() == table


def test_a_question_known_to_one_alone_is_left_out_or_goes_by_the_first() -> None:
    both = frames(benchmark(), a=system("json", "0"), b=system("json", "01"))
    agreed = build_sig_table(both, CONFIG).to_pylist()
    assert "q1" not in {row["question_id"] for row in agreed}
    first = build_sig_table(both, CONFIG.model_copy(update={"sig_split": "first"})).to_pylist()
    assert {row["question_id"]: row["subset"] for row in first}["q1"] == "U-G"


def test_other_systems_are_measured_on_the_pairs_and_the_two_themselves_are_not() -> None:
    made = benchmark()
    found = list(
        across(frames(made, a=system("json"), b=system("json"), c=system("json yaml"), d=system("yaml")), CONFIG)
    )
    assert {label for label, _ in found} == {"a, b", "c", "d"}
    of_c = numbers(one for label, one in found if label == "c")
    of_d = numbers(one for label, one in found if label == "d")
    assert of_c["RR", "SIG"] == of_c["RR", "SIG, perturbation=json"] == of_c["RR", "SIG, type=format"] == 0
    assert of_c["LR", "SIG"] == 1
    assert of_d["RR", "SIG"] == 1
    shared = numbers(one for label, one in found if label == "a, b")
    assert shared["unrobust for both", "all"] == 1 / 2  # json of json and yaml


def test_one_system_alone_has_no_sig() -> None:
    alone = frames(benchmark(1), a=system("json"))
    assert list(across(alone, CONFIG)) == []
    with pytest.raises(ValueError, match="two systems"):
        build_sig_table(alone, CONFIG)


def test_a_system_that_was_not_evaluated_is_named() -> None:
    both = frames(benchmark(1), a=system("json"), b=system("json"))
    with pytest.raises(ValueError, match="'z' was not evaluated; have a, b"):
        build_sig_table(both, CONFIG.model_copy(update={"sig_systems": ("a", "z")}))


def test_what_one_of_the_two_failed_on_is_not_taken() -> None:
    def fails(row: Trial) -> float | str:
        return "failed" if row.question_id == "q0" and row.document == "json" else float(row.document != "json")

    table = build_sig_table(
        frames(benchmark(2), a=system("json", ""), b=fails), CONFIG.model_copy(update={"sig_split": "first"})
    )
    assert {row["question_id"] for row in table.to_pylist()} == {"q1"}


def test_the_protocol_tells_numbers_of_several_systems() -> None:
    both = frames(benchmark(1), a=system("json"), b=system("json"))
    tell = PROTOCOLS["sure"].across
    assert tell is not None
    assert [label for label, _ in tell(both, CONFIG)] == ["a, b", "a, b"]
