"""One command, one machine: Prefect's server, the deployments, a worker, and what triggers them (architecture §6)."""

import contextlib
import fcntl
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rarefy.flows.engine import prefect_server
from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.serving.config import Deploy
from rarefy.flows.serving.login import (
    CLIENT,
    ENDING,
    FILE,
    ORIGINS,
    SERVER,
    SHOWN,
    allowed_origins,
    create_login,
    write_login,
)
from rarefy.flows.serving.processes import BUSY, PATH
from rarefy.tasks.private import make_folder, open_file

LONGEST_START = 180.0  # seconds: migrating an empty database was seen to take 16 on a busy machine
LONGEST_END = 30.0  # seconds that a process has to end by itself
LOG_LIMIT = 20_000_000  # bytes of a log, after which it is begun anew, and the old one kept beside it
AGAIN = 5  # times that a worker is started again within a minute, before that is taken for a fault


@dataclass
class Child:
    """A child process, with its log and the processes that it has started."""

    name: str
    command: Sequence[str]
    log: Path
    folder: str = "."
    process: "subprocess.Popen[bytes] | None" = None
    known: dict[int, Any] = field(default_factory=dict)  # processes that it has started, which may outlive it
    starts: list[float] = field(default_factory=list)

    def start(self) -> None:
        """Start it, with its output in its log."""
        make_folder(self.log.parent)
        with open_file(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.PIPE,  # never written to: it ends when this process does
                stdout=subprocess.PIPE if self.name == "server" else log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for this process alone, which ends the others in their order
            )
        self.starts.append(time.monotonic())

    def last(self) -> str:
        """The last line of its log."""
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def is_alive(self) -> bool:
        """Whether it lives; notes which processes it has started by now."""
        import psutil

        assert self.process
        if self.process.poll() is not None:
            return False
        if self.log.stat().st_size > LOG_LIMIT:  # whoever writes to it appends, and goes on at its new end
            with self.log.open("rb") as log, open_file(self.log.with_suffix(".old.log"), "wb") as old:
                shutil.copyfileobj(log, old)
            os.truncate(self.log, 0)
        with contextlib.suppress(psutil.NoSuchProcess):
            for one in psutil.Process(self.process.pid).children(recursive=True):
                self.known.setdefault(one.pid, one)
        return True

    def end(self, patience: float = LONGEST_END) -> None:
        """End it and all that it has started: ask first, then kill."""
        if self.process is None:
            return
        self.is_alive()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.sweep()

    def sweep(self) -> None:
        """Kill what it has left behind."""
        from rarefy.flows.serving.processes import kill

        kill([one for one in self.known.values() if one.is_running()], patience=3.0)
        self.known.clear()


@dataclass(frozen=True)
class ServeOptions:
    """What to serve, and where."""

    deploy: Deploy
    config_file: str
    home: Path
    host: str
    port: int
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()  # modules that run along, by name
    replace: bool = False  # also deployments of others, on a server that is not ours


def serve(options: ServeOptions, say: Callable[[str], None]) -> int:
    """Serve until Ctrl-C or SIGTERM; returns the exit code. Fault where a process does not start, or ends for good."""
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    with _lock_home(options.home), _environment(options) as (own, shown):
        (options.home / "ending").unlink(missing_ok=True)
        children: list[Child] = []
        try:
            if own:
                children.append(_start_server(options, shown))
            else:
                prefect_server.wait()  # says so where nobody answers
            _register(options, own, say)
            children += _make_children(options)
            for one in children[1 if own else 0 :]:
                one.start()
            say("Ctrl-C ends it; what it knows stays in " + str(options.home))
            _watch(children, asked, say)
        finally:
            say("ending")
            (options.home / "ending").touch()
            for one in reversed(children):
                one.end()
    return 0


@contextlib.contextmanager
def _lock_home(home: Path) -> Iterator[None]:
    """Within it, no other `rarefy serve` uses this folder; Fault where one does."""
    make_folder(home)
    with open_file(home / "serve.lock", "a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise Fault(
                f"{home}: another `rarefy serve` (pid {lock.read().strip() or 'unknown'}) serves from this folder; "
                "end it, or choose another --home"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


@contextlib.contextmanager
def _environment(options: ServeOptions) -> Iterator[tuple[bool, dict[str, str]]]:
    """Set the environment of all processes; yields whether the server is ours, and which folders it shows."""
    own = not os.environ.get("PREFECT_API_URL")
    folders = {"benchmark": options.deploy.out, "results": options.deploy.results}
    shown = {n: str(Path(options.deploy.folder, f).resolve()) for n, f in folders.items() if own and "://" not in f}
    given = {
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "WARNING",  # in the logs of server and worker
        ENDING: str(options.home / "ending"),
    }
    if own:
        local = "127.0.0.1" if options.host in ("0.0.0.0", "::", "") else options.host
        public = socket.gethostname() if local != options.host else options.host
        api = f"http://{local}:{options.port}/api"
        credentials = os.environ.get(SERVER) or create_login()  # anew each time, unless its user has chosen one
        write_login(options.home, credentials)
        given |= {
            SERVER: credentials,
            CLIENT: credentials,
            ORIGINS: ",".join(allowed_origins(options.host, options.port)),
            "PREFECT_HOME": str(options.home),
            "PREFECT_API_URL": api,
            "PREFECT_UI_URL": f"http://{public}:{options.port}",
            "PREFECT_UI_API_URL": f"http://{public}:{options.port}/api",
            "PREFECT_SERVER_API_HOST": options.host,
            "PREFECT_SERVER_API_PORT": str(options.port),
            "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
            "PREFECT_UI_STATIC_DIRECTORY": str(options.home / "ui"),
            SHOWN: json.dumps({folder: f"http://{public}:{options.port}{PATH}/{n}" for n, folder in shown.items()}),
        }
        for name in ("NO_PROXY", "no_proxy"):  # what goes to this machine is no business of a proxy
            given[name] = ",".join(filter(None, [os.environ.get(name), local]))
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield own, shown
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _start_server(options: ServeOptions, shown: dict[str, str]) -> Child:
    """Start Prefect's server; returns it once it answers."""
    command = (
        sys.executable,
        "-m",
        "rarefy.flows.serving.processes",
        "server",
        options.host,
        str(options.port),
        json.dumps(shown),
    )
    child = Child("server", command, options.home / "server.log")
    child.start()
    assert child.process and child.process.stdout
    timer = threading.Timer(LONGEST_START, child.process.kill)
    timer.start()
    first_line = child.process.stdout.readline()
    timer.cancel()
    if first_line.startswith(b"ready"):
        return child
    code = child.process.wait()
    if code == BUSY:
        raise Fault(
            f"port {options.port} of {options.host} is taken: another server listens there. Choose another --port, or "
            "end that one; to use it, set PREFECT_API_URL to its address"
        )
    raise Fault(f"Prefect's server did not start (exit code {code}): {child.last()}; see {child.log}")


def _register(options: ServeOptions, own: bool, say: Callable[[str], None]) -> None:
    """Register the deployments, and print what there is now."""
    if "prefect" in sys.modules:  # it read its settings when it was imported
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()
    from prefect.settings import PREFECT_UI_URL

    from rarefy.flows.serving.deployments import register
    from rarefy.flows.serving.flow_runs import clean_up_runs

    made = register(options.deploy, options.config_file, str(Path.cwd()), replace=own or options.replace)
    cut, missed = clean_up_runs(options.deploy.work_pool) if own else (0, 0)
    if cut or missed:
        say(f"since the last time: {cut} runs were cut off, {missed} were missed, of which the last is made up for")
    say(f"Prefect's UI: {PREFECT_UI_URL.value()}")
    if own:
        file = options.home / FILE
        say(f"  it asks for a login, once: the line in {file}")
        say(f"  other commands need it as well: export {CLIENT}=$(cat {shlex.quote(str(file))})")
    for one in made:
        say(f"  {one.full_name:<30} {one.schedule}")


def _make_children(options: ServeOptions) -> list[Child]:
    """The worker, and what else runs beside it; not started yet."""
    name = f"serve on {socket.gethostname()}"
    worker = (sys.executable, "-m", "rarefy.flows.serving.processes", "worker", options.deploy.work_pool, name)
    found = [Child("worker", worker, options.home / "worker.log")]
    for what, command in options.beside:
        found.append(
            Child(what, (sys.executable, "-m", *command), options.home / f"{what}.log", options.deploy.folder or ".")
        )
    return found


def _watch(children: Sequence[Child], asked: threading.Event, say: Callable[[str], None]) -> None:
    """Until asked to end, start again what ends by itself; Fault where that is the server."""
    while not asked.wait(0.5):
        for one in children:
            if one.is_alive():
                continue
            code = one.process.returncode if one.process else None
            recent = [when for when in one.starts if time.monotonic() - when < 60]
            if one.name == "server" or code == UsageFault.code or len(recent) > AGAIN:
                raise Fault(f"the {one.name} ended (exit code {code}): {one.last()}; see {one.log}")
            say(f"the {one.name} ended (exit code {code}), and is started again; see {one.log}")
            one.sweep()
            one.start()
