"""Decode the bytes of a file as text, whatever its encoding, or say why it is none."""

import codecs
import re
from collections.abc import Callable

from charset_normalizer import from_bytes

from rarefy.tasks.corpus.read.unreadable import Unreadable

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
MAGIC = (
    (b"PK\x03\x04", "a zip archive (or an Office file)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a rar archive"),
    (b"\x28\xb5\x2f\xfd", "a zstandard archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
)
DECLARED = re.compile(rb"""<(?:\?xml|meta)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.I)
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
ESCAPED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as surrogateescape leaves them
FOREIGN = 0.3  # of a file: a Western text has fewer bytes that are not ASCII, one in another script has more
SAMPLE = 1 << 16
WAY_OUT = "extract its text or remove it"


def decode(content: bytes) -> tuple[str, dict[str, str]]:
    """The text of a file and notes on how it was decoded (`encoding`, `bytes_repaired`), or Unreadable `binary_file`.

    In UTF-8 with stray bytes of another encoding, those bytes are read as Windows-1252 and counted.
    """
    for mark, encoding in BOMS:
        if content.startswith(mark):
            return _lenient(content[len(mark) :], encoding)
    for magic, what in MAGIC:
        if content.startswith(magic):
            raise Unreadable("binary_file", f"it is {what}, not text, whatever its name says; {WAY_OUT}")
    head = content[:SAMPLE]
    if b"\x00" in head:
        wide = _wide(head)
        if wide:
            return _lenient(content, wide)
    if len(CONTROL.findall(head)) > 0.02 * len(head):  # text has next to none, compressed or machine data a tenth
        raise Unreadable("binary_file", f"it holds binary data, not text; {WAY_OUT}")
    try:
        return content.decode("utf-8"), {}
    except UnicodeDecodeError:
        return _not_utf8(content)


def _not_utf8(content: bytes) -> tuple[str, dict[str, str]]:
    text = content.decode("utf-8", "surrogateescape")
    stray = len(ESCAPED.findall(text))
    sound = sum(1 for character in ESCAPED.sub("", text[: 64 * SAMPLE]) if character > "\x7f")
    if sound >= stray or stray <= 3:  # UTF-8 throughout, but for stretches pasted from elsewhere or cut short
        return ESCAPED.sub(_windows, text), {"encoding": "utf-8", "bytes_repaired": str(stray)}
    declared = DECLARED.search(content[:4096])
    guesses: list[Callable[[], str]] = [
        lambda: declared.group(1).decode("ascii") if declared else "",
        lambda: _guess(content) if stray > FOREIGN * len(content) else "",
        lambda: "cp1252",
    ]
    for guess in guesses:
        encoding = guess().lower()
        if not encoding or encoding.replace("_", "-") in ("utf-8", "utf8", "ascii", "us-ascii"):
            continue
        if encoding in ("iso-8859-1", "latin-1", "latin1", "iso8859-1"):
            encoding = "cp1252"  # what is called Latin-1 holds Windows quotation marks, and browsers read it so
        try:
            return content.decode(encoding), {"encoding": encoding}
        except (UnicodeDecodeError, LookupError):
            continue
    return ESCAPED.sub(_windows, text), {"encoding": "cp1252", "bytes_repaired": str(stray)}


def _guess(content: bytes) -> str:
    """The encoding that charset-normalizer makes of the stretch around the first byte that is not ASCII."""
    first = re.search(rb"[\x80-\xff]", content)
    start = max(0, first.start() - SAMPLE // 4) if first else 0
    best = from_bytes(content[start : start + SAMPLE // 2]).best()
    return best.encoding if best else ""


def _windows(match: re.Match[str]) -> str:
    """A byte read as Windows-1252; the five that have no meaning there become the replacement character."""
    return bytes([ord(match.group()) - 0xDC00]).decode("cp1252", "replace")


def _lenient(content: bytes, encoding: str) -> tuple[str, dict[str, str]]:
    if encoding == "utf-8":
        text = content.decode(encoding, "surrogateescape")
        stray = len(ESCAPED.findall(text))
        return (
            (ESCAPED.sub(_windows, text), {"encoding": "utf-8", "bytes_repaired": str(stray)}) if stray else (text, {})
        )
    text = content.decode(encoding, "replace")
    return text, {"encoding": encoding}


def _wide(head: bytes) -> str:
    """UTF-16 without a mark shows as a zero in every other byte; "" for anything else."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) / 2
    if odd > 0.7 * half and even < 0.05 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.05 * half else ""
