"""A safe name for a document that came from elsewhere, and its place in the corpus."""

import hashlib
import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from rarefy.tasks.corpus.read.sources import ABOUT, LITTER
from rarefy.tasks.refresh.feeds.atomic_file import landing
from rarefy.tasks.refresh.feeds.folder import partial
from rarefy.tasks.refresh.feeds.kinds import SAID

KEPT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)  # names that are no files under Windows


def stem(id_: str, address: str) -> str:
    """The name of a document without its ending: its id where that is a plain name, else told apart by a digest.

    Equal ids, or equal addresses where there is no id, have equal names, and others never; no name leads anywhere.
    """
    if id_ and KEPT.fullmatch(id_) and not _odd(id_):
        return id_
    given = id_ or PurePosixPath(unquote(urlsplit(address).path)).stem
    plain = re.sub(r"[^A-Za-z0-9]+", "-", given).strip("-")[:60]
    digest = hashlib.blake2b((f"id {id_}" if id_ else f"at {address}").encode(), digest_size=8).hexdigest()
    return f"{plain or 'document'}.{digest}"


def _odd(name: str) -> bool:
    # one that ends in a digest could be that of another id; upper and lower case are one on some disks
    return bool(
        re.search(r"\.[0-9a-f]{16}$", name)
        or name != name.lower()
        or ".." in name
        or name.endswith(".")
        or DEVICE.fullmatch(name)
        or PurePosixPath(name).stem.lower() in ABOUT
        or name.lower() in ABOUT
        or name.lower() in LITTER
        or partial(name)
    )


def put(content: bytes, folder: Path, name: str, ending: str) -> str:
    """Put a document in place, whole; what came of it: added, edited or unchanged.

    One of the same name and another ending is the same document before it changed its kind: it goes.
    """
    place = folder / f"{name}{ending}"
    others = [folder / f"{name}{other}" for other in sorted(set(SAID.values()) - {ending})]
    before = place.is_file()
    if before and place.read_bytes() == content:
        return "unchanged"
    with landing(place) as file:
        file.write(content)
    for other in others:
        if other.is_file():
            other.unlink()
            before = True
    return "edited" if before else "added"
