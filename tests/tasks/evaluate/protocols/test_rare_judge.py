"""When an answer is robust: RARE's Table 3, cell by cell, as papers.md reconstructs it."""

import itertools
import math

import pytest
from framed import REFUSED, RIGHT, WRONG, Verdict, framed, made

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.rare import RARE, RareConfig, apply_robustness_rules

SAID = {"right": RIGHT, "wrong": WRONG, "refused": REFUSED}
# What is robust, by document setting, whether gold was retrieved, and rule: where the answer is known, and where not
TABLE = {
    ("gold", None, "table"): ("right", "right"),
    ("lexical_different", None, "table"): ("right", "right"),
    ("lexical_similar", None, "table"): ("right", "refused"),
    ("retrieved", True, "table"): ("right", "right refused"),
    ("retrieved", False, "table"): ("right", "right refused"),
    ("retrieved", True, "gold_must_answer"): ("right", "right"),
    ("retrieved", False, "gold_must_answer"): ("right", "right refused"),
    ("retrieved", True, "strict"): ("right", "right"),
    ("retrieved", False, "strict"): ("right", "refused"),
    ("gold", None, "strict"): ("right", "right"),
    ("lexical_similar", None, "strict"): ("right", "refused"),
}


@pytest.mark.parametrize(("setting", "said", "known"), itertools.product(TABLE, SAID, (True, False)))
def test_the_table_is_kept_to_in_every_cell(setting: tuple[str, bool | None, str], said: str, known: bool) -> None:
    cell, found, rule = setting
    config = RareConfig(real_world=rule)  # type: ignore[arg-type]
    known_words, unknown_words = TABLE[setting]

    def system(trial: Trial) -> Verdict:
        return (RIGHT if known else WRONG) if trial.cell == "probe" else SAID[said]

    frame = framed(RARE, made(1, found=lambda *_: found is not False), config, system)
    rows = apply_robustness_rules(frame, config).rows
    got = set(rows["value"][rows["cell"] == cell])
    assert got == {float(said in (known_words if known else unknown_words).split())}


def test_the_same_rule_holds_for_the_original_and_for_perturbed_wordings() -> None:
    frame = framed(RARE, made(1), RareConfig(), lambda trial: WRONG if trial.cell == "probe" else REFUSED)
    rows = apply_robustness_rules(frame, RareConfig()).rows
    for _, part in rows.groupby(["cell", "retriever"]):
        assert part["value"].nunique() == 1 and len(part) == 5


def test_half_of_gold_retrieved_is_gold_retrieved() -> None:
    """The authors' first version: as long as one of the answer's chunks is in the retrieval."""
    config = RareConfig(real_world="strict")
    frame = framed(RARE, made(2, gold=2), config, lambda trial: WRONG if trial.cell == "probe" else REFUSED)
    rows = apply_robustness_rules(frame, config).rows
    of_multi = rows[(rows["cell"] == "retrieved") & (rows["question_id"] == "q1")]
    assert set(of_multi["gold"]) == {0.5} and set(of_multi["value"]) == {0.0}


def test_a_probe_without_a_score_takes_only_what_hangs_on_it() -> None:
    frame = framed(RARE, made(1), RareConfig(), lambda trial: "failed" if trial.cell == "probe" else RIGHT)
    rows = apply_robustness_rules(frame, RareConfig()).rows
    failed = rows[rows["status"] == "failed"]
    assert set(failed["cell"]) == {"lexical_similar", "retrieved"} and len(failed) == 5 * 4
    assert failed["value"].isna().all() and set(rows["value"][rows["status"] == "scored"]) == {1.0}


@pytest.mark.parametrize(("without", "status"), [("unknown", "scored"), ("skip", "skipped")])
def test_a_system_that_cannot_be_probed_knows_nothing_or_is_not_judged(without: str, status: str) -> None:
    config = RareConfig(without_probe=without)  # type: ignore[arg-type]
    frame = framed(RARE, made(1), config, lambda trial: REFUSED, takes=["passages"])
    rows = apply_robustness_rules(frame, config).rows
    real = rows[rows["cell"] == "retrieved"]
    assert set(real["status"]) == {status}
    assert (real["value"] == 1).all() if without == "unknown" else real["value"].isna().all()
    assert set(rows["value"][rows["cell"] == "gold"]) == {0.0}


def test_where_nobody_knows_what_was_retrieved_a_rule_that_hangs_on_it_skips_the_cell() -> None:
    known, answer = made(1), lambda trial: RIGHT
    for rule, status in (("table", "scored"), ("strict", "skipped"), ("gold_must_answer", "skipped")):
        config = RareConfig(real_world=rule)  # type: ignore[arg-type]
        frame = framed(RARE, known, config, answer, takes=["closed_book", "own"])
        rows = apply_robustness_rules(frame, config).rows
        assert set(rows["gold"]) == {-1.0} and set(rows["status"]) == {status}
        assert math.isnan(rows["value"].iloc[0]) == (status == "skipped")


def test_a_refusal_that_is_scored_as_right_is_both() -> None:
    """Whether "no such info, but it is 47" is right is the correctness stage's to say; robust it is by either word."""
    said = {"probe": WRONG, "lexical_similar": (1.0, True), "gold": (1.0, True)}
    frame = framed(RARE, made(1), RareConfig(), lambda trial: said.get(trial.cell, (1.0, True)))
    assert set(apply_robustness_rules(frame, RareConfig()).rows["value"]) == {1.0}
