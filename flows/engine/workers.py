"""Who makes the tables of many documents: this process, or Dask; the work knows neither (architecture §6)."""

import contextlib
import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from uuid import uuid4

from rarefy.flows.engine.cluster import ClusterConfig, started
from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.models.accounting import asks, elsewhere
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.reach import word
from rarefy.tasks.store.recipe import ALONE, Given, Job, make
from rarefy.tasks.store.tables import Store

Done = Iterator[tuple[int, dict[str, str]]]
TOGETHER = 16  # documents whose requests are under way at once: one of a few windows leaves an engine idle
POLL = 0.02  # seconds between two looks at whether something is done
RESOURCE = "vllm"  # of Dask workers that hold a model: `dask worker --resources vllm=1`
# After how long a worker that is not heard of is given up, and its documents to others. No stage was seen to keep its
# process from answering for more than some seconds (docs/machines.md); Dask's own five minutes are five minutes lost
TTL = "2 minutes"
TTL_NAME = "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"
NO_CLUSTER = ClusterConfig()


class Workers(Protocol):
    """Makes what a job makes of each of these, and tells the place of each in the list as it is done."""

    def __call__(self, job: Job, parts: Sequence[Given], store: str, means: InferenceContext = ALONE) -> Done: ...


DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"  # what a worker does first


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def alone(job: Job, parts: Sequence[Given], store: str, means: InferenceContext = ALONE) -> Done:
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


def _together(job: Job, parts: Sequence[Given], store: str, means: InferenceContext) -> Done:
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
def hired(workers: int, scheduler: str, cluster: ClusterConfig = NO_CLUSTER) -> Iterator[Workers]:
    """Workers: of the scheduler at this address, else so many processes, else of the cluster, else this process."""
    if not scheduler and not workers and not cluster.kind:
        yield alone
        return
    # imported late: half a second that a small build need not spend
    from distributed import Client

    with contextlib.ExitStack() as stack:
        if scheduler:
            try:
                client = stack.enter_context(Client(scheduler, timeout="15s"))
            except (OSError, ValueError) as error:
                raise UsageFault(
                    f"--dask {scheduler}: no scheduler answers there ({error}); start one with `dask scheduler`"
                ) from error
        elif workers:
            client = stack.enter_context(Client(stack.enter_context(_processes(workers))))
        else:
            client = stack.enter_context(Client(stack.enter_context(started(cluster))))
        where = client.scheduler.address  # now: a client that has lost its scheduler no longer knows which it was
        threads = max(cores() // workers, 1) if workers and not scheduler else 1  # of a tool, in each worker
        met: set[str] = set()

        def map_(job: Job, parts: Sequence[Given], store: str, means: InferenceContext = ALONE) -> Done:
            if (scheduler or not workers) and store not in met:
                _meet(client, where, store, cluster)
                met.add(store)
            return _mapped(client, where, job, parts, store, threads, means)

        yield map_


@contextlib.contextmanager
def _processes(workers: int) -> Iterator[Any]:
    """So many processes of this machine, each with one thread."""
    import dask
    from distributed import LocalCluster

    # Ctrl-C reaches every process of a terminal: the flow ends its workers, and they say nothing of their own
    ours = {"distributed.worker.preload": [DEAF], "distributed.scheduler.worker-ttl": os.environ.get(TTL_NAME, TTL)}
    with (
        dask.config.set(ours),
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
    ):
        yield cluster


def _meet(client: Any, where: str, url: str, cluster: ClusterConfig) -> None:
    """Nothing, once a worker has read what was just written to the store; Fault where none comes, or sees it not."""
    from distributed import CancelledError

    said = uuid4().hex
    name = f"met/{said}"
    store = Store(url)
    store.write(name, said.encode())
    try:
        heard = client.submit(word, url, name, key=f"meet-{said}", pure=False).result(timeout=cluster.patience)
    except TimeoutError:
        raise Fault(
            f"no worker of {where} took any work in {cluster.patience} seconds; start some with `dask worker {where}`, "
            "or look at what keeps the cluster from it"
        ) from None
    except CancelledError as error:
        raise _gone("workers", where, str(error)) from error
    except ImportError as error:
        raise Fault(
            f"the workers of {where} cannot import what they work with ({error}); install this rarefy, with the "
            "packages of the store's address, where they run"
        ) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            store.fs.rm_file(f"{store.root}/{name}")
    if heard != said:
        raise UsageFault(
            f"--store {url}: the workers of {where} see another one there; name a folder that all machines share, or "
            "an address such as s3://bucket/store"
        )


def _mapped(
    client: Any, where: str, job: Job, parts: Sequence[Given], store: str, threads: int, means: InferenceContext
) -> Done:
    """As plain Dask futures: names go out, names come back; what a lost worker had is given to another."""
    from distributed import CancelledError, KilledWorker

    workers = client.scheduler_info(-1).get("workers", {})  # a client that was just closed knows nothing of them
    held = elsewhere(job) and any(RESOURCE in worker["resources"] for worker in workers.values())
    needs = {"resources": {RESOURCE: 1}} if held else {}
    futures = {}
    for place, part in enumerate(parts):
        key = f"{job.stage}-{place}-{job.recipe(part)}"
        # the job goes with each part: what is scattered is lost with the worker that holds it
        try:
            sent = client.submit(make, part, job, store, threads=threads, means=means, key=key, pure=False, **needs)
        except Exception as error:  # of its own kind, which differs among versions
            if client.status == "closed":  # since an earlier stage: a client gives up what it cannot reach again
                raise _gone(job.stage, where, str(error)) from error
            raise
        futures[sent] = place
    for future in _finished(client, list(futures)):
        place = futures[future]
        try:
            made = future.result()
        except KilledWorker as error:
            raise Fault(
                f"{job.stage}: {_about(parts[place])} took its worker down {error.allowed_failures + 1} times, most "
                "likely for want of memory, or kept it from answering for longer than worker-ttl; use fewer --workers, "
                "or split or remove the document"
            ) from error
        except CancelledError as error:
            if client.status != "running":
                raise _gone(job.stage, where, str(error)) from error
            raise Fault(
                f"{job.stage}: the Dask scheduler {where} dropped {_about(parts[place])} ({error}); look at its log, "
                "and run again to go on"
            ) from error
        except Exception as error:
            error.add_note(f"while {job.function} worked on {_about(parts[place])}")
            raise
        del futures[future]
        future.release()
        yield place, made
    if futures:
        raise _gone(job.stage, where, "the client gave it up")


def _finished(client: Any, futures: Sequence[Any]) -> Iterator[Any]:
    """The futures as they are done; those that are not once the client has given its scheduler up never come.

    What was sent off while a client tried to reach its scheduler again is neither done nor cancelled, ever.
    """
    from distributed import as_completed

    waiting = as_completed(futures)
    while not waiting.is_empty():
        if waiting.has_ready():
            yield next(waiting)
        elif client.status in ("closing", "closed"):
            return
        else:
            time.sleep(POLL)


def _gone(stage: str, where: str, why: str) -> Fault:
    """What to tell of a scheduler that no longer answers."""
    return Fault(f"{stage}: the Dask scheduler {where} is gone ({why}); start it, and run again to go on")


def _about(part: Given) -> str:
    """A part as a person knows it."""
    return str(part.get("path") or getattr(part.get("source"), "path", dict(part)))
