"""What is swept is what nothing kept leads to, and a kill anywhere in between breaks nothing that stays."""

import json
import os
import time
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import object_store

from rarefy.tasks.store import journal
from rarefy.tasks.store.gc import CannotSweep, plan_sweep, sweep
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store, digest

LONG_AGO = 7200.0  # seconds
DAY = 86_400.0


def table(*names):
    return pa.table({"name": pa.array(names, pa.string())})


def publish(store, line, *names, created="", nested=False, **told):
    """A version with a table for each name, made by a recipe each; one more recipe names tables in a table."""
    made = {name: store.put(digest(["recipe", name]), {"documents": table(name)})["documents"] for name in names}
    touched = {digest(["recipe", name]) for name in names}
    if nested:
        part = store.keep(table(f"part of {line}"))
        store.put(digest(["batches", line]), {"batches": table(part, "no name")})
        touched.add(digest(["batches", line]))
    entry = Version(version=digest([line, names]), line=line, out=f"/{line}", corpus="c", tables=made, **told)
    done = journal.record_version(store, entry, touched)
    if created:
        store.write(done.place, json.dumps({**done.model_dump(mode="json"), "created": created}).encode())
    return done


def age(store, seconds=LONG_AGO):
    """Everything in a local store was written so long ago."""
    then = time.time() - seconds
    for path in Path(store.root).rglob("*"):
        if path.is_file():
            os.utime(path, (then, then))


def names(store, folder):
    return {path.rpartition("/")[2].removesuffix(".parquet") for path in store.fs.find(f"{store.root}/{folder}")}


def whole(store):
    """Every version that the journal has is readable, what led to it is there, and so is what any recipe promises."""
    for one in journal.list_versions(store):
        assert set(store.table(one.touched)["recipe"].to_pylist()) <= names(store, "recipes")
        for name in one.tables.values():
            store.table(name)
    for path in store.fs.find(f"{store.root}/recipes"):
        assert Store(store.url).find(path.rpartition("/")[2]) is not None


@pytest.fixture
def store(tmp_path):
    """Three versions of one line, and what an interrupted run left."""
    store = Store(tmp_path / "store")
    publish(store, "line", "a", "b", created="2024-01-01T00:00:00+00:00", nested=True)
    publish(store, "line", "b", "c", created="2024-06-01T00:00:00+00:00")
    publish(store, "line", "c", "d")
    store.put("0" * 32, {"documents": table("left behind")})
    store.keep(table("written before its recipe"))
    age(store)
    return store


def swept(store, **asked):
    found = plan_sweep(store, **asked)
    sweep(store, found, lambda: plan_sweep(store, **asked), lambda: None)
    return found


def test_without_a_word_no_version_goes_and_what_nothing_leads_to_does(store):
    found = swept(store)
    assert (found.dropped, len(found.kept)) == ((), 3)
    assert len(found.recipes) == 1
    assert len(found.tables) == 2
    assert names(store, "recipes") == {digest(["recipe", name]) for name in "abcd"} | {digest(["batches", "line"])}
    assert plan_sweep(store).files == ()
    whole(store)


def test_what_only_a_version_that_is_given_up_needs_goes_with_it(store):
    found = swept(store, keep=1)
    assert [one.number for one in found.dropped] == [1, 2]
    assert [one.number for one in journal.list_versions(store)] == [3]
    assert names(store, "recipes") == {digest(["recipe", "c"]), digest(["recipe", "d"])}
    whole(store)


def test_tables_that_a_kept_table_names_stay(store):
    swept(store, keep=3)
    (part,) = (name for name in names(store, "tables") if store.table(name).equals(table("part of line")))
    swept(store, keep=2)
    assert part not in names(store, "tables")


@pytest.mark.parametrize(
    ("asked", "gone"),
    [({"keep": 2}, [1]), ({"days": 100}, [1, 2]), ({"keep": 2, "days": 100}, [1]), ({"keep": 1, "days": 100}, [1, 2]),
     ({"days": 36_500}, []), ({"keep": 9}, [])],
)  # fmt: skip
def test_a_version_goes_that_is_neither_among_the_newest_nor_young(store, asked, gone):
    assert [one.number for one in plan_sweep(store, **asked).dropped] == gone


def test_the_newest_version_of_each_line_stays_however_old(store):
    publish(store, "other", "e", created="2020-01-01T00:00:00+00:00")
    age(store)
    assert {(one.line, one.number) for one in plan_sweep(store, keep=1, days=1).kept} == {("line", 3), ("other", 1)}


def test_one_that_does_not_say_when_it_was_published_is_not_old(store):
    publish(store, "line", "z", created="nobody knows")
    publish(store, "line", "y")
    age(store)
    assert [one.number for one in plan_sweep(store, days=1).dropped] == [1, 2]


def test_what_was_written_within_the_hour_stays_and_so_does_what_it_promises(store):
    young = store.put("1" * 32, {"batches": table(store.keep(table("old part")))})
    loose = store.keep(table("a run may need this"))
    part = store.keep(table("old part"))
    for name in (young["batches"], part):  # only the recipe is young: its tables were there before
        os.utime(f"{store.root}/tables/{name}.parquet", (0, 0))
    found = swept(store, keep=1)
    assert found.young == 2  # the recipe, and the table without one
    assert {loose, part, young["batches"]} <= names(store, "tables")
    whole(store)


def test_a_version_that_was_just_published_is_not_given_up(store):
    publish(store, "line", "e")
    assert [one.number for one in plan_sweep(store, keep=1).dropped] == [1, 2, 3]
    publish(store, "line", "f")
    assert [one.number for one in plan_sweep(store, keep=1).dropped] == [1, 2, 3]


def test_why_a_version_given_up_within_the_hour_stays_is_told(tmp_path):
    store = Store(tmp_path)
    first = publish(store, "line", "a")
    publish(store, "line", "b")
    found = swept(store, keep=1)
    assert ([one.version for one in found.too_young], found.dropped, found.files) == ([first.version], (), ())
    assert found.young == 1
    age(store)
    found = swept(store, keep=1)
    assert ([one.version for one in found.dropped], found.too_young, found.young) == ([first.version], (), 0)


@pytest.mark.parametrize("told", [{"as_of": "2024-01-01"}, {"limit": 3}])
def test_a_version_of_a_day_or_a_part_is_not_the_successor_of_a_whole_one(store, told):
    for name in ("e", "f", "g"):
        publish(store, "line", name, **told)
    age(store)
    assert [one.number for one in plan_sweep(store, keep=1).dropped] == [1, 2, 4, 5]
    assert [one.number for one in plan_sweep(store, keep=2).dropped] == [1, 4]
    swept(store, keep=1)
    assert [one.number for one in journal.list_versions(store)] == [3, 6]
    publish(store, "line", "h")
    assert [one.number for one in journal.list_versions(store)] == [3, 6, 7]
    whole(store)


def early(store, made, number):
    """An entry as they were once named, of which two could get one number."""
    Path(store.root, made.place).unlink()
    name = f"versions/{made.line}/{number:06d}-{made.version}.json"
    store.write(name, json.dumps({**made.model_dump(mode="json"), "number": number}).encode())


def test_two_entries_of_one_number_keep_all_that_each_of_them_needs(tmp_path):
    store = Store(tmp_path)
    publish(store, "line", "a")
    publish(store, "line", "b")
    early(store, publish(store, "line", "c"), 2)
    age(store)
    found = swept(store, keep=1)
    assert [one.number for one in found.dropped] == [1]
    assert [one.number for one in found.kept] == [2, 2]
    assert names(store, "recipes") == {digest(["recipe", "b"]), digest(["recipe", "c"])}
    whole(store)
    publish(store, "line", "d")
    age(store)
    assert [(one.number, one.place) for one in swept(store, keep=1).kept] == [(3, "versions/line/000003.json")]
    assert names(store, "recipes") == {digest(["recipe", "d"])}
    whole(store)


def test_of_two_entries_of_one_number_the_one_within_the_hour_keeps_its_tables(tmp_path):
    store = Store(tmp_path)
    publish(store, "line", "a")
    early(store, publish(store, "line", "b"), 1)
    publish(store, "line", "c")
    age(store)
    young = [one for one in journal.list_versions(store) if one.number == 1][-1]
    os.utime(f"{store.root}/{young.place}")
    found = swept(store, keep=1)
    assert len(found.dropped) == 1
    assert {one.place for one in found.kept} == {young.place, "versions/line/000002.json"}
    whole(store)


def test_an_evaluation_noted_within_the_hour_keeps_what_led_to_it_as_long_as_its_note(store):
    first = journal.list_versions(store)[0]
    store.put(digest(["answers"]), {"answers": table("answers")})
    age(store)
    journal.record_evaluation(store, first.version, "/result", {digest(["answers"])})
    swept(store, keep=1)
    assert digest(["answers"]) in names(store, "recipes")
    age(store, 3 * DAY)
    swept(store, days=2)
    assert journal.list_evaluations(store) == []
    assert digest(["answers"]) not in names(store, "recipes")


def test_a_store_whose_path_looks_like_a_pattern_is_swept_as_any_other(tmp_path):
    store = Store(tmp_path / "run [3] *")
    publish(store, "line", "a")
    publish(store, "line", "b")
    age(store)
    assert [one.number for one in swept(store, keep=1).dropped] == [1]
    whole(store)


def test_a_clock_that_was_set_back_removes_nothing(store):
    assert plan_sweep(store, keep=1, days=1, now=time.time() - 30 * DAY).files == ()


def test_evaluations_stay_with_the_version_that_they_are_of(store):
    first, *_, last = journal.list_versions(store)
    for name, version in (("old", first.version), ("new", last.version), ("foreign", "f" * 32)):
        store.put(digest(["answers", name]), {"answers": table(name)})
        journal.record_evaluation(store, version, f"/result-{name}", {digest(["answers", name])})
    age(store, 3 * DAY)
    swept(store, keep=1)
    assert {one.out for one in journal.list_evaluations(store)} == {"/result-new", "/result-foreign"}
    assert digest(["answers", "old"]) not in names(store, "recipes")
    swept(store, days=2)
    assert {one.out for one in journal.list_evaluations(store)} == {"/result-new"}
    whole(store)


def test_a_store_without_a_version_is_left_alone(tmp_path):
    store = Store(tmp_path)
    store.put("0" * 32, {"documents": table("a")})
    age(store)
    with pytest.raises(CannotSweep, match="no version in its journal"):
        plan_sweep(store)


def test_where_an_entry_cannot_be_read_nothing_is_removed(store):
    path = sorted(Path(store.root).glob("versions/*/*.json"))[0]
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(CannotSweep, match=rf"{path.name} cannot be read"):
        plan_sweep(store, keep=1)


def test_a_version_whose_list_of_recipes_is_lost_keeps_its_tables(store):
    last = journal.list_versions(store)[-1]
    Path(store.root, "tables", f"{last.touched}.parquet").unlink()
    found = swept(store, keep=1)
    assert "what led to version 3 of /line is not known" in found.remarks[0]
    for name in last.tables.values():
        store.table(name)


def test_other_folders_of_a_store_are_not_touched(store):
    others = [
        "replies.sqlite",
        "embeddings.sqlite",
        "indexes/bm25/x.npy",
        "leases/refresh/000000000001.json",
        "wants/x/y",
    ]
    for name in others:
        Path(store.root, name).parent.mkdir(parents=True, exist_ok=True)
        Path(store.root, name).write_text("{}")
    age(store)
    swept(store, keep=1, days=1)
    assert all(Path(store.root, name).exists() for name in others)


def test_what_a_build_recorded_meanwhile_stays(store):
    """A plain build needs no lease: it may publish between the plan and the sweep, of tables that lay there unused."""
    found = plan_sweep(store, keep=1)
    entry = Version(version="e" * 32, line="new", out="/new", corpus="c",
                    tables={"documents": store.keep(table("left behind"))})  # fmt: skip
    journal.record_version(store, entry, ())
    sweep(store, found, lambda: plan_sweep(store, keep=1), lambda: None)
    whole(store)


def test_who_loses_the_lease_goes_no_further(store):
    def lost():
        raise RuntimeError("another one took it over")

    before = set(store.fs.find(store.root))
    with pytest.raises(RuntimeError):
        sweep(store, plan_sweep(store, keep=1), lambda: plan_sweep(store, keep=1), lost)
    assert set(store.fs.find(store.root)) == before


class Killed(BaseException):
    """The process is no more."""


def killed_after(store, deletes, monkeypatch):
    """Sweeps with a process that dies after so many files; False where it lives to the end."""
    left = [deletes]
    remove = store.fs.rm_file

    def counted(path):
        if not left[0]:
            raise Killed
        left[0] -= 1
        remove(path)

    monkeypatch.setattr(store.fs, "rm_file", counted)
    try:
        swept(store, keep=1)
    except Killed:
        return True
    finally:
        monkeypatch.undo()
    return False


def test_killed_between_any_two_files_every_version_is_readable_and_the_next_run_ends_it(tmp_path, monkeypatch):
    ends, deletes = set(), 0
    while True:
        store = Store(tmp_path / f"{deletes}")
        publish(store, "line", "a", "b", nested=True)
        publish(store, "line", "b", "c")
        store.put("0" * 32, {"documents": table("left behind")})
        age(store)
        died = killed_after(store, deletes, monkeypatch)
        whole(store)
        swept(store, keep=1)
        whole(store)
        ends.add((*sorted(names(store, "recipes")), *sorted(names(store, "tables"))))
        if not died:
            break
        deletes += 1
    assert deletes > 8
    assert len(ends) == 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("xy"), st.sets(st.sampled_from("abcdef"), min_size=1)), min_size=1, max_size=6),
    st.integers(0, 3),
)
def test_any_store_keeps_what_it_needs_and_nothing_else(published, keep):
    store = Store(f"memory://{uuid4().hex}")
    for line, its in published:
        publish(store, line, *sorted(its))
    store.put("0" * 32, {"documents": table("left behind")})
    later = time.time() + LONG_AGO
    found = plan_sweep(store, keep=keep, now=later)
    sweep(store, found, lambda: plan_sweep(store, keep=keep, now=later), lambda: None)
    whole(store)
    needed = {name for one in found.kept for name in (*one.tables.values(), one.touched)}
    assert names(store, "tables") == needed
    assert journal.list_versions(store) == list(found.kept)


@pytest.fixture(scope="module")
def bucket():
    """The URL of a bucket of a server that speaks S3."""
    with object_store("gc-tests") as url:
        yield url


def test_an_object_store_is_swept_as_a_folder_is(bucket):
    store = Store(f"{bucket}/{uuid4().hex}")
    publish(store, "line", "a", "b", nested=True)
    publish(store, "line", "b", "c")
    store.put("0" * 32, {"documents": table("left behind")})
    assert plan_sweep(store, keep=1).files == ()  # all of it is young by the store's own clock
    later = time.time() + LONG_AGO
    found = plan_sweep(store, keep=1, now=later)
    assert sweep(store, found, lambda: plan_sweep(store, keep=1, now=later), lambda: None) == len(found.files)
    assert [one.number for one in journal.list_versions(store)] == [2]
    assert names(store, "recipes") == {digest(["recipe", "b"]), digest(["recipe", "c"])}
    assert found.size > 0
    whole(store)
