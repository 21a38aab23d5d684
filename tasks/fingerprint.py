"""The name of a table: a hash of its rows, whatever file format or library version holds them."""

import hashlib
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

STRIDE = 4096  # rows; a column of so many texts stays under the 2 GiB that one array of strings can hold


class Hash(Protocol):
    """What is fed with bytes."""

    def update(self, data: bytes, /) -> None: ...


def fingerprint(table: pa.Table) -> str:
    """32 hex digits that stand for the schema and every value of the table, in order."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{table.num_rows} ".encode())
    for field in table.schema:
        digest.update(f"{field.name} {_told(field.type)} ".encode())
    for start in range(0, table.num_rows, STRIDE):  # of one length, however the table happens to be chunked
        for column in table.slice(start, STRIDE).columns:
            _feed(digest, pa.concat_arrays(column.chunks))
    return digest.hexdigest()


def _told(kind: pa.DataType) -> str:
    """A type in words, without the name of a list's items, which Parquet and Arrow do not agree on."""
    if pa.types.is_list(kind):
        return f"list<{_told(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'{part.name} {_told(part.type)}' for part in kind)}>"
    return str(kind)


def _feed(digest: Hash, array: pa.Array) -> None:
    """Feed an array by its values; buffers themselves differ with padding, offsets and slicing."""
    if array.null_count:
        digest.update(b"null ")
        digest.update(pc.is_null(array).cast(pa.uint8()).to_numpy(zero_copy_only=False).tobytes())
        array = array.drop_null()
    kind = array.type
    if pa.types.is_struct(kind):
        for values in array.flatten():
            _feed(digest, values)
    elif pa.types.is_list(kind):
        digest.update(pc.list_value_length(array).to_numpy(zero_copy_only=False).tobytes())
        _feed(digest, array.flatten())
    elif pa.types.is_string(kind):
        digest.update(pc.binary_length(array).to_numpy(zero_copy_only=False).tobytes())
        digest.update(_joined(array))
    elif pa.types.is_boolean(kind):
        digest.update(array.cast(pa.uint8()).to_numpy(zero_copy_only=False).tobytes())
    else:
        digest.update(array.to_numpy(zero_copy_only=False).tobytes())


def _joined(array: pa.Array) -> bytes:
    """All characters of a string array, one after the other."""
    offsets = pa.Array.from_buffers(pa.int32(), len(array) + 1, [None, array.buffers()[1]], offset=array.offset)
    data = array.buffers()[2]
    return b"" if data is None or not len(array) else bytes(data[offsets[0].as_py() : offsets[len(array)].as_py()])
