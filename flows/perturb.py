"""The command `rarefy perturb`: variants of any file of questions, answers and contexts; no corpus, graph or engine."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from uuid import uuid4

from rich.console import Console

from rarefy.data_contracts.rows import Chunk, Question, Unanswered, Variant
from rarefy.flows import asking, jobs, surroundings
from rarefy.flows.config import Config
from rarefy.flows.faults import UsageFault
from rarefy.flows.perturbed import Folder, Funnel, standing
from rarefy.flows.progress import Board
from rarefy.flows.shown import as_table, keep_records
from rarefy.flows.workers import cores
from rarefy.tasks import layouts
from rarefy.tasks.layouts import Asked, Skipped, placed
from rarefy.tasks.llm import Means
from rarefy.tasks.llm.faults import Stopped, TooManyFailures
from rarefy.tasks.perturb import vary
from rarefy.tasks.perturb.catalogue import CATALOGUE, of_names
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Side
from rarefy.tasks.perturb.pools import draw
from rarefy.tasks.store import Store, digest

VERSION = 1
BATCH = 1_000  # questions worked on together: noise for one is made of the passages of the others
SIDES: tuple[Side, ...] = ("query", "document", "context")


@dataclass(frozen=True)
class Given:
    """What is perturbed, and what is said of it."""

    path: Path
    layout: str = ""  # "": told by its shape
    language: str = ""  # of questions whose language the file does not say; "": guessed

    def read(self) -> Iterator[Asked | Skipped]:
        """Its questions; UsageFault where there are none to be read."""
        try:
            yield from layouts.read(self.path, self.layout)
        except ValueError as error:
            raise UsageFault(str(error)) from error


def only(config: Config, names: Iterable[str]) -> Config:
    """The config with these perturbations alone, by side, family or name; UsageFault for one not known."""
    chosen: dict[str, list[str]] = {side: [] for side in SIDES}
    for name in names:
        if name in SIDES:
            chosen[name] += type(config.perturb).model_fields[name].default
        elif sides := {entry.side for entry in CATALOGUE.values() if name in (entry.name, entry.family)}:
            for side in sides:
                chosen[side].append(name)
        else:
            known = dict.fromkeys([*SIDES, *(e.family for e in CATALOGUE.values()), *CATALOGUE])
            raise UsageFault(f"--only {name}: no such perturbation; have {', '.join(known)} (`rarefy perturbations`)")
    for side in SIDES:
        of_names(side, chosen[side])
    return config.model_copy(
        update={"perturb": config.perturb.model_copy(update={side: tuple(chosen[side]) for side in SIDES})}
    )


def perturb(
    given: Given, out: Path, config: Config, store: str, asked: Means, quiet: bool = False
) -> tuple[Funnel, bool]:
    """Write the variants of a file into the folder `out`; what became of them, and whether it had to be made now.

    SpentFault where a budget is used up: the same command goes on from there. UsageFault where there is nothing.
    """
    recipe = _recipe(given, config)
    if found := standing(out, recipe):
        return found, False
    funnel = Funnel()
    board = Board(Console(stderr=True), quiet)
    means = replace(asked, stage="vary", run=asked.run or uuid4().hex)
    with board.open(), Folder(out, recipe) as folder:
        line = board.line("vary", "questions", None)
        try:
            for batch in batches(_counted(given.read(), funnel, folder), BATCH):
                _vary(batch, given.language, config, Store(store), means, funnel, folder)
                line.step(len(batch))
            _afford(config, Store(store), means, funnel)
        except Stopped as stopped:
            raise asking.fault(stopped, "") from stopped
        if not funnel.questions:
            why = ", ".join(f"{n:,} {reason}" for reason, n in funnel.skipped.most_common())
            first = f"; {funnel.first.place}: {funnel.first.detail}" if funnel.first else ""
            raise UsageFault(f"{given.path}: no question that can be perturbed{f' ({why}{first})' if why else ''}")
        line.end(f"{funnel.questions:,} questions, {funnel.kept:,} variants kept")
        folder.finish(funnel)
    return funnel, True


def _vary(
    batch: list[Asked], language: str, config: Config, store: Store, means: Means, funnel: Funnel, folder: Folder
) -> None:
    """Make the variants of some questions, and put all of it into the folder."""
    job = jobs.varying(config)
    place = asking.place(store)
    tools = {name: tool.connect(place, threads=cores(), means=means) for name, tool in job.tools.items()}
    questions: list[Question] = []
    chunks: dict[str, Chunk] = {}
    for question, own in placed(batch, language):
        questions.append(question)
        chunks |= own
        funnel.see(question)
        folder.write("questions", question)
    for chunk in chunks.values():
        folder.write_once("chunks", chunk.chunk_id, chunk)
    pools = {pool.pool_id: pool for pool in draw(questions, config.perturb, chunks=chunks)}
    by_id = {question.question_id: question for question in questions}
    made: list[Variant] = []
    for row in vary(questions, config.perturb, chunks=chunks, pools=pools, **tools):
        if isinstance(row, Unanswered):
            funnel.unanswered[row.reason] += 1
            folder.write("unanswered", row)
        else:
            folder.write("variants", row, original=original(row, by_id[row.question_id], chunks, config.perturb))
            made.append(row)
    funnel.count(made)


def original(row: Variant, question: Question, chunks: Mapping[str, Chunk], config: PerturbConfig) -> str:
    """What a variant was made of: the question, the chunk, or of a passage the part of its chunk that was taken."""
    from rarefy.tasks.perturb.passages import passage

    if row.side == "query":
        return question.text
    chunk = chunks[row.chunk_id]
    if row.side == "document":
        return chunk.text
    spans = [(span.start, span.end) for span in question.evidence_spans if span.chunk_id == row.chunk_id]
    start, end = passage(chunk, spans, config.passage)
    return chunk.text[start:end]


def batches(found: Iterable[Asked], size: int) -> Iterator[list[Asked]]:
    """The questions in lists of `size`; the last has half of that at least, and less than two, unless it is alone."""
    rows = iter(found)
    before: list[Asked] = []
    while batch := list(islice(rows, size)):
        if before and 2 * len(batch) < size:
            before += batch
            break
        if before:
            yield before
        before = batch
    if before:
        yield before


def _counted(found: Iterable[Asked | Skipped], funnel: Funnel, folder: Folder) -> Iterator[Asked]:
    """The questions, each id once; what is skipped is counted and written."""
    seen: set[int] = set()  # of ids, hashed: a number each
    for row in found:
        if isinstance(row, Asked) and row.question_id:
            name = int(digest(row.question_id)[:15], 16)
            if name in seen:
                told = f"id {row.question_id!r} was used before; give each question its own"
                row = Skipped(row.place, "duplicate_id", told)
            seen.add(name)
        if isinstance(row, Skipped):
            funnel.skip(row)
            folder.write("skipped", row)
        else:
            yield row


def _recipe(given: Given, config: Config) -> str:
    """The name of all that the folder's files hang on."""
    varying, drawing = jobs.varying(config), jobs.drawing(config)
    return digest(
        {
            "versions": [VERSION, layouts.VERSION, drawing.version, varying.version],
            "given": [surroundings.read(given.path), given.layout, given.language],
            "config": config.perturb.model_dump(mode="json"),
            "tools": {name: tool.identity() for name, tool in varying.tools.items()},
            "surroundings": [dict(drawing.surroundings), dict(varying.surroundings)],
        }
    )


def _afford(config: Config, store: Store, means: Means, funnel: Funnel) -> None:
    """Nothing; TooManyFailures where more requests failed than the config allows."""
    if asking.asks(jobs.varying(config)):
        used = asking.books(store, means).usage(means.run)
        if why := asking.over("vary", used, funnel.unanswered, config.serving.failure_budget):
            raise TooManyFailures(why)


def show(funnel: Funnel, console: Console) -> None:
    """What was read, and what became of each perturbation."""
    for line in funnel.lines():
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    for title, records in keep_records(funnel.tally).items():
        console.print(as_table(title, records))
