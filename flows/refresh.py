"""A build against the newest documents, one at a time on a store, and what changed since the one before (§5–6)."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from prefect import flow
from rich.console import Console

from rarefy.flows import build as building
from rarefy.flows.asking import means
from rarefy.flows.config import Config
from rarefy.flows.progress import WIDTH, Board
from rarefy.flows.report import Built
from rarefy.flows.run import Run
from rarefy.flows.workers import hired
from rarefy.tasks import journal
from rarefy.tasks.lease import Busy, Lease, taken
from rarefy.tasks.store import Store, TableDamaged
from rarefy.tasks.versions import Changes, changes, write
from rarefy.tasks.versions.stored import of
from rarefy.tasks.wanted import answered, want, wanted

AGAIN = 2.0  # seconds between two looks at a lease that another benchmark of this store holds


@dataclass(frozen=True)
class Refreshed:
    """What came of a refresh."""

    told: str  # refreshed | unchanged | not wanted | busy: another refresh of it runs, and will go again after that
    built: Built | None = None
    version: journal.Version | None = None
    before: journal.Version | None = None  # the version that stood there
    changes: Changes | None = None  # between the two; None where there was none before


@flow(name="rarefy refresh", flow_run_name="refresh {out} from {corpus}", persist_result=False)
def refresh(
    corpus: str,
    out: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    workers: int = 0,
    dask: str = "",
    limit: int = 0,
    quiet: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
    as_of: str = "",
    only_if_wanted: bool = False,
) -> Refreshed:
    """Bring the benchmark in `out` up to its documents, and tell what changed.

    Two never run on one store at once: asked for while one runs, it is noted, and that one goes again when it is done.
    `only_if_wanted`: nothing is done unless somebody asked since the last refresh.
    """
    place, line = Store(store), journal.line_of(out)
    if only_if_wanted and not wanted(place, line):
        return Refreshed("not wanted")
    want(place, line, "a refresh was started")
    board = Board(Console(stderr=True), quiet)
    with board.open(), hired(workers, dask, config.cluster) as hands:

        def once(lease: Lease) -> Refreshed:
            run = Run(Store(store), board, hands, means(config, building.named(), max_calls, max_cost))
            run.fence = lease.check
            return refreshed(run, corpus, out, config, limit, as_of)

        return _in_turn(place, line, out, board, once)


def _in_turn(store: Store, line: str, out: str, board: Board, once: Callable[[Lease], Refreshed]) -> Refreshed:
    """The last of as many refreshes as were asked for while one ran, each under the store's lease."""
    done: Refreshed | None = None
    while done is None or wanted(store, line):
        try:
            with taken(store, f"{line} {out}", say=lambda text: board.say(f"{'waiting':<{WIDTH}} {text}")) as lease:
                wants = wanted(store, line)  # before the corpus is listed: what comes later asks again
                if done is not None and wants:
                    board.say(f"{'again':<{WIDTH}} asked for while the last refresh ran: {wants[-1].why}")
                found = once(lease)
                lease.check()
                answered(store, wants)
                done = found if found.told == "refreshed" or done is None else done
        except Busy as busy:
            if busy.holder.startswith(f"{line} "):
                board.say(f"{'busy':<{WIDTH}} {busy}; it goes again when it is done")
                return done or Refreshed("busy")
            board.say(f"{'waiting':<{WIDTH}} {busy}")
            time.sleep(AGAIN)
    return done


def refreshed(run: Run, corpus: str, out: str, config: Config, limit: int = 0, as_of: str = "") -> Refreshed:
    """A build, recorded, with the changes against the version that stood in `out` beside it.

    The changes are noted in the journal last of all: where a run was killed before, the next one makes them.
    """
    line = journal.line_of(out)
    stood = journal.latest(run.store, line)
    built = building.made(run, corpus, out, config, limit, as_of)
    now = built.recorded
    assert now is not None
    new = stood is None or stood.number != now.number
    earlier = [one for one in journal.versions(run.store, line) if one.number < now.number]
    if not earlier or now.changes:
        return Refreshed("refreshed" if new else "unchanged", built, now, stood)
    before = earlier[-1]
    try:
        found = run.stage("compare", lambda: changes(of(run.store, before), of(run.store, now)))
    except TableDamaged as lost:
        lost_, _, _ = str(lost).partition(":")
        run.board.say(f"{'changes':<{WIDTH}} since version {before.number} cannot be told: {lost_}")
        return Refreshed("refreshed" if new else "unchanged", built, now, stood)
    run.fence()
    run.stage("write changes", lambda: write(Path(out), found, before.version, now.version))
    now = run.stage("record changes", lambda: journal.amend(run.store, now, found.counts))
    return Refreshed("refreshed", replace(built, recorded=now), now, before, found)
