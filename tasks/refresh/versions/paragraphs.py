"""What was done to a document's text: paragraphs and rows of tables edited, moved, added and removed."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.matched import pairs
from rarefy.tasks.refresh.versions.order import displaced
from rarefy.tasks.refresh.versions.sections import Sections, by_section
from rarefy.tasks.refresh.versions.similar import similar

ABOUT = {"text": "paragraph", "table": "row of a table"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, or a row of a table."""

    place: int  # in its document
    section: str
    kind: str
    text: str


def paragraphs(doc_id: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """What was done to the text of one document; `old` and `new` have its text and blocks."""
    before, after = list(_units(old)), list(_units(new))
    sections = Sections(
        *(by_section(doc, ((u.section, u.text) for u in units)) for doc, units in ((old, before), (new, after)))
    )
    yield from sections.changes(doc_id)
    names = sections.renamed  # as it is called now
    before = [replace(unit, section=names.get(unit.section, unit.section)) for unit in before]
    kept = pairs(before, after, lambda unit: (unit.section, unit.kind, unit.text))
    for was, now in _displaced(kept, sections.moved):
        yield _change("moved", doc_id, was, now, "within the section")
    before, after = _left(before, after, kept)
    moved = pairs(before, after, lambda unit: (unit.kind, unit.text) if len(unit.text) > 1 else None)
    for was, now in sorted(moved, key=lambda pair: pair[1].place):
        yield _change(
            "moved", doc_id, was, now, f"from {was.section or 'the front'!r} to {now.section or 'the front'!r}"
        )
    before, after = _left(before, after, moved)
    edited = list(_edited(before, after))
    for was, now in edited:
        yield _change("edited", doc_id, was, now)
    before, after = _left(before, after, edited)
    yield from (_change("removed", doc_id, was, None) for was in before if was.section not in sections.deleted)
    yield from (_change("added", doc_id, None, now) for now in after if now.section not in sections.added)


def _units(document: Mapping[str, Any]) -> Iterator[Unit]:
    """Its paragraphs and the rows of its tables; headings are what sections are told by."""
    place = 0
    for block in document["blocks"]:
        text = document["text"][block["start"] : block["end"]]
        parts = text.splitlines() if block["kind"] == "table" else [text]
        for part in parts:
            words = " ".join(part.split())
            if block["kind"] != "heading" and words.strip("|-: "):
                yield Unit(place, block["section"], block["kind"], words)
                place += 1


def _change(what: str, doc_id: str, was: Unit | None, now: Unit | None, detail: str = "") -> Change:
    at = now or was
    assert at is not None
    return Change(
        "", "paragraphs", what, doc_id=doc_id, section=at.section, about=ABOUT.get(at.kind, at.kind),
        before=was.text if was else "", after=now.text if now else "", detail=detail,
    )  # fmt: skip


def _left(
    before: Sequence[Unit], after: Sequence[Unit], found: Sequence[tuple[Unit, Unit]]
) -> tuple[list[Unit], list[Unit]]:
    """What has no partner yet."""
    old, new = {was.place for was, _ in found}, {now.place for _, now in found}
    return [unit for unit in before if unit.place not in old], [unit for unit in after if unit.place not in new]


def _displaced(kept: Sequence[tuple[Unit, Unit]], moved: set[str]) -> Iterator[tuple[Unit, Unit]]:
    """Those that stand elsewhere among the paragraphs of their section, but where all of it moved."""
    by: dict[str, list[tuple[Unit, Unit]]] = defaultdict(list)
    for was, now in sorted(kept, key=lambda pair: pair[1].place):
        by[now.section].append((was, now))
    for section, its in by.items():
        if section not in moved:
            yield from (its[at] for at in sorted(displaced([was.place for was, _ in its])))


def _edited(before: Sequence[Unit], after: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """What stands in the place of something similar, section by section."""
    old: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    new: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for units, by in ((before, old), (after, new)):
        for unit in units:
            by[unit.section, unit.kind].append(unit)
    for key, its in new.items():
        left, right = old.get(key, []), its
        for was, now in similar([unit.text for unit in left], [unit.text for unit in right]):
            yield left[was], right[now]
