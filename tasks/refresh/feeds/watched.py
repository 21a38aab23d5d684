"""The documents of a watched corpus: which are there, and which a look or a build has seen."""

from collections.abc import Mapping
from pathlib import Path

from rarefy.tasks.corpus.read.sources import is_url
from rarefy.tasks.refresh.feeds.bucket import scan_bucket
from rarefy.tasks.refresh.feeds.feed_memory import load_memory, save_memory, short_hash
from rarefy.tasks.refresh.feeds.folder import NO_FILE, FileMark, WatchState, scan_folder
from rarefy.tasks.store.journal import resolve_place
from rarefy.tasks.store.tables import Store


def memory_name(line: str, corpus: str) -> str:
    """The name under which the store remembers what was seen of a corpus for a benchmark's line."""
    return f"{line}-{short_hash(resolve_place(corpus))}"


def scan_documents(corpus: str, known: WatchState, rehash: bool = False) -> dict[str, FileMark]:
    """The mark of each document of a folder, file or URL, by path; read are those whose stamp is not the known one."""
    if is_url(corpus):
        return scan_bucket(corpus)
    return scan_folder(Path(corpus).expanduser(), known.taken, known.waiting, rehash)


def load_seen(store: Store, line: str, corpus: str) -> tuple[WatchState, str]:
    """What was seen of a corpus, and a warning where that was damaged."""
    return load_memory(store, memory_name(line, corpus), WatchState)


def remember_read(store: Store, line: str, corpus: str, listed: Mapping[str, FileMark]) -> None:
    """Remember that a build has read these documents: the next look asks for none of them.

    They are to be listed before the build lists them: what changes in between is then a change to the next look.
    """
    before, _ = load_seen(store, line, corpus)
    waiting = {path: file for path, file in before.waiting.items() if listed.get(path, NO_FILE) != file.mark}
    after = WatchState(taken=dict(listed), waiting=waiting)
    if after != before:
        save_memory(store, memory_name(line, corpus), after)
