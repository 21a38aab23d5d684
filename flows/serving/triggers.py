"""A refresh wherever one is asked for, in this process: what triggers do where no Prefect server does it for them."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rarefy.flows.engine import reachability
from rarefy.flows.faults import Fault, SpentFault
from rarefy.tasks.refresh.refresh_queue import want, wanted
from rarefy.tasks.store.tables import Store

LONGEST = 3600.0  # seconds between two tries of a refresh that fails
Say = Callable[[str], None]


@dataclass
class Follower:
    """Runs what is asked for in this process, one refresh after the other; what fails is tried again, ever later."""

    store: Store
    line: str
    refresh: Callable[[], object]  # once, if wanted
    say: Say
    clock: Callable[[], float] = time.monotonic
    failure: str = field(default="", init=False)  # of the last refresh
    failed: int = field(default=0, init=False)
    again: float = field(default=0.0, init=False)

    def moved(self, why: str) -> None:
        """Something changed: a refresh that failed before may go well now."""
        want(self.store, self.line, why)
        self.failed, self.again = 0, 0.0

    def catch_up(self, pause: float, once: bool = False) -> bool:
        """Refresh if somebody asked for it; was one run? A fault is told, and the asking stays.

        `once`: nobody will try again, so nothing is promised; `failure` is for the caller to tell.
        SpentFault is raised: whether to spend more is not for a loop to say.
        """
        if not wanted(self.store, self.line):
            self.failure = ""  # somebody else did it
            return False
        if self.clock() < self.again:
            return False
        try:
            self.refresh()
        except SpentFault:
            raise
        except Exception as error:
            if not _told(error):
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


def handing_over(
    deployment: str, store: Store, line: str, say: Say, clock: Callable[[], float] = time.monotonic
) -> Callable[[], None]:
    """Starts the deployment for wants that it was not started for, and again for those that stand for an hour."""
    from rarefy.flows.serving.start_run import start

    known: set[str] = set()
    started = clock()

    def work() -> None:
        nonlocal started
        names = {one.name for one in wanted(store, line)}
        if not names <= known or (names and clock() - started > LONGEST):
            started = clock()
            say(start(deployment, only_if_wanted=True))
        known.clear()
        known.update(names)

    return work


def _told(error: Exception) -> bool:
    """Is this a fault that the message explains, and no bug?"""
    return (
        isinstance(error, Fault | OSError)
        or reachability.foreign(error)
        or type(error).__name__ in {"ContractBroken", "TableDamaged", "LeaseLost"}
    )


def served() -> bool:
    """Does the environment name a Prefect API that somebody looks at?"""
    return bool(os.environ.get("PREFECT_API_URL"))
