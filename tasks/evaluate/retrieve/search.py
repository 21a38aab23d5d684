"""The interface of retrievers: passages, rankings, and the check of a user's; and the cache of index files."""

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple, Protocol, TypeVar

import xxhash

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.private import make_folder, restrict_folder

LOG = logging.getLogger("rarefy.retrieve")
MANIFEST = "manifest.json"
ABANDONED_AFTER = 86_400  # seconds after which an unfinished index is of a killed run
Loaded = TypeVar("Loaded")


class Ranked(NamedTuple):
    """The passages found for one query, best first, equal scores by chunk_id."""

    chunk_ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()

    def first(self, depth: int) -> "Ranked":
        """Return the first `depth` of them."""
        return self if len(self.chunk_ids) <= depth else Ranked(self.chunk_ids[:depth], self.scores[:depth])


class Search(Protocol):
    """A retriever: returns the ranked passages of each query, at most `depth`, independent of the other queries."""

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]: ...


@dataclass(frozen=True)
class Passages:
    """The chunks that are searched, in the order of their ids, so that equal benchmarks give equal indexes."""

    chunks: Mapping[str, Chunk]
    titled: bool

    @cached_property
    def names(self) -> list[str]:
        """Return the chunk_ids, sorted: their order in every index."""
        return sorted(self.chunks)

    @cached_property
    def texts(self) -> list[str]:
        """Return the indexed text of each: title, section and text, or the text alone."""
        return [index_text(self.chunks[name], self.titled) for name in self.names]

    @cached_property
    def digest(self) -> str:
        """Return a digest of names and texts."""
        hashed = hashlib.blake2b(digest_size=12)
        for name, text in zip(self.names, self.texts, strict=True):
            for part in (name, text):
                content = part.encode("utf-8", "surrogatepass")
                hashed.update(len(content).to_bytes(8, "little") + content)
        return hashed.hexdigest()


def index_text(chunk: Chunk, titled: bool) -> str:
    """Return the indexed text of a chunk."""
    parts = (chunk.title, chunk.section, chunk.text) if titled else (chunk.text,)
    return "\n".join(part for part in parts if part)


def check_ranking(
    name: str, rankings: Sequence[Any], queries: int, depth: int, known: Mapping[str, object]
) -> list[Ranked]:
    """Return the rankings of a user's retriever, cut to `depth`; ValueError where one is no ranking of the passages.

    A ranking is a pair of sequences of equal length, chunk_ids and falling scores, as in Ranked.
    """
    if len(rankings) != queries:
        raise ValueError(f"retriever {name}: {len(rankings)} lists for {queries} queries; it must give one for each")
    lists = []
    for ranking in rankings:
        try:
            ids, scores = map(tuple, ranking)
            scores = tuple(map(float, scores))
            if len(ids) != len(scores):
                raise ValueError(f"{len(ids)} chunk_ids, {len(scores)} scores")
        except (TypeError, ValueError) as error:
            raise ValueError(f"retriever {name} gave no pair of chunk_ids and scores for a query: {error}") from None
        strange = next((chunk_id for chunk_id in ids if chunk_id not in known), None)
        if strange is not None:
            raise ValueError(f"retriever {name} found {strange!r}, which is no chunk_id of this benchmark")
        if len(set(ids)) < len(ids):
            raise ValueError(f"retriever {name} found a passage twice for one query: {ids}")
        if any(not one >= other for one, other in pairwise(scores)):
            raise ValueError(f"retriever {name}: scores must fall from the first passage to the last: {scores[:10]}")
        lists.append(Ranked(ids, scores).first(depth))
    return lists


def open_cached_index(
    place: Path, identity: dict[str, Any], make: Callable[[Path], None], load: Callable[[Path], Loaded]
) -> Loaded:
    """Return what `load` reads from the folder `place`, which `make` fills first unless it holds that very index.

    `identity`: what the index is made from (digest of the passages, settings, versions), stored in its manifest with a
    checksum of each file. A folder of another identity, or with changed files, is logged and made again.
    """
    fault = _find_fault(place, identity)
    if fault:
        if place.exists():
            LOG.warning("%s: %s; it is made again", place, fault)
            shutil.rmtree(place)
        make_folder(place.parent)
        for left in place.parent.glob(f".{place.name}-*"):  # of a run that was killed
            if time.time() - left.stat().st_mtime > ABANDONED_AFTER:
                shutil.rmtree(left, ignore_errors=True)
        fresh = Path(mkdtemp(prefix=f".{place.name}-", dir=place.parent))
        try:
            make(fresh)
            files = {path.name: _checksum(path) for path in sorted(fresh.iterdir())}
            (fresh / MANIFEST).write_text(json.dumps({**identity, "files": files}, indent=1), encoding="utf-8")
            restrict_folder(fresh)
            _publish_folder(fresh, place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return load(place)


def _publish_folder(fresh: Path, place: Path) -> None:
    """Move a finished folder to its place, unless another process has put an equal one there."""
    try:
        fresh.rename(place)
    except OSError:
        if not (place / MANIFEST).exists():
            raise


def _find_fault(place: Path, identity: dict[str, Any]) -> str:
    """Return what is wrong with an index, "" for nothing."""
    try:
        manifest = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
        files = manifest.pop("files")
        if manifest != json.loads(json.dumps(identity)):
            return "it is of other passages or settings"
        changed = [name for name, digest in files.items() if _checksum(place / name) != digest]
    except (OSError, ValueError, LookupError, AttributeError) as error:
        return f"no whole index ({error})"
    return f"{', '.join(changed)} changed since it was written" if changed else ""


def _checksum(path: Path) -> str:
    """Return a checksum of a file."""
    summed = xxhash.xxh3_128()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            summed.update(block)
    return summed.hexdigest()
