"""Where what lies in a folder can be looked at: `rarefy serve` shows the folders of its benchmarks."""

import json
import os
from pathlib import Path

SHOWN = "RAREFY_SHOWN"  # JSON: address by folder


def link(path: str | Path) -> str:
    """The address of a file that a server shows, its path where none does."""
    there = Path(path).expanduser().resolve()
    for folder, address in json.loads(os.environ.get(SHOWN, "{}")).items():
        if there.is_relative_to(folder):
            return "/".join([address, *there.relative_to(folder).parts])
    return str(path)


def linked(name: str, path: str | Path) -> str:
    """Markdown of a link to a file, of its path where no server shows it."""
    address = link(path)
    return f"[{name}]({address})" if "://" in address else f"{name}: `{address}`"
