"""Passages with what Lucene makes of them, BM25 written out plainly, a server that speaks as Elasticsearch 9 does."""

import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.analysis import stem

Scores = dict[str, float]

# What Lucene 9.9.1 itself gave for these passages and queries on 2026-11-21 (PatternTokenizer with the default pattern,
# LowerCaseFilter, StopFilter with EnglishAnalyzer's set, TruncateTokenFilter 100, PorterStemFilter; BM25Similarity(1.2,
# 0.75); a BooleanQuery of SHOULD clauses, one segment, sorted by score and then by name).
LUCENE: dict[str, Scores] = {
    "What were Apple's net sales in fiscal 2024?": {
        "c1": 4.6108007,
        "c2": 2.110377,
        "c8": 1.3796393,
        "c5": 0.34459996,
        "c7": 0.31816474,
    },
    "federal funds rate target range": {"c3": 3.8525412, "c4": 3.8525412},
    "sales sales": {"c5": 0.6891999, "c1": 0.6383342, "c7": 0.6363295, "c8": 0.5046609, "c2": 0.4923964},
    "interrupted supplies of suppliers": {"c2": 3.6257324},
    "the of and": {},
    "hired retailers' employment wages": {"c8": 4.5092354},
    "operating income of segment 7": {"c7": 4.5287333},
    "391,035": {"c1": 1.0999124},
    "zebra": {},
}
RATE = "Members agreed to maintain the target range for the federal funds rate at 5-1/4 to 5-1/2 percent."
SEGMENT = (
    "Segment {0} reported operating income of {0}.{1} million and sales of {2},{3} units in its region during the year."
)
TEXTS = {
    "c1": "Apple Inc. annual report\nNet sales\n"
    "Net sales rose 8% to $391,035 million in fiscal 2024, and services sales reached a record.",
    "c2": "Apple Inc. annual report\nRisk factors\n"
    "The Company's business depends on suppliers; sales may fall if supply is interrupted, interrupting interruptions.",
    "c3": f"FOMC minutes\n{RATE}",
    "c4": f"FOMC minutes\n{RATE}",
    "c5": "sales sales sales sales",
    "c6": "the of and",
    "c7": "Long passage. " + " ".join(SEGMENT.format(n, n % 10, n * 3, 100 + n) for n in range(30)),
    "c8": "Beige Book\n"
    "Business contacts reported that employment grew modestly; wages were rising, and hiring slowed in retail sales.",
}


def chunk(name: str, text: str, **told: Any) -> Chunk:
    return Chunk(name, told.pop("doc_id", "d1"), 0, len(text), "text", told.pop("section", ""), text, 0, **told)


@pytest.fixture(scope="session")
def lucene() -> dict[str, Scores]:
    return LUCENE


@pytest.fixture(scope="session")
def chunks() -> dict[str, Chunk]:
    return {name: chunk(name, text) for name, text in reversed(TEXTS.items())}


@pytest.fixture(scope="session")
def reference() -> Callable[..., Scores]:
    return ranked


def words(text: str, analysis: Mapping[str, Any]) -> list[str]:
    """Words as the settings of an index say, read from the settings alone."""
    filters = analysis["analyzer"]["words"]["filter"]
    found = re.findall(analysis["tokenizer"]["words"]["pattern"], text)
    for name in filters:
        told = analysis["filter"].get(name, {"type": name})
        if told["type"] == "lowercase":
            found = [word.lower() for word in found]
        elif told["type"] == "stop":
            found = [word for word in found if word not in told["stopwords"]]
        elif told["type"] == "truncate":
            found = [word[: told["length"]] for word in found]
        elif told["type"] == "porter_stem":
            found = [stem(word) for word in found]
        else:
            raise ValueError(f"no token filter {told['type']}")
    return found


def byte4(length: int) -> int:
    """A length as Lucene's SmallFloat.byte4ToInt(intToByte4(length)) gives it back, bit by bit."""
    if length < 24:
        return length
    rest = length - 24
    digits = rest.bit_length()
    if digits < 4:
        return length
    shift = digits - 4
    encoded = ((rest >> shift) & 7) | ((shift + 1) << 3)
    return 24 + (((encoded & 7) | 8) << ((encoded >> 3) - 1))


def ranked(texts: Mapping[str, str], query: str, analysis: Mapping[str, Any], k1: float, b: float) -> Scores:
    """Lucene's BM25, one passage and one word at a time: name -> score of all that share a word, best first."""
    counted = {name: words(text, analysis) for name, text in texts.items()}
    having = [found for found in counted.values() if found]
    mean = sum(map(len, having)) / max(len(having), 1)
    scores: Scores = {}
    for word in words(query, analysis):
        held = sum(word in found for found in having)
        weight = math.log(1 + (len(having) - held + 0.5) / (held + 0.5))
        for name, found in counted.items():
            if often := found.count(word):
                norm = k1 * (1 - b + b * byte4(len(found)) / mean)
                scores[name] = scores.get(name, 0.0) + weight * often / (often + norm)
    return dict(sorted(scores.items(), key=lambda one: (-round(one[1], 6), one[0])))


@dataclass
class Server:
    """What a server of Elasticsearch 9 would answer to the requests made here, and no more: others it refuses."""

    key: str = ""  # that is asked for
    address: str = ""
    seen: list[str] = field(default_factory=list)  # "PUT /_bulk", ...
    bodies: list[Any] = field(default_factory=list)
    indices: dict[str, dict[str, Any]] = field(default_factory=dict)
    aliases: dict[str, set[str]] = field(default_factory=dict)
    busy: int = 0  # bulk requests that are answered with 429 first
    refuses: str = ""  # _id of a passage that is not taken
    forgets: int = 0  # passages that it says it took and did not
    broken: str = ""  # what a search answers
    product: str = "Elasticsearch"
    version: int = 9
    narrow: bool = False  # the key is for indexes alone

    def answer(self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Any]:
        wanted = f"compatible-with={self.version}"
        for name in ("Accept", "Content-Type"):
            told = headers.get(name, "")
            if (name == "Accept" or body) and (wanted not in told or "application/vnd.elasticsearch+" not in told):
                return 400, fault("media_type_header_exception", f"Invalid media-type value on headers [{name}]")
        if self.key and headers.get("Authorization") != f"ApiKey {self.key}":
            return 401, fault("security_exception", "unable to authenticate with provided credentials")
        parts = path.strip("/").split("/")
        self.seen.append(f"{method} {path}")
        told = [json.loads(line) for line in body.splitlines()] if "ndjson" in headers.get("Content-Type", "") else None
        told = told if told is not None else json.loads(body) if body else None
        self.bodies.append(told)
        if (method, path) == ("GET", "/") and self.narrow:
            return 403, fault("security_exception", "action [cluster:monitor/main] is unauthorized")
        if (method, path) == ("GET", "/"):
            return 200, {
                "name": "fake",
                "version": {"number": f"{self.version}.0.0"},
                "tagline": "You Know, for Search",
            }
        if (method, path) == ("PUT", "/_bulk"):
            return self._bulk(told)
        if (method, path) == ("POST", "/_aliases"):
            return self._aliases(told["actions"])
        if parts[0] == "_alias":
            found = {name: {"aliases": {parts[1]: {}}} for name in self.aliases.get(parts[1], set())}
            return (200, found) if found else (404, {"error": f"alias [{parts[1]}] missing", "status": 404})
        name = parts[0]
        if method == "PUT" and len(parts) == 1:
            if name in self.indices:
                return 400, fault("resource_already_exists_exception", f"index [{name}] already exists")
            self.indices[name] = {**told, "docs": {}}
            return 200, {"acknowledged": True, "index": name}
        if name not in self.indices:
            return 404, fault("index_not_found_exception", f"no such index [{name}]")
        index = self.indices[name]
        if method == "HEAD" and len(parts) == 1:
            return 200, None
        if (method, parts[1:]) == ("GET", ["_mapping"]):
            return 200, {name: {"mappings": index["mappings"]}}
        if (method, parts[1:]) == ("POST", ["_refresh"]):
            index["shown"] = dict(index["docs"])
            return 200, {"_shards": {"failed": 0}}
        if parts[1:] == ["_count"]:
            return 200, {"count": len(index.get("shown", {}))}
        if parts[1:] == ["_msearch"]:
            return 200, {"responses": [self._search(index, told[at + 1]) for at in range(0, len(told), 2)]}
        return 405, fault("illegal_argument_exception", f"{method} {path} is not served here")

    def _bulk(self, told: list[Any]) -> tuple[int, Any]:
        if self.busy:
            self.busy -= 1
            return 429, fault("circuit_breaking_exception", "too many requests")
        items = []
        for action, source in zip(told[::2], told[1::2], strict=True):
            ((kind, where),) = action.items()
            docs = self.indices[where["_index"]]["docs"]
            if kind != "create":
                return 400, fault("illegal_argument_exception", f"{kind} is not served here")
            if where["_id"] == self.refuses:
                items.append({kind: {"_id": where["_id"], "status": 400, **fault("document_parsing_exception", "no")}})
            elif where["_id"] in docs:
                items.append({kind: {"_id": where["_id"], "status": 409, **fault("version_conflict_engine_exception")}})
            else:
                if self.forgets:
                    self.forgets -= 1
                else:
                    docs[where["_id"]] = source
                items.append({kind: {"_id": where["_id"], "status": 201, "result": "created"}})
        return 200, {"errors": any(one["create"]["status"] > 299 for one in items), "items": items}

    def _aliases(self, actions: list[dict[str, Any]]) -> tuple[int, Any]:
        for action in actions:
            ((kind, told),) = action.items()
            if told["index"] not in self.indices:
                return 404, fault("index_not_found_exception", told["index"])
            if kind == "add":
                self.aliases.setdefault(told["alias"], set()).add(told["index"])
            elif kind == "remove":
                self.aliases[told["alias"]].remove(told["index"])
            else:
                del self.indices[told["index"]]
                for names in self.aliases.values():
                    names.discard(told["index"])
        return 200, {"acknowledged": True}

    def _search(self, index: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
        if self.broken:
            return {"status": 500, **fault("search_phase_execution_exception", self.broken)}
        ((name, match),) = told["query"]["match"].items()
        similar = index["settings"]["similarity"][index["mappings"]["properties"][name]["similarity"]]
        texts = {doc["chunk_id"]: doc[name] for doc in index.get("shown", {}).values()}
        assert told["sort"] == [{"_score": "desc"}, {"chunk_id": "asc"}]
        found = ranked(texts, match["query"], index["settings"]["analysis"], similar["k1"], similar["b"])
        hits = [{"_id": one, "_score": None, "sort": [score, one]} for one, score in found.items()]
        return {"status": 200, "timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": hits[: told["size"]]}}


def fault(kind: str, reason: str = "") -> dict[str, Any]:
    return {"error": {"type": kind, "reason": reason, "root_cause": [{"type": kind, "reason": reason}]}}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server on this machine that the environment names."""
    told = Server(key="c2VjcmV0LWtleS1vZi10aGUtdGVzdA==")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path, _, query = self.path.partition("?")
            status, said = told.answer(self.command, path, query, self.headers, body)
            if said and "error" in said:
                said = {**said, "status": status}
            content = json.dumps(said).encode() if said is not None else b""
            self.send_response(status)
            self.send_header("X-Elastic-Product", told.product)
            self.send_header("Content-Type", f"application/vnd.elasticsearch+json;compatible-with={told.version}")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = serve

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    told.address = f"http://127.0.0.1:{http.server_port}"
    for name in ("USERNAME", "PASSWORD", "CA_CERTS"):
        monkeypatch.delenv(f"ELASTICSEARCH_{name}", raising=False)
    monkeypatch.setenv("ELASTICSEARCH_URL", told.address)
    monkeypatch.setenv("ELASTICSEARCH_API_KEY", told.key)
    yield told
    http.shutdown()
    http.server_close()
    thread.join()


@pytest.fixture(scope="session")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of chance with a tokenizer of its own: what it says means nothing, how it is read does."""
    return cross_encoder(tmp_path_factory.mktemp("reranker"), 1)


def cross_encoder(place: Path, outputs: int) -> Path:
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    known = sorted({word for text in TEXTS.values() for word in re.findall(r"\w+", text.lower())})
    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *known])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=64,
    ).save_pretrained(place)
    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        initializer_range=1.0,
        num_labels=outputs,
    )
    BertForSequenceClassification(config).eval().save_pretrained(place)
    return place


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder that gives three numbers, as one for inference does."""
    return cross_encoder(tmp_path_factory.mktemp("classifier"), 3)
