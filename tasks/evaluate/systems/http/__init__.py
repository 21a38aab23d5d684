"""A user's HTTP endpoint as a system under test; every fault becomes an output with an error code."""

from pathlib import Path
from typing import Any

from rarefy.tasks.evaluate.systems.http.config import HttpConfig
from rarefy.tasks.evaluate.systems.interface import System
from rarefy.tasks.models.llm.config import InferenceContext

__all__ = ["HttpConfig", "http"]


def http(config: HttpConfig, identity: dict[str, Any], cache: Path, *, means: InferenceContext) -> System:
    """Return the endpoint as a system that stores its answers in the folder `cache` under `identity`.

    faults.Unavailable, saying what to do, where an environment variable that the config names is not set.
    """
    from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
    from rarefy.tasks.evaluate.systems.http.client import CallLimits, HttpEndpoint, HttpSystem

    return HttpSystem(
        config,
        HttpEndpoint(config),
        AnswerStore(cache / "answers.sqlite", identity),
        CallLimits(config.url, cache, means),
    )
