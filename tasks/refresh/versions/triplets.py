"""What became of facts: the same one at another place, one with another value, one that nothing states any more."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import LITERALS, Change
from rarefy.tasks.refresh.versions.matched import Row, accepted, differs, matched, pairs

COLUMNS = (
    "triplet_id", "chunk_id", "doc_id", "subject", "relation", "object", "object_type", "answer", "value", "unit",
    "period", "subject_key", "relation_key", "object_key", "superseded_by", "rejected_because",
)  # fmt: skip

Thing = tuple[str, str, str]
Said = Mapping[Thing, Counter[str]]


def triplets(old: pa.Table, new: pa.Table, now: Mapping[str, str]) -> tuple[list[Change], int]:
    """What became of each accepted fact, and how many stand; `now` are the new names of documents."""
    rejected = new.filter(pc.not_equal(new["rejected_because"], ""))
    old, new = accepted(old), accepted(new)
    both = matched(old, new, "triplet_id", COLUMNS[1:])
    other = differs(both, "object", "period", "answer")
    restated = list(zip(both.old.filter(other).to_pylist(), both.new.filter(other).to_pylist(), strict=True))
    gone, added = _rows(both.gone), _rows(both.added)
    moved = pairs(
        gone, added,
        lambda row: (now.get(row["doc_id"], row["doc_id"]), *thing(row), said(row)),
        lambda row: (*thing(row), said(row)),
    )  # fmt: skip
    gone, added = _left(gone, added, moved)
    against = _against(rejected, gone)
    heirs = pairs(gone, added, lambda row: against.get(row["triplet_id"], row)["superseded_by"] or row["triplet_id"])
    gone, added = _left(gone, added, heirs)
    stated = (_stated(old, gone), _stated(new, [*gone, *added]))
    others = pairs(gone, added, *_of_one_value(gone, added, stated, now))
    gone, added = _left(gone, added, others)
    rows = [_pair("restated", was, is_) for was, is_ in (*restated, *heirs, *others)]
    rows += [_pair("moved", was, is_) for was, is_ in moved]
    for row in gone:
        why = against[row["triplet_id"]]["rejected_because"] if row["triplet_id"] in against else ""
        still = stated[1][thing(row)][said(row)]
        detail = f"rejected now: {why}" if why else f"still stated {still:,} times elsewhere" if still else ""
        rows.append(_change("gone", row, old_id=row["triplet_id"], before=_value(row), detail=detail))
    rows += [_change("added", row, new_id=row["triplet_id"], after=_value(row)) for row in added]
    return rows, both.new.num_rows - len(restated)


def thing(row: Row) -> Thing:
    """What a fact is about: subject, relation and period."""
    return row["subject_key"] or row["subject"], row["relation_key"] or row["relation"], row["period"]


def said(row: Row) -> str:
    """What a fact says of it: the value where it is a number, in its unit, else the thing's key or name."""
    if row["object_type"] in LITERALS:
        return f"{row['value']} {row['unit']}" if row["value"] else str(row["object"])
    return str(row["object_key"] or row["object"])


def _rows(table: pa.Table) -> list[Row]:
    rows: list[Row] = table.select(list(COLUMNS)).to_pylist()
    return sorted(rows, key=lambda row: str(row["triplet_id"]))


def _left(gone: Sequence[Row], added: Sequence[Row], found: Iterable[tuple[Row, Row]]) -> tuple[list[Row], list[Row]]:
    taken = {(side, row["triplet_id"]) for pair in found for side, row in enumerate(pair)}
    left = [row for row in gone if (0, row["triplet_id"]) not in taken]
    return left, [row for row in added if (1, row["triplet_id"]) not in taken]


def _against(rejected: pa.Table, gone: Sequence[Row]) -> dict[str, Row]:
    """The rows that are rejected now, of those that were not."""
    names = pa.array([row["triplet_id"] for row in gone], pa.string())
    mine = rejected.filter(pc.is_in(rejected["triplet_id"], value_set=names))
    rows: list[Row] = mine.select(["triplet_id", "superseded_by", "rejected_because"]).to_pylist()
    return {row["triplet_id"]: row for row in rows}


def _stated(table: pa.Table, about: Sequence[Row]) -> Said:
    """All that is said of the same things, how often."""
    subjects = pa.array(sorted({row["subject"] for row in about} | {row["subject_key"] for row in about}), pa.string())
    mine = pc.or_(pc.is_in(table["subject_key"], subjects), pc.is_in(table["subject"], subjects))
    found: dict[Thing, Counter[str]] = defaultdict(Counter)
    for row in table.select(list(COLUMNS)).filter(mine).to_pylist():
        found[thing(row)][said(row)] += 1
    return found


def _of_one_value(
    gone: Sequence[Row], added: Sequence[Row], stated: Sequence[Said], now: Mapping[str, str]
) -> Iterator[Callable[[Row], Hashable | None]]:
    """Keys by which one fact restates another: that of its own document first, then of any.

    Of what has several values ("includes") one that comes restates none that goes; a number does, where it is the only
    one that comes and the other the only one that goes.
    """
    changed = [defaultdict(set) for _ in range(2)]  # type: list[dict[Thing, set[str]]]
    for side, rows in zip(changed, (gone, added), strict=True):
        for row in rows:
            side[thing(row)].add(said(row))

    def single(row: Row) -> bool:
        of = changed if row["value"] else stated
        return all(len(side.get(thing(row), ())) == 1 for side in of)

    yield lambda row: (now.get(row["doc_id"], row["doc_id"]), *thing(row)) if single(row) else None
    yield lambda row: thing(row) if single(row) else None


def _value(row: Row) -> str:
    return str(row["answer"] or row["object"])


def _pair(what: str, was: Row, now: Row) -> Change:
    told = {"old_id": was["triplet_id"], "new_id": now["triplet_id"], "before": _value(was), "after": _value(now)}
    detail = f"from {was['doc_id']}" if was["doc_id"] != now["doc_id"] else ""
    return _change(what, now, detail=detail, **told)


def _change(what: str, row: Row, **told: str) -> Change:
    about = " · ".join(filter(None, (row["subject"], row["relation"], row["period"])))
    return Change("", "triplets", what, doc_id=row["doc_id"], about=about, **told)
