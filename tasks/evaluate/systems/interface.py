"""The interface of a system under test: its input, its output, and the error codes that an output may carry."""

import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from rarefy.data_contracts.rows import Passage


@dataclass(frozen=True, slots=True)
class SystemInput:
    """A question as a system receives it; without the gold answer, and without what was perturbed."""

    asked_id: str  # hash of the other fields: equal inputs are sent once
    query: str
    passages: tuple[Passage, ...] | None = None  # top to bottom; None: the system retrieves; (): closed book
    protocol: str = ""  # whose prompts a model is shown; nothing to a system with its own
    refusal: str = ""  # the words to refuse with; "" where it must not refrain from answering
    domain: str = "default"
    language: str = "en"
    repeat: int = 0  # 1, 2, ...: the same question again, to measure how much answers vary; added to a model's seed


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """A system's answer, which may be empty, or an error code in `error`."""

    asked_id: str
    text: str = ""
    refused: bool | None = None  # None: to be read from the text
    retrieved: tuple[Passage, ...] = ()  # by the system itself, best first
    prompt_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    model: str = ""
    error: str = ""  # a key of REASONS, http_<status>, or a code of rarefy.tasks.models.llm.faults
    detail: str = ""


class System(Protocol):
    """A system under test: yields one `SystemOutput` for each `SystemInput`, in their order.

    A failed question is an output with an error; `rarefy.tasks.models.llm.faults.Stopped` is raised where no question
    can be answered at all.
    """

    def __call__(self, asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]: ...


NO_ANSWER = "not_answered"  # the file of recorded answers has none: missing, not failed

# error code -> what it means and what to do about it, as the report prints it
REASONS: dict[str, str] = {
    "timeout": "no whole reply within http.timeout, or a function's `timeout`, however often it was tried; raise it "
    "or lower the concurrency",
    "connection": "no connection, or it ended before a reply began",
    "cut": "the connection ended in the middle of the reply",
    "rate_limited": "it kept saying that it is asked too much (429); lower http.concurrency",
    "not_json": "the reply is no JSON, as the page of a proxy; http.format says in which form replies come",
    "empty": "the reply has no body",
    "too_large": "the reply is larger than http.largest, or what a function gave back than 5,000,000 characters",
    "not_text": "the reply cannot be decoded as text",
    "no_answer": "the reply has nothing at the path http.reply.answer, or no text there",
    "system_error": "the system itself says that it failed (http.reply.error)",
    "stage_deadline": "the stage's deadline had passed; run again to go on",
    "raised": "the function raised an exception",
    "wrong_type": "the function gave back neither a str, a dict with an answer, nor a SystemOutput",
    "unpaired": "the function that takes many gave back other ids, or another number, than it was asked",
    "unparsable": 'the reply has no answer where its prompt asks for one (rag.unread = "whole" takes it as it is)',
    "truncated": 'the reply was cut at rag.max_tokens; raise it (rag.truncated = "answer" reads what there is)',
    "no_passages": "rag retrieves nothing by itself, and was given no passages",
    "no_logprobs": "not available: this endpoint gives no logprobs",
    NO_ANSWER: "the file of recorded answers has none for this; fill it in and score again",
    "lost": "the system gave no answer to this, nor to what follows",
}
_STATUS = re.compile(r"http_([1-9]\d\d)")


def explain_error(code: str) -> str:
    """Explain an error code in a sentence; a code of tasks/models/llm/faults.py is returned as it is."""
    status = _STATUS.fullmatch(code)
    if not status:
        return REASONS.get(code, code)
    number = int(status[1])
    if number in (401, 403):
        return f"it refuses the key, or the request ({number}); look at http.headers and the variables they name"
    if number in (404, 405):
        return f"nothing answers there, or not in this way ({number}); look at http.url and http.method"
    if 300 <= number < 400:
        return f"it redirects elsewhere ({number}), which is not followed; write that address as http.url"
    if number >= 500:
        return f"the system failed (HTTP {number}) as often as it was asked"
    return f"the system says that the request is wrong (HTTP {number}); look at http.request"


def __getattr__(name: str) -> Any:
    """Return a class by its former name, with a DeprecationWarning."""
    renamed: dict[str, Any] = {"Asked": SystemInput, "Said": SystemOutput}
    if name not in renamed:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is {renamed[name].__name__} now", DeprecationWarning, stacklevel=2)
    return renamed[name]
