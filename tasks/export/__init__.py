"""A benchmark as files: Parquet, JSON lines, BEIR, a Hugging Face dataset, and the manifest that names its version."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rarefy.tasks.export.beir import beir
from rarefy.tasks.export.card import CardConfig, card
from rarefy.tasks.export.files import Content, lines, records, sha256
from rarefy.tasks.export.hugging_face import hugging_face, parts
from rarefy.tasks.export.manifest import manifest
from rarefy.tasks.export.split import SplitConfig, split
from rarefy.tasks.export.statistics import count
from rarefy.tasks.export.swap import Written, tidied
from rarefy.tasks.export.tables import CHANGES, NAMES, Tables, complete, in_order
from rarefy.tasks.lease import unfenced

__all__ = ["NAMES", "VERSION", "CardConfig", "SplitConfig", "Tables", "export", "split"]

VERSION = 3
TRIES = 3  # where another run writes into the same folder
_MANIFEST = "manifest.json"


def export(
    tables: Tables,
    out: Path,
    *,
    config: Mapping[str, Any],
    digests: Mapping[str, str],
    census: Mapping[str, Mapping[str, int]],
    card_config: CardConfig = CardConfig(),  # noqa: B008  (frozen)
    as_of: str = "",
    fence: Callable[[], None] = unfenced,
) -> dict[str, Any]:
    """Write the benchmark into a folder and give back its manifest; nothing is written where it already stands.

    `config` is the whole configuration as JSON would hold it, `digests` has one for each table by name, `census` the
    eligible sets by domain and pattern, `as_of` the day of a benchmark that was made as of one. Every file is first
    written beside its place, so that a full disk leaves what stood there as it was (OSError). Then `fence` may still
    forbid it, by raising; then all change places at once: where there is a manifest, every file that it lists is whole.
    """
    tables = complete(tables)
    told = {"format": VERSION, **manifest(tables, digests, config, census), "card": card_config.model_dump()}
    told |= {"as_of": as_of} if as_of else {}  # the last key: without it nothing is said of time
    told = _read(json.dumps({**told, "files": {}}))  # as it will be read
    tidied(out)
    for _ in range(TRIES):
        if standing := _standing(out, told):
            return standing
        files = _files(in_order(tables), told["version"], census, card_config)
        with Written(out, _MANIFEST) as new:
            new.write(files)
            told["files"] = new.digests
            if new.swap(files, json.dumps(told, indent=2, ensure_ascii=False).encode() + b"\n", fence):
                return told
    raise OSError(f"{out}: other runs write there again and again; give each of them a folder of its own")


def _files(
    tables: Tables, version: str, census: Mapping[str, Mapping[str, int]], card_config: CardConfig
) -> dict[str, Content]:
    """Every file of the benchmark but the manifest, by its path in the folder."""
    files: dict[str, Content] = {}
    for row_type, name in NAMES.items():
        files[f"{name}.parquet"] = tables[row_type]
        files[f"{name}.jsonl"] = lines(records(tables[row_type], row_type))
    files |= dict.fromkeys(CHANGES)  # what is told of an older version beside this one would mislead
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
