"""The processes that `rarefy serve` starts: Prefect's server, a worker, and a watcher of the documents."""

import asyncio
import base64
import contextlib
import errno
import hmac
import json
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.serving.login import SERVER, host_names, restrict_hosts

BUSY = 98  # exit code: another process has the port
LOCKED = 5_000  # ms that one of the server's SQLite connections waits for another: see `_patient_database`
PATH = "/rarefy"  # of an address, before the name of a folder
# what a report's scripts may not do: it stands at the address of an API to which its reader may be logged in
APART = "sandbox allow-scripts allow-popups allow-downloads"


def end_with_starter() -> None:
    """End this process when its standard input does: then the process that started it is gone."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 1024):  # not by sys.stdin, whose lock the end of the interpreter would wait for
                pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def run_server(host: str, port: int, shown: dict[str, str]) -> int:
    """Run Prefect's server; prints "ready PORT" once its API answers. `shown`: folders beside its UI, by name."""
    end_with_starter()
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        print(f"{host}:{port}: {error.strerror}", file=sys.stderr, flush=True)
        return BUSY if error.errno == errno.EADDRINUSE else 1
    import uvicorn
    from prefect.server.api.server import create_app

    _patient_database()
    folders = [_folder(name, folder) for name, folder in shown.items()]  # with the modes that their owner wants
    os.umask(0o077)  # the database, and all else that Prefect writes
    app = create_app(final=True)
    for one in folders:
        app.router.routes.insert(0, one)
    server = uvicorn.Server(
        uvicorn.Config(
            restrict_hosts(app, host_names(host)),
            log_level="warning",
            timeout_graceful_shutdown=5,
            ws_ping_interval=20,
            ws_ping_timeout=20,
        )
    )

    def tell() -> None:
        while not server.started:
            threading.Event().wait(0.05)
        print(f"ready {listener.getsockname()[1]}", flush=True)

    threading.Thread(target=tell, daemon=True).start()
    server.run(sockets=[listener])
    return 0 if server.started else 1


def _patient_database() -> None:
    """Have the transactions of a server on SQLite wait in line, and not for ever.

    Prefect begins them as readers; one that writes after another has fails at once ("database is locked", Prefect's
    issue 18934), and after a few times an event, and a notice with it, is lost. Begun as writers they wait, for seconds
    and not for Prefect's 60: where two wait for each other, the whole server does.
    """
    from sqlalchemy import event
    from sqlalchemy.engine import Engine
    from sqlalchemy.pool import Pool

    @event.listens_for(Engine, "before_cursor_execute", retval=True)
    def begin(conn: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> tuple[str, Any]:
        return ("BEGIN IMMEDIATE" if statement == "BEGIN DEFERRED" else statement), parameters

    @event.listens_for(Pool, "checkout")
    def wait(connection: Any, record: Any, proxy: Any) -> None:
        if "sqlite" in type(connection).__module__:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {LOCKED}")
            cursor.close()


def _folder(name: str, folder: str) -> Any:
    from starlette.datastructures import Headers
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Mount
    from starlette.staticfiles import StaticFiles

    class ProtectedFiles(StaticFiles):
        async def get_response(self, path: str, scope: Any) -> Response:
            if not _is_authorized(Headers(scope=scope).get("authorization", "")):
                # a browser asks for user and password, and sends them to what is below this folder alone
                return PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": 'Basic realm="rarefy"'})
            response = await super().get_response(path, scope)
            response.headers["Content-Security-Policy"] = APART
            return response

    Path(folder).mkdir(parents=True, exist_ok=True)
    return Mount(f"{PATH}/{name}", app=ProtectedFiles(directory=folder), name=f"rarefy-{name}")


def _is_authorized(authorization: str) -> bool:
    """Whether an Authorization header holds the login of the server."""
    expected = os.environ.get(SERVER, "").encode()
    scheme, _, credentials = authorization.partition(" ")
    try:
        given = base64.b64decode(credentials, validate=True)
    except ValueError:
        return False
    return bool(expected) and scheme.lower() == "basic" and hmac.compare_digest(given, expected)


PATIENCE = 20.0  # seconds that a run has to say how it ended


def run_worker(pool: str, name: str) -> int:
    """Take the runs of a work pool until asked to end; those under way are ended first and say so."""
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


def run_watcher(every: float, deployment: str, corpus: str, out: str, store: str, config_file: str) -> int:
    """Look at the documents every few seconds, and start the deployment where they changed; failures are retried."""
    end_with_starter()
    from rarefy.flows.config import load
    from rarefy.flows.serving.flow_runs import start_deployment
    from rarefy.flows.serving.folder_watch import look
    from rarefy.tasks.models.llm.secrets import redacted
    from rarefy.tasks.refresh.feeds.faults import FeedFault
    from rarefy.tasks.refresh.refresh_queue import pending_requests
    from rarefy.tasks.store.journal import line_of
    from rarefy.tasks.store.tables import Store

    config = load(Path(config_file) if config_file else None)
    last_message = ""

    def say(text: str) -> None:
        nonlocal last_message
        if text != last_message:
            print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {redacted(text)}", file=sys.stderr, flush=True)
        last_message = text

    def begin() -> None:
        say(start_deployment(deployment, only_if_wanted=True))

    if pending_requests(Store(store), line_of(out)):  # asked for, and not answered, when this machine went down
        begin()
    while True:
        try:
            if why := look(corpus, out, store, config, say, then=begin):
                say(why)
        except Exception as error:
            # by name: httpx's exceptions are those of a server that is busy or away
            known = isinstance(error, Fault | FeedFault | OSError)
            if not known and type(error).__module__.partition(".")[0] not in {"httpx", "httpcore", "prefect"}:
                raise
            say(f"cannot look: {error}; tried again in {every:,.0f} s")
        threading.Event().wait(every)


if __name__ == "__main__":
    process, *given = sys.argv[1:]
    try:
        if process == "server":
            sys.exit(run_server(given[0], int(given[1]), json.loads(given[2])))
        if process == "worker":
            sys.exit(run_worker(*given))
        sys.exit(run_watcher(**json.loads(given[0])))
    except UsageFault as fault:
        print(fault, file=sys.stderr)
        sys.exit(fault.code)
