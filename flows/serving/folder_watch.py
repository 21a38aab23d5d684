"""A folder or bucket watched: what changed there is asked for, once it is whole (docs/triggers.md)."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rarefy.flows.config import Config
from rarefy.flows.engine import reachability
from rarefy.flows.engine.output_folders import check_outside_corpus
from rarefy.flows.engine.reachability import is_storage_error
from rarefy.flows.faults import Fault, SpentFault, UsageFault
from rarefy.tasks.corpus.read.sources import is_url
from rarefy.tasks.refresh.feeds.config import FolderConfig
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.feed_memory import save_memory
from rarefy.tasks.refresh.feeds.folder import FileChanges, Moment, current_moment, settle_files
from rarefy.tasks.refresh.feeds.watched import load_seen, memory_name, scan_documents
from rarefy.tasks.refresh.refresh_queue import pending_requests, request_refresh
from rarefy.tasks.store.journal import line_of
from rarefy.tasks.store.tables import Store

LONGEST = 3600.0  # seconds between two tries of a refresh that fails
Say = Callable[[str], None]


@dataclass
class Follower:
    """Runs the refreshes that are asked for, one after the other; what fails is retried, at growing intervals."""

    store: Store
    line: str
    refresh: Callable[[], object]  # once, if wanted
    say: Say
    clock: Callable[[], float] = time.monotonic
    failure: str = field(default="", init=False)  # of the last refresh
    failed: int = field(default=0, init=False)
    again: float = field(default=0.0, init=False)

    def moved(self, why: str) -> None:
        """Ask for a refresh, at once: one that failed before may go well now."""
        request_refresh(self.store, self.line, why)
        self.failed, self.again = 0, 0.0

    def catch_up(self, pause: float, once: bool = False) -> bool:
        """Refresh if somebody asked for it; returns whether it did. A fault is printed, and the request stays.

        `once`: nobody will try again, so nothing is promised; `failure` is for the caller to tell.
        SpentFault is raised: whether to spend more is not for a loop to say.
        """
        if not pending_requests(self.store, self.line):
            self.failure = ""  # somebody else did it
            return False
        if self.clock() < self.again:
            return False
        try:
            self.refresh()
        except SpentFault:
            raise
        except Exception as error:
            if not is_expected(error):
                raise
            self.failed += 1
            wait = min(max(pause, 1.0) * 2**self.failed, LONGEST)
            self.again = self.clock() + wait
            self.failure = f"the refresh failed: {error}"
            if not once:
                self.say(f"{self.failure}; tried again in {wait:,.0f} s, or when something changes")
            return False
        self.failure, self.failed, self.again = "", 0, 0.0
        return True


def make_deployment_starter(
    deployment: str, store: Store, line: str, say: Say, clock: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """A function that starts the deployment for new requests, and again for those that are an hour old."""
    from rarefy.flows.serving.flow_runs import start_deployment

    known: set[str] = set()
    started = clock()

    def work() -> None:
        nonlocal started
        names = {one.name for one in pending_requests(store, line)}
        if not names <= known or (names and clock() - started > LONGEST):
            started = clock()
            say(start_deployment(deployment, only_if_wanted=True))
        known.clear()
        known.update(names)

    return work


def is_expected(error: Exception) -> bool:
    """Whether an error is a fault that its message explains, and no bug."""
    return (
        isinstance(error, Fault | OSError)
        or reachability.is_storage_error(error)
        or type(error).__name__ in {"ContractBroken", "TableDamaged", "LeaseLost"}
    )


def has_prefect_api() -> bool:
    """Whether PREFECT_API_URL names a Prefect server."""
    return bool(os.environ.get("PREFECT_API_URL"))


@dataclass(frozen=True)
class PollResult:
    """What one look at the documents found."""

    moves: FileChanges
    waiting: tuple[str, ...]  # files that are still being written, or may be
    message: str
    lost: bool = False  # what is watched could not be looked at


def look(
    corpus: str,
    out: str,
    store: str,
    config: Config,
    say: Say = lambda line: None,
    then: Callable[[], object] = lambda: None,
    sleep: Callable[[float], object] = time.sleep,
) -> str:
    """Look once, as a deployment does; says what changed and is asked for since the last look, "" for nothing.

    Where files have to settle, it looks a second time once they may have, so that nothing waits for the next run.
    `then` is done before what was seen is remembered: what a crash comes between is done once more, and never not.
    """
    folder = config.feeds.folder
    given = (Store(store), line_of(out), corpus, folder, say)
    found = poll(*given, then=then)
    if found.waiting and not found.moves:
        say(found.message)
        sleep(folder.settle)
        found = poll(*given, then=then)
    if not found.moves:
        say(found.message)
    return found.message if found.moves else ""


def poll(
    store: Store,
    line: str,
    corpus: str,
    config: FolderConfig,
    say: Say,
    moment: Callable[[], Moment] = current_moment,
    then: Callable[[], object] = lambda: None,
) -> PollResult:
    """Look once, ask for a refresh where documents changed, do `then`, and remember what was seen.

    Asked for first, remembered last: a crash between the two asks once more, which costs nothing.
    """
    before, damage = load_seen(store, line, corpus)
    if damage:
        say(damage)
    try:
        listed = scan_documents(corpus, before, config.rehash)
    except FileNotFoundError as error:
        return PollResult(
            FileChanges(), (), f"{error.filename or corpus} is not there: nothing is taken for deleted", True
        )
    if before.taken and not listed:
        gone = f"{corpus}: none of {len(before.taken):,} documents is there: nothing is taken for deleted"
        return PollResult(
            FileChanges(), (), f"{gone} (is it mounted? `rarefy refresh` tells what a build would make of it)", True
        )
    found = settle_files(before, listed, moment(), config.settle, config.hold)
    if found.moves:
        request_refresh(store, line, f"{corpus}: {found.moves.told()}")
        then()
    if found.after != before:
        save_memory(store, memory_name(line, corpus), found.after)
    return PollResult(found.moves, found.waiting, describe_poll(found.moves, found.waiting, len(listed)))


def follow(
    follower: Follower,
    corpus: str,
    config: FolderConfig,
    every: float,
    sleep: Callable[[float], object] = time.sleep,
    once: bool = False,
    moment: Callable[[], Moment] = current_moment,
) -> None:
    """Look, refresh, sleep, for ever, or `once`: until what is there has settled.

    What goes wrong for a while is told, and tried again. `once`: Fault where the last look or refresh failed.
    """
    last_message = ""
    while True:
        try:
            found = poll(follower.store, follower.line, corpus, config, follower.say, moment)
        except Exception as error:
            if not isinstance(error, FeedFault | OSError) and not is_storage_error(error):
                raise
            again = "" if once else f"; tried again in {every:,.0f} s"
            found = PollResult(FileChanges(), (), f"cannot look: {error}{again}", True)
        if found.moves:
            follower.failed, follower.again = 0, 0.0
        final = once and not found.waiting
        news = found.message != last_message and (
            found.moves or found.waiting or last_message or "cannot" in found.message
        )
        if news and not (final and found.lost):  # that is for the fault to tell
            follower.say(found.message)
        last_message = found.message
        ran = follower.catch_up(every, once)
        if final:
            if failed := [told for told in (found.message if found.lost else "", follower.failure) if told]:
                raise Fault("\n".join(failed))
            return
        if once and follower.failure:
            follower.say(follower.failure)
        if not ran:  # what came while a refresh ran is looked at without delay
            sleep(min(every, max(config.settle, 0.05)) if found.waiting else every)


def check(corpus: str, made: Mapping[str, str]) -> None:
    """UsageFault where a corpus cannot be watched; `made` are the folders that a refresh writes to, by option."""
    if not is_url(corpus) and not Path(corpus).expanduser().exists():
        raise UsageFault(f"{corpus}: no such file or folder; make it first, even if it is empty")
    check_outside_corpus(corpus, made)


def describe_poll(moves: FileChanges, waiting: tuple[str, ...], count: int) -> str:
    still = f"waiting for {len(waiting):,} to settle ({', '.join(waiting[:2])})" if waiting else ""
    parts: Mapping[str, bool] = {moves.told(): bool(moves), still: bool(waiting)}
    return "; ".join(part for part, there in parts.items() if there) or f"{count:,} documents, nothing new"
