"""What a corpus holds, before anything is spent on it."""

from dataclasses import dataclass

from prefect import flow
from rich.console import Console
from rich.table import Table

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.progress import Board
from rarefy.flows.engine.run import Part, Run, Tables
from rarefy.flows.engine.workers import hired
from rarefy.flows.models import expectation_report
from rarefy.flows.models.expected_questions import Expected, expect
from rarefy.flows.reports.build_report import census_records
from rarefy.flows.reports.console import Terminal
from rarefy.flows.reports.tables import as_table
from rarefy.tasks.store.tables import Store

UNKNOWN = "The store does not know the patterns of these documents yet; `rarefy build` counts them."
BY_MODEL = "A model takes part: what it will find is not known; `rarefy estimate {corpus}` says what it will be asked."


@dataclass(frozen=True)
class Planned:
    """What is there, and the census where the store knows it."""

    corpus: str
    files: int
    documents: int
    quarantined: int
    characters: int
    chunks: int
    tokens: int
    census: tuple[stages.Counted, ...]  # () where the store does not know it
    expected: Expected | None = None  # where the census is not known and no model takes part


@flow(name="rarefy plan", flow_run_name="plan {corpus}", persist_result=False)
def plan(
    corpus: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    limit: int = 0,
    quiet: bool = False,
) -> Planned:
    """Read and chunk a corpus, and look up what else the store knows of it."""
    board = Board(Terminal(stderr=True), quiet)
    with board.open(), hired(workers, dask, config.cluster) as hands:
        run = Run(Store(store), board, hands)
        read = run.read(stages.reading(config), run.sources(corpus), limit)
        parts, tables = run.apart(read, limit, config.quarantine_budget)
        parts = run.each(stages.chunking(config), parts)
        chunks = [run.store.table(part["chunks"])["tokens"].to_pylist() for part in parts]
        texts = [run.store.table(part["documents"])["text"].to_pylist() for part in parts]
        census = _census(run.store, config, parts)
        return Planned(
            corpus=corpus,
            files=len(read),
            documents=sum(map(len, texts)),
            quarantined=run.store.rows(tables["quarantine"]),
            characters=sum(len(text) for some in texts for text in some),
            chunks=sum(map(len, chunks)),
            tokens=sum(map(sum, chunks)),
            census=census,
            expected=None if census else expect(run, config, parts),
        )


def _census(store: Store, config: Config, parts: list[Part]) -> tuple[stages.Counted, ...]:
    """The census of these documents, as far as recipes lead: none where a stage before it was never made."""
    extracting = stages.extracting(config)
    found = [store.find(extracting.recipe(part)) for part in parts]
    tables: Tables = {"documents": [part["documents"] for part in parts]}
    tables["triplets"] = [made["triplets"] for made in found if made]
    if len(tables["triplets"]) < len(parts):
        return ()
    gathered = (stages.gathering("documents", Document), stages.gathering("triplets", Triplet))
    derived = (stages.flagging, stages.normalising, stages.superseding, stages.tracing, stages.counting)
    for job in (*gathered, *(stage(config) for stage in derived)):
        if not (made := store.find(job.recipe(tables))):
            return ()
        tables |= made
    return tuple(from_table(store.table(tables["census"]), stages.Counted))


def show(planned: Planned, config: Config, console: Console) -> None:
    """What was found, as a table, and what to expect of it."""
    table = Table(show_header=False, title=f"Plan of {planned.corpus}", title_justify="left")
    told = {"characters": "characters of text", "tokens": "tokens in chunks"}
    for name in ("files", "documents", "quarantined", "characters", "chunks", "tokens"):
        table.add_row(told.get(name, name), f"{getattr(planned, name):,}")
    console.print(table)
    if planned.census:
        console.print(as_table("Patterns", census_records(planned.census)))
        return
    lines = expectation_report.told(planned.expected, config, planned.corpus) if planned.expected else [UNKNOWN]
    if not planned.expected and stages.models_asked(config):
        lines = [BY_MODEL.format(corpus=planned.corpus)]
    console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
