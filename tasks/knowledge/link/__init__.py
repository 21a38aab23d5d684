"""Triplets in, those and the links between documents out: facts whose other end is what another document is about.

A meeting whose minutes another meeting approved, a company that is named in another's filing. A link has the other
record's own name, so that paths cross documents after `normalise`. So do facts of what belongs to a thing, as its own.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.link.companies import link_companies
from rarefy.tasks.knowledge.link.linked import Corpus, gather
from rarefy.tasks.knowledge.link.meetings import link_meetings
from rarefy.tasks.knowledge.link.owners import link_owners

__all__ = ["LINKERS", "VERSION", "LinkConfig", "link"]

VERSION = 4  # a USB-C port is a kind of port, and nothing of USB-C's

Linker = Callable[[Corpus], Iterable[Triplet]]
LINKERS: dict[str, Linker] = {
    "companies": link_companies,
    "meetings": link_meetings,
    "owners": link_owners,
}


class LinkConfig(BaseModel, frozen=True, extra="forbid"):
    """Which links between documents are looked for."""

    between: tuple[str, ...] = Field(
        ("companies", "meetings", "owners"),
        description="what is linked where another document is about it, and (owners) facts of models on what belongs "
        "to a named thing, which become the thing's: built-in names or module:function",
    )


def link(
    triplets: Iterable[Triplet],
    config: LinkConfig,
    *,
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
) -> Iterator[Triplet]:
    """Every triplet as it is, then the links between documents; a document that repeats another is linked to nothing.

    Nothing depends on the order of the triplets.
    """
    linkers = [find(name, LINKERS) for name in config.between]
    rows = list(triplets)
    yield from rows
    if not linkers:
        return
    corpus = gather(rows, chunks, documents)
    found = {row.triplet_id: row for linker in linkers for row in linker(corpus)}
    yield from (found[name] for name in sorted(found))
