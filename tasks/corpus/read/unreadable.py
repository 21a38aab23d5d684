"""Report sources that cannot be read: error, quarantine row, size limits, and names that are safe to write down."""

import re

from rarefy.data_contracts.breaches import without_addresses
from rarefy.data_contracts.rows import Quarantined, row_id

# Safe names and texts

_SURROGATE = re.compile("[\ud800-\udfff]")  # halves of characters, which JSON may hold alone and UTF-8 has not
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\\s|\\s\\Z")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def one_line_id(text: str) -> str:
    """An id on one line; what does not fit is written as its number, so that two ids stay two."""
    return _UNFIT.sub(_numbered, text)


def without_surrogates(text: str) -> str:
    """The text, as long as before, with every lone surrogate as the replacement character."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The text on one line."""
    text = without_surrogates(text)
    return " ".join(_BREAKS.sub(" ", text).split()) if _BREAKS.search(text) else text.strip()


def _numbered(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Unreadable(Exception):
    """A source that cannot become a document: `reason` is its code, `detail` says what is wrong and the way out."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type["Unreadable"], tuple[str, str]]:
        """Two arguments again when it travels between processes."""
        return Unreadable, (self.reason, self.detail)


def describe_failure(error: Exception) -> Unreadable:
    """What a reader raised that no reader means to raise; without addresses of memory, which differ at every run."""
    message = f"{type(error).__name__}: {without_addresses(str(error)):.200}"
    return Unreadable("reader_failed", f"{message}; write the file anew or remove it")


def quarantine_source(source: str, error: Unreadable) -> Quarantined:
    """The row that stands for a source which could not be read."""
    source = one_line_id(source)
    return Quarantined(
        quarantine_id=row_id("read", source, error.reason),
        stage="read",
        source=source,
        reason=error.reason,
        detail=one_line(error.detail),
    )


# Size limits

LITTLE = 20_000_000  # bytes that any file may unpack to, however small it is


class UnpackedSize:
    """What a file of `packed` bytes may still unpack to: `most` bytes in all, `ratio` times its size."""

    def __init__(self, packed: int, most: int, ratio: int) -> None:
        self.most = min(most, max(LITTLE, packed * ratio))
        self.packed = packed
        self.left = self.most

    def take(self, size: int) -> None:
        """Count so many bytes more. Raises Unreadable where they are too many, and whenever it is asked after that."""
        self.left -= size
        if self.left < 0:
            raise Unreadable(
                "too_large",
                f"its {self.packed:,} bytes unpack to more than {self.most:,}; split the file, write it unpacked, or "
                "raise read.max_ratio and read.max_unpacked_bytes",
            )


def check_length(text: str, most: int) -> None:
    """Nothing, unless the text has more characters: Unreadable `too_large`."""
    if len(text) > most:
        raise Unreadable(
            "too_large",
            f"{len(text):,} characters of text, over the limit of {most:,}; split the document or raise "
            "read.max_characters",
        )
