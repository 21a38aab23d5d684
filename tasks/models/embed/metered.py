"""Requests for embeddings under the same limits, budget and ledger as all others of a run."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import BudgetSpent
from rarefy.tasks.models.llm.open_reply_store import open_reply_store
from rarefy.tasks.models.llm.prices import cost, price_of
from rarefy.tasks.models.llm.reply_store import NANO, Call

CHARACTERS = 4  # per token, where the provider does not count


@dataclass(slots=True)
class Told:
    """What became of one try."""

    outcome: str = "answered"  # or a code of faults.REASONS
    tokens: int = 0  # as the provider counts them; 0: it does not
    final: bool = True


class Meter:
    """Lets requests pass as the run's limits allow, and writes each in the ledger; a run without a name has neither."""

    def __init__(self, model: str, name: str, cache: Path | None, means: InferenceContext) -> None:
        self.model, self.name, self.means = model, name, means
        self.price = price_of(LLMConfig.model_validate({"provider": "openai", "model": model}), means.serving.prices)
        self.books = (
            open_reply_store(means.books, cache or Path(means.cache)) if means.run and (cache or means.books) else None
        )

    @contextmanager
    def call(self, characters: int) -> Iterator[Told]:
        """One try of a request with so many characters, once it is allowed; BudgetSpent where nothing is left."""
        told, means, books = Told(), self.means, self.books
        if books is None:
            yield told
            return
        limits = (means.max_calls, round(means.max_cost * NANO))
        worst = cost(self.price, characters // 2 + 50, 0)  # a token is rarely under two characters
        if any(limits):
            self._reserve(worst, limits)
        try:
            self._wait(characters)
            began = time.monotonic()
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
        try:
            books.keep([line], [])
        finally:  # the call was made, whether it could be written down or not
            if any(limits):
                books.settle(means.run, worst - line.cost)

    def _reserve(self, worst: int, limits: tuple[int, int]) -> None:
        """Take a call and the most it can cost of the run's budget; BudgetSpent with the limit, where it cannot.

        Other requests under way may give back a part of what they reserved, so that the ledger says what is spent.
        """
        assert self.books is not None
        means = self.means
        patience = time.monotonic() + means.serving.call_deadline
        calls, money = f"--max-calls {limits[0]:,}", f"--max-cost {means.max_cost:g}"
        while not self.books.reserve(means.run, worst, limits):
            sent = [
                used for used in self.books.usage(means.run) if used.outcome not in {"remembered", "stage_deadline"}
            ]
            if 0 < limits[0] <= sum(used.calls for used in sent):
                met = calls
            elif 0 < limits[1] < worst:
                raise BudgetSpent(
                    f"{means.stage or 'embeddings'}: {money} is too little for one request, which may cost up to "
                    f"{worst / NANO:.4f}; raise it"
                )
            elif 0 < limits[1] < sum(used.cost for used in sent) + worst:
                met = money
            elif time.monotonic() > patience:  # a run that was killed gives nothing back
                met = " or ".join(text for text, limit in zip((calls, money), limits, strict=True) if limit)
            else:
                time.sleep(0.05)
                continue
            raise BudgetSpent(
                f"{means.stage or 'embeddings'}: {met} is reached; what was embedded is kept, run the same command "
                "again to go on"
            )

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
