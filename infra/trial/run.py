"""infra/compose.yaml, really run: `make test-containers`, with Docker and its Compose 2; wants nothing but Python 3.11.

Base images are used as found, else pulled, else made of Debian's packages (stand-ins, on Debian 12 as root with
debootstrap), Elasticsearch of its published jars with ../shared/tools/elasticsearch. Everything has the project name
rarefy-trial and is removed at the end, but for the images. `--keep` leaves it running; `--hurt` names the services that
are hurt in the middle of runs, by default all. Where something is missing it says "skipped", and why, and ends with 0.
"""

import argparse
import base64
import itertools
import json
import os
import re
import resource
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
INFRA, ROOT = HERE.parent, HERE.parent.parent
sys.path.append(str(ROOT / "tests"))
import waiting  # noqa: E402
from waiting import free_port  # noqa: E402

PROJECT = IMAGE = "rarefy-trial"
DOCUMENTS = ("24-cfr-791.md", "24-cfr-792.md", "fomc-2015-06-17.txt", "fomc-2015-07-29.txt")
# by a word of the image's name: the folder here
STANDS_IN = {"python": "python", "postgres": "postgres", "minio": "s3", "elasticsearch": "elasticsearch"}
LAUNCHER = ROOT.parent / "shared" / "tools" / "elasticsearch"
UNAVAILABLE = 69  # what its script, and ours, end with where Maven or a JDK is missing
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
DONE = {"build": "Built", "evaluate": "Evaluated"}
until = partial(waiting.until, patience=1800, pause=1.0)  # seconds for a run: two cores that others use too
EVALUATION = {
    "benchmark": "/benchmarks/sample",
    "systems": ["extractive"],
    "protocols": ["retrieval_robustness"],
    "questions": 60,
}
AWAY = 20  # seconds between stop and start
# in the order of the table; what is hurt in an evaluation, the others in a build
SERVICES = ("dask-worker", "dask-scheduler", "prefect", "postgres", "minio", "elasticsearch")
KILL = "import os, sys; [os.kill(int(process), 9) for process in sys.argv[1:]]"
SEARCHED = 50  # searches that a server has answered when an evaluation counts as being in their middle

# nothing begins by itself in the middle of a trial, and a run that is tried again does not wait long for it
CHANGED = """
[deploy.build]
retry_delay_seconds = 10
[deploy.evaluate]
retry_delay_seconds = 10
[deploy.refresh]
schedule = ""
[deploy.watch]
schedule = ""
"""
# where there is a server: all three kinds of retrievers in one index of it
ON_SERVER = """
[retrieve]
retrievers = ["elasticsearch", "dense", "hybrid"]
hybrid.of = ["elasticsearch", "dense"]
[[retrieve.dense]]
index = "elasticsearch"
"""


class Skipped(Exception):
    """What the trial needs is not here."""


STEPS: list[tuple[str, float]] = []  # each with the moment of its beginning


def say(text: str) -> None:
    """Print a line; one that is not indented begins a step."""
    if not text.startswith(" "):
        STEPS.append((text, time.monotonic()))
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def print_steps() -> None:
    """How long each step took, in seconds; where the trial failed, it did in the last."""
    ends = [begun for _, begun in STEPS[1:]] + [time.monotonic()]
    for (text, begun), end in zip(STEPS, ends, strict=True):
        print(f"{end - begun:6.0f} s  {text}")


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
        failed = subprocess.CalledProcessError(done.returncode, done.args, done.stdout, done.stderr)
        failed.add_note(done.stderr or "")
        raise failed
    return done.stdout


def works(*arguments: str, patience: int = 60) -> bool:
    try:
        docker(*arguments, quiet=True, patience=patience)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return False
    return True


def base_images() -> dict[str, str]:
    """The images that the files name, by a word of their names, and what is taken for each."""
    names = [re.search(r"^ARG BASE=(\S+)", (INFRA / "Dockerfile").read_text(), re.M)[1]]  # type: ignore[index]
    words = "|".join(STANDS_IN)
    names += re.findall(rf"^ +image: (\S*(?:{words}):\S+)", (INFRA / "compose.yaml").read_text(), re.M)
    taken = {}
    for word in STANDS_IN:
        (name,) = (one for one in names if word in one)
        if works("image", "inspect", name) or works("pull", name, patience=300):
            taken[word] = name
            continue
        try:
            taken[word] = stand_in(word, taken.get("python", ""))
        except Skipped as why:
            if word != "elasticsearch":
                raise
            say(f"  skipped: {name}: {why}")
        else:
            say(f"  {name} cannot be had: {taken[word]} stands in for it")
    return taken


def stand_in(word: str, python: str) -> str:
    """An image of Debian's packages in place of the one that cannot be had; Skipped where it cannot be made."""
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
        folder = shutil.copytree(HERE / STANDS_IN[word], Path(work, "image"))
        if word == "python":
            (folder / "pip.conf").write_text(settings_of_pip())
        if word == "elasticsearch":
            made = subprocess.run([folder / "make.sh", LAUNCHER, folder], stdout=sys.stderr)
            if made.returncode == UNAVAILABLE:
                raise Skipped(f"no registry answers, and {LAUNCHER} with Maven and a JDK of 21 or later is not here")
            made.check_returncode()
        docker("build", "-t", name, *(["--build-arg", f"BASE={python}"] if word == "minio" else []), str(folder))
    return name


def settings_of_pip() -> str:
    """Where pip of this machine installs from, as a file of settings."""
    told = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    found = re.findall(
        r"^(?:global|install|:env:)\.(index-url|extra-index-url|trusted-host|default-timeout)='(.*)'$", told, re.M
    )
    settings = {"cert": "/etc/ssl/certs/ca-certificates.crt", **dict(found)}  # debian.sh put ours there, too
    return "\n".join(["[global]", *(f"{name} = {value}" for name, value in settings.items())]) + "\n"


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
            "COMPOSE_PROFILES": "elasticsearch" if "elasticsearch" in base else "",
            **{name: os.environ[name] for name in ("TORCH_INDEX", "RAREFY_WORKER_MEMORY") if name in os.environ},
        }
        example = dict(
            line.split("=", 1) for line in (INFRA / ".env.example").read_text().splitlines() if line[:1].isalpha()
        )
        (work / "env").write_text("".join(f"{name}={value}\n" for name, value in (example | given).items()))
        (work / "env").chmod(0o600)
        given_config = (INFRA / "rarefy.toml").read_text() + CHANGED
        (work / "rarefy.toml").write_text(given_config + (ON_SERVER if "elasticsearch" in base else ""))
        (work / "rarefy.toml").chmod(0o644)
        work.chmod(0o755)
        text = (INFRA / "compose.yaml").read_text()
        ours = re.findall(r"^  ([\w-]+):.*\n    <<: \*rarefy$", text, re.M)
        images = {word: image for word, image in base.items() if word != "python"} | dict.fromkeys(ours, IMAGE)
        override: dict[str, Any] = {"services": {name: {"image": image} for name, image in images.items()}}
        override["services"]["objects"]["build"] = {"args": {"BASE": base["python"]}}
        if "elasticsearch" in base:  # a daemon in a container may not give more files than it may open itself
            files = min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
            override["services"]["elasticsearch"]["ulimits"] = {"nofile": {"soft": files, "hard": files}}
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
        self.work, self.services = work, [name for name in SERVICES if name in base or name in ours]

    def compose(self, *arguments: str, **how: Any) -> str:
        return docker("compose", "--progress", "plain", *self.files, *arguments, **how)

    def up(self) -> None:
        self.compose("up", "-d", quiet=True)
        until(self.all_well, "every service is healthy", patience=600)

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

    def ended(self, run: str, name: str) -> None:
        """Wait until a run is over; it must end in the state of this name."""
        begun = time.monotonic()
        until(lambda: self.state(run) not in UNDER_WAY, f"run {run} ends")
        state, seconds = self.state(run), time.monotonic() - begun
        assert state == name, f"run {run} ended as {state}, not {name}: {self.message}"
        say(f"  {state}: {self.message.splitlines()[0]} ({seconds:.0f} s)")

    def is_logged(self, run: str, begins: str) -> bool:
        """Whether a run's log has a line that begins so."""
        asked = {"logs": {"flow_run_id": {"any_": [run]}}, "sort": "TIMESTAMP_DESC", "limit": 50}
        return any(line["message"].startswith(begins) for line in self.api("logs/filter", asked))

    def reached(self, run: str, stage: str) -> None:
        """Wait until a run's log tells of the end of a stage."""
        until(lambda: self.is_logged(run, f"{stage}:"), f"{run}: {stage}")
        assert self.state(run) == "Running"

    def in_stage(self, run: str, before: str) -> None:
        """Wait until Dask works on documents of the stage after this one."""
        self.reached(run, before)
        counts = f"http://{self.compose('port', 'dask-scheduler', '8787', quiet=True).strip()}/json/counts.json"

        def working() -> bool:
            with urllib.request.urlopen(counts, timeout=60) as answer:
                return bool(json.load(answer)["processing"])

        until(working, f"{run}: Dask has work", pause=0.2)

    def search(self, path: str, method: str = "GET") -> Any:
        """An answer of Elasticsearch, which publishes no port."""
        command = ["curl", "-fsS", "-X", method, f"http://127.0.0.1:9200/{path}"]
        return json.loads(self.compose("exec", "-T", "elasticsearch", *command, quiet=True))

    def in_search(self, run: str) -> None:
        """Wait until Elasticsearch answers searches of a run, into an index that the run itself has filled."""

        def searched() -> bool:
            assert self.state(run) in UNDER_WAY, f"{run} ended as {self.state(run)}: {self.message}"
            try:
                searches = self.search("_stats/search")["_all"]["total"].get("search", {})
            except subprocess.CalledProcessError:  # it starts again
                return False
            return bool(searches.get("query_total", 0) > SEARCHED)

        until(searched, f"{run}: searches", pause=0.2)

    def kill(self, service: str) -> None:
        """End all containers of a service by SIGKILL to their first process, as `docker kill` counts as asked for."""
        found = self.compose("ps", "-q", service, quiet=True).split()
        first = docker("inspect", "-f", "{{.State.Pid}}", *found, quiet=True).split()
        run = ["run", "--rm", "--pid", "host", "--user", "0", "--entrypoint", "python", IMAGE, "-c", KILL]
        docker(*run, *first, quiet=True)

    def stop(self, service: str) -> None:
        """Stop all containers of a service as asked for, and start them after a while."""
        self.compose("stop", service, quiet=True)
        time.sleep(AWAY)
        self.compose("start", service, quiet=True)

    def restart(self, service: str) -> None:
        self.compose("restart", service, quiet=True)

    def digests(self, folder: str) -> dict[str, str]:
        """SHA-256 of each file of a benchmark."""
        return listed(self.compose("exec", "-T", "prefect-worker", "sh", "-c", DIGESTS.format(folder), quiet=True))

    def figures(self, results: str) -> Any:
        """The figures of the only evaluation in this folder."""
        return json.loads(
            self.compose("exec", "-T", "prefect-worker", "sh", "-c", f"cat {results}/*/summary.json", quiet=True)
        )["figures"]


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


ACTIONS: dict[str, Callable[[Trial, str], None]] = {
    "killed": Trial.kill,
    "stopped, started": Trial.stop,
    "restarted": Trial.restart,
}
HEAD = ("service", "in the middle of a run", "the run ended as", "tries", "seconds to its end", "what it made")


def hurt_service(
    trial: Trial, service: str, action: str, number: int, expected: dict[str, str], figures: Any
) -> tuple[str, ...]:
    """Hurt a service in the middle of a run, which must end or leave its turn to the next one; a row of the table."""
    say(f"{service} is {action} in the middle of a run")
    store, out = f"s3://rarefy/hurt-{number}", f"/benchmarks/hurt-{number}"
    if service == "elasticsearch":
        for index in trial.search("_cat/indices?format=json"):
            trial.search(index["index"], "DELETE")
        kind, given = "evaluate", {**EVALUATION, "store": store, "results": out}
        run = trial.start(kind, **given)
        trial.in_search(run)
    else:
        kind, given = "build", {"store": store, "out": out}
        run = trial.start(kind, **given)
        trial.in_stage(run, "chunk")
    begun = time.monotonic()
    ACTIONS[action](trial, service)
    if (service, action) == ("elasticsearch", "killed"):  # twice: requests in flight may wait for what never comes
        trial.in_search(run)
        trial.kill(service)
    until(lambda: trial.state(run) not in UNDER_WAY, f"run {run} ends")
    seconds, state = time.monotonic() - begun, trial.state(run)
    say(f"  {state}: {trial.message.splitlines()[0]}")
    tries = str(trial.api(f"flow_runs/{run}")["run_count"])
    if state != DONE[kind]:
        trial.ended(trial.start(kind, **given), DONE[kind])
        state = f"{state}; the next one as {DONE[kind]}"
    if kind == "build":
        same(expected, trial.digests(out))
    else:
        assert trial.figures(out) == figures, f"{out}: other figures than of an evaluation that nothing was done to"
    until(trial.all_well, "every service is healthy", patience=600)
    return service, action, state, tries, f"{seconds:.0f}", "the same bytes" if kind == "build" else "the same figures"


def pages(trial: Trial) -> None:
    dask = trial.compose("port", "dask-scheduler", "8787", quiet=True).strip()
    for what, url in (("Prefect", f"http://127.0.0.1:{trial.port}/"), ("Dask", f"http://{dask}/status")):
        with urllib.request.urlopen(url, timeout=60) as answer:
            page = answer.read().decode()
        assert "<script" in page, f"{what}: {page[:200]}"
    say("  the pages of Prefect and Dask answer")


def hurt_services(trial: Trial, services: Sequence[str], expected: dict[str, str]) -> None:
    """Hurt each service in each way and print the table; AssertionError at the end where one did not go well."""
    figures = None
    if "elasticsearch" in services:
        say("an evaluation over Elasticsearch that nothing is done to")
        # the packaged benchmark, with enough questions that its searches take a while
        copy = "cp -r /opt/rarefy/lib/python*/site-packages/rarefy/tasks/sample/rarefy/sample /benchmarks"
        trial.compose("exec", "-T", "prefect-worker", "sh", "-c", copy, quiet=True)
        given = {**EVALUATION, "store": "s3://rarefy/whole", "results": "/benchmarks/whole"}
        trial.ended(trial.start("evaluate", **given), DONE["evaluate"])
        figures = trial.figures("/benchmarks/whole")
    rows, faults = list[tuple[str, ...]](), list[str]()
    for number, (service, action) in enumerate(itertools.product(services, ACTIONS)):
        try:
            rows.append(hurt_service(trial, service, action, number, expected, figures))
        except (AssertionError, OSError, subprocess.CalledProcessError) as error:  # the others are tried all the same
            faults.append(f"{service} {action}: {error}")
            say(f"  failed: {error}")
            rows.append((service, action, "failed", "", "", str(error)))
    for row in (HEAD, ("---",) * len(HEAD), *rows):
        print(f"| {' | '.join(row)} |")
    assert not faults, "\n".join(faults)


def run_in_containers(trial: Trial, expected: dict[str, str]) -> None:
    """A build in a container of its own, as infra/docker-pool.yaml has it."""
    say("a build by a work pool of type docker")
    text = (INFRA / "docker-pool.toml").read_text()
    here = {
        "rarefy:0.1.0": IMAGE,
        "rarefy_": f"{PROJECT}_",
        "/srv/rarefy/infra/docker-pool.toml": f"{trial.work}/rarefy.toml",
    }
    for name, ours in here.items():
        text = text.replace(name, ours)
    (trial.work / "rarefy.toml").write_text(text + CHANGED)
    trial.files += ["-f", str(INFRA / "docker-pool.yaml")]
    with (trial.work / "env").open("a") as env:
        env.write(f"DOCKER_GROUP={Path('/var/run/docker.sock').stat().st_gid}\n")
    trial.compose("up", "-d", "--force-recreate", "--no-deps", "deployments", "prefect-worker", quiet=True)
    until(trial.all_well, "every service is healthy", patience=600)
    trial.ended(trial.start("build", store="s3://rarefy/pool", out="/benchmarks/pool"), "Built")
    same(expected, trial.digests("/benchmarks/pool"))


def rehearse(trial: Trial, hurt: Sequence[str]) -> None:
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
    for kind in ("watch", "refresh"):  # what a build has read is nothing new
        trial.ended(trial.start(kind), "Unchanged")

    if hurt:
        hurt_services(trial, hurt, expected)

    def cut(number: int, what: str, hurt: Callable[[], Any]) -> str:
        say(f"{what}, in the middle of a build")
        run = trial.start("build", store=f"s3://rarefy/{number}", out=f"/benchmarks/{number}")
        trial.reached(run, "chunk")
        hurt()
        return run

    lost = cut(90, "the worker of Prefect is killed", lambda: trial.kill("prefect-worker"))
    trial.ended(lost, "Crashed")
    until(trial.all_well, "every service is healthy", patience=600)

    lost = cut(91, "down and up", lambda: (trial.compose("down", quiet=True), trial.up()))
    after = trial.start("build", store="s3://rarefy/91", out="/benchmarks/91")
    trial.ended(lost, "Crashed")
    trial.ended(after, "Built")
    same(expected, trial.digests("/benchmarks/91"))
    run_in_containers(trial, expected)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave it running at the end")
    parser.add_argument("--hurt", nargs="*", choices=SERVICES, default=SERVICES, help="in the middle of runs")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and tidy up
    with tempfile.TemporaryDirectory(prefix="rarefy-trial-") as folder:
        try:
            if not shutil.which("docker") or not works("info"):
                raise Skipped("no Docker answers here")
            if not works("compose", "version"):
                raise Skipped("docker has no Compose 2")
            say("base images")
            trial = Trial(Path(folder), base_images())
        except Skipped as why:
            print(f"skipped: the trial of infra/compose.yaml: {why}")
            return 0
        try:
            rehearse(trial, [name for name in given.hurt if name in trial.services])
        except BaseException:
            print(trial.compose("logs", "--tail", "40", quiet=True))
            raise
        finally:
            print_steps()
            if not given.keep:
                trial.compose("down", "-v", "--remove-orphans", quiet=True)
    print("passed: the trial of infra/compose.yaml")
    return 0


if __name__ == "__main__":
    sys.exit(main())
