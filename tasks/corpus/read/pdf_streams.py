"""What pdfminer unpacks, counted: it unpacks a stream whole, however large that becomes.

pdfminer has no limit and no hook for one, so its names for the filters that make more of little are replaced, once;
outside of `counted` they do what they did.
"""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pdfminer import pdftypes
from pdfminer.lzw import lzwdecode
from pdfminer.runlength import rldecode

from rarefy.tasks.corpus.read.limits import Unpacked

_COUNT: ContextVar[Unpacked | None] = ContextVar("_COUNT", default=None)
_PIECE = 1 << 16
_lzw, _run_length = lzwdecode, rldecode


@contextmanager
def counted(unpacked: Unpacked) -> Iterator[None]:
    """Within, every stream that pdfminer unpacks is counted; Unreadable from there once it is too much."""
    token = _COUNT.set(unpacked)
    try:
        yield
    finally:
        _COUNT.reset(token)


class _Zlib:
    """In place of the module zlib, as pdfminer uses it."""

    error = zlib.error
    decompressobj = staticmethod(zlib.decompressobj)

    @staticmethod
    def decompress(data: bytes) -> bytes:
        count = _COUNT.get()
        if count is None:
            return zlib.decompress(data)
        stream = zlib.decompressobj()
        made = stream.decompress(data, count.left + 1)
        count.take(len(made))
        if not stream.eof:
            count.left += len(made)  # pdfminer tries again as below
            raise zlib.error("incomplete or truncated stream")
        return made


def _decompress_corrupted(data: bytes) -> bytes:
    """What can be unpacked of a damaged stream. Raises zlib.error where more than its checksum is damaged.

    As pdfminer's, byte for byte; that one copies all it has at each byte.
    """
    count, stream, made = _COUNT.get(), zlib.decompressobj(), bytearray()
    at = 0
    while at < len(data) and not stream.eof:
        before, piece = stream.copy(), data[at : at + _PIECE]
        try:
            found = _bounded(stream, piece, count)
        except zlib.error:
            stream, found = before, b""
            for place in range(at, at + len(piece)):
                try:
                    found += _bounded(stream, data[place : place + 1], count)
                except zlib.error:
                    if place < len(data) - 3:
                        raise
                    return bytes(made + found)
        made += found
        at += len(piece)
    return bytes(made)


def _bounded(stream: "zlib._Decompress", piece: bytes, count: Unpacked | None) -> bytes:
    if count is None:
        return stream.decompress(piece)
    found = stream.decompress(piece, count.left + 1)
    count.take(len(found))
    return found


def _lzwdecode(data: bytes) -> bytes:
    return _counting(_lzw(data))


def _rldecode(data: bytes) -> bytes:
    return _counting(_run_length(data))


def _counting(made: bytes) -> bytes:
    if count := _COUNT.get():
        count.take(len(made))
    return made


vars(pdftypes).update(zlib=_Zlib, decompress_corrupted=_decompress_corrupted, lzwdecode=_lzwdecode, rldecode=_rldecode)
