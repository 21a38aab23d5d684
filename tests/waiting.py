"""Ports and waiting, for tests with processes and for infra/trial/run.py: of the standard library alone."""

import socket
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 150.0  # seconds for anything to come up or to happen, on a busy machine


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def until(look: Callable[[], Any], what: str, patience: float = PATIENCE, pause: float = 0.05) -> Any:
    """What `look` gives, once that is something."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(pause)
    raise AssertionError(f"{what}: not within {patience:g} s")
