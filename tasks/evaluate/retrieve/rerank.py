"""Reranking by a local cross-encoder of sentence-transformers (RARE R31)."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rarefy.tasks.models.embed.sentences import find_model_folder
from rarefy.tasks.models.embed.vector_cache import VectorCache, Vectors

VERSION = 1
BATCH = 32  # pairs of one length that are scored together
BETWEEN = "\x1e"  # between query and passage in a score's cache key


class Reranker:
    """Scores pairs, with scores cached in `cache`; the model is loaded when it is needed."""

    def __init__(self, model: str, longest: int, cache: Path | None, threads: int = 1) -> None:
        """ValueError with the way out where the model is not on disk."""
        self.folder, self.longest, self.threads = find_model_folder(model), longest, threads
        self.scored = 0  # pairs that went through the network
        self._remembered = VectorCache(cache)
        self._network: Any = None
        self._known = b""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return the model's output for each (query, passage); higher is better."""
        if not pairs:
            return []
        texts = [f"{query.replace(BETWEEN, ' ')}{BETWEEN}{passage}" for query, passage in pairs]
        return [round(float(value), 6) for value in self._remembered(self._identity(), texts, self._parts)[:, 0]]

    def _identity(self) -> bytes:
        """Return a digest of the model's files and of its maximum length."""
        if not self._known:
            digest = hashlib.blake2b(json.dumps(["rerank", VERSION, self.longest]).encode(), digest_size=32)
            for path in sorted(self.folder.rglob("*")):
                if path.suffix in {".json", ".txt", ".safetensors", ".bin", ".model"} and path.is_file():
                    digest.update(str(path.relative_to(self.folder)).encode())
                    with path.open("rb") as file:
                        while block := file.read(1 << 22):
                            digest.update(block)
            self._known = digest.digest()
        return self._known

    def _parts(self, texts: list[str]) -> Iterator[tuple[list[str], Vectors]]:
        """Yield scores in batches of pairs of one length: padding would change a score's last bits."""
        import torch

        network = self._network = self._network or self._loaded()
        torch.set_num_threads(1)  # more threads would change the last bits
        pairs = [text.split(BETWEEN, 1) for text in texts]
        most = network.max_length
        queries, passages = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        read = network.tokenizer(queries, passages, truncation=True, max_length=most)
        by_length: dict[int, list[int]] = {}
        for at, ids in enumerate(read["input_ids"]):
            by_length.setdefault(len(ids), []).append(at)
        for _, places in sorted(by_length.items()):
            for start in range(0, len(places), BATCH):
                batch = places[start : start + BATCH]
                scores = network.predict(
                    [tuple(pairs[at]) for at in batch],
                    batch_size=BATCH,
                    show_progress_bar=False,
                    activation_fn=torch.nn.Identity(),
                    convert_to_numpy=True,
                )
                self.scored += len(batch)
                yield [texts[at] for at in batch], np.asarray(scores, dtype=np.float32).reshape(len(batch), 1)

    def _loaded(self) -> Any:
        # set before the import, which reads it: nothing is looked up on the network
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
        from sentence_transformers import CrossEncoder  # late: 7 s

        network = CrossEncoder(
            str(self.folder),
            device=os.environ.get("RAREFY_DEVICE") or "cpu",
            local_files_only=True,
            **({"max_length": self.longest} if self.longest else {}),
        )
        if network.config.num_labels != 1:
            raise ValueError(
                f"{self.folder} gives {network.config.num_labels} numbers for a pair; a reranker gives one. Choose a "
                "model trained for ranking, as cross-encoder/ms-marco-MiniLM-L-12-v2"
            )
        return network
