"""What changed, as files beside a benchmark."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rarefy.tasks.export.files import lines, put
from rarefy.tasks.refresh.versions.as_markdown import as_markdown
from rarefy.tasks.refresh.versions.compare import Changes
from rarefy.tasks.refresh.versions.page import page


def write(place: Path, changes: Changes, old: str, new: str, settings: Sequence[str] = ()) -> None:
    """Put changes.jsonl (every row), .md, .html and .json (the counts, last of all) beside a benchmark.

    `settings` are the options that the two were not made by alike.
    """
    put(place / "changes.jsonl", lines(dataclasses.asdict(row) for row in changes.rows))
    put(place / "changes.md", [as_markdown(changes, old, new, settings).encode()])
    put(place / "changes.html", [page(changes, old, new, settings).encode()])
    told = json.dumps({**plain(changes, old, new), "settings": list(settings)}, indent=1, ensure_ascii=False)
    put(place / "changes.json", [f"{told}\n".encode()])


def plain(changes: Changes, old: str, new: str) -> dict[str, Any]:
    """The counts as JSON holds them."""
    return {"old": old, "new": new, "counts": changes.by_kind}
