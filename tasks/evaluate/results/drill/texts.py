"""Texts of a page, each once, and passages as far as there is room for them."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from rarefy.tasks.evaluate.results.drill.differences import steps

FULL = 2_000_000  # characters of passages that are carried whole
PARTS = 400_000  # and in part, beyond that
LONGEST = 8_000  # characters of one passage
EXCERPT = 320
_KEEP = ("golden", "distraction")  # families of the context side that tell what their gold chunk told


class Texts:
    """A list of distinct texts, and the place of each."""

    def __init__(self) -> None:
        self.told: list[str] = [""]
        self._place: dict[str, int] = {"": 0}

    def put(self, text: str | None) -> int:
        """The place of a text, new where it is not there yet."""
        text = text or ""
        if text not in self._place:
            self._place[text] = len(self.told)
            self.told.append(text)
        return self._place[text]


class Lookup:
    """Rows of a table by name, taken only when they are asked for: the table may be larger than memory likes."""

    def __init__(self, table: pa.Table, name: str) -> None:
        self._table = table
        self._place = {one: at for at, one in enumerate(table[name].to_pylist())}

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def take(self, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The rows of these names that are there, in the order of the names."""
        have = [name for name in dict.fromkeys(names) if name in self._place]
        rows = self._table.take([self._place[name] for name in have]).to_pylist() if have else []
        return dict(zip(have, rows, strict=True))


class Passages:
    """Passages by name as the page knows them, whole, in part or by name, as room is left."""

    def __init__(self, texts: Texts, chunks: Lookup, variants: Lookup, full: int = FULL, parts: int = PARTS) -> None:
        self._texts, self._chunks, self._variants = texts, chunks, variants
        self._full, self._parts = full, parts
        self._place: dict[tuple[str, str], int] = {}
        self._known: dict[str, dict[str, Any]] = {}
        self.told: list[list[Any]] = []

    def load(self, names: Iterable[str]) -> None:
        """Fetch the rows of these passages, and of the chunks that they were made of, at once."""
        wanted = [name for name in names if name not in self._known]
        variants = self._variants.take(name for name in wanted if name not in self._chunks)
        self._known |= self._chunks.take([*wanted, *(row["chunk_id"] for row in variants.values())])
        self._known |= variants

    def put(self, name: str, answers: tuple[str, ...] = ()) -> int:
        """The place of a chunk or variant; `answers` are what an excerpt should show."""
        if (name, "") in self._place:
            return self._place[name, ""]
        row = self._known.get(name)
        if row is None:
            return self._keep(name, [name, 0, 0, 2, -1, 0, "", "", 0])
        if "variant_id" in row:
            return self._variant(name, row, answers)
        text, cut = self._room(row["text"], answers)
        heading = self._texts.put(" › ".join(filter(None, (row["title"], row["section"]))))
        return self._keep(name, [name, heading, text, cut, -1, 0, "", name, 1])

    def outside(self, passage: Mapping[str, Any], answers: tuple[str, ...] = ()) -> int:
        """The place of a passage that a system retrieved itself: its own words, whatever the benchmark has."""
        name, told = passage["passage_id"], passage["text"]
        if (name, told) not in self._place:
            chunk = name if name in self._chunks else ""
            text, cut = self._room(told, answers)
            row = [name, self._texts.put(passage["title"]), text, cut, -1, 0, "", chunk, 1]
            self._place[name, told] = len(self.told)
            self.told.append(row)
        return self._place[name, told]

    def _variant(self, name: str, row: Mapping[str, Any], answers: tuple[str, ...]) -> int:
        original = self.put(row["chunk_id"], answers) if row["chunk_id"] in self._known else -1
        base = self.told[original] if original >= 0 else None
        keeps = int(row["family"] != "deletion" if row["side"] == "document" else row["family"] in _KEEP)
        heading = base[1] if base else 0
        about = [row["perturbation"], row["chunk_id"], keeps]
        if base and base[3] == 0:
            whole = self._known[row["chunk_id"]]["text"]
            change = steps(whole, row["text"]) if len(row["text"]) <= LONGEST else None
            if change is not None:
                self._full -= sum(len(one) for one in change if isinstance(one, str))
                return self._keep(name, [name, heading, 0, 0, original, change, *about])
        text, cut = self._room(row["text"], answers)
        return self._keep(name, [name, heading, text, cut, original, 0, *about])

    def _keep(self, name: str, row: list[Any]) -> int:
        self._place[name, ""] = len(self.told)
        self.told.append(row)
        return self._place[name, ""]

    def _room(self, text: str, answers: tuple[str, ...]) -> tuple[int, int]:
        """Place of the text, and 0 where it is whole, 1 where it is a part, 2 where there is no room for any."""
        if len(text) <= min(self._full, LONGEST):
            self._full -= len(text)
            return self._texts.put(text), 0
        part = excerpt(text, answers)
        if len(part) <= self._parts:
            self._parts -= len(part)
            return self._texts.put(part), 1
        return 0, 2


def excerpt(text: str, answers: tuple[str, ...], size: int = EXCERPT) -> str:
    """A part of the text around the first of the answers that is in it, else its beginning."""
    found = [at for at in (text.lower().find(answer.lower()) for answer in answers if answer) if at >= 0]
    start = max(0, min(found, default=0) - size // 2)
    end = min(len(text), start + size)
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"
