"""Requests for embeddings under the same limits, budget and ledger as all others of a run."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rarefy.tasks.llm.books import NANO, Call, opened
from rarefy.tasks.llm.config import LLMConfig, Means
from rarefy.tasks.llm.faults import BudgetSpent
from rarefy.tasks.llm.prices import cost, price_of

CHARACTERS = 4  # per token, where the provider does not count


@dataclass(slots=True)
class Told:
    """What became of one try."""

    outcome: str = "answered"  # or a code of faults.REASONS
    tokens: int = 0  # as the provider counts them; 0: it does not
    final: bool = True


class Meter:
    """Lets requests pass as the run's limits allow, and writes each in the ledger; a run without a name has neither."""

    def __init__(self, model: str, name: str, cache: Path | None, means: Means) -> None:
        self.model, self.name, self.means = model, name, means
        self.price = price_of(LLMConfig.model_validate({"provider": "openai", "model": model}), means.serving.prices)
        self.books = opened(means.books, cache or Path(means.cache)) if means.run and (cache or means.books) else None

    @contextmanager
    def call(self, characters: int) -> Iterator[Told]:
        """One try of a request with so many characters, once it is allowed; BudgetSpent where nothing is left."""
        told, means, books = Told(), self.means, self.books
        if books is None:
            yield told
            return
        limits = (means.max_calls, round(means.max_cost * NANO))
        worst = cost(self.price, characters // 2 + 50, 0)  # a token is rarely under two characters
        if any(limits) and not books.reserve(means.run, worst, limits):
            spent = f"--max-calls {limits[0]:,}" if limits[0] else f"--max-cost {means.max_cost:g}"
            raise BudgetSpent(
                f"{means.stage or 'embeddings'}: {spent} is reached; what was embedded is kept, run the same command "
                "again to go on"
            )
        self._wait(characters)
        began = time.monotonic()
        try:
            yield told
        except BaseException:  # nothing will ever be answered there, so that nothing is owed
            if any(limits):
                books.settle(means.run, worst, 1)
            raise
        counted = told.tokens or (characters // CHARACTERS + 1) * (told.outcome == "answered")
        line = Call(
            means.run,
            means.stage,
            self.model,
            "",
            told.outcome,
            prompt_tokens=counted,
            cost=cost(self.price, counted, 0),
            seconds=time.monotonic() - began,
            at=time.time(),
            final=told.final,
            unmetered=int(counted > 0 and not told.tokens),
        )
        books.keep([line], [])
        if any(limits):
            books.settle(means.run, worst - line.cost)

    def _wait(self, characters: int) -> None:
        """Return when this request's turn in the limits per minute has come and nobody is told to wait."""
        assert self.books is not None
        serving = self.means.serving
        most = (serving.requests_per_minute, serving.tokens_per_minute)
        wait = 0.0
        if any(most):
            tokens = min(characters // CHARACTERS + 1, most[1] or characters)
            wait = self.books.pace(self.name, 1, tokens, most, time.time())
        while wait > 0 or (wait := self.books.held(self.name, time.time())) > 0:
            time.sleep(wait)
            wait = 0.0
