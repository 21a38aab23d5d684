"""Why a request got no usable answer, as codes; and the exceptions that stop a stage (architecture §6)."""

import copy
import re
from dataclasses import replace
from typing import TypeVar

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.models.llm.secrets import redacted

# code -> what it means and the way out, as the report tells it
REASONS: dict[str, str] = {
    "refused": "the model declined to answer",
    "filtered": "the provider's content filter stopped it",
    "truncated": "the reply was cut at max_tokens; raise it",
    "empty": "the reply had no text",
    "too_long": "prompt and reply exceed the model's context; make windows or chunks smaller",
    "unparsable": "the reply does not keep its JSON schema, even after one re-ask",
    "rate_limited": "the provider said 429, and retries or deadline ran out",
    "server_error": "the provider kept failing (5xx, or a reply that is no reply) until the retries ran out",
    "timeout": "no answer within the call's deadline",
    "connection": "the connection failed or was cut until the retries ran out",
    "rejected": "the provider says that the request is wrong (4xx)",
    "stage_deadline": "the stage's deadline had passed; run again to go on",
    "model_declined": "the model found nothing to ask that keeps the rules",
    "lost": "the provider answered others of the batch and not this one",
}

UNASKED = "unasked"  # a code of rehearsals alone: nothing was sent

# another run may get an answer where these stood in the way, so that what they spoilt is never taken for finished
TRANSIENT = frozenset(("rate_limited", "server_error", "timeout", "connection", "stage_deadline", "lost"))


class Stopped(Exception):
    """The stage cannot go on, and what to do about it; what was answered is kept, the same command goes on later."""


class BudgetSpent(Stopped):
    """--max-calls or --max-cost is reached."""


class Unavailable(Stopped):
    """The endpoint will answer no request: wrong address, key or model name."""


class TooManyFailures(Stopped):
    """More requests of a stage failed than its failure budget allows."""


Raised = TypeVar("Raised", bound=BaseException)


def copy_error(error: Raised) -> Raised:
    """The same error without where it was raised: raised for many, one would gather all their frames and prompts."""
    try:
        copied = copy.copy(error)
    except Exception:  # somebody's own exception that cannot be made twice
        return error
    return copied.with_traceback(None)


class Failed(Exception):
    """One try of one request failed: `reason` is a code of REASONS; `again` says whether another try may help.

    A try that taught how to ask is `free`: it counts for no retry. `retry_after` is in seconds, where the provider
    says so. `tokens` are (prompt, completion) that it bills all the same.
    """

    def __init__(
        self,
        reason: str,
        detail: str = "",
        *,
        again: bool = False,
        retry_after: float | None = None,
        slow_down: bool = False,
        free: bool = False,
        tokens: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail, self.again = reason, detail, again
        self.retry_after, self.slow_down, self.free, self.tokens = retry_after, slow_down, free, tokens


# Replies that cannot be used

_HALF = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """The text without halves of characters, as byte-level tokenizers give: nothing could send or store them."""
    return _HALF.sub("\ufffd", text)


def mark_unusable(reply: Reply, refusal: str = "") -> Reply:
    """The reply, fit to be stored, with the code of what makes it unusable, if anything does."""
    reply = replace(reply, text=replace_surrogates(reply.text), model=replace_surrogates(reply.model))
    refusal = replace_surrogates(refusal)
    if reply.finish_reason == "content_filter":
        return replace(reply, error="filtered", detail="finish_reason content_filter")
    if refusal:
        return replace(reply, error="refused", detail=redacted(refusal))
    if reply.finish_reason == "length":
        return replace(reply, error="truncated", detail=f"cut after {reply.completion_tokens} tokens")
    if not reply.text.strip():
        return replace(reply, error="empty", detail=f"finish_reason {reply.finish_reason or 'missing'}")
    return reply
