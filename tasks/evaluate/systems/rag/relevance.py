"""How much a passage helps with a question, -1 to 1: CRAG's retrieval evaluator, by what stands in for its own."""

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from rarefy.tasks.evaluate.systems.rag.case import Rate
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.find import find
from rarefy.tasks.models.embed.sentences import folder_of
from rarefy.tasks.models.llm.config import InferenceContext

BATCH = 32
LONGEST = 512  # tokens of a pair, as CRAG's own evaluator reads


def rater(config: RagConfig, cache: Path | None, threads: int, means: InferenceContext) -> Rate:
    """The evaluator of a config; ValueError with the way out where it is not on disk or nobody knows it."""
    if config.evaluator == "embed":
        return by_cosine(config, cache, threads, means)
    if config.evaluator == "cross-encoder":
        if not config.evaluator_model:
            raise ValueError(
                "evaluator cross-encoder needs evaluator_model: a folder, or a name in Hugging Face's cache"
            )
        return CrossEncoder(folder_of(config.evaluator_model), config.evaluator_squashed)
    if ":" not in config.evaluator:
        raise ValueError(f"no evaluator {config.evaluator!r}; have embed, cross-encoder, or write module:function")
    return find(config.evaluator, {})


def by_cosine(config: RagConfig, cache: Path | None, threads: int, means: InferenceContext) -> Rate:
    """The cosine of question and text, from [cosine_low, cosine_high] to [-1, 1]."""
    if config.cosine_low >= config.cosine_high:
        raise ValueError("cosine_low must be below cosine_high")
    embed = config.embed.connect(cache, threads=threads, means=means)
    middle, half = (config.cosine_high + config.cosine_low) / 2, (config.cosine_high - config.cosine_low) / 2

    def rate(query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        cosines = embed(list(texts), role="passage") @ embed([query], role="query")[0]
        return [max(-1.0, min(1.0, (float(cosine) - middle) / half)) for cosine in cosines]

    return rate


class CrossEncoder:
    """Scores of (question, text) by a model from Hugging Face with one output; it loads when the first pair comes."""

    def __init__(self, folder: Path, squashed: bool) -> None:
        self.folder, self.squashed = folder, squashed
        self._known = lru_cache(maxsize=100_000)(self._one)  # passages come again with every wording and mix
        self._loaded: tuple[Any, Any, Any] | None = None

    def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text."""
        return [self._known(query, text) for text in texts]

    def _one(self, query: str, text: str) -> float:
        # one pair at a time: in a batch its last bits would hang on its neighbours
        import torch

        tokenizer, network, device = self._loaded = self._loaded or self._load()
        read = tokenizer(query, text, truncation="only_second", max_length=LONGEST, return_tensors="pt").to(device)
        with torch.inference_mode():
            logit = float(network(**read).logits.float().reshape(-1)[0])
        return 2 / (1 + math.exp(-logit)) - 1 if self.squashed else max(-1.0, min(1.0, logit))

    def _load(self) -> tuple[Any, Any, Any]:
        import torch
        from transformers import AutoModelForSequenceClassification, AutoTokenizer

        network = AutoModelForSequenceClassification.from_pretrained(self.folder, local_files_only=True)
        if network.config.num_labels != 1:
            raise ValueError(
                f"{self.folder}: a cross-encoder that rates has one output, this has {network.config.num_labels}"
            )
        device = "cuda" if torch.cuda.is_available() else "cpu"
        tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        return tokenizer, network.eval().to(device), device
