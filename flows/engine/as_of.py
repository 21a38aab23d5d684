"""The documents as they were known on a day: those that are there, and those that only the journal still knows (§5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa

from rarefy.data_contracts.rows import Document
from rarefy.data_contracts.schemas import NewerSchema
from rarefy.data_contracts.tables import schema_of
from rarefy.flows.engine.batches import DocumentBatch, DocumentBatching, batch_documents, cut_batches
from rarefy.flows.engine.reachability import check_day
from rarefy.flows.engine.run import Part, Run
from rarefy.flows.faults import UsageFault
from rarefy.tasks.knowledge.supersede.revisions import CorpusState, KnownRevisions, Revision, revisions_known_on
from rarefy.tasks.refresh.versions.compare import load_version_table
from rarefy.tasks.store import journal
from rarefy.tasks.store.tables import Store, TableDamaged

COLUMNS = ("doc_id", "content_hash", "as_of", "period_end")
RECORDS = ("application/json", "application/jsonl", "application/parquet")  # of files whose documents are path#record
SHOWN = 5  # names in a remark


@dataclass(frozen=True)
class _PastVersion:
    """A version of this corpus, with the columns of its documents that say which they were."""

    version: journal.Version
    table: str
    columns: pa.Table


def choose_batching(run: Run, corpus: str, out: str, when: str) -> DocumentBatching:
    """How a build batches its documents: with a day, those that were known then; remarks are printed."""
    if not (when := check_day(when)):
        return batch_documents

    def batch_known(store: Store, read: Sequence[Part], limit: int) -> tuple[list[DocumentBatch], list[str]]:
        batches, faults = batch_documents(store, read, limit, when)
        if limit:
            run.board.note("as of", f"{when}: with --limit only what is there now is looked at")
            return batches, faults
        found, remarks = batch_documents_known_at(store, journal.line_of(out), batches, when, corpus)
        for remark in remarks:
            run.board.note("as of", f"{remark}")
        return found, faults

    return batch_known


def batch_documents_known_at(
    store: Store, line: str, batches: Sequence[DocumentBatch], when: str, corpus: str = "", today: str = ""
) -> tuple[list[DocumentBatch], list[str]]:
    """The batches of what was known on a day, in the order of their sources, and what there is to say of them.

    `batches` hold the documents that are there now and are no later than that day. What is there no longer, and older
    revisions, are found in the versions of this corpus that were made of all that it held, wherever they were
    published; where either corpus is not known, in those of this line.
    UsageFault where nothing was known.
    """
    today = today or datetime.now(UTC).date().isoformat()
    past, lost = _past_versions(store, line, corpus)
    tables = dict(zip((batch.documents for batch in batches), _columns(store, batches), strict=True))
    now = frozenset(name for table in tables.values() for name in table["doc_id"].to_pylist())
    whole = (one for one in past if not one.version.limit)  # of the others nothing was deleted
    states = [CorpusState(_day_of(one), frozenset(one.columns["doc_id"].to_pylist())) for one in whole]
    found = revisions_known_on(
        _revisions(past, tables, today), [*states, CorpusState(max(today, *_days(past)), now)], when
    )
    if not found.revisions:
        raise UsageFault(
            f"nothing to build: no document was known on {when}; all that is there is of later days, choose one"
        )
    return _batch_revisions(store, batches, found, past, when), [*_remarks(found, set(tables), past, when), *lost]


def _past_versions(store: Store, line: str, corpus: str) -> tuple[list[_PastVersion], list[str]]:
    """The versions to look at, oldest first, and a line for each that cannot be looked at."""
    rows: list[_PastVersion] = []
    lost = []
    others: dict[str, int] = {}
    columns: dict[str, pa.Table] = {}
    for one in _in_order(journal.list_versions(store)):
        if one.as_of or not (_same_place(one.corpus, corpus) or one.line == line):
            continue
        if one.corpus and corpus and not _same_place(one.corpus, corpus):
            others[one.corpus] = others.get(one.corpus, 0) + 1
            continue
        name = one.tables["documents"]
        try:
            columns[name] = columns[name] if name in columns else load_version_table(store, one, "documents", COLUMNS)
            rows.append(_PastVersion(one, name, columns[name]))
        except (TableDamaged, NewerSchema) as error:
            lost.append(f"version {one.number} of {one.created[:10]} is not looked at: {error}")
    for place, count in others.items():
        lost.append(f"{count:,} version{'s' * (count != 1)} published here of another corpus, {place}: not looked at")
    return rows, lost


def _in_order(versions: Sequence[journal.Version]) -> list[journal.Version]:
    """The versions of a line by number, whatever the clock said; lines by when they were made."""
    latest: dict[str, str] = {}
    keys = []
    for one in sorted(versions, key=lambda one: (one.line, one.number)):
        latest[one.line] = max(latest.get(one.line, ""), one.created)
        keys.append((latest[one.line], one.number, one.line, one))
    return [key[-1] for key in sorted(keys, key=lambda key: key[:-1])]


def _documents(store: Store, version: journal.Version) -> pa.Table:
    """The documents of a version with today's columns, as they were read: copies among them are found anew."""
    table = load_version_table(store, version, "documents")
    for name, value in (("duplicate_of", ""), ("duplicate_similarity", 0.0)):
        field = schema_of(Document).field(name)
        place = table.schema.get_field_index(name)
        table = table.set_column(place, field, pa.array([value] * table.num_rows, field.type))
    return table.select(schema_of(Document).names)


def _same_place(one: str, other: str) -> bool:
    return bool(one and other) and journal.line_of(one) == journal.line_of(other)


def _columns(store: Store, batches: Sequence[DocumentBatch]) -> Iterator[pa.Table]:
    for table in store.over(store.table, [batch.documents for batch in batches]):
        yield table.select(COLUMNS)


def _day_of(past: _PastVersion) -> str:
    return past.version.created[:10]


def _days(past: Sequence[_PastVersion]) -> list[str]:
    """A clock that was set back makes nothing that is there now older than what was there before."""
    return [_day_of(one) for one in past] or [""]


def _revisions(past: Sequence[_PastVersion], tables: dict[str, pa.Table], today: str) -> list[Revision]:
    """Every revision that is there or was: since which look, and where its row is, there rather than then."""
    looks = [(_day_of(one), turn, one.table, one.columns) for turn, one in enumerate(past)]
    looks += [(today, len(past), table, columns) for table, columns in tables.items()]
    rows: dict[tuple[str, str], tuple[tuple[str, ...], str, int]] = {}
    last: dict[str, str] = {}  # what a document was when it was looked at before
    since: list[tuple[tuple[str, str], str, int]] = []
    for seen, turn, table, columns in looks:
        for place, row in enumerate(zip(*(columns[name].to_pylist() for name in COLUMNS), strict=True)):
            rows[row[:2]] = row, table, place
            if last.get(row[0]) != row[1]:
                since.append((row[:2], seen, turn))
            last[row[0]] = row[1]
    return [Revision(*rows[key][0], seen, turn, *rows[key][1:]) for key, seen, turn in since]


def _batch_revisions(
    store: Store, batches: Sequence[DocumentBatch], found: KnownRevisions, past: Sequence[_PastVersion], when: str
) -> list[DocumentBatch]:
    """The revisions as batches: of a source of which nothing is missing as it was, others cut anew."""
    here = {batch.documents: batch.source for batch in batches}
    chosen: dict[str, list[Revision]] = {}  # by table
    for one in found.revisions:
        chosen.setdefault(one.table, []).append(one)
    rows: dict[str, list[tuple[Revision, pa.Table]]] = {}  # by source
    versions = {one.table: one.version for one in past}
    for name in sorted(chosen.keys() - here.keys()):
        table = _documents(store, versions[name])
        for one in chosen[name]:
            row = table.slice(one.place, 1)
            rows.setdefault(_source(row), []).append((one, row))
    short = {batch.source for batch in batches if len(chosen.get(batch.documents, ())) < batch.rows}
    made = [batch for batch in batches if batch.source not in short | rows.keys()]
    for batch in batches:
        if batch.source in short | rows.keys():
            table = store.table(batch.documents)
            kept = rows.setdefault(batch.source, [])
            kept += [(one, table.slice(one.place, 1)) for one in chosen.get(batch.documents, ())]
    order = _order(past, batches, when, store)
    for source, own in rows.items():
        if own:
            own.sort(key=lambda pair: (order.get(pair[0].doc_id, len(order)), pair[0].doc_id))
            for some in cut_batches(pa.concat_tables([row for _, row in own]).combine_chunks()):
                made.append(DocumentBatch(source, store.keep(some), some.num_rows))
    return sorted(made, key=lambda batch: batch.source)


def _order(past: Sequence[_PastVersion], batches: Sequence[DocumentBatch], when: str, store: Store) -> dict[str, int]:
    """The order of documents within their source: as it was on that day, then as it is now."""
    then = [one for one in past if _day_of(one) <= when][-1:]
    names = [*(name for one in then for name in one.columns["doc_id"].to_pylist())]
    names += [name for table in _columns(store, batches) for name in table["doc_id"].to_pylist()]
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _source(row: pa.Table) -> str:
    """The path of a document's file."""
    source, kind = (str(row[name][0].as_py()) for name in ("source", "media_type"))
    return source.rpartition("#")[0] or source if kind in RECORDS else source


def _remarks(found: KnownRevisions, here: set[str], past: Sequence[_PastVersion], when: str) -> Iterator[str]:
    back = [one.doc_id for one in found.revisions if one.table not in here]
    count = len(found.revisions)
    parts = [f"{when}: {count:,} document{'s' * (count != 1)}"]
    if found.unknown:
        parts.append(f"{len(found.unknown):,} left out, not known yet or no longer")
    if back:
        parts.append(f"{_names(back)} as an earlier version had {'it' if len(back) == 1 else 'them'}")
    yield "; ".join(parts)
    if found.assumed:
        since = f"the journal begins on {_day_of(past[0])}" if past else "no journal reaches back"
        yield (
            f"{_names(found.assumed)}: without a date, and {since}; taken as known on {when}. "
            "Give them a date (a column of the records, the SEC's own header of a filing) to be sure"
        )


def _names(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
