"""How many questions the rules will find in a corpus, from a sample of it, before the corpus is worked on."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import groupby
from math import sqrt
from operator import attrgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Chunk, Document, Question, Triplet, row_id
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.run import Part, Run
from rarefy.tasks.corpus import chunk
from rarefy.tasks.knowledge import extract, graph, link, normalise, supersede
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text.names import company

PARTS = 256  # looked at, at most: of a million documents all would be minutes of reading
RARE = 0.05  # share of the text from which on a kind of document is sampled by itself; what is rarer counts together
TABLES = 8  # times as long as for text it takes to find facts in a table
COLUMNS = ("doc_id", "content_hash", "entity", "domain", "form", "media_type")


@dataclass(frozen=True, slots=True)
class Outline:
    """A document without its text: where it lies, its kind, and its size in characters."""

    part: int
    place: int
    doc_id: str
    issuer: str  # who speaks; the document itself where it does not say
    kind: str
    tables: int  # characters
    text: int  # characters outside of tables

    @property
    def size(self) -> int:
        """Characters."""
        return self.tables + self.text

    @property
    def work(self) -> int:
        """The work of extracting its facts, in characters of text."""
        return TABLES * self.tables + self.text


@dataclass(frozen=True, slots=True)
class Amount:
    """Documents of a kind, and their characters in tables and in text."""

    documents: float = 0.0
    tables: float = 0.0
    text: float = 0.0

    @property
    def size(self) -> float:
        """Characters."""
        return self.tables + self.text


def sample_parts(parts: Sequence[Part]) -> list[int]:
    """The places of the parts that are sampled: those with the smallest hashes."""
    return sorted(range(len(parts)), key=lambda place: row_id("part", parts[place]["documents"]))[:PARTS]


def outlines(store: Store, parts: Sequence[Part], places: Sequence[int]) -> tuple[list[Outline], float]:
    """The outlines of the documents in these parts, each text once, and how many times as many there are in all."""
    rows = sum(part["rows"] for part in parts)
    found: dict[str, Outline] = {}
    looked = 0
    tables = store.over(store.table, [parts[place]["documents"] for place in places])
    for place, table in zip(places, tables, strict=True):
        looked += table.num_rows
        for outline, text in _outlined(place, table):
            found.setdefault(text, outline)  # nothing is asked of what repeats another document
    size = sum(one.size for one in found.values())
    kinds: dict[str, int] = defaultdict(int)
    for one in found.values():
        kinds[one.kind] += one.size
    common = [one if kinds[one.kind] >= RARE * size else replace(one, kind="") for one in found.values()]
    return sorted(common, key=lambda one: one.doc_id), rows / max(looked, 1)


def _outlined(part: int, table: pa.Table) -> Iterator[tuple[Outline, str]]:
    """The outline of each document of a table, with the hash of its content."""
    sizes = pc.utf8_length(table["text"]).to_pylist()
    blocks = table["blocks"].combine_chunks()
    flat = blocks.flatten()
    lengths = pc.subtract(flat.field("end"), flat.field("start")).to_numpy(zero_copy_only=False)
    tables = pc.equal(flat.field("kind"), "table").to_numpy(zero_copy_only=False)
    held = np.bincount(pc.list_parent_indices(blocks).to_numpy(), lengths * tables, table.num_rows)
    columns = zip(*(table[name].to_pylist() for name in COLUMNS), sizes, held.astype(int).tolist(), strict=True)
    for place, (doc_id, content, entity, domain, form, media, size, in_tables) in enumerate(columns):
        kind = f"{domain} {form or media}"
        issuer = company(entity)[0] if entity else ""
        inside = min(in_tables, size)
        yield Outline(part, place, doc_id, issuer or f"document {doc_id}", kind, inside, size - inside), content


def measure_kinds(outlined: Iterable[Outline]) -> dict[str, Amount]:
    """The amount of each kind of document."""
    found: dict[str, Amount] = {}
    for one in outlined:
        old = found.get(one.kind, Amount())
        found[one.kind] = Amount(old.documents + 1, old.tables + one.tables, old.text + one.text)
    return found


def choose_documents(outlined: Sequence[Outline], budget: int) -> list[Outline]:
    """Documents of about `budget` of work: all of an entity together, entities by hash, each kind by its share.

    Each kind has at least one document. Where the documents of the first entity of a kind are more than its share,
    they are taken one by one, by hash. Nothing depends on the order of the documents.
    """
    size = _work(outlined)
    if size <= budget:
        return list(outlined)
    taken: list[Outline] = []
    kinds: dict[str, dict[str, list[Outline]]] = defaultdict(lambda: defaultdict(list))
    for one in outlined:
        kinds[one.kind][one.issuer].append(one)
    for kind in sorted(kinds):
        entities = kinds[kind]
        share = budget * sum(map(_work, entities.values())) / size
        of_kind: list[Outline] = []
        for issuer in sorted(entities, key=lambda name: row_id("issuer", name)):
            own = sorted(entities[issuer], key=lambda one: row_id("document", one.doc_id))
            if of_kind and _work(of_kind) + _work(own) > share * 1.25:
                continue  # a smaller one may still have room
            for one in own:
                if of_kind and _work(of_kind) + one.work > share * 1.25:
                    break
                of_kind.append(one)
        taken += of_kind
    return sorted(taken, key=lambda one: one.doc_id)


def _work(outlined: Iterable[Outline]) -> int:
    return sum(one.work for one in outlined)


def load_documents(store: Store, parts: Sequence[Part], chosen: Sequence[Outline], most: int) -> list[Document]:
    """The chosen documents; of one with more than `most` characters the beginning."""
    places: dict[int, list[int]] = defaultdict(list)
    for one in chosen:
        places[one.part].append(one.place)
    found: list[Document] = []
    for part, some in places.items():
        table = store.table(parts[part]["documents"]).take(pa.array(sorted(some), pa.int64()))
        found += (clip_document(row, most) for row in from_table(table, Document))
    return sorted(found, key=lambda row: row.doc_id)


def clip_document(document: Document, most: int) -> Document:
    """The document, or its first `most` characters with the blocks and facts that lie in them."""
    if len(document.text) <= most:
        return document
    blocks = tuple(block for block in document.blocks if block.end <= most)
    facts = tuple(fact for fact in document.facts if fact.end <= most)
    return replace(document, text=document.text[:most], blocks=blocks, facts=facts)


# In characters, so that a forecast is the same everywhere. A slow core takes 0.9 µs for one of text, of which facts are
# taken by fixed forms, and eight times as long for one in a table: 6 s in all, beside the 3 s that spaCy takes to load.
WHOLE = 4_000_000
MOST = 1_200_000  # characters of one document: of a longer one the beginning stands for all of it
# Of processor time, spaCy loaded, after which a slower machine makes do with what it has; the forecast then says of how
# much. By the clock a busy machine would say something else each time.
SECONDS = 7.0
FEW = 20  # questions: with fewer no number of an evaluation says anything


@dataclass(frozen=True)
class Range:
    """At least, likely, at most."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True)
class ExpectedQuestions:
    """How many questions of each pattern the rules are likely to find."""

    documents: int  # looked at
    of: int
    characters: int  # of the documents looked at
    single: float
    multi: dict[str, Range]  # of all kinds but single

    @property
    def total(self) -> float:
        """Questions of all patterns."""
        return self.single + sum(one.likely for one in self.multi.values())

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


def expect_questions(run: Run, config: Config, parts: Sequence[Part]) -> ExpectedQuestions | None:
    """Forecast the questions that rules will find; None where a model takes part, or most facts are known already.

    Nothing is kept: it is a matter of seconds (SECONDS), whatever the size of the corpus.
    """
    if stages.extracting.asked(config) or stages.asking.asked(config) or not parts:
        return None

    def work() -> ExpectedQuestions | None:
        looked = sample_parts(parts)
        if 2 * sum(_extracted(run, config, parts, looked)) >= len(looked):
            return None
        seen, times = outlines(run.store, parts, looked)
        documents = load_documents(run.store, parts, choose_documents(seen, WHOLE), MOST)
        return extrapolate(seen, times, documents, config, sum(part["rows"] for part in parts))

    return run.stage("expect", work)


def _extracted(run: Run, config: Config, parts: Sequence[Part], places: Sequence[int]) -> list[bool]:
    """For each of these parts, whether the store has its facts."""
    chunking, extracting = stages.chunking(config), stages.extracting(config)
    made = run.store.over(run.store.find, (chunking.recipe(parts[place]) for place in places))
    known = [{**parts[place], **tables} for place, tables in zip(places, made, strict=True) if tables]
    return [found is not None for found in run.store.over(run.store.find, map(extracting.recipe, known))]


def extrapolate(
    seen: Sequence[Outline],
    times: float,
    documents: Sequence[Document],
    config: Config,
    rows: int,
    clock: Callable[[], float] = time.thread_time,
) -> ExpectedQuestions:
    """Extrapolate from the questions found in these documents to `times` as many as those outlined.

    A single question stands for as many as the corpus has more of what it was found in, by kind of document: of
    documents (cover pages), of characters in tables, or of characters of text.

    Questions of several facts are a range:

    - likely: each stands for as many as the corpus has more characters of that kind of document.
    - low: that, less what chance may have added: of n questions found, n - 2 √n, and by the factor below.
    - high: of a question whose facts are of several documents there may be as many as there are *pairs* of documents,
      the square of that number (so it is with companies that share an auditor, an exchange or a rival); n + 2 √n + 1
      for chance; and the factor. No more than the quota of the kind.
    - The factor is 1 + 2 / √m for m entities in the sample, which differ from each other, and less where the sample is
      more than three quarters of the corpus: nothing is uncertain where it is all of it.
    """
    held = {one.doc_id: one for one in seen}
    found = find_questions(documents, config, clock)
    sample = [held[doc_id] for doc_id in sorted(found.documents)]
    cut = {row.doc_id: len(row.text) / max(held[row.doc_id].size, 1) for row in documents}
    corpus, looked = measure_kinds(seen), _sampled_amounts(sample, cut)
    rates = {kind: _rates(corpus[kind], amount, times) for kind, amount in looked.items()}
    size = max(sum(one.size for one in seen), 1)
    unseen = size / max(sum(corpus[kind].size for kind in looked), 1)  # kinds that there was no time for count along

    def times_of(question: Question) -> tuple[float, float, bool]:
        """How many it stands for as a single one, and by characters; whether it crosses documents."""
        facts = [found.triplets[name] for name in question.triplet_ids]
        target = facts[-1]
        rate = rates[held[target.doc_id].kind]
        by = rate.documents if target.method == "cover" else rate.tables if _in_table(found, target) else rate.text
        crosses = len({fact.doc_id for fact in facts}) > 1
        return by * unseen, rate.all * unseen, crosses

    single = 0.0
    patterns: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for question in found.questions:
        as_single, by_size, crosses = times_of(question)
        if question.pattern == "single":
            single += as_single
        else:
            most = by_size * (by_size if crosses else 1)
            patterns[question.pattern].append((by_size, max(most, by_size)))
    average = times * size / max(sum(amount.size for amount in looked.values()), 1)
    unknown = 1 - 1 / max(average, 1)
    factor = (1 + 2 / sqrt(max(len({one.issuer for one in sample}), 1))) ** min(1.0, 2 * sqrt(unknown))
    quotas = config.graph.quotas
    domains = max(len({row.domain for row in documents}), 1)
    multi = {
        pattern: _range(patterns[pattern], average, factor, unknown, quotas.get(pattern, 0) * domains)
        for pattern in (*config.graph.patterns, *config.graph.computed, "listing", "absent")
        if pattern != "single"
    }
    single = min(single, quotas.get("single", 0) * domains)
    return ExpectedQuestions(len(sample), rows, round(sum(a.size for a in looked.values())), single, multi)


def _sampled_amounts(sample: Sequence[Outline], cut: dict[str, float]) -> dict[str, Amount]:
    """How much of each kind was looked at: of documents that were clipped what was left."""
    found: dict[str, Amount] = {}
    for one in sample:
        old, share = found.get(one.kind, Amount()), cut[one.doc_id]
        found[one.kind] = Amount(old.documents + 1, old.tables + share * one.tables, old.text + share * one.text)
    return found


@dataclass(frozen=True)
class Rates:
    """How many times as much there is of a kind of document as was looked at."""

    documents: float
    tables: float  # by characters, as below
    text: float
    all: float


def _rates(corpus: Amount, looked: Amount, times: float) -> Rates:
    """How many times as much there is of each; of what the sample has none of, as many times as of all characters."""
    size = times * corpus.size / max(looked.size, 1)
    return Rates(
        times * corpus.documents / looked.documents,
        times * corpus.tables / looked.tables if looked.tables else size,
        times * corpus.text / looked.text if looked.text else size,
        size,
    )


def _in_table(found: SampleFindings, triplet: Triplet) -> bool:
    return found.chunks[triplet.chunk_id].kind == "table"


def _range(each: Sequence[tuple[float, float]], average: float, factor: float, unknown: float, quota: int) -> Range:
    """The range for questions that each stand for so many, at most for so many."""
    count = len(each)
    likely, most = sum(a for a, _ in each), sum(b for _, b in each)
    chance = 2 * sqrt(count) * sqrt(unknown)
    low = likely * max(count - chance, 0) / max(count, 1) / factor
    high = (most * (count + chance) / max(count, 1) + average * unknown) * factor
    return Range(min(low, quota), min(likely, quota), min(high, quota))


def find_questions(
    documents: Sequence[Document], config: Config, clock: Callable[[], float] = time.thread_time
) -> SampleFindings:
    """Run the rules on these documents.

    Names are taken for one by their form alone: to compare their meaning takes a model that is seconds to load, and
    merges few. Where time runs out, the rest of the documents is left out.
    """
    if config.extract.methods:
        import_module("rarefy.tasks.text.language")  # spaCy and what it brings: the same 3 s for any sample
    found, end = SampleFindings(), clock() + SECONDS
    held = {row.doc_id: row for row in documents}
    rows: list[Triplet] = []
    for row in sorted(documents, key=lambda row: row_id("turn", row.doc_id)):
        if found.documents and clock() > end - 0.4 * SECONDS:
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
        made = expect_questions(run, config, parts)
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
    """The forecast in one line; where it is next to nothing, followed by the instructions to use a model."""
    sampled = f"from {made.documents:,} of {made.of:,} documents" if made.documents < made.of else "from all documents"
    if not made.few:
        parts = [f"{format_rounded(made.single)} single"]
        parts += [f"{format_range(one)} {pattern.replace('_', ' ')}" for pattern, one in made.multi.items()]
        return [f"about {format_rounded(made.total)} questions: {', '.join(parts)} ({sampled})"]
    count = round(made.total)
    found = f"about {count:,} question{'s' * (count != 1)}" if count else "no question"
    return [f"next to nothing: {found} by rules ({sampled})", *model_instructions(config, corpus, out)]


def model_instructions(config: Config, corpus: str, out: str = "DIR") -> list[str]:
    """The instructions to use a model for a corpus: the config to write, and the commands to run."""
    return [WAY_OUT, *model_toml(config).splitlines(), "and run", *COMMANDS.format(corpus=corpus, out=out).splitlines()]


def model_toml(config: Config) -> str:
    """A config with which a model extracts and asks, in place of the rules for prose."""
    methods = [name for name in config.extract.methods if name not in (*OF_RULES_ON_PROSE, "model")]
    return LINES.format(methods=", ".join(f'"{name}"' for name in (*methods, "model")))


def format_rounded(count: float) -> str:
    """A number rounded to two significant digits."""
    whole = round(count)
    return f"{round(whole, 2 - len(str(whole))):,}" if whole >= 100 else f"{whole:,}"


def format_range(of: Range) -> str:
    """A range in words, one number where both ends are the same."""
    low, high = format_rounded(of.low), format_rounded(of.high)
    return low if low == high else f"{low} to {high}"
