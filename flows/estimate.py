"""What a build will ask its models and an evaluation the systems, and what that will cost, before anything is spent."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from pathlib import Path

import pyarrow as pa
from prefect import flow
from rich.console import Console

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Variant
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.benchmark_folder import open_benchmark, open_tables
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Part, Run, Tables
from rarefy.flows.engine.stages import models_asked
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.evaluate import plan_opened, resolve_evaluation
from rarefy.flows.evaluation_forecast import EvaluationForecast, SystemForecast, forecast_plan, scale_forecast
from rarefy.flows.evaluation_forecast import show as show_evaluation
from rarefy.flows.models import accounting, request_forecast, roles, spending
from rarefy.flows.models.request_forecast import (
    UNSEEN,
    Counts,
    Range,
    RequestForecast,
    RequestTally,
    RequestVolume,
    add_ranges,
    combine_volumes,
    count_choices,
    count_rows,
    count_variant_requests,
    dry_run,
    forecast,
    guess_paths,
    kept_share,
    multiply_ranges,
    prompt_overhead,
    worded_share,
)
from rarefy.flows.reports.console import Terminal, as_table
from rarefy.flows.reports.forecast_table import describe_forecast, sum_forecasts
from rarefy.tasks import sample
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.reply_store import ReplyStore, Usage
from rarefy.tasks.store.recipe import Job
from rarefy.tasks.store.tables import Store

LIKE = 40  # questions of the packaged benchmark, after which those are reckoned that are yet to be written


@dataclass(frozen=True)
class Estimate:
    """The forecast of every stage and model for a corpus, and of an evaluation."""

    corpus: str
    documents: int
    chunks: int
    stages: tuple[RequestForecast, ...]
    remembered: int = 0  # requests whose replies lie in the books: they cost nothing
    evaluation: EvaluationForecast | None = None  # of the systems that were named


@dataclass
class EstimateState:
    """What an estimate works with: the run, past usage, rates; and what it has found so far."""

    run: Run
    config: Config
    books: ReplyStore | None
    used: Sequence[Usage]
    rates: request_forecast.Rates
    words: float = 0.0  # tokens of a chunk, on average
    found: list[RequestForecast] = field(default_factory=list)
    remembered: int = 0
    tables: Tables | None = None  # with the questions that will stand, where they are known
    accepted: Range = (0, 0, 0)  # questions that will stand


@flow(name="rarefy estimate", flow_run_name="estimate {corpus}", persist_result=False)
def estimate(
    corpus: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    limit: int = 0,
    quiet: bool = False,
    systems: Sequence[str] = (),
    protocol: Sequence[str] = (),
    questions: int = 0,
) -> Estimate:
    """Read, chunk, and do all that needs no model; count what models would be asked; keep it for the build's report.

    `systems`: what an evaluation of the benchmark will ask these, too, by these protocols, of so many questions (0: all
    that are for testing).
    """
    board = ProgressBoard(Terminal(stderr=True), quiet)
    with board.open(), connect_workers(workers, dask) as pool:
        run = Run(Store(store), board, pool, accounting.inference_context(config, "", 0, 0))
        read = run.read_documents(stages.reading(config), run.list_sources(corpus), limit)
        parts, tables = run.batch_documents(read, limit, config.quarantine_budget)
        parts = run.each(stages.chunking(config), parts)
        state = start_estimate(run, config, parts)
        estimate_stages(state, parts, tables)
        documents = sum(part["rows"] for part in parts)
        chunks = sum(run.store.rows(part["chunks"]) for part in parts)
        made = Estimate(corpus, documents, chunks, tuple(state.found), state.remembered)
        spending.keep_estimate(run, config, asdict(made))
        if not systems:
            return made
        return replace(made, evaluation=_forecast_evaluation(state, corpus, systems, protocol, questions))


def start_estimate(run: Run, config: Config, parts: Sequence[Part]) -> EstimateState:
    """The state before any stage is looked at."""
    books = accounting.reply_store(run.store, run.context) if stages.models_asked(config) else None
    used = books.usage("") if books else []
    tokens = [count for part in parts for count in run.store.table(part["chunks"])["tokens"].to_pylist()]
    return EstimateState(
        run, config, books, used, request_forecast.load_rates(run.store, config), sum(tokens) / max(len(tokens), 1)
    )


def estimate_stages(state: EstimateState, parts: Sequence[Part], tables: Tables) -> None:
    """Estimate the requests of each stage: exactly as far as its rows are known, from rates beyond that."""
    run, config = state.run, state.config
    chunks = sum(run.store.rows(part["chunks"]) for part in parts)
    paths = _traced(state, _extracted(state, parts), tables)
    counts = count_rows(run.store, paths["paths"], ()) if paths else guess_paths(chunks, state.rates)
    chosen, first = counts, (0.0, 0.0, 0.0)
    if stages.asking.asked(config) and config.ask.worth:
        chosen, first = counts.worth_asking(state.rates), count_choices(counts)
    asked = _make_or_count(
        state, stages.asking(config), paths, add_ranges(chosen.single, first), chosen.multi, counts.wide
    )
    judged = run.whole(stages.judging(config), asked) if asked else None
    standing = count_rows(run.store, judged["questions"], ("",)) if judged else chosen.standing(state.rates)
    none: Range = (0, 0, 0)
    tried = _make_or_count(
        state, stages.probing(config), judged, none, multiply_ranges(standing.multi, (standing.wide,) * 3), 1.0
    )
    left = standing.tried(state.rates) if stages.probing.asked(config) and not tried else standing
    share: Range = (1, 1, 1)
    if judged and not tried:  # the requests of all that stand now; some will not after they were tried
        share = tuple(min(a / max(b, 1.0), 1.0) for a, b in zip(left.all, standing.all, strict=True))  # type: ignore[assignment]
    turns = (config.grade.rounds,) * 3
    single, multi = multiply_ranges(left.single, turns), multiply_ranges(left.several, turns)
    graded = _make_or_count(state, stages.grading(config), tried or judged, single, multi, left.wide, share)
    if stages.grading.asked(config) and not (tried and graded):
        left, share = left.graded(state.rates), multiply_ranges(share, kept_share(state.rates))
    known = (graded if tried else None) or tried or judged
    state.tables = graded if tried else None
    state.accepted = (count_rows(run.store, state.tables["questions"], ("",)) if state.tables else left).all
    _varied(state, known, left, chunks, share if not (tried and graded) else (1, 1, 1))


def _varied(state: EstimateState, tables: Tables | None, left: Counts, chunks: int, share: Range) -> None:
    """Count what models write and compare for variants: of the questions there are, of which so many will be left.

    Only what asks a model is rehearsed; that of most variants is none of an estimate's business.
    """
    run, config = state.run, state.config
    job = stages.varying(config)
    if not accounting.asks_model(job):
        return
    if not tables:
        of_model: dict[str, list[RequestVolume]] = {}
        for argument, asked in count_variant_requests(config, left, chunks, state.words).items():
            of_model.setdefault(_model(job, argument).model_dump_json(), []).append(asked)
        for name, several in of_model.items():
            asked, model = combine_volumes(several), LLMConfig.model_validate_json(name)
            _add(
                state,
                job.stage,
                RequestTally(model),
                asked.calls,
                "from rates",
                asked.shown / max(state.words, 1),
                asked.reply,
            )
        return
    tables = run.whole(stages.drawing(config), run.whole(stages.splitting(config), tables))
    sides = {
        side: tuple(entry.name for entry in roles.perturbations_asking_models(config) if entry.side == side)
        for side in ("query", "document", "context")
    }
    only = replace(job, config=config.perturb.model_copy(update=sides))
    parts = run.batch_questions(tables)
    given = [{argument: part[argument] for argument in job.takes} for part in parts]
    missing = [one for one in given if not run.store.find(job.recipe(one))]
    tallies: dict[str, RequestTally] = {}
    line = run.board.line(job.stage, "questions", len(missing))
    for one in missing:
        dry_run(only, one, run.store, state.books, tallies)
        line.step()
    line.end(f"{sum(tally.calls for tally in tallies.values()):,} requests to write and to compare variants")
    basis = "exact requests" if share == (1, 1, 1) else "requests of all that stand"
    for tally in tallies.values():
        _add(state, job.stage, tally, share, basis, reply=tally.likely / max(tally.calls, 1))


def _forecast_evaluation(
    state: EstimateState, corpus: str, names: Sequence[str], protocol: Sequence[str], questions: int
) -> EvaluationForecast:
    """What an evaluation of the benchmark will ask these systems: counted where a build asks no model any more.

    Else questions are taken to be asked as those of the packaged benchmark are, as many as will be for testing.
    """
    config, name = state.config, Path(corpus).name
    systems, wanted, context, _ = resolve_evaluation(config, names, protocol, f"{name}-result")
    run = Run(state.run.store, state.run.board, state.run.workers, context, budget=config.breach_budget)
    if state.tables and not state.found:
        opened = open_tables(name, run.store, _vary(state.run, config, state.tables), most=questions)
        return forecast_plan(run, plan_opened(run, opened, systems, wanted, config), systems, config)
    tested = tuple(min(ceil(config.split.share * of), questions or of) for of in state.accepted)
    opened = open_benchmark(sample.BENCHMARK, run.store, most=LIKE)
    like = forecast_plan(run, plan_opened(run, opened, systems, wanted, config), systems, config)
    by: Range = tuple(of / opened.asked for of in tested)  # type: ignore[assignment]
    low, likely, high = (f"{of:,.0f}" for of in tested)
    expected = likely if low == high else f"{likely} ({low} to {high})"
    remark = (
        f"models have yet to write the questions: counted are {expected} for testing, asked as those of `sample` are"
    )
    return replace(like, systems=tuple(_scale(one, by, remark) for one in like.systems))


def _scale(of: SystemForecast, by: Range, remark: str) -> SystemForecast:
    return replace(scale_forecast(of, by), remarks=[remark, *of.remarks])


def _vary(run: Run, config: Config, tables: Tables) -> Tables:
    """The tables with the variants of the questions that stand; they are kept for the build."""
    tables = run.whole(stages.drawing(config), run.whole(stages.splitting(config), tables))
    varied = run.each(stages.varying(config), run.batch_questions(tables), "questions")
    return run.gather("variants", Variant, varied, tables)


def _model(job: Job, argument: str) -> LLMConfig:
    model = roles.model_of_tool(job.tools[argument])
    assert model  # it was counted as one that is asked
    return model


def _extracted(state: EstimateState, parts: Sequence[Part]) -> list[Part] | None:
    """The parts with their triplets; None where a model must be asked for them first: its requests are counted."""
    run, job = state.run, stages.extracting(state.config)
    if not accounting.asks_model(job):
        return run.each(job, parts)
    made = [run.store.find(job.recipe(part)) for part in parts]
    missing = [place for place, tables in enumerate(made) if tables is None]
    only = replace(job, config=state.config.extract.model_copy(update={"methods": ("model",)}))
    tallies: dict[str, RequestTally] = {}
    line = run.board.line(job.stage, "documents", len(missing))
    for place in missing:
        dry_run(only, parts[place], run.store, state.books, tallies)
        line.step()
    passes = state.config.extract.model.passes
    for tally in tallies.values():
        line.end(f"{tally.calls:,} windows to ask about, {tally.remembered:,} remembered")
        _add(state, job.stage, tally, (1, passes, passes), "exact windows")
    if any(tally.calls for tally in tallies.values()):
        return None
    for place in missing:  # all of it is remembered
        made[place] = _kept(run.store, dry_run(job, parts[place], run.store, state.books, {}))
    return [{**part, **(tables or {})} for part, tables in zip(parts, made, strict=True)]


def _traced(state: EstimateState, parts: Sequence[Part] | None, tables: Tables) -> Tables | None:
    """The tables up to the paths; None where the triplets are not known."""
    run, config = state.run, state.config
    if parts is None:
        return None
    for kind, row_type in (("documents", Document), ("chunks", Chunk), ("triplets", Triplet)):
        tables = run.gather(kind, row_type, parts, tables)
    tables = run.whole(stages.linking(config), run.whole(stages.flagging(config), tables))
    normal = _make_or_count(state, stages.normalising(config), tables, (0, 0, 0), (0, 0, 0), 0.0)
    # without the model's word on borderline names they stay apart, which moves few paths
    return run.whole(stages.tracing(config), run.whole(stages.superseding(config), normal)) if normal else None


def _make_or_count(
    state: EstimateState,
    job: Job,
    tables: Tables | None,
    single: Range,
    multi: Range,
    wide: float,
    share: Range = (1, 1, 1),
) -> Tables | None:
    """The tables with what the job makes; None where a model must be asked for it first.

    Its requests are counted: exactly where the tables are known, else one for each of `single` and of `multi`, whose
    prompts hold `wide` chunks.
    """
    run = state.run
    if not accounting.asks_model(job):
        return run.whole(job, tables) if tables else None
    if not tables:
        both = tuple(a + b for a, b in zip(single, multi, strict=True))
        chunks = (single[1] + wide * multi[1]) / max(both[1], 1e-9)
        for model in filter(None, map(roles.model_of_tool, job.tools.values())):
            _add(state, job.stage, RequestTally(model), both, "from rates", chunks)  # type: ignore[arg-type]
        return None
    given = {argument: tables[argument] for argument in job.takes}
    if made := run.store.find(job.recipe(given)):
        return {**tables, **made}
    tallies: dict[str, RequestTally] = {}
    rows = dry_run(job, given, run.store, state.books, tallies)
    for tally in tallies.values():
        part = worded_share(tally, state.rates)
        basis = "exact requests" if share == (1, 1, 1) else "requests of all that stand"
        basis = basis if part == (1, 1, 1) else "requests of all, if worth asking"
        _add(state, job.stage, tally, multiply_ranges(share, part), basis)
    return None if any(tally.calls for tally in tallies.values()) else {**tables, **_kept(run.store, rows)}


def _add(
    state: EstimateState,
    stage: str,
    tally: RequestTally,
    share: Range,
    basis: str,
    chunks: float = 0.0,
    reply: float = 0.0,
) -> None:
    """Add what one model will be asked: the tally's calls by these shares, or so many calls where it has none."""
    state.remembered += tally.remembered
    model = tally.model
    calls = multiply_ranges((tally.calls,) * 3, share) if tally.calls or not chunks else share
    if not calls[2]:
        return
    past = request_forecast.request_history(state.used, stage, model.model or model.provider)
    each = chunks * state.words + prompt_overhead(stage)
    tokens = tuple(each * by for by in UNSEEN)
    serving = state.config.serving
    state.found.append(forecast(stage, model, calls, tally, past, serving, basis, tokens, reply))  # type: ignore[arg-type]


def _kept(store: Store, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """The names of these tables; they are kept without a recipe, since the build itself must look at them."""
    return {kind: store.keep(table) for kind, table in tables.items()}


def show(made: Estimate, config: Config, console: Console, *, verbose: bool = False) -> None:
    """The estimate as a table with its sums, and what it rests on; of an evaluation, too, where there is one."""
    size = f"{made.documents:,} documents, {made.chunks:,} chunks"
    if made.stages:
        console.print(
            as_table(
                f"Estimate for {made.corpus}: {size}",
                [*map(describe_forecast, [*made.stages, sum_forecasts(made.stages)])],
            )
        )
    lines = [f"{one.stage}: {one.basis}" for one in made.stages]
    if not models_asked(config):
        lines.append(f"{size}: no stage of this config asks a model, so that a build costs nothing")
    elif not made.stages:
        lines.append(f"{size}: all of it is in the store, so that a build asks nothing")
    if made.remembered:
        lines.append(f"{made.remembered:,} requests more are remembered and cost nothing")
    for price in config.serving.prices if made.stages else ():
        price_text = f"{price.prompt:g} in, {price.completion:g} out, {price.currency} per million tokens"
        lines.append(f"price of {price.model}: {price_text}, as of {price.as_of} ({price.source})")
    console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
    if made.evaluation:
        show_evaluation(made.evaluation, console, verbose=verbose)
