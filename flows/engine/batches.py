"""Which documents, and which questions, are worked on together: batches that an edit elsewhere does not move."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Quarantined, row_id
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.perturb.vary import Unchanged
from rarefy.tasks.store.recipe import Job
from rarefy.tasks.store.tables import Store, digest

DOCUMENT_BATCHES_VERSION = 2
QUESTION_BATCHES_VERSION = 4
# Documents of one source (a JSONL file) in a batch, on average: a table takes some 10 ms to put in place, which 32
# short documents share, and an edited one takes no more than these with it.
BATCH = 32
# Batches of a corpus, about: each costs this process some 15 ms a stage, and an object store some requests. Of more
# than 262,144 documents batches are of 64, and so on: what is cut by the larger number is cut by the smaller one too.
BATCHES = 8192
COLUMNS = ("doc_id", "source", "as_of", "period_end")


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Some documents of one source."""

    source: str
    documents: str  # name of their table
    rows: int


# of the store, what was read and a limit: the batches of documents, and the names of the tables of faults
DocumentBatching = Callable[[Store, Sequence[dict[str, Any]], int], tuple[list[DocumentBatch], list[str]]]


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """Where a document was met: in which table, and at which row."""

    table: int
    place: int
    source: str
    as_of: str


def batch_documents(
    store: Store, read: Sequence[dict[str, Any]], limit: int, date: str = ""
) -> tuple[list[DocumentBatch], list[str]]:
    """The batches of documents of what was read, the first `limit` documents unless 0, and the tables of faults.

    Of several documents of one name the one with the newest as_of is the document, of equal ones the first; the others
    are faults. With a date, documents that are of a later day, or whose period was not over by then, do not count.
    """
    sources = [(part["source"].path, part["documents"]) for part in read]
    recipe = digest(["apart", DOCUMENT_BATCHES_VERSION, BATCH, limit, sources, *filter(None, [date])])
    made = store.find(recipe) or store.put(recipe, _cut_documents(store, sources, limit, date))
    batches = list(from_table(store.table(made["batches"]), DocumentBatch))
    if not all(store.over(store.holds, [batch.documents for batch in batches])):  # no recipe names them; one was lost
        made = store.put(recipe, _cut_documents(store, sources, limit, date))
        batches = list(from_table(store.table(made["batches"]), DocumentBatch))
    return batches, [part["quarantine"] for part in read] + [made["quarantine"]]


def _cut_documents(store: Store, sources: Sequence[tuple[str, str]], limit: int, date: str) -> dict[str, pa.Table]:
    best: dict[str, _Occurrence] = {}  # in the order in which they were first met
    others: list[tuple[str, _Occurrence]] = []
    sizes = []
    for number, table in enumerate(store.over(store.table, [name for _, name in sources])):
        sizes.append(table.num_rows)
        columns = (table[column].to_pylist() for column in COLUMNS)
        for place, (doc_id, source, as_of, period_end) in enumerate(zip(*columns, strict=True)):
            if date and (as_of or period_end) > date:
                continue
            met, before = _Occurrence(number, place, source, as_of), best.get(doc_id)
            if before is None or met.as_of > before.as_of:
                best[doc_id], met = met, before or met
            if before:
                others.append((doc_id, met))
    kept: dict[int, list[int]] = {}
    for met in list(best.values())[: limit or None]:
        kept.setdefault(met.table, []).append(met.place)
    cut = [number for number, places in sorted(kept.items()) if not len(places) == sizes[number] == 1]
    tables = store.over(store.table, [sources[number][1] for number in cut])
    size = batch_size(sum(map(len, kept.values())))
    batches = []
    for number, places in sorted(kept.items()):
        source, name = sources[number]
        if len(places) == sizes[number] == 1:
            batches.append(DocumentBatch(source, name, 1))
            continue
        for some in cut_batches(next(tables).take(pa.array(sorted(places), pa.int64())), size):
            batches.append(DocumentBatch(source, store.keep(some), some.num_rows))
    faults = [_quarantine(doc_id, met, best[doc_id]) for doc_id, met in others]
    return {"batches": to_table(batches, DocumentBatch), "quarantine": to_table(faults, Quarantined)}


def _quarantine(doc_id: str, met: _Occurrence, best: _Occurrence) -> Quarantined:
    """The quarantine row of a document whose id another one has."""
    if met.as_of < best.as_of:
        reason = "older_revision"
        dated = f"as of {met.as_of}" if met.as_of else "without a date"
        detail = f"{best.source} is {doc_id!r} as of {best.as_of}, this is the one {dated}; nothing is asked of it"
    else:
        reason = "duplicate_id"
        detail = f"{best.source} has the same id {doc_id!r}; give each document its own, or remove one"
    return Quarantined(row_id("read", met.source, reason), "read", met.source, reason, detail)


def batch_size(documents: int) -> int:
    """How many of so many documents are in a batch, on average."""
    size = BATCH
    while documents > size * BATCHES:
        size *= 2
    return size


def cut_batches(table: pa.Table, size: int = BATCH) -> Iterator[pa.Table]:
    """The table cut after rows whose ids hash to 0: one row more or less moves no cut but its own."""
    cuts = [int(row_id(name), 16) % size == 0 for name in table.column(0).to_pylist()]
    start = 0
    for end, cut in enumerate(cuts, 1):
        if cut or end == len(cuts):
            yield table.slice(start, end - start)
            start = end


@dataclass(frozen=True, slots=True)
class QuestionBatch:
    """Some accepted questions whose first gold chunk is of one document, or that have none."""

    doc_id: str
    questions: str  # name of their table
    pools: str  # name of the table of what noise for them can be made of
    chunks: str  # name of the table of all chunks that those two name
    rows: int


def batch_questions(store: Store, questions: str, chunks: str, pools: str) -> list[QuestionBatch]:
    """The accepted questions in batches by document."""
    recipe = _batches_recipe(questions, chunks, pools)
    if found := store.find(recipe):
        batches = list(from_table(store.table(found["groups"]), QuestionBatch))
        # no recipe names these tables, so that only here it is seen that one was lost
        if all(store.over(store.holds, [n for b in batches for n in (b.questions, b.pools, b.chunks)])):
            return batches
    batches = _cut_questions(store, questions, chunks, pools)
    store.put(recipe, {"groups": to_table(batches, QuestionBatch)})
    return batches


def _batches_recipe(questions: str, chunks: str, pools: str) -> str:
    return digest(["spread", QUESTION_BATCHES_VERSION, questions, chunks, pools])


def recall_variants(
    store: Store, job: Job, parts: Sequence[dict[str, Any]], before: Mapping[str, str], now: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The parts; those yet to be made with what the job made, a version before, of questions that are unchanged.

    `before` and `now`: the names of both versions' tables by kind. A question is unchanged where all that its variants
    are made of is: itself, its pool, and the passages that are gold or that the pool names; a passage of another
    document counts only for the variants that take one.
    """
    store = Store(store.url)  # its own, so that what is looked at here is not kept for the version being made
    names, old_names = [(of["questions"], of["chunks"], of["pools"]) for of in (now, before)]
    todo = [place for place, part in enumerate(parts) if not store.find(job.recipe(part))]
    batched = store.find(_batches_recipe(*old_names))
    if not todo or not batched or not all(map(store.holds, old_names)):
        return list(parts)
    wanted = {parts[place]["doc_id"] for place in todo}
    made: dict[str, list[dict[str, str]]] = defaultdict(list)  # by document
    for batch in from_table(store.table(batched["groups"]), QuestionBatch):
        found = store.find(job.recipe(asdict(batch))) if batch.doc_id in wanted else None
        if found and _is_complete(store, job, found):
            made[batch.doc_id].append(found)
    if not made:
        return list(parts)
    parts = list(parts)
    kept: dict[int, list[str]] = {}  # by place: questions that had variants before
    for place in todo:
        tables = made[parts[place]["doc_id"]]
        held = {name for table in tables for name in store.table(table["variants"])["question_id"].to_pylist()}
        ids = store.table(parts[place]["questions"])["question_id"].to_pylist()
        kept[place] = [name for name in ids if name in held]
    asked = pa.array([name for ids in kept.values() for name in ids], pa.string())
    old, new = (dict(_digest_inputs(store, *of, asked)) for of in (old_names, names))
    for place, ids in kept.items():
        tables = made[parts[place]["doc_id"]]
        rows = [Unchanged(name, old[name] == new[name]) for name in ids if old[name][0] == new[name][0]]
        if rows:
            parts[place] |= {
                "unchanged": store.keep(to_table(rows, Unchanged)),
                "made": [table["variants"] for table in tables],
                "compared": [table["similarities"] for table in tables],
                "recalled": sum(row.strangers for row in rows),
                "partly": sum(not row.strangers for row in rows),
            }
    return parts


def _is_complete(store: Store, job: Job, made: Mapping[str, str]) -> bool:
    """Whether tables lack no row that was set aside or that a model did not answer."""
    return made.keys() <= job.makes.keys() and not ("unanswered" in made and store.rows(made["unanswered"]))


def _digest_inputs(
    store: Store, questions: str, chunks: str, pools: str, asked: pa.Array
) -> Iterator[tuple[str, tuple[str, str]]]:
    """By accepted question, of those asked about: digests of what its variants are made of, but for other documents',
    and of what is other documents'.
    """
    accepted = _rows_of(_accepted(store.table(questions)), "question_id", asked)
    drawn = _rows_of(store.table(pools), "question_id", asked)
    named = pa.array(sorted(_named_chunks(accepted, drawn)), pa.string())
    passages = _rows_of(without_positions(store.table(chunks)), "chunk_id", named)
    texts = {row["chunk_id"]: digest(row) for row in _records(passages)}
    noise = {row["question_id"]: row for row in _records(drawn)}
    for question in _records(accepted):
        pool = noise.get(question["question_id"], {})
        strangers = [(name, texts[name]) for name in pool.pop("strangers", ())]
        for swap in (*pool.get("swaps", ()), *pool.get("counterfacts", ())):
            del swap["source"]  # the name of a fact, which changes with its passage; no variant is made of it
        own = [texts[name] for name in (*question["chunk_ids"], *pool.get("neighbours", ()))]
        yield question["question_id"], (digest([question, pool, own]), digest(strangers))


def _rows_of(table: pa.Table, key: str, names: pa.Array) -> pa.Table:
    return table.filter(pc.is_in(table[key], value_set=names))


def _named_chunks(questions: pa.Table, pools: pa.Table) -> set[str]:
    """The chunks that questions and their pools name."""
    return {
        *flatten_column(questions, "chunk_ids"),
        *flatten_column(pools, "neighbours"),
        *flatten_column(pools, "strangers"),
    }


def _records(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=1024):
        yield from batch.to_pylist()


def _accepted(questions: pa.Table) -> pa.Table:
    """The accepted questions, as their variants are made of them."""
    accepted = questions.filter(pc.equal(questions["rejected_because"], ""))
    return without_corpus_columns(accepted, "alternatives", "parts")  # pools have been drawn beside these


def _cut_questions(store: Store, questions: str, chunks: str, pools: str) -> list[QuestionBatch]:
    passages, drawn = without_positions(store.table(chunks)), store.table(pools)
    asked = _accepted(store.table(questions))
    chunk_at, pool_at = _places(passages, "chunk_id"), _places(drawn, "question_id")
    doc_ids = passages["doc_id"].to_pylist()
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, chunk_ids in enumerate(asked["chunk_ids"].to_pylist()):
        rows_of[doc_ids[chunk_at[chunk_ids[0]]] if chunk_ids else ""].append(row)  # an absence is of no document

    def cut() -> Iterator[tuple[str, pa.Table, pa.Table, pa.Table]]:
        """Document, questions, pools and chunks of each batch."""
        for doc_id in sorted(rows_of):
            for batch in cut_batches(asked.take(pa.array(rows_of[doc_id]))):
                places = [pool_at[name] for name in batch["question_id"].to_pylist() if name in pool_at]
                noise = drawn.take(pa.array(places, pa.int64()))
                names = sorted(_named_chunks(batch, noise))
                own = passages.take(pa.array([chunk_at[name] for name in names], pa.int64()))
                yield doc_id, batch, noise, own

    def store_batch(batch: tuple[str, pa.Table, pa.Table, pa.Table]) -> QuestionBatch:
        doc_id, own, noise, chunks = batch
        return QuestionBatch(doc_id, store.keep(own), store.keep(noise), store.keep(chunks), own.num_rows)

    return list(store.over(store_batch, cut()))


def _places(table: pa.Table, key: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(table[key].to_pylist())}


def flatten_column(table: pa.Table, column: str) -> list[str]:
    """All names in a column of lists of names."""
    names: list[str] = pc.list_flatten(table[column]).to_pylist()
    return names


def without_positions(chunks: pa.Table) -> pa.Table:
    """The chunks without their positions in the document, which an edit further up would move."""
    starts = pa.array([0] * chunks.num_rows, pa.int64())
    lengths = pc.cast(pc.utf8_length(chunks["text"]), pa.int64())
    for name, column in (("start", starts), ("end", lengths)):
        place = chunks.schema.get_field_index(name)
        chunks = chunks.set_column(place, chunks.schema.field(place), column)
    return chunks


def without_corpus_columns(questions: pa.Table, *besides: str) -> pa.Table:
    """The questions without the columns that the rest of the corpus decides, and those named, sorted by id."""
    for name in ("retrievable", "split", *besides):
        place = questions.schema.get_field_index(name)
        field = questions.schema.field(place)
        kind = field.type
        blank = [None if pa.types.is_boolean(kind) else [] if pa.types.is_list(kind) else ""] * len(questions)
        questions = questions.set_column(place, field, pa.array(blank, field.type))
    return questions.sort_by("question_id")
