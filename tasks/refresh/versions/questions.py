"""What became of questions: retired, asked anew, answered otherwise, proved otherwise, or just as they were."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.matched import Row, accepted, pairs
from rarefy.tasks.refresh.versions.triplets import said, thing

COLUMNS = (
    "question_id", "pattern", "text", "answer", "aliases", "triplet_ids", "chunk_ids", "evidence", "evidence_spans",
    "language", "split", "retrievable",
)  # fmt: skip
FACTS = (
    "triplet_id", "subject", "relation", "object", "object_type", "answer", "value", "unit", "period", "subject_key",
    "relation_key", "object_key", "superseded_by", "rejected_because",
)  # fmt: skip
BESIDE = ("aliases", "split", "retrievable")  # that may be another although the question is the same


@dataclass(frozen=True)
class Side:
    """What the questions of one benchmark are made of."""

    questions: pa.Table
    triplets: pa.Table
    chunks: pa.Table
    documents: pa.Table


def questions(old: Side, new: Side, facts: Iterable[Change]) -> list[Change]:
    """What became of each accepted question, a row for each; `facts` says what became of triplets.

    The same question is one of the same name, else of the same words, else one that asks the same of the same facts
    (those that superseded them count as the same), whatever its words.
    """
    before, after = _rows(old), _rows(new)
    same = pairs(before, after, lambda row: row["question_id"], lambda row: (row["language"], row["text"]))
    gone, added = _left(before, after, same)
    were, are = _facts(old, gone), _facts(new, [*gone, *added])
    for row in gone:
        followed = [are[name]["superseded_by"] or name if name in are else name for name in row["triplet_ids"]]
        row["facts"], row["asked"] = _made_of(row["pattern"], followed), _asked(row, were)
    for row in added:
        row["facts"], row["asked"] = _made_of(row["pattern"], row["triplet_ids"]), _asked(row, are)
    others = pairs(gone, added, lambda row: row["facts"], lambda row: row["asked"])
    gone, added = _left(gone, added, others)
    homes = _homes(old, before), _homes(new, after)
    rows = [_beside(was, now, *homes) for was, now in (*same, *others)]
    why = _Why(new, gone, facts, homes[0])
    for row in gone:
        rows.append(_change("retired", row, row["question_id"], "", homes[0], before=row["answer"], detail=why.of(row)))
    rows += [_change("added", row, "", row["question_id"], homes[1], after=row["answer"]) for row in added]
    return rows


def _rows(side: Side) -> list[Row]:
    rows: list[Row] = accepted(side.questions).select(list(COLUMNS)).to_pylist()
    return sorted(rows, key=lambda row: str(row["question_id"]))


def _left(gone: Sequence[Row], added: Sequence[Row], found: Iterable[tuple[Row, Row]]) -> tuple[list[Row], list[Row]]:
    taken = {(side, row["question_id"]) for pair in found for side, row in enumerate(pair)}
    left = [row for row in gone if (0, row["question_id"]) not in taken]
    return left, [row for row in added if (1, row["question_id"]) not in taken]


def _facts(side: Side, rows: Sequence[Row]) -> dict[str, Row]:
    """The facts that these questions are made of, rejected ones too."""
    wanted = pa.array(sorted({name for row in rows for name in row["triplet_ids"]}), pa.string())
    mine = side.triplets.filter(pc.is_in(side.triplets["triplet_id"], value_set=wanted))
    return {row["triplet_id"]: row for row in mine.select(list(FACTS)).to_pylist()}


def _homes(side: Side, rows: Sequence[Row]) -> dict[str, str]:
    """The document of each gold chunk."""
    wanted = pa.array(sorted({name for row in rows for name in row["chunk_ids"]}), pa.string())
    mine = side.chunks.filter(pc.is_in(side.chunks["chunk_id"], value_set=wanted))
    return dict(zip(mine["chunk_id"].to_pylist(), mine["doc_id"].to_pylist(), strict=True))


def _made_of(pattern: str, names: Sequence[str]) -> Hashable | None:
    return (pattern, *sorted(names[:-1]), names[-1]) if names else None


def _asked(row: Row, facts: Mapping[str, Row]) -> Hashable | None:
    """What is asked, by its facts without its answer; None where that is not to be told."""
    known = [facts.get(name) for name in row["triplet_ids"]]
    if not known or None in known:
        return None
    told = [(*thing(fact), said(fact)) for fact in known[:-1] if fact]
    last = known[-1]
    assert last is not None
    subject, relation, period = thing(last)
    if row["answer"] == last["subject"]:
        end = ("", relation, period, said(last))
    elif row["answer"] in (last["answer"], last["object"]):
        end = (subject, relation, period, "")
    else:
        return None
    return (row["pattern"], row["language"], *sorted(told), end)


def _beside(was: Row, now: Row, old_homes: Mapping[str, str], new_homes: Mapping[str, str]) -> Change:
    """One question as it was and as it is."""
    ids = was["question_id"], now["question_id"]
    beside = [name for name in BESIDE if was[name] != now[name]]
    told = [
        f"{name}: {was[name]} → {now[name]}" if name != "aliases" else "other forms of the answer" for name in beside
    ]
    if not _same_answer(was, now):
        told += [f"now proved by: {now['evidence'][-1]}"] if now["evidence"] else []
        return _change("answer_changed", now, *ids, new_homes, was["answer"], now["answer"], "; ".join(told))
    if was["answer"] != now["answer"]:
        told.append(f"the answer is written {now['answer']!r}, it was {was['answer']!r}")
    if was["text"] != now["text"]:
        return _change("reworded", now, *ids, new_homes, was["text"], now["text"], "; ".join(told))
    if any(was[name] != now[name] for name in ("evidence", "evidence_spans", "chunk_ids")):
        from_, to = (sorted({homes.get(name, "") for name in row["chunk_ids"]})
                     for row, homes in ((was, old_homes), (now, new_homes)))  # fmt: skip
        told = [_moved(was, now, from_, to), *told]
        before, after = ("\n".join(row["evidence"]) for row in (was, now))
        return _change("evidence_moved", now, *ids, new_homes, before, after, "; ".join(told))
    return _change("unchanged", now, *ids, new_homes, now["answer"], now["answer"], "; ".join(told))


def _moved(was: Row, now: Row, old: Sequence[str], new: Sequence[str]) -> str:
    if old != new:
        return f"from {', '.join(old)} to {', '.join(new)}"
    if was["evidence"] != now["evidence"]:
        return "other sentences"
    return "another place in its chunk" if was["chunk_ids"] == now["chunk_ids"] else "another chunk"


def _same_answer(was: Row, now: Row) -> bool:
    """The same, or one a form of the other."""
    return bool(was["answer"] == now["answer"] or was["answer"] in now["aliases"] or now["answer"] in was["aliases"])


class _Why:
    """Why a question is not asked any more."""

    def __init__(self, new: Side, gone: Sequence[Row], facts: Iterable[Change], homes: Mapping[str, str]) -> None:
        names = pa.array([row["question_id"] for row in gone], pa.string())
        mine = new.questions.filter(pc.is_in(new.questions["question_id"], value_set=names))
        self.refused = dict(zip(mine["question_id"].to_pylist(), mine["rejected_because"].to_pylist(), strict=True))
        self.documents = set(new.documents["doc_id"].to_pylist()) if gone else set()
        self.fate = {one.old_id: one for one in facts if one.old_id} if gone else {}
        self.homes = homes

    def of(self, row: Row) -> str:
        """In words."""
        if reason := self.refused.get(row["question_id"]):
            return f"rejected now: {reason}"
        lost = sorted(
            {home for name in row["chunk_ids"] if (home := self.homes.get(name)) not in self.documents and home}
        )
        if lost:
            return f"its document is gone: {', '.join(lost)}"
        fates = [self.fate[name] for name in row["triplet_ids"] if name in self.fate]
        told = [f"{one.about}: {one.before} → {one.after}" for one in fates if one.change == "restated"]
        told += [f"{one.about}: {one.detail or 'stated no more'}" for one in fates if one.change == "gone"]
        return "; ".join(told) or "its facts stand; others were drawn"


def _change(
    what: str, row: Row, old_id: str, new_id: str, homes: Mapping[str, str],
    before: str = "", after: str = "", detail: str = "",
) -> Change:  # fmt: skip
    doc_id = next((homes[name] for name in reversed(row["chunk_ids"]) if name in homes), "")
    return Change(
        "", "questions", what, old_id, new_id, doc_id, about=row["text"], before=before, after=after, detail=detail
    )
