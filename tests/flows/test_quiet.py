"""A build talks to nobody: every connection that is tried goes to this machine."""

import subprocess
import sys

GUARD = """
import socket, sys
from rarefy.flows.cli import main

def guarded(whole):
    def connect(self, address):
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            print("CALLED", address, flush=True)
            raise ConnectionRefusedError(f"a build must not call {address}")
        return whole(self, address)
    return connect

def looked_up(host, *rest, **more):
    if host not in ("127.0.0.1", "::1", "localhost", None):
        print("LOOKED UP", host, flush=True)
        raise socket.gaierror(f"a build must not look up {host}")
    return whole(host, *rest, **more)

whole, socket.getaddrinfo = socket.getaddrinfo, looked_up
socket.socket.connect, socket.socket.connect_ex = guarded(socket.socket.connect), guarded(socket.socket.connect_ex)
sys.exit(main(sys.argv[1:]))
"""


def test_a_build_connects_to_nothing_but_this_machine(place, tmp_path):
    """In an environment of its own: its own temporary server, and the models that a default build uses."""
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    command = [sys.executable, "-c", GUARD, "build", str(place / "corpus"), *where]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "CALLED" not in done.stdout and "LOOKED UP" not in done.stdout
    assert "Traceback" not in done.stderr and "prefect" not in done.stderr.lower(), "no noise, not at exit either"
    assert not list(tmp_path.glob("rarefy-prefect-*"))


def test_telemetry_is_off_before_anything_that_has_some_is_imported():
    look = (
        "import os, sys; import rarefy.flows; "
        "assert not {'prefect', 'great_expectations'} & set(sys.modules); "
        "from prefect.settings import get_current_settings as now; "
        "print(now().server.analytics_enabled, os.environ['DO_NOT_TRACK'])"
    )
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert told.split() == ["False", "1"]
