"""The stages as the engine knows them: what each takes, what it makes, and with which config."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from rarefy.data_contracts.rows import (
    Chunk,
    Document,
    Judgement,
    Merge,
    Path,
    Pool,
    Probe,
    Quarantined,
    Question,
    Similarity,
    Triplet,
    Unanswered,
    Variant,
)
from rarefy.data_contracts.tables import Pile, from_table, schema_of
from rarefy.flows.config import Config
from rarefy.flows.engine.dependency_fingerprint import of_stage
from rarefy.flows.models import roles
from rarefy.tasks import perturb
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.corpus.read import duplicates
from rarefy.tasks.corpus.read.sources import Source
from rarefy.tasks.export.split import VERSION as SPLIT_VERSION
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.knowledge.supersede.order import newness
from rarefy.tasks.perturb import pools
from rarefy.tasks.questions import ask, gates, grade, probe
from rarefy.tasks.questions.ask import model as ask_model
from rarefy.tasks.store.recipe import Given, Job, Tool, make
from rarefy.tasks.store.tables import Store

ASKERS = {  # who asks: function and version
    "rules": ("rarefy.tasks.questions.ask:ask", ask.VERSION),
    "model": ("rarefy.tasks.questions.ask.model:ask_by_model", ask_model.VERSION),
}


GATHERED = "rarefy.flows.engine.stages:same"


@dataclass(frozen=True, slots=True)
class Counted:
    """A line of the census; `eligible` in digits, since it may exceed 64 bits."""

    pattern: str
    domain: str
    eligible: str
    quota: int
    sampled: int
    rule: str
    reason: str


def reading(config: Config) -> Job:
    """Sources to documents, or to the reason why not."""
    makes = {"documents": Document, "quarantine": Quarantined}
    job = Job("read", "rarefy.tasks.corpus.read.child:read", read.VERSION, {"source": Source}, makes, config.read)
    return _placed(config, job)


def chunking(config: Config) -> Job:
    """Documents to chunks."""
    job = Job(
        "chunk",
        "rarefy.tasks.corpus.chunk:chunk",
        chunk.VERSION,
        {"documents": Document},
        {"chunks": Chunk},
        config.chunk,
    )
    return _placed(config, replace(job, group="doc_id"))


def extracting(config: Config) -> Job:
    """Chunks to triplets."""
    takes = {"chunks": Chunk, "documents": Document}
    job = Job(
        "extract",
        "rarefy.tasks.knowledge.extract:extract",
        extract.VERSION,
        takes,
        {"triplets": Triplet},
        config.extract,
    )
    return _asking(config, _placed(config, replace(job, group="doc_id")))


def gathering(kind: str, row_type: type) -> Job:
    """The tables of many documents to one."""
    return Job(f"gather {kind}", GATHERED, 1, {kind: row_type}, {kind: row_type})


def maker(job: Job) -> Callable[..., dict[str, str]]:
    """What makes the tables of a job over whole tables, here in this process."""
    return together if job.function == GATHERED else make


def together(given: Given, job: Job, url: str, *_: object) -> dict[str, str]:
    """As `make` of a job that gathers: what `same` would come to, without a look at any row."""
    ((kind, row_type),) = job.makes.items()
    store, schema, names = Store(url), schema_of(row_type), given[kind]
    tables = (table.select(schema.names).cast(schema) for table in store.over(store.table, names))
    return store.put(job.recipe(given), {kind: pa.concat_tables([schema.empty_table(), *tables])})


def same(rows: Iterable[object]) -> Iterator[object]:
    """The rows as they are."""
    yield from rows


def flagging(config: Config) -> Job:
    """Documents to documents that say which other one they repeat."""
    function = "rarefy.flows.engine.stages:flag"
    job = Job("flag", function, duplicates.VERSION, {"documents": Document}, {"documents": Document}, config.duplicates)
    return _placed(config, job)


def flag(documents: Iterable[Document], config: duplicates.DuplicatesConfig) -> Iterator[Document]:
    """The documents, those that repeat another marked with its name."""
    pile, places = Pile(Document), dict[str, int]()  # a corpus of texts is not kept as Python's objects

    def passing() -> Iterator[tuple[str, str, str]]:
        newest = {}
        for row in documents:
            pile.add(row)
            newest[row.doc_id] = newness(row)
            yield row.doc_id, row.text, row.period_end
        place = {told: at for at, told in enumerate(sorted({*newest.values()}, reverse=True))}
        places.update((doc_id, place[told]) for doc_id, told in newest.items())

    repeats = duplicates.flag_duplicates(passing(), config, places)
    for row in from_table(pile.table(), Document):
        other, similarity = repeats.get(row.doc_id, ("", 0.0))
        yield replace(row, duplicate_of=other, duplicate_similarity=similarity)


def normalising(config: Config) -> Job:
    """Triplets to triplets with keys, and the merges that led to them."""
    makes = {"triplets": Triplet, "merges": Merge, "similarities": Similarity}
    tools = {"embed": config.embed}
    takes = {"triplets": Triplet, "documents": Document}
    function = "rarefy.tasks.knowledge.normalise:normalise"
    job = Job("normalise", function, normalise.VERSION, takes, makes, config.normalise, tools)
    return _asking(config, _placed(config, job))


def superseding(config: Config) -> Job:
    """Triplets to triplets with the time they hold from, those rejected that a later document superseded."""
    takes = {"triplets": Triplet, "documents": Document}
    function = "rarefy.tasks.knowledge.supersede:supersede"
    return Job("supersede", function, supersede.VERSION, takes, {"triplets": Triplet}, config.supersede)


def tracing(config: Config) -> Job:
    """Triplets to sampled paths."""
    job = Job(
        "trace",
        "rarefy.tasks.knowledge.graph:trace",
        graph.VERSION,
        {"triplets": Triplet},
        {"paths": Path},
        config.graph,
    )
    return _placed(config, job)


def counting(config: Config) -> Job:
    """Triplets and paths to the census."""
    takes = {"triplets": Triplet, "paths": Path}
    job = Job("count", "rarefy.flows.engine.stages:census", graph.VERSION, takes, {"census": Counted}, config.graph)
    return _placed(config, job)


def census(triplets: Iterable[Triplet], config: graph.GraphConfig, *, paths: Mapping[str, Path]) -> Iterator[Counted]:
    """How many paths of each pattern each domain has, and how many were taken."""
    for row in graph.count(triplets, config, paths.values()):
        yield Counted(row.pattern, row.domain, str(row.eligible), row.quota, row.sampled, row.rule, row.reason)


def asking(config: Config) -> Job:
    """Paths to questions, by rules or by a model."""
    takes = {"paths": Path, "triplets": Triplet, "chunks": Chunk, "documents": Document}
    function, version = ASKERS[config.ask.method]
    job = Job("ask", function, version, takes, {"questions": Question}, config.ask, group="path_id")
    return _asking(config, _placed(config, job))


def judging(config: Config) -> Job:
    """Questions to questions with the first reason against them."""
    takes = {"questions": Question, "chunks": Chunk, "triplets": Triplet}
    job = Job(
        "judge", "rarefy.tasks.questions.gates:judge", gates.VERSION, takes, {"questions": Question}, config.gates
    )
    return _placed(config, replace(job, group="question_id"))


def probing(config: Config) -> Job:
    """Questions to questions that no one of their chunks answers, and what was answered from each."""
    takes = {"questions": Question, "chunks": Chunk}
    makes = {"questions": Question, "probes": Probe}
    job = Job("probe", "rarefy.tasks.questions.probe:probe", probe.VERSION, takes, makes, config.probe)
    return _asking(config, _placed(config, replace(job, group="question_id")))


def grading(config: Config) -> Job:
    """Questions to questions that a judging model lets pass, and its judgements."""
    takes = {"questions": Question, "chunks": Chunk}
    makes = {"questions": Question, "judgements": Judgement}
    job = Job("grade", "rarefy.tasks.questions.grade:grade", grade.VERSION, takes, makes, config.grade)
    return _asking(config, _placed(config, replace(job, group="question_id")))


def splitting(config: Config) -> Job:
    """Questions to questions with a split."""
    takes = {"questions": Question}
    return Job("split", "rarefy.tasks.export:split", SPLIT_VERSION, takes, {"questions": Question}, config.split)


def drawing(config: Config) -> Job:
    """Questions to what noise for each of them can be made of."""
    takes = {"questions": Question, "chunks": Chunk, "triplets": Triplet}
    function = "rarefy.tasks.perturb.pools:draw"
    job = Job("draw", function, pools.VERSION, takes, {"pools": Pool}, config.perturb, group="question_id")
    return _placed(config, job)


def varying(config: Config) -> Job:
    """Questions to their variants."""
    takes = {"questions": Question, "chunks": Chunk, "pools": Pool}
    makes = {"variants": Variant, "similarities": Similarity}
    tools: dict[str, Tool] = {"embed": config.embed} | ({"nli": config.nli} if roles.entails(config) else {})
    function = "rarefy.tasks.perturb:vary_with_similarities"
    job = Job("vary", function, perturb.VERSION, takes, makes, config.perturb, tools, group="question_id")
    return _asking(config, _placed(config, job))


def _placed(config: Config, job: Job) -> Job:
    """The job, told what else its rows hang on."""
    return replace(job, surroundings=of_stage(job.stage, config))


def _asking(config: Config, job: Job) -> Job:
    """The job with the models that it asks, and with rows for what they do not answer; as it is where it asks none."""
    job = replace(job, tools={**job.tools, **roles.tools(job.stage, config)})
    asks = any(roles.behind(tool) for tool in job.tools.values())
    return replace(job, makes={**job.makes, "unanswered": Unanswered}) if asks else job
