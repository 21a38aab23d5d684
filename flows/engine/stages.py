"""The stages of a build, each declared once: what it takes and makes, with which config, whom it asks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import (
    Chunk,
    Document,
    Judgement,
    Merge,
    Pool,
    Probe,
    Quarantined,
    Question,
    Similarity,
    Triplet,
    Unanswered,
    Variant,
)
from rarefy.data_contracts.rows import Path as PathRow
from rarefy.data_contracts.tables import Pile, from_table, schema_of
from rarefy.flows.config import Config
from rarefy.flows.engine.dependency_fingerprint import content, file_of, folder_of_pipeline, language_tables, version_of
from rarefy.flows.models import roles
from rarefy.tasks import perturb
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.corpus.read import duplicates
from rarefy.tasks.corpus.read.sources import Source
from rarefy.tasks.export.split import VERSION as SPLIT_VERSION
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.knowledge.supersede.order import newness
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.perturb import means, pools
from rarefy.tasks.questions import ask, gates, grade, probe
from rarefy.tasks.questions.ask import model as ask_model
from rarefy.tasks.store.recipe import Given, Job, Tool, make
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text import wordnet

# The names of parts that a config may give as "module:function", and the built-in ones among which they are looked up
Parts = tuple[Iterable[str], Mapping[str, Callable[..., Any]]]


@dataclass(frozen=True)
class Stage:
    """A stage of a build. Engine, check of the config, doctor, estimate, spending and the progress in Prefect read it.

    What is a function here is one of the config. The fields of a Job that stay the same are those of `Job`.
    """

    name: str
    function: str | Callable[[Config], tuple[str, int]]  # "module:function"; or that and the version, by the config
    version: int  # of its code: raised whenever it makes other rows of the same
    takes: Mapping[str, type]
    makes: Mapping[str, type]
    section: str = ""  # of the config that it is given; "" for none
    group: str = ""
    tools: Callable[[Config], Mapping[str, Tool]] = lambda config: {}
    # whose other version may make other rows of the same; the standard library and pure plumbing are left out
    packages: tuple[str, ...] = ()
    parts: Callable[[Config], Mapping[str, Parts]] = lambda config: {}  # by key of its section
    depends: Callable[[Config], Mapping[str, str]] = lambda config: {}  # digests of what else its rows hang on
    asks: Callable[[Config], Mapping[str, str]] = lambda config: {}  # model's section -> the key that has it asked
    models: Callable[[Config], Mapping[str, LLMConfig]] | None = None  # by argument, where it is not by section
    prompts: str = ""  # the task whose prompts it uses, where it is not called like the stage
    reply: int = 0  # tokens of a reply, where no ledger knows better; 0: it is told otherwise

    def __call__(self, config: Config) -> Job:
        """The job that this stage is by a config, with rows for what a model that it asks does not answer."""
        function, version = self.function(config) if callable(self.function) else (self.function, self.version)
        models = self.asked(config)
        tools = {**self.tools(config), **models}
        unanswered = {"unanswered": Unanswered} if any(roles.behind(tool) for tool in tools.values()) else {}
        return Job(
            self.name,
            function,
            version,
            self.takes,
            {**self.makes, **unanswered},
            getattr(config, self.section) if self.section else None,
            tools,
            self.dependencies(config),
            group=self.group,
        )

    def asked(self, config: Config) -> dict[str, LLMConfig]:
        """The models that it asks, by argument; none where the config has it ask none."""
        sections = self.asks(config)
        if self.models and sections:
            return dict(self.models(config))
        return {section: getattr(config, section) for section in sections}

    def dependencies(self, config: Config) -> dict[str, str]:
        """Digests and versions of what its rows hang on besides rows and config, by what they are of."""
        found = {name: version_of(name) for name in self.packages}
        found |= {"prompts": prompts.digest(self.prompts or self.name)} if self.asks(config) else {}
        for names, _ in self.parts(config).values():
            found |= _files(names)
        return found | dict(self.depends(config))


def _files(names: Iterable[str]) -> dict[str, str]:
    """Digests of the files of parts of one's own."""
    return {name: content(file_of(name)) for name in names if ":" in name}


def _patterns(config: Config) -> dict[str, Parts]:
    return {"patterns": (config.graph.patterns, graph.PATTERNS)}


def _of_chunks(config: Config) -> dict[str, str]:
    own = config.chunk.tokenizer
    return {} if own == "minilm" else {"tokenizer": content(Path(own).expanduser())}


def _of_facts(config: Config) -> dict[str, str]:
    if "prose" not in config.extract.methods:
        return {}
    return {"pipeline": content(folder_of_pipeline(config.extract.pipeline))}


def _of_names(config: Config) -> dict[str, str]:
    return {"model": content(config.embed.connect(None, threads=1).model)}


def _of_pools(config: Config) -> dict[str, str]:
    return _files((*config.perturb.query, *config.perturb.document, *config.perturb.context))


def _of_variants(config: Config) -> dict[str, str]:
    """The lists, models and programs that ship or are named: words, WordNet, spaCy's pipeline, entailment, apertium."""
    own = Path(perturb.__file__).parent
    lists = sorted([*own.rglob("*.tsv"), *own.parent.glob("text/syntax/*.tsv")])
    found = _of_names(config) | _of_pools(config) | {file.name: content(file) for file in lists}
    found |= {"wordnet": language_tables(wordnet.TABLE.parent), "pipeline": content(folder_of_pipeline("english"))}
    if config.nli.method == "cross-encoder":
        folder = Path(config.nli.model).expanduser()
        found[folder.name] = content(folder)
    elif ":" in config.nli.method:
        file = file_of(config.nli.method)
        found[file.name] = content(file)
    needed = {entry.needs for entry in perturb.chosen(config.perturb)} - {""}
    return found | {name: means.version(name) for name in sorted(needed)}


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


reading = Stage(  # sources to documents, or to the reason why not
    "read",
    "rarefy.tasks.corpus.read.child:read",
    read.VERSION,
    {"source": Source},
    {"documents": Document, "quarantine": Quarantined},
    "read",
    packages=("charset-normalizer", "lxml", "pdfplumber"),
    parts=lambda config: {"readers": (config.read.readers.values(), {})},
)
chunking = Stage(
    "chunk",
    "rarefy.tasks.corpus.chunk:chunk",
    chunk.VERSION,
    {"documents": Document},
    {"chunks": Chunk},
    "chunk",
    group="doc_id",
    packages=("tokenizers",),
    depends=_of_chunks,
)
extracting = Stage(  # chunks to triplets
    "extract",
    "rarefy.tasks.knowledge.extract:extract",
    extract.VERSION,
    {"chunks": Chunk, "documents": Document},
    {"triplets": Triplet},
    "extract",
    group="doc_id",
    packages=("spacy", "numpy"),
    parts=lambda config: {"methods": (config.extract.methods, extract.METHODS)},
    depends=_of_facts,
    asks=lambda config: {"llm": 'extract.methods with "model"'} if "model" in config.extract.methods else {},
    reply=1_500,
)
flagging = Stage(  # documents to documents that say which other one they repeat
    "flag",
    "rarefy.flows.engine.stages:flag",
    duplicates.VERSION,
    {"documents": Document},
    {"documents": Document},
    "duplicates",
    packages=("datasketch", "xxhash"),
)
normalising = Stage(  # triplets to triplets with keys, and the merges that led to them
    "normalise",
    "rarefy.tasks.knowledge.normalise:normalise",
    normalise.VERSION,
    {"triplets": Triplet, "documents": Document},
    {"triplets": Triplet, "merges": Merge, "similarities": Similarity},
    "normalise",
    tools=lambda config: {"embed": config.embed},
    packages=("sentence-transformers", "torch", "transformers"),
    depends=_of_names,
    asks=lambda config: {"llm": 'normalise.check = "model"'} if config.normalise.check == "model" else {},
    reply=20,
)
superseding = Stage(  # triplets to those with the time they hold from, rejected where a later document superseded them
    "supersede",
    "rarefy.tasks.knowledge.supersede:supersede",
    supersede.VERSION,
    {"triplets": Triplet, "documents": Document},
    {"triplets": Triplet},
    "supersede",
)
tracing = Stage(  # triplets to sampled paths
    "trace",
    "rarefy.tasks.knowledge.graph:trace",
    graph.VERSION,
    {"triplets": Triplet},
    {"paths": PathRow},
    "graph",
    packages=("numpy",),
    parts=_patterns,
)
counting = Stage(  # triplets and paths to the census
    "count",
    "rarefy.flows.engine.stages:census",
    graph.VERSION,
    {"triplets": Triplet, "paths": PathRow},
    {"census": Counted},
    "graph",
    parts=_patterns,
)
asking = Stage(  # paths to questions, by rules or by a model
    "ask",
    lambda config: (
        ("rarefy.tasks.questions.ask.model:ask_by_model", ask_model.VERSION)
        if config.ask.method == "model"
        else ("rarefy.tasks.questions.ask:ask", ask.VERSION)
    ),
    ask.VERSION,
    {"paths": PathRow, "triplets": Triplet, "chunks": Chunk, "documents": Document},
    {"questions": Question},
    "ask",
    group="path_id",
    parts=lambda config: {"writers": (config.ask.writers.values(), ask.WRITERS)},
    asks=lambda config: {"llm": 'ask.method = "model"'} if config.ask.method == "model" else {},
    reply=90,
)
judging = Stage(  # questions to questions with the first reason against them
    "judge",
    "rarefy.tasks.questions.gates:judge",
    gates.VERSION,
    {"questions": Question, "chunks": Chunk, "triplets": Triplet},
    {"questions": Question},
    "gates",
    group="question_id",
    packages=("bm25s", "rapidfuzz", "textstat"),
    parts=lambda config: {"gates": (config.gates.gates, gates.GATES)},
)
probing = Stage(  # questions to those that no one of their chunks answers, and what was answered from each
    "probe",
    "rarefy.tasks.questions.probe:probe",
    probe.VERSION,
    {"questions": Question, "chunks": Chunk},
    {"questions": Question, "probes": Probe},
    "probe",
    group="question_id",
    asks=lambda config: {"llm": 'probe.by = "model"'} if config.probe.by == "model" else {},
    reply=15,
)
grading = Stage(  # questions to those that a judging model lets pass, and its judgements
    "grade",
    "rarefy.tasks.questions.grade:grade",
    grade.VERSION,
    {"questions": Question, "chunks": Chunk},
    {"questions": Question, "judgements": Judgement},
    "grade",
    group="question_id",
    asks=lambda config: {"judge": 'grade.by = "model"'} if config.grade.by == "model" else {},
    models=roles.judges,
    reply=60,
)
splitting = Stage(
    "split",
    "rarefy.tasks.export:split",
    SPLIT_VERSION,
    {"questions": Question},
    {"questions": Question},
    "split",
)
drawing = Stage(  # questions to what noise for each of them can be made of
    "draw",
    "rarefy.tasks.perturb.pools:draw",
    pools.VERSION,
    {"questions": Question, "chunks": Chunk, "triplets": Triplet},
    {"pools": Pool},
    "perturb",
    group="question_id",
    depends=_of_pools,
)
varying = Stage(  # questions to their variants
    "vary",
    "rarefy.tasks.perturb:vary_with_similarities",
    perturb.VERSION,
    {"questions": Question, "chunks": Chunk, "pools": Pool},
    {"variants": Variant, "similarities": Similarity},
    "perturb",
    group="question_id",
    tools=lambda config: {"embed": config.embed} | ({"nli": config.nli} if roles.entails(config) else {}),
    packages=("numpy", "pyyaml", "rapidfuzz", "sentence-transformers", "spacy", "torch", "transformers"),
    depends=_of_variants,
    asks=roles.writers,
    prompts="perturb",
)

STAGES = (  # in the order of a build
    *(reading, chunking, extracting, flagging, normalising, superseding, tracing, counting),
    *(asking, judging, probing, grading, splitting, drawing, varying),
)
NAMES = tuple(stage.name for stage in STAGES)


def models_asked(config: Config) -> list[LLMConfig]:
    """Every model that a build with this config asks, each once."""
    asked = [model for stage in STAGES for model in stage.asked(config).values()]
    if roles.entails(config) and (checks := roles.behind(config.nli)):
        asked.append(checks)
    return list({model.model_dump_json(): model for model in asked}.values())


GATHERED = "rarefy.flows.engine.stages:same"


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


def census(triplets: Iterable[Triplet], config: graph.GraphConfig, *, paths: Mapping[str, Path]) -> Iterator[Counted]:
    """How many paths of each pattern each domain has, and how many were taken."""
    for row in graph.count(triplets, config, paths.values()):
        yield Counted(row.pattern, row.domain, str(row.eligible), row.quota, row.sampled, row.rule, row.reason)
