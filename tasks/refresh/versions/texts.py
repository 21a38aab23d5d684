"""Compare the texts of one document in two versions: sections, paragraphs and rows of tables."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rarefy.data_contracts.rows import Change, Place
from rarefy.tasks.corpus.places import PlaceIndex
from rarefy.tasks.refresh.versions.matching import find_displaced, pair_by_key, pair_similar_texts

MAX_TEXT = 2_000  # characters of a section that are told
MIN_SHARED_PARAGRAPHS = 0.6  # of a section's paragraphs under another heading: below that it is another section
SEPARATOR = " > "
UNIT_NAMES = {"text": "paragraph", "table": "row of a table"}


@dataclass(frozen=True, slots=True)
class Unit:
    """A paragraph, or a row of a table."""

    place: int  # in its document
    section: str
    kind: str
    text: str
    shown_at: str = ""  # in the document's source: "page 3", "Sheet1!A7:F7"


def compare_paragraphs(doc_id: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """The changes within one document; `old` and `new` have its text, blocks and places."""
    before, after = list(_split_units(old)), list(_split_units(new))
    sections = SectionChanges(
        *(group_by_section(doc, ((u.section, u.text) for u in units)) for doc, units in ((old, before), (new, after)))
    )
    yield from sections.changes(doc_id)
    names = sections.renamed  # as it is called now
    before = [replace(unit, section=names.get(unit.section, unit.section)) for unit in before]
    kept = pair_by_key(before, after, lambda unit: (unit.section, unit.kind, unit.text))
    for was, now in _moved_within_sections(kept, sections.moved):
        yield _unit_change("moved", doc_id, was, now, "within the section")
    before, after = _drop_paired_units(before, after, kept)
    moved = pair_by_key(before, after, lambda unit: (unit.kind, unit.text) if len(unit.text) > 1 else None)
    for was, now in sorted(moved, key=lambda pair: pair[1].place):
        yield _unit_change(
            "moved", doc_id, was, now, f"from {was.section or 'the front'!r} to {now.section or 'the front'!r}"
        )
    before, after = _drop_paired_units(before, after, moved)
    edited = list(_pair_edited(before, after))
    for was, now in edited:
        yield _unit_change("edited", doc_id, was, now)
    before, after = _drop_paired_units(before, after, edited)
    yield from (_unit_change("removed", doc_id, was, None) for was in before if was.section not in sections.deleted)
    yield from (_unit_change("added", doc_id, None, now) for now in after if now.section not in sections.added)


def _split_units(document: Mapping[str, Any]) -> Iterator[Unit]:
    """The paragraphs of a document and the rows of its tables; headings are left to the sections."""
    place = 0
    places = PlaceIndex([Place(**row) for row in document["places"]])
    for block in document["blocks"]:
        text = document["text"][block["start"] : block["end"]]
        parts = text.splitlines(keepends=True) if block["kind"] == "table" else [text]
        end = block["start"]
        for part in parts:
            start, end = end, end + len(part)
            words = " ".join(part.split())
            if block["kind"] != "heading" and words.strip("|-: "):
                yield Unit(place, block["section"], block["kind"], words, places.name(start, end))
                place += 1


def _unit_change(what: str, doc_id: str, was: Unit | None, now: Unit | None, detail: str = "") -> Change:
    at = now or was
    assert at is not None
    return Change(
        "", "paragraphs", what, doc_id=doc_id, section=at.section, place=at.shown_at,
        about=UNIT_NAMES.get(at.kind, at.kind), detail=detail,
        before=was.text if was else "", after=now.text if now else "",
    )  # fmt: skip


def _drop_paired_units(
    before: Sequence[Unit], after: Sequence[Unit], pairs: Sequence[tuple[Unit, Unit]]
) -> tuple[list[Unit], list[Unit]]:
    """The old and the new units that are in none of the pairs."""
    old, new = {was.place for was, _ in pairs}, {now.place for _, now in pairs}
    return [unit for unit in before if unit.place not in old], [unit for unit in after if unit.place not in new]


def _moved_within_sections(kept: Sequence[tuple[Unit, Unit]], moved: set[str]) -> Iterator[tuple[Unit, Unit]]:
    """Pairs that changed places within their section, unless the whole section moved."""
    by: dict[str, list[tuple[Unit, Unit]]] = defaultdict(list)
    for was, now in sorted(kept, key=lambda pair: pair[1].place):
        by[now.section].append((was, now))
    for section, its in by.items():
        if section not in moved:
            yield from (its[at] for at in sorted(find_displaced([was.place for was, _ in its])))


def _pair_edited(before: Sequence[Unit], after: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Pairs of similar units, section by section."""
    old: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    new: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for units, by in ((before, old), (after, new)):
        for unit in units:
            by[unit.section, unit.kind].append(unit)
    for key, its in new.items():
        left, right = old.get(key, []), its
        for was, now in pair_similar_texts([unit.text for unit in left], [unit.text for unit in right]):
            yield left[was], right[now]


class SectionChanges:
    """The sections of two versions: which were added, deleted, renamed or moved."""

    def __init__(self, old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
        self.old, self.new = old, new
        gone = [name for name in self.old if name and name not in self.new]
        came = [name for name in self.new if name and name not in self.old]
        self.renamed = dict(self._same(gone, came))
        for was, now in [*self.renamed.items()]:
            self.renamed |= self._parents(was, now, {*gone} - {*self.renamed}, {*came} - {*self.renamed.values()})
        self.deleted = {name for name in gone if name not in self.renamed}
        self.added = set(came) - set(self.renamed.values())
        there = {name: at for at, name in enumerate(self.renamed.get(name, name) for name in self.old)}
        kept = [name for name in self.new if name in there]
        self.moved = {kept[at] for at in find_displaced([there[name] for name in kept])} - {""}

    def _same(self, gone: Sequence[str], came: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Pairs of sections whose paragraphs are for the most part the same under another heading."""
        holders: dict[str, list[str]] = defaultdict(list)
        for name in gone:
            for text in self.old[name]:
                holders[text].append(name)
        taken = set[str]()
        for name in came:
            shared = Counter(
                holder for text in self.new[name] for holder in holders.get(text, ()) if holder not in taken
            )
            for best, count in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:1]:
                if count >= MIN_SHARED_PARAGRAPHS * max(len(self.new[name]), len(self.old[best])):
                    taken.add(best)
                    yield best, name

    @staticmethod
    def _parents(was: str, now: str, gone: set[str], came: set[str]) -> Iterator[tuple[str, str]]:
        """Headings without text of their own are renamed where those below them are."""
        while was.rpartition(SEPARATOR)[2] == now.rpartition(SEPARATOR)[2]:
            was, now = was.rpartition(SEPARATOR)[0], now.rpartition(SEPARATOR)[0]
            if was not in gone or now not in came:
                break
            yield was, now

    def changes(self, doc_id: str) -> Iterator[Change]:
        """A row for each section that changed, with all that stands below it."""

        def row(what: str, name: str, before: str = "", after: str = "", detail: str = "") -> Change:
            return Change("", "sections", what, doc_id=doc_id, section=name, about=name.rpartition(SEPARATOR)[2],
                          before=before, after=after, detail=detail)  # fmt: skip

        for name in _topmost(self.deleted):
            yield row(
                "deleted",
                name,
                before=_section_text(self.old, name, self.deleted),
                detail=_section_size(self.old, name, self.deleted),
            )
        for was, now in self.renamed.items():
            if not any(now == f"{self.renamed.get(up)}{was[len(up) :]}" for up in _parents_of(was)):
                yield row("renamed", now, before=was, after=now)
        for name in _topmost(self.moved):
            yield row("moved", name, detail=_section_size(self.new, name, self.moved))
        for name in _topmost(self.added):
            yield row(
                "added",
                name,
                after=_section_text(self.new, name, self.added),
                detail=_section_size(self.new, name, self.added),
            )


def group_by_section(document: Mapping[str, Any], paragraphs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The paragraphs of each section in their order; a heading without text has none."""
    found: dict[str, list[str]] = {}
    for block in document["blocks"]:
        name = block["section"]
        if block["kind"] == "heading":
            title = " ".join(document["text"][block["start"] : block["end"]].lstrip("# ").split())
            name = f"{name}{SEPARATOR}{title}" if name else title
        found.setdefault(name, [])
    for section, text in paragraphs:
        found.setdefault(section, []).append(text)
    return found


def _parents_of(name: str) -> Iterator[str]:
    parts = name.split(SEPARATOR)
    return (SEPARATOR.join(parts[:depth]) for depth in range(1, len(parts)))


def _topmost(names: set[str]) -> list[str]:
    """The sections that stand below none of the others, sorted."""
    return sorted(name for name in names if names.isdisjoint(_parents_of(name)))


def _paragraphs_under(sections: Mapping[str, list[str]], name: str, among: set[str]) -> list[str]:
    """The paragraphs of a section and of those `among` the sections that stand below it."""
    inside = (other for other in sections if other == name or (other in among and other.startswith(name + SEPARATOR)))
    return [text for other in inside for text in sections[other]]


def _section_text(sections: Mapping[str, list[str]], name: str, among: set[str]) -> str:
    text = "\n".join(_paragraphs_under(sections, name, among))
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _section_size(sections: Mapping[str, list[str]], name: str, among: set[str]) -> str:
    count = len(_paragraphs_under(sections, name, among))
    return f"{count:,} paragraph{'s' * (count != 1)}"
