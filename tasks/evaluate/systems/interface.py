"""What a system under test is asked, and what it says: the whole of what it must understand."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from rarefy.data_contracts.rows import Passage


@dataclass(frozen=True, slots=True)
class SystemInput:
    """A question as a system gets it. It does not hold the answer, nor what was changed."""

    asked_id: str  # a hash of all that follows: equal asks are asked once
    query: str
    passages: tuple[Passage, ...] | None = None  # top to bottom; None: it retrieves itself; (): none, "closed book"
    protocol: str = ""  # whose prompts a model is shown; nothing to a system with its own
    refusal: str = ""  # the words to refuse with; "" where it must not refrain from answering
    domain: str = "default"
    language: str = "en"
    repeat: int = (
        0  # 1, 2, ...: the same again, to see how much answers differ by themselves; a model's seed follows it
    )


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """What came of it: an answer, which may be empty, or a code in `error`."""

    asked_id: str
    text: str = ""
    refused: bool | None = None  # None: the words tell
    retrieved: tuple[Passage, ...] = ()  # by the system itself, best first
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    model: str = ""
    error: str = (
        ""  # timeout | http_500 | not_json | too_large | no_answer | ...; see rarefy.tasks.evaluate.systems.faults
    )
    detail: str = ""


class System(Protocol):
    """A system under test: one `SystemOutput` for each `SystemInput`, in their order, however they came in.

    What fails is a row with an error; `rarefy.tasks.models.llm.faults.Stopped` is raised where nothing can be asked.
    """

    def __call__(self, asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]: ...


def __getattr__(name: str) -> Any:
    """The classes by their old names, with a DeprecationWarning."""
    renamed: dict[str, Any] = {"Asked": SystemInput, "Said": SystemOutput}
    if name not in renamed:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is {renamed[name].__name__} now", DeprecationWarning, stacklevel=2)
    return renamed[name]
