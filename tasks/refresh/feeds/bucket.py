"""What a bucket holds (any fsspec URL), and a folder that mirrors it; times are compared to themselves alone."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from rarefy.tasks.corpus.read.far import opened
from rarefy.tasks.refresh.feeds.atomic_file import landing
from rarefy.tasks.refresh.feeds.debounce import Mark
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.folder import partial

# what a file system calls the content, or the writing, of an object; the first that is there counts
CONTENT = ("ETag", "etag", "md5Hash", "content_md5", "md5")
WRITTEN = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")
PIECE = 1 << 20


class Mirrored(BaseModel):
    """What of a bucket lies in its mirror, by key."""

    format: int = 1
    objects: dict[str, Mark] = {}


@dataclass(frozen=True)
class Mirror:
    """What one mirroring did, by key; `skipped` says why."""

    fetched: tuple[str, ...]
    removed: tuple[str, ...]
    skipped: dict[str, str]


def look_bucket(url: str) -> dict[str, Mark]:
    """The objects under a URL by key, each with an opaque stamp and what stands for its content; FeedFault."""
    fs, root = opened(url)
    return {key: mark for key, (_, mark, _) in _objects(fs, root, url).items()}


def mirror(
    url: str, folder: Path, known: Mirrored, follow_deletions: bool = False, keep: Callable[[], None] = lambda: None
) -> Mirror:
    """Bring the folder up to the bucket: what changed is fetched whole and put in place at once.

    `known` is brought up to date, and `keep` called after every object, so that a crash costs one object. An object
    that changed while it was fetched waits for the next look. What was never in the bucket is left alone.
    """
    fs, root = opened(url)
    objects = _objects(fs, root, url)
    fetched, removed, skipped = [], [], {}
    for key, (path, mark, size) in sorted(objects.items()):
        place = folder / key
        if known.objects.get(key) == mark and place.is_file():
            continue
        if why := _unsafe(key, folder):
            skipped[key] = why
            continue
        with landing(place) as file:
            count = 0
            with fs.open(path, "rb", block_size=PIECE) as stream:
                while piece := stream.read(PIECE):
                    count += file.write(piece)
            fs.invalidate_cache()
            after = _mark(fs.info(path))
            if count != size or after != mark:
                skipped[key] = "it was written to while it was read; the next look takes it"
                file.drop()
                continue
        known.objects[key] = mark
        fetched.append(key)
        keep()
    for key in sorted(set(known.objects) - set(objects)):
        if follow_deletions:
            (folder / key).unlink(missing_ok=True)
            removed.append(key)
            del known.objects[key]
            keep()
    return Mirror(tuple(fetched), tuple(removed), skipped)


def _objects(fs: Any, root: str, url: str) -> dict[str, tuple[str, Mark, int]]:
    """Key → (path, mark, size) of every object that is no litter."""
    fs.invalidate_cache()  # another machine writes there
    try:
        found: Mapping[str, Any] = fs.find(root, detail=True)
        if not found and not fs.exists(root) and not fs.exists(root.partition("/")[0]):
            raise FileNotFoundError(root)
    except FileNotFoundError as error:
        raise FeedFault(f"{url}: no such bucket or folder; check the address and the credentials") from error
    except PermissionError as error:
        raise FeedFault(f"{url}: may not be listed ({error}); grant ListBucket and GetObject") from error
    objects = {}
    for path, info in found.items():
        key = path[len(root) :].lstrip("/") if path != root else path.rpartition("/")[2]
        if info.get("type") == "file" and key and not any(map(partial, key.split("/"))) and not key.endswith("/"):
            objects[key] = (path, _mark(info), int(info.get("size") or 0))
    return objects


def _mark(info: Mapping[str, Any]) -> Mark:
    content = next((str(info[name]) for name in CONTENT if info.get(name)), "")
    written = next((_time(info[name]) for name in WRITTEN if info.get(name)), "")
    stamp = f"{info.get('size')} {content} {written}"
    return stamp, f"{info.get('size')} {content}" if content else stamp


def _time(told: Any) -> str:
    """A time as a file system tells it; some tell one in two forms, in a listing and of one object."""
    if isinstance(told, int | float):
        told = datetime.fromtimestamp(told, UTC)
    return str(told.astimezone(UTC).isoformat() if isinstance(told, datetime) else told)


def _unsafe(key: str, folder: Path) -> str:
    """Why an object of this key cannot be a file of the folder."""
    parts = key.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        return "its key is no path inside a folder; rename it"
    if any(len(os.fsencode(part)) > 200 for part in parts):
        return "a part of its key is longer than a file's name may be; rename it"
    above = [folder.joinpath(*parts[:depth]) for depth in range(1, len(parts))]
    if any(place.is_file() for place in above) or folder.joinpath(*parts).is_dir():
        return "its key is a folder of other objects; rename one of them"
    return ""
