"""The sample corpus from documents to judged questions, by rules and without prose, once for all tests that ask."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from rarefy.data_contracts.rows import Chunk, Document, Question, Triplet
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.sample import CORPUS


@dataclass(frozen=True)
class Asked:
    """What a corpus holds, and the accepted questions on it."""

    documents: dict[str, Document]
    chunks: dict[str, Chunk]
    triplets: dict[str, Triplet]
    questions: tuple[Question, ...]

    def of(self, pattern: str) -> list[Question]:
        """The accepted questions of one kind."""
        return [q for q in self.questions if q.pattern == pattern]


@cache
def ask_sample() -> Asked:
    """The questions on the sample's filings."""
    config = read.ReadConfig()
    documents = [d for s in read.sources.list_sources(CORPUS) for d in read.read(s, config) if isinstance(d, Document)]
    by_doc = {d.doc_id: d for d in documents}
    chunks = {c.chunk_id: c for c in chunk.chunk(documents, chunk.ChunkConfig())}
    methods = extract.ExtractConfig(methods=("cover", "tables", "officers"))
    found = list(extract.extract(chunks.values(), methods, documents=by_doc))
    embed = lambda texts: np.eye(len(texts), 8, dtype=np.float32)  # noqa: E731  (nothing here is compared by meaning)
    named = normalise.normalise(found, normalise.NormaliseConfig(), embed=embed)
    keyed = [row for row in named if isinstance(row, Triplet)]
    dated = supersede.supersede(keyed, supersede.SupersedeConfig(), documents=by_doc)
    triplets = {t.triplet_id: t for t in dated}
    paths = graph.trace(triplets.values(), graph.GraphConfig())
    asked = ask.ask(paths, ask.AskConfig(), triplets=triplets, chunks=chunks, documents=by_doc)
    judged = gates.judge(asked, gates.GatesConfig(), chunks=chunks, triplets=triplets)
    return Asked(by_doc, chunks, triplets, tuple(q for q in judged if not q.rejected_because))
