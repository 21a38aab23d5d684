"""The benchmark as a Hugging Face dataset folder: a configuration for each table, in Parquet."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Question, Variant
from rarefy.tasks.export.files import Content
from rarefy.tasks.export.tables import NAMES, Tables


def parts(tables: Tables) -> dict[tuple[str, str], pa.Table]:
    """Every table of the folder by its name and split, without what was rejected of questions and variants."""
    found: dict[tuple[str, str], pa.Table] = {}
    for row_type, name in NAMES.items():
        if row_type in (Question, Variant):
            found |= {(name, split): _part(tables, row_type, split) for split in ("train", "test")}
        else:
            found[name, "full"] = tables[row_type]
    return found


def hugging_face(tables: Mapping[tuple[str, str], pa.Table], card: str) -> dict[str, Content]:
    """The folder's files. A part of no rows has none: load_dataset cannot open it."""
    files = {
        f"data/{name}/{split}.parquet": table if table.num_rows else None for (name, split), table in tables.items()
    }
    return {**files, "README.md": [card.encode()]}


def _part(tables: Tables, row_type: type, split: str) -> pa.Table:
    """The accepted rows of a split; a variant goes where its question goes."""
    questions = tables[Question]
    here = questions.filter((pc.field("split") == split) & (pc.field("rejected_because") == ""))
    if row_type is Variant:
        names = here.column("question_id").combine_chunks()
        asked = pc.field("question_id").isin(names) & (pc.field("rejected_because") == "")
        return tables[Variant].filter(asked)
    return here
