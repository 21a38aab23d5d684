"""What the stages of a run ask of models: the ledger, its sums in words, and when a stage must stop."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from rarefy.flows.config import Config
from rarefy.flows.engine.progress import PULSE, ProgressLine
from rarefy.flows.engine.stages import models_asked
from rarefy.flows.faults import Fault, SpentFault, UsageFault
from rarefy.flows.models import roles
from rarefy.tasks.evaluate.systems.config import DETERMINED, SystemConfig
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.config import NANO, price_of
from rarefy.tasks.models.llm.faults import REASONS, BudgetSpent, Stopped, TooManyFailures
from rarefy.tasks.models.llm.reply_store import ReplyStore, Usage
from rarefy.tasks.store.recipe import CACHE, Inputs, Job
from rarefy.tasks.store.tables import Store

# Where replies are kept, as a URL. In the environment, not among a flow's parameters: those are stored and shown, and
# it may hold a password
REPLIES = "RAREFY_REPLIES"
MODEL_REFUSALS = {"model_declined"}  # answers, not failures


class RequestingRun(Protocol):
    """The part of a run (`flows.engine.run.Run`) that is needed to watch its requests."""

    store: Store

    def describe_usage(self, job: Job) -> str:
        """What a job asked in this run, for its progress line; "" where it asks nothing."""

    def usage(self, stage: str) -> list[Usage]:
        """The ledger's sums of a stage in this run."""

    def context_for(self, job: Job) -> InferenceContext:
        """How a job asks its models."""


def inference_context(
    config: Config, run: str, max_calls: int, max_cost: float, asked: Sequence[LLMConfig] | None = None
) -> InferenceContext:
    """How this run asks models: its name in the ledger, where replies are kept, its limits.

    `asked` are the models that it asks; None: those of a build. UsageFault where money is limited and a model has no
    price.
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


def cache_folder(store: Store) -> Path:
    """The folder in which the tools of a store keep replies and other results, unless a database is named."""
    return Path(store.root) if store.local else CACHE


def reply_store(store: Store, given: InferenceContext) -> ReplyStore:
    """The store of replies, with the ledger."""
    from rarefy.tasks.models.llm.reply_store import open_reply_store

    return open_reply_store(given.books, cache_folder(store))


def asks_model(job: Job) -> bool:
    """Whether a job asks a model."""
    return any(roles.model_of_tool(tool) for tool in job.tools.values())


def needs_model_worker(job: Job) -> bool:
    """Whether a job's model runs in the worker's own process (vLLM), which that of the flow may not hold."""
    return any(model.provider == "vllm" for tool in job.tools.values() if (model := roles.model_of_tool(tool)))


def count_requests(used: Sequence[Usage]) -> int:
    """The number of requests sent to models: a re-ask counts, a repeated try does not."""
    sent = [usage for usage in used if usage.outcome not in ("remembered", "stage_deadline")]
    return sum(usage.calls for usage in sent if usage.final or usage.outcome == "answered")


def describe_usage(used: Sequence[Usage], serving: RequestPolicy) -> str:
    """Calls, remembered replies, tokens, cost and failures in a few words."""
    currency = "/".join(sorted({price.currency for price in serving.prices}))
    calls = count_requests(used)
    kept = sum(usage.calls for usage in used if usage.outcome == "remembered")
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in used)
    cost = sum(usage.cost for usage in used)
    failed = count_failures(used).total()
    unread = sum(usage.calls for usage in used if usage.parse == "rejected")
    parts = [f"{calls:,} calls", f"{kept:,} remembered" if kept else "", f"{tokens:,} tokens" if tokens else ""]
    parts += [format_money(cost, currency) if cost else "", f"{unread:,} unparsable" if unread else ""]
    parts += [f"{failed - unread:,} failed" if failed > unread else ""]
    return ", ".join(filter(None, parts))


def format_money(nano: int, currency: str) -> str:
    """An amount in billionths of a currency with 2 digits, with 4 where it is less than 1."""
    amount = nano / NANO
    return f"{amount:,.{2 if amount >= 1 else 4}f} {currency}".strip()


def count_failures(used: Sequence[Usage]) -> Counter[str]:
    """The number of requests without a usable answer, by reason."""
    counted: Counter[str] = Counter()
    for usage in used:
        if usage.final and usage.parse == "rejected":
            counted["unparsable"] += usage.calls
        elif usage.final and usage.outcome in REASONS and usage.outcome not in MODEL_REFUSALS:
            counted[usage.outcome] += usage.calls
    return counted


def explain_failures(stage: str, used: Sequence[Usage], unanswered: Counter[str], budget: float) -> str:
    """Why a stage must stop, since more of its requests failed than its budget allows; "" where it need not.

    `unanswered` counts the rows of failures, by reason: a reply that could not be read is remembered, so that a second
    run has no line in the ledger for it.
    """
    booked = count_failures(used)
    rows = Counter({reason: count for reason, count in unanswered.items() if reason not in MODEL_REFUSALS})
    failed = max(booked, rows, key=Counter.total)
    seen = max(sum(usage.calls for usage in used if usage.final), failed.total())
    if failed.total() <= budget * seen:
        return ""
    from rarefy.tasks.models.llm.engine import failure_message  # late: it imports what sends requests

    return failure_message(stage, seen, failed, budget)


def stop_fault(stopped: Stopped, spent: str) -> Fault:
    """The fault that stopped a stage: a SpentFault (exit code 3) where the budget was spent."""
    return (SpentFault if isinstance(stopped, BudgetSpent) else Fault)(f"{stopped}{f' ({spent})' if spent else ''}")


@contextmanager
def watch_requests(
    run: RequestingRun, job: Job, line: ProgressLine, given: Sequence[Inputs], fresh: Mapping[int, dict[str, str]]
) -> Iterator[None]:
    """Within it, the line shows what was asked so far; Fault where the stage must stop.

    `fresh` is what was made of `given` so far, by place. Where too much went unanswered, it is forgotten, so that the
    next run tries again.
    """
    if not (asks_model(job) and given):
        try:
            with _show_kept_answers(job, run, line):
                yield
        except Stopped as stopped:
            raise stop_fault(stopped, "") from stopped
        return

    def tell() -> str:
        return run.describe_usage(job).removeprefix(" · ")

    try:
        with _show_regularly(line, tell):
            yield
        lost = count_unanswered(run.store, list(fresh.values()))
        if why := explain_failures(job.stage, run.usage(job.stage), lost, run.context_for(job).serving.failure_budget):
            raise TooManyFailures(why)
    except Stopped as stopped:
        if isinstance(stopped, TooManyFailures):
            for place, tables in fresh.items():
                if run.store.rows(tables["unanswered"]):
                    run.store.forget(job.recipe(given[place]))
        raise stop_fault(stopped, tell()) from stopped


@contextmanager
def _show_kept_answers(job: Job, run: RequestingRun, line: ProgressLine) -> Iterator[None]:
    """Within it, the line says how many answers of a user's own system are kept."""
    system = job.tools.get("system")
    if not isinstance(system, SystemConfig) or system.kind in DETERMINED:
        yield
        return
    from rarefy.tasks.evaluate.systems.answer_store import AnswerStore

    book = AnswerStore(cache_folder(run.store) / "answers.sqlite", system.identity())
    with _show_regularly(line, lambda: f"{book.count():,} answers kept"):
        yield


@contextmanager
def _show_regularly(line: ProgressLine, tell: Callable[[], str]) -> Iterator[None]:
    """Within it, the line shows what `tell` returns, every few seconds."""
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


def count_unanswered(store: Store, made: Sequence[dict[str, Any]]) -> Counter[str]:
    """The number of unanswered requests in these results, by reason."""
    named = [tables["unanswered"] for tables in made if "unanswered" in tables]
    return Counter(reason for table in store.over(store.table, named) for reason in table["reason"].to_pylist())
