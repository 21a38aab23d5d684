"""The questions of an evaluation in portions, each with all it needs: another document moves no portion but its own."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.flows.engine.benchmark_folder import Bench
from rarefy.flows.engine.document_batches import batches_of
from rarefy.flows.engine.question_batches import by_itself, unplaced
from rarefy.tasks.store.tables import Store

Part = dict[str, Any]


def portions(store: Store, bench: Bench, hits: str) -> list[Part]:
    """Parts of some 32 questions: their variants, what was found for them, and the chunks that any of these name."""
    variants, found, chunks = (
        store.table(bench.variants),
        _unscored(store.table(hits)),
        unplaced(store.table(bench.chunks)),
    )
    variant_rows, hit_rows = _rows_of(variants), _rows_of(found)
    chunk_at = {name: place for place, name in enumerate(chunks["chunk_id"].to_pylist())}
    parts = []
    for some in batches_of(by_itself(store.table(bench.questions))):
        names = some["question_id"].to_pylist()
        own = variants.take(_places(names, variant_rows))
        its = found.take(_places(names, hit_rows))
        named = {*_listed(some, "chunk_ids"), *_listed(its, "chunk_ids"), *_listed(its, "best")}
        named |= {*own["chunk_id"].to_pylist()} - {""}
        kept = sorted(chunk_at[name] for name in named if name in chunk_at)
        parts.append(
            {
                "path": f"questions from {names[0]}",
                "questions": store.keep(some),
                "variants": store.keep(own),
                "hits": store.keep(its),
                "chunks": store.keep(chunks.take(pa.array(kept, pa.int64()))),
                "rows": some.num_rows,
            }
        )
    return parts


def _unscored(hits: pa.Table) -> pa.Table:
    """The hits without scores, which every document has a part in: trials are made of what was found, in its order."""
    place = hits.schema.get_field_index("scores")
    return hits.set_column(
        place, hits.schema.field(place), pa.array([[]] * hits.num_rows, hits.schema.field(place).type)
    )


def _rows_of(table: pa.Table) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(table["question_id"].to_pylist()):
        rows[name].append(place)
    return rows


def _places(names: Iterable[str], rows: dict[str, list[int]]) -> pa.Array:
    return pa.array([place for name in names for place in rows.get(name, ())], pa.int64())


def _listed(table: pa.Table, column: str) -> list[str]:
    listed: list[str] = pc.list_flatten(table[column]).to_pylist()
    return listed
