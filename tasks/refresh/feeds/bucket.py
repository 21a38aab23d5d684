"""The objects of a bucket (any fsspec URL), and a local folder that mirrors it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from rarefy.tasks.atomic_write import open_atomic
from rarefy.tasks.corpus.read.sources import open_url
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.folder import FileMark, is_partial

# names that file systems have for the digest, and the time of writing, of an object; the first that is there counts
CONTENT = ("ETag", "etag", "md5Hash", "content_md5", "md5")
WRITTEN = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")
PIECE = 1 << 20


class MirrorState(BaseModel):
    """The objects that lie in the mirror, by key."""

    format: int = 1
    objects: dict[str, FileMark] = {}


@dataclass(frozen=True)
class MirrorResult:
    """What one mirroring did, by key; `skipped` gives the reasons."""

    fetched: tuple[str, ...]
    removed: tuple[str, ...]
    skipped: dict[str, str]


def scan_bucket(url: str) -> dict[str, FileMark]:
    """The mark of each object under a URL, by key; FeedFault where it cannot be listed."""
    fs, root = open_url(url)
    return {key: mark for key, (_, mark, _) in _objects(fs, root, url).items()}


def mirror_bucket(
    url: str, folder: Path, known: MirrorState, follow_deletions: bool = False, keep: Callable[[], None] = lambda: None
) -> MirrorResult:
    """Bring the folder up to date with the bucket: what changed is fetched whole and put in place.

    `known` is brought up to date, and `keep` called after every object, so that a crash costs one object. An object
    that changed while it was fetched waits for the next look. What was never in the bucket is left alone.
    """
    fs, root = open_url(url)
    objects = _objects(fs, root, url)
    fetched, removed, skipped = [], [], {}
    for key, (path, mark, size) in sorted(objects.items()):
        place = folder / key
        if known.objects.get(key) == mark and place.is_file():
            continue
        if why := _unsafe(key, folder):
            skipped[key] = why
            continue
        with open_atomic(place) as file:
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
    return MirrorResult(tuple(fetched), tuple(removed), skipped)


def _objects(fs: Any, root: str, url: str) -> dict[str, tuple[str, FileMark, int]]:
    """Path, mark and size of every object but temporary files, by key."""
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
        if info.get("type") == "file" and key and not any(map(is_partial, key.split("/"))) and not key.endswith("/"):
            objects[key] = (path, _mark(info), int(info.get("size") or 0))
    return objects


def _mark(info: Mapping[str, Any]) -> FileMark:
    content = next((str(info[name]) for name in CONTENT if info.get(name)), "")
    written = next((_time(info[name]) for name in WRITTEN if info.get(name)), "")
    stamp = f"{info.get('size')} {content} {written}"
    return stamp, f"{info.get('size')} {content}" if content else stamp


def _time(value: Any) -> str:
    """A time as text, the same whether the file system gives it as a number or as a date."""
    if isinstance(value, int | float):
        value = datetime.fromtimestamp(value, UTC)
    return str(value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value)


def _unsafe(key: str, folder: Path) -> str:
    """Why an object of this key cannot be a file of the folder; "" where it can."""
    parts = key.split("/")
    if any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        return "its key is no path inside a folder; rename it"
    if any(len(os.fsencode(part)) > 200 for part in parts):
        return "a part of its key is longer than a file's name may be; rename it"
    above = [folder.joinpath(*parts[:depth]) for depth in range(1, len(parts))]
    if any(place.is_file() for place in above) or folder.joinpath(*parts).is_dir():
        return "its key is a folder of other objects; rename one of them"
    return ""
