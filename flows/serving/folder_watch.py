"""A folder or bucket watched: what changed there is asked for, once it is whole (docs/triggers.md)."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rarefy.flows.config import Config
from rarefy.flows.engine.reachability import foreign
from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.serving.triggers import Follower
from rarefy.tasks.corpus.read.far import is_url
from rarefy.tasks.refresh.feeds.bucket import Mirrored, look_bucket, mirror
from rarefy.tasks.refresh.feeds.config import FolderConfig
from rarefy.tasks.refresh.feeds.debounce import Moves, Watched, settle
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.feed_memory import recall, remember, short
from rarefy.tasks.refresh.feeds.folder import look as look_into
from rarefy.tasks.refresh.feeds.moment import Moment, now
from rarefy.tasks.refresh.refresh_queue import want
from rarefy.tasks.store.journal import line_of
from rarefy.tasks.store.tables import Store

Say = Callable[[str], None]


@dataclass(frozen=True)
class Polled:
    """What one look at the documents came to."""

    moves: Moves
    waiting: tuple[str, ...]  # files that are still being written, or may be
    told: str
    lost: bool = False  # what is watched could not be looked at


@dataclass(frozen=True)
class Place:
    """What is watched, and where it is built from."""

    corpus: str  # folder, file or fsspec URL
    folder: str = ""  # that mirrors the URL, if the documents are not read from there
    follow_deletions: bool = False

    @property
    def built(self) -> str:
        """What a refresh reads."""
        return self.folder or self.corpus


def look(
    corpus: str,
    out: str,
    store: str,
    config: Config,
    say: Say = lambda line: None,
    then: Callable[[], object] = lambda: None,
    mirror_into: str = "",
    follow_deletions: bool = False,
    sleep: Callable[[float], object] = time.sleep,
) -> str:
    """Look, as a deployment does: what moved, and is asked for, since the last look; "" for nothing.

    Where files have to settle, it looks a second time once they may have, so that nothing waits for the next run.
    `then` is done before what was seen is remembered: what a crash comes between is done once more, and never not.
    """
    place, folder = Place(corpus, mirror_into, follow_deletions), config.feeds.folder
    given = (Store(store), line_of(out), place, folder, say)
    found = poll(*given, then=then)
    if found.waiting and not found.moves:
        say(found.told)
        sleep(folder.settle)
        found = poll(*given, then=then)
    if not found.moves:
        say(found.told)
    return found.told if found.moves else ""


def poll(
    store: Store,
    line: str,
    place: Place,
    config: FolderConfig,
    say: Say,
    moment: Callable[[], Moment] = now,
    then: Callable[[], object] = lambda: None,
) -> Polled:
    """Look once, ask for a refresh where documents changed, do `then`, and remember what was seen.

    Asked for first, remembered last: a crash between the two asks once more, which costs nothing.
    """
    name = f"{line}-{short(place.built)}"
    before, damage = recall(store, name, Watched)
    if damage:
        say(damage)
    if place.folder:
        _mirrored(store, f"{name}-mirror", place, say)
    try:
        listed = (
            look_bucket(place.corpus)
            if is_url(place.built)
            else look_into(Path(place.built).expanduser(), before.taken, before.waiting, config.rehash)
        )
    except FileNotFoundError as error:
        return Polled(Moves(), (), f"{error.filename or place.built} is not there: nothing is taken for deleted", True)
    if before.taken and not listed:
        gone = f"{place.built}: none of {len(before.taken):,} documents is there: nothing is taken for deleted"
        return Polled(
            Moves(), (), f"{gone} (is it mounted? `rarefy refresh` tells what a build would make of it)", True
        )
    found = settle(before, listed, moment(), config.settle, config.hold)
    if found.moves:
        want(store, line, f"{place.corpus}: {found.moves.told()}")
        then()
    if found.after != before:
        remember(store, name, found.after)
    return Polled(found.moves, found.waiting, _told(found.moves, found.waiting, len(listed)))


def follow(
    follower: Follower,
    place: Place,
    config: FolderConfig,
    every: float,
    sleep: Callable[[float], object] = time.sleep,
    once: bool = False,
    moment: Callable[[], Moment] = now,
) -> None:
    """Look, refresh, sleep, for ever, or `once`: until what is there has settled.

    What goes wrong for a while is told, and tried again. `once`: Fault where the last look or refresh failed.
    """
    said = ""
    while True:
        try:
            found = poll(follower.store, follower.line, place, config, follower.say, moment)
        except Exception as error:
            if not isinstance(error, FeedFault | OSError) and not foreign(error):
                raise
            again = "" if once else f"; tried again in {every:,.0f} s"
            found = Polled(Moves(), (), f"cannot look: {error}{again}", True)
        if found.moves:
            follower.failed, follower.again = 0, 0.0
        final = once and not found.waiting
        news = found.told != said and (found.moves or found.waiting or said or "cannot" in found.told)
        if news and not (final and found.lost):  # that is for the fault to tell
            follower.say(found.told)
        said = found.told
        ran = follower.catch_up(every, once)
        if final:
            if failed := [told for told in (found.told if found.lost else "", follower.failure) if told]:
                raise Fault("\n".join(failed))
            return
        if once and follower.failure:
            follower.say(follower.failure)
        if not ran:  # what came while a refresh ran is looked at without delay
            sleep(min(every, max(config.settle, 0.05)) if found.waiting else every)


def check(corpus: str, mirror_into: str, made: Sequence[str]) -> None:
    """UsageFault where this cannot be watched; `made` are the folders that a refresh writes to."""
    if mirror_into and not is_url(corpus):
        raise UsageFault(f"--mirror is for a bucket, and {corpus} is a path; watch it as it is")
    if mirror_into and is_url(mirror_into):
        raise UsageFault(f"--mirror {mirror_into}: a folder is wanted")
    if not is_url(corpus) and not Path(corpus).expanduser().exists():
        raise UsageFault(f"{corpus}: no such file or folder; make it first, even if it is empty")
    place = Path(mirror_into or corpus).expanduser().resolve()
    for folder in made:
        below = Path(folder).expanduser().resolve()
        if is_url(mirror_into or corpus) or is_url(folder) or not below.is_relative_to(place):
            continue
        if not any(part.startswith(".") for part in below.relative_to(place).parts):  # hidden ones are not read
            raise UsageFault(f"{folder} lies in {place}: each refresh would be a change to refresh for; move it")


def _mirrored(store: Store, name: str, place: Place, say: Say) -> None:
    known, damage = recall(store, name, Mirrored)
    if damage:
        say(damage)
    done = mirror(
        place.corpus,
        Path(place.folder).expanduser(),
        known,
        place.follow_deletions,
        lambda: remember(store, name, known),
    )
    for key, why in list(done.skipped.items())[:3]:
        say(f"{place.corpus}: {key!r} is left out: {why}")
    if done.fetched or done.removed:
        say(f"{place.corpus}: {len(done.fetched):,} fetched, {len(done.removed):,} removed")


def _told(moves: Moves, waiting: tuple[str, ...], count: int) -> str:
    still = f"waiting for {len(waiting):,} to settle ({', '.join(waiting[:2])})" if waiting else ""
    parts: Mapping[str, bool] = {moves.told(): bool(moves), still: bool(waiting)}
    return "; ".join(part for part, there in parts.items() if there) or f"{count:,} documents, nothing new"
