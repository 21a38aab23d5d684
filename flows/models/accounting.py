"""What the stages of a run ask of models: where it is booked, what it came to, and when a stage must stop for it."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from rarefy.flows.config import Config
from rarefy.flows.engine.progress import PULSE, Line
from rarefy.flows.engine.stages import models_asked
from rarefy.flows.faults import Fault, SpentFault, UsageFault
from rarefy.flows.models import roles
from rarefy.tasks.evaluate.systems.config import BUILT_IN, SystemConfig
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.faults import REASONS, BudgetSpent, Stopped, TooManyFailures
from rarefy.tasks.models.llm.prices import price_of
from rarefy.tasks.models.llm.reply_store import NANO, ReplyStore, Usage
from rarefy.tasks.store.recipe import CACHE, Given, Job
from rarefy.tasks.store.tables import Store

# Where replies are kept, as a URL. In the environment, not among a flow's parameters: those are stored and shown, and
# it may hold a password
REPLIES = "RAREFY_REPLIES"
OF_THE_MODEL = {"model_declined"}  # answers, not failures


class Asking(Protocol):
    """What of a run (`flows.engine.run.Run`) is needed to watch what its stages ask."""

    store: Store

    def spent(self, job: Job) -> str:
        """What a job asked in this run, for its line; "" where it asks nothing."""

    def used(self, stage: str) -> list[Usage]:
        """The ledger's sums of a stage in this run."""

    def by(self, job: Job) -> InferenceContext:
        """How a job asks."""


def means(
    config: Config, run: str, max_calls: int, max_cost: float, asked: Sequence[LLMConfig] | None = None
) -> InferenceContext:
    """How this run asks: its name in the ledger, where replies are kept, its limits.

    `asked` are the models that it asks; those of a build where none are told. UsageFault where money is limited and a
    model has no price.
    """
    asked = models_asked(config) if asked is None else asked
    unpriced = sorted({m.model for m in asked if not price_of(m, config.serving.prices)})
    if max_cost and unpriced:
        raise UsageFault(
            f"--max-cost {max_cost:g}: no price for {', '.join(unpriced)}; add it to serving.prices, or use --max-calls"
        )
    return InferenceContext(
        run=run,
        books=os.environ.get(REPLIES, ""),
        serving=config.serving,
        max_calls=max_calls,
        max_cost=max_cost,
    )


def place(store: Store) -> Path:
    """Where a store's tools remember what they did, replies among it, unless a database is named."""
    return Path(store.root) if store.local else CACHE


def books(store: Store, given: InferenceContext) -> ReplyStore:
    """The replies and the ledger of a run."""
    from rarefy.tasks.models.llm.open_reply_store import (
        open_reply_store,  # late: a build without models opens no database
    )

    return open_reply_store(given.books, place(store))


def asks(job: Job) -> bool:
    """Does this job ask a model?"""
    return any(roles.behind(tool) for tool in job.tools.values())


def elsewhere(job: Job) -> bool:
    """Does this job's model live in the process of whoever works, so that the flow's own may not hold it?"""
    return any(model.provider == "vllm" for tool in job.tools.values() if (model := roles.behind(tool)))


def sent(used: Sequence[Usage]) -> int:
    """How many requests went to a model: a re-ask is one more, a try that was repeated is none."""
    mine = [one for one in used if one.outcome not in ("remembered", "stage_deadline")]
    return sum(one.calls for one in mine if one.final or one.outcome == "answered")


def told(used: Sequence[Usage], serving: RequestPolicy) -> str:
    """What was asked and what it came to, in a few words."""
    currency = "/".join(sorted({price.currency for price in serving.prices}))
    calls = sent(used)
    kept = sum(one.calls for one in used if one.outcome == "remembered")
    tokens = sum(one.prompt_tokens + one.completion_tokens for one in used)
    cost = sum(one.cost for one in used)
    failed = failures(used).total()
    unread = sum(one.calls for one in used if one.parse == "rejected")
    parts = [f"{calls:,} calls", f"{kept:,} remembered" if kept else "", f"{tokens:,} tokens" if tokens else ""]
    parts += [money(cost, currency) if cost else "", f"{unread:,} unparsable" if unread else ""]
    parts += [f"{failed - unread:,} failed" if failed > unread else ""]
    return ", ".join(filter(None, parts))


def money(nano: int, currency: str) -> str:
    """An amount as a person writes it, in as many digits as it takes to see it."""
    amount = nano / NANO
    return f"{amount:,.{2 if amount >= 1 else 4}f} {currency}".strip()


def failures(used: Sequence[Usage]) -> Counter[str]:
    """How many requests got no usable answer, by reason."""
    counted: Counter[str] = Counter()
    for one in used:
        if one.final and one.parse == "rejected":
            counted["unparsable"] += one.calls
        elif one.final and one.outcome in REASONS and one.outcome not in OF_THE_MODEL:
            counted[one.outcome] += one.calls
    return counted


def over(stage: str, used: Sequence[Usage], unanswered: Counter[str], budget: float) -> str:
    """Why a stage must stop, "" where it need not: more requests of it failed than its budget allows.

    `unanswered` counts the rows that tell of failures, by reason: a reply that could not be read is remembered, so that
    a second run has no line in the ledger for it.
    """
    booked = failures(used)
    rows = Counter({reason: count for reason, count in unanswered.items() if reason not in OF_THE_MODEL})
    failed = max(booked, rows, key=Counter.total)
    seen = max(sum(one.calls for one in used if one.final), failed.total())
    if failed.total() <= budget * seen:
        return ""
    from rarefy.tasks.models.llm.engine import too_many  # late: it imports what sends requests

    return too_many(stage, seen, failed, budget)


def fault(stopped: Stopped, spent: str) -> Fault:
    """What stopped a stage, as it is told: exit code 3 where only the budget was spent."""
    return (SpentFault if isinstance(stopped, BudgetSpent) else Fault)(f"{stopped}{f' ({spent})' if spent else ''}")


@contextmanager
def watched(
    run: Asking, job: Job, line: Line, given: Sequence[Given], fresh: Mapping[int, dict[str, str]]
) -> Iterator[None]:
    """Work in here that asks models shows what it asks, and ends in a Fault where it must stop.

    `fresh` is what was made of `given` so far, by place. Where too much went unanswered it is no result: the next run
    tries again.
    """
    if not (asks(job) and given):
        try:
            with _answering(job, run, line):
                yield
        except Stopped as stopped:
            raise fault(stopped, "") from stopped
        return

    def tell() -> str:
        return run.spent(job).removeprefix(" · ")

    try:
        with _shown(line, tell):
            yield
        lost = reasons(run.store, list(fresh.values()))
        if why := over(job.stage, run.used(job.stage), lost, run.by(job).serving.failure_budget):
            raise TooManyFailures(why)
    except Stopped as stopped:
        if isinstance(stopped, TooManyFailures):
            for place, tables in fresh.items():
                if run.store.rows(tables["unanswered"]):
                    run.store.forget(job.recipe(given[place]))
        raise fault(stopped, tell()) from stopped


@contextmanager
def _answering(job: Job, run: Asking, line: Line) -> Iterator[None]:
    """Meanwhile the line says how many answers of a system of somebody's own are kept."""
    system = job.tools.get("system")
    if not isinstance(system, SystemConfig) or system.kind in BUILT_IN:
        yield
        return
    from rarefy.tasks.evaluate.systems.book import Book

    book = Book(place(run.store) / "answers.sqlite", system.identity())
    with _shown(line, lambda: f"{book.count():,} answers kept"):
        yield


@contextmanager
def _shown(line: Line, tell: Callable[[], str]) -> Iterator[None]:
    """Meanwhile the line says every few seconds what was asked so far."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(PULSE):
            line.aside(tell())

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def reasons(store: Store, made: Sequence[dict[str, Any]]) -> Counter[str]:
    """Why requests of these results went unanswered, counted."""
    named = [tables["unanswered"] for tables in made if "unanswered" in tables]
    return Counter(reason for table in store.over(store.table, named) for reason in table["reason"].to_pylist())
