"""What was done to a document's sections: which came, went, are called otherwise, or stand elsewhere."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.order import displaced

LONG = 2_000  # characters of a section that are told
SAME = 0.6  # of a section's paragraphs under another heading: below that it is another section
DEEPER = " > "


class Sections:
    """The sections of both sides: which came, went, were called otherwise, or stand elsewhere."""

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
        self.moved = {kept[at] for at in displaced([there[name] for name in kept])} - {""}

    def _same(self, gone: Sequence[str], came: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Sections whose paragraphs are for the most part the same under another heading."""
        holders: dict[str, list[str]] = defaultdict(list)
        for name in gone:
            for text in self.old[name]:
                holders[text].append(name)
        taken = set[str]()
        for name in came:
            shared = Counter(
                holder for text in self.new[name] for holder in holders.get(text, ()) if holder not in taken
            )
            for best, count in sorted(shared.items(), key=lambda one: (-one[1], one[0]))[:1]:
                if count >= SAME * max(len(self.new[name]), len(self.old[best])):
                    taken.add(best)
                    yield best, name

    @staticmethod
    def _parents(was: str, now: str, gone: set[str], came: set[str]) -> Iterator[tuple[str, str]]:
        """Headings that have no text of their own are called otherwise where those below them are."""
        while was.rpartition(DEEPER)[2] == now.rpartition(DEEPER)[2]:
            was, now = was.rpartition(DEEPER)[0], now.rpartition(DEEPER)[0]
            if was not in gone or now not in came:
                break
            yield was, now

    def changes(self, doc_id: str) -> Iterator[Change]:
        """The sections that changed, each with all that stands below it."""

        def row(what: str, name: str, before: str = "", after: str = "", detail: str = "") -> Change:
            return Change("", "sections", what, doc_id=doc_id, section=name, about=name.rpartition(DEEPER)[2],
                          before=before, after=after, detail=detail)  # fmt: skip

        for name in _topmost(self.deleted):
            yield row(
                "deleted", name, before=_text(self.old, name, self.deleted), detail=_size(self.old, name, self.deleted)
            )
        for was, now in self.renamed.items():
            if not any(now == f"{self.renamed.get(up)}{was[len(up) :]}" for up in _above(was)):
                yield row("renamed", now, before=was, after=now)
        for name in _topmost(self.moved):
            yield row("moved", name, detail=_size(self.new, name, self.moved))
        for name in _topmost(self.added):
            yield row("added", name, after=_text(self.new, name, self.added), detail=_size(self.new, name, self.added))


def by_section(document: Mapping[str, Any], paragraphs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The paragraphs of each section in their order, and of those without any that there is such a heading."""
    found: dict[str, list[str]] = {}
    for block in document["blocks"]:
        name = block["section"]
        if block["kind"] == "heading":
            title = " ".join(document["text"][block["start"] : block["end"]].lstrip("# ").split())
            name = f"{name}{DEEPER}{title}" if name else title
        found.setdefault(name, [])
    for section, text in paragraphs:
        found.setdefault(section, []).append(text)
    return found


def _above(name: str) -> Iterator[str]:
    parts = name.split(DEEPER)
    return (DEEPER.join(parts[:depth]) for depth in range(1, len(parts)))


def _topmost(names: set[str]) -> list[str]:
    """Those that stand below none of the others, in their order."""
    return sorted(name for name in names if names.isdisjoint(_above(name)))


def _below(sections: Mapping[str, list[str]], name: str, among: set[str]) -> list[str]:
    return [text for one, texts in sections.items() if one == name or (one in among and one.startswith(name + DEEPER))
            for text in texts]  # fmt: skip


def _text(sections: Mapping[str, list[str]], name: str, among: set[str]) -> str:
    told = "\n".join(_below(sections, name, among))
    return told if len(told) <= LONG else f"{told[:LONG]}…"


def _size(sections: Mapping[str, list[str]], name: str, among: set[str]) -> str:
    count = len(_below(sections, name, among))
    return f"{count:,} paragraph{'s' * (count != 1)}"
