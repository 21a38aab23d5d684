"""Where many parts of a job are worked on: in this process, in others, or on Dask (architecture §6)."""

import contextlib
import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from uuid import uuid4

from rarefy.flows.faults import Fault, NobodyAnswers, Outage, UsageFault
from rarefy.flows.models.accounting import asks_model, needs_model_worker
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.store.recipe import NO_MODEL, Inputs, Job, make
from rarefy.tasks.store.tables import Store, read_if_visible

Done = Iterator[tuple[int, dict[str, str]]]
TOGETHER = 16  # documents whose requests are under way at once: one of a few windows leaves an engine idle
BESIDE = 2  # parts at once where texts are embedded: the rules of one run while the model embeds the other's
POLL = 0.02  # seconds between two looks at whether something is done
LOOK = 5.0  # seconds between two looks at whether the scheduler is still the same
RESOURCE = "vllm"  # of Dask workers that hold a model: `dask worker --resources vllm=1`
# After how long a worker that is not heard of is given up, and its documents to others. No stage was seen to keep its
# process from answering for more than some seconds (docs/machines.md); Dask's own five minutes are five minutes lost
TTL = "2 minutes"
TTL_NAME = "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL"
NANNY_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
# Dask has its workers give memory back at once, and so get it anew, page by page, for every layer of a model: an eighth
# of their time where texts are embedded
TRIM = "MALLOC_TRIM_THRESHOLD_"
PATIENCE = 600  # seconds to wait for the first worker, who may need a new machine


class Workers(Protocol):
    """Makes the tables of a job for each part; yields each part's place in the list and its tables as it is done."""

    def __call__(self, job: Job, parts: Sequence[Inputs], store: str, means: InferenceContext = NO_MODEL) -> Done: ...


# What a worker does first; it looks for cycles as seldom as the command line (flows/cli): a sixth of the time of rules
PRELOAD = "import gc, signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ngc.set_threshold(50_000, 20, 50)\n"


def count_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_process(job: Job, parts: Sequence[Inputs], store: str, means: InferenceContext = NO_MODEL) -> Done:
    """Work in this process: part after part, or several at once where rules need not wait for a model."""
    if asks_model(job) and len(parts) > 1:
        yield from _run_in_threads(job, parts, store, means, TOGETHER)
        return
    alone = 1 if "embed" in job.tools else len(parts)  # what all parts share is loaded once, with the first
    for place, part in enumerate(parts[:alone]):
        try:
            yield place, make(part, job, store, threads=count_cores(), means=means)
        except Exception as error:
            error.add_note(f"while {job.function} worked on {_describe_part(part)}")
            raise
    yield from _run_in_threads(job, parts, store, means, BESIDE, alone)


def _run_in_threads(
    job: Job, parts: Sequence[Inputs], store: str, means: InferenceContext, threads: int, first: int = 0
) -> Done:
    """Work on the parts from `first` on in threads, which Ctrl-C drops.

    After a fault no part is begun, and those under way are still yielded.
    """
    done: queue.SimpleQueue[tuple[int, dict[str, str] | Exception] | None] = queue.SimpleQueue()
    todo = iter(range(first, len(parts)))  # shared: to take the next is one step of the interpreter
    stop = threading.Event()

    def work() -> None:
        for place in todo:
            try:
                done.put((place, make(parts[place], job, store, threads=count_cores(), means=means)))
            except Exception as error:
                done.put((place, error))
            if stop.is_set():
                break
        done.put(None)

    running = max(min(threads, len(parts) - first), 0)
    for _ in range(running):
        threading.Thread(target=work, daemon=True).start()
    fault: Exception | None = None
    try:
        while running:
            if (result := done.get()) is None:
                running -= 1
                continue
            place, made = result
            if isinstance(made, Exception):
                stop.set()
                made.add_note(f"while {job.function} worked on {_describe_part(parts[place])}")
                fault = fault or made
            else:
                yield place, made
    finally:
        stop.set()
    if fault:
        raise fault


@contextlib.contextmanager
def connect_workers(workers: int, scheduler: str) -> Iterator[Workers]:
    """The workers of the scheduler at this address, else so many processes, else this process."""
    if not scheduler and not workers:
        yield run_in_process
        return
    # imported late: half a second that a small build need not spend
    from distributed import Client

    with contextlib.ExitStack() as stack:
        if scheduler:
            try:
                client = stack.enter_context(Client(scheduler, timeout="15s"))
            except (OSError, ValueError) as error:
                raise NobodyAnswers(
                    f"--dask {scheduler}: no scheduler answers there ({error}); start one with `dask scheduler`"
                ) from error
        else:
            client = stack.enter_context(Client(stack.enter_context(_processes(workers))))
        where = client.scheduler.address  # now: a client that has lost its scheduler no longer knows which it was
        threads = 1 if scheduler else max(count_cores() // workers, 1)  # of a tool, in each worker
        checked: set[str] = set()  # stores

        def run_on_dask(job: Job, parts: Sequence[Inputs], store: str, means: InferenceContext = NO_MODEL) -> Done:
            if scheduler and store not in checked:
                _check_shared_store(client, where, store)
                checked.add(store)
            return _run_on_dask(client, where, job, parts, store, threads, means)

        yield run_on_dask


@contextlib.contextmanager
def _processes(workers: int) -> Iterator[Any]:
    """So many processes of this machine, each with one thread."""
    import dask
    from distributed import LocalCluster

    # Ctrl-C reaches every process of a terminal: the flow ends its workers, and they say nothing of their own
    ours = {
        "distributed.worker.preload": [PRELOAD],
        "distributed.scheduler.worker-ttl": os.environ.get(TTL_NAME, TTL),
        NANNY_ENVIRONMENT: {name: value for name, value in dask.config.get(NANNY_ENVIRONMENT).items() if name != TRIM},
    }
    with (
        dask.config.set(ours),
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
    ):
        yield cluster


def _check_shared_store(client: Any, where: str, url: str) -> None:
    """Have a worker read what was just written to the store; Fault where none does, or it sees another store."""
    from distributed import CancelledError

    token = uuid4().hex
    name = f"met/{token}"
    store = Store(url)
    store.write(name, token.encode())
    try:
        answer = client.submit(read_if_visible, url, name, key=f"meet-{token}", pure=False).result(timeout=PATIENCE)
    except TimeoutError:
        raise Fault(
            f"no worker of {where} took any work in {PATIENCE} seconds; start some with `dask worker {where}`, "
            "or look at what keeps the cluster from it"
        ) from None
    except CancelledError as error:
        raise _scheduler_lost("workers", where, str(error)) from error
    except ImportError as error:
        raise Fault(
            f"the workers of {where} cannot import what they work with ({error}); install this rarefy, with the "
            "packages of the store's address, where they run"
        ) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            store.fs.rm_file(f"{store.root}/{name}")
    if answer != token:
        raise UsageFault(
            f"--store {url}: the workers of {where} see another one there; name a folder that all machines share, or "
            "an address such as s3://bucket/store"
        )


def _run_on_dask(
    client: Any, where: str, job: Job, parts: Sequence[Inputs], store: str, threads: int, means: InferenceContext
) -> Done:
    """Work as plain Dask futures: names of tables go out and come back; what a lost worker had goes to another."""
    from distributed import CancelledError, KilledWorker

    scheduler = client.scheduler_info(-1)
    workers = scheduler.get("workers", {})  # a client that was just closed knows nothing of them
    held = needs_model_worker(job) and any(RESOURCE in worker["resources"] for worker in workers.values())
    needs = {"resources": {RESOURCE: 1}} if held else {}
    futures = {}
    for place, part in enumerate(parts):
        key = f"{job.stage}-{place}-{job.recipe(part)}"
        # the job goes with each part: what is scattered is lost with the worker that holds it
        try:
            sent = client.submit(make, part, job, store, threads=threads, means=means, key=key, pure=False, **needs)
        except Exception as error:  # of its own kind, which differs among versions
            if client.status == "closed":  # since an earlier stage: a client gives up what it cannot reach again
                raise _scheduler_lost(job.stage, where, str(error)) from error
            raise
        futures[sent] = place
    for future in _completed_futures(client, list(futures), scheduler.get("id")):
        place = futures[future]
        about = _describe_part(parts[place])
        try:
            made = future.result()
        except KilledWorker as error:
            raise Fault(
                f"{job.stage}: {about} took its worker down {error.allowed_failures + 1} times, most "
                "likely for want of memory, or kept it from answering for longer than worker-ttl; use fewer --workers, "
                "or split or remove the document"
            ) from error
        except CancelledError as error:
            if client.status != "running":
                raise _scheduler_lost(job.stage, where, str(error)) from error
            raise Outage(
                f"{job.stage}: the Dask scheduler {where} dropped {about} ({error}); look at its log, "
                "and run again to go on"
            ) from error
        except Exception as error:
            error.add_note(f"while {job.function} worked on {about}")
            raise
        del futures[future]
        future.release()
        yield place, made
    if futures:
        raise _scheduler_lost(job.stage, where, "given up, or started again")


def _completed_futures(client: Any, futures: Sequence[Any], scheduler: str | None) -> Iterator[Any]:
    """The futures as they are done; those that are not once the client has lost the scheduler of this id never come.

    What was sent off while a client tried to reach its scheduler again is neither done nor cancelled, ever: not where
    it gave up, and not where it found another one at the same address.
    """
    from distributed import as_completed

    waiting, looked = as_completed(futures), time.monotonic()
    while not waiting.is_empty():
        if waiting.has_ready():
            yield next(waiting)
        elif client.status in ("closing", "closed"):
            return
        elif time.monotonic() - looked > LOOK:
            looked = time.monotonic()
            if client.status == "running" and client.scheduler_info(-1).get("id") != scheduler:
                return
        else:
            time.sleep(POLL)


def _scheduler_lost(stage: str, where: str, why: str) -> Outage:
    """The fault where a scheduler no longer answers."""
    return Outage(f"{stage}: the Dask scheduler {where} is gone ({why}); start it, and run again to go on")


def _describe_part(part: Inputs) -> str:
    """The path of a part, for messages."""
    return str(part.get("path") or getattr(part.get("source"), "path", dict(part)))
