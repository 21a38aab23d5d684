"""Modules that were renamed or merged: importing an old name fails with the new one."""

import sys
from collections.abc import Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

PACKAGE = "rarefy."


@cache
def read_moved() -> dict[str, str]:
    """The module that holds today what each former module or folder held, both by their full names."""
    lines = Path(__file__).with_name("moved.tsv").read_text(encoding="utf-8").splitlines()
    return {PACKAGE + old: PACKAGE + new for old, _, new in (line.partition("\t") for line in lines)}


class MovedFinder(MetaPathFinder):
    """The last finder of `sys.meta_path`, asked for what no other finder knows."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """None for a name that was never ours; ModuleNotFoundError that names the successor of one that was."""
        if name.startswith(PACKAGE) and (successor := read_moved().get(name)):
            raise ModuleNotFoundError(f"{name} is {successor} now (CHANGELOG.md)", name=name)
        return None


def watch() -> None:
    """Add the finder to this process, unless it is there already."""
    if not any(isinstance(finder, MovedFinder) for finder in sys.meta_path):
        sys.meta_path.append(MovedFinder())
