"""The stages of a build, each declared once: what it takes and makes, with which config, whom it asks."""

import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import BaseModel

from rarefy.data_contracts.rows import (
    Answer,
    Chunk,
    Document,
    Hits,
    Judgement,
    Merge,
    Pool,
    Probe,
    Quarantined,
    Question,
    Score,
    Similarity,
    Trial,
    Triplet,
    Unanswered,
    Variant,
)
from rarefy.data_contracts.rows import Path as PathRow
from rarefy.data_contracts.tables import TableBuilder, from_table, schema_of
from rarefy.flows.config import Config
from rarefy.flows.models import roles
from rarefy.tasks import perturb
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.corpus.read import duplicates
from rarefy.tasks.corpus.read.sources import Source
from rarefy.tasks.evaluate import correct, protocols, retrieve
from rarefy.tasks.evaluate.protocols import TrialsConfig
from rarefy.tasks.evaluate.protocols.sure_noise import VERSION as noise_version
from rarefy.tasks.evaluate.protocols.sure_noise import NoiseConfig
from rarefy.tasks.evaluate.protocols.sure_oracle import VERSION as oracle_version
from rarefy.tasks.evaluate.protocols.sure_oracle import Preferred
from rarefy.tasks.evaluate.systems import answer
from rarefy.tasks.evaluate.systems.answer import AnswerConfig
from rarefy.tasks.evaluate.systems.config import DETERMINED, SystemConfig
from rarefy.tasks.export.split import VERSION as SPLIT_VERSION
from rarefy.tasks.knowledge import extract, graph, link, normalise, supersede
from rarefy.tasks.knowledge.supersede.latest import recency
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.perturb import pools
from rarefy.tasks.perturb.vary import Unchanged
from rarefy.tasks.questions import ask, gates, grade, probe
from rarefy.tasks.questions.ask import model as ask_model
from rarefy.tasks.store.recipe import Inputs, Job, Tool, make
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text import wordnet


@cache
def cached_digest(path: Path) -> str:
    """The digest of a file or folder, read once in the life of this process."""
    return current_digest(path)


def current_digest(path: Path) -> str:
    """The digest of a file, or of all files of a folder; "" where there is none."""
    digest = hashlib.blake2b(digest_size=16)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if file.suffix == ".pyc" or not file.is_file():
            continue
        digest.update(str(file.relative_to(path)).encode())
        with file.open("rb") as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    return digest.hexdigest() if path.exists() else ""


def language_tables(folder: Path) -> str:
    """The digest of the language data (*.gz) in a folder."""
    return "".join(cached_digest(file) for file in sorted(folder.glob("*.gz")))


def folder_of_pipeline(name: str) -> Path:
    """The folder of a spaCy pipeline; ValueError where there is none. spaCy itself takes seconds to import."""
    if name == "english":
        return Path(extract.__file__).parents[2] / "text" / "language" / "english"
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if not spec or not spec.origin:
        raise ValueError(f'no spaCy pipeline {name!r} is installed, nor is it a folder; "english" ships with rarefy')
    return Path(spec.origin).parent


def file_of(name: str) -> Path:
    """The file of a module:function; ValueError where no such module can be imported."""
    module = name.partition(":")[0]
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(
            f"{name}: there is no file of a module {module!r}; run the command from its folder, or install it"
        )
    return Path(spec.origin)


def version_of(package: str) -> str:
    """The version of a package that is installed; "" where it is not."""
    try:
        return version(package).partition("+")[0]  # how a package was built is the machine's business
    except PackageNotFoundError:
        return ""


# The names of parts that a config may give as "module:function", and the built-in ones among which they are looked up
Parts = tuple[Iterable[str], Mapping[str, Callable[..., Any]]]


@dataclass(frozen=True)
class Stage:
    """A stage of a build, declared once for engine, config check, doctor, estimate, spending and progress in Prefect.

    Fields that are functions take the config. Fields named as those of `Job` are passed on to it.
    """

    name: str
    function: str | Callable[[Config], tuple[str, int]]  # "module:function"; or that and the version, by the config
    version: int  # of its code: raised whenever it makes other rows of the same
    takes: Mapping[str, type]
    makes: Mapping[str, type]
    section: str = ""  # of the config that it is given; "" for none
    settings: Callable[[Config], BaseModel] | None = None  # of that section, where others have a say in them
    group: str = ""
    recalls: Mapping[str, type] = field(default_factory=dict)
    tools: Callable[[Config], Mapping[str, Tool]] = lambda config: {}
    # whose other version may make other rows of the same; the standard library and pure plumbing are left out
    packages: tuple[str, ...] = ()
    parts: Callable[[Config], Mapping[str, Parts]] = lambda config: {}  # by key of its section
    depends: Callable[[Config], Mapping[str, str]] = lambda config: {}  # digests of what else its rows depend on
    asks: Callable[[Config], Mapping[str, str]] = lambda config: {}  # model's section -> the key that has it asked
    models: Callable[[Config], Mapping[str, LLMConfig]] | None = None  # by argument, where it is not by section
    prompts: str = ""  # the task whose prompts it uses, where it is not called like the stage
    reply: int = 0  # tokens of a reply, where no ledger knows better; 0: it is told otherwise

    def __call__(self, config: Config) -> Job:
        """The job of this stage with a config; where it asks a model, it makes a table of unanswered requests, too."""
        function, version = self.function(config) if callable(self.function) else (self.function, self.version)
        models = self.asked(config)
        tools = {**self.tools(config), **models}
        unanswered = {"unanswered": Unanswered} if any(roles.model_of_tool(tool) for tool in tools.values()) else {}
        return Job(
            self.name,
            function,
            version,
            self.takes,
            {**self.makes, **unanswered},
            self.settings(config) if self.settings else getattr(config, self.section) if self.section else None,
            tools,
            self.dependencies(config),
            group=self.group,
            recalls=self.recalls,
        )

    def asked(self, config: Config) -> dict[str, LLMConfig]:
        """The models that it asks, by argument of its function; none where the config has it ask none."""
        sections = self.asks(config)
        if self.models and sections:
            return dict(self.models(config))
        return {section: getattr(config, section) for section in sections}

    def dependencies(self, config: Config) -> dict[str, str]:
        """Digests and versions, by name, of all that its rows depend on besides its input and its config."""
        found = {name: version_of(name) for name in self.packages}
        found |= {"prompts": prompts.digest(self.prompts or self.name)} if self.asks(config) else {}
        for names, _ in self.parts(config).values():
            found |= _digests_of_parts(names)
        return found | dict(self.depends(config))


def _digests_of_parts(names: Iterable[str]) -> dict[str, str]:
    """Digests of the files of parts that a config names as module:function."""
    return {name: cached_digest(file_of(name)) for name in names if ":" in name}


def _graph_settings(config: Config) -> graph.GraphConfig:
    """The options of patterns; where they do not say what is drawn for whoever asks, that depends on who asks."""
    by_model = config.ask.method == "model"
    own = {name: value for name in ("cover_facts", "for_model") if (value := getattr(config.graph, name)) is not None}
    return config.graph.model_copy(update={"cover_facts": not by_model, "for_model": by_model} | own)


def _patterns(config: Config) -> dict[str, Parts]:
    return {"patterns": (config.graph.patterns, graph.PATTERNS)}


def _chunk_dependencies(config: Config) -> dict[str, str]:
    own = config.chunk.tokenizer
    return {} if own == "minilm" else {"tokenizer": cached_digest(Path(own).expanduser())}


def _extract_dependencies(config: Config) -> dict[str, str]:
    if "deadlines" not in config.extract.methods:
        return {}
    return {"pipeline": cached_digest(folder_of_pipeline(config.extract.pipeline))}


def _embedder_dependencies(config: Config) -> dict[str, str]:
    folder = config.embed.folder()  # None of one at an endpoint, which its name in the config tells apart
    return {"model": cached_digest(folder)} if folder else {}


def _pool_dependencies(config: Config) -> dict[str, str]:
    return _digests_of_parts((*config.perturb.query, *config.perturb.document, *config.perturb.context))


def _variant_dependencies(config: Config) -> dict[str, str]:
    """The lists, models and programs that ship or are named: words, WordNet, spaCy's pipeline, entailment."""
    own = Path(perturb.__file__).parent
    lists = sorted([*own.rglob("*.tsv"), *own.parent.glob("text/syntax/*.tsv")])
    found = (
        _embedder_dependencies(config) | _pool_dependencies(config) | {file.name: cached_digest(file) for file in lists}
    )
    found |= {
        "wordnet": language_tables(wordnet.TABLE.parent),
        "pipeline": cached_digest(folder_of_pipeline("english")),
    }
    if config.nli.method == "cross-encoder":
        folder = Path(config.nli.model).expanduser()
        found[folder.name] = cached_digest(folder)
    elif ":" in config.nli.method:
        file = file_of(config.nli.method)
        found[file.name] = cached_digest(file)
    return found


@dataclass(frozen=True, slots=True)
class CensusRow:
    """A row of the census; `eligible` is written in digits, since it may exceed 64 bits."""

    pattern: str
    domain: str
    eligible: str
    quota: int
    sampled: int
    reason: str
    crossing: int
    at_most: bool  # whether fewer may be eligible


reading = Stage(  # sources to documents, or to the reason why not
    "read",
    "rarefy.tasks.corpus.read.child:read",
    read.VERSION,
    {"source": Source},
    {"documents": Document, "quarantine": Quarantined},
    "read",
    packages=("charset-normalizer", "lxml", "pdfplumber", "py3langid"),
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
    depends=_chunk_dependencies,
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
    depends=_extract_dependencies,
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
linking = Stage(  # triplets to those and the links between documents
    "link",
    "rarefy.tasks.knowledge.link:link",
    link.VERSION,
    {"triplets": Triplet, "chunks": Chunk, "documents": Document},
    {"triplets": Triplet},
    "link",
    parts=lambda config: {"between": (config.link.between, link.LINKERS)},
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
    depends=_embedder_dependencies,
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
    settings=_graph_settings,
    packages=("numpy",),
    parts=_patterns,
)
counting = Stage(  # triplets and paths to the census
    "count",
    "rarefy.flows.engine.stages:census",
    graph.COUNT_VERSION,
    {"triplets": Triplet, "paths": PathRow},
    {"census": CensusRow},
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
    {"questions": Question, "chunks": Chunk, "documents": Document, "triplets": Triplet},
    {"questions": Question, "judgements": Judgement},
    "grade",
    group="question_id",
    asks=lambda config: {"judge": 'grade.by = "model"'} if config.grade.by == "model" else {},
    models=roles.judges_by_argument,
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
    depends=_pool_dependencies,
)
varying = Stage(  # questions to their variants
    "vary",
    "rarefy.tasks.perturb:vary_with_similarities",
    perturb.VERSION,
    {"questions": Question, "chunks": Chunk, "pools": Pool},
    {"variants": Variant, "similarities": Similarity},
    "perturb",
    group="question_id",
    recalls={"unchanged": Unchanged, "made": Variant, "compared": Similarity},
    tools=lambda config: {"embed": config.embed} | ({"nli": config.nli} if roles.needs_entailment(config) else {}),
    packages=("numpy", "pyyaml", "rapidfuzz", "sentence-transformers", "spacy", "torch", "transformers"),
    depends=_variant_dependencies,
    asks=roles.variant_writers,
    prompts="perturb",
)

STAGES = (  # in the order of a build
    *(reading, chunking, extracting, flagging, linking, normalising, superseding, tracing, counting),
    *(asking, judging, probing, grading, splitting, drawing, varying),
)
NAMES = tuple(stage.name for stage in STAGES)


def models_asked(config: Config) -> list[LLMConfig]:
    """Every model that a build with this config asks, each once."""
    asked = [model for stage in STAGES for model in stage.asked(config).values()]
    if roles.needs_entailment(config) and (checks := roles.model_of_tool(config.nli)):
        asked.append(checks)
    return list({model.model_dump_json(): model for model in asked}.values())


GATHERED = "rarefy.flows.engine.stages:same"


def gathering(kind: str, row_type: type) -> Job:
    """The job that puts the tables of many documents into one."""
    return Job(f"gather {kind}", GATHERED, 1, {kind: row_type}, {kind: row_type})


def maker(job: Job) -> Callable[..., dict[str, str]]:
    """The function that makes the tables of a job over whole tables."""
    return concatenate_tables if job.function == GATHERED else make


def concatenate_tables(given: Inputs, job: Job, url: str, *_: object) -> dict[str, str]:
    """`make` for a job that gathers: what `same` would give, by concatenating tables without reading rows."""
    ((kind, row_type),) = job.makes.items()
    store, schema, names = Store(url), schema_of(row_type), given[kind]
    tables = (table.select(schema.names).cast(schema) for table in store.over(store.table, names))
    return store.put(job.recipe(given), {kind: pa.concat_tables([schema.empty_table(), *tables])})


def same(rows: Iterable[object]) -> Iterator[object]:
    """The rows as they are."""
    yield from rows


def flag(documents: Iterable[Document], config: duplicates.DuplicatesConfig) -> Iterator[Document]:
    """The documents, those that repeat another one with its id in `duplicate_of`."""
    pile, places = TableBuilder(Document), dict[str, int]()  # a corpus of texts is not kept as Python's objects

    def texts() -> Iterator[tuple[str, str, str]]:
        newest = {}
        for row in documents:
            pile.add(row)
            newest[row.doc_id] = recency(row)
            yield row.doc_id, row.text, row.period_end
        place = {date: at for at, date in enumerate(sorted({*newest.values()}, reverse=True))}
        places.update((doc_id, place[date]) for doc_id, date in newest.items())

    repeats = duplicates.flag_duplicates(texts(), config, places)
    for row in from_table(pile.table(), Document):
        other, similarity = repeats.get(row.doc_id, ("", 0.0))
        yield replace(row, duplicate_of=other, duplicate_similarity=similarity)


def census(triplets: Iterable[Triplet], config: graph.GraphConfig, *, paths: Mapping[str, Path]) -> Iterator[CensusRow]:
    """The number of eligible and of sampled paths, by pattern and domain."""
    for row in graph.count_paths(triplets, config, paths.values()):
        eligible = str(row.eligible)
        yield CensusRow(
            row.pattern, row.domain, eligible, row.quota, row.sampled, row.reason, row.crossing, row.at_most
        )


CASE: dict[str, type] = {"questions": Question, "variants": Variant, "chunks": Chunk, "hits": Hits}


def retrieving(config: Config) -> Job:
    """Wordings to what each retriever finds for them."""
    takes = {"variants": Variant, "chunks": Chunk}
    tools: dict[str, Tool] = {"retrievers": config.retrieve}
    return Job(
        "retrieve",
        "rarefy.tasks.evaluate.retrieve:retrieve",
        retrieve.VERSION,
        takes,
        {"hits": Hits},
        config.retrieve,
        tools,
    )


def sure_noise(config: Config) -> Job:
    """Questions to passages that are not gold, changed as SURE changes them."""
    asked = NoiseConfig(sure=config.protocols.sure, perturb=config.perturb)
    function = "rarefy.tasks.evaluate.protocols.sure_noise:noise"
    return Job("noise", function, noise_version, CASE, {"noise": Variant}, asked, group="question_id")


def preferring(config: Config) -> Job:
    """Questions to the documents that a model prefers for them, and what these are like (SURE §2)."""
    return Job(
        "oracle",
        "rarefy.tasks.evaluate.protocols.sure_oracle:preferred",
        oracle_version,
        CASE,
        {"preferred": Preferred},
        config.oracle,
        {"llm": config.oracle.likelihood},
    )


def trying(config: Config, chosen: Iterable[str], takes: Iterable[str]) -> Job:
    """Questions to the trials of each protocol."""
    asked = TrialsConfig(chosen=tuple(chosen), takes=frozenset(takes), options=config.protocols)
    return Job(
        "try",
        "rarefy.tasks.evaluate.protocols:trials",
        protocols.VERSION,
        CASE,
        {"trials": Trial},
        asked,
        group="question_id",
    )


def answering(name: str, system: SystemConfig, corpus: str = "") -> Job:
    """Trials to what a system says in them; `corpus`: digest of the benchmark's documents."""
    return Job(
        f"answer {name}",
        "rarefy.tasks.evaluate.systems.answer:answer",
        answer.VERSION,
        {"trials": Trial, **CASE},
        {"answers": Answer, "unanswered": Unanswered},
        AnswerConfig(name=name, system=system, corpus=corpus if system.follows else ""),
        {"system": system},
        {"prompts": prompts.digest("systems")} if system.llm else {},
        lasting=system.kind in DETERMINED,  # somebody's own endpoint or function may be mended meanwhile
    )


def scoring(config: Config, name: str) -> Job:
    """Answers to whether they are right."""
    tools: dict[str, Tool] = {"judge": config.correct.judge} if config.correct.judge.provider else {}
    return Job(
        f"score {name}",
        "rarefy.tasks.evaluate.correct:score",
        correct.VERSION,
        {"answers": Answer, "trials": Trial, "questions": Question},
        {"scores": Score, "unanswered": Unanswered},
        config.correct,
        tools,
        {"prompts": prompts.digest("correct")} if tools else {},
        group="trial_id",
    )
