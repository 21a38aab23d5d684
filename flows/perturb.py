"""The command `rarefy perturb`: variants of any file of questions, answers and contexts; no corpus, graph or engine."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from uuid import uuid4

from rich.console import Console

from rarefy.data_contracts.rows import Chunk, Question, Similarity, Unanswered, Variant
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.perturbed_folder import Funnel, VariantsFolder, load_unchanged
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.workers import count_cores
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import accounting
from rarefy.flows.reports.console import Terminal, as_table, keep_records
from rarefy.tasks.find import did_you_mean
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.models.llm.faults import Stopped, TooManyFailures
from rarefy.tasks.perturb import layouts
from rarefy.tasks.perturb.catalogue import CATALOGUE, Side, select_by_names
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.layouts import QuestionRecord, Skipped, make_questions
from rarefy.tasks.perturb.pools import draw
from rarefy.tasks.perturb.vary import vary_with_similarities
from rarefy.tasks.store.tables import Store, digest

VERSION = 4
BATCH = 1_000  # questions worked on together; nothing depends on it
SIDES: tuple[Side, ...] = ("query", "document", "context")
CHANGED = ("golden", "distracting", "distraction")  # of passages: made of one text; noise is taken from near or far


@dataclass(frozen=True)
class QuestionSource:
    """A file or folder of questions, its layout and its language."""

    path: Path
    layout: str = ""  # "": told by its shape
    language: str = ""  # of questions whose language the file does not say; "": guessed

    def read(self) -> Iterator[QuestionRecord | Skipped]:
        """Its questions; UsageFault where there are none to be read."""
        try:
            yield from layouts.read(self.path, self.layout)
        except ValueError as error:
            raise UsageFault(str(error)) from error


def select_perturbations(config: Config, names: Iterable[str]) -> Config:
    """The config with these perturbations alone: by side, as the config lists it, by family or name, or as
    side:module:function. UsageFault for one not known, and for none at all."""
    names = [_normalise_name(name) for name in names if name.strip()]
    if not names:
        raise UsageFault("--only: no perturbation named; name some (`rarefy perturbations`), or leave it out")
    chosen: dict[str, list[str]] = {side: [] for side in SIDES}
    for name in names:
        first, _, rest = name.partition(":")
        if name in SIDES:
            if not (listed := getattr(config.perturb, name)):
                raise UsageFault(f"--only {name}: perturb.{name} of the config lists nothing")
            chosen[name] += listed
        elif first in SIDES and ":" in rest:
            chosen[first].append(rest)
        elif rest:
            sides = [side for side in SIDES if name in getattr(config.perturb, side)]
            if not sides:
                raise UsageFault(
                    f"--only {name}: say what it changes, as query:{name}, document:{name} or context:{name}, or list "
                    "it in perturb.query, perturb.document or perturb.context of the config"
                )
            for side in sides:
                chosen[side].append(name)
        elif found := {entry.side for entry in CATALOGUE.values() if name in (entry.name, entry.family)}:
            for side in found:
                chosen[side].append(name)
        else:
            known = dict.fromkeys([*SIDES, *(e.family for e in CATALOGUE.values()), *CATALOGUE])
            message = f"--only {name}: no such perturbation{did_you_mean(name, known)}; have {', '.join(known)}"
            raise UsageFault(f"{message} (`rarefy perturbations`)")
    for side in SIDES:
        try:
            select_by_names(side, chosen[side])
        except ValueError as error:
            raise UsageFault(f"--only: {error}") from error
    return config.model_copy(
        update={"perturb": config.perturb.model_copy(update={side: tuple(chosen[side]) for side in SIDES})}
    )


def _normalise_name(name: str) -> str:
    """A name without blanks around it, in small letters, except for module:function."""
    first, colon, rest = name.strip().partition(":")
    return f"{first.strip().lower() if first.strip().lower() in SIDES else first}:{rest}" if colon else first.lower()


def perturb(
    source: QuestionSource, out: Path, config: Config, store: str, context: InferenceContext, quiet: bool = False
) -> tuple[Funnel, bool]:
    """Write the variants of a file into the folder `out`; what became of them, and whether it had to be made now.

    SpentFault where a budget is used up: the same command goes on from there. UsageFault where there is nothing.
    """
    _check_apart(source, out)
    recipe = _recipe(source, config)
    if found := load_unchanged(out, recipe):
        return found, False
    funnel = Funnel()
    board = ProgressBoard(Terminal(stderr=True), quiet)
    context = replace(context, stage="vary", run=context.run or uuid4().hex)
    with board.open(), VariantsFolder(out, recipe) as folder:
        line = board.line("vary", "questions", None)
        try:
            for count in _vary(source, config, Store(store), context, funnel, folder):
                line.step(count)
            _check_failures(config, Store(store), context, funnel)
        except Stopped as stopped:
            raise accounting.stop_fault(stopped, "") from stopped
        if not funnel.questions:
            why = ", ".join(f"{n:,} {reason}" for reason, n in funnel.skipped.most_common())
            first = f"; {funnel.first.place}: {funnel.first.detail}" if funnel.first else ""
            raise UsageFault(f"{source.path}: no question that can be perturbed{f' ({why}{first})' if why else ''}")
        line.end(f"{funnel.questions:,} questions, {funnel.kept:,} variants kept")
        folder.finish(funnel)
    return funnel, True


def _vary(
    source: QuestionSource,
    config: Config,
    store: Store,
    context: InferenceContext,
    funnel: Funnel,
    folder: VariantsFolder,
) -> Iterator[int]:
    """Make the variants of all questions, and put all of it into the folder; how many questions each step did.

    Noise for one question is made of the passages of all others, so that the file is held whole, each passage once.
    """
    questions: list[Question] = []
    chunks: dict[str, Chunk] = {}
    for question, own in make_questions(_counted(source.read(), funnel, folder), source.language):
        questions.append(question)
        chunks |= own
        funnel.see(question)
        folder.write("questions", question)
    for chunk in chunks.values():
        folder.write("chunks", chunk)
    job = stages.varying(config)
    place = accounting.cache_folder(store)
    tools = {name: tool.connect(place, threads=count_cores(), means=context) for name, tool in job.tools.items()}
    drawn = draw(questions, config.perturb, chunks=chunks)  # one for each, in their order
    for start in range(0, len(questions), BATCH):
        batch = questions[start : start + BATCH]
        pools = {pool.pool_id: pool for pool in islice(drawn, len(batch))}
        by_id = {question.question_id: question for question in batch}
        made: list[Variant] = []
        for row in vary_with_similarities(batch, config.perturb, chunks=chunks, pools=pools, **tools):
            if isinstance(row, Unanswered):
                funnel.unanswered[row.reason] += 1
                folder.write("unanswered", row)
            elif isinstance(row, Similarity):
                folder.write("similarities", row)
            else:
                folder.write("variants", row, original=original(row, by_id[row.question_id], chunks, config.perturb))
                made.append(row)
        funnel.count(made)
        yield len(batch)


def original(row: Variant, question: Question, chunks: Mapping[str, Chunk], config: PerturbConfig) -> str | None:
    """The text that a variant was made of: the question, the chunk, or the passage of it that holds the evidence.

    None for noise: it is taken as it stands from elsewhere, or made of such passages.
    """
    from rarefy.tasks.perturb.passages import find_passage

    if row.side == "query":
        return question.text
    if row.side == "document":
        return chunks[row.chunk_id].text
    if row.family not in CHANGED or row.chunk_id not in question.chunk_ids:
        return None
    chunk = chunks[row.chunk_id]
    spans = [(span.start, span.end) for span in question.evidence_spans if span.chunk_id == row.chunk_id]
    start, end = find_passage(chunk, spans, config.passage)
    return chunk.text[start:end]


def _counted(
    found: Iterable[QuestionRecord | Skipped], funnel: Funnel, folder: VariantsFolder
) -> Iterator[QuestionRecord]:
    """The questions, each id once; what is skipped is counted and written."""
    seen: set[int] = set()  # of ids, hashed: a number each
    for row in found:
        if isinstance(row, QuestionRecord):
            name = int(digest(layouts.make_question_id(row))[:15], 16)
            if name in seen:
                problem = f"id {row.question_id!r} was used before" if row.question_id else "asked and answered before"
                row = Skipped(row.place, "duplicate_id", f"{problem}; give each question its own id")
            seen.add(name)
        if isinstance(row, Skipped):
            funnel.skip(row)
            folder.write("skipped", row)
        else:
            yield row


def _check_apart(source: QuestionSource, out: Path) -> None:
    """UsageFault where the output would lie among the files that are read."""
    try:
        read = layouts.files(source.path, source.layout)
    except ValueError as error:
        raise UsageFault(str(error)) from error
    place = out.resolve()
    folders = [source.path] if source.path.is_dir() and not layouts.is_multi_file(source.path, source.layout) else []
    if any(place in file.resolve().parents for file in read) or any(
        place.is_relative_to(folder.resolve()) for folder in folders
    ):
        raise UsageFault(f"--out {out}: questions are read from there; choose a folder elsewhere")


def _recipe(source: QuestionSource, config: Config) -> str:
    """The digest of all that the folder's files depend on."""
    varying, drawing = stages.varying(config), stages.drawing(config)
    read = [(file.name, stages.current_digest(file)) for file in layouts.files(source.path, source.layout)]
    return digest(
        {
            "versions": [VERSION, layouts.VERSION, drawing.version, varying.version],
            "given": [read, source.layout, source.language],
            "config": config.perturb.model_dump(mode="json"),
            "tools": {name: tool.identity() for name, tool in varying.tools.items()},
            "surroundings": [dict(drawing.surroundings), dict(varying.surroundings)],
        }
    )


def _check_failures(config: Config, store: Store, context: InferenceContext, funnel: Funnel) -> None:
    """TooManyFailures where more requests failed than the config allows."""
    if accounting.asks_model(stages.varying(config)):
        used = accounting.reply_store(store, context).usage(context.run)
        if why := accounting.explain_failures("vary", used, funnel.unanswered, config.serving.failure_budget):
            raise TooManyFailures(why)


def show(funnel: Funnel, console: Console) -> None:
    """Print what was read, and what became of each perturbation."""
    for line in funnel.lines():
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if variants := keep_records(funnel.tally):
        console.print(as_table("Variants", variants))
