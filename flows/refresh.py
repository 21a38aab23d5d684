"""A build against the newest documents, one at a time on a store, and what changed since the one before (§5–6)."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from prefect import flow

from rarefy.data_contracts.schemas import NewerSchema
from rarefy.flows import build as building
from rarefy.flows.config import Config
from rarefy.flows.engine.current_run import named
from rarefy.flows.engine.progress import WIDTH, Board
from rarefy.flows.engine.run import Run
from rarefy.flows.engine.workers import hired
from rarefy.flows.models.accounting import means
from rarefy.flows.reports.build_report import Built
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.refresh.refresh_queue import answered, want, wanted
from rarefy.tasks.refresh.versions import Changes, changes, write
from rarefy.tasks.refresh.versions.settings import differing
from rarefy.tasks.refresh.versions.stored import of
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import marked
from rarefy.tasks.store.lease import Busy, Lease, taken
from rarefy.tasks.store.tables import Store, TableDamaged, digest

SAID_AGAIN = 300.0  # seconds between two lines that say the same
UNTOLD = "not_comparable"  # among a version's changes: the one before it is lost, or of a later rarefy
AGAIN = 2.0  # seconds between two looks at a lease that another benchmark of this store holds


@dataclass(frozen=True)
class Refreshed:
    """What came of a refresh."""

    told: str  # refreshed | unchanged | not wanted | busy: another refresh of it runs, and will go again after that
    built: Built | None = None
    version: journal.Version | None = None
    before: journal.Version | None = None  # the version that stood there
    changes: Changes | None = None  # between the two; None where there was none before
    settings: tuple[str, ...] = ()  # options that the two were not made by alike


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
    board = Board(Terminal(stderr=True), quiet)
    asked = RefreshRequest(line, out, digest([str(corpus), limit, as_of, building.decisive(config)])[:8])
    with board.open(), marked(place, f"refresh {out}", board.say), hired(workers, dask, config.cluster) as hands:

        def once(lease: Lease) -> Refreshed:
            how = means(config, named(), max_calls, max_cost)
            run = Run(Store(store), board, hands, how, budget=config.breach_budget)
            run.fence = lease.check
            return refreshed(run, corpus, out, config, limit, as_of)

        return _in_turn(place, asked, board, once)


@dataclass(frozen=True)
class RefreshRequest:
    """What a refresh is of: two of the same are served by one."""

    line: str
    out: str
    how: str  # digest of the corpus and all that decides what is made

    def __str__(self) -> str:
        return f"refresh of {self.out} ({self.line}.{self.how})"


def _in_turn(store: Store, asked: RefreshRequest, board: Board, once: Callable[[Lease], Refreshed]) -> Refreshed:
    """The last of as many refreshes as were asked for while one ran, each under the store's lease."""
    done: Refreshed | None = None
    noted = False
    waits = Waits(board)
    while done is None or wanted(store, asked.line):
        try:
            with taken(store, str(asked), say=waits.say) as lease:
                wants = wanted(store, asked.line)  # before the corpus is listed: what comes later asks again
                if done is not None and wants:
                    board.say(f"{'again':<{WIDTH}} asked for while the last refresh ran: {wants[-1].why}")
                found = once(lease)
                lease.check()
                answered(store, wants)
                done = found if found.told == "refreshed" or done is None else done
        except Busy as busy:
            if busy.holder != str(asked):  # another folder, or the same one by other settings
                waits.say(str(busy))
                time.sleep(AGAIN)
            elif not noted:  # noted first and looked again then: whoever holds it now looks after that
                want(store, asked.line, "a refresh was started while one ran")
                noted = True
            else:
                board.say(f"{'busy':<{WIDTH}} {busy.holding or busy}; it goes again when it is done")
                return done or Refreshed("busy")
    return done


class Waits:
    """Tells what is waited for: once, and then every few minutes."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.told: dict[str, float] = {}

    def say(self, text: str) -> None:
        """Say it, unless it was said just now."""
        now = time.monotonic()
        if now - self.told.get(text, -SAID_AGAIN) >= SAID_AGAIN:
            self.told[text] = now
            self.board.say(f"{'waiting':<{WIDTH}} {text}")


def refreshed(run: Run, corpus: str, out: str, config: Config, limit: int = 0, as_of: str = "") -> Refreshed:
    """A build, recorded, with the changes against the version that stood in `out` beside it.

    The changes are noted in the journal last of all: where a run was killed before, the next one makes them.
    """
    built = building.made(run, corpus, out, config, limit, as_of)
    stood, now = built.stood, built.recorded
    assert now is not None
    new = stood is None or stood.number != now.number
    before = stood if new else journal.previous(run.store, now)
    told = "refreshed" if new or (before and not now.changes) else "unchanged"
    settings = differing(before.config, now.config) if before else ()
    if before is None or UNTOLD in now.changes or (now.changes and _stands(out, before, now)):
        return Refreshed(told, built, now, stood, settings=settings if new else ())
    try:
        found = run.stage("compare", lambda: changes(of(run.store, before), of(run.store, now)))
    except (TableDamaged, NewerSchema) as lost:
        run.board.say(
            f"{'changes':<{WIDTH}} since version {before.number} cannot be told: {str(lost).partition(':')[0]}"
        )
        now = run.stage("record changes", lambda: journal.amend(run.store, now, {UNTOLD: 1}))
        return Refreshed(told, replace(built, recorded=now), now, stood, settings=settings if new else ())
    run.fence()
    run.stage("write changes", lambda: write(Path(out), found, before.version, now.version, settings))
    now = run.stage("record changes", lambda: journal.amend(run.store, now, found.counts))
    return Refreshed(told, replace(built, recorded=now), now, before, found, settings)


def _stands(out: str, before: journal.Version, now: journal.Version) -> bool:
    """Do the changes between these two lie in the folder?"""
    try:
        told = json.loads(Path(out, "changes.json").read_bytes())
        return bool((told["old"], told["new"]) == (before.version, now.version))
    except (OSError, ValueError, LookupError, TypeError):
        return False
