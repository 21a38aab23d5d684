"""Concurrent questions to a paid or slow system, with outputs in input order and a limit on failures."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from itertools import islice
from typing import Any

from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput, explain_error
from rarefy.tasks.models.llm.faults import TooManyFailures

BLOCK = 64  # inputs that are looked up in the store together
BUDGET_CHECKED_AFTER = 200  # fewer answers are counted as this many: 5 % of a few says nothing
POLL = 1.0  # seconds: a signal that arrives just as a wait begins is handled only when the wait ends
INTERRUPT_PATIENCE = 3.0  # seconds to wait for running calls after Ctrl-C or SIGTERM
Submit = Callable[[SystemInput], "Future[SystemOutput]"]


def answer_in_order(
    asked: Iterable[SystemInput], begin: Submit, book: AnswerStore, ahead: int
) -> Iterator[SystemOutput]:
    """Yield one output for each input, in their order: from the store where it has one, else from `begin`.

    At most `ahead` calls, and a block, are running or waiting for their turn. When an exception ends this, or its
    caller closes it, calls that have not begun are cancelled, and running ones are waited for: they are paid for.
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
                known = book.find(list(dict.fromkeys(question.asked_id for question in block)))
                for question in block:
                    name = question.asked_id
                    answer: Future[SystemOutput] | SystemOutput | None = known.get(name) or under_way.get(name)
                    if answer is None:
                        answer = under_way[name] = begin(question)
                    queue.append((name, answer))
            if not queue:
                return
            name, answer = queue.popleft()
            if isinstance(answer, SystemOutput):
                yield answer
                continue
            while not wait([answer], POLL).done:
                pass
            output = answer.result()
            if not any(name == other for other, _ in queue):
                under_way.pop(name, None)
            yield output
    except BaseException as error:
        if not isinstance(error, Exception | GeneratorExit):  # Ctrl-C, and the signal to terminate
            patience = INTERRUPT_PATIENCE
        raise
    finally:
        for future in under_way.values():
            future.cancel()
        wait(under_way.values(), patience)


class FailureBudget:
    """Counts a system's failures; raises where too many come in a row, or too large a share of all answers."""

    def __init__(self, name: str, budget: float, in_a_row: int, limit: str) -> None:
        self.name, self.budget, self.limit = name, budget, limit  # limit: the config's name of `in_a_row`
        self.most, self.in_a_row, self.seen = in_a_row, 0, 0
        self.failed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, output: SystemOutput) -> SystemOutput:
        """Count an output and return it; TooManyFailures at a limit (no limits: `in_a_row` 0, `budget` 1.0)."""
        with self._lock:
            self.seen += 1
            if not output.error:
                self.in_a_row = 0
                return output
            self.failed[output.error] += 1
            self.in_a_row += 1
            failed, dead = self.failed.total(), 0 < self.most <= self.in_a_row
            # twice the budget while it runs, since failures come in bursts
            if not dead and failed <= min(2 * self.budget, 1.0) * max(self.seen, BUDGET_CHECKED_AFTER):
                return output
        codes = "; ".join(f"{count:,} {code} ({explain_error(code)})" for code, count in self.failed.most_common())
        why = (
            f"the last {self.in_a_row:,} in a row failed, as many as {self.limit} says"
            if dead
            else f"{failed:,} of {self.seen:,} failed, over serving.failure_budget = {self.budget:g}"
        )
        raise TooManyFailures(
            f"{self.name}: {why}: {codes}. The last: {output.detail}. Mend the cause or raise the limit, and run "
            "again: what was answered is kept"
        )


def clean_texts(output: SystemOutput, clean: Callable[[str], str]) -> SystemOutput:
    """Return the output with `clean` applied to each of its texts."""
    texts: dict[str, Any] = {name: clean(getattr(output, name)) for name in ("text", "model", "error", "detail")}
    retrieved = tuple(
        replace(passage, passage_id=clean(passage.passage_id), text=clean(passage.text), title=clean(passage.title))
        for passage in output.retrieved
    )
    return replace(output, **texts, retrieved=retrieved)
