"""Which changes a page shows: the first of each class, and how many more there are."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import Change
from rarefy.tasks.store import NAME
from rarefy.tasks.versions.classes import WORDS
from rarefy.tasks.versions.compare import Changes

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


def named(version: str) -> str:
    """A version as it is shown: the beginning of a digest, anything else as it is."""
    return version[:12] if NAME.fullmatch(version) else version
