"""What a build will ask its models and what that will cost, before anything is spent."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import pyarrow as pa
from prefect import flow

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.progress import Board
from rarefy.flows.engine.run import Part, Run, Tables
from rarefy.flows.engine.workers import hired
from rarefy.flows.models import accounting, request_rates, roles, spending
from rarefy.flows.models.dry_run import Tally, rehearse
from rarefy.flows.models.request_counts import Counts, found, frame, guessed, kept, times
from rarefy.flows.models.request_forecast import UNSEEN, Expected, Range, forecast
from rarefy.flows.models.variant_counts import RequestVolume, together, variants
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.reply_store import ReplyStore, Usage
from rarefy.tasks.store.recipe import Job
from rarefy.tasks.store.tables import Store


@dataclass(frozen=True)
class Estimated:
    """What every model will be asked by every stage, and of what corpus."""

    corpus: str
    documents: int
    chunks: int
    stages: tuple[Expected, ...]
    remembered: int = 0  # requests whose replies lie in the books: they cost nothing


@dataclass
class Sight:
    """What there is to look at: the run, what was asked before, and how numbers hang together."""

    run: Run
    config: Config
    books: ReplyStore | None
    used: Sequence[Usage]
    rates: request_rates.Rates
    words: float = 0.0  # tokens of a chunk, on average
    found: list[Expected] = field(default_factory=list)
    remembered: int = 0


@flow(name="rarefy estimate", flow_run_name="estimate {corpus}", persist_result=False)
def estimate(
    corpus: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    limit: int = 0,
    quiet: bool = False,
) -> Estimated:
    """Read, chunk, and do all that needs no model; count what models would be asked; keep it for the build's report."""
    board = Board(Terminal(stderr=True), quiet)
    with board.open(), hired(workers, dask, config.cluster) as hands:
        run = Run(Store(store), board, hands, accounting.means(config, "", 0, 0))
        read = run.read(stages.reading(config), run.sources(corpus), limit)
        parts, tables = run.apart(read, limit, config.quarantine_budget)
        parts = run.each(stages.chunking(config), parts)
        sight = seen(run, config, parts)
        look(sight, parts, tables)
        documents = sum(part["rows"] for part in parts)
        chunks = sum(run.store.rows(part["chunks"]) for part in parts)
        made = Estimated(corpus, documents, chunks, tuple(sight.found), sight.remembered)
        spending.expect(run, config, asdict(made))
        return made


def seen(run: Run, config: Config, parts: Sequence[Part]) -> Sight:
    """What is known before the stages are looked at."""
    books = accounting.books(run.store, run.means) if stages.models_asked(config) else None
    used = books.usage("") if books else []
    tokens = [count for part in parts for count in run.store.table(part["chunks"])["tokens"].to_pylist()]
    return Sight(run, config, books, used, request_rates.known(run.store, config), sum(tokens) / max(len(tokens), 1))


def look(sight: Sight, parts: Sequence[Part], tables: Tables) -> None:
    """Find what each stage will ask: exactly as far as its rows are known, from rates beyond that."""
    run, config = sight.run, sight.config
    chunks = sum(run.store.rows(part["chunks"]) for part in parts)
    paths = _traced(sight, _extracted(sight, parts), tables)
    counts = found(run.store, paths["paths"], ()) if paths else guessed(chunks, sight.rates)
    asked = _made(sight, stages.asking(config), paths, counts.single, counts.multi, counts.wide)
    judged = run.whole(stages.judging(config), asked) if asked else None
    standing = found(run.store, judged["questions"], ("",)) if judged else counts.standing(sight.rates)
    none: Range = (0, 0, 0)
    tried = _made(sight, stages.probing(config), judged, none, times(standing.multi, (standing.wide,) * 3), 1.0)
    left = standing.tried(sight.rates) if stages.probing.asked(config) and not tried else standing
    share: Range = (1, 1, 1)
    if judged and not tried:  # the requests of all that stand now; some will not after they were tried
        share = tuple(min(a / max(b, 1.0), 1.0) for a, b in zip(left.all, standing.all, strict=True))  # type: ignore[assignment]
    turns = (config.grade.rounds,) * 3
    single, multi = times(left.single, turns), times(left.multi, turns)
    graded = _made(sight, stages.grading(config), tried or judged, single, multi, left.wide, share)
    if stages.grading.asked(config) and not (tried and graded):
        left, share = left.graded(sight.rates), times(share, kept(sight.rates))
    known = (graded if tried else None) or tried or judged
    _varied(sight, known, left, chunks, share if not (tried and graded) else (1, 1, 1))


def _varied(sight: Sight, tables: Tables | None, left: Counts, chunks: int, share: Range) -> None:
    """Count what models write and compare for variants: of the questions there are, of which so many will be left.

    Only what asks a model is rehearsed; that of most variants is none of an estimate's business.
    """
    run, config = sight.run, sight.config
    job = stages.varying(config)
    if not accounting.asks(job):
        return
    if not tables:
        of_model: dict[str, list[RequestVolume]] = {}
        for argument, asked in variants(config, left, chunks, sight.words).items():
            of_model.setdefault(_model(job, argument).model_dump_json(), []).append(asked)
        for name, several in of_model.items():
            asked, model = together(several), LLMConfig.model_validate_json(name)
            _add(
                sight,
                job.stage,
                Tally(model),
                asked.calls,
                "from rates",
                asked.shown / max(sight.words, 1),
                asked.reply,
            )
        return
    tables = run.whole(stages.drawing(config), run.whole(stages.splitting(config), tables))
    sides = {
        side: tuple(entry.name for entry in roles.asking(config) if entry.side == side)
        for side in ("query", "document", "context")
    }
    only = replace(job, config=config.perturb.model_copy(update=sides))
    parts = run.spread(tables)
    given = [{argument: part[argument] for argument in job.takes} for part in parts]
    missing = [one for one in given if not run.store.find(job.recipe(one))]
    tallies: dict[str, Tally] = {}
    line = run.board.line(job.stage, "questions", len(missing))
    for one in missing:
        rehearse(only, one, run.store, sight.books, tallies)
        line.step()
    line.end(f"{sum(tally.calls for tally in tallies.values()):,} requests to write and to compare variants")
    basis = "exact requests" if share == (1, 1, 1) else "requests of all that stand"
    for tally in tallies.values():
        _add(sight, job.stage, tally, share, basis, reply=tally.likely / max(tally.calls, 1))


def _model(job: Job, argument: str) -> LLMConfig:
    model = roles.behind(job.tools[argument])
    assert model  # it was counted as one that is asked
    return model


def _extracted(sight: Sight, parts: Sequence[Part]) -> list[Part] | None:
    """The parts with their triplets; None where a model must be asked for them first: its requests are counted."""
    run, job = sight.run, stages.extracting(sight.config)
    if not accounting.asks(job):
        return run.each(job, parts)
    made = [run.store.find(job.recipe(part)) for part in parts]
    missing = [place for place, tables in enumerate(made) if tables is None]
    only = replace(job, config=sight.config.extract.model_copy(update={"methods": ("model",)}))
    tallies: dict[str, Tally] = {}
    line = run.board.line(job.stage, "documents", len(missing))
    for place in missing:
        rehearse(only, parts[place], run.store, sight.books, tallies)
        line.step()
    passes = sight.config.extract.model.passes
    for tally in tallies.values():
        line.end(f"{tally.calls:,} windows to ask about, {tally.remembered:,} remembered")
        _add(sight, job.stage, tally, (1, passes, passes), "exact windows")
    if any(tally.calls for tally in tallies.values()):
        return None
    for place in missing:  # all of it is remembered
        made[place] = _kept(run.store, rehearse(job, parts[place], run.store, sight.books, {}))
    return [{**part, **(tables or {})} for part, tables in zip(parts, made, strict=True)]


def _traced(sight: Sight, parts: Sequence[Part] | None, tables: Tables) -> Tables | None:
    """The tables up to the paths; None where the triplets are not known."""
    run, config = sight.run, sight.config
    if parts is None:
        return None
    for kind, row_type in (("documents", Document), ("chunks", Chunk), ("triplets", Triplet)):
        tables = run.gather(kind, row_type, parts, tables)
    tables = run.whole(stages.flagging(config), tables)
    normal = _made(sight, stages.normalising(config), tables, (0, 0, 0), (0, 0, 0), 0.0)
    # without the model's word on borderline names they stay apart, which moves few paths
    return run.whole(stages.tracing(config), run.whole(stages.superseding(config), normal)) if normal else None


def _made(
    sight: Sight, job: Job, tables: Tables | None, single: Range, multi: Range, wide: float, share: Range = (1, 1, 1)
) -> Tables | None:
    """The tables with what the job makes; None where a model must be asked for it first.

    Its requests are counted: exactly where the tables are known, else one for each of `single` and of `multi`, whose
    prompts hold `wide` chunks.
    """
    run = sight.run
    if not accounting.asks(job):
        return run.whole(job, tables) if tables else None
    if not tables:
        both = tuple(a + b for a, b in zip(single, multi, strict=True))
        chunks = (single[1] + wide * multi[1]) / max(both[1], 1e-9)
        for model in filter(None, map(roles.behind, job.tools.values())):
            _add(sight, job.stage, Tally(model), both, "from rates", chunks)  # type: ignore[arg-type]
        return None
    given = {argument: tables[argument] for argument in job.takes}
    if made := run.store.find(job.recipe(given)):
        return {**tables, **made}
    tallies: dict[str, Tally] = {}
    rows = rehearse(job, given, run.store, sight.books, tallies)
    for tally in tallies.values():
        _add(sight, job.stage, tally, share, "exact requests" if share == (1, 1, 1) else "requests of all that stand")
    return None if any(tally.calls for tally in tallies.values()) else {**tables, **_kept(run.store, rows)}


def _add(
    sight: Sight, stage: str, tally: Tally, share: Range, basis: str, chunks: float = 0.0, reply: float = 0.0
) -> None:
    """Add what one model will be asked: the tally's calls by these shares, or so many calls where it has none."""
    sight.remembered += tally.remembered
    model = tally.model
    calls = times((tally.calls,) * 3, share) if tally.calls or not chunks else share
    if not calls[2]:
        return
    past = request_rates.history(sight.used, stage, model.model or model.provider)
    each = chunks * sight.words + frame(stage)
    tokens = tuple(each * by for by in UNSEEN)
    serving = sight.config.serving
    sight.found.append(forecast(stage, model, calls, tally, past, serving, basis, tokens, reply))  # type: ignore[arg-type]


def _kept(store: Store, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """The names of these tables; they are kept without a recipe, since the build itself must look at them."""
    return {kind: store.keep(table) for kind, table in tables.items()}
