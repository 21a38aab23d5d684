"""The process of Prefect's server, with the folders of benchmarks beside its UI; it ends when its starter does."""

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
from pathlib import Path
from typing import Any

from rarefy.flows.serving.login import SERVER, guarded, names

BUSY = 98  # exit code: another process has the port
LOCKED = 5_000  # ms that one of the server's SQLite connections waits for another: see `_patient_database`
PATH = "/rarefy"  # of an address, before the name of a folder
# what a report's scripts may not do: it stands at the address of an API to which its reader may be logged in
APART = "sandbox allow-scripts allow-popups allow-downloads"


def end_with_starter() -> None:
    """Ask this process to end once its standard input does: its starter is gone, however that ended."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 1024):  # not by sys.stdin, whose lock the end of the interpreter would wait for
                pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def main(host: str, port: int, shown: dict[str, str]) -> int:
    """Serve until asked to end; "ready PORT" is printed once the API answers. `shown`: folders by name."""
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
            guarded(app, names(host)),
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

    class Shown(StaticFiles):
        async def get_response(self, path: str, scope: Any) -> Response:
            if not _known(Headers(scope=scope).get("authorization", "")):
                # a browser asks for user and password, and sends them to what is below this folder alone
                return PlainTextResponse("Unauthorized", 401, {"WWW-Authenticate": 'Basic realm="rarefy"'})
            response = await super().get_response(path, scope)
            response.headers["Content-Security-Policy"] = APART
            return response

    Path(folder).mkdir(parents=True, exist_ok=True)
    return Mount(f"{PATH}/{name}", app=Shown(directory=folder), name=f"rarefy-{name}")


def _known(authorization: str) -> bool:
    """Is this the login of the server, as HTTP has it?"""
    expected = os.environ.get(SERVER, "").encode()
    scheme, _, told = authorization.partition(" ")
    try:
        given = base64.b64decode(told, validate=True)
    except ValueError:
        return False
    return bool(expected) and scheme.lower() == "basic" and hmac.compare_digest(given, expected)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])))
