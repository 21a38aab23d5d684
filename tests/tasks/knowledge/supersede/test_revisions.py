"""What was known on a day: by a document's own date, by when it was seen, and never before its period was over."""

import pytest

from rarefy.tasks.knowledge.supersede.revisions import CorpusState, KnownRevisions, Revision, revisions_known_on


def revision(
    name: str, content: str = "1", as_of: str = "", seen: str = "2026-01-01", period: str = "", turn: int = 0
) -> Revision:
    """One seen in the order of days, unless its turn says otherwise."""
    turn = turn or int(seen.replace("-", ""))
    return Revision(name, content, as_of, period, seen, turn, f"table {content}", 0)


def state(seen: str, *names: str) -> CorpusState:
    return CorpusState(seen, frozenset(names))


def told(found: KnownRevisions) -> dict[str, str]:
    return {one.doc_id: one.content_hash for one in found.revisions}


@pytest.mark.parametrize(
    ("date", "there"), [("2024-02-14", {}), ("2024-02-15", {"a": "1"}), ("2025-01-01", {"a": "1"})]
)
def test_a_document_with_a_date_counts_from_that_day_whenever_it_was_seen(date: str, there: dict[str, str]) -> None:
    assert told(revisions_known_on([revision("a", as_of="2024-02-15")], [state("2026-01-01", "a")], date)) == there


def test_of_several_revisions_the_latest_by_the_day_counts() -> None:
    rows = [revision("a", "1", "2024-02-15"), revision("a", "2", "2024-06-20"), revision("a", "3", "2025-02-14")]
    days = {"2024-06-19": {"a": "1"}, "2024-06-20": {"a": "2"}, "2026-01-01": {"a": "3"}, "2024-01-01": {}}
    for date, there in days.items():
        assert told(revisions_known_on(rows, [state("2026-01-01", "a")], date)) == there
        assert told(revisions_known_on(reversed(rows), [state("2026-01-01", "a")], date)) == there


def test_of_two_revisions_of_one_day_the_last_that_was_seen_by_then_counts_else_the_first() -> None:
    rows = [revision("a", "1", "2024-02-15", "2024-03-01"), revision("a", "2", "2024-02-15", "2024-08-01")]
    looked = [state("2024-03-01", "a"), state("2024-08-01", "a")]
    days = {"2024-02-20": {"a": "1"}, "2024-05-01": {"a": "1"}, "2024-08-01": {"a": "2"}}
    assert {date: told(revisions_known_on(rows, looked, date)) for date in days} == days


def test_a_document_without_a_date_counts_from_the_day_it_was_first_seen() -> None:
    rows = [
        revision("a", "1", seen="2025-03-01"),
        revision("a", "2", seen="2025-06-01"),
        revision("b", seen="2025-01-01"),
    ]
    looked = [state("2025-01-01", "b"), state("2025-03-01", "a", "b"), state("2025-06-01", "a", "b")]
    assert told(revisions_known_on(rows, looked, "2025-02-01")) == {"b": "1"}
    assert told(revisions_known_on(rows, looked, "2025-03-01")) == {"a": "1", "b": "1"}
    found = revisions_known_on(rows, looked, "2025-07-01")
    assert told(found) == {"a": "2", "b": "1"} and not found.assumed


def test_where_nobody_had_looked_yet_one_without_a_date_is_taken_and_told() -> None:
    rows = [
        revision("a", "1", seen="2025-03-01"),
        revision("a", "2", seen="2025-06-01"),
        revision("b", as_of="2023-01-01"),
    ]
    found = revisions_known_on(rows, [state("2025-03-01", "a", "b")], "2024-01-01")
    assert told(found) == {"a": "1", "b": "1"} and found.assumed == ("a",)


def test_nothing_is_known_before_its_period_is_over() -> None:
    rows = [revision("a", period="2024-12-31")]
    assert told(revisions_known_on(rows, [state("2026-01-01", "a")], "2024-12-30")) == {}
    assert told(revisions_known_on(rows, [state("2026-01-01", "a")], "2024-12-31")) == {"a": "1"}


def test_what_was_deleted_by_the_day_is_out_and_what_was_deleted_since_is_in() -> None:
    rows = [revision("a", as_of="2024-02-15", seen="2024-03-01"), revision("b", as_of="2024-02-15", seen="2024-03-01")]
    looked = [state("2024-03-01", "a", "b"), state("2024-09-01", "b"), state("2025-01-01", "a", "b")]
    days = {
        "2024-02-20": {"a": "1", "b": "1"},  # before anybody looked
        "2024-08-31": {"a": "1", "b": "1"},
        "2024-09-01": {"b": "1"},
        "2025-01-01": {"a": "1", "b": "1"},  # back again
    }
    assert {date: told(revisions_known_on(rows, looked, date)) for date in days} == days
    assert revisions_known_on(rows, looked, "2024-12-31").unknown == ("a",)


def test_one_added_since_with_an_earlier_date_is_in() -> None:
    """It had been published; a benchmark of that day is about what was public, not about when it was fetched."""
    rows = [revision("a", as_of="2024-02-15"), revision("b", as_of="2024-01-01", seen="2026-01-01")]
    assert told(revisions_known_on(rows, [state("2024-03-01", "a"), state("2026-01-01", "a", "b")], "2024-06-01")) == {
        "a": "1",
        "b": "1",
    }


def test_where_nobody_had_looked_yet_the_earliest_state_is_the_witness_of_what_has_no_date() -> None:
    """It was renamed, one was added, one was deleted: none of that had happened before the first state."""
    rows = [
        revision("acme", seen="2025-03-01"),
        revision("nordlys", seen="2025-03-01"),
        revision("zeta", seen="2025-04-01"),
        revision("new", seen="2025-04-01"),
        revision("dated", as_of="2023-01-01", seen="2025-05-01"),
    ]
    looked = [state("2025-03-01", "acme", "nordlys"), state("2025-04-01", "zeta", "new", "nordlys"),
              state("2025-05-01", "zeta", "new", "dated")]  # fmt: skip
    found = revisions_known_on(rows, looked, "2025-01-01")
    assert told(found) == {"acme": "1", "nordlys": "1", "dated": "1"}
    assert (found.assumed, found.unknown) == (("acme", "nordlys"), ("new", "zeta"))


def test_what_was_seen_before_the_first_whole_state_is_taken_too() -> None:
    rows = [revision("a", seen="2025-02-01"), revision("b", seen="2025-03-01")]
    assert told(revisions_known_on(rows, [state("2025-03-01", "b")], "2025-01-01")) == {"a": "1", "b": "1"}


@pytest.mark.parametrize("as_of", ["", "2024-01-01"])
def test_of_revisions_seen_on_one_day_the_last_look_counts_and_before_it_the_first(as_of: str) -> None:
    rows = [revision("a", text, as_of, "2025-03-01", turn=turn) for turn, text in ((1, "m"), (2, "z"), (3, "b"))]
    looked = [state("2025-03-01", "a")] * 3
    days = {"2024-06-01": {"a": "m"}, "2025-03-01": {"a": "b"}, "2025-03-02": {"a": "b"}}
    for some in (rows, rows[::-1]):
        assert {date: told(revisions_known_on(some, looked, date)) for date in days} == days


def test_a_renamed_document_is_one_under_the_name_of_the_day_and_before_the_journal_the_first() -> None:
    rows = [
        revision("old", "1", "2024-02-15", "2025-03-01"),
        revision("new", "1", "2024-02-15", "2025-05-01"),
        revision("end", "1", "2024-02-15", "2025-07-01"),
        revision("end", "2", "2025-02-15", "2025-09-01"),
    ]
    looked = [state("2025-03-01", "old"), state("2025-05-01", "new"), state("2025-07-01", "end")]
    days = {"2024-06-01": {"old": "1"}, "2025-03-01": {"end": "2"}, "2025-10-01": {"end": "2"}}
    assert {date: told(revisions_known_on(rows, looked, date)) for date in days} == days
    days = {
        "2024-06-01": {"old": "1"},
        "2025-04-01": {"old": "1"},
        "2025-06-01": {"new": "1"},
        "2025-08-01": {"end": "1"},
    }
    assert {date: told(revisions_known_on(rows[:3], looked, date)) for date in days} == days


def test_copies_that_stood_side_by_side_are_two_documents_each_renamed_for_itself() -> None:
    rows = [revision(name, as_of="2024-01-01", seen="2025-03-01") for name in ("a", "b")]
    rows += [revision(name, as_of="2024-01-01", seen="2025-05-01") for name in ("c", "d")]
    looked = [state("2025-03-01", "a", "b"), state("2025-05-01", "c", "d")]
    assert told(revisions_known_on(rows, looked, "2024-06-01")) == {"a": "1", "b": "1"}
    looked = [state("2025-03-01", "a", "b"), state("2025-05-01", "b", "c", "d")]  # only one of them was renamed
    assert told(revisions_known_on(rows, looked, "2024-06-01")) == {"a": "1", "b": "1", "d": "1"}


def test_what_has_the_same_text_and_another_date_is_another_document() -> None:
    rows = [revision("may", as_of="2024-05-01", seen="2025-03-01"), revision("june", as_of="2024-06-01")]
    looked = [state("2025-03-01", "may"), state("2026-01-01", "june")]
    assert told(revisions_known_on(rows, looked, "2024-12-31")) == {"may": "1", "june": "1"}
