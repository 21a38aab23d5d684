"""Which documents stand for a corpus: whole ones, those of an entity together, of every kind, up to so much text."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Document, row_id
from rarefy.data_contracts.tables import from_table
from rarefy.flows.engine.run import Part
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text.names import company

PARTS = 256  # looked at, at most: of a million documents all would be minutes of reading
RARE = 0.05  # share of the text from which on a kind of document is sampled by itself; what is rarer counts together
TABLES = 8  # times as long as for text it takes to find facts in a table
COLUMNS = ("doc_id", "content_hash", "entity", "domain", "form", "media_type")


@dataclass(frozen=True, slots=True)
class Outline:
    """A document from outside: where it lies, what kind it is, and how much it holds."""

    part: int
    place: int
    doc_id: str
    issuer: str  # who speaks; the document itself where it does not say
    kind: str
    tables: int  # characters
    text: int  # characters outside of tables

    @property
    def size(self) -> int:
        """Characters."""
        return self.tables + self.text

    @property
    def work(self) -> int:
        """What it takes to find its facts, in characters of text."""
        return TABLES * self.tables + self.text


@dataclass(frozen=True, slots=True)
class Amount:
    """How much there is of a kind of document."""

    documents: float = 0.0
    tables: float = 0.0
    text: float = 0.0

    @property
    def size(self) -> float:
        """Characters."""
        return self.tables + self.text


def sampled_parts(parts: Sequence[Part]) -> list[int]:
    """The places of the parts that are looked at: those with the smallest hashes."""
    return sorted(range(len(parts)), key=lambda place: row_id("part", parts[place]["documents"]))[:PARTS]


def outlines(store: Store, parts: Sequence[Part], places: Sequence[int]) -> tuple[list[Outline], float]:
    """The documents of the parts at these places, each text once, and how many times as many there are in all."""
    rows = sum(part["rows"] for part in parts)
    found: dict[str, Outline] = {}
    looked = 0
    tables = store.over(store.table, [parts[place]["documents"] for place in places])
    for place, table in zip(places, tables, strict=True):
        looked += table.num_rows
        for outline, text in _outlined(place, table):
            found.setdefault(text, outline)  # nothing is asked of what repeats another document
    size = sum(one.size for one in found.values())
    kinds: dict[str, int] = defaultdict(int)
    for one in found.values():
        kinds[one.kind] += one.size
    common = [one if kinds[one.kind] >= RARE * size else replace(one, kind="") for one in found.values()]
    return sorted(common, key=lambda one: one.doc_id), rows / max(looked, 1)


def _outlined(part: int, table: pa.Table) -> Iterator[tuple[Outline, str]]:
    """The outline of each document of a table, with the hash of its content."""
    sizes = pc.utf8_length(table["text"]).to_pylist()
    blocks = table["blocks"].combine_chunks()
    flat = blocks.flatten()
    lengths = pc.subtract(flat.field("end"), flat.field("start")).to_numpy(zero_copy_only=False)
    tables = pc.equal(flat.field("kind"), "table").to_numpy(zero_copy_only=False)
    held = np.bincount(pc.list_parent_indices(blocks).to_numpy(), lengths * tables, table.num_rows)
    columns = zip(*(table[name].to_pylist() for name in COLUMNS), sizes, held.astype(int).tolist(), strict=True)
    for place, (doc_id, content, entity, domain, form, media, size, in_tables) in enumerate(columns):
        kind = f"{domain} {form or media}"
        issuer = company(entity)[0] if entity else ""
        inside = min(in_tables, size)
        yield Outline(part, place, doc_id, issuer or f"document {doc_id}", kind, inside, size - inside), content


def amounts(outlined: Iterable[Outline]) -> dict[str, Amount]:
    """How much there is of each kind."""
    found: dict[str, Amount] = {}
    for one in outlined:
        old = found.get(one.kind, Amount())
        found[one.kind] = Amount(old.documents + 1, old.tables + one.tables, old.text + one.text)
    return found


def choose(outlined: Sequence[Outline], budget: int) -> list[Outline]:
    """Documents of about `budget` of work: all of an entity together, entities by hash, each kind by its share.

    Each kind has at least one document. Where the documents of the first entity of a kind are more than its share,
    they are taken one by one, by hash. Nothing hangs on the order of the documents.
    """
    size = _work(outlined)
    if size <= budget:
        return list(outlined)
    taken: list[Outline] = []
    kinds: dict[str, dict[str, list[Outline]]] = defaultdict(lambda: defaultdict(list))
    for one in outlined:
        kinds[one.kind][one.issuer].append(one)
    for kind in sorted(kinds):
        entities = kinds[kind]
        share = budget * sum(map(_work, entities.values())) / size
        of_kind: list[Outline] = []
        for issuer in sorted(entities, key=lambda name: row_id("issuer", name)):
            own = sorted(entities[issuer], key=lambda one: row_id("document", one.doc_id))
            if of_kind and _work(of_kind) + _work(own) > share * 1.25:
                continue  # a smaller one may still have room
            for one in own:
                if of_kind and _work(of_kind) + one.work > share * 1.25:
                    break
                of_kind.append(one)
        taken += of_kind
    return sorted(taken, key=lambda one: one.doc_id)


def _work(outlined: Iterable[Outline]) -> int:
    return sum(one.work for one in outlined)


def load(store: Store, parts: Sequence[Part], chosen: Sequence[Outline], most: int) -> list[Document]:
    """The chosen documents; of one with more than `most` characters the beginning."""
    places: dict[int, list[int]] = defaultdict(list)
    for one in chosen:
        places[one.part].append(one.place)
    found: list[Document] = []
    for part, some in places.items():
        table = store.table(parts[part]["documents"]).take(pa.array(sorted(some), pa.int64()))
        found += (clipped(row, most) for row in from_table(table, Document))
    return sorted(found, key=lambda row: row.doc_id)


def clipped(document: Document, most: int) -> Document:
    """The document, or its first `most` characters with the blocks and facts that lie in them."""
    if len(document.text) <= most:
        return document
    blocks = tuple(block for block in document.blocks if block.end <= most)
    facts = tuple(fact for fact in document.facts if fact.end <= most)
    return replace(document, text=document.text[:most], blocks=blocks, facts=facts)
