"""The inference core: requests in, replies out, matched by id, each paid for once (RARE §3, field asks 1-6)."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rarefy.data_contracts.rows import Reply, Request, Unanswered, row_id
from rarefy.tasks.models.llm.config import LLM, InferenceContext, LLMConfig, Price, RequestPolicy

__all__ = ["LLM", "InferenceContext", "LLMConfig", "Price", "RequestPolicy", "heard", "replies", "unanswered"]

Form = TypeVar("Form", bound=BaseModel)


def __getattr__(name: str) -> Any:
    """The classes by their old names, with a DeprecationWarning."""
    renamed: dict[str, Any] = {"Means": InferenceContext, "Serving": RequestPolicy}
    if name not in renamed:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is {renamed[name].__name__} now", DeprecationWarning, stacklevel=2)
    return renamed[name]


def replies(llm: LLM, requests: Iterable[Request]) -> Iterator[Reply]:
    """The model's replies as they come, then a lost one for each request that it gave none to."""
    waiting: dict[str, None] = {}

    def sent() -> Iterator[Request]:
        for request in requests:
            waiting[request.request_id] = None
            yield request

    for reply in llm(sent()):
        del waiting[reply.request_id]
        yield reply
    for name in waiting:
        yield Reply(name, error="lost", detail="no reply came for this request")


def parse_reply(reply: Reply, form: type[Form]) -> tuple[Form | None, Reply]:
    """What a reply says in this form, and the reply, which has an error where it says nothing in it.

    A schema cannot say all that a form asks for, so that a reply that keeps the one may still break the other.
    """
    if reply.error:
        return None, reply
    try:
        return form.model_validate_json(reply.parsed), reply
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in errors)
        return None, replace(reply, error="unparsable", detail=faults)


def unanswered(stage: str, about: str, reply: Reply) -> Unanswered:
    """The row of a request that failed: what it was about, why, and what the model said."""
    return Unanswered(
        row_id("unanswered", stage, about, reply.request_id), stage, about, reply.error, reply.detail, reply.text
    )
