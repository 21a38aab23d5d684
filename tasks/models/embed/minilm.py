"""The packaged MiniLM by torch alone: sentence-transformers gives the same vectors after 5 s of imports."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LAYER = {  # parts of a layer by their names in torch, and in the file
    "self_attn.in_proj_": "attention.self.",
    "self_attn.out_proj.": "attention.output.dense.",
    "norm1.": "attention.output.LayerNorm.",
    "linear1.": "intermediate.dense.",
    "linear2.": "output.dense.",
    "norm2.": "output.LayerNorm.",
}


class MiniLM:
    """A BERT whose vector of a text is the mean of its tokens'; called as a SentenceTransformer is."""

    def __init__(self, folder: Path, device: str) -> None:
        import torch  # late: 2 s
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        about = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        pieces = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(pieces)
        self._tokenizer.no_padding()
        weights = load_file(folder / "model.safetensors")
        words, places, kinds, *norm = (
            weights["embeddings." + name]
            for name in (
                "word_embeddings.weight",
                "position_embeddings.weight",
                "token_type_embeddings.weight",
                "LayerNorm.weight",
                "LayerNorm.bias",
            )
        )
        first = torch.nn.LayerNorm(about["hidden_size"], about["layer_norm_eps"])
        first.load_state_dict(dict(zip(("weight", "bias"), norm, strict=True)))
        layers: list[Any] = []
        for number in range(about["num_hidden_layers"]):
            layer = torch.nn.TransformerEncoderLayer(
                about["hidden_size"],
                about["num_attention_heads"],
                about["intermediate_size"],
                activation=about["hidden_act"],
                layer_norm_eps=about["layer_norm_eps"],
                batch_first=True,
            )
            its = f"encoder.layer.{number}."
            for kind in ("weight", "bias"):
                three = [weights[f"{its}attention.self.{name}.{kind}"] for name in ("query", "key", "value")]
                weights[f"{its}attention.self.{kind}"] = torch.cat(three)
            parts = {
                own + kind: weights[its + name + kind] for own, name in LAYER.items() for kind in ("weight", "bias")
            }
            layer.load_state_dict(parts)
            layers.append(layer)
        self._words, self._places = words.to(device), (places + kinds[0]).to(device)
        self._network = torch.nn.Sequential(first, *layers).eval().to(device)

    def preprocess(self, texts: Sequence[str]) -> dict[str, Any]:
        """The tokens of texts that have as many of them."""
        import torch

        return {"input_ids": torch.tensor([one.ids for one in self._tokenizer.encode_batch(list(texts))])}

    def __call__(self, features: dict[str, Any]) -> dict[str, Any]:
        """The vectors of texts, not yet of length 1."""
        tokens = features["input_ids"]
        return {"sentence_embedding": self._network(self._words[tokens] + self._places[: tokens.shape[1]]).mean(1)}
