"""Which documents were added, edited, renamed, deleted and set aside, by names, contents and chunks' texts."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.matched import Matched, Row, differs, matched, pairs

OVERLAP = 0.5  # of the longer document's chunks, by characters: below that, two documents are two
SHARED = 8  # a text in more documents than these is boilerplate, which makes no two of them one


@dataclass(frozen=True)
class Documents:
    """What became of documents: the rows, and what goes on under which name."""

    rows: list[Change]
    unchanged: int
    now: dict[str, str]  # old doc_id -> new one, of all that went on under another name
    edited: list[tuple[str, str]] = field(default_factory=list)  # old and new doc_id of those with another text


def documents(
    old: pa.Table, new: pa.Table, old_chunks: pa.Table, new_chunks: pa.Table, quarantine: pa.Table
) -> Documents:
    """What became of each document; `quarantine` is that of the new benchmark."""
    texts = old["text"], new["text"]
    old, new = (table.select(["doc_id", "content_hash", "source", "title"]) for table in (old, new))
    both = matched(old, new, "doc_id", ("content_hash", "title"))
    edited = differs(both, "content_hash")
    reread = pc.and_(pc.invert(edited), _other(both, *texts))
    rows, changed = [], []
    for what, chosen in (("edited", edited), ("reread", reread)):
        for doc_id, title in zip(*_columns(both.new.filter(chosen), "doc_id", "title"), strict=True):
            rows.append(Change("", "documents", what, doc_id, doc_id, doc_id, about=title))
            changed.append((doc_id, doc_id))
    gone, added = (_plain(table) for table in (both.gone, both.added))
    renamed = pairs(gone, added, lambda row: row["content_hash"] or None)
    moved = {before["doc_id"]: after["doc_id"] for before, after in renamed}
    taken = set(moved.values())
    alike = dict(_alike(_of(old_chunks, gone, set(moved)), _of(new_chunks, added, taken)))
    changed += alike.items()
    now, known = moved | alike, {row["doc_id"]: row for row in gone}
    came = {after: before for before, after in now.items()}
    for row in added:
        doc_id = row["doc_id"]
        before = came.get(doc_id, "")
        what = "added" if not before else "renamed" if before in moved else "renamed_and_edited"
        said = {"about": row["title"], "before": before, "after": doc_id if before else ""}
        rows.append(Change("", "documents", what, before, doc_id, doc_id, **said))
    lost = sorted(set(known) - set(now))
    faults = _faults(quarantine) if lost else {}
    for doc_id in lost:
        source, title = known[doc_id]["source"], known[doc_id]["title"]
        why = faults.get(source) or faults.get(source.rpartition("#")[0], "")  # of a record: its own, else its file's
        what = "unreadable" if why else "deleted"
        rows.append(Change("", "documents", what, doc_id, "", doc_id, about=title, detail=why))
    return Documents(
        rows, both.new.num_rows - pc.sum(pc.or_(edited, reread)).as_py() if both.new.num_rows else 0, now, changed
    )


def _other(both: Matched, old: pa.ChunkedArray, new: pa.ChunkedArray) -> pa.ChunkedArray:
    """Of the documents in both: is the text another one? Where they stand: texts of over 2 GiB fit no one array."""
    places = zip(both.old_at.to_pylist(), both.new_at.to_pylist(), strict=True)
    other = [not old[was].as_buffer().equals(new[now].as_buffer()) for was, now in places]
    return pa.chunked_array([other], pa.bool_())


def _faults(quarantine: pa.Table) -> dict[str, str]:
    """Why a source is in quarantine, by source: the first reason by name."""
    rows = sorted(zip(*_columns(quarantine, "source", "reason", "detail"), strict=True), reverse=True)
    return {source: f"{reason}: {detail}" if detail else reason for source, reason, detail in rows}


def _columns(table: pa.Table, *names: str) -> tuple[list[str], ...]:
    return tuple(table[name].to_pylist() for name in names)


def _plain(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.select(["doc_id", "content_hash", "source", "title"]).to_pylist()
    return sorted(rows, key=lambda row: str(row["doc_id"]))


def _of(chunks: pa.Table, documents: list[Row], but: set[str]) -> dict[str, Counter[str]]:
    """By document its chunks' texts, of those that have no partner yet."""
    wanted = [row["doc_id"] for row in documents if row["doc_id"] not in but]
    found: dict[str, Counter[str]] = defaultdict(Counter)
    mine = chunks.filter(pc.is_in(chunks["doc_id"], value_set=pa.array(wanted, pa.string())))
    for doc_id, text in zip(*_columns(mine, "doc_id", "text"), strict=True):
        found[doc_id][text] += 1
    return found


def _alike(old: dict[str, Counter[str]], new: dict[str, Counter[str]]) -> Iterator[tuple[str, str]]:
    """Documents that are mostly of the same chunks, the most alike first; each of them once."""
    holders: dict[str, list[str]] = defaultdict(list)
    for doc_id, texts in old.items():
        for text in texts:
            holders[text].append(doc_id)
    shared: Counter[tuple[str, str]] = Counter()
    for doc_id, texts in new.items():
        for text, times in texts.items():
            if len(holders.get(text, ())) <= SHARED:
                for before in holders.get(text, ()):
                    shared[before, doc_id] += len(text) * min(times, old[before][text])
    size = {(side, name): sum(len(t) * n for t, n in texts.items()) for side, all_ in (("old", old), ("new", new))
            for name, texts in all_.items()}  # fmt: skip
    share = {
        (before, after): count / max(size["old", before], size["new", after], 1)
        for (before, after), count in shared.items()
    }
    taken: set[tuple[str, str]] = set()
    for (before, after), part in sorted(share.items(), key=lambda one: (-one[1], one[0])):
        if part >= OVERLAP and ("old", before) not in taken and ("new", after) not in taken:
            taken |= {("old", before), ("new", after)}
            yield before, after
