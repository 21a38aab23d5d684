"""A benchmark as files: Parquet, JSON lines, BEIR, a Hugging Face dataset, and the manifest that names its version."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rarefy.tasks.export.beir import beir
from rarefy.tasks.export.card import CardConfig, card
from rarefy.tasks.export.files import Content, lines, put, records, sha256
from rarefy.tasks.export.hugging_face import hugging_face, parts
from rarefy.tasks.export.manifest import manifest
from rarefy.tasks.export.split import SplitConfig, split
from rarefy.tasks.export.statistics import count
from rarefy.tasks.export.tables import NAMES, Tables, complete, in_order

__all__ = ["NAMES", "VERSION", "CardConfig", "SplitConfig", "Tables", "export", "split"]

VERSION = 3
_MANIFEST = "manifest.json"


def export(
    tables: Tables,
    out: Path,
    *,
    config: Mapping[str, Any],
    digests: Mapping[str, str],
    census: Mapping[str, Mapping[str, int]],
    card_config: CardConfig = CardConfig(),  # noqa: B008  (frozen)
) -> dict[str, Any]:
    """Write the benchmark into a folder and give back its manifest; nothing is written where it already stands.

    `config` is the whole configuration as JSON would hold it, `digests` has one for each table by name, `census` the
    eligible sets by domain and pattern. The manifest goes first when a folder is rewritten and comes last: where it
    is, every file that it lists is whole. OSError (a full disk, no permission) leaves no manifest.
    """
    tables = complete(tables)
    told = {"format": VERSION, **manifest(tables, digests, config, census), "card": card_config.model_dump()}
    told = _read(json.dumps({**told, "files": {}}))  # as it will be read
    if standing := _standing(out, told):
        return standing
    (out / _MANIFEST).unlink(missing_ok=True)
    for name, content in _files(in_order(tables), told["version"], census, card_config).items():
        put(out / name, content)
        if content is not None:
            told["files"][name] = sha256(out / name)
    put(out / _MANIFEST, [json.dumps(told, indent=2, ensure_ascii=False).encode() + b"\n"])
    return told


def _files(
    tables: Tables, version: str, census: Mapping[str, Mapping[str, int]], card_config: CardConfig
) -> dict[str, Content]:
    """Every file of the benchmark but the manifest, by its path in the folder."""
    files: dict[str, Content] = {}
    for row_type, name in NAMES.items():
        files[f"{name}.parquet"] = tables[row_type]
        files[f"{name}.jsonl"] = lines(records(tables[row_type], row_type))
    files |= {f"beir/{name}": content for name, content in beir(tables).items()}
    loaded = parts(tables)
    readme = card(tables, loaded, count(tables, census), version, card_config)
    return files | {f"hf/{name}": content for name, content in hugging_face(loaded, readme).items()}


def _read(content: str | bytes) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(content)
    return manifest


def _standing(out: Path, told: dict[str, Any]) -> dict[str, Any] | None:
    """The manifest of a folder that holds just this benchmark, every file as it was written; None where it does not."""
    try:
        found = _read((out / _MANIFEST).read_bytes())
        whole = found["files"] and all(sha256(out / name) == digest for name, digest in found["files"].items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # none, or not one of ours
        return None
    return found if whole and {**told, "files": found["files"]} == found else None
