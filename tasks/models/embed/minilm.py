"""The packaged MiniLM by torch alone: sentence-transformers gives the same vectors after 5 s of imports."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

# Tokens of a batch: fewer leave torch idle, more no longer fit the processor's cache.
TOKENS = 1_000


class MiniLM:
    """A BERT whose vector of a text is the mean of its tokens'.

    Nothing is padded: the tokens of texts of any length go through the linear layers as one matrix, and only attention
    is among texts of one length.
    """

    def __init__(self, folder: Path, device: str) -> None:
        import torch  # late: 2 s
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        pieces = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(pieces)
        self._tokenizer.no_padding()
        self._heads, self._epsilon = about["num_attention_heads"], about["layer_norm_eps"]
        self._weights = load_file(folder / "model.safetensors", device=device)
        self._layers = [f"encoder.layer.{number}." for number in range(about["num_hidden_layers"])]
        for layer in self._layers:
            for kind in (".weight", ".bias"):
                three = [self._weights.pop(f"{layer}attention.self.{name}{kind}") for name in ("query", "key", "value")]
                self._weights[f"{layer}attention.self{kind}"] = torch.cat(three)

    def read(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text."""
        return [self._tokenizer.encode(text).ids for text in texts]

    def cut(self, inputs: Sequence[Sequence[int]]) -> list[list[int]]:
        """The places of texts in batches, short texts first."""
        batches: list[list[int]] = [[]]
        size = 0
        for place in sorted(range(len(inputs)), key=lambda place: len(inputs[place])):
            if batches[-1] and size + len(inputs[place]) > TOKENS:
                batches.append([])
                size = 0
            batches[-1].append(place)
            size += len(inputs[place])
        return batches

    def __call__(self, batch: Sequence[Sequence[int]]) -> Any:
        """The vectors of a batch, not yet of length 1."""
        import torch
        from torch.nn.functional import gelu, scaled_dot_product_attention

        words = self._weights["embeddings.word_embeddings.weight"]
        tokens = torch.tensor([token for text in batch for token in text], device=words.device)
        places = torch.tensor([place for text in batch for place in range(len(text))], device=words.device)
        counts = [(length, len(list(texts))) for length, texts in groupby(map(len, batch))]
        rows = [length * number for length, number in counts]
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        hidden = words[tokens] + self._weights["embeddings.position_embeddings.weight"][places] + kind
        hidden = self._normalise(hidden, "embeddings.LayerNorm")
        for layer in self._layers:
            seen = []
            parts = self._multiply(hidden, f"{layer}attention.self").split(rows)
            for part, (length, number) in zip(parts, counts, strict=True):
                query, key, value = part.view(number, length, 3, self._heads, -1).permute(2, 0, 3, 1, 4)
                found = scaled_dot_product_attention(query, key, value)
                seen.append(found.transpose(1, 2).reshape(number * length, -1))
            found = self._multiply(torch.cat(seen), f"{layer}attention.output.dense")
            hidden = self._normalise(hidden + found, f"{layer}attention.output.LayerNorm")
            found = self._multiply(gelu(self._multiply(hidden, f"{layer}intermediate.dense")), f"{layer}output.dense")
            hidden = self._normalise(hidden + found, f"{layer}output.LayerNorm")
        texts = zip(hidden.split(rows), counts, strict=True)
        return torch.cat([part.view(number, length, -1).mean(1) for part, (length, number) in texts])

    def _multiply(self, hidden: Any, name: str) -> Any:
        from torch.nn.functional import linear

        return linear(hidden, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normalise(self, hidden: Any, name: str) -> Any:
        from torch.nn.functional import layer_norm

        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return layer_norm(hidden, weight.shape, weight, bias, self._epsilon)
