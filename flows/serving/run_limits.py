"""How often a deployment's flow is tried and how long it may take, from the environment that it is given."""

import os
from typing import Any

RETRIES, DELAY, TIMEOUT = "RAREFY_{}_RETRIES", "RAREFY_{}_RETRY_DELAY", "RAREFY_{}_TIMEOUT"


def setting(kind: str) -> dict[str, Any]:
    """What `@flow` takes of it: a deployment itself has no place for retries and a timeout."""

    def given(name: str, default: int) -> int:
        return int(os.environ.get(name.format(kind.upper()), default))

    return {
        "retries": given(RETRIES, 0),
        "retry_delay_seconds": given(DELAY, 60),
        "timeout_seconds": given(TIMEOUT, 0) or None,
        "persist_result": False,
        "validate_parameters": True,
    }


def environment(kind: str, retries: int, delay: int, timeout: int) -> dict[str, str]:
    """The environment of a deployment's runs that says so."""
    names = {RETRIES: retries, DELAY: delay, TIMEOUT: timeout}
    return {name.format(kind.upper()): str(value) for name, value in names.items()}
