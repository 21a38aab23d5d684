"""A benchmark as files.

Tables come in; Parquet, JSON lines, BEIR, a Hugging Face dataset with its card and a manifest that names the version go
out. The statistics are those of RARE's Appendix E, the keep rates those of SURE's Table 1.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rarefy.tasks.export.files import (
    Content,
    StagedFiles,
    put_missing,
    remove_leftovers,
    sha256,
    to_json_lines,
    to_records,
)
from rarefy.tasks.export.formats import CardConfig, beir_files, hugging_face_files, render_card, split_tables
from rarefy.tasks.export.manifest import manifest
from rarefy.tasks.export.split import SplitConfig, split
from rarefy.tasks.export.statistics import count_statistics
from rarefy.tasks.export.tables import BESIDE, CHANGES, NAMES, Tables, complete_tables, sort_tables
from rarefy.tasks.store.lease import no_fence

__all__ = ["BESIDE", "NAMES", "VERSION", "CardConfig", "SplitConfig", "Tables", "export", "split"]

VERSION = 6  # answers in words with currency and what is counted
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
    fence: Callable[[], None] = no_fence,
) -> dict[str, Any]:
    """Write the benchmark into a folder and return its manifest; nothing is written where it already stands.

    `config` is the whole configuration as JSON would hold it, `digests` has one for each table by name, `census` the
    eligible sets by domain and pattern, `as_of` the day of a benchmark that was made as of one. Every file is first
    written beside its place, so that a full disk leaves what stood there as it was (OSError). Then `fence` may still
    forbid it, by raising; then all change places at once: where there is a manifest, every file that it lists is whole.
    It lists nothing of the tables beside a benchmark, which may differ from machine to machine.
    """
    tables = complete_tables(tables)
    description = {"format": VERSION, **manifest(tables, digests, config, census), "card": card_config.model_dump()}
    description |= {"as_of": as_of} if as_of else {}  # the last key, only where there is one
    description = _read(json.dumps({**description, "files": {}}))  # as it will be read
    remove_leftovers(out)
    for _ in range(TRIES):
        if standing := _read_standing(out, description):
            put_missing(out, _companion_files(sort_tables(tables)), fence)
            return standing
        ordered = sort_tables(tables)
        beside = _companion_files(ordered)
        files = _benchmark_files(ordered, description["version"], census, card_config) | beside
        with StagedFiles(out, _MANIFEST) as new:
            new.write(files)
            description["files"] = {name: digest for name, digest in new.digests.items() if name not in beside}
            if new.swap(files, json.dumps(description, indent=2, ensure_ascii=False).encode() + b"\n", fence):
                return description
    raise OSError(f"{out}: other runs write there again and again; give each of them a folder of its own")


def _benchmark_files(
    tables: Tables, version: str, census: Mapping[str, Mapping[str, int]], card_config: CardConfig
) -> dict[str, Content]:
    """Every file of the benchmark but the manifest, by its path in the folder."""
    files: dict[str, Content] = {}
    for row_type, name in NAMES.items():
        files[f"{name}.parquet"] = tables[row_type]
        files[f"{name}.jsonl"] = to_json_lines(to_records(tables[row_type], row_type))
    files |= dict.fromkeys(CHANGES)  # what is description of an older version beside this one would mislead
    files |= {f"beir/{name}": content for name, content in beir_files(tables).items()}
    loaded = split_tables(tables)
    readme = render_card(tables, loaded, count_statistics(tables, census), version, card_config)
    return files | {f"hf/{name}": content for name, content in hugging_face_files(loaded, readme).items()}


def _companion_files(tables: Tables) -> dict[str, Content]:
    """The files that lie with a benchmark and are no part of it, by name."""
    files: dict[str, Content] = {}
    for row_type, name in BESIDE.items():
        files |= {
            f"{name}.parquet": tables[row_type],
            f"{name}.jsonl": to_json_lines(to_records(tables[row_type], row_type)),
        }
    return files


def _read(content: str | bytes) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(content)
    return manifest


def _read_standing(out: Path, description: dict[str, Any]) -> dict[str, Any] | None:
    """The manifest of a folder that holds just this benchmark, every file as it was written; None where it does not."""
    try:
        found = _read((out / _MANIFEST).read_bytes())
        whole = found["files"] and all(sha256(out / name) == digest for name, digest in found["files"].items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # none, or not one of ours
        return None
    return found if whole and {**description, "files": found["files"]} == found else None
