"""Is a reply one that can be used? What is cut, refused or empty is an answer to nobody."""

import re
from dataclasses import replace

from rarefy.data_contracts.rows import Reply
from rarefy.tasks.models.llm.secrets import redacted

_HALF = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text without halves of characters, as byte-level tokenizers give: nothing could send or store them."""
    return _HALF.sub("\ufffd", text)


def judged(reply: Reply, refusal: str = "") -> Reply:
    """The reply, fit to be stored, with the code of what makes it unusable, if anything does."""
    reply = replace(reply, text=encodable(reply.text), model=encodable(reply.model))
    refusal = encodable(refusal)
    if reply.finish_reason == "content_filter":
        return replace(reply, error="filtered", detail="finish_reason content_filter")
    if refusal:
        return replace(reply, error="refused", detail=redacted(refusal))
    if reply.finish_reason == "length":
        return replace(reply, error="truncated", detail=f"cut after {reply.completion_tokens} tokens")
    if not reply.text.strip():
        return replace(reply, error="empty", detail=f"finish_reason {reply.finish_reason or 'missing'}")
    return reply
