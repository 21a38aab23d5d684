"""The errors of feeds; each message says in one sentence what is wrong and the way out."""

from rarefy.tasks.models.llm.secrets import redacted

LONGEST = 5_000  # letters of a message


class FeedFault(Exception):
    """A feed cannot go on until somebody mends something. Keys in addresses are left out of the message."""

    def __init__(self, message: str) -> None:
        super().__init__(redacted(message, LONGEST))


class Refused(FeedFault):
    """This document is not taken, now or later."""


class TryLater(FeedFault):
    """It failed now and may go well later; `after` is in seconds, where the server says so."""

    def __init__(self, message: str, after: float = 0.0) -> None:
        super().__init__(message)
        self.after = after
