"""`rarefy serve`: a real server, a real worker, a schedule that fires, a file that is dropped, a run that fails.

One process tree for the whole module, which takes a minute or two; what a run did is asserted on what lies on disk, for
the server's states lag behind. To be run beside nothing else: `pytest tests/flows/test_served_for_real.py`.
"""

import base64
import contextlib
import http.client
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from waiting import free_port, until

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(sys.platform == "win32", reason="serve holds its folder by flock, as POSIX has it"),
]

SECRET = "hooks/b1946ac92492d2347c6235b4d2611184"
CONFIG = """
[perturb]
query = []
document = []
context = []
[feeds.folder]
settle = 0.2
[deploy]
corpus = "filings"
out = "bench"
tags = ["of-a-test"]
[deploy.refresh]
schedule = "every 20 s"
[deploy.watch]
schedule = ""
"""
VEGA = """<html><body><div><b>FORM 10-K</b></div><div>For the fiscal year ended December 31, 2024</div>
<div><b>Vega Corp</b></div><div>(Exact name of registrant as specified in its charter)</div>
<p><b>Item 1. Business</b></p>
<p>Vega Corp is headquartered in Stavanger. Vega Corp sells pumps to hospitals in Norway.</p></body></html>"""


@dataclass
class Served:
    """`rarefy serve` in a folder of its own, and what is known of it."""

    place: Path
    port: int
    posted: list[dict[str, Any]] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[str] | None" = None

    def start(self, *more: str) -> None:
        command = [sys.executable, "-m", "rarefy.flows.cli", "serve", "--config", "my.toml", "--port", str(self.port)]
        with (self.place / "said.txt").open("w") as said:
            self.process = subprocess.Popen(
                [*command, *more], cwd=self.place, stderr=said, stdout=said, env=self.environment
            )
        until(lambda: "Ctrl-C ends it" in self.said() or self.process.poll() is not None, "the server")
        assert self.process.poll() is None, self.said()

    def said(self) -> str:
        return (self.place / "said.txt").read_text()

    def end(self) -> list[psutil.Process]:
        """End it as a service manager does; which of its processes are left."""
        assert self.process
        mine = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(90) == 0
        return psutil.wait_procs(mine, timeout=5)[1]

    def login(self) -> str:
        """What its user reads in the file that it names."""
        return (self.place / ".rarefy" / "prefect" / "login").read_text().strip()

    def authorization(self) -> str:
        return "Basic " + base64.b64encode(self.login().encode()).decode()

    def status(self, path: str, **headers: str) -> tuple[int, dict[str, str]]:
        """How the server answers somebody who has no login: status and headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("POST" if path.endswith("filter") else "GET", path, headers=headers)
        reply = connection.getresponse()
        connection.close()
        return reply.status, {name.lower(): value for name, value in reply.getheaders()}

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """What the API answers."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": self.authorization()}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    def run(self, kind: str, **parameters: object) -> dict[str, Any]:
        """Start a run of a deployment."""
        there = self.ask(f"deployments/name/rarefy%20{kind}/{kind}")
        return self.ask(f"deployments/{there['id']}/create_flow_run", {"parameters": parameters})

    def runs(self, **wanted: object) -> list[dict[str, Any]]:
        return self.ask("flow_runs/filter", {"flow_runs": wanted, "limit": 200, "sort": "EXPECTED_START_TIME_ASC"})

    def versions(self) -> list[dict[str, Any]]:
        """What the journal holds, on disk."""
        entries = sorted(self.place.glob(".rarefy/versions/*/[0-9]*.json"))
        return [json.loads(one.read_text()) for one in entries]


@pytest.fixture(scope="module")
def served(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """It runs, and whatever is posted to its webhook is kept."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(place / "corpus", folder / "filings")
    (folder / "my.toml").write_text(CONFIG)
    made = Served(folder, free_port())

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.posted.append({"path": self.path, **json.loads(body)})
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    given = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT", "RAREFY"))}
    made.environment = given | {"RAREFY_NOTIFY_URL": f"http://127.0.0.1:{listener.server_port}/{SECRET}"}
    made.start()
    yield made
    if made.process and made.process.poll() is None:
        made.end()
    listener.shutdown()
    listener.server_close()


def test_a_schedule_fires_and_makes_the_benchmark(served):
    manifest = served.place / "bench" / "manifest.json"
    until(manifest.exists, "the first scheduled refresh")
    (first,) = until(served.versions, "its entry in the journal")[:1]
    assert first["version"] == json.loads(manifest.read_text())["version"]
    run = served.ask(f"flow_runs/{first['run_id']}")
    assert run["name"] == "refresh filings → bench"
    assert "auto-scheduled" in run["tags"] and "of-a-test" in run["tags"]
    assert run["id"] in first["run_url"]


def test_the_run_ends_with_what_it_did_and_leaves_its_artifacts(served):
    first = until(served.versions, "the first version")[0]
    run = until(
        lambda: (told := served.ask(f"flow_runs/{first['run_id']}"))["state_type"] == "COMPLETED" and told,
        "the end of the first run",
    )
    assert run["state_name"] == "Refreshed"
    found = served.ask("artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [run["id"]]}}})
    by_key = {one["key"]: one for one in found}
    assert {"bench-funnel", "bench-census", "bench-contracts", "bench-version", "bench-progress"} <= set(by_key)
    assert by_key["bench-progress"]["data"] == 100
    assert first["version"] in by_key["bench-version"]["data"]
    link = f"http://127.0.0.1:{served.port}/rarefy/benchmark/contracts.html"
    assert link in by_key["bench-version"]["data"]
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(link, timeout=30)
    assert caught.value.code == 401 and caught.value.headers["WWW-Authenticate"].startswith("Basic")
    known = urllib.request.Request(link, headers={"Authorization": served.authorization()})
    with urllib.request.urlopen(known, timeout=30) as page:
        assert b"<html" in page.read().lower()
        assert "sandbox" in page.headers["Content-Security-Policy"]
    logs = served.ask("logs/filter", {"logs": {"flow_run_id": {"any_": [run["id"]]}}, "limit": 200})
    assert [one for one in logs if one["message"].startswith("extract: 3 documents")]


def test_nobody_without_the_login_is_let_in_and_nobody_by_another_name(served):
    for path in ("/api/deployments/filter", "/api/work_pools/filter", "/api/version", "/api/admin/settings"):
        assert served.status(path)[0] == 401, path
    wrong = "Basic " + base64.b64encode(b"rarefy:guessed").decode()
    assert served.status("/api/version", Authorization=wrong)[0] == 401
    assert served.status("/api/version", Authorization=served.authorization())[0] == 200
    for host in ("evil.example", f"evil.example:{served.port}", "127.0.0.1.evil.example"):
        assert served.status("/api/version", Authorization=served.authorization(), Host=host)[0] == 400, host
    assert served.status("/api/health", Host=f"localhost:{served.port}")[0] == 200
    allowed = "access-control-allow-origin"
    own = f"http://127.0.0.1:{served.port}"
    assert allowed not in served.status("/api/health", Origin="http://evil.example")[1]
    assert served.status("/api/health", Origin=own)[1][allowed] == own


def test_what_it_knows_is_its_owners_alone_and_the_login_stands_in_one_file(served):
    home = served.place / ".rarefy" / "prefect"
    assert (home / "prefect.db").exists()
    for path in [home, *(one for one in home.iterdir())]:
        assert path.stat().st_mode & 0o077 == 0, path
    assert str(home / "login") in served.said() and served.login() not in served.said()
    assert not [log for log in home.glob("*.log") if served.login() in log.read_text()]
    for one in (served.process, *psutil.Process(served.process.pid).children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            assert served.login() not in " ".join(psutil.Process(one.pid).cmdline())


def test_other_commands_say_that_they_need_the_login_and_work_with_it(served):
    def tried(**more: str) -> "subprocess.CompletedProcess[str]":
        told = served.environment | {"PREFECT_API_URL": f"http://127.0.0.1:{served.port}/api"} | more
        command = [sys.executable, "-m", "rarefy.flows.cli", "deploy", "--config", "my.toml"]
        return subprocess.run(command, cwd=served.place, capture_output=True, text=True, env=told, timeout=300)

    assert tried().returncode == 1
    assert "PREFECT_API_AUTH_STRING" in tried(PREFECT_API_AUTH_STRING="rarefy:guessed").stderr
    done = tried(PREFECT_API_AUTH_STRING=served.login())
    assert done.returncode == 0 and "rarefy refresh/refresh" in done.stdout, done.stderr


def test_a_wrong_parameter_is_refused(served):
    with pytest.raises(urllib.error.HTTPError) as caught:
        served.run("build", workers=-1)
    assert caught.value.code == 409


def test_a_second_server_says_that_the_folder_and_the_port_are_taken(served, tmp_path):
    def tried(*more: str) -> str:
        command = [sys.executable, "-m", "rarefy.flows.cli", "serve", "--config", "my.toml", "--port", str(served.port)]
        done = subprocess.run(
            [*command, *more], cwd=served.place, capture_output=True, text=True, env=served.environment, timeout=120
        )
        assert done.returncode == 1
        return done.stderr

    assert "another `rarefy serve`" in tried()
    assert f"port {served.port} of 127.0.0.1 is taken" in tried("--home", str(tmp_path / "home"))


def test_it_ends_without_a_process_left_and_begins_again_with_what_it_knew(served):
    done = {"type": {"any_": ["COMPLETED"]}}
    before = {run["id"] for run in served.runs(state=done)}
    assert before
    assert served.end() == []
    assert served.said().rstrip().endswith("ending")
    (served.place / "my.toml").write_text(CONFIG.replace("every 20 s", ""))
    served.start("--watch", "1")
    assert before <= {run["id"] for run in served.runs(state=done)}
    assert [one["name"] for one in served.ask("work_pools/filter", {})].count("rarefy") == 1
    there = served.ask("deployments/name/rarefy%20refresh/refresh")
    assert there["schedules"] == [], "the config has none any more"


def test_a_file_that_is_dropped_becomes_the_next_version(served):
    log = served.place / ".rarefy" / "prefect" / "watch.log"
    until(lambda: log.exists() and "nothing new" in log.read_text(), "the first look")
    (served.place / "filings" / ".vega.html").write_text(VEGA)
    (served.place / "filings" / ".vega.html").rename(served.place / "filings" / "vega.html")
    second = until(lambda: [one for one in served.versions()[1:] if one["changes"]], "the second version")[0]
    assert second["counts"]["documents"] == 4
    assert second["changes"]["documents_added"] == 1 and second["changes"]["documents_unchanged"] == 3
    assert "1 added (vega.html)" in log.read_text()


def test_somebody_hears_of_a_run_that_fails_and_nobody_reads_where(served):
    run = served.run("build", corpus="not-there", out="elsewhere")
    (told, *_) = until(lambda: [one for one in served.posted if "not-there" in one["text"]], "the notice")
    assert told["path"] == f"/{SECRET}"
    assert told["ending"] == "failed" and run["id"] in told["url"]
    logs = served.ask("logs/filter", {"limit": 200})
    assert SECRET not in json.dumps([logs, served.runs()])
    home = served.place / ".rarefy" / "prefect"
    assert not [log for log in home.glob("*.log") if SECRET in log.read_text()]


def test_somebody_hears_of_a_run_whose_process_was_killed(served):
    run = served.run("build", out="elsewhere", store="elsewhere-store")

    def its_process() -> psutil.Process | None:
        for one in psutil.Process(served.process.pid).children(recursive=True):
            try:
                if one.environ().get("PREFECT__FLOW_RUN_ID", "").replace("-", "") == run["id"].replace("-", ""):
                    return one
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return None

    until(its_process, "its process")
    until(lambda: served.ask(f"flow_runs/{run['id']}")["state_type"] == "RUNNING", "its beginning")
    its_process().kill()
    (told, *_) = until(lambda: [one for one in served.posted if run["id"] in one["url"]], "the notice")
    assert told["ending"] == "crashed" and "SIGKILL" in told["message"]
