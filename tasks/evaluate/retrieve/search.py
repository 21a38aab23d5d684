"""What a retriever is: passages that it is made for, and a function from queries to ranked passages."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from rarefy.data_contracts.rows import Chunk


class Ranked(NamedTuple):
    """What was found for one query, best first, equal scores by chunk_id."""

    chunk_ids: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()

    def first(self, depth: int) -> "Ranked":
        """The first few of it."""
        return self if len(self.chunk_ids) <= depth else Ranked(self.chunk_ids[:depth], self.scores[:depth])


class Search(Protocol):
    """The ranked passages of each query, at most `depth` of them, whatever queries it is asked with."""

    def __call__(self, queries: Sequence[str], depth: int, /) -> Sequence[Ranked]: ...


@dataclass(frozen=True)
class Passages:
    """What is searched: chunks by their names in order, so that equal benchmarks make equal indexes."""

    chunks: Mapping[str, Chunk]
    titled: bool

    @cached_property
    def names(self) -> list[str]:
        """The chunk_ids, sorted: a passage's place in every index."""
        return sorted(self.chunks)

    @cached_property
    def texts(self) -> list[str]:
        """What each is found by: title, section and text, or the text alone."""
        return [indexed(self.chunks[name], self.titled) for name in self.names]

    @cached_property
    def digest(self) -> str:
        """A name for these names and texts."""
        hashed = hashlib.blake2b(digest_size=12)
        for name, text in zip(self.names, self.texts, strict=True):
            for part in (name, text):
                content = part.encode("utf-8", "surrogatepass")
                hashed.update(len(content).to_bytes(8, "little") + content)
        return hashed.hexdigest()


def indexed(chunk: Chunk, titled: bool) -> str:
    """What a chunk is found by."""
    parts = (chunk.title, chunk.section, chunk.text) if titled else (chunk.text,)
    return "\n".join(part for part in parts if part)


def checked(name: str, found: Sequence[Any], queries: int, depth: int, known: Mapping[str, object]) -> list[Ranked]:
    """What a retriever from outside found, cut to `depth`; ValueError where it is no ranking of the passages.

    A ranking is a pair of as many chunk_ids and scores: a Ranked, or any two sequences.
    """
    if len(found) != queries:
        raise ValueError(f"retriever {name}: {len(found)} lists for {queries} queries; it must give one for each")
    lists = []
    for one in found:
        try:
            ids, scores = map(tuple, one)
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
