"""Compare the documents of two versions and their chunks."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.matching import MatchedRows, Row, is_different, match_rows, pair_by_key

MIN_SHARED = 0.5  # of the longer document's chunks, by characters: below that, two documents are two
MAX_HOLDERS = 8  # a text in more documents than these is boilerplate, which makes no two of them one


@dataclass(frozen=True)
class DocumentChanges:
    """The changes of documents, and what later comparisons need to know of them."""

    rows: list[Change]
    unchanged: int
    now: dict[str, str]  # old doc_id -> new one, of all that went on under another name
    edited: list[tuple[str, str]] = field(default_factory=list)  # old and new doc_id of those with another text


def compare_documents(
    old: pa.Table, new: pa.Table, old_chunks: pa.Table, new_chunks: pa.Table, quarantine: pa.Table
) -> DocumentChanges:
    """The changes of documents by names, contents and texts of chunks; `quarantine` is that of the new benchmark."""
    texts = old["text"], new["text"]
    old, new = (table.select(["doc_id", "content_hash", "source", "title"]) for table in (old, new))
    both = match_rows(old, new, "doc_id", ("content_hash", "title"))
    edited = is_different(both, "content_hash")
    reread = pc.and_(pc.invert(edited), _has_other_text(both, *texts))
    rows, changed = [], []
    for what, chosen in (("edited", edited), ("reread", reread)):
        for doc_id, title in zip(*_column_lists(both.new.filter(chosen), "doc_id", "title"), strict=True):
            rows.append(Change("", "documents", what, doc_id, doc_id, doc_id, about=title))
            changed.append((doc_id, doc_id))
    gone, added = (_document_rows(table) for table in (both.gone, both.added))
    renamed = pair_by_key(gone, added, lambda row: row["content_hash"] or None)
    moved = {before["doc_id"]: after["doc_id"] for before, after in renamed}
    taken = set(moved.values())
    alike = dict(
        _pair_by_shared_chunks(_chunk_texts(old_chunks, gone, set(moved)), _chunk_texts(new_chunks, added, taken))
    )
    changed += alike.items()
    now, known = moved | alike, {row["doc_id"]: row for row in gone}
    came = {after: before for before, after in now.items()}
    for row in added:
        doc_id = row["doc_id"]
        before = came.get(doc_id, "")
        what = "added" if not before else "renamed" if before in moved else "renamed_and_edited"
        after = doc_id if before else ""
        rows.append(
            Change("", "documents", what, before, doc_id, doc_id, about=row["title"], before=before, after=after)
        )
    lost = sorted(set(known) - set(now))
    faults = _quarantine_reasons(quarantine) if lost else {}
    for doc_id in lost:
        source, title = known[doc_id]["source"], known[doc_id]["title"]
        why = faults.get(source) or faults.get(source.rpartition("#")[0], "")  # of a record: its own, else its file's
        what = "unreadable" if why else "deleted"
        rows.append(Change("", "documents", what, doc_id, "", doc_id, about=title, detail=why))
    return DocumentChanges(
        rows, both.new.num_rows - pc.sum(pc.or_(edited, reread)).as_py() if both.new.num_rows else 0, now, changed
    )


def _has_other_text(both: MatchedRows, old: pa.ChunkedArray, new: pa.ChunkedArray) -> pa.ChunkedArray:
    """For each document in both: is the text another one? Compared by place: texts of over 2 GiB fit no one array."""
    places = zip(both.old_at.to_pylist(), both.new_at.to_pylist(), strict=True)
    other = [not old[was].as_buffer().equals(new[now].as_buffer()) for was, now in places]
    return pa.chunked_array([other], pa.bool_())


def _quarantine_reasons(quarantine: pa.Table) -> dict[str, str]:
    """The reason why each source is in quarantine, the first by name."""
    rows = sorted(zip(*_column_lists(quarantine, "source", "reason", "detail"), strict=True), reverse=True)
    return {source: f"{reason}: {detail}" if detail else reason for source, reason, detail in rows}


def _column_lists(table: pa.Table, *names: str) -> tuple[list[str], ...]:
    return tuple(table[name].to_pylist() for name in names)


def _document_rows(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.select(["doc_id", "content_hash", "source", "title"]).to_pylist()
    return sorted(rows, key=lambda row: str(row["doc_id"]))


def _chunk_texts(chunks: pa.Table, documents: list[Row], but: set[str]) -> dict[str, Counter[str]]:
    """The texts of the chunks of each document, but of those that have a partner already."""
    wanted = [row["doc_id"] for row in documents if row["doc_id"] not in but]
    found: dict[str, Counter[str]] = defaultdict(Counter)
    mine = chunks.filter(pc.is_in(chunks["doc_id"], value_set=pa.array(wanted, pa.string())))
    for doc_id, text in zip(*_column_lists(mine, "doc_id", "text"), strict=True):
        found[doc_id][text] += 1
    return found


def _pair_by_shared_chunks(old: dict[str, Counter[str]], new: dict[str, Counter[str]]) -> Iterator[tuple[str, str]]:
    """Pairs of documents that mostly consist of the same chunks, the most alike first; each of them once."""
    holders: dict[str, list[str]] = defaultdict(list)
    for doc_id, texts in old.items():
        for text in texts:
            holders[text].append(doc_id)
    shared: Counter[tuple[str, str]] = Counter()
    for doc_id, texts in new.items():
        for text, times in texts.items():
            if len(holders.get(text, ())) <= MAX_HOLDERS:
                for before in holders.get(text, ()):
                    shared[before, doc_id] += len(text) * min(times, old[before][text])
    size = {(side, name): sum(len(t) * n for t, n in texts.items()) for side, all_ in (("old", old), ("new", new))
            for name, texts in all_.items()}  # fmt: skip
    share = {
        (before, after): count / max(size["old", before], size["new", after], 1)
        for (before, after), count in shared.items()
    }
    taken: set[tuple[str, str]] = set()
    for (before, after), part in sorted(share.items(), key=lambda item: (-item[1], item[0])):
        if part >= MIN_SHARED and ("old", before) not in taken and ("new", after) not in taken:
            taken |= {("old", before), ("new", after)}
            yield before, after


def compare_chunks(old: pa.Table, new: pa.Table, now: Mapping[str, str]) -> tuple[list[Change], int]:
    """The changes of chunks, and how many are unchanged; `now` maps old doc_ids to new ones.

    A text that is the same keeps its name, wherever in its document it stands now.
    """
    both = match_rows(old, new, "chunk_id", ("doc_id", "start", "end", "section", "place"))
    elsewhere = is_different(both, "start", "end")
    rebound = is_different(both, "section")
    rows = []
    for what, chosen in (("section_changed", rebound), ("moved", pc.and_(elsewhere, pc.invert(rebound)))):
        for was, is_ in zip(both.old.filter(chosen).to_pylist(), both.new.filter(chosen).to_pylist(), strict=True):
            rows.append(_moved_chunk(what, was, is_))
    gone, added = _chunk_rows(both.gone), _chunk_rows(both.added)
    for was, is_ in (found := pair_by_key(
        gone, added,
        lambda row: (now.get(row["doc_id"], row["doc_id"]), row["text"]),
        lambda row: row["text"],
    )):  # fmt: skip
        rows.append(_moved_chunk("moved", was, is_))
    old_ids, new_ids = ({row["chunk_id"] for row in side} for side in (zip(*found, strict=True) if found else ((), ())))
    rows += [_single_chunk("removed", row, before=row["text"]) for row in gone if row["chunk_id"] not in old_ids]
    rows += [_single_chunk("added", row, after=row["text"]) for row in added if row["chunk_id"] not in new_ids]
    return rows, both.new.num_rows - (pc.sum(pc.or_(elsewhere, rebound)).as_py() or 0)


def _chunk_rows(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.select(["chunk_id", "doc_id", "start", "end", "section", "place", "text"]).to_pylist()
    return sorted(rows, key=lambda row: (row["doc_id"], row["start"], row["chunk_id"]))


def _moved_chunk(what: str, was: Row, now: Row) -> Change:
    details = [f"{was['start']}–{was['end']} → {now['start']}–{now['end']}"]
    if was["doc_id"] != now["doc_id"]:
        details.append(f"from {was['doc_id']}")
    if was["section"] != now["section"]:
        details.append(f"from {was['section'] or 'the front'!r}")
    ids = was["chunk_id"], now["chunk_id"], now["doc_id"]
    return Change("", "chunks", what, *ids, now["section"], now["place"], detail=", ".join(details))


def _single_chunk(what: str, row: Row, before: str = "", after: str = "") -> Change:
    old_id, new_id = (row["chunk_id"], "") if what == "removed" else ("", row["chunk_id"])
    where = row["doc_id"], row["section"], row["place"]
    return Change("", "chunks", what, old_id, new_id, *where, before=before, after=after)
