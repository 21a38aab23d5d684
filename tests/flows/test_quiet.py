"""A build talks to nobody: every connection that is tried, by it or by what it starts, goes to this machine."""

import subprocess
import sys

import pytest

# read by every Python process that finds it on its path, before anything else
GUARD = """
import socket

HERE = ("127.0.0.1", "::1", "localhost", None)
looked_up, connected = socket.getaddrinfo, socket.socket.connect

def told(what, host):
    with open({log!r}, "a") as log:
        log.write(f"{{what}} {{host}}\\n")

def getaddrinfo(host, *rest, **more):
    told("looked up", host)
    if host not in HERE:
        raise socket.gaierror(f"a build must not look up {{host}}")
    return looked_up(host, *rest, **more)

def connect(self, address):
    host = address[0] if self.family != socket.AF_UNIX else None
    told("connected to", host)
    if host not in HERE:
        raise ConnectionRefusedError(f"a build must not call {{address}}")
    return connected(self, address)

socket.getaddrinfo, socket.socket.connect = getaddrinfo, connect
"""


@pytest.fixture
def guarded(tmp_path):
    """Runs a command under the guard, and gives back how it ended and what it and its children called."""
    log = tmp_path / "calls.txt"
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD.format(log=str(log)))
    (tmp_path / "home").mkdir()
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    environment["PYTHONPATH"] = str(tmp_path / "guard")

    def run(*command: str) -> tuple[subprocess.CompletedProcess[str], set[str]]:
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment)
        return done, set(log.read_text().splitlines()) if log.exists() else set()

    return run


def test_the_guard_notices_a_call(guarded):
    call = "import socket; socket.create_connection(('192.0.2.1', 80))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {call!r}])"
    assert guarded("-c", child)[1] == {"looked up 192.0.2.1"}


@pytest.mark.parametrize(
    "more",
    [pytest.param((), id="alone"), pytest.param(("--workers", "1"), id="with a worker", marks=pytest.mark.machines)],
)
def test_a_default_build_connects_to_nothing_but_this_machine(guarded, place, tmp_path, more):
    """In an environment of its own, with its own temporary server and the models of a default build."""
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"), *more]
    done, calls = guarded("-m", "rarefy.flows.cli", "build", str(place / "corpus"), *where)
    assert done.returncode == 0, done.stderr
    assert "connected to 127.0.0.1" in calls, "the guard was there"
    assert {call.rpartition(" ")[2] for call in calls} <= {"127.0.0.1", "::1", "localhost", "None"}
    assert "Traceback" not in done.stderr and "prefect" not in done.stderr.lower(), "no noise, not at exit either"
    assert not list(tmp_path.glob("rarefy-prefect-*")), "the temporary server took its folder with it"


def test_telemetry_is_off_before_anything_that_has_some_is_imported():
    look = (
        "import os, sys; import rarefy.flows; "
        "assert not {'prefect', 'great_expectations'} & set(sys.modules); "
        "from prefect.settings import get_current_settings as now; "
        "print(now().server.analytics_enabled, os.environ['DO_NOT_TRACK'])"
    )
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["False", "1"]
