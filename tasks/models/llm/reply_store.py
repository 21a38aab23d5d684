"""What was answered and what it cost: replies by key, the ledger, shared limits and budgets, in one place.

One database, so that a reply and the line of the ledger that paid for it are written together or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rarefy.data_contracts.rows import Reply

NANO = 1_000_000_000  # costs are whole numbers of a billionth of the currency: sums are exact


@dataclass(frozen=True, slots=True)
class Call:
    """A line of the ledger: one try of one request, or `count` replies that were remembered."""

    run: str
    stage: str
    model: str
    request_id: str
    outcome: str  # answered | remembered | a code of faults.REASONS (a 429 is rate_limited)
    parse: str = ""  # clean | fenced | repaired | reasked | rejected; "" where no schema was asked for
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: int = 0  # in billionths of the currency
    seconds: float = 0.0
    at: float = 0.0  # Unix time
    final: bool = True  # nothing more is tried for this request
    count: int = 1
    unmetered: int = 0  # 1: the reply had no usage, the tokens are our estimate
    characters: int = 0  # of the prompt, where its tokens were metered: what a token is long is known from these


@dataclass(frozen=True, slots=True)
class Usage:
    """The ledger's lines of one run, stage, model, outcome and parse, summed."""

    stage: str
    model: str
    outcome: str
    parse: str
    final: bool
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    cost: int
    seconds: float
    unmetered: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply worth keeping, under its key; `made_of` says in JSON what made the key, in parts that fit a screen."""

    key: str
    made_of: str
    reply: Reply


class ReplyStore(Protocol):
    """Shared by every thread, process and machine of a run; each method is one transaction. `now` is Unix time."""

    def find(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The replies kept under these keys (their request_id is the first asker's)."""

    def keep(self, calls: Sequence[Call], replies: Sequence[Kept]) -> None:
        """Write these lines of the ledger and these replies; a reply whose key is known stays as it was."""

    def usage(self, run: str) -> list[Usage]:
        """The ledger of a run; of all runs for ""."""

    def explain(self, name: str) -> list[Kept]:
        """The replies whose key begins with `name` or whose first asker's request id is `name`, newest first."""

    def pace(self, name: str, requests: int, tokens: int, per_minute: tuple[int, int], now: float) -> float:
        """Take so many requests and tokens of what `name` (endpoint and model) may per minute; seconds to wait first.

        Never more than `per_minute` (requests, tokens; 0: no limit) in any 60 seconds, whoever asks.
        """

    def refund(self, name: str, tokens: int, per_minute: tuple[int, int]) -> None:
        """Give back tokens that were taken and not used (negative: more were used than were taken).

        Those who take after it go earlier; the limit holds for what was taken, less what was given back meanwhile.
        """

    def hold(self, name: str, until: float, now: float) -> None:
        """Nobody asks `name` before this time: it said Retry-After."""

    def held(self, name: str, now: float) -> float:
        """Seconds for which `name` is held."""

    def reserve(self, run: str, cost: int, limits: tuple[int, int]) -> bool:
        """Take one call and at most this cost of a run's budget (calls, cost; 0: no limit); False: not enough left."""

    def settle(self, run: str, cost: int, calls: int = 0) -> None:
        """Give back what of a reservation was not used: so much cost, and so many calls that were never sent."""
