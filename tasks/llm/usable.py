"""Is a reply one that can be used? What is cut, refused or empty is an answer to nobody."""

from dataclasses import replace

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.llm.secrets import redacted


def judged(reply: Reply, refusal: str = "") -> Reply:
    """The reply with the code of what makes it unusable, if anything does."""
    if reply.finish_reason == "content_filter":
        return replace(reply, error="filtered", detail="finish_reason content_filter")
    if refusal:
        return replace(reply, error="refused", detail=redacted(refusal))
    if reply.finish_reason == "length":
        return replace(reply, error="truncated", detail=f"cut after {reply.completion_tokens} tokens")
    if not reply.text.strip():
        return replace(reply, error="empty", detail=f"finish_reason {reply.finish_reason or 'missing'}")
    return reply
