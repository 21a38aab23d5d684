"""Which changes a page shows: the first of each class, and how many more there are."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.classes import WORDS
from rarefy.tasks.refresh.versions.compare import Changes
from rarefy.tasks.store.tables import NAME

FOLLOWS = ("chunks", "variants")  # what changes with the rest: counted, and not looked through


@dataclass(frozen=True)
class Class:
    """Rows of one kind that became the same."""

    kind: str
    change: str
    meaning: str
    count: int
    rows: tuple[Change, ...]  # the first of them

    @property
    def title(self) -> str:
        """The class as a person says it."""
        return f"{self.kind.capitalize()} {self.change.replace('_', ' ')}"

    @property
    def more(self) -> int:
        """How many are not shown; of what stands none is, but what something is to be said of."""
        return self.count - len(self.rows)


def shown(changes: Changes, most: int) -> Iterator[Class]:
    """Every class with something in it, with up to `most` of its rows."""
    by: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for row in changes.rows:
        rows = by[row.kind, row.change]
        if len(rows) < most and (row.change != "unchanged" or row.detail):
            rows.append(row)
    for kind, words in WORDS.items():
        for change, meaning in words.items():
            if count := changes.by_kind[kind][change]:
                yield Class(kind, change, meaning, count, tuple(by[kind, change]))


def shortened(text: str, most: int) -> str:
    """A text that is not too long to be read in a table."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def beside(before: str, after: str, most: int) -> tuple[str, str]:
    """Both texts, each up to `most` characters around the first difference of the two, … where something is left out.

    Cut from the start, a long paragraph with one other figure would read the same before and after.
    """
    if max(len(before), len(after)) <= most or not before or not after or before == after:
        return shortened(before, most), shortened(after, most)
    ends = min(len(before), len(after))
    at = next((at for at in range(ends) if before[at] != after[at]), ends)
    begin = max(0, at - most // 3)
    if begin:
        space = before.find(" ", begin, min(at, begin + 20))  # a word, where one begins
        begin = space + 1 if space >= 0 else begin

    def cut(text: str) -> str:
        lead = "…" if begin else ""
        return lead + shortened(text[begin:], most - len(lead))

    return cut(before), cut(after)


def counted(name: str, count: int) -> str:
    """A count of a version's changes in words: `documents_edited` is "1 document edited", "2 documents edited"."""
    kind, _, what = name.partition("_")
    return f"{count:,} {kind.removesuffix('s') if count == 1 else kind} {what.replace('_', ' ')}".rstrip()


def named(version: str) -> str:
    """A version as it is shown: the beginning of a digest, anything else as it is."""
    return version[:12] if NAME.fullmatch(version) else version
