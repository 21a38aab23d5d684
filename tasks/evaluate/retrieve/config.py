"""Configuration of retrieval: retrievers, depths, fusion and reranking (RARE §5.2; arXiv 2505.21870 §4)."""

import re
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.find import find
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm.config import InferenceContext

VERSION = 2

# What the papers do, by protocol; what a config says beside `preset` goes before these.
PRESETS: dict[str, dict[str, Any]] = {
    name: dict(protocol.retrieval) for name, protocol in PROTOCOLS.items() if protocol.retrieval
}
FIXED = ("bm25", "elasticsearch", "hybrid")  # retrievers with a name of their own; dense ones are named in the config


class AnalysisConfig(BaseModel, frozen=True, extra="forbid"):
    """How text is split into terms, for bm25s and Elasticsearch alike."""

    pattern: str = Field(
        default=r"[0-9]+(?:[.,][0-9]+)*|\w+",
        description="regular expression of a word, in the syntax that Python and Java share; the default keeps an "
        "amount whole (1,234.5); bm25s's own is \\b\\w\\w+\\b",
    )
    stopwords: Literal["english", "none"] = Field(
        default="english", description="english: Lucene's 33 words that say nothing alone; none: every word counts"
    )
    stemmer: Literal["porter", "none"] = Field(
        default="porter",
        description="Porter's stemmer as Lucene has it (runs is run, ran is not) | none: words as they are",
    )

    @model_validator(mode="after")
    def _readable(self) -> "AnalysisConfig":
        try:
            words = re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"pattern {self.pattern!r} is no regular expression: {error}") from None
        if words.groups:
            raise ValueError(f"pattern {self.pattern!r} has a group; write (?:...) so that the whole match is the word")
        if words.match(""):
            raise ValueError(f"pattern {self.pattern!r} matches nothing at all; a word has a letter at least")
        return self


class BM25Config(BaseModel, frozen=True, extra="forbid"):
    """The parameters of Lucene's BM25, for bm25s and Elasticsearch alike."""

    k1: float = Field(
        default=1.2, ge=0, description="how soon another occurrence of a word stops to count; Lucene's default"
    )
    b: float = Field(default=0.75, ge=0, le=1, description="how much a long passage is marked down; Lucene's default")


class ElasticsearchConfig(BaseModel, frozen=True, extra="forbid"):
    """An index in Elasticsearch; address and key of the server come from the environment."""

    endpoint: str = Field(
        default="ELASTICSEARCH",
        pattern=r"^[A-Z][A-Z0-9_]*$",
        description="prefix of the environment variables: ELASTICSEARCH_URL, ELASTICSEARCH_API_KEY (or _USERNAME and "
        "_PASSWORD), ELASTICSEARCH_CA_CERTS",
    )
    alias: str = Field(
        default="rarefy",
        pattern=r"^[a-z0-9][a-z0-9_.-]{0,99}$",
        description="points at the newest index, whose name is this and a digest of its passages and settings",
    )
    shards: int = Field(
        default=1, ge=1, le=1024, description="of the index; word counts are gathered over all of them first"
    )
    replicas: int = Field(default=0, ge=0, description="copies of each shard")
    patience: float = Field(
        default=120,
        ge=0,
        description="seconds for which a server that answered before and is down or overloaded is waited for",
    )
    old: Literal["keep", "delete"] = Field(
        default="keep", description="what becomes of the index that the alias leaves, if it was made here"
    )


class DenseConfig(BaseModel, frozen=True, extra="forbid"):
    """Nearest vectors by FAISS, or by a server of Elasticsearch."""

    name: str = Field(
        default="dense", pattern=r"^[a-z0-9][a-z0-9_.-]*$", description="of this retriever; two need two names"
    )
    embed: EmbedConfig = Field(default_factory=EmbedConfig, description="which model embeds passages and queries")
    index: Literal["auto", "flat", "hnsw", "ivf_pq", "elasticsearch"] = Field(
        default="auto",
        description="flat: all passages are compared, exact | hnsw, ivf_pq: approximate | auto: by their number | "
        "elasticsearch: HNSW in the server's index, as server_index says",
    )
    server_index: Literal["hnsw", "int8_hnsw", "bbq_hnsw"] = Field(
        default="int8_hnsw",
        description="elasticsearch: the vectors that it looks through: whole, a byte or a bit for each number",
    )
    flat_to: int = Field(default=200_000, ge=0, description="passages up to which auto compares every one")
    hnsw_to: int = Field(default=2_000_000, ge=0, description="passages up to which auto takes hnsw; ivf_pq above")
    hnsw_links: int = Field(default=32, ge=4, le=128, description="HNSW's M")
    hnsw_build: int = Field(default=200, ge=8, description="HNSW's efConstruction")
    hnsw_search: int = Field(
        default=256, ge=8, description="HNSW's efSearch, the server's num_candidates; at least the depth"
    )
    ivf_lists: int = Field(
        default=0, ge=0, description="cells of IVF; 0: four times the square root of the number of passages"
    )
    ivf_probes: int = Field(default=64, ge=1, description="cells looked through for a query")
    pq_bytes: int = Field(
        default=0, ge=0, description="bytes of a passage's code; 0: a quarter of the vector's numbers"
    )
    refine: int = Field(
        default=4, ge=1, description="ivf_pq: so many times the depth are compared again by whole vectors"
    )


class HybridConfig(BaseModel, frozen=True, extra="forbid"):
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

    of: tuple[str, ...] = Field(default=("bm25", "dense"), min_length=2, description="whose lists are fused")
    constant: int = Field(default=60, ge=0, description="k of 1 / (k + rank), as in that paper")
    window: int = Field(default=100, ge=1, le=10_000, description="how deep each list is fused, whatever depth is kept")


class RerankConfig(BaseModel, frozen=True, extra="forbid"):
    """A cross-encoder that reranks the first passages of each list."""

    model: str = Field(
        default="", description='its folder, or its name in the Hugging Face cache; "": nothing is reranked'
    )
    longest: int = Field(default=0, ge=0, description="tokens of query and passage that it reads; 0: as many as it can")


class RetrieveConfig(BaseModel, frozen=True, extra="forbid"):
    """How passages are retrieved for each wording of each question."""

    preset: Literal["", "rare", "retrieval_robustness"] = Field(
        default="",
        description="rare: 5 found, cross-encoder/ms-marco-MiniLM-L-12-v2 keeps 3 | retrieval_robustness: BM25 and "
        "dense, 100 deep; what is said beside it goes first",
    )
    retrievers: tuple[str, ...] = Field(
        default=("bm25", "dense", "hybrid"),
        min_length=1,
        description='bm25 | elasticsearch | hybrid | the name of one under dense | "module:function"',
    )
    depth: int = Field(default=100, ge=1, le=10_000, description="passages kept for a question in its original wording")
    depth_reworded: int = Field(default=10, ge=1, le=10_000, description="passages kept for every other wording")
    fetch: int = Field(
        default=5,
        ge=1,
        description="passages that are reranked, or that the first are taken of",
        json_schema_extra={"tag": "repo", "source": "RARE code, k = 5"},
    )
    keep: int = Field(
        default=3,
        ge=1,
        description="passages that are left of those",
        json_schema_extra={"tag": "repo", "source": "RARE code, top 3"},
    )
    titled: bool = Field(
        default=True, description="a passage is looked for by its document's title and its section too, as BEIR does"
    )
    analysis: AnalysisConfig = Field(default_factory=AnalysisConfig, description="words")
    bm25: BM25Config = Field(default_factory=BM25Config, description="BM25's numbers")
    elasticsearch: ElasticsearchConfig = Field(default_factory=ElasticsearchConfig, description="a server's index")
    dense: tuple[DenseConfig, ...] = Field(
        default=(DenseConfig(),), description="embedders, each a retriever of its own"
    )
    hybrid: HybridConfig = Field(default_factory=HybridConfig, description="fusion of others")
    rerank: RerankConfig = Field(default_factory=RerankConfig, description="what the first few are put in order by")

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, values: Any) -> Any:
        preset = PRESETS.get(values.get("preset", "")) if isinstance(values, dict) else None
        if not preset:
            return values
        merged = {name: value | values.get(name, {}) for name, value in preset.items() if isinstance(value, dict)}
        return (
            preset | values | {name: value for name, value in merged.items() if isinstance(values.get(name, {}), dict)}
        )

    @model_validator(mode="after")
    def _whole(self) -> "RetrieveConfig":
        named = [one.name for one in self.dense]
        known = [*FIXED, *named]
        if len(set(known)) < len(known):
            raise ValueError(f"dense retrievers need names of their own, apart from {', '.join(FIXED)}: {named}")
        for name in (*self.retrievers, *(self.hybrid.of if "hybrid" in self.retrievers else ())):
            if name not in known and ":" not in name:
                raise ValueError(f"no retriever {name!r}; have {', '.join(known)}, or write module:function")
        if "hybrid" in self.hybrid.of:
            raise ValueError("hybrid.of cannot hold hybrid itself")
        for names, where in ((self.retrievers, "retrievers"), (self.hybrid.of, "hybrid.of")):
            if len(set(names)) < len(names):
                raise ValueError(f"{where} names one twice: {', '.join(names)}")
        if not self.keep <= self.fetch <= min(self.depth, self.depth_reworded):
            raise ValueError(
                f"keep = {self.keep} must not exceed fetch = {self.fetch}, nor that depth = {self.depth} or "
                f"depth_reworded = {self.depth_reworded}"
            )
        return self

    def connected(self) -> tuple[str, ...]:
        """Return the retrievers that search: those configured and those that are fused, without hybrid itself."""
        fused = self.hybrid.of if "hybrid" in self.retrievers else ()
        return tuple(name for name in dict.fromkeys((*self.retrievers, *fused)) if name != "hybrid")

    def on_server(self) -> tuple[DenseConfig, ...]:
        """Return the dense retrievers that search in the server's index."""
        return tuple(one for one in self.dense if one.index == "elasticsearch" and one.name in self.connected())

    def identity(self) -> dict[str, Any]:
        """Return what determines its hits, without options of unused retrievers."""
        used = self.connected()
        settings: dict[str, Any] = self.model_dump(
            mode="json", include={"retrievers", "depth", "depth_reworded", "fetch", "keep", "titled"}
        ) | {"version": VERSION}
        if {"bm25", "elasticsearch"} & set(used):
            settings |= {"analysis": self.analysis.model_dump(), "bm25": self.bm25.model_dump()}
        if "elasticsearch" in used or self.on_server():
            settings["elasticsearch"] = {"shards": self.elasticsearch.shards}
        settings["dense"] = [
            one.model_dump(exclude={"embed"}) | {"embed": one.embed.identity()}
            for one in self.dense
            if one.name in used
        ]
        if "hybrid" in self.retrievers:
            settings["hybrid"] = self.hybrid.model_dump(mode="json")
        if self.rerank.model:
            settings["rerank"] = self.rerank.model_dump()
        return settings

    def connect(self, cache: Path, *, threads: int = 1, means: InferenceContext | None = None) -> Any:
        """Return the `Retrievers`, with their indexes in the folder `cache`.

        faults.Unavailable or ValueError, saying what to do, where a model or a server is not available.
        """
        retrievers = find("rarefy.tasks.evaluate.retrieve:Retrievers", {})  # by name: they need this module
        return retrievers(self, cache, threads, means)
