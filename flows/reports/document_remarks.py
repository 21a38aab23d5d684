"""What to say of documents that were read, but not without a doubt."""

import json
from collections.abc import Iterable, Iterator

import pyarrow as pa

COLUMNS = ["source", "metadata", "duplicate_of", "duplicate_similarity"]


def remarks(documents: pa.Table) -> Iterator[str]:
    """A line for each document that stops early, had bytes repaired or repeats another: what, where, way out."""
    for row in documents.select(COLUMNS).to_pylist():
        yield from _of(row["source"], json.loads(row["metadata"]), row["duplicate_of"], row["duplicate_similarity"])


def _of(source: str, metadata: dict[str, str], copy_of: str, similarity: float) -> Iterable[str]:
    if metadata.get("truncated"):
        yield f"{source}: stops before its end; what is there was read, fetch it again for the rest"
    if repaired := metadata.get("bytes_repaired"):
        yield f"{source}: {repaired} bytes are not {metadata.get('encoding', 'its encoding')} and were read as cp1252"
    if copy_of:
        how = "repeats" if similarity == 1 else f"is {similarity:.0%} the same as"
        yield f"{source}: {how} {copy_of}; nothing is asked of it twice, remove one"
