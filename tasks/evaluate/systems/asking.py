"""Many asked at once and answered in order, each kept the moment it comes: for systems that are paid or slow."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from itertools import islice

from rarefy.tasks.evaluate.systems.book import Book
from rarefy.tasks.evaluate.systems.faults import meaning
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm.faults import TooManyFailures

BLOCK = 64  # looked up together
SEEN = 200  # answers before the failure budget is looked at: 5 % of fewer says nothing
INTERRUPTED = 3.0  # seconds for what is under way once a person wants out
Begin = Callable[[SystemInput], "Future[SystemOutput]"]


def in_order(asked: Iterable[SystemInput], begin: Begin, book: Book, ahead: int) -> Iterator[SystemOutput]:
    """One answer for each, in their order: kept ones at once, the others as `begin` gives them.

    At most `ahead` are under way or wait for their turn, beside a block. Where it is stopped, or its caller takes no
    more, those that have not begun never do, and those that have are waited for: they are paid for.
    """
    source = iter(asked)
    queue: deque[tuple[str, Future[SystemOutput] | SystemOutput]] = deque()
    under_way: dict[str, Future[SystemOutput]] = {}
    more, patience = True, None
    try:
        while True:
            while more and len(queue) < max(ahead, 1):
                block = list(islice(source, BLOCK))
                more = len(block) == BLOCK
                known = book.find(list(dict.fromkeys(one.asked_id for one in block)))
                for one in block:
                    name = one.asked_id
                    answer: Future[SystemOutput] | SystemOutput | None = known.get(name) or under_way.get(name)
                    if answer is None:
                        answer = under_way[name] = begin(one)
                    queue.append((name, answer))
            if not queue:
                return
            name, answer = queue.popleft()
            if isinstance(answer, SystemOutput):
                yield answer
                continue
            said = answer.result()
            if not any(name == other for other, _ in queue):
                under_way.pop(name, None)
            yield said
    except BaseException as error:
        if not isinstance(error, Exception | GeneratorExit):  # Ctrl-C, and the signal to terminate
            patience = INTERRUPTED
        raise
    finally:
        for future in under_way.values():
            future.cancel()
        wait(under_way.values(), patience)


class Tally:
    """Counts how a system's answers fare, and stops where it is taken for dead or fails more often than may be."""

    def __init__(self, name: str, budget: float, in_a_row: int, limit: str) -> None:
        self.name, self.budget, self.limit = name, budget, limit  # limit: the config's name of `in_a_row`
        self.most, self.in_a_row, self.seen = in_a_row, 0, 0
        self.failed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, said: SystemOutput) -> SystemOutput:
        """What was said; TooManyFailures where it is one too many (both limits: 0 is none, 1.0 is none)."""
        with self._lock:
            self.seen += 1
            if not said.error:
                self.in_a_row = 0
                return said
            self.failed[said.error] += 1
            self.in_a_row += 1
            failed, dead = self.failed.total(), 0 < self.most <= self.in_a_row
            # twice the budget while it runs, since failures come in bursts
            if not dead and failed <= min(2 * self.budget, 1.0) * max(self.seen, SEEN):
                return said
        told = "; ".join(f"{count:,} {code} ({meaning(code)})" for code, count in self.failed.most_common())
        why = (
            f"the last {self.in_a_row:,} in a row failed, as many as {self.limit} says"
            if dead
            else f"{failed:,} of {self.seen:,} failed, over serving.failure_budget = {self.budget:g}"
        )
        raise TooManyFailures(
            f"{self.name}: {why}: {told}. The last: {said.detail}. Mend the cause or raise the limit, and run again: "
            "what was answered is kept"
        )


def tidy(said: SystemOutput, clean: Callable[[str], str]) -> SystemOutput:
    """What was said with each of its texts cleaned."""
    return replace(
        said,
        text=clean(said.text),
        model=clean(said.model),
        error=clean(said.error),
        detail=clean(said.detail),
        retrieved=tuple(
            replace(one, passage_id=clean(one.passage_id), text=clean(one.text), title=clean(one.title))
            for one in said.retrieved
        ),
    )
