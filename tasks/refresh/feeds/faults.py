"""What stops a feed: told in one sentence with the way out."""

from rarefy.tasks.models.llm.secrets import redacted

LONGEST = 5_000  # letters of a message


class FeedFault(Exception):
    """A feed cannot go on as it is set up: somebody has to mend something. Addresses are told without keys."""

    def __init__(self, told: str) -> None:
        super().__init__(redacted(told, LONGEST))


class Refused(FeedFault):
    """This document is not taken, and never will be as it is."""


class Later(FeedFault):
    """Not now: another try may go well. `after` is in seconds, where the other side says so."""

    def __init__(self, told: str, after: float = 0.0) -> None:
        super().__init__(told)
        self.after = after
