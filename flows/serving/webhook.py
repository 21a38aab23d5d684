"""A webhook: somebody who knows the secret names a document, and it comes into the corpus (docs/triggers.md)."""

import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from prefect import flow

from rarefy.flows.config import Config
from rarefy.flows.faults import Fault, UsageFault
from rarefy.tasks.refresh.feeds import arrivals
from rarefy.tasks.refresh.feeds.addresses import Resolve, system
from rarefy.tasks.refresh.feeds.config import WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Later, Refused
from rarefy.tasks.refresh.feeds.origins import allowed, plain
from rarefy.tasks.refresh.feeds.signed import VARIABLE, Unsigned, secrets, verify
from rarefy.tasks.refresh.refresh_queue import want
from rarefy.tasks.store.journal import line_of
from rarefy.tasks.store.tables import Store

Say = Callable[[str], None]
Answer = tuple[int, str]  # HTTP status, and the reason in words
REFUSED = "refused:"


@flow(name="rarefy arrive", flow_run_name="document for {out}", persist_result=False)
def arrive(
    body: str,
    signature: str,
    corpus: str,
    out: str,
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    deployment: str = "",
) -> str:
    """Fetch the document that a signed payload names; the deployment that refreshes the benchmark in `out` is run.

    For an automation of Prefect: `body` and `signature` are what a webhook would send. Run again, as after a crash,
    it goes on; a payload that was dealt with is refused.
    """
    from prefect.logging import get_run_logger

    from rarefy.flows.serving.start_run import start

    hook = Hook(Store(store), out, Path(corpus), config.feeds.webhook, known_secrets(), get_run_logger().info)
    try:
        name = verify(signature, body.encode(), hook.secrets, time.time(), hook.config.window_of_flow)
        named = arrivals.payload(body.encode())
    except (Unsigned, ValueError) as error:
        raise Fault(f"payload refused: {error}") from error
    fresh = arrivals.note(hook.store, hook.line, name, int(signature[2:].partition(",")[0]), named)
    known = arrivals.noted(hook.store, hook.line, name)
    if known is None or known.told:
        raise Fault(f"payload refused: it was used before ({known.told if known else 'and its record is lost'})")
    told = hook.take(name, known, resumed=not fresh, last=False)
    if REFUSED in told:
        raise Fault(told)
    return f"{told}; {start(deployment, only_if_wanted=True)}" if deployment else told


def known_secrets() -> tuple[str, ...]:
    """The secrets of the environment; UsageFault where there is none, or a weak one."""
    try:
        return secrets(os.environ.get(VARIABLE, ""))
    except ValueError as error:
        raise UsageFault(str(error)) from error


@dataclass
class Hook:
    """What takes signed payloads: each is checked, written down, acknowledged, and its document fetched later."""

    store: Store
    out: str
    corpus: Path
    config: WebhookConfig
    secrets: tuple[str, ...] = field(repr=False)
    say: Say
    resolve: Resolve = system
    clock: Callable[[], float] = time.time  # Unix time, as signatures tell it
    sleep: Callable[[float], object] = time.sleep
    moved: threading.Event = field(default_factory=threading.Event)  # set where a refresh is wanted

    def __post_init__(self) -> None:
        self.line = line_of(self.out)
        self._todo: queue.Queue[tuple[str, arrivals.Arrival, bool]] = queue.Queue(self.config.waiting)
        self._one = threading.Lock()

    def receive(self, signature: str, body: bytes) -> Answer:
        """The answer to a request, once its payload is written down."""
        try:
            name = verify(signature, body, self.secrets, self.clock(), self.config.window)
        except Unsigned as error:
            return 401, str(error)
        try:
            named = arrivals.payload(body)
        except ValueError as error:
            return 400, str(error)
        try:
            allowed(named.address, self.config.origins)
        except Refused as error:
            return 403, str(error)
        at = int(signature.strip()[2:].partition(",")[0])
        with self._one:  # what is written down has a place in the queue
            if self._todo.full():
                return 503, f"{self.config.waiting:,} documents wait already; send it again later, signed anew"
            try:
                if not arrivals.note(self.store, self.line, name, at, named):
                    return 409, "this signature was used before; what it names was taken then"
                noted = arrivals.noted(self.store, self.line, name)
            except OSError as error:
                self.say(f"cannot write arrivals down: {error}")
                return 503, "the arrival cannot be written down; send it again later, signed anew"
            if noted is None:
                return 503, "the arrival cannot be read back; send it again later, signed anew"
            self._todo.put_nowait((name, noted, False))
        return 202, f"noted as {name[:12]}"

    def resume(self) -> int:
        """Take up what was acknowledged and not dealt with before this process began; how many."""
        left = arrivals.waiting(self.store, self.line)
        for name, arrival in left[: self.config.waiting]:
            self._todo.put_nowait((name, arrival, True))
        return len(left)

    def work(self, stop: threading.Event) -> None:
        """Fetch what waits, one document after the other, until told to stop."""
        while not stop.is_set():
            try:
                name, arrival, resumed = self._todo.get(timeout=0.2)
            except queue.Empty:
                continue
            try:
                self.take(name, arrival, resumed)
            except Exception as error:  # a full disk, a store that is away: it stays written down, and is told
                told = f"{type(error).__name__}: {error}; taken up when this starts again"
                self.say(f"{plain(arrival.payload.address)}: {told}")

    def take(self, name: str, arrival: arrivals.Arrival, resumed: bool = False, last: bool = True) -> str:
        """Fetch one document, ask for a refresh, and note what came of it.

        In this order, so that a crash anywhere leaves it to be done again; `resumed` asks for a refresh even where the
        document stands there already, since the crash may have come just then. Where its server does not answer, that
        is raised unless this was the `last` try there will be.
        """
        try:
            came, path = arrivals.take(arrival.payload, self.corpus, self.config, self.resolve, self.sleep)
            if came != "unchanged" or resumed:
                want(self.store, self.line, f"webhook: {path} {came}")
                self.moved.set()
            told = f"{path} {came}"
        except Refused as error:
            told = f"{REFUSED} {error}"
        except Later as error:
            if not last:
                raise Fault(str(error)) from error
            told = f"not fetched: {error}"
        arrivals.done(self.store, self.line, name, arrival, told)
        self.say(f"{plain(arrival.payload.address)}: {told}")
        return told
