"""What a stage's results hang on besides its rows and config: parts of others, data on disk, packages."""

import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rarefy.flows.config import Config
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import roles
from rarefy.tasks import perturb
from rarefy.tasks.corpus.chunk.tokens import counter
from rarefy.tasks.find import find
from rarefy.tasks.knowledge import extract, graph
from rarefy.tasks.perturb import means
from rarefy.tasks.perturb.catalogue import CATALOGUE, of_names
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.text import wordnet

Parts = tuple[str, Iterable[str], Mapping[str, Callable[..., Any]]]

# whose other version may make other rows of the same; those of the standard library and of pure plumbing are left out
PACKAGES = {
    "read": ("charset-normalizer", "lxml", "pdfplumber"),
    "chunk": ("tokenizers",),
    "extract": ("spacy", "numpy"),
    "flag": ("datasketch", "xxhash"),
    "normalise": ("sentence-transformers", "torch", "transformers"),
    "trace": ("numpy",),
    "judge": ("bm25s", "rapidfuzz", "textstat"),
    "vary": ("numpy", "pyyaml", "rapidfuzz", "sentence-transformers", "spacy", "torch", "transformers"),
}

SECTIONS = {"trace": "graph", "count": "graph", "judge": "gates", "vary": "perturb"}  # of the config, by stage


def check(config: Config, file: Path | None = None) -> None:
    """Nothing, when all that the config names is there; UsageFault with a line for each that is not."""
    faults = []
    for key, names, registry in _parts(config):
        for name in names:
            faults += _told(key, lambda name=name, registry=registry: find(name, registry))
    faults += _told("chunk.tokenizer", lambda: counter(config.chunk.tokenizer))
    faults += _told("embed.model", lambda: _model(config))
    if "prose" in config.extract.methods:
        faults += _told("extract.pipeline", lambda: _pipeline(config.extract.pipeline))
    faults += _perturbed(config)
    faults += roles.faults(config)
    if faults:
        raise UsageFault("\n".join(f"{file or 'config'}: {fault}" for fault in faults))


def check_variants(config: Config, file: Path | None = None) -> None:
    """Nothing, when all that variants are made with is there; UsageFault with a line for each that is not."""
    faults = [*_perturbed(config), *_told("embed.model", lambda: _model(config)), *roles.faults(config)]
    if faults:
        raise UsageFault("\n".join(f"{file or 'config'}: {fault}" for fault in faults))


def of_stage(stage: str, config: Config) -> dict[str, str]:
    """Digests and versions, by what they are of."""
    found = {name: _version(name) for name in PACKAGES.get(stage, ())} | roles.surroundings(stage, config)
    for key, names, _ in _parts(config):
        if key.partition(".")[0] == SECTIONS.get(stage, stage):
            found |= {name: content(_file(name)) for name in names if ":" in name}
    if stage == "chunk" and config.chunk.tokenizer != "minilm":
        found["tokenizer"] = content(Path(config.chunk.tokenizer).expanduser())
    if stage == "extract" and "prose" in config.extract.methods:
        found["pipeline"] = content(_pipeline(config.extract.pipeline))
    if stage in {"normalise", "vary"}:
        found["model"] = content(_model(config))
    if stage in {"draw", "vary"}:
        named = (*config.perturb.query, *config.perturb.document, *config.perturb.context)
        found |= {name: content(_file(name)) for name in named if ":" in name}
    if stage == "vary":
        own = Path(perturb.__file__).parent
        found |= {
            file.name: content(file) for file in sorted([*own.rglob("*.tsv"), *own.parent.glob("text/syntax/*.tsv")])
        }
        found |= {"wordnet": _tables(wordnet.TABLE.parent), "pipeline": content(_pipeline("english"))}
        found |= {place.name: content(place) for place in _of_entailment(config)}
        found |= _programs(config)
    return found


def _tables(folder: Path) -> str:
    """A digest of the language data in a folder, code apart."""
    return "".join(content(file) for file in sorted(folder.glob("*.gz")))


def _of_entailment(config: Config) -> Iterator[Path]:
    """What an entailment of one's own is made of: the folder of a cross-encoder, the file of a function."""
    if config.nli.method == "cross-encoder":
        yield Path(config.nli.model).expanduser()
    elif ":" in config.nli.method:
        yield _file(config.nli.method)


@cache
def content(path: Path) -> str:
    """A digest of a file, or of all files of a folder, that stay as they are while this process lives."""
    return read(path)


def read(path: Path) -> str:
    """A digest of a file, or of all files of a folder; "" where there is none, as for what is known by its name."""
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


def _parts(config: Config) -> Iterator[Parts]:
    """What the config names by name or module:function, and where the built-in ones are."""
    yield "read.readers", config.read.readers.values(), {}
    yield "extract.methods", config.extract.methods, extract.METHODS
    yield "graph.patterns", config.graph.patterns, graph.PATTERNS
    yield "ask.writers", config.ask.writers.values(), ask.WRITERS
    yield "gates.gates", config.gates.gates, gates.GATES


def _perturbed(config: Config) -> Iterator[str]:
    """What is wrong with the names of perturbations."""
    for side in ("query", "document", "context"):
        names = getattr(config.perturb, side)
        yield from _told(f"perturb.{side}", lambda side=side, names=names: of_names(side, names))
    for name in config.perturb.pools:
        if name not in CATALOGUE and ":" not in name:
            have = ", ".join(entry.name for entry in CATALOGUE.values() if entry.side == "context")
            yield f"perturb.pools: no perturbation {name!r}; have {have}"


def _programs(config: Config) -> dict[str, str]:
    """The versions of programs that chosen perturbations run."""
    needed = {entry.needs for entry in perturb.chosen(config.perturb)} - {""}
    return {name: means.version(name) for name in sorted(needed)}


def _told(key: str, work: Callable[[], object]) -> list[str]:
    try:
        work()
    except ValueError as error:
        return [f"{key}: {error}"]
    return []


def _model(config: Config) -> Path:
    return config.embed.connect(None, threads=1).model


def _pipeline(name: str) -> Path:
    """The folder of a spaCy pipeline; ValueError where there is none. spaCy itself takes seconds to import."""
    if name == "english":
        return Path(extract.__file__).parents[2] / "text" / "language" / "english"
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if not spec or not spec.origin:
        raise ValueError(f'no spaCy pipeline {name!r} is installed, nor is it a folder; "english" ships with rarefy')
    return Path(spec.origin).parent


def _file(name: str) -> Path:
    """The file of a module:function."""
    spec = importlib.util.find_spec(name.partition(":")[0])
    return Path(spec.origin) if spec and spec.origin else Path()


def _version(package: str) -> str:
    try:
        return version(package).partition("+")[0]  # how a package was built is the machine's business
    except PackageNotFoundError:
        return ""
