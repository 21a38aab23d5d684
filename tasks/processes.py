"""Which process of which machine a file of the store speaks of, and whether it is gone."""

import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def machine() -> str:
    """Where a pid means the same process: this boot of this machine, in this namespace of pids; "" off Linux."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""


def process(pid: int) -> tuple[bool, str]:
    """Is there such a process, and since which tick; a killed one that nobody has asked after is gone too: proc(5)."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return state not in "ZXx", fields[18]
    except (OSError, ValueError):  # gone, or another user's and hidden
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False, ""
    except OSError:
        return True, ""
    return True, ""


def myself() -> dict[str, Any]:
    """What a file tells of the process that writes it: host, pid, since when, and what tells that pid from others."""
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "started": process(os.getpid())[1],
    }


def gone(pid: int, since: str, on: str) -> bool:
    """Is the process that had this pid since this tick on that machine no more? False where nobody here can know."""
    if not on or on != machine():
        return False  # only its signs of life can tell
    alive, started = process(pid)
    return not alive or (started != "" and started != since)
