"""A clock that nobody can set: seconds since this machine was started, and which start that was."""

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment, of use only beside another of the same boot."""

    boot: str
    seconds: float

    def after(self, boot: str, seconds: float) -> float:
        """How many seconds this comes after that; 0 where that cannot be known."""
        return max(self.seconds - seconds, 0.0) if boot == self.boot else 0.0


def now() -> Moment:
    """This moment."""
    return Moment(_boot(), time.monotonic())


@cache
def _boot() -> str:
    """The kernel's name for this start of the machine, which all processes share; elsewhere this process alone."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return uuid4().hex
