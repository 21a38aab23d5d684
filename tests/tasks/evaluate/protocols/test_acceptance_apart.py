"""No protocol takes another's scores, and none counts another's trials (papers.md §0, §6.6)."""

import itertools

import pytest

from rarefy.data_contracts.rows import Answer, Question, Score, Trial
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.frame import Frame, build_frame

QUESTION = Question("q", "p", "single", "what?", "47", (), (), ("g",), (), ())


def tables(trials: list[Trial], scores: list[Score]) -> Frame:
    answers = [Answer(row.trial_id, row.system, row.trial_id) for row in scores]
    rows = (to_table(trials, Trial), to_table(answers, Answer), to_table(scores, Score))
    return build_frame(*rows, to_table([QUESTION], Question))


def tried(protocol: str, system: str = "s") -> tuple[Trial, Score]:
    name = f"{protocol} {system}"
    score = Score(name, system, protocol, "q", "scored", value=1.0)
    return Trial(name, protocol, "q", "gold", "closed_book", "q"), score


@pytest.mark.parametrize(("one", "other"), itertools.combinations(PROTOCOLS, 2))
def test_scores_of_two_protocols_never_come_into_one_frame(one: str, other: str) -> None:
    trials, scores = zip(tried(one), tried(other), strict=True)
    with pytest.raises(ValueError, match="a frame is of one protocol; scores of different ones never share a column"):
        tables([*trials], [*scores])
    alone = tables([*trials], [scores[0]])  # the other's trials may lie in the same table: they are not this one's
    assert alone.rows["trial_id"].tolist() == [f"{one} s"]


def test_nor_do_scores_of_two_systems() -> None:
    trials, scores = zip(tried("rare", "a"), tried("rare", "b"), strict=True)
    with pytest.raises(ValueError, match="a frame is of one system"):
        tables([*trials], [*scores])


def test_refusals_prompts_and_judges_are_each_protocol_s_own() -> None:
    """Section 0: what is asked for, and by which rule it is right."""
    refusal = {name: one.refusal for name, one in PROTOCOLS.items()}
    assert refusal == {
        "rare": "no such info",
        "sure": "NO-RES",
        "retrieval_robustness": "",
        "effect_size": "",
        "magic_mushroom": "I cannot answer the question.",
    }
    assert {name for name, one in PROTOCOLS.items() if one.contained} == {"sure", "effect_size"}
    judged = {name: one.judge for name, one in PROTOCOLS.items() if not one.contained}
    assert judged == {name: name for name in judged} and len({one.paper for one in PROTOCOLS.values()}) == 5
