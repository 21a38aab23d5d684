"""Compare the facts of two versions and the questions asked of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import LITERALS, Change
from rarefy.tasks.refresh.versions.matching import (
    Row,
    drop_paired_rows,
    is_different,
    match_rows,
    pair_by_key,
    select_accepted,
)

TRIPLET_COLUMNS = (
    "triplet_id", "chunk_id", "doc_id", "subject", "relation", "object", "object_type", "answer", "value", "unit",
    "period", "subject_key", "relation_key", "object_key", "superseded_by", "place", "rejected_because",
)  # fmt: skip
QUESTION_COLUMNS = (
    "question_id", "pattern", "text", "answer", "aliases", "triplet_ids", "chunk_ids", "evidence", "evidence_spans",
    "evidence_places", "language", "split", "retrievable", "alternatives",
)  # fmt: skip
FACT_COLUMNS = (
    "triplet_id", "subject", "relation", "object", "object_type", "answer", "value", "unit", "period", "subject_key",
    "relation_key", "object_key", "superseded_by", "rejected_because",
)  # fmt: skip
DETAILS = ("aliases", "split", "retrievable")  # that may be another although the question is the same
FactKey = tuple[str, str, str]
ValueCounts = Mapping[FactKey, Counter[str]]


def compare_triplets(old: pa.Table, new: pa.Table, now: Mapping[str, str]) -> tuple[list[Change], int]:
    """The changes of accepted facts, and how many are unchanged; `now` maps old doc_ids to new ones."""
    rejected = new.filter(pc.not_equal(new["rejected_because"], ""))
    old, new = select_accepted(old), select_accepted(new)
    both = match_rows(old, new, "triplet_id", TRIPLET_COLUMNS[1:])
    other = is_different(both, "object", "period", "answer")
    restated = list(zip(both.old.filter(other).to_pylist(), both.new.filter(other).to_pylist(), strict=True))
    gone, added = _fact_rows(both.gone), _fact_rows(both.added)
    moved = pair_by_key(
        gone, added,
        lambda row: (now.get(row["doc_id"], row["doc_id"]), *fact_key(row), fact_value(row)),
        lambda row: (*fact_key(row), fact_value(row)),
    )  # fmt: skip
    gone, added = drop_paired_rows(gone, added, moved, "triplet_id")
    against = _now_rejected(rejected, gone)
    heirs = pair_by_key(
        gone, added, lambda row: against.get(row["triplet_id"], row)["superseded_by"] or row["triplet_id"]
    )
    gone, added = drop_paired_rows(gone, added, heirs, "triplet_id")
    stated = (_count_values(old, gone), _count_values(new, [*gone, *added]))
    others = pair_by_key(gone, added, *_single_value_keys(gone, added, stated, now))
    gone, added = drop_paired_rows(gone, added, others, "triplet_id")
    rows = [_pair_change("restated", was, is_) for was, is_ in (*restated, *heirs, *others)]
    rows += [_pair_change("moved", was, is_) for was, is_ in moved]
    for row in gone:
        why = against[row["triplet_id"]]["rejected_because"] if row["triplet_id"] in against else ""
        still = stated[1][fact_key(row)][fact_value(row)]
        detail = f"rejected now: {why}" if why else f"still stated {still:,} times elsewhere" if still else ""
        rows.append(_fact_change("gone", row, old_id=row["triplet_id"], before=_shown_value(row), detail=detail))
    rows += [_fact_change("added", row, new_id=row["triplet_id"], after=_shown_value(row)) for row in added]
    return rows, both.new.num_rows - len(restated)


def fact_key(row: Row) -> FactKey:
    """Subject, relation and period of a fact: what it is about."""
    return row["subject_key"] or row["subject"], row["relation_key"] or row["relation"], row["period"]


def fact_value(row: Row) -> str:
    """The object of a fact: value and unit where it is a number, else the key or name."""
    if row["object_type"] in LITERALS:
        return f"{row['value']} {row['unit']}" if row["value"] else str(row["object"])
    return str(row["object_key"] or row["object"])


def _fact_rows(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.select(list(TRIPLET_COLUMNS)).to_pylist()
    return sorted(rows, key=lambda row: str(row["triplet_id"]))


def _now_rejected(rejected: pa.Table, gone: Sequence[Row]) -> dict[str, Row]:
    """The new rows of facts that were accepted and are rejected now, by triplet_id."""
    names = pa.array([row["triplet_id"] for row in gone], pa.string())
    mine = rejected.filter(pc.is_in(rejected["triplet_id"], value_set=names))
    rows: list[Row] = mine.select(["triplet_id", "superseded_by", "rejected_because"]).to_pylist()
    return {row["triplet_id"]: row for row in rows}


def _count_values(table: pa.Table, about: Sequence[Row]) -> ValueCounts:
    """How often each object is stated of the subjects, relations and periods of these facts."""
    subjects = pa.array(sorted({row["subject"] for row in about} | {row["subject_key"] for row in about}), pa.string())
    mine = pc.or_(pc.is_in(table["subject_key"], subjects), pc.is_in(table["subject"], subjects))
    found: dict[FactKey, Counter[str]] = defaultdict(Counter)
    for row in table.select(list(TRIPLET_COLUMNS)).filter(mine).to_pylist():
        found[fact_key(row)][fact_value(row)] += 1
    return found


def _single_value_keys(
    gone: Sequence[Row], added: Sequence[Row], stated: Sequence[ValueCounts], now: Mapping[str, str]
) -> Iterator[Callable[[Row], Hashable | None]]:
    """Keys by which one fact restates another: one of the same document first, then of any.

    Where a relation has several objects ("includes"), a new one restates none that is gone; a number does, where it is
    the only new one and the other the only one that is gone.
    """
    changed = [defaultdict(set) for _ in range(2)]  # type: list[dict[FactKey, set[str]]]
    for side, rows in zip(changed, (gone, added), strict=True):
        for row in rows:
            side[fact_key(row)].add(fact_value(row))

    def single(row: Row) -> bool:
        of = changed if row["value"] else stated
        return all(len(side.get(fact_key(row), ())) == 1 for side in of)

    yield lambda row: (now.get(row["doc_id"], row["doc_id"]), *fact_key(row)) if single(row) else None
    yield lambda row: fact_key(row) if single(row) else None


def _shown_value(row: Row) -> str:
    return str(row["answer"] or row["object"])


def _pair_change(what: str, was: Row, now: Row) -> Change:
    told = {
        "old_id": was["triplet_id"],
        "new_id": now["triplet_id"],
        "before": _shown_value(was),
        "after": _shown_value(now),
    }
    detail = f"from {was['doc_id']}" if was["doc_id"] != now["doc_id"] else ""
    return _fact_change(what, now, detail=detail, **told)


def _fact_change(what: str, row: Row, **told: str) -> Change:
    about = " · ".join(filter(None, (row["subject"], row["relation"], row["period"])))
    return Change("", "triplets", what, doc_id=row["doc_id"], place=row["place"], about=about, **told)


@dataclass(frozen=True)
class QuestionTables:
    """The tables of one benchmark that its questions are compared by."""

    questions: pa.Table
    triplets: pa.Table
    chunks: pa.Table
    documents: pa.Table


def compare_questions(old: QuestionTables, new: QuestionTables, facts: Iterable[Change]) -> list[Change]:
    """A row for each accepted question, what became of it; `facts` are the changes of triplets.

    The same question is one of the same name, else of the same words, else one that asks the same of the same facts
    (those that superseded them count as the same), whatever its words.
    """
    before, after = _question_rows(old), _question_rows(new)
    same = pair_same_questions(before, after)
    gone, added = drop_paired_rows(before, after, same, "question_id")
    were, are = _question_facts(old, gone), _question_facts(new, [*gone, *added])
    for row in gone:
        followed = [are[name]["superseded_by"] or name if name in are else name for name in row["triplet_ids"]]
        row["facts"], row["asked"] = _facts_key(row["pattern"], followed), _asked_key(row, were)
    for row in added:
        row["facts"], row["asked"] = _facts_key(row["pattern"], row["triplet_ids"]), _asked_key(row, are)
    others = pair_by_key(gone, added, lambda row: row["facts"], lambda row: row["asked"])
    gone, added = drop_paired_rows(gone, added, others, "question_id")
    homes = _chunk_documents(old, before), _chunk_documents(new, after)
    rows = [_compare_pair(was, now, *homes) for was, now in (*same, *others)]
    why = _RetirementReasons(new, gone, facts, homes[0])
    for row in gone:
        rows.append(
            _question_change("retired", row, row["question_id"], "", homes[0], before=row["answer"], detail=why.of(row))
        )
    rows += [_question_change("added", row, "", row["question_id"], homes[1], after=row["answer"]) for row in added]
    return rows


def pair_same_questions(old: Iterable[Row], new: Iterable[Row]) -> list[tuple[Row, Row]]:
    """Pair the questions of two versions by name, and what is left of them by their words."""
    return pair_by_key(old, new, lambda row: row["question_id"], lambda row: (row["language"], row["text"]))


def _question_rows(side: QuestionTables) -> list[Row]:
    rows: list[Row] = select_accepted(side.questions).select(list(QUESTION_COLUMNS)).to_pylist()
    return sorted(rows, key=lambda row: str(row["question_id"]))


def _question_facts(side: QuestionTables, rows: Sequence[Row]) -> dict[str, Row]:
    """The facts of these questions, rejected ones too, by triplet_id."""
    wanted = pa.array(sorted({name for row in rows for name in row["triplet_ids"]}), pa.string())
    mine = side.triplets.filter(pc.is_in(side.triplets["triplet_id"], value_set=wanted))
    return {row["triplet_id"]: row for row in mine.select(list(FACT_COLUMNS)).to_pylist()}


def _chunk_documents(side: QuestionTables, rows: Sequence[Row]) -> dict[str, str]:
    """The document of each gold chunk."""
    wanted = pa.array(sorted({name for row in rows for name in row["chunk_ids"]}), pa.string())
    mine = side.chunks.filter(pc.is_in(side.chunks["chunk_id"], value_set=wanted))
    return dict(zip(mine["chunk_id"].to_pylist(), mine["doc_id"].to_pylist(), strict=True))


def _facts_key(pattern: str, names: Sequence[str]) -> Hashable | None:
    return (pattern, *sorted(names[:-1]), names[-1]) if names else None


def _asked_key(row: Row, facts: Mapping[str, Row]) -> Hashable | None:
    """What is asked, by its facts without its answer; None where that is not known."""
    known = [facts.get(name) for name in row["triplet_ids"]]
    if not known or None in known:
        return None
    given = [(*fact_key(fact), fact_value(fact)) for fact in known[:-1] if fact]
    last = known[-1]
    assert last is not None
    subject, relation, period = fact_key(last)
    if row["answer"] == last["subject"]:
        end = ("", relation, period, fact_value(last))
    elif row["answer"] in (last["answer"], last["object"]):
        end = (subject, relation, period, "")
    else:
        return None
    return (row["pattern"], row["language"], *sorted(given), end)


def _compare_pair(was: Row, now: Row, old_homes: Mapping[str, str], new_homes: Mapping[str, str]) -> Change:
    """The row of a question that is in both benchmarks."""
    ids = was["question_id"], now["question_id"]
    differing = [name for name in DETAILS if was[name] != now[name]]
    details = [
        f"{name}: {was[name]} → {now[name]}" if name != "aliases" else "other forms of the answer" for name in differing
    ]
    others = [sum(map(len, row["alternatives"])) for row in (was, now)]
    if others[0] != others[1]:
        details.append(f"passages that state the same: {others[0]} → {others[1]}")
    if not is_same_answer(was, now):
        details += [f"now proved by: {now['evidence'][-1]}"] if now["evidence"] else []
        return _question_change(
            "answer_changed", now, *ids, new_homes, was["answer"], now["answer"], "; ".join(details)
        )
    if was["answer"] != now["answer"]:
        details.append(f"the answer is written {now['answer']!r}, it was {was['answer']!r}")
    if was["text"] != now["text"]:
        return _question_change("reworded", now, *ids, new_homes, was["text"], now["text"], "; ".join(details))
    if any(was[name] != now[name] for name in ("evidence", "evidence_spans", "chunk_ids")):
        from_, to = (sorted({homes.get(name, "") for name in row["chunk_ids"]})
                     for row, homes in ((was, old_homes), (now, new_homes)))  # fmt: skip
        details = [_describe_move(was, now, from_, to), *details]
        before, after = ("\n".join(row["evidence"]) for row in (was, now))
        return _question_change("evidence_moved", now, *ids, new_homes, before, after, "; ".join(details))
    return _question_change("unchanged", now, *ids, new_homes, now["answer"], now["answer"], "; ".join(details))


def _describe_move(was: Row, now: Row, old: Sequence[str], new: Sequence[str]) -> str:
    if old != new:
        return f"from {', '.join(old)} to {', '.join(new)}"
    if was["evidence"] != now["evidence"]:
        return "other sentences"
    return "another place in its chunk" if was["chunk_ids"] == now["chunk_ids"] else "another chunk"


def is_same_answer(was: Row, now: Row) -> bool:
    """Is the answer the same, or one an alias of the other?"""
    return bool(was["answer"] == now["answer"] or was["answer"] in now["aliases"] or now["answer"] in was["aliases"])


class _RetirementReasons:
    """Finds the reason why a question is not asked any more."""

    def __init__(
        self, new: QuestionTables, gone: Sequence[Row], facts: Iterable[Change], homes: Mapping[str, str]
    ) -> None:
        names = pa.array([row["question_id"] for row in gone], pa.string())
        mine = new.questions.filter(pc.is_in(new.questions["question_id"], value_set=names))
        self.refused = dict(zip(mine["question_id"].to_pylist(), mine["rejected_because"].to_pylist(), strict=True))
        self.documents = set(new.documents["doc_id"].to_pylist()) if gone else set()
        self.fate = {change.old_id: change for change in facts if change.old_id} if gone else {}
        self.homes = homes

    def of(self, row: Row) -> str:
        """The reason of one question, in words."""
        if reason := self.refused.get(row["question_id"]):
            return f"rejected now: {reason}"
        lost = sorted(
            {home for name in row["chunk_ids"] if (home := self.homes.get(name)) not in self.documents and home}
        )
        if lost:
            return f"its document is gone: {', '.join(lost)}"
        fates = [self.fate[name] for name in row["triplet_ids"] if name in self.fate]
        reasons = [f"{fate.about}: {fate.before} → {fate.after}" for fate in fates if fate.change == "restated"]
        reasons += [f"{fate.about}: {fate.detail or 'stated no more'}" for fate in fates if fate.change == "gone"]
        return "; ".join(reasons) or "its facts stand; others were drawn"


def _question_change(
    what: str, row: Row, old_id: str, new_id: str, homes: Mapping[str, str],
    before: str = "", after: str = "", detail: str = "",
) -> Change:  # fmt: skip
    doc_id = next((homes[name] for name in reversed(row["chunk_ids"]) if name in homes), "")
    place = row["evidence_places"][-1] if row["evidence_places"] else ""
    return Change(
        "", "questions", what, old_id, new_id, doc_id, place=place, about=row["text"],
        before=before, after=after, detail=detail,
    )  # fmt: skip
