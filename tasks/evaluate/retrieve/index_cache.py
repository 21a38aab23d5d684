"""Indexes on disk: named after what they are of, held against it before they are used, made again where they fail."""

import json
import logging
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

import xxhash

from rarefy.tasks.private import close_folder, make_folder

LOG = logging.getLogger("rarefy.retrieve")
MANIFEST = "manifest.json"
ABANDONED = 86_400  # seconds after which nobody works on an unfinished index any more
Made = TypeVar("Made")


def kept(place: Path, told: dict[str, Any], make: Callable[[Path], None], load: Callable[[Path], Made]) -> Made:
    """What `load` finds in the folder `place`, which `make` fills unless it holds an index of just this.

    `told`: what the index is of (digest of the passages, settings, versions), kept beside it with a checksum of every
    file. A folder that says otherwise, or whose files are not as they were written, is made again, and that is logged.
    """
    fault = _fault(place, told)
    if fault:
        if place.exists():
            LOG.warning("%s: %s; it is made again", place, fault)
            shutil.rmtree(place)
        make_folder(place.parent)
        for left in place.parent.glob(f".{place.name}-*"):  # of a run that was killed
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)
        fresh = Path(mkdtemp(prefix=f".{place.name}-", dir=place.parent))
        try:
            make(fresh)
            files = {path.name: _sum(path) for path in sorted(fresh.iterdir())}
            (fresh / MANIFEST).write_text(json.dumps({**told, "files": files}, indent=1), encoding="utf-8")
            close_folder(fresh)
            _moved(fresh, place)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return load(place)


def _moved(fresh: Path, place: Path) -> None:
    """Put the folder where it belongs; another process may have been faster with the same."""
    try:
        fresh.rename(place)
    except OSError:
        if not (place / MANIFEST).exists():
            raise


def _fault(place: Path, told: dict[str, Any]) -> str:
    """What is wrong with an index; "" for nothing."""
    try:
        said = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
        files = said.pop("files")
        if said != json.loads(json.dumps(told)):
            return "it is of other passages or settings"
        changed = [name for name, digest in files.items() if _sum(place / name) != digest]
    except (OSError, ValueError, LookupError, AttributeError) as error:
        return f"no whole index ({error})"
    return f"{', '.join(changed)} changed since it was written" if changed else ""


def _sum(path: Path) -> str:
    """A checksum of a file."""
    summed = xxhash.xxh3_128()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            summed.update(block)
    return summed.hexdigest()
