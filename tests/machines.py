"""The machines of tests: a Dask scheduler with workers as processes, an object store, a PostgreSQL server."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import pytest
from waiting import PATIENCE, free_port, until


def ended(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all that it started, frozen or not."""
    for sign in (signal.SIGCONT, signal.SIGTERM):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(3)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass
class Cluster:
    """A scheduler and its workers, each a process; those with a nanny are two."""

    address: str
    scheduler: "subprocess.Popen[bytes]"
    folder: Path
    environment: Mapping[str, str]
    workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def hire(self, *options: str, number: int = 1, **environment: str) -> None:
        """Start more workers."""
        for _ in range(number):
            place = len(self.workers)
            command = [sys.executable, "-m", "dask", "worker", self.address, "--nthreads", "1", "--no-dashboard"]
            command += ["--name", f"w{place}", "--local-directory", str(self.folder / f"w{place}"), *options]
            self.workers.append(_started(command, self.folder / f"w{place}.log", {**self.environment, **environment}))

    def pids(self) -> dict[str, int]:
        """Process of each worker that the scheduler knows, by name."""
        from distributed import Client

        with Client(self.address, timeout=PATIENCE, set_as_default=False) as client:
            workers = client.scheduler_info(-1)["workers"]
            names = {address: told["name"] for address, told in workers.items()}
            return {names[address]: pid for address, pid in client.run(os.getpid).items() if address in names}

    def log(self, name: str = "scheduler") -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")


def _started(command: list[str], log: Path, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    with log.open("wb") as file:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=dict(environment), start_new_session=True
        )


@contextlib.contextmanager
def cluster(folder: Path, *workers: str, number: int = 4, ttl: str = "10s", **environment: str) -> Iterator[Cluster]:
    """A scheduler and so many workers, which read the environment of the moment."""
    folder.mkdir(parents=True, exist_ok=True)
    quick = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": ttl, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}
    quick["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = "10"  # a busy machine keeps workers from answering
    everything = {**os.environ, **quick, **environment}
    address = f"tcp://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "dask", "scheduler", "--host", address, "--no-dashboard", "--no-show"]
    made = Cluster(address, _started(command, folder / "scheduler.log", everything), folder, everything)
    try:
        until(lambda: "Scheduler at" in made.log() or made.scheduler.poll() is not None, "the scheduler")
        made.hire(*workers, number=number)
        yield made
    finally:
        for process in (*made.workers, made.scheduler):
            ended(process)


@contextlib.contextmanager
def object_store(bucket: str = "rarefy-tests") -> Iterator[str]:
    """URL of a bucket on a server in this process; the environment leads every client in here, and below, to it."""
    pytest.importorskip("s3fs", reason='S3 needs s3fs: pip install "rarefy[s3]"')
    pytest.importorskip("moto.server", reason='the S3 server of tests is moto: pip install "rarefy[dev]"')
    import logging

    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    own = {
        "AWS_ENDPOINT_URL_S3": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "tests",
        "AWS_SECRET_ACCESS_KEY": "tests",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": ",".join(filter(None, [os.environ.get("NO_PROXY"), "127.0.0.1"])),
    }
    before = {name: os.environ.get(name) for name in own}
    os.environ.update(own)
    try:
        import boto3

        boto3.client("s3").create_bucket(Bucket=bucket)
        yield f"s3://{bucket}"
    finally:
        server.stop()
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        _forget()


def _forget() -> None:
    """Clients that were made for a server that is gone."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """URL of a PostgreSQL server with an empty cluster, ended and removed afterwards."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    binaries = found[-1].parent if found else Path(shutil.which("initdb") or "").parent
    if not (binaries / "initdb").is_file():
        pytest.skip("no PostgreSQL here: apt-get install postgresql")
    root = os.getuid() == 0  # which PostgreSQL refuses to run as
    if root and subprocess.run(["id", "postgres"], capture_output=True).returncode:
        pytest.skip("root may not run PostgreSQL, and there is no user postgres")
    folder = Path(tempfile.mkdtemp(prefix="rarefy-pg-"))
    if root:
        shutil.chown(folder, "postgres", "postgres")
    port = free_port()

    def run(program: str, *arguments: str) -> None:
        command = [str(binaries / program), *arguments]
        leave = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if root else []
        done = subprocess.run(
            [*leave, *command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        assert done.returncode == 0, done.stderr

    try:
        run("initdb", "--no-sync", "-D", f"{folder}/data", "-U", "rarefy", "-A", "trust", "-E", "UTF8", "--locale=C")
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        run("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://rarefy@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", f"{folder}/data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class SearchServer:
    """An Elasticsearch server; one that was started here can be killed and started again with what it holds."""

    address: str
    command: list[str] = field(default_factory=list)
    log: Path = Path()
    process: "subprocess.Popen[bytes] | None" = None

    def restart(self) -> None:
        """Kill it, where it runs, and start it; it answers some seconds later."""
        self.kill()
        self.process = _started(self.command, self.log, os.environ)

    def kill(self) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def answers(self) -> bool:
        if self.process is not None and (code := self.process.poll()) is not None:
            said = self.log.read_text(errors="replace")
            if code == 69:  # Maven or a JDK is missing
                pytest.skip(said.strip())
            raise AssertionError(f"Elasticsearch ended with {code}: {said[-2000:]}")
        with contextlib.suppress(OSError), urllib.request.urlopen(self.address, timeout=10) as answer:
            return bool(answer.status == 200)
        return False


@contextlib.contextmanager
def elasticsearch() -> Iterator[SearchServer]:
    """The server that ELASTICSEARCH_URL names, or one that is started and removed afterwards."""
    if given := os.environ.get("ELASTICSEARCH_URL"):
        yield SearchServer(given)
        return
    launcher = Path(__file__).resolve().parents[2] / "shared" / "tools" / "elasticsearch" / "serve"
    if not launcher.is_file():
        pytest.skip(f"{launcher} is not here, which starts a real Elasticsearch, and ELASTICSEARCH_URL names none")
    folder = Path(tempfile.mkdtemp(prefix="rarefy-es-"))
    port = free_port()
    server = SearchServer(f"http://127.0.0.1:{port}", [str(launcher), str(port), str(folder)], folder / "server.log")
    try:
        server.restart()
        until(server.answers, "Elasticsearch")
        yield server
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def database(server: str, name: str) -> str:
    """URL of a new, empty database of this server, in the place of one of that name."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server.rpartition('/')[0]}/{name}"


def put(folder: Path, url: str) -> None:
    """The files of a folder, as objects below this URL."""
    import fsspec

    fs, root = fsspec.core.url_to_fs(url)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            fs.pipe_file(f"{root}/{path.relative_to(folder).as_posix()}", path.read_bytes())


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a benchmark, without what tells how the run went."""
    changes = {f"changes.{kind}" for kind in ("html", "json", "jsonl", "md")}
    told = {"models.json", "contracts.json", "contracts.html", *changes}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in told
    }


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> dict[str, list[bytes]]:
    """By file that is not the same in both: the first line of each that differs; a failed test says what did."""
    found = {}
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            lines = [files.get(name, b"(no such file)").splitlines(keepends=True) for files in (one, other)]
            pairs = zip_longest(*lines, fillvalue=b"(nothing)")
            found[name] = [line[:500] for line in next(pair for pair in pairs if pair[0] != pair[1])]
    return found
