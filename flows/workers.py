"""Who makes the tables of many documents: this process, or Dask; the work knows neither (architecture §6)."""

import contextlib
import os
import queue
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from rarefy.flows.asking import asks, elsewhere
from rarefy.flows.faults import Fault, UsageFault
from rarefy.tasks.llm import Means
from rarefy.tasks.recipe import ALONE, Given, Job, make

Done = Iterator[tuple[int, dict[str, str]]]
TOGETHER = 16  # documents whose requests are under way at once: one of a few windows leaves an engine idle
RESOURCE = "vllm"  # of Dask workers that hold a model: `dask worker --resources vllm=1`


class Workers(Protocol):
    """Makes what a job makes of each of these, and tells the place of each in the list as it is done."""

    def __call__(self, job: Job, parts: Sequence[Given], store: str, means: Means = ALONE) -> Done: ...


DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"  # what a worker does first


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def alone(job: Job, parts: Sequence[Given], store: str, means: Means = ALONE) -> Done:
    """In this process: one after the other, or several at once where most of the time is spent waiting for a model."""
    if asks(job) and len(parts) > 1:
        yield from _together(job, parts, store, means)
        return
    for place, part in enumerate(parts):
        try:
            yield place, make(part, job, store, threads=cores(), means=means)
        except Exception as error:
            error.add_note(f"while {job.function} worked on {_about(part)}")
            raise


def _together(job: Job, parts: Sequence[Given], store: str, means: Means) -> Done:
    """In threads of the process, which Ctrl-C drops; after a fault no part is begun, and those under way are told."""
    done: queue.SimpleQueue[tuple[int, dict[str, str] | Exception] | None] = queue.SimpleQueue()
    todo = iter(range(len(parts)))  # shared: to take the next is one step of the interpreter
    stop = threading.Event()

    def work() -> None:
        for place in todo:
            try:
                done.put((place, make(parts[place], job, store, means=means)))
            except Exception as error:
                done.put((place, error))
            if stop.is_set():
                break
        done.put(None)

    running = min(TOGETHER, len(parts))
    for _ in range(running):
        threading.Thread(target=work, daemon=True).start()
    fault: Exception | None = None
    try:
        while running:
            if (came := done.get()) is None:
                running -= 1
            elif isinstance(came[1], Exception):
                stop.set()
                came[1].add_note(f"while {job.function} worked on {_about(parts[came[0]])}")
                fault = fault or came[1]
            else:
                yield came[0], came[1]
    finally:
        stop.set()
    if fault:
        raise fault


@contextlib.contextmanager
def hired(workers: int, scheduler: str) -> Iterator[Workers]:
    """Workers: of the scheduler at this address, of a cluster of so many processes, or this process for 0."""
    if not scheduler and not workers:
        yield alone
        return
    # imported late: half a second that a small build need not spend
    import dask
    from distributed import Client, LocalCluster

    with contextlib.ExitStack() as stack:
        if scheduler:
            try:
                client = stack.enter_context(Client(scheduler, timeout="15s"))
            except (OSError, ValueError) as error:
                raise UsageFault(
                    f"--dask {scheduler}: no scheduler answers there ({error}); start one with `dask scheduler`"
                ) from error
        else:
            # Ctrl-C reaches every process of a terminal: the flow ends its workers, and they say nothing of their own
            dask.config.set({"distributed.worker.preload": [DEAF]})
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0")
            client = stack.enter_context(Client(stack.enter_context(cluster)))
        threads = max(cores() // workers, 1) if workers else 1  # of a tool, such as the embedder, in each worker
        yield lambda job, parts, store, means=ALONE: _mapped(client, job, parts, store, threads, means)


def _mapped(client: Any, job: Job, parts: Sequence[Given], store: str, threads: int, means: Means) -> Done:
    """As plain Dask futures: names go out, names come back; what a lost worker had is given to another."""
    from distributed import CancelledError, KilledWorker, as_completed

    held = elsewhere(job) and any(RESOURCE in w["resources"] for w in client.scheduler_info(-1)["workers"].values())
    needs = {"resources": {RESOURCE: 1}} if held else {}
    futures = {}
    for place, part in enumerate(parts):
        key = f"{job.stage}-{place}-{job.recipe(part)}"
        # the job goes with each part: what is scattered is lost with the worker that holds it
        sent = client.submit(make, part, job, store, threads=threads, means=means, key=key, pure=False, **needs)
        futures[sent] = place
    for future in as_completed(futures):
        place = futures[future]
        try:
            made = future.result()
        except KilledWorker as error:
            raise Fault(
                f"{job.stage}: {_about(parts[place])} took its worker down {error.allowed_failures + 1} times, most "
                "likely for want of memory; use fewer --workers, or split or remove the document"
            ) from error
        except CancelledError as error:
            raise Fault(
                f"{job.stage}: the Dask scheduler dropped {_about(parts[place])} ({error}); look at its log, and run "
                "again to go on"
            ) from error
        except Exception as error:
            error.add_note(f"while {job.function} worked on {_about(parts[place])}")
            raise
        future.release()
        yield place, made


def _about(part: Given) -> str:
    """A part as a person knows it."""
    return str(part.get("path") or getattr(part.get("source"), "path", dict(part)))
