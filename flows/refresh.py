"""A build against the newest documents, one at a time on a store, and what changed since the one before (§5–6)."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from prefect import flow

from rarefy.data_contracts.schemas import NewerSchema
from rarefy.flows.config import Config
from rarefy.flows.engine.benchmark import build_benchmark
from rarefy.flows.engine.deliver import build_settings
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run, run_id
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.models.accounting import inference_context
from rarefy.flows.reports.build_report import BuildResult
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.refresh.refresh_queue import pending_requests, remove_requests, request_refresh
from rarefy.tasks.refresh.versions import Changes, compare_tables, write_changes
from rarefy.tasks.refresh.versions.compare import find_differing_settings, load_version_tables
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import mark_run
from rarefy.tasks.store.lease import Lease, LeaseBusy, hold_lease
from rarefy.tasks.store.tables import Store, TableDamaged, digest

REPEAT = 300.0  # seconds between two lines that say the same
UNTOLD = "not_comparable"  # among a version's changes: the one before it is lost, or of a later rarefy
AGAIN = 2.0  # seconds between two looks at a lease that another benchmark of this store holds


@dataclass(frozen=True)
class RefreshResult:
    """What came of a refresh."""

    status: str  # refreshed | unchanged | not wanted | busy: another refresh of it runs, and will go again after that
    built: BuildResult | None = None
    version: journal.Version | None = None
    before: journal.Version | None = None  # the version that was there
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
    verbose: bool = False,
    max_calls: int = 0,
    max_cost: float = 0.0,
    as_of: str = "",
    only_if_wanted: bool = False,
) -> RefreshResult:
    """Bring the benchmark in `out` up to its documents; returns what changed.

    Two never run on one store at once: asked for while one runs, a refresh is noted, and that one runs again when it is
    done. `only_if_wanted`: nothing is done unless somebody asked since the last refresh.
    """
    place, line = Store(store), journal.line_of(out)
    if only_if_wanted and not pending_requests(place, line):
        return RefreshResult("not wanted")
    board = ProgressBoard(Terminal(stderr=True), quiet, verbose)
    request = RefreshRequest(line, out, digest([str(corpus), limit, as_of, build_settings(config)])[:8])
    with (
        board.open(),
        mark_run(place, f"refresh {out}", board.say),
        connect_workers(workers, dask) as pool,
    ):

        def once(lease: Lease) -> RefreshResult:
            context = inference_context(config, run_id(), max_calls, max_cost)
            run = Run(Store(store), board, pool, context, budget=config.breach_budget)
            run.fence = lease.check
            return build_and_compare(run, corpus, out, config, limit, as_of)

        return _refresh_until_answered(place, request, board, once)


@dataclass(frozen=True)
class RefreshRequest:
    """Which refresh is asked for: two equal requests are answered by one."""

    line: str
    out: str
    settings: str  # digest of the corpus and of all that decides what is made

    def __str__(self) -> str:
        return f"refresh of {self.out} ({self.line}.{self.settings})"


def _refresh_until_answered(
    store: Store, request: RefreshRequest, board: ProgressBoard, once: Callable[[Lease], RefreshResult]
) -> RefreshResult:
    """Refresh under the store's lease, again for what was asked meanwhile; returns what came of the last one."""
    done: RefreshResult | None = None
    noted = False
    waits = WaitNotices(board)
    while done is None or pending_requests(store, request.line):
        try:
            with hold_lease(store, str(request), say=waits.say) as lease:
                wants = pending_requests(
                    store, request.line
                )  # before the corpus is listed: what comes later asks again
                if done is not None and wants:
                    board.note("again", f"asked for while the last refresh ran: {wants[-1].why}")
                found = once(lease)
                lease.check()
                remove_requests(store, wants)
                done = found if found.status == "refreshed" or done is None else done
        except LeaseBusy as busy:
            if busy.holder != str(request):  # another folder, or the same one by other settings
                waits.say(str(busy))
                time.sleep(AGAIN)
            elif not noted:  # noted first and looked again then: whoever holds it now looks after that
                request_refresh(store, request.line, "a refresh was started while one ran")
                noted = True
            else:
                board.note("busy", f"{busy.holding or busy}; it goes again when it is done")
                return done or RefreshResult("busy")
    return done


class WaitNotices:
    """Prints what is waited for: once, and then every few minutes."""

    def __init__(self, board: ProgressBoard) -> None:
        self.board = board
        self.printed: dict[str, float] = {}

    def say(self, text: str) -> None:
        """Print it, unless it was printed just now."""
        now = time.monotonic()
        if now - self.printed.get(text, -REPEAT) >= REPEAT:
            self.printed[text] = now
            self.board.note("waiting", f"{text}")


def build_and_compare(
    run: Run, corpus: str, out: str, config: Config, limit: int = 0, as_of: str = ""
) -> RefreshResult:
    """Build, record, and write the changes since the version that was in `out` beside the benchmark.

    The changes are noted in the journal last of all: where a run was killed before that, the next one makes them.
    """
    built = build_benchmark(run, corpus, out, config, limit, as_of)
    previous, now = built.previous, built.entry
    assert now is not None
    new = previous is None or previous.number != now.number
    before = previous if new else journal.previous_version(run.store, now)
    status = "refreshed" if new or (before and not now.changes) else "unchanged"
    settings = find_differing_settings(before.config, now.config) if before else ()
    if before is None or UNTOLD in now.changes or (now.changes and _are_changes_written(out, before, now)):
        return RefreshResult(status, built, now, previous, settings=settings if new else ())
    try:
        found = run.stage(
            "compare",
            lambda: compare_tables(load_version_tables(run.store, before), load_version_tables(run.store, now)),
        )
    except (TableDamaged, NewerSchema) as lost:
        run.board.note("changes", f"since version {before.number} cannot be told: {str(lost).partition(':')[0]}")
        now = run.stage("record changes", lambda: journal.record_changes(run.store, now, {UNTOLD: 1}))
        return RefreshResult(status, replace(built, entry=now), now, previous, settings=settings if new else ())
    run.fence()
    run.stage("write changes", lambda: write_changes(Path(out), found, before.version, now.version, settings))
    now = run.stage("record changes", lambda: journal.record_changes(run.store, now, found.counts))
    return RefreshResult(status, replace(built, entry=now), now, before, found, settings)


def _are_changes_written(out: str, before: journal.Version, now: journal.Version) -> bool:
    """Whether the folder holds the changes between these two versions."""
    try:
        written = json.loads(Path(out, "changes.json").read_bytes())
        return bool((written["old"], written["new"]) == (before.version, now.version))
    except (OSError, ValueError, LookupError, TypeError):
        return False
