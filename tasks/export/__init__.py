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
from rarefy.tasks.export.swap import Written, fill, tidied
from rarefy.tasks.export.tables import BESIDE, CHANGES, NAMES, Tables, complete, in_order
from rarefy.tasks.store.lease import unfenced

__all__ = ["BESIDE", "NAMES", "VERSION", "CardConfig", "SplitConfig", "Tables", "export", "split"]

VERSION = 4
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
    It lists nothing of the tables beside a benchmark, which may differ from machine to machine.
    """
    tables = complete(tables)
    told = {"format": VERSION, **manifest(tables, digests, config, census), "card": card_config.model_dump()}
    told |= {"as_of": as_of} if as_of else {}  # the last key: without it nothing is said of time
    told = _read(json.dumps({**told, "files": {}}))  # as it will be read
    tidied(out)
    for _ in range(TRIES):
        if standing := _standing(out, told):
            fill(out, _beside(in_order(tables)), fence)
            return standing
        ordered = in_order(tables)
        beside = _beside(ordered)
        files = _files(ordered, told["version"], census, card_config) | beside
        with Written(out, _MANIFEST) as new:
            new.write(files)
            told["files"] = {name: digest for name, digest in new.digests.items() if name not in beside}
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


def _beside(tables: Tables) -> dict[str, Content]:
    """The files that lie with a benchmark and are no part of it, by name."""
    files: dict[str, Content] = {}
    for row_type, name in BESIDE.items():
        files |= {f"{name}.parquet": tables[row_type], f"{name}.jsonl": lines(records(tables[row_type], row_type))}
    return files


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
