"""The budget of a run, as requests for embeddings use it: the limit that is met is named, and none is used up idly."""

import threading
from pathlib import Path
from typing import Any

import pytest

from rarefy.tasks.models.embed.endpoint import Meter
from rarefy.tasks.models.llm import InferenceContext, Price, RequestPolicy
from rarefy.tasks.models.llm.config import NANO
from rarefy.tasks.models.llm.faults import BudgetSpent

PRICE = Price(model="m", prompt=2.0, completion=0, as_of="2026-11-01", source="test")  # type: ignore[arg-type]
ONE = 10_000 * 2 / 1_000_000  # what a request of 10,000 tokens costs


def meter(cache: Path, **means: Any) -> Meter:
    serving = RequestPolicy(prices=(PRICE,), **means.pop("serving", {}))
    return Meter("m", "http://there m", cache, InferenceContext(run="r", serving=serving, **means))


def spend(meter: Meter, tokens: int = 10_000) -> None:
    with meter.call(4 * 10_000) as told:
        told.tokens = tokens


def test_the_limit_that_is_met_is_named_where_a_run_has_two(tmp_path: Path) -> None:
    many_calls = meter(tmp_path / "a", max_calls=100, max_cost=2.5 * ONE)
    spend(many_calls)
    with pytest.raises(BudgetSpent, match=r"--max-cost 0\.05 is reached"):
        spend(many_calls)
    much_money = meter(tmp_path / "b", max_calls=1, max_cost=100 * ONE)
    spend(much_money)
    with pytest.raises(BudgetSpent, match="--max-calls 1 is reached"):
        spend(much_money)
    with pytest.raises(BudgetSpent, match=r"--max-cost 0\.02 is too little for one request.*0\.0401"):
        spend(meter(tmp_path / "c", max_calls=100, max_cost=ONE))


def test_a_request_that_never_got_its_turn_gives_back_what_it_reserved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = meter(tmp_path, max_calls=1, max_cost=3 * ONE, serving={"requests_per_minute": 60})
    assert one.books is not None

    def stopped(*_: Any) -> float:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(one.books, "pace", stopped)
        with pytest.raises(KeyboardInterrupt):
            spend(one)
    assert one.books.reserve("r", round(3 * ONE * NANO), (1, round(3 * ONE * NANO)))  # all of it is there


def test_a_request_whose_line_cannot_be_written_keeps_no_more_than_it_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = meter(tmp_path, max_calls=2, max_cost=3 * ONE)
    assert one.books is not None

    def full(*_: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(one.books, "keep", full)
        with pytest.raises(OSError, match="no space"):
            spend(one)
    assert one.books.reserve("r", round(2 * ONE * NANO), (2, round(3 * ONE * NANO)))
    assert not one.books.reserve("r", 0, (2, 0))  # the call itself was made


def test_a_request_waits_for_what_another_that_is_under_way_gives_back(tmp_path: Path) -> None:
    one = meter(tmp_path, max_cost=3.5 * ONE)  # twice what a request costs, and less than two can cost at most
    done: list[str] = []

    def other() -> None:
        spend(one)
        done.append("other")

    with one.call(4 * 10_000) as told:
        told.tokens = 10_000
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.3)
        assert not done
    thread.join(30)
    assert done == ["other"]
