"""What an evaluation will ask systems and what that will cost, after at most two questions were put to each."""

import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from prefect import flow
from rich.console import Console

from rarefy.flows.config import Config
from rarefy.flows.engine.config_check import keep_run
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run
from rarefy.flows.engine.stages import answering
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.evaluate import TrialPlan, plan_sample, render_calls, resolve_evaluation
from rarefy.flows.models import accounting, request_forecast
from rarefy.flows.models.request_forecast import (
    CountingModel,
    Range,
    RequestForecast,
    RequestTally,
    multiply_ranges,
)
from rarefy.flows.reports.console import Terminal, as_table
from rarefy.flows.reports.forecast_table import describe_forecast, sum_forecasts
from rarefy.tasks.corpus.tokens import counter
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
from rarefy.tasks.evaluate.systems.config import BUILT_IN, SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.evaluate.systems.rag import rag
from rarefy.tasks.find import find
from rarefy.tasks.models.llm import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.config import NANO, cost, price_of
from rarefy.tasks.models.llm.faults import UNASKED, Unavailable
from rarefy.tasks.store.tables import Store

REPLY = 100.0  # tokens of an answer by a model that was never asked
Cell = tuple[str, str]  # protocol and part


@dataclass
class SystemForecast:
    """What one system will be asked: calls that trials share are in the first cell that makes them."""

    name: str
    kind: str
    trials: int = 0
    calls: int = 0  # distinct ones, answered or not
    answered: int = 0  # of those: their answers lie in the store
    cells: list[RequestForecast] = field(default_factory=list)  # stage: protocol; model: part of it
    remarks: list[str] = field(default_factory=list)
    failed: bool = False  # the question that was tried got no answer


@dataclass(frozen=True)
class EvaluationForecast:
    """The forecast of every system."""

    systems: tuple[SystemForecast, ...]
    judge: str = ""  # model


@flow(name="rarefy evaluate --dry-run", flow_run_name="forecast {names} on {bench}", persist_result=False)
def forecast_evaluation(
    bench: str,
    out: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    names: Sequence[str] = (),
    protocol: Sequence[str] = (),
    split: str = "",
    questions: int = 0,
    budget: int = 0,
    quick: bool = False,
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    quiet: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
    probe: bool = True,
) -> EvaluationForecast:
    """Make the trials as `evaluate` does, count what they ask, and put two questions to each system unless told not to.

    The second is timed, since the first may load what later ones have; a model is put one. Their answers are kept, so
    that the evaluation does not ask them again.
    """
    board = ProgressBoard(Terminal(stderr=True), quiet)
    systems, wanted, context, token = resolve_evaluation(config, names, protocol, out, quick, max_calls, max_cost)
    with board.open(), connect_workers(workers, dask) as pool:
        run = Run(Store(store), board, pool, context, budget=config.breach_budget)
        asked = (Path(bench), systems, wanted, config, split, questions)
        plan, _ = plan_sample(run, *asked, budget=budget, quick=quick)
        if probe:
            keep_run(Path(out), token)
        return forecast_plan(run, plan, systems, config, probe)


def forecast_plan(
    run: Run, plan: TrialPlan, systems: Mapping[str, SystemConfig], config: Config, probe: bool = False
) -> EvaluationForecast:
    """What these trials will ask each system; `probe`: after a question or two were put to it."""
    found = []
    for name, system in systems.items():
        made = SystemForecast(name, system.kind)
        cells: dict[Cell, list[SystemInput]] = defaultdict(list)
        seen: dict[str, Cell] = {}
        for trial, question in render_calls(run.store, plan, name, system):
            part = PROTOCOLS[trial.protocol].part(trial, getattr(config.protocols, trial.protocol)) or trial.cell
            made.trials += 1
            if question.asked_id not in seen:
                seen[question.asked_id] = (trial.protocol, part)
                cells[trial.protocol, part].append(question)
        made.calls = len(seen)
        order = {protocol: at for at, protocol in enumerate(PROTOCOLS)}
        cells = dict(sorted(cells.items(), key=lambda one: (order[one[0][0]], one[0][1])))
        means = run.context_for(answering(name, system, plan.opened.corpus))
        if system.kind == "rag":
            _forecast_model(run, made, system, cells, means, probe)
        else:
            _forecast_calls(run, made, system, cells, means, probe)
        found.append(made)
    return EvaluationForecast(tuple(found), config.correct.judge.model if config.correct.judge.provider else "")


def _forecast_model(
    run: Run,
    made: SystemForecast,
    system: SystemConfig,
    cells: Mapping[Cell, list[SystemInput]],
    means: InferenceContext,
    probe: bool,
) -> None:
    """Add the forecast of `rag`: its prompts are made and counted, its replies forecast from the ledger."""
    model, books = system.rag.llm, accounting.reply_store(run.store, run.context)
    tallies: dict[Cell, RequestTally] = {}
    left: dict[Cell, list[SystemInput]] = {}
    for cell, inputs in cells.items():
        tallies[cell] = RequestTally(model)
        counting = CountingModel(tallies[cell], books).connect(Path(), threads=1, means=means)
        outputs = list(rag(system.rag, counting, accounting.cache_folder(run.store), 1, means)(inputs))
        left[cell] = [one for one, output in zip(inputs, outputs, strict=True) if output.error == UNASKED]
        made.answered += len(inputs) - len(left[cell])
    output = _probe(run, made, system, left, means) if probe else None
    turns = output.calls if output and output.calls > 1 else 1
    past = request_forecast.request_history(books.usage(""), f"answer {made.name}", model.model or model.provider)
    for (protocol, part), tally in tallies.items():
        calls = (float(len(left[protocol, part]) * turns),) * 3
        one = request_forecast.forecast(
            f"answer {made.name}", model, calls, tally, past, means.serving, "exact requests", reply=REPLY
        )
        made.cells.append(replace(one, stage=protocol, model=part))
        made.remarks = list(dict.fromkeys([*made.remarks, one.basis]))


def _forecast_calls(
    run: Run,
    made: SystemForecast,
    system: SystemConfig,
    cells: Mapping[Cell, list[SystemInput]],
    means: InferenceContext,
    probe: bool,
) -> None:
    """Add the forecast of an endpoint, a function or `extractive`, from what one call took and cost."""
    left = {cell: list(inputs) for cell, inputs in cells.items()}
    if system.kind in BUILT_IN:
        made.remarks.append(f"{made.name} is offline: it costs nothing, and no question was put to it")
        probe = False
    else:
        store = AnswerStore(accounting.cache_folder(run.store) / "answers.sqlite", system.identity())
        known = set(store.find([one.asked_id for inputs in cells.values() for one in inputs]))
        left = {cell: [one for one in inputs if one.asked_id not in known] for cell, inputs in cells.items()}
        made.answered = len(known)
        if not probe:
            made.remarks.append(
                "no question was put to it, so that what a call takes and costs is not known: "
                f"`rarefy evaluate BENCH --system {made.name} --dry-run` puts two"
            )
    question = next(iter(_typical_questions(left)), None)
    output = _probe(run, made, system, left, means, warm_up=True) if probe else None
    answered = output is not None and not output.error
    unknown = 0.0 if system.kind in BUILT_IN else math.nan
    sent = counter("minilm")([_text_of(question)])[0] if question else 0
    size = _size(question) if question else 1
    prompt = (output.prompt_tokens if output else 0) or sent
    reply = (output.completion_tokens or counter("minilm")([output.text])[0]) if output and answered else unknown
    if output and answered and not output.prompt_tokens:
        made.remarks.append("it does not say how many tokens it used: counted is what is sent and what came back")
    price = price_of(LLMConfig(model=output.model), means.serving.prices) if output and output.model else None
    currency = price.currency if price else "/".join(sorted({one.currency for one in means.serving.prices}))
    together = _calls_at_once(system)
    for (protocol, part), inputs in left.items():
        count = len(inputs)
        # in questions as long as the one that was put; what a system finds itself is taken to be as long
        share = sum(size if one.passages is None else _size(one) for one in inputs) / size
        ins, outs = prompt * share, reply * count if count else 0.0
        paid = float(cost(price, round(ins), round(outs))) if answered else 0.0
        money = output.cost * NANO * share if output and output.cost else paid
        minutes = output.seconds * count / together / 60 if output and answered else unknown * count
        one = [(value,) * 3 for value in (float(count), ins, outs, money, minutes)]
        free = system.kind in BUILT_IN
        made.cells.append(RequestForecast(protocol, part, *one, currency or " " * (free or money > 0), ""))


def scale_forecast(of: SystemForecast, by: Range) -> SystemForecast:
    """The forecast for this many times the questions."""

    def scaled(cell: RequestForecast) -> RequestForecast:
        fields = ("calls", "prompt", "completion", "cost", "minutes")
        return replace(cell, **{name: multiply_ranges(getattr(cell, name), by) for name in fields})

    return replace(
        of, trials=round(of.trials * by[1]), calls=round(of.calls * by[1]), cells=[scaled(cell) for cell in of.cells]
    )


def _calls_at_once(system: SystemConfig) -> int:
    """How many calls are under way at a time."""
    if system.kind == "http":
        return system.http.concurrency
    return 1 if system.kind in BUILT_IN else max(int(getattr(find(system.kind, {}), "concurrency", 1)), 1)


def _size(question: SystemInput) -> int:
    return len(_text_of(question))


def _text_of(question: SystemInput) -> str:
    return "\n".join([question.query, *(f"{one.title}\n{one.text}" for one in question.passages or ())])


def _typical_questions(left: Mapping[Cell, Sequence[SystemInput]]) -> list[SystemInput]:
    """The question of middle length, of those with passages if there are any, and the next; [] if all are answered."""
    every = [one for inputs in left.values() for one in inputs]
    each = [one for one in every if one.passages] or [one for one in every if one.passages is None] or every
    each.sort(key=lambda one: (_size(one), one.asked_id))
    return [*each[len(each) // 2 :], *reversed(each[: len(each) // 2])][:2]


def _probe(
    run: Run,
    made: SystemForecast,
    system: SystemConfig,
    left: Mapping[Cell, list[SystemInput]],
    means: InferenceContext,
    warm_up: bool = False,
) -> SystemOutput | None:
    """The output for the question of middle length, with `warm_up` after another one, whose time does not count.

    Both are answered then, and left out of what is to come.
    """
    typical = _typical_questions(left)[: 1 + warm_up]
    if not typical:
        made.remarks.append("all of it is answered in the store: nothing will be asked")
        return None
    outputs: list[SystemOutput] = []
    for question in reversed(typical):
        began = time.monotonic()
        try:
            output = next(system.connect(accounting.cache_folder(run.store), threads=1, means=means)([question]))
        except Unavailable as error:
            made.failed = True
            made.remarks.append(f"one question could not be put to it: {error}")
            return None
        outputs.append(replace(output, seconds=output.seconds or time.monotonic() - began))
        if output.error:
            made.failed = True
            made.remarks.append(
                f"one question was put to it and failed: {output.error}: {output.detail}; mend that first"
            )
            return outputs[-1]
        made.answered += 1
        for inputs in left.values():
            if question in inputs:
                inputs.remove(question)
    *first, output = outputs
    used = f", {output.prompt_tokens:,} + {output.completion_tokens:,} tokens" if output.prompt_tokens else ""
    paid = f", {output.cost:,.4g}" if output.cost else ""
    warmed = f" after a first call of {first[0].seconds:,.2f} s, which may load things" if first else ""
    made.remarks.append(
        f"one question of middle length ({_size(question):,} characters) was put to it{warmed}: {output.seconds:,.2f} s"
        f"{used}{paid}; its answer is kept, and all else is reckoned from it"
    )
    return output


def show(made: EvaluationForecast, console: Console, *, verbose: bool = False) -> None:
    """Each system's forecast as a table by protocol, with what it rests on; `verbose`: by part, too."""
    for one in made.systems:
        if one.cells:
            records = [describe_forecast(row) for row in _with_sums(one.cells, verbose)]
            named = [
                {f"protocol{' and part' * verbose}": row.pop("model") or row.pop("stage"), **row} for row in records
            ]
            for row in named:
                row.pop("stage", None)
            console.print(as_table(f"Forecast for {one.name}", named))
        lines = [
            f"{one.trials:,} trials are {one.calls:,} calls, since what is worded and shown alike is asked once"
            + (f"; {one.answered:,} are answered already and not in the table" if one.answered else ""),
            *one.remarks,
        ]
        console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
    timed = any(cell.minutes[1] > 0 for one in made.systems for cell in one.cells)
    text = "minutes are of the system alone: " if timed else ""
    text += "finding passages, scoring and the report take seconds more for some hundred trials, minutes for thousands"
    if not verbose:
        text += "; --verbose has a row for each part of a protocol"
    console.print(text, highlight=False, markup=False, soft_wrap=True)
    if made.judge:
        most = sum(one.trials for one in made.systems)
        text = f"{made.judge} judges what words and arithmetic cannot decide, of {most:,} answers; that is not in it"
        console.print(text, highlight=False, markup=False, soft_wrap=True)


def _with_sums(cells: Sequence[RequestForecast], parts: bool) -> list[RequestForecast]:
    """Of each protocol its sum and then, if they are wanted, its parts; and the sum of all at the end."""
    rows: list[RequestForecast] = []
    for protocol in dict.fromkeys(one.stage for one in cells):
        mine = [one for one in cells if one.stage == protocol]
        rows.append(sum_forecasts(mine, protocol))
        rows += [replace(one, model=f"· {one.model}") for one in mine if parts]
    return [*rows, sum_forecasts(cells, "all")]
