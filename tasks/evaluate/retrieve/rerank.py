"""A cross-encoder of sentence-transformers on this machine: how well does a passage answer a query (RARE R31)."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rarefy.tasks.models.embed.remembered import Remembered, Vectors
from rarefy.tasks.models.embed.sentences import folder_of

VERSION = 1
BATCH = 32  # pairs of one length that go through the network together
BETWEEN = "\x1e"  # between query and passage where a score is remembered by both


class Reranker:
    """Scores pairs, each once; what it scored is remembered in `cache`. The network loads when it is needed."""

    def __init__(self, model: str, longest: int, cache: Path | None, threads: int = 1) -> None:
        """ValueError with the way out where the model is not on disk."""
        self.folder, self.longest, self.threads = folder_of(model), longest, threads
        self.scored = 0  # pairs that went through the network
        self._remembered = Remembered(cache)
        self._network: Any = None
        self._known = b""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The score of each (query, passage): the network's own output, higher is better."""
        if not pairs:
            return []
        texts = [f"{query.replace(BETWEEN, ' ')}{BETWEEN}{passage}" for query, passage in pairs]
        return [round(float(value), 6) for value in self._remembered(self._identity(), texts, self._parts)[:, 0]]

    def _identity(self) -> bytes:
        """A digest of the model's files and of how much it reads."""
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
        """Scores, batch by batch; a batch holds pairs of one length, so that nothing is padded.

        Padding would change a score's last bits by what stands beside it.
        """
        import torch

        network = self._network = self._network or self._loaded()
        torch.set_num_threads(1)  # more give other last bits
        pairs = [text.split(BETWEEN, 1) for text in texts]
        most = network.max_length
        read = network.tokenizer([one[0] for one in pairs], [one[1] for one in pairs], truncation=True, max_length=most)
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
        # said before the import, which reads it: nothing is looked for on a network
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
