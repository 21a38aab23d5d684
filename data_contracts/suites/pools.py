"""Rules for the pools of noise: passages that are not gold, values that differ, of documents that they may be of."""

from collections.abc import Callable, Mapping

import pyarrow as pa

from rarefy.data_contracts.rows import Chunk, Question
from rarefy.data_contracts.suites.rule import (
    Judge,
    PartRule,
    Reference,
    References,
    RowRule,
    Suite,
    hashed,
    looked_up,
    unique,
)

_SWAPS = ("swaps.old", "swaps.new", "swaps.kind", "counterfacts.old", "counterfacts.new", "counterfacts.kind")


def _not_gold(references: References) -> Judge:
    gold = looked_up(references[Question], "question_id", "chunk_ids")

    def judge(question_id: str, neighbours: list[str], strangers: list[str]) -> str | None:
        own = set(gold.get(question_id, ()))
        found = next((name for name in (*neighbours, *strangers) if name in own), None)
        return f"gold chunk {found} of question {question_id}" if found else None

    return judge


def _documents(references: References) -> tuple[Mapping[str, str], Callable[[str], set[str | None]]]:
    """The document of each chunk, and a function that gives those of a question's gold chunks."""
    gold = looked_up(references[Question], "question_id", "chunk_ids")
    document = looked_up(references[Chunk], "chunk_id", "doc_id")
    return document, lambda question_id: {document.get(name) for name in gold.get(question_id, ())}


def _elsewhere(references: References) -> Judge:
    document, gold_documents = _documents(references)

    def judge(question_id: str, strangers: list[str]) -> str | None:
        own = gold_documents(question_id)
        found = next((name for name in strangers if document.get(name) in own), None)
        return f"stranger {found} is of {document[found]}, as a gold chunk is" if found else None

    return judge


def _near(references: References) -> Judge:
    document, gold_documents = _documents(references)

    def judge(question_id: str, neighbours: list[str]) -> str | None:
        own = gold_documents(question_id)
        found = next((name for name in neighbours if name in document and document[name] not in own), None)
        return f"neighbour {found} is of {document[found]}, and no gold chunk is" if found else None

    return judge


def _swapped(_: References) -> Judge:
    def judge(*columns: list[str]) -> str | None:
        for old, new, kind in (*zip(*columns[:3], strict=True), *zip(*columns[3:], strict=True)):
            if not (old.strip() and new.strip() and kind) or old == new:
                return f"{new!r} for {old!r}, of kind {kind!r}"
        return None

    return judge


def _undrawn(table: pa.Table, references: References) -> list[tuple[str, str]]:
    drawn = set(table.column("question_id").to_pylist())
    reasons = looked_up(references[Question], "question_id", "rejected_because")
    return [(name, "none") for name, reason in reasons.items() if not reason and name not in drawn]


POOL = Suite(
    key="pool_id",
    needs=(Question, Chunk),
    rules=(
        unique("pool_id"),
        hashed("pool_id"),
        unique("question_id"),
        Reference("question_id", Question, "question_id"),
        Reference("neighbours", Chunk, "chunk_id"),
        Reference("strangers", Chunk, "chunk_id"),
        RowRule("no passage of a pool is gold", ("question_id", "neighbours", "strangers"), _not_gold),
        RowRule("neighbours stand in a gold chunk's document", ("question_id", "neighbours"), _near),
        RowRule("strangers stand in another document", ("question_id", "strangers"), _elsewhere),
        RowRule("a swap has a kind and two values that differ", _SWAPS, _swapped),
        PartRule("every accepted question has a pool", Question, _undrawn),
    ),
)
