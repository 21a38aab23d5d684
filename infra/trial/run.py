"""infra/compose.yaml, really run: `make test-containers`, with Docker and its Compose 2; wants nothing but Python 3.11.

Base images are used as found, else pulled, else made of Debian's packages (stand-ins, on Debian 12 as root with
debootstrap). Everything has the project name rarefy-trial and is removed at the end, but for the images.
`--keep` leaves it running. Where something is missing it says "skipped", and why, and ends with 0.
"""

import argparse
import base64
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
INFRA, ROOT = HERE.parent, HERE.parent.parent
PROJECT = IMAGE = "rarefy-trial"
DOCUMENTS = ("24-cfr-791.md", "24-cfr-792.md", "fomc-2015-06-17.txt", "fomc-2015-07-29.txt")
STANDS_IN = {
    "python": "python",
    "postgres": "postgres",
    "minio": "s3",
}  # by a word of the image's name: the folder here
UNDER_WAY = {
    "Late",
    "Scheduled",
    "Submitting",
    "Pending",
    "Running",
    "AwaitingConcurrencySlot",
    "AwaitingRetry",
    "Retrying",
}
PATIENCE = 1800  # seconds for a run: two cores that others use too
KILL = (
    "import os, signal; os.kill(-1, signal.SIGKILL)"  # all of a container but its first process, which ends with them
)


# nothing begins by itself in the middle of a trial
CHANGED = """
[deploy.refresh]
schedule = ""
[deploy.watch]
schedule = ""
"""


class Skipped(Exception):
    """What the trial needs is not here."""


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def docker(*arguments: str, quiet: bool = False, patience: int = 3600) -> str:
    """The output of a docker command; what it logs goes to the terminal, unless quiet. Its failure ends the trial."""
    done = subprocess.run(
        ["docker", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if quiet else None,
        text=True,
        timeout=patience,
    )
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
    return done.stdout


def works(*arguments: str, patience: int = 60) -> bool:
    try:
        docker(*arguments, quiet=True, patience=patience)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    return True


def until(true: Callable[[], bool], what: str, patience: int = PATIENCE, pause: float = 2.0) -> float:
    """Wait for it; returns how many seconds it took."""
    begun = time.monotonic()
    while not true():
        if time.monotonic() - begun > patience:
            raise AssertionError(f"{what}: not within {patience} s")
        time.sleep(pause)
    return time.monotonic() - begun


def base_images() -> dict[str, str]:
    """The images that the files name, by a word of their names, and what is taken for each."""
    names = [re.search(r"^ARG BASE=(\S+)", (INFRA / "Dockerfile").read_text(), re.M)[1]]  # type: ignore[index]
    names += re.findall(r"^ +image: (\S*(?:postgres|minio):\S+)", (INFRA / "compose.yaml").read_text(), re.M)
    taken = {}
    for word in STANDS_IN:
        (name,) = (one for one in names if word in one)
        if works("image", "inspect", name) or works("pull", name, patience=300):
            taken[word] = name
        else:
            taken[word] = stand_in(word, taken.get("python", ""))
            say(f"{name} cannot be had: {taken[word]} stands in for it")
    return taken


def stand_in(word: str, python: str) -> str:
    """An image of Debian's packages in place of the one that cannot be had."""
    name = f"{PROJECT}-{STANDS_IN[word]}"
    if works("image", "inspect", name):
        return name
    if os.geteuid() or not shutil.which("debootstrap") or not shutil.which("apt-get"):
        raise Skipped("no registry answers, and stand-ins for the base images want root, apt and debootstrap")
    with tempfile.TemporaryDirectory() as work:
        if not works("image", "inspect", f"{PROJECT}-debian"):
            subprocess.run([HERE / "debian.sh", f"{work}/debian"], check=True, stdout=sys.stderr)
            tar = subprocess.Popen(["tar", "-C", f"{work}/debian", "-c", "."], stdout=subprocess.PIPE)
            subprocess.run(
                ["docker", "import", "-", f"{PROJECT}-debian"], stdin=tar.stdout, check=True, stdout=sys.stderr
            )
        folder = shutil.copytree(HERE / STANDS_IN[word], f"{work}/image")
        if word == "python":
            Path(folder, "pip.conf").write_text(settings_of_pip())
        docker("build", "-t", name, *(["--build-arg", f"BASE={python}"] if word == "minio" else []), str(folder))
    return name


def settings_of_pip() -> str:
    """Where pip of this machine installs from, as a file of settings."""
    told = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    found = re.findall(
        r"^(?:global|install|:env:)\.(index-url|extra-index-url|trusted-host|default-timeout)='(.*)'$", told, re.M
    )
    return "\n".join(["[global]", *(f"{name} = {value}" for name, value in dict(found).items())]) + "\n"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Trial:
    """The project's containers, and Prefect's API."""

    def __init__(self, work: Path, base: dict[str, str]) -> None:
        self.login, self.port = f"trial:{secrets.token_hex(16)}", free_port()
        given = {
            "POSTGRES_PASSWORD": secrets.token_hex(16),
            "MINIO_ROOT_PASSWORD": secrets.token_hex(16),
            "PREFECT_LOGIN": self.login,
            "PREFECT_PORT": str(self.port),
            "DASK_PORT": str(free_port()),
            "RAREFY_CONFIG": str(work / "rarefy.toml"),
            **{name: os.environ[name] for name in ("TORCH_INDEX", "RAREFY_WORKER_MEMORY") if name in os.environ},
        }
        example = dict(
            line.split("=", 1) for line in (INFRA / ".env.example").read_text().splitlines() if line[:1].isalpha()
        )
        (work / "env").write_text("".join(f"{name}={value}\n" for name, value in (example | given).items()))
        (work / "env").chmod(0o600)
        (work / "rarefy.toml").write_text((INFRA / "rarefy.toml").read_text() + CHANGED)
        (work / "rarefy.toml").chmod(0o644)
        work.chmod(0o755)
        text = (INFRA / "compose.yaml").read_text()
        ours = re.findall(r"^  ([\w-]+):.*\n    <<: \*rarefy$", text, re.M)
        images = {"postgres": base["postgres"], "minio": base["minio"]} | dict.fromkeys(ours, IMAGE)
        override: dict[str, Any] = {"services": {name: {"image": image} for name, image in images.items()}}
        override["services"]["objects"]["build"] = {"args": {"BASE": base["python"]}}
        (work / "trial.yaml").write_text(json.dumps(override))  # JSON is YAML
        self.files = [
            "-p",
            PROJECT,
            "--env-file",
            str(work / "env"),
            "-f",
            str(INFRA / "compose.yaml"),
            "-f",
            str(work / "trial.yaml"),
        ]
        self.work = work

    def compose(self, *arguments: str, **how: Any) -> str:
        return docker("compose", "--progress", "plain", *self.files, *arguments, **how)

    def up(self) -> None:
        self.compose("up", "-d", quiet=True)
        until(self.all_well, "every service is healthy", 600)

    def all_well(self) -> bool:
        lines = self.compose("ps", "-a", "--format", "json", quiet=True).splitlines()
        rows = [row for line in lines for row in ([json.loads(line)] if line.startswith("{") else json.loads(line))]
        ended = [row for row in rows if row["State"] == "exited"]
        assert all(row["ExitCode"] == 0 for row in ended), f"ended badly: {[row['Name'] for row in ended]}"
        return len(ended) == 3 and all(row["Health"] == "healthy" for row in rows if row not in ended)

    def api(self, path: str, body: Any = None) -> Any:
        head = {
            "Authorization": f"Basic {base64.b64encode(self.login.encode()).decode()}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/{path}", data, head)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    def start(self, kind: str, **parameters: Any) -> str:
        deployment = self.api(f"deployments/name/rarefy%20{kind}/{kind}")["id"]
        return str(self.api(f"deployments/{deployment}/create_flow_run", {"parameters": parameters})["id"])

    def state(self, run: str) -> str:
        """The name of a run's state; the last known where the server is away."""
        try:
            found = self.api(f"flow_runs/{run}")["state"]
        except OSError:  # it starts again
            return "Running"
        self.message = str(found["message"])
        return str(found["name"])

    def ended(self, run: str, name: str) -> float:
        """Wait until a run is over; it must end in the state of this name."""
        seconds = until(lambda: self.state(run) not in UNDER_WAY, f"run {run} ends")
        state = self.state(run)
        assert state == name, f"run {run} ended as {state}, not {name}: {self.message}"
        say(f"  {state}: {self.message.splitlines()[0]} ({seconds:.0f} s)")
        return seconds

    def reached(self, run: str, stage: str) -> None:
        """Wait until a run's log tells of the end of a stage."""
        asked = {"logs": {"flow_run_id": {"any_": [run]}}, "sort": "TIMESTAMP_DESC", "limit": 50}
        until(
            lambda: any(line["message"].startswith(f"{stage}:") for line in self.api("logs/filter", asked)),
            f"{run}: {stage}",
        )
        assert self.state(run) == "Running"

    def digests(self, folder: str) -> dict[str, str]:
        """SHA-256 of each file of a benchmark."""
        return listed(self.compose("exec", "-T", "prefect-worker", "sh", "-c", DIGESTS.format(folder), quiet=True))


DIGESTS = "cd {} && find . -type f ! -name '*.lock' -exec sha256sum {{}} +"


def listed(output: str) -> dict[str, str]:
    found = dict(reversed(line.split(maxsplit=1)) for line in output.splitlines())
    assert "./manifest.json" in found, output
    return found


def alone(filings: Path) -> dict[str, str]:
    """What one process makes of the documents in a container without a network."""
    command = "rarefy build /filings --out /tmp/alone --store /tmp/store >&2 && " + DIGESTS.format("/tmp/alone")
    return listed(
        docker(
            "run", "--rm", "--network", "none", "-v", f"{filings}:/filings:ro", IMAGE, "sh", "-c", command, quiet=True
        )
    )


def same(one: dict[str, str], other: dict[str, str]) -> None:
    differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    assert not differing, f"not the same bytes: {differing}"
    say(f"  the same bytes as one process, {len(one)} files")


def pages(trial: Trial) -> None:
    dask = trial.compose("port", "dask-scheduler", "8787", quiet=True).strip()
    for what, url in (("Prefect", f"http://127.0.0.1:{trial.port}/"), ("Dask", f"http://{dask}/status")):
        with urllib.request.urlopen(url, timeout=60) as answer:
            page = answer.read().decode()
        assert "<script" in page, f"{what}: {page[:200]}"
    say("  the pages of Prefect and Dask answer")


def rehearse(trial: Trial) -> None:
    filings = trial.work / "filings"
    filings.mkdir(mode=0o755)
    for name in DOCUMENTS:
        shutil.copyfile(ROOT / "tasks" / "sample" / "corpus" / name, filings / name)
        (filings / name).chmod(0o644)

    say("build of the image, and up")
    trial.compose("build")
    trial.up()
    pages(trial)

    say("a folder that cannot be read is refused, one that can is uploaded")
    upload = ("run", "--rm", "-T", "-v", f"{filings}:/filings:ro", "bucket", "upload", "/filings")
    (filings / DOCUMENTS[0]).chmod(0o600)
    if not os.geteuid():
        refused = subprocess.run(["docker", "compose", *trial.files, *upload], capture_output=True, text=True)
        assert refused.returncode == 1 and "chmod" in refused.stderr, refused
    (filings / DOCUMENTS[0]).chmod(0o644)
    say("  " + trial.compose(*upload, quiet=True).strip())

    say("one process in a container without a network")
    expected = alone(filings)

    say("build, refresh and evaluate as docs/machines.md has them")
    for kind, *given in (["build"], ["refresh"], ["evaluate", "-p", "questions=4", "-p", 'systems=["extractive"]']):
        run = ["prefect", "deployment", "run", f"rarefy {kind}/{kind}", *given, "--watch"]
        trial.compose("exec", "-T", "prefect-worker", *run, quiet=True)
        if kind == "build":
            same(expected, trial.digests("/benchmarks/rarefy"))
    trial.compose("cp", "prefect-worker:/benchmarks", str(trial.work), quiet=True)
    assert list((trial.work / "benchmarks" / "results").glob("*/report.html"))
    # the first look at a place takes every document for new, and starts a refresh, which finds nothing to do
    for kind, state in (("watch", "Wanted"), ("refresh", "Unchanged"), ("watch", "Unchanged")):
        trial.ended(trial.start(kind), state)

    def cut(number: int, what: str, hurt: Callable[[], Any]) -> str:
        say(f"{what}, in the middle of a build")
        run = trial.start("build", store=f"s3://rarefy/{number}", out=f"/benchmarks/{number}")
        trial.reached(run, "chunk")
        hurt()
        return run

    def kill(service: str) -> None:
        subprocess.run(
            ["docker", "compose", *trial.files, "exec", "-T", service, "python", "-c", KILL], capture_output=True
        )

    hurts: list[tuple[str, Callable[[], Any]]] = [("a Dask worker is killed", lambda: kill("dask-worker"))]
    for service in ("dask-scheduler", "prefect", "postgres", "minio"):
        hurts.append((f"{service} is restarted", lambda name=service: trial.compose("restart", name, quiet=True)))  # type: ignore[misc]
    for number, (what, hurt) in enumerate(hurts):
        trial.ended(cut(number, what, hurt), "Built")
        same(expected, trial.digests(f"/benchmarks/{number}"))
        until(trial.all_well, "every service is healthy", 600)

    lost = cut(90, "the worker of Prefect is killed", lambda: kill("prefect-worker"))
    trial.ended(lost, "Crashed")
    until(trial.all_well, "every service is healthy", 600)

    lost = cut(91, "down and up", lambda: (trial.compose("down", quiet=True), trial.up()))
    after = trial.start("build", store="s3://rarefy/91", out="/benchmarks/91")
    trial.ended(lost, "Crashed")
    trial.ended(after, "Built")
    same(expected, trial.digests("/benchmarks/91"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave it running at the end")
    keep = parser.parse_args().keep
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and tidy up
    with tempfile.TemporaryDirectory(prefix="rarefy-trial-") as folder:
        try:
            if not shutil.which("docker") or not works("info"):
                raise Skipped("no Docker answers here")
            if not works("compose", "version"):
                raise Skipped("docker has no Compose 2")
            trial = Trial(Path(folder), base_images())
        except Skipped as why:
            print(f"skipped: the trial of infra/compose.yaml: {why}")
            return 0
        try:
            rehearse(trial)
        except BaseException:
            print(trial.compose("logs", "--tail", "40", quiet=True))
            raise
        finally:
            if not keep:
                trial.compose("down", "-v", "--remove-orphans", quiet=True)
    say("passed: the trial of infra/compose.yaml")
    return 0


if __name__ == "__main__":
    sys.exit(main())
