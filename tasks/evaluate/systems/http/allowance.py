"""What a run may ask of an endpoint: so many calls a minute over all workers, so many in all; each in the ledger."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import BudgetSpent
from rarefy.tasks.models.llm.open_reply_store import open_reply_store
from rarefy.tasks.models.llm.reply_store import NANO, Call

Given = TypeVar("Given")


class Allowance:
    """The limits of a run, shared with all its workers; a run without a name has none."""

    def __init__(self, name: str, cache: Path, means: InferenceContext) -> None:
        self.name, self.means = name, means
        self.books = open_reply_store(means.books, cache) if means.run else None

    async def take(self) -> float:
        """Take one call; the seconds to wait before it is sent. BudgetSpent where none is left."""
        if self.books is None:
            return 0.0
        most, a_minute = self.means.max_calls, self.means.serving.requests_per_minute
        if most and not await _off(self.books.reserve, self.means.run, 0, (most, 0)):
            raise BudgetSpent(
                f"{self.means.stage or self.name}: --max-calls {most:,} is reached; what was answered is kept, run the "
                "same command again to go on"
            )
        if not a_minute:
            return 0.0
        return await _off(self.books.pace, self.name, 1, 0, (a_minute, 0), time.time())

    async def note(
        self, asked_id: str, outcome: str, seconds: float, final: bool, said: SystemOutput | None = None
    ) -> None:
        """Write a call in the ledger."""
        if self.books is None:
            return
        told = said or SystemOutput(asked_id)
        line = Call(
            self.means.run,
            self.means.stage,
            self.name,
            asked_id,
            outcome,
            prompt_tokens=told.prompt_tokens,
            completion_tokens=told.completion_tokens,
            cost=round(told.cost * NANO),
            seconds=seconds,
            at=time.time(),
            final=final,
        )
        await _off(self.books.keep, [line], [])


async def _off(work: Callable[..., Given], *arguments: Any) -> Given:
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)
