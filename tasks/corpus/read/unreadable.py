"""How a reader says that a source cannot be worked on."""

from rarefy.data_contracts.breaches import without_addresses
from rarefy.data_contracts.rows import Quarantined, row_id
from rarefy.tasks.corpus.read.names import line, name


class Unreadable(Exception):
    """A source that cannot become a document: `reason` is its code, `detail` says what is wrong and the way out."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type["Unreadable"], tuple[str, str]]:
        """Two arguments again when it travels between processes."""
        return Unreadable, (self.reason, self.detail)


def failed(error: Exception) -> Unreadable:
    """What a reader raised that no reader means to raise; without addresses of memory, which differ at every run."""
    said = f"{type(error).__name__}: {without_addresses(str(error)):.200}"
    return Unreadable("reader_failed", f"{said}; write the file anew or remove it")


def quarantine(source: str, error: Unreadable) -> Quarantined:
    """The row that stands for a source which could not be read."""
    source = name(source)
    return Quarantined(
        quarantine_id=row_id("read", source, error.reason),
        stage="read",
        source=source,
        reason=error.reason,
        detail=line(error.detail),
    )
