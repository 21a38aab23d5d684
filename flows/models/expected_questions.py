"""How many questions the rules will find in a corpus, from a sample of it, before the corpus is worked on."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import groupby
from operator import attrgetter

import numpy as np

from rarefy.data_contracts.rows import Chunk, Document, Question, Triplet, row_id
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.run import BY_RULES, WITHOUT_MODEL, Part, Run
from rarefy.tasks.corpus import chunk
from rarefy.tasks.knowledge import extract, graph, link, normalise, supersede
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.store.tables import Store

PARTS = 256  # looked at, at most: of a million documents all would be minutes of reading
CHARACTERS = 2_000_000  # of the documents looked at, in all
MOST = 1_200_000  # characters of one document: of a longer one the beginning stands for all of it
# Of processor time, spaCy loaded, after which a slower machine makes do with what it has; the forecast then says of how
# much. By the clock a busy machine would say something else each time.
SECONDS = 7.0
IN_A_BUILD = 3.0  # of it where the build itself says so a minute later
FEW = 20  # questions: with fewer no number of an evaluation says anything


def sample_documents(store: Store, parts: Sequence[Part]) -> tuple[list[Document], int]:
    """Documents by hash, each text once, with about CHARACTERS in all; and how many rows were looked at for them."""
    found: dict[str, Document] = {}
    looked = size = 0
    for part in sorted(parts, key=lambda part: row_id("part", part["documents"]))[:PARTS]:
        for row in from_table(store.table(part["documents"]), Document):
            looked += 1
            if row.content_hash not in found:  # nothing is asked of what repeats another document
                found[row.content_hash] = clipped = clip_document(row, MOST)
                size += len(clipped.text)
            if size >= CHARACTERS:
                return list(found.values()), looked
    return list(found.values()), looked


def clip_document(document: Document, most: int) -> Document:
    """The document, or its first `most` characters with the blocks and facts that lie in them."""
    if len(document.text) <= most:
        return document
    blocks = tuple(block for block in document.blocks if block.end <= most)
    facts = tuple(fact for fact in document.facts if fact.end <= most)
    return replace(document, text=document.text[:most], blocks=blocks, facts=facts)


@dataclass(frozen=True)
class ExpectedQuestions:
    """How many questions of each pattern the rules are likely to find."""

    documents: int  # looked at
    of: int
    counts: dict[str, float]  # by pattern
    without: int = 0  # of those looked at, that give no question

    @property
    def total(self) -> float:
        """Questions of all patterns."""
        return sum(self.counts.values())

    @property
    def few(self) -> bool:
        """Whether there are too few questions for any number of an evaluation to say anything."""
        return self.total < FEW


@dataclass
class SampleFindings:
    """What the rules find in a sample of documents: chunks, facts, and questions that pass the gates."""

    chunks: dict[str, Chunk] = field(default_factory=dict)
    triplets: dict[str, Triplet] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    documents: set[str] = field(default_factory=set)  # those that were got through


def expect_questions(
    run: Run, config: Config, parts: Sequence[Part], seconds: float = SECONDS
) -> ExpectedQuestions | None:
    """Forecast the questions that rules will find; None where a model takes part, or most facts are known already.

    Nothing is kept: it is a matter of seconds, whatever the size of the corpus.
    """
    if stages.extracting.asked(config) or stages.asking.asked(config) or not parts:
        return None

    def work() -> ExpectedQuestions | None:
        if _facts_known(run, config, parts):
            return None
        documents, looked = sample_documents(run.store, parts)
        return extrapolate(documents, looked, sum(part["rows"] for part in parts), config, seconds=seconds)

    return run.stage("expect", work)


def _facts_known(run: Run, config: Config, parts: Sequence[Part]) -> bool:
    """Whether the store has the facts of half the parts that are looked at, so that the build will soon know better."""
    chunking, extracting = stages.chunking(config), stages.extracting(config)
    looked = sorted(parts, key=lambda part: row_id("part", part["documents"]))[:PARTS]
    made = run.store.over(run.store.find, map(chunking.recipe, looked))
    known = [{**part, **tables} for part, tables in zip(looked, made, strict=True) if tables]
    found = sum(tables is not None for tables in run.store.over(run.store.find, map(extracting.recipe, known)))
    return 2 * found >= len(looked)


def extrapolate(
    documents: Sequence[Document],
    looked: int,
    rows: int,
    config: Config,
    clock: Callable[[], float] = time.thread_time,
    seconds: float = SECONDS,
) -> ExpectedQuestions:
    """As many times the questions of the sample as the corpus has more documents, of each pattern its quota at most."""
    found = find_questions(documents, config, clock, seconds)
    times = rows / max(looked, 1) * len(documents) / max(len(found.documents), 1)
    domains = max(len({row.domain for row in documents}), 1)
    counted = Counter(question.pattern for question in found.questions)
    patterns = (*config.graph.patterns, *config.graph.computed, "listing", "absent")
    counts = {
        pattern: min(times * counted[pattern], config.graph.quotas.get(pattern, 0) * domains)
        for pattern in dict.fromkeys(("single", *patterns))
    }
    gold = frozenset[str]().union(*(question.every_gold for question in found.questions))
    of = {found.chunks[name].doc_id for name in gold if name in found.chunks}
    return ExpectedQuestions(len(found.documents), rows, counts, len(found.documents - of))


def find_questions(
    documents: Sequence[Document],
    config: Config,
    clock: Callable[[], float] = time.thread_time,
    seconds: float = SECONDS,
) -> SampleFindings:
    """Run the rules on these documents.

    Names are taken for one by their form alone: to compare their meaning takes a model that is seconds to load, and
    merges few. Where time runs out, the rest of the documents is left out.
    """
    if config.extract.methods:
        import_module("rarefy.tasks.text.language")  # spaCy and what it brings: the same 3 s for any sample
    found, end = SampleFindings(), clock() + seconds
    held = {row.doc_id: row for row in documents}
    rows: list[Triplet] = []
    for row in sorted(documents, key=lambda row: row_id("turn", row.doc_id)):
        if found.documents and clock() > end - 0.4 * seconds:
            break
        try:
            own = list(chunk.chunk([row], config.chunk))
            rows += _facts(own, config, held)
        except Exception as error:
            error.add_note(f"while a sample was looked at: {row.source}")
            raise
        found.chunks |= {one.chunk_id: one for one in own}
        found.documents.add(row.doc_id)
    rows = _reject_ambiguous(rows)
    kept = {name: row for name, row in held.items() if name in found.documents}
    rows = list(link.link(rows, config.link, chunks=found.chunks, documents=kept))
    keyed = normalise.normalise(rows, config.normalise, embed=_unrelated, documents=kept)
    valid = list(
        supersede.supersede((row for row in keyed if isinstance(row, Triplet)), config.supersede, documents=kept)
    )
    found.triplets = {row.triplet_id: row for row in valid}
    paths = graph.trace(valid, config.graph)
    asked = ask.ask(paths, config.ask, triplets=found.triplets, chunks=found.chunks, documents=kept)
    quiet = config.gates.model_copy(update={"retrieved": 0})  # whether BM25 finds a passage rejects no question
    judged = gates.judge(asked, quiet, chunks=found.chunks, triplets=found.triplets)
    found.questions = [question for question in judged if not question.rejected_because]
    return found


def _facts(own: Sequence[Chunk], config: Config, documents: dict[str, Document]) -> list[Triplet]:
    """The facts of these chunks."""
    return [row for row in extract.extract(own, config.extract, documents=documents) if isinstance(row, Triplet)]


def _reject_ambiguous(rows: Sequence[Triplet]) -> list[Triplet]:
    """The facts, each once; those of a document that give two values for one label are rejected."""
    once = {row.triplet_id: row for row in reversed(rows)}
    by_document = sorted(once.values(), key=lambda row: (row.doc_id, row.triplet_id))
    return [
        row
        for _, group in groupby(by_document, key=attrgetter("doc_id"))
        for row in extract.reject_ambiguous_labels(list(group))
    ]


def _unrelated(texts: Sequence[str]) -> np.ndarray:
    """Vectors of which no two are near, in place of embeddings."""
    return np.eye(len(texts), dtype=np.float32)


OF_RULES_ON_PROSE = ("prose",)  # methods whose place the model takes
WAY_OUT = (
    "The rules read tables, cover pages and simple sentences, in English. A model takes facts from all prose; write "
    "model.toml:"
)
LINES = """\
[llm]                        # who takes facts and asks; for a server of yours the name of its model
provider = "openai"
model = "gpt-4.1-mini"
[judge]                      # who judges the questions: another model, where you have one
provider = "openai"
model = "gpt-4.1"
[extract]
methods = [{methods}]
[ask]
method = "model"
[probe]
by = "model"
[grade]
by = "model"
"""
COMMANDS = """\
export OPENAI_API_KEY=...                            # a model of OpenAI, or
export OPENAI_BASE_URL=http://localhost:8000/v1      # one on this machine: vLLM, SGLang, Ollama, llama.cpp
rarefy estimate {corpus} --config model.toml
rarefy build {corpus} --out {out} --config model.toml
"""


def report_expected(run: Run, config: Config, parts: list[Part], corpus: str, out: str) -> None:
    """Print what to expect, unless nobody sees it, a model takes part, or the facts are known already.

    A fault is printed, too, and ends nothing: the stage that meets it again names the document.
    """
    if run.board.quiet and not run.board.listener:
        return
    try:
        made = expect_questions(run, config, parts, IN_A_BUILD)
    except Exception as error:
        met = "; ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
        run.board.note("expect", f"no forecast ({met})")
        return
    if made:
        first, *more = describe_expected(made, config, corpus, out)
        run.board.note("expect", f"{first}")
        for line in more:  # as they are to be copied
            run.board.say(line)


def describe_expected(made: ExpectedQuestions, config: Config, corpus: str, out: str = "DIR") -> list[str]:
    """The forecast, and how many documents give nothing; where nearly all do, the instructions to use a model."""
    sampled = f"from {made.documents:,} of {made.of:,} documents" if made.documents < made.of else "from all documents"
    if not made.few:
        parts = [
            f"{format_rounded(count)} {name.replace('_', ' ')}" for name, count in made.counts.items() if round(count)
        ]
        lines = [f"about {format_rounded(made.total)} questions: {', '.join(parts)} ({sampled})"]
        if made.without:
            lines += [f"{made.without:,} of {made.documents:,} documents looked at give no question. {BY_RULES}"]
        return lines
    count = round(made.total)
    found = f"about {count:,} question{'s' * (count != 1)}" if count else "no question"
    return [f"next to nothing: {found} by rules ({sampled})", *model_instructions(config, corpus, out)]


def model_instructions(config: Config, corpus: str, out: str = "DIR") -> list[str]:
    """The instructions to use a model for a corpus: the config to write, the commands to run, and the ways without."""
    commands = COMMANDS.format(corpus=corpus, out=out).splitlines()
    return [WAY_OUT, *model_toml(config).splitlines(), "and run", *commands, f"Or {WITHOUT_MODEL}."]


def model_toml(config: Config) -> str:
    """A config with which a model extracts and asks, in place of the rules for prose."""
    methods = [name for name in config.extract.methods if name not in (*OF_RULES_ON_PROSE, "model")]
    return LINES.format(methods=", ".join(f'"{name}"' for name in (*methods, "model")))


def format_rounded(count: float) -> str:
    """A number rounded to two significant digits."""
    whole = round(count)
    return f"{round(whole, 2 - len(str(whole))):,}" if whole >= 100 else f"{whole:,}"
