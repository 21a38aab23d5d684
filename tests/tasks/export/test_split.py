from collections import Counter
from dataclasses import replace

import pytest
from pydantic import ValidationError

from rarefy.data_contracts.rows import Question, row_id
from rarefy.tasks.export import SplitConfig, split


def question(number, pattern="single", domain="finance", path=None, reason=""):
    name = path if path is not None else number
    return Question(
        row_id(domain, pattern, number), row_id(pattern, name), pattern, "?", "a", (), (), (), (), (), domain=domain,
        rejected_because=reason,
    )  # fmt: skip


def splits(rows, **config):
    return {row.question_id: row.split for row in split(rows, SplitConfig(**config))}


def test_each_pattern_and_domain_has_its_share_and_its_quota():
    rows = [question(n, pattern, domain) for n in range(50) for pattern in ("single", "star") for domain in ("a", "b")]
    counts = Counter((r.domain, r.pattern, r.split) for r in split(rows, SplitConfig(quotas={"star": 3})))
    assert counts["a", "single", "test"] == counts["b", "single", "test"] == 10
    assert counts["a", "star", "test"] == counts["b", "star", "test"] == 3
    assert sum(counts.values()) == len(rows) and {s for *_, s in counts} == {"train", "test"}


def test_a_share_is_capped():
    assert Counter(splits([question(n) for n in range(100)], share=0.5, most=7).values()) == {"train": 93, "test": 7}


def test_a_rare_pattern_still_has_a_test_question():
    assert list(splits([question(1, "inverted_star")]).values()) == ["test"]


def test_rejected_questions_are_in_no_split_and_take_no_place():
    rows = [question(n, reason="unreadable" if n % 2 else "") for n in range(20)]
    assert Counter(splits(rows).values()) == {"": 10, "train": 8, "test": 2}


def test_the_order_of_the_questions_does_not_matter():
    rows = [question(n) for n in range(40)]
    assert splits(rows) == splits(rows[::-1])


def test_a_new_question_moves_at_most_one_other():
    rows = [question(n) for n in range(101)]
    for size in range(40, 100):
        before, after = splits(rows[:size]), splits(rows[: size + 1])
        assert sum(before[name] != after[name] for name in before) <= 1


def test_questions_on_one_path_are_never_divided():
    rows = [question(n, path=n // 3) for n in range(90)]
    sides = {}
    for row in split(rows, SplitConfig()):
        sides.setdefault(row.path_id, set()).add(row.split)
    assert all(len(side) == 1 for side in sides.values())
    assert 0 < sum(side == {"test"} for side in sides.values()) <= 6


def test_an_unknown_setting_is_refused():
    with pytest.raises(ValidationError, match="shares"):
        SplitConfig(shares=0.1)


def test_what_is_asked_keeps_its_split_whatever_its_ids():
    rows = [replace(question(n), text=f"What was measure {n}?") for n in range(200)]
    renamed = [replace(row, question_id=f"q{n}", path_id=f"p{n * 7919 % 1000}") for n, row in enumerate(rows)]
    before, after = ({row.text: row.split for row in split(some, SplitConfig())} for some in (rows, renamed))
    assert before == after and set(before.values()) == {"train", "test"}
