"""What became of chunks: a text that is the same keeps its name, wherever in its document it stands now."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.matched import Row, differs, matched, pairs


def chunks(old: pa.Table, new: pa.Table, now: Mapping[str, str]) -> tuple[list[Change], int]:
    """What became of each chunk, and how many stand as they stood; `now` are the new names of documents."""
    both = matched(old, new, "chunk_id", ("doc_id", "start", "end", "section"))
    elsewhere = differs(both, "start", "end")
    rebound = differs(both, "section")
    rows = []
    for what, chosen in (("section_changed", rebound), ("moved", pc.and_(elsewhere, pc.invert(rebound)))):
        for was, is_ in zip(both.old.filter(chosen).to_pylist(), both.new.filter(chosen).to_pylist(), strict=True):
            rows.append(_moved(what, was, is_))
    gone, added = _rows(both.gone), _rows(both.added)
    for was, is_ in (found := pairs(
        gone, added,
        lambda row: (now.get(row["doc_id"], row["doc_id"]), row["text"]),
        lambda row: row["text"],
    )):  # fmt: skip
        rows.append(_moved("moved", was, is_))
    old_ids, new_ids = ({row["chunk_id"] for row in side} for side in (zip(*found, strict=True) if found else ((), ())))
    rows += [_one("removed", row, before=row["text"]) for row in gone if row["chunk_id"] not in old_ids]
    rows += [_one("added", row, after=row["text"]) for row in added if row["chunk_id"] not in new_ids]
    return rows, both.new.num_rows - (pc.sum(pc.or_(elsewhere, rebound)).as_py() or 0)


def _rows(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.select(["chunk_id", "doc_id", "start", "end", "section", "text"]).to_pylist()
    return sorted(rows, key=lambda row: (row["doc_id"], row["start"], row["chunk_id"]))


def _moved(what: str, was: Row, now: Row) -> Change:
    told = [f"{was['start']}–{was['end']} → {now['start']}–{now['end']}"]
    if was["doc_id"] != now["doc_id"]:
        told.append(f"from {was['doc_id']}")
    if was["section"] != now["section"]:
        told.append(f"from {was['section'] or 'the front'!r}")
    return Change(
        "", "chunks", what, was["chunk_id"], now["chunk_id"], now["doc_id"], now["section"], detail=", ".join(told)
    )


def _one(what: str, row: Row, before: str = "", after: str = "") -> Change:
    old_id, new_id = (row["chunk_id"], "") if what == "removed" else ("", row["chunk_id"])
    return Change("", "chunks", what, old_id, new_id, row["doc_id"], row["section"], before=before, after=after)
