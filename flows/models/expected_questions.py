"""How many questions the rules will find in a corpus, from a sample of it, before the corpus is worked on."""

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby
from math import sqrt
from operator import attrgetter

import numpy as np

from rarefy.data_contracts.rows import Chunk, Document, Question, Triplet, row_id
from rarefy.flows.config import Config
from rarefy.flows.engine import stages
from rarefy.flows.engine.run import Part, Run
from rarefy.flows.models.corpus_sample import Amount, Outline, amounts, choose, load, outlines, sampled_parts
from rarefy.tasks.corpus import chunk
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.questions import ask, gates

# In characters, so that a forecast is the same everywhere. A slow core takes 0.9 µs for one of text, of which facts are
# taken by fixed forms, eight times as long for one in a table, and 27 µs for one of prose, which is parsed: 6 s in all,
# beside the 3 s that spaCy takes to load.
WHOLE = 4_000_000
PROSE = 60_000
MOST = 1_200_000  # characters of one document: of a longer one the beginning stands for all of it
# Of processor time, spaCy loaded, after which a slower machine makes do with what it has; the forecast then says of how
# much. By the clock a busy machine would say something else each time.
SECONDS = 7.0
PARSED = ("prose",)  # methods that take a core seconds for a long document
FEW = 20  # questions: with fewer no number of an evaluation says anything


@dataclass(frozen=True)
class Range:
    """At least, likely, at most."""

    low: float
    likely: float
    high: float


@dataclass(frozen=True)
class Expected:
    """How many questions of each pattern the rules are likely to find."""

    documents: int  # looked at
    of: int
    characters: int  # of the documents looked at
    single: float
    multi: dict[str, Range]

    @property
    def total(self) -> float:
        """Questions of all patterns."""
        return self.single + sum(one.likely for one in self.multi.values())

    @property
    def few(self) -> bool:
        """Next to nothing."""
        return self.total < FEW


@dataclass
class Found:
    """What the rules find in some documents: facts, and the questions that stand."""

    chunks: dict[str, Chunk] = field(default_factory=dict)
    triplets: dict[str, Triplet] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    documents: set[str] = field(default_factory=set)  # those that were got through
    parsed: set[str] = field(default_factory=set)  # chunks of text whose prose was read
    prose: float = 1.0  # their share of the text


def expect(run: Run, config: Config, parts: Sequence[Part]) -> Expected | None:
    """What the rules will find in these documents; None where a model takes part, or most facts are there already.

    Nothing is kept: it is a matter of seconds (SECONDS), whatever the size of the corpus.
    """
    if stages.extracting.asked(config) or stages.asking.asked(config) or not parts:
        return None

    def work() -> Expected | None:
        looked = sampled_parts(parts)
        if 2 * sum(_extracted(run, config, parts, looked)) >= len(looked):
            return None
        seen, times = outlines(run.store, parts, looked)
        documents = load(run.store, parts, choose(seen, WHOLE), MOST)
        return of_sample(seen, times, documents, config, sum(part["rows"] for part in parts))

    return run.stage("expect", work)


def _extracted(run: Run, config: Config, parts: Sequence[Part], places: Sequence[int]) -> list[bool]:
    """Of each of these parts whether the store knows its facts."""
    chunking, extracting = stages.chunking(config), stages.extracting(config)
    made = run.store.over(run.store.find, (chunking.recipe(parts[place]) for place in places))
    known = [{**parts[place], **tables} for place, tables in zip(places, made, strict=True) if tables]
    return [found is not None for found in run.store.over(run.store.find, map(extracting.recipe, known))]


def of_sample(
    seen: Sequence[Outline],
    times: float,
    documents: Sequence[Document],
    config: Config,
    rows: int,
    clock: Callable[[], float] = time.thread_time,
) -> Expected:
    """What the questions found in these documents come to for all that were seen, and `times` as many.

    A single question stands for as many as the corpus has more of what it was found in, by kind of document: of
    documents (cover pages), of characters in tables, or of characters of text; one from prose also for the text of the
    sample that was not parsed.

    Questions of several facts are a range:

    - likely: each stands for as many as the corpus has more characters of that kind of document.
    - low: that, less what chance may have added: of n questions found, n - 2 √n, and by the factor below.
    - high: of a question whose facts are of several documents there may be as many as there are *pairs* of documents,
      the square of that number (so it is with companies that share an auditor, an exchange or a rival); of one whose
      facts need k chunks of prose, of which a share s was parsed, as many as 1 / s^k; n + 2 √n + 1 for chance; and the
      factor. No more than the quota of the pattern.
    - The factor is 1 + 2 / √m for m entities in the sample, which differ from each other, and less where the sample is
      more than three quarters of the corpus: nothing is uncertain where it is all of it.
    """
    held = {one.doc_id: one for one in seen}
    found = find_in(documents, config, clock)
    sample = [held[doc_id] for doc_id in sorted(found.documents)]
    cut = {row.doc_id: len(row.text) / max(held[row.doc_id].size, 1) for row in documents}
    corpus, looked = amounts(seen), _looked(sample, cut)
    rates = {kind: _rates(corpus[kind], amount, times) for kind, amount in looked.items()}
    size = max(sum(one.size for one in seen), 1)
    unseen = size / max(sum(corpus[kind].size for kind in looked), 1)  # kinds that there was no time for count along

    def times_of(question: Question) -> tuple[float, float, int, bool]:
        """How many it stands for as a single one, by characters; its chunks of prose; whether it crosses documents."""
        facts = [found.triplets[name] for name in question.triplet_ids]
        target = facts[-1]
        rate = rates[held[target.doc_id].kind]
        by = rate.documents if target.method == "cover" else rate.tables if _in_table(found, target) else rate.text
        prose = len({fact.chunk_id for fact in facts if fact.method in PARSED})
        crosses = len({fact.doc_id for fact in facts}) > 1
        return by * unseen, rate.all * unseen, prose, crosses

    share = max(found.prose, 0.01)
    single = 0.0
    patterns: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for question in found.questions:
        as_single, by_size, prose, crosses = times_of(question)
        if question.pattern == "single":
            single += as_single / share**prose
        else:
            most = by_size * (by_size if crosses else 1) / share**prose
            patterns[question.pattern].append((by_size, max(most, by_size)))
    average = times * size / max(sum(amount.size for amount in looked.values()), 1)
    unknown = 1 - share / max(average, 1)
    factor = (1 + 2 / sqrt(max(len({one.issuer for one in sample}), 1))) ** min(1.0, 2 * sqrt(unknown))
    quotas = config.graph.quotas
    domains = max(len({row.domain for row in documents}), 1)
    multi = {
        pattern: _range(patterns[pattern], average, factor, unknown, quotas.get(pattern, 0) * domains)
        for pattern in config.graph.patterns
        if pattern != "single"
    }
    single = min(single, quotas.get("single", 0) * domains)
    return Expected(len(sample), rows, round(sum(a.size for a in looked.values())), single, multi)


def _looked(sample: Sequence[Outline], cut: dict[str, float]) -> dict[str, Amount]:
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


def _in_table(found: Found, triplet: Triplet) -> bool:
    return found.chunks[triplet.chunk_id].kind == "table"


def _range(each: Sequence[tuple[float, float]], average: float, factor: float, unknown: float, quota: int) -> Range:
    """The range for questions that each stand for so many, at most for so many."""
    count = len(each)
    likely, most = sum(a for a, _ in each), sum(b for _, b in each)
    chance = 2 * sqrt(count) * sqrt(unknown)
    low = likely * max(count - chance, 0) / max(count, 1) / factor
    high = (most * (count + chance) / max(count, 1) + average * unknown) * factor
    return Range(min(low, quota), min(likely, quota), min(high, quota))


def find_in(documents: Sequence[Document], config: Config, clock: Callable[[], float] = time.thread_time) -> Found:
    """What the rules find in these documents, the prose of PROSE characters of them among it.

    Names are taken for one by their form alone: to compare their meaning takes a model that is seconds to load, and
    merges few. Where time runs out, the rest of the documents, or of the prose, is left out.
    """
    if config.extract.methods:
        import_module("rarefy.tasks.text.language.load")  # spaCy and what it brings: the same 3 s for any sample
    found, end = Found(), clock() + SECONDS
    quick = tuple(name for name in config.extract.methods if name not in PARSED)
    slow = tuple(name for name in config.extract.methods if name in PARSED)
    held = {row.doc_id: row for row in documents}
    rows: list[Triplet] = []
    for row in sorted(documents, key=lambda row: row_id("turn", row.doc_id)):
        if found.documents and clock() > end - 0.4 * SECONDS:
            break
        try:
            own = list(chunk.chunk([row], config.chunk))
            rows += _facts(own, quick, config, held)
        except Exception as error:
            error.add_note(f"while a sample was looked at: {row.source}")
            raise
        found.chunks |= {one.chunk_id: one for one in own}
        found.documents.add(row.doc_id)
    if slow:
        rows += _of_prose(found, slow, config, held, lambda: clock() > end - 0.2 * SECONDS)
    rows = _told_once(rows)
    kept = {name: row for name, row in held.items() if name in found.documents}
    keyed = normalise.normalise(rows, config.normalise.model_copy(update={"check": ""}), embed=_apart, documents=kept)
    told = list(
        supersede.supersede((row for row in keyed if isinstance(row, Triplet)), config.supersede, documents=kept)
    )
    found.triplets = {row.triplet_id: row for row in told}
    paths = graph.trace(told, config.graph)
    asked = ask.ask(paths, config.ask, triplets=found.triplets, chunks=found.chunks, documents=kept)
    quiet = config.gates.model_copy(update={"retrieved": 0})  # whether BM25 finds a passage rejects no question
    judged = gates.judge(asked, quiet, chunks=found.chunks, triplets=found.triplets)
    found.questions = [question for question in judged if not question.rejected_because]
    return found


def _facts(
    own: Sequence[Chunk], methods: tuple[str, ...], config: Config, documents: dict[str, Document]
) -> list[Triplet]:
    """The facts of these chunks by these methods."""
    only = config.extract.model_copy(update={"methods": methods})
    return [row for row in extract.extract(own, only, documents=documents) if isinstance(row, Triplet)]


def _of_prose(
    found: Found, methods: tuple[str, ...], config: Config, documents: dict[str, Document], late: Callable[[], bool]
) -> list[Triplet]:
    """The facts by methods that take long, of chunks drawn by hash; which they were is noted in `found`."""
    text = [one for one in found.chunks.values() if one.kind == "text"]
    repeats = chunk.repeated(found.chunks.values())
    rows: list[Triplet] = []
    done = 0
    for one in sorted(text, key=lambda one: row_id("prose", one.chunk_id)):
        if found.parsed and (done + len(one.text) > PROSE or late()):
            break
        done += len(one.text)
        found.parsed.add(one.chunk_id)
        try:
            facts = _facts([one], methods, config, documents)
        except Exception as error:
            error.add_note(f"while a sample was looked at: {documents[one.doc_id].source}")
            raise
        rows += (row for row in facts if row.start >= repeats[one.chunk_id])
    found.prose = done / max(sum(len(one.text) for one in text), 1) if text else 1.0
    return rows


def _told_once(rows: Sequence[Triplet]) -> list[Triplet]:
    """The facts, each once, and those of a document that say two things under one label rejected."""
    once = {row.triplet_id: row for row in reversed(rows)}
    by_document = sorted(once.values(), key=lambda row: (row.doc_id, row.triplet_id))
    return [
        row for _, group in groupby(by_document, key=attrgetter("doc_id")) for row in extract.told_once(list(group))
    ]


def _apart(texts: Sequence[str]) -> np.ndarray:
    """Vectors of which no two are near."""
    return np.eye(len(texts), dtype=np.float32)
