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
from rarefy.flows.serving.links import SHOWN
from rarefy.flows.serving.login import CLIENT, FILE, ORIGINS, SERVER, login, origins, write_login
from rarefy.flows.serving.server_process import BUSY, PATH
from rarefy.flows.serving.shutdown import ENDING
from rarefy.tasks.private import make_folder, open_file

LONGEST_START = 180.0  # seconds: migrating an empty database was seen to take 16 on a busy machine
LONGEST_END = 30.0  # seconds that a process has to end by itself
LOG_LIMIT = 20_000_000  # bytes of a log, after which it is begun anew, and the old one kept beside it
AGAIN = 5  # times that a worker is started again within a minute, before that is taken for a fault


@dataclass
class Child:
    """A process that lives as long as this one."""

    name: str
    command: Sequence[str]
    log: Path
    folder: str = "."
    process: "subprocess.Popen[bytes] | None" = None
    known: dict[int, Any] = field(default_factory=dict)  # processes that it has started, which may outlive it
    starts: list[float] = field(default_factory=list)

    def start(self) -> None:
        """Start it; what it says goes to its log."""
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
        """The last line that it said."""
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def look(self) -> bool:
        """Does it live? What it has started by now is remembered."""
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
        """Ask it to end, and see to it that it and all that it has started does."""
        if self.process is None:
            return
        self.look()
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
        from rarefy.flows.serving.worker import kill

        kill([one for one in self.known.values() if one.is_running()], patience=3.0)
        self.known.clear()


@dataclass(frozen=True)
class Wish:
    """What is to be served, where."""

    deploy: Deploy
    config_file: str
    home: Path
    host: str
    port: int
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()  # modules that run along, by name
    replace: bool = False  # also deployments of others, on a server that is not ours


def serve(wish: Wish, say: Callable[[str], None]) -> int:
    """Serve until Ctrl-C or SIGTERM; the exit code. Fault where a part does not start, or ends for good."""
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    with _alone(wish.home), _environment(wish) as (own, shown):
        (wish.home / "ending").unlink(missing_ok=True)
        parts: list[Child] = []
        try:
            if own:
                parts.append(_server(wish, shown))
            else:
                prefect_server.wait()  # says so where nobody answers
            _tell(wish, own, say)
            parts += _helpers(wish)
            for one in parts[1 if own else 0 :]:
                one.start()
            say("Ctrl-C ends it; what it knows stays in " + str(wish.home))
            _watch(parts, asked, say)
        finally:
            say("ending")
            (wish.home / "ending").touch()
            for one in reversed(parts):
                one.end()
    return 0


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Nobody else serves from this folder."""
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
def _environment(wish: Wish) -> Iterator[tuple[bool, dict[str, str]]]:
    """The environment of this process and all others; whether the server is ours, and which folders it shows."""
    own = not os.environ.get("PREFECT_API_URL")
    folders = {"benchmark": wish.deploy.out, "results": wish.deploy.results}
    shown = {n: str(Path(wish.deploy.folder, f).resolve()) for n, f in folders.items() if own and "://" not in f}
    given = {
        "PREFECT_WORKER_QUERY_SECONDS": "2",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "WARNING",  # in the logs of server and worker
        ENDING: str(wish.home / "ending"),
    }
    if own:
        local = "127.0.0.1" if wish.host in ("0.0.0.0", "::", "") else wish.host
        public = socket.gethostname() if local != wish.host else wish.host
        api = f"http://{local}:{wish.port}/api"
        told = os.environ.get(SERVER) or login()  # anew each time, unless its user has chosen one
        write_login(wish.home, told)
        given |= {
            SERVER: told,
            CLIENT: told,
            ORIGINS: ",".join(origins(wish.host, wish.port)),
            "PREFECT_HOME": str(wish.home),
            "PREFECT_API_URL": api,
            "PREFECT_UI_URL": f"http://{public}:{wish.port}",
            "PREFECT_UI_API_URL": f"http://{public}:{wish.port}/api",
            "PREFECT_SERVER_API_HOST": wish.host,
            "PREFECT_SERVER_API_PORT": str(wish.port),
            "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
            "PREFECT_UI_STATIC_DIRECTORY": str(wish.home / "ui"),
            SHOWN: json.dumps({folder: f"http://{public}:{wish.port}{PATH}/{n}" for n, folder in shown.items()}),
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


def _server(wish: Wish, shown: dict[str, str]) -> Child:
    """Prefect's server, once it answers."""
    command = (
        sys.executable,
        "-m",
        "rarefy.flows.serving.server_process",
        wish.host,
        str(wish.port),
        json.dumps(shown),
    )
    child = Child("server", command, wish.home / "server.log")
    child.start()
    assert child.process and child.process.stdout
    timer = threading.Timer(LONGEST_START, child.process.kill)
    timer.start()
    said = child.process.stdout.readline()
    timer.cancel()
    if said.startswith(b"ready"):
        return child
    code = child.process.wait()
    if code == BUSY:
        raise Fault(
            f"port {wish.port} of {wish.host} is taken: another server listens there. Choose another --port, or end "
            "that one; to use it, set PREFECT_API_URL to its address"
        )
    raise Fault(f"Prefect's server did not start (exit code {code}): {child.last()}; see {child.log}")


def _tell(wish: Wish, own: bool, say: Callable[[str], None]) -> None:
    """Register everything, and say what there is now."""
    if "prefect" in sys.modules:  # it read its settings when it was imported
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()
    from prefect.settings import PREFECT_UI_URL

    from rarefy.flows.serving.register import register
    from rarefy.flows.serving.unfinished_runs import tidy

    made = register(wish.deploy, wish.config_file, str(Path.cwd()), replace=own or wish.replace)
    cut, missed = tidy(wish.deploy.work_pool) if own else (0, 0)
    if cut or missed:
        say(f"since the last time: {cut} runs were cut off, {missed} were missed, of which the last is made up for")
    say(f"Prefect's UI: {PREFECT_UI_URL.value()}")
    if own:
        file = wish.home / FILE
        say(f"  it asks for a login, once: the line in {file}")
        say(f"  other commands need it as well: export {CLIENT}=$(cat {shlex.quote(str(file))})")
    for one in made:
        say(f"  {one.full_name:<30} {one.schedule}")


def _helpers(wish: Wish) -> list[Child]:
    """The worker, and what else runs along."""
    name = f"serve on {socket.gethostname()}"
    worker = (sys.executable, "-m", "rarefy.flows.serving.worker", wish.deploy.work_pool, name)
    found = [Child("worker", worker, wish.home / "worker.log")]
    for what, command in wish.beside:
        found.append(
            Child(what, (sys.executable, "-m", *command), wish.home / f"{what}.log", wish.deploy.folder or ".")
        )
    return found


def _watch(parts: Sequence[Child], asked: threading.Event, say: Callable[[str], None]) -> None:
    """Until asked to end: what ends by itself is started again, but for the server, without which nothing goes on."""
    while not asked.wait(0.5):
        for one in parts:
            if one.look():
                continue
            code = one.process.returncode if one.process else None
            recent = [when for when in one.starts if time.monotonic() - when < 60]
            if one.name == "server" or code == UsageFault.code or len(recent) > AGAIN:
                raise Fault(f"the {one.name} ended (exit code {code}): {one.last()}; see {one.log}")
            say(f"the {one.name} ended (exit code {code}), and is started again; see {one.log}")
            one.sweep()
            one.start()
