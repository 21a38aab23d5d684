"""When a file counts as there."""

from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.refresh.feeds.folder import FileChanges, Moment, WatchState, find_moves, settle_files

SETTLE, HOLD = 10.0, 60.0


def at(seconds: float, boot: str = "this") -> Moment:
    return Moment(boot, seconds)


def looked(*looks: tuple[float, dict[str, tuple[str, str]]], before: WatchState | None = None, hold: float = HOLD):
    """What came of several looks, one after the other."""
    state, found = before or WatchState(), []
    for seconds, listed in looks:
        look = settle_files(state, listed, at(seconds), SETTLE, hold)
        state = look.after
        found.append(look)
    return found


A, LONGER, B = ("1", "aa"), ("2", "aaaa"), ("1", "bb")


def test_a_file_counts_once_two_looks_far_enough_apart_saw_the_same():
    first, early, late = looked((0, {"a": A}), (5, {"a": A}), (10, {"a": A}))
    assert (first.moves, early.moves) == (FileChanges(), FileChanges())
    assert first.waiting == early.waiting == ("a",)
    assert late.moves == FileChanges(added=("a",)) and late.waiting == ()


def test_a_file_that_is_appended_to_is_not_taken():
    found = looked(*((10.0 * n, {"a": (str(n), "a" * n)}) for n in range(20)))
    assert not any(look.moves for look in found)
    [settled] = looked((210, {"a": ("19", "a" * 19)}), before=found[-1].after)
    assert settled.moves.added == ("a",)


def test_the_time_that_a_file_must_rest_begins_anew_when_only_its_times_change():
    *_, last = looked((0, {"a": ("1", "aa")}), (9, {"a": ("2", "aa")}), (12, {"a": ("2", "aa")}))
    assert not last.moves


def test_a_file_that_is_gone_before_it_settled_is_never_told():
    *_, last = looked((0, {"a": A}), (10, {}), (20, {}))
    assert not last.moves and last.after == WatchState()


def test_a_file_that_is_touched_is_the_same():
    *_, last = looked((0, {"a": ("2", "aa")}), before=WatchState(taken={"a": A}))
    assert not last.moves and not last.waiting and last.after.taken == {"a": ("2", "aa")}


def test_an_editor_that_removes_a_file_before_it_writes_the_new_one_deletes_nothing():
    """Seen once without the file, the watch waits as it does for a file that is new."""
    gone, back, settled = looked((0, {}), (10, {"a": B}), (20, {"a": B}), before=WatchState(taken={"a": A}))
    assert (gone.moves, back.moves) == (FileChanges(), FileChanges())
    assert settled.moves == FileChanges(edited=("a",))


def test_a_deletion_counts_when_it_lasts():
    *_, last = looked((0, {"b": B}), (10, {"b": B}), before=WatchState(taken={"a": A, "b": B}))
    assert last.moves == FileChanges(deleted=("a",))


def test_a_file_of_a_new_name_and_old_content_was_renamed():
    *_, last = looked((0, {"b": ("9", "aa")}), (10, {"b": ("9", "aa")}), before=WatchState(taken={"a": A}))
    assert last.moves == FileChanges(renamed=(("a", "b"),))
    assert last.moves.told() == "1 renamed (a to b)"


def test_of_two_files_of_equal_content_one_is_renamed_and_one_deleted():
    same = {"a": A, "b": A}
    assert find_moves(same, {"c": A}) == FileChanges(renamed=(("a", "c"),), deleted=("b",))


def test_settled_files_wait_for_one_that_is_being_written_but_not_for_ever():
    """A refresh reads the whole folder: begun now, it would read half of the other file."""

    def listing(n: int) -> dict[str, tuple[str, str]]:
        return {"whole": A, "growing": (str(n), "g" * n)}

    found = looked(*((10.0 * n, listing(n)) for n in range(12)))
    taken = [n for n, look in enumerate(found) if look.moves]
    assert taken == [7]  # settled at 10, held until 10 + 60
    assert found[7].moves == FileChanges(added=("whole",)) and found[7].waiting == ("growing",)


def test_without_holding_settled_files_are_taken_at_once():
    *_, last = looked((0, {"a": A, "g": B}), (10, {"a": A, "g": LONGER}), hold=0)
    assert last.moves == FileChanges(added=("a",))


def test_after_the_machine_was_started_again_the_wait_begins_anew():
    first = settle_files(WatchState(), {"a": A}, at(1_000_000), SETTLE, HOLD)
    again = settle_files(first.after, {"a": A}, at(50, "another"), SETTLE, HOLD)
    assert not again.moves
    assert settle_files(again.after, {"a": A}, at(60, "another"), SETTLE, HOLD).moves


def test_a_clock_that_says_less_than_before_only_makes_it_wait():
    first = settle_files(WatchState(), {"a": A}, at(1000), SETTLE, HOLD)
    back = settle_files(first.after, {"a": A}, at(3), SETTLE, HOLD)
    assert not back.moves
    assert settle_files(back.after, {"a": A}, at(13), SETTLE, HOLD).moves


def test_what_is_told_names_two_of_each_kind_and_counts_them():
    many = FileChanges(added=("a", "b", "c"), deleted=("d",))
    assert many.told() == "3 added (a, b, …); 1 deleted (d)"


listings = st.dictionaries(st.sampled_from("abcd"), st.tuples(st.sampled_from("12"), st.sampled_from("xyz")))


@given(st.lists(st.tuples(st.floats(0, 30), listings), max_size=12), listings)
def test_after_any_history_two_quiet_looks_leave_what_is_there_and_every_move_adds_up(history, final):
    state, clock, told = WatchState(), 0.0, {}
    quiet = [(200.0, final), (200.0, final)]
    for pause, listed in [*history, *quiet]:
        clock += pause
        look = settle_files(state, listed, at(clock), SETTLE, HOLD)
        for path in (*look.moves.deleted, *(old for old, _ in look.moves.renamed)):
            del told[path]
        for path in (*look.moves.added, *look.moves.edited, *(new for _, new in look.moves.renamed)):
            told[path] = look.after.taken[path][1]
        state = look.after
    contents = {path: mark[1] for path, mark in final.items()}
    assert {path: mark[1] for path, mark in state.taken.items()} == contents == told
    assert not state.waiting
