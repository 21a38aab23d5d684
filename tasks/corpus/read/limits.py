"""How much a document may come to: counted while it is unpacked, so that the outcome hangs on its bytes alone."""

from rarefy.tasks.corpus.read.unreadable import Unreadable

LITTLE = 20_000_000  # bytes that any file may unpack to, however small it is


class Unpacked:
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
