"""The user's own endpoint as a system under test: each question asked as its config says, each fault by its code."""

from pathlib import Path
from typing import Any

from rarefy.tasks.evaluate.systems.http.config import HttpConfig
from rarefy.tasks.evaluate.systems.interface import System
from rarefy.tasks.models.llm.config import InferenceContext

__all__ = ["HttpConfig", "http"]


def http(config: HttpConfig, identity: dict[str, Any], cache: Path, *, means: InferenceContext) -> System:
    """The endpoint, with its answers kept in the folder `cache` under `identity`.

    faults.Unavailable, with the way out, where a variable of the environment that the config names is not set.
    """
    from rarefy.tasks.evaluate.systems.book import Book
    from rarefy.tasks.evaluate.systems.http.allowance import Allowance
    from rarefy.tasks.evaluate.systems.http.asking import Asking
    from rarefy.tasks.evaluate.systems.http.wire import Wire

    return Asking(config, Wire(config), Book(cache / "answers.sqlite", identity), Allowance(config.url, cache, means))
