"""What a reply is remembered under: the model's identity and the whole request, but for the asker's name of it."""

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm.secrets import redacted

VERSION = 1  # in every key: another way of asking with the same request forgets nothing by accident
BEGINS = 80  # characters of a message that are told
MUCH = 4_000  # characters of an identity that are told


def key(identity: Mapping[str, Any], request: Request) -> tuple[str, str]:
    """The key, 32 hex digits, and in JSON what made it, in parts that fit a screen and hold no secret.

    Any change of identity or request changes the key; `request_id` and the order of names in `identity` do not.
    """
    who = _canonical(identity)
    asked = (
        float(request.temperature),
        request.max_tokens,
        request.seed,
        request.logprobs,
        request.schema,
        [(message.role, message.content) for message in request.messages],
    )
    whole = f"[{VERSION},{who},{_canonical(asked)}]"
    made_of = {
        "identity": _told(who),
        "temperature": float(request.temperature),
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "logprobs": request.logprobs,
        "schema": _digest(request.schema) if request.schema else "",
        "messages": [_part(message) for message in request.messages],
    }
    return _digest(whole, 16), json.dumps(made_of)


def _canonical(value: Any) -> str:
    # not in ASCII: there two lone surrogates and the character that they would make look the same
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)


def _digest(text: str, size: int = 8) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def _part(message: Message) -> dict[str, Any]:
    text = message.content
    return {"role": message.role, "digest": _digest(text), "characters": len(text), "begins": text[:BEGINS]}


@lru_cache(maxsize=64)
def _told(identity: str) -> Any:
    told = redacted(identity, most=MUCH)
    try:
        return json.loads(told)
    except ValueError:  # cut, or what was blanked out took a quote along
        return told
