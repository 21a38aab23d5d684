"""The objects of a bucket (any fsspec URL)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rarefy.tasks.corpus.read.sources import open_url
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.folder import FileMark, is_partial

# names that file systems have for the digest, and the time of writing, of an object; the first that is there counts
CONTENT = ("ETag", "etag", "md5Hash", "content_md5", "md5")
WRITTEN = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")


def scan_bucket(url: str) -> dict[str, FileMark]:
    """The mark of each object under a URL but temporary files, by key; FeedFault where it cannot be listed."""
    fs, root = open_url(url)
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
            objects[key] = _mark(info)
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
