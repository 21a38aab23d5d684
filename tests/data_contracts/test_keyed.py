"""Rows by name are the same however they are read: one by one, all at once, or both."""

import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.data_contracts.tables import RowsById, from_table, to_table

ROWS = [Chunk(f"c{n}", "d", 0, 9, "text", "", f"Text {n}.", n) for n in range(40)]


def keyed() -> RowsById[Chunk]:
    return RowsById([to_table(ROWS[:25], Chunk), to_table(ROWS[25:], Chunk)], Chunk)


def test_each_name_has_its_row_in_whatever_order_they_are_asked_for():
    by_name = keyed()
    for row in reversed(ROWS):
        assert by_name[row.chunk_id] == row


def test_all_rows_come_in_the_order_of_their_tables_also_after_some_were_read():
    by_name = keyed()
    early = by_name["c39"]
    assert list(by_name.values()) == ROWS
    assert list(by_name) == [row.chunk_id for row in ROWS] and list(by_name.items())[3] == ("c3", ROWS[3])
    assert by_name["c39"] is early


def test_what_is_not_there_is_not_there():
    by_name = keyed()
    assert "c40" not in by_name and by_name.get("c40") is None and len(by_name) == 40
    with pytest.raises(KeyError, match="c40"):
        by_name["c40"]
    for row in ROWS:
        assert by_name.get(row.chunk_id) == row
    with pytest.raises(KeyError, match="c40"):
        by_name["c40"]


def test_a_table_without_rows_has_no_names():
    assert not list(RowsById([to_table([], Chunk)], Chunk).values())


def test_a_later_row_of_the_same_name_takes_the_place_of_an_earlier_one():
    other = Chunk("c1", "d", 0, 9, "text", "", "Other.", 1)
    by_name = RowsById([to_table([*ROWS[:3], other], Chunk)], Chunk)
    assert by_name["c1"] == other and list(by_name.values()) == [ROWS[0], other, ROWS[2]]
    assert list(from_table(to_table([other], Chunk), Chunk)) == [other]
