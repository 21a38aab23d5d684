"""The process of a worker: it takes the runs of a work pool, and leaves none behind when it ends."""

import asyncio
import signal
import sys
import threading
import time

from rarefy.flows.serving.server_process import end_with_starter

PATIENCE = 20.0  # seconds that a run has to say how it ended


def main(pool: str, name: str) -> int:
    """Take runs until asked to end; those under way are ended first, so that each tells the server."""
    end_with_starter()
    asyncio.run(_work(pool, name))
    return 0


async def _work(pool: str, name: str) -> None:
    from prefect.workers.process import ProcessWorker

    worker = ProcessWorker(name=name, work_pool_name=pool)
    task = asyncio.create_task(worker.start(printer=lambda *_: None))

    def end() -> None:
        def ended() -> None:
            end_runs()
            loop.call_soon_threadsafe(task.cancel)

        threading.Thread(target=ended, daemon=True).start()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    try:
        await task
    except asyncio.CancelledError:
        return


def end_runs(pid: int = 0, patience: float = PATIENCE) -> None:
    """End all that a process has started, here by default: asked first, then killed."""
    import psutil

    try:
        mine = psutil.Process(pid or None).children(recursive=True)
    except psutil.NoSuchProcess:
        return
    kill(mine, patience)


def kill(processes: "list[psutil.Process]", patience: float) -> None:  # type: ignore[name-defined]  # noqa: F821
    """End these: asked first, then killed."""
    import psutil

    for one in processes:
        try:
            one.terminate()
        except psutil.NoSuchProcess:
            continue
    until = time.monotonic() + patience
    _, alive = psutil.wait_procs(processes, timeout=max(until - time.monotonic(), 0))
    for one in alive:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(alive, timeout=5)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
