"""The tables of a version that a store has kept, with today's columns, whatever rarefy made them."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from rarefy.data_contracts.schemas import FIRST, migrated
from rarefy.tasks.export.tables import NAMES
from rarefy.tasks.refresh.versions.compare import COLUMNS
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store


def of(store: Store, version: Version) -> dict[type, pa.Table]:
    """What `changes` looks at of a version: its tables, with the columns that matter.

    TableDamaged names a table that is gone, or is not what it is named after.
    """
    kinds = {row_type: NAMES[row_type] for row_type in COLUMNS if NAMES[row_type] in version.tables}
    found = store.over(lambda one: table_of(store, version, kinds[one], COLUMNS[one]), kinds)
    return dict(zip(kinds, found, strict=True))


def table_of(store: Store, version: Version, kind: str, columns: Sequence[str] = ()) -> pa.Table:
    """One table of a version by its kind, with today's columns: these of them, all where none are named."""
    table = _read(store, version.tables[kind], columns)
    return migrated(kind, table, version.schemas.get(kind, FIRST))


def _read(store: Store, name: str, columns: Sequence[str]) -> pa.Table:
    """Those of the columns that the table has; a benchmark's variants alone may be larger than the memory."""
    if not columns:
        return store.table(name)
    try:
        with store.fs.open(f"{store.root}/tables/{name}.parquet", "rb") as file:
            there = pq.ParquetFile(file)
            return there.read([column for column in columns if column in there.schema_arrow.names], use_threads=False)
    except Exception:  # of whatever garbage is; the whole table is proved, or says what is wrong with it
        table = store.table(name)
        return table.select([column for column in columns if column in table.column_names])
