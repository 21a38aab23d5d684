"""What models did for a build and what it cost, beside the estimate."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from rarefy.data_contracts.rows import Chunk, Judgement, Triplet
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import OF_EVALUATION, Config
from rarefy.flows.engine.run import Run, Tables
from rarefy.flows.engine.stages import NAMES, models_asked
from rarefy.flows.models import accounting, request_forecast, roles
from rarefy.tasks.knowledge.extract.model import ExtractionYield, count_yields
from rarefy.tasks.models.llm import LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.config import NANO, price_of
from rarefy.tasks.models.llm.reply_store import Usage
from rarefy.tasks.questions.grade.agreement import describe_agreement, judge_agreements
from rarefy.tasks.store.tables import Store, digest

READ = ("clean", "fenced", "repaired", "reasked", "rejected")  # how replies kept their schema, best first
UNPRICED = "no price"  # in the config


@dataclass(frozen=True)
class ModelUsage:
    """What one model did for one stage, over all runs of a build."""

    stage: str
    model: str
    calls: int  # requests sent, re-asks among them; tries that were repeated are `repeated`
    repeated: int
    remembered: int
    failed: dict[str, int]  # by reason
    read: dict[str, int]  # replies with a schema, by how they kept it
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    unmetered: int  # calls whose tokens the provider did not tell: they are estimated
    cost: float  # in `currency`
    currency: str  # "" where the config has no price
    seconds: float  # of all calls together, most of them at the same time


@dataclass(frozen=True)
class Spending:
    """All that a build asked of models, with its estimate, the yield of extraction and the judges' agreement."""

    used: tuple[ModelUsage, ...]
    estimate: tuple[dict[str, Any], ...] = ()  # by stage and model, as `rarefy estimate` kept it
    runs: int = 1
    yields: tuple[ExtractionYield, ...] = ()
    agreement: tuple[str, ...] = ()


def estimate_name(corpus: str, config: Config) -> str:
    """The name under which the store keeps the estimate and the runs of a build."""
    what = config.model_dump(mode="json", exclude={"serving", "card", *OF_EVALUATION})
    return f"estimates/{digest([corpus, what])}"


def keep_estimate(run: Run, config: Config, estimate: dict[str, Any]) -> None:
    """Keep the estimate for the build's report, unless the build has begun: then it is not one of the whole."""
    name = estimate_name(run.corpus, config)
    if not (request_forecast.read_json(run.store, name) or {}).get("runs"):
        run.store.write(name, json.dumps({"estimate": estimate, "runs": []}).encode())


def compute_spending(run: Run, config: Config, tables: Tables | None) -> Spending | None:
    """What this build has spent so far, in this run and those before it; None where it asks no model.

    Notes this run as one of the build, and with the tables of a finished build its rates for the next estimate.
    """
    if not models_asked(config) or not run.corpus:
        return None
    name = estimate_name(run.corpus, config)
    kept: dict[str, Any] = request_forecast.read_json(run.store, name) or {"runs": []}
    runs = kept["runs"]
    if run.usage() and run.context.run not in runs:
        runs = [*runs, run.context.run]
        run.store.write(name, json.dumps({**kept, "runs": runs}).encode())
    books = accounting.reply_store(run.store, run.context)
    used = [one for each in runs for one in books.usage(each)]
    made = Spending(
        used=tuple(sorted(_sum_usage(used, config.serving), key=lambda one: NAMES.index(one.stage))),
        estimate=tuple((kept.get("estimate") or {}).get("stages", ())),
        runs=len(runs),
    )
    if tables is None:
        return made
    _remember(run.store, config, tables)
    return Spending(
        made.used, made.estimate, made.runs, _yields(run.store, config, tables), _agreement(run, config, tables)
    )


def usage_records(spent: Spending) -> list[dict[str, str]]:
    """Calls and failures, as rows of a table."""
    return [
        {
            "stage": one.stage,
            "model": roles.short_name(one.model),
            "calls": f"{one.calls:,}",
            "repeated": f"{one.repeated:,}",
            "remembered": f"{one.remembered:,}",
            "failed": ", ".join(f"{count:,} {reason}" for reason, count in one.failed.items()) or "0",
        }
        for one in spent.used
    ]


def money_records(spent: Spending) -> list[dict[str, str]]:
    """Tokens and cost, as rows of a table."""
    return [
        {
            "stage": one.stage,
            "model": roles.short_name(one.model),
            "tokens in": f"{one.prompt_tokens:,}",
            "of them cached": f"{one.cached_tokens:,}",
            "tokens out": f"{one.completion_tokens:,}",
            "cost": accounting.format_money(round(one.cost * NANO), one.currency) if one.currency else UNPRICED,
            "call seconds": f"{one.seconds:,.1f}",
        }
        for one in spent.used
    ]


def schema_records(spent: Spending) -> list[dict[str, str]]:
    """How replies kept their schema, as rows of a table."""
    return [
        {"stage": one.stage, "model": roles.short_name(one.model), **{how: f"{one.read.get(how, 0):,}" for how in READ}}
        for one in spent.used
        if one.read
    ]


def estimate_records(spent: Spending) -> list[dict[str, str]]:
    """Estimated and actual calls, tokens and cost, as rows of a table; [] where nothing was estimated."""
    actual = {(one.stage, one.model): one for one in spent.used}
    estimated = {(one["stage"], one["model"]): one for one in spent.estimate}
    rows = []
    for stage, model in sorted(
        {*actual, *estimated} if estimated else (), key=lambda key: (NAMES.index(key[0]), key[1])
    ):
        one, before = actual.get((stage, model)), estimated.get((stage, model))
        tokens = one.prompt_tokens + one.completion_tokens if one else 0
        currency = before["currency"] if before else one.currency if one else ""
        cost = [before["cost"][1] if before else 0, one.cost * NANO if one else 0]
        rows.append(
            {
                "stage": stage,
                "model": roles.short_name(model),
                "calls": f"{before['calls'][1] if before else 0:,.0f} → {one.calls if one else 0:,}",
                "tokens": f"{before['prompt'][1] + before['completion'][1] if before else 0:,.0f} → {tokens:,}",
                "cost": " → ".join(accounting.format_money(round(nano), currency) for nano in cost)
                if currency
                else UNPRICED,
            }
        )
    return rows


def yield_records(spent: Spending) -> list[dict[str, str]]:
    """Claimed and accepted triplets per chunk, as rows of a table."""
    return [
        {
            "domain": one.domain,
            "chunks": f"{one.chunks:,}",
            "claimed": f"{one.claimed:,}",
            "accepted": f"{one.accepted:,}",
            "per chunk": f"{one.per_chunk:.2f}",
        }
        for one in spent.yields
    ]


def spending_as_json(spent: Spending) -> dict[str, Any]:
    """The spending as JSON."""
    return {
        **asdict(spent),
        "yields": [{**asdict(one), "per_chunk": round(one.per_chunk, 4)} for one in spent.yields],
    }


def _sum_usage(lines: Sequence[Usage], serving: RequestPolicy) -> Iterator[ModelUsage]:
    def key(one: Usage) -> tuple[str, str]:
        return one.stage, one.model

    for (stage, model), group in groupby(sorted(lines, key=key), key=key):
        some = list(group)
        price = price_of(LLMConfig.model_construct(model=model), serving.prices)
        yield ModelUsage(
            stage=stage,
            model=model,
            calls=accounting.count_requests(some),
            repeated=sum(one.calls for one in some if not one.final and one.outcome != "answered"),
            remembered=sum(one.calls for one in some if one.outcome == "remembered"),
            failed=dict(accounting.count_failures(some).most_common()),
            read=dict(sum((Counter({one.parse: one.calls}) for one in some if one.parse in READ), Counter())),
            prompt_tokens=sum(one.prompt_tokens for one in some),
            completion_tokens=sum(one.completion_tokens for one in some),
            cached_tokens=sum(one.cached_tokens for one in some),
            unmetered=sum(one.unmetered for one in some),
            cost=sum(one.cost for one in some) / NANO,
            currency=price.currency if price else "",
            seconds=round(sum(one.seconds for one in some), 3),
        )


def _yields(store: Store, config: Config, tables: Tables) -> tuple[ExtractionYield, ...]:
    if "model" not in config.extract.methods:
        return ()
    triplets, chunks = store.table(tables["triplets"]), store.table(tables["chunks"])
    return tuple(count_yields(from_table(triplets, Triplet), from_table(chunks, Chunk)))


def _agreement(run: Run, config: Config, tables: Tables) -> tuple[str, ...]:
    rows = list(from_table(run.store.table(tables["judgements"]), Judgement))
    return tuple(describe_agreement(one) for one in judge_agreements(rows, config.grade.keep_above))


def _remember(store: Store, config: Config, tables: Mapping[str, str]) -> None:
    """Keep the rates of a finished build for the next estimate."""
    paths, questions = store.table(tables["paths"]), store.table(tables["questions"])
    # a path without a question is one of which nothing was asked, unless the model was, and gave none
    about = zip(*(questions[name].to_pylist() for name in ("path_id", "text", "rejected_because")), strict=True)
    asked = ("model_declined", "unanswered", "not_worth_asking")
    left_out = {path for path, text, why in about if not text and why not in asked}
    rows = zip(*(paths[name].to_pylist() for name in ("path_id", "pattern", "chunk_ids")), strict=True)
    made = request_forecast.measure_rates(
        store.rows(tables["chunks"]),
        [(pattern, len(set(ids))) for path, pattern, ids in rows if path not in left_out],
        list(zip(questions["pattern"].to_pylist(), questions["rejected_because"].to_pylist(), strict=True)),
    )
    request_forecast.save_rates(store, config, made)
