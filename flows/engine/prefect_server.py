"""The Prefect API a run reports to: the user's, or a temporary one that dies with the run (architecture §6)."""

import base64
import contextlib
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from rarefy.flows.faults import Fault
from rarefy.flows.serving.login import CLIENT, FILE, ORIGINS, SERVER, create_login, host_names, restrict_hosts
from rarefy.tasks.models.llm.secrets import redacted, strip_address
from rarefy.tasks.private import make_folder, open_file

LONGEST = 60_000  # characters of an artifact: a browser shows it
PATIENCE = 120  # seconds: starting was seen to take 16 s with an empty database on a busy machine
SETTINGS = {
    "PREFECT__SERVER_EPHEMERAL": "1",
    "PREFECT_SERVER_UI_ENABLED": "false",
    "PREFECT_API_BLOCKS_REGISTER_ON_START": "false",
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
}

_server: "subprocess.Popen[str] | None" = None


def start() -> None:
    """Begin to start a temporary API, unless PREFECT_API_URL names one; to be called before Prefect is imported."""
    global _server
    if _server or os.environ.get("PREFECT_API_URL"):
        return
    home = Path(tempfile.mkdtemp(prefix="rarefy-prefect-"))
    os.environ["PREFECT_HOME"] = str(home)
    for name in ("NO_PROXY", "no_proxy"):  # what goes to this machine is no business of a proxy
        os.environ[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1"]))
    os.environ["PREFECT_LOGGING_TO_API_ENABLED"] = "false"  # nobody will read them there
    os.environ[CLIENT] = credentials = create_login()
    with open_file(home / "errors.txt") as errors:
        _server = subprocess.Popen(
            [sys.executable, "-m", "rarefy.flows.engine.prefect_server", str(home)],
            stdin=subprocess.PIPE,  # never written to: it ends when this process does, and with it the server
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | SETTINGS | {SERVER: credentials, ORIGINS: ""},
            start_new_session=True,  # Ctrl-C is for the build, which still has to tell the server how it ended
        )


def wait() -> None:
    """Return when the API answers; Fault where it does not."""
    if url := os.environ.get("PREFECT_API_URL"):
        if not (_server and _server.poll() is None):
            _check_answers(url)
        return
    start()
    assert _server and _server.stdout
    # the server takes seconds to start, on another core, and what every run imports takes as long here
    import prefect.main  # noqa: F401

    from rarefy.data_contracts import expectations

    expectations.connect()
    timer = threading.Timer(PATIENCE, _server.kill)
    timer.start()
    try:
        port = _server.stdout.readline().strip()
    finally:
        timer.cancel()  # after Ctrl-C, too: this process would not end before it has run out
    if not port:
        errors = (Path(os.environ["PREFECT_HOME"]) / "errors.txt").read_text().strip().splitlines()
        raise Fault(
            f"Prefect's temporary server did not start ({errors[-1] if errors else 'it said nothing'}); "
            "install the pinned versions, or start `prefect server start` and set PREFECT_API_URL"
        )
    os.environ["PREFECT_API_URL"] = f"http://127.0.0.1:{port}/api"
    if "prefect" in sys.modules:  # it read its settings when it was imported
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()


def is_temporary() -> bool:
    """Whether the API is a temporary one of this run, which nobody looks at."""
    return _server is not None


def _check_answers(url: str) -> None:
    """Fault where a server does not answer, or wants a login that we do not have."""
    if _status(url, "health") and _status(url, "version") == 401 and _status(url, "version", _authorization()) == 401:
        raise Fault(
            f"PREFECT_API_URL={strip_address(url)} lets nobody in without a login: set {CLIENT} to that of the server "
            f"(a `rarefy serve` writes its own to STORE/prefect/{FILE}, and says so when it starts), or unset the "
            "variable to build without one"
        )


def _status(url: str, path: str, authorization: str = "") -> int:
    """The HTTP status of an answer of the server; Fault where it does not answer."""
    try:
        request = Request(
            f"{url.rstrip('/')}/{path}", headers={"Authorization": authorization} if authorization else {}
        )
        with build_opener(ProxyHandler({})).open(request, timeout=10) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code
    except (URLError, OSError, ValueError, HTTPException) as error:
        # what is no address is told by its parts, a password's among them
        why = redacted(str(getattr(error, "reason", error))) if isinstance(error, OSError) else type(error).__name__
        raise Fault(
            f"PREFECT_API_URL={strip_address(url)} does not answer ({why}); "
            "start it with `prefect server start`, or unset the variable to build without one"
        ) from None  # the library's error tells the whole address


def _authorization() -> str:
    """The Authorization header of Prefect's client, by its settings in the environment and the profile."""
    from prefect.settings import get_current_settings

    api = get_current_settings().api
    if api.auth_string:
        return f"Basic {base64.b64encode(api.auth_string.get_secret_value().encode()).decode()}"
    return f"Bearer {api.key.get_secret_value()}" if api.key else ""


def _serve(home: Path) -> None:
    """The temporary server itself: prints its port once it answers, and ends when its starter does."""

    def end_with_starter() -> None:
        sys.stdin.read()
        shutil.rmtree(home, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=end_with_starter, daemon=True).start()
    os.umask(0o077)
    template = _template()
    known = template.exists()
    if known:  # migrating an empty database takes ten seconds, copying one that was migrated none
        shutil.copyfile(template, home / "prefect.db")
        os.environ["PREFECT_SERVER_DATABASE_MIGRATE_ON_START"] = "false"

    import uvicorn
    from prefect.server.api.server import create_app

    app = restrict_hosts(create_app(ephemeral=True), host_names("127.0.0.1"))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="on"))
    listener = socket.create_server(("127.0.0.1", 0))

    def print_port() -> None:
        while not server.started:
            threading.Event().wait(0.02)
        if not known:
            _keep_template(home / "prefect.db", template)
        print(listener.getsockname()[1], flush=True)

    threading.Thread(target=print_port, daemon=True).start()
    server.run(sockets=[listener])


def _template() -> Path:
    """Where an empty, migrated database of this version of Prefect is kept for the next run."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "rarefy" / f"prefect-{version('prefect')}.db"


def _keep_template(database: Path, template: Path) -> None:
    """Keep a copy of the database, whole or not at all; where it cannot be kept, the next run starts slower."""
    with contextlib.suppress(OSError, sqlite3.Error):
        make_folder(template.parent)
        scratch = template.with_name(f".{template.name}.{os.getpid()}")
        with (
            contextlib.closing(sqlite3.connect(database)) as source,
            contextlib.closing(sqlite3.connect(scratch)) as copy,
        ):
            source.backup(copy)
        scratch.replace(template)


def create_artifact(place: str, name: str, description: str, content: str | Sequence[Mapping[str, Any]]) -> None:
    """Create an artifact in Prefect of what a run made, Markdown or a table.

    All of it stands in the run's files, too: a server that does not take it fails no run, the log says so.
    """
    import httpx
    from prefect.artifacts import create_markdown_artifact, create_table_artifact
    from prefect.logging import get_run_logger

    key = artifact_key(place, name)
    try:
        if isinstance(content, str):
            if len(content) > LONGEST:
                content = f"{content[:LONGEST]}\n\n… the rest is in {place}"
            create_markdown_artifact(content, key=key, description=description)
        else:
            create_table_artifact([dict(row) for row in content], key=key, description=description)
    except httpx.HTTPError as error:
        get_run_logger().warning("the artifact %s is not shown: %s", key, redacted(str(error)))


def artifact_key(place: str, name: str) -> str:
    """The key in Prefect of an artifact of the benchmark or result in a folder; each has a history of its own."""
    return re.sub(r"[^a-z0-9]+", "-", f"{Path(place).name} {name}".lower()).strip("-")


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
