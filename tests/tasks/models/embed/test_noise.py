"""No row of a benchmark depends on the last bits of a vector, which differ among machines (and batches on some)."""

import hashlib
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarefy.data_contracts.rows import Chunk, Document, Question, Similarity, Triplet, row_id
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.models.embed import EmbedConfig, Vectors
from rarefy.tasks.models.nli import NLIConfig
from rarefy.tasks.perturb import CATALOGUE, PerturbConfig, vary_with_similarities
from rarefy.tasks.perturb.proof import ENTAILMENT, SIMILARITY
from rarefy.tasks.questions import ask, gates

SEEDS = range(10)
NOISE = 1e-6  # length of what is added to a vector of length 1
QUESTIONS = 15  # of a corpus, those of the smallest hash
CORPORA = {  # folder, and how its files' names begin
    "sample": ("tasks/sample/corpus", ("aapl-fy2024", "fomc-2015")),
    "minutes": ("economics/fomc-minutes", ("MeetingDate=2000-02", "MeetingDate=2000-03", "MeetingDate=2000-05")),
    "24 CFR": ("policy/ecfr-title24", ("title24_chV_part57", "title24_chV_part58", "title24_chV_part59")),
}
# what no vector decides is left out: formats of documents, noise for contexts, misspellings that differ by one letter
WORDINGS = tuple(
    entry.name
    for entry in CATALOGUE.values()
    if entry.side == "query" and entry.rules and {SIMILARITY, ENTAILMENT} & set(entry.checks)
)


@cache
def vector_of() -> Any:
    """The embedder itself, which remembers for all seeds what it embedded."""
    return EmbedConfig().connect()


class Noisy:
    """The embedder of another machine each time it is asked: the same text has other bits in another call."""

    def __init__(self, seed: int) -> None:
        self.seed, self.calls = seed, count()

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        call = next(self.calls)
        vectors: Vectors = vector_of()(texts).copy()
        for row, text in zip(vectors, texts, strict=True):
            key = hashlib.blake2b(f"{self.seed} {call} {text}".encode(), digest_size=8).digest()
            added = np.random.default_rng(int.from_bytes(key, "big")).normal(size=len(row))
            row += (NOISE * added / np.linalg.norm(added)).astype(np.float32)
        return vectors


class Corpus:
    """What is made of documents before the first vector is asked for, and what is made with vectors."""

    def __init__(self, sources: Sequence[Any]) -> None:
        read_ = [row for source in sources for row in read.read(source, read.ReadConfig())]
        self.documents = [row for row in read_ if isinstance(row, Document)]
        self.by_doc = {row.doc_id: row for row in self.documents}
        self.chunks = {row.chunk_id: row for row in chunk.chunk(self.documents, chunk.ChunkConfig())}
        of = extract.extract(self.chunks.values(), extract.ExtractConfig(), documents=self.by_doc)
        self.triplets = [row for row in of if isinstance(row, Triplet)]

    def normalised(self, embed: Noisy) -> list[Any]:
        """The rows that `normalise` makes, the similarities among them; keys merge more easily than they should."""
        config = normalise.NormaliseConfig(threshold=0.6)
        return list(normalise.normalise(self.triplets, config, embed=embed, documents=self.by_doc))

    def questions(self, rows: Sequence[Any]) -> list[Question]:
        """Some accepted questions on what was normalised."""
        keyed = [row for row in rows if isinstance(row, Triplet)]
        dated = supersede.supersede(keyed, supersede.SupersedeConfig(), documents=self.by_doc)
        triplets = {row.triplet_id: row for row in dated}
        paths = list(graph.trace(triplets.values(), graph.GraphConfig()))
        more: dict[str, Any] = {"triplets": triplets, "chunks": self.chunks}
        asked = ask.ask(paths, ask.AskConfig(), documents=self.by_doc, **more)
        judged = list(gates.judge(asked, gates.GatesConfig(), **more))
        accepted = [row for row in judged if isinstance(row, Question) and not row.rejected_because]
        return sorted(accepted, key=lambda row: row_id("noise", row.question_id))[:QUESTIONS]

    def varied(self, questions: Sequence[Question], embed: Noisy) -> list[Any]:
        """The rows that `vary` makes of these, the similarities among them."""
        config = PerturbConfig(query=WORDINGS, document=(), context=())
        chunks: dict[str, Chunk] = self.chunks
        check = NLIConfig().connect(Path())
        return list(vary_with_similarities(questions, config, chunks=chunks, embed=embed, nli=check))


def digested(rows: Sequence[Any]) -> list[Any]:
    """Those that a version is the digest of."""
    return [row for row in rows if not isinstance(row, Similarity)]


@pytest.mark.machines
@pytest.mark.parametrize("name", CORPORA)
def test_ten_machines_make_the_same_rows(name: str, request: pytest.FixtureRequest) -> None:
    folder, files = CORPORA[name]
    place = (
        request.getfixturevalue("sample")
        if name == "sample"
        else request.getfixturevalue("shared") / "corpora" / folder
    )
    corpus = Corpus([one for one in read.sources.list_sources(place) if one.path.startswith(files)])
    assert len(corpus.documents) >= 2 and corpus.triplets
    named = corpus.normalised(Noisy(-1))
    questions = corpus.questions(named)
    varied = corpus.varied(questions, Noisy(-1))
    likenesses = [row for row in (*named, *varied) if isinstance(row, Similarity) and row.method == "embedding"]
    assert len(likenesses) >= 20
    other = 0
    for seed in SEEDS:
        again, once_more = corpus.normalised(Noisy(seed)), corpus.varied(questions, Noisy(seed))
        assert digested(again) == digested(named) and digested(once_more) == digested(varied)
        mine = [row for row in (*again, *once_more) if isinstance(row, Similarity) and row.method == "embedding"]
        assert [row.of for row in mine] == [row.of for row in likenesses]
        assert all(abs(one.cosine - two.cosine) < 4 * NOISE for one, two in zip(mine, likenesses, strict=True))
        other += mine != likenesses
    assert other == len(SEEDS), "the noise must reach what is compared"
