"""Entries of the journal: each has a number of its own, and few are read."""

import json
import threading
from pathlib import Path

import pytest

from rarefy.tasks.store import journal
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store, digest


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def entry(name, **told):
    return Version(**{"version": digest(name), "line": "line", "out": "/out", "corpus": "/papers", **told})


def early(store, made):
    """Give an entry the name that early ones have, with the version in it."""
    place = Path(store.root, made.place)
    place.rename(place.with_name(f"{made.number:06d}-{made.version}.json"))


def test_publishers_of_one_line_at_once_get_a_number_each(store):
    barrier, made = threading.Barrier(8), []

    def publish(name):
        barrier.wait()
        made.append(journal.record_version(store, entry(name), [digest(name)]))

    threads = [threading.Thread(target=publish, args=(f"{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.number for one in made) == list(range(1, 9))
    assert journal.list_versions(store) == sorted(made, key=lambda one: one.number)
    versions = journal.list_versions(store)
    assert [one.parent for one in versions[1:]] == [one.version for one in versions[:-1]]


def test_who_was_faster_between_the_look_and_the_entry_keeps_the_number(store, monkeypatch):
    """A publisher looks for the last number, another one records, and the first goes on."""
    keep, once = store.keep, []

    def interrupted(table):
        if not once:
            once.append(True)
            journal.record_version(Store(store.root), entry("faster"), ())
        return keep(table)

    monkeypatch.setattr(store, "keep", interrupted)
    made = journal.record_version(store, entry("slower"), ())
    assert (made.number, made.parent) == (2, digest("faster"))


def test_the_same_again_is_no_new_entry_and_anything_that_was_asked_otherwise_is(store, tmp_path):
    first = journal.record_version(store, entry("a"), ())
    assert journal.record_version(store, entry("a"), ()) == first
    for number, told in enumerate(
        ({"limit": 3}, {"corpus": "/other"}, {"as_of": "2024-01-01"}, {"config": {"seed": 7}}), start=2
    ):
        assert journal.record_version(store, entry("a", **told), ()).number == number


def test_one_corpus_by_another_spelling_is_the_same(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = journal.record_version(store, entry("a", corpus=str(tmp_path / "papers")), ())
    assert journal.record_version(store, entry("a", corpus="papers/"), ()) == first


def test_entries_with_the_version_in_their_names_are_found_and_amended_where_they_lie(store):
    early(store, journal.record_version(store, entry("a"), ()))
    (found,) = journal.list_versions(store)
    assert found.version == digest("a")
    journal.record_changes(store, found, {"documents_added": 2})
    assert [one.changes for one in journal.list_versions(store)] == [{"documents_added": 2}]
    assert journal.record_version(store, entry("b"), ()).number == 2


def test_an_entry_says_nothing_of_where_it_lies(store):
    made = journal.record_version(store, entry("a"), ())
    assert "place" not in json.loads(store.read(made.place))


def test_a_damaged_entry_keeps_its_number_and_the_one_before_is_the_last(store):
    first = journal.record_version(store, entry("a"), ())
    second = journal.record_version(store, entry("b"), ())
    store.write(second.place, b"{")
    assert journal.latest_version(store, "line") == first
    assert journal.list_damaged(store) == [f"{store.root}/{second.place}"]
    third = journal.record_version(store, entry("c"), ())
    assert (third.number, third.parent) == (3, first.version)
    assert journal.previous_version(store, third) == first
    assert journal.previous_version(store, first) is None


def test_what_is_recorded_again_reads_the_last_entry_alone(store, monkeypatch):
    for name in range(20):
        last = journal.record_version(store, entry(f"{name}"), ())
    read, reads = store.read, []
    monkeypatch.setattr(store, "read", lambda name: reads.append(name) or read(name))
    assert journal.record_version(store, entry("19"), ()) == last
    assert journal.latest_version(store, "line") == last
    assert [name for name in reads if name.startswith("versions/")] == [last.place] * 2
    assert journal.previous_version(store, last).number == 19
    assert len([name for name in reads if name.startswith("versions/")]) == 3


def test_a_store_whose_path_looks_like_a_pattern_has_its_entries_and_notes(tmp_path):
    store = Store(tmp_path / "run [3] *")
    made = journal.record_version(store, entry("a"), ())
    journal.record_evaluation(store, made.version, "/result", ())
    assert journal.list_versions(Store(tmp_path / "run [3] *"), "line") == [made]
    assert journal.latest_version(store, "line") == made
    assert [one.out for one in journal.list_evaluations(store)] == ["/result"]
    assert journal.record_version(store, entry("b"), ()).number == 2
