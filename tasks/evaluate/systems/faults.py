"""Why a system under test gave no answer, as codes with their meaning and the way out."""

import re

# code -> what it means and the way out, as the report tells it
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
    "lost": "the system gave no answer to this, nor to what follows",
}
_STATUS = re.compile(r"http_([1-9]\d\d)")


def meaning(code: str) -> str:
    """What a code means; the code itself for one that is not a system's, as those of tasks/models/llm/faults.py."""
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
