"""What a corpus holds, before anything is spent on it."""

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Part, Run, Tables
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.models import expected_questions
from rarefy.flows.models.expected_questions import ExpectedQuestions, expect_questions
from rarefy.flows.reports.build_report import brief_census
from rarefy.flows.reports.console import Terminal, as_table
from rarefy.tasks.store.tables import Store

UNKNOWN = "How many questions of each kind these documents give is known once `rarefy build` has counted them."
BY_MODEL = "A model takes part: what it will find is not known; `rarefy estimate {corpus}` says what it will be asked."


@dataclass(frozen=True)
class CorpusPlan:
    """What a corpus holds, and its census where the store has it."""

    corpus: str
    files: int
    documents: int
    quarantined: int
    characters: int
    chunks: int
    tokens: int
    census: tuple[stages.CensusRow, ...]  # () where the store does not know it
    expected: ExpectedQuestions | None = None  # where the census is not known and no model takes part


def plan(
    corpus: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    limit: int = 0,
    quiet: bool = False,
) -> CorpusPlan:
    """Read and chunk a corpus, and look up what else the store has of it."""
    board = ProgressBoard(Terminal(stderr=True), quiet)
    with board.open(), connect_workers(workers, dask) as pool:
        run = Run(Store(store), board, pool)
        read = run.read_documents(stages.reading(config), run.list_sources(corpus), limit)
        parts, tables = run.batch_documents(read, limit, config.quarantine_budget)
        parts = run.each(stages.chunking(config), parts)
        chunks = [run.store.table(part["chunks"])["tokens"].to_pylist() for part in parts]
        texts = [run.store.table(part["documents"])["text"].to_pylist() for part in parts]
        census = _census(run.store, config, parts)
        return CorpusPlan(
            corpus=corpus,
            files=len(read),
            documents=sum(map(len, texts)),
            quarantined=run.store.rows(tables["quarantine"]),
            characters=sum(len(text) for some in texts for text in some),
            chunks=sum(map(len, chunks)),
            tokens=sum(map(sum, chunks)),
            census=census,
            expected=None if census else expect_questions(run, config, parts),
        )


def _census(store: Store, config: Config, parts: list[Part]) -> tuple[stages.CensusRow, ...]:
    """The census of these documents, where the store has the tables of all stages before it; else ()."""
    extracting = stages.extracting(config)
    found = [store.find(extracting.recipe(part)) for part in parts]
    tables: Tables = {"documents": [part["documents"] for part in parts]}
    tables["triplets"] = [made["triplets"] for made in found if made]
    if len(tables["triplets"]) < len(parts):
        return ()
    tables["chunks"] = [part["chunks"] for part in parts]
    gathered = [stages.gathering(*kind) for kind in (("documents", Document), ("chunks", Chunk), ("triplets", Triplet))]
    derived = (stages.flagging, stages.linking, stages.normalising, stages.superseding, stages.tracing, stages.counting)
    for job in (*gathered, *(stage(config) for stage in derived)):
        if not (made := store.find(job.recipe(tables))):
            return ()
        tables |= made
    return tuple(from_table(store.table(tables["census"]), stages.CensusRow))


def show(planned: CorpusPlan, config: Config, console: Console) -> None:
    """Print what a corpus holds, as a table, and what to expect of it."""
    table = Table(show_header=False, title=f"Plan of {planned.corpus}", title_justify="left")
    labels = {"characters": "characters of text", "tokens": "tokens in chunks"}
    for name in ("files", "documents", "quarantined", "characters", "chunks", "tokens"):
        table.add_row(labels.get(name, name), f"{getattr(planned, name):,}")
    console.print(table)
    if planned.census:
        console.print(as_table("Patterns", brief_census(planned.census)))
        return
    lines = (
        expected_questions.describe_expected(planned.expected, config, planned.corpus)
        if planned.expected
        else [UNKNOWN]
    )
    if not planned.expected and stages.models_asked(config):
        lines = [BY_MODEL.format(corpus=planned.corpus)]
    console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
