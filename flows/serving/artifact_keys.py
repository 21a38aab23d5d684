"""What Prefect calls the artifacts of a benchmark."""

import re
from pathlib import Path


def key(place: str, name: str) -> str:
    """The key of an artifact of the benchmark, or the results, in this folder: each has a history of its own."""
    return re.sub(r"[^a-z0-9]+", "-", f"{Path(place).name} {name}".lower()).strip("-")
