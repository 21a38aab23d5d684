"""What a well-behaved endpoint says: every answer a function of the request alone, so that a mix-up shows."""

import base64
import hashlib
import json
import random
import struct
from typing import Any

SAY = "[[say:"  # in a message: the answer is what stands up to ]] there
WORDS = "revenue margin cash segment goodwill lease demand supply policy inflation energy output wages trade".split()


def digest(messages: list[dict[str, str]]) -> str:
    """Names what was said to the model; any test can work it out from its own request."""
    told = json.dumps([[message["role"], message["content"]] for message in messages], ensure_ascii=False)
    return hashlib.blake2b(told.encode(), digest_size=10).hexdigest()


def answer(messages: list[dict[str, str]], schema: dict[str, Any] | None = None) -> str:
    """The one answer to these messages: free text that begins with their digest, or JSON that keeps the schema."""
    name, last = digest(messages), messages[-1]["content"] if messages else ""
    if SAY in last:
        return last.partition(SAY)[2].partition("]]")[0].strip()
    if schema is not None:
        return json.dumps(instance(schema, random.Random(name), schema))
    picked = random.Random(name)
    return f"{name} " + " ".join(picked.choice(WORDS) for _ in range(picked.randrange(5, 30)))


def usage(messages: list[dict[str, str]], text: str) -> dict[str, Any]:
    """Tokens as this endpoint counts them: words, and a few for each message; some prompts are partly cached."""
    prompt = sum(len(message["content"].split()) + 3 for message in messages)
    cached = prompt // 2 if int(digest(messages)[0], 16) % 4 == 0 else 0
    completion = len(text.split()) + 1
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def instance(schema: Any, picked: random.Random, whole: Any) -> Any:
    """Some value that keeps a JSON schema, of the kind that structured output takes."""
    if not isinstance(schema, dict):
        return None
    if "$ref" in schema:
        place = whole
        for step in schema["$ref"].removeprefix("#/").split("/"):
            place = place[step]
        return instance(place, picked, whole)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return picked.choice(schema["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return instance(schema[several][0], picked, whole)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        return {name: instance(inner, picked, whole) for name, inner in schema.get("properties", {}).items()}
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        return [
            instance(schema.get("items", {}), picked, whole) for _ in range(picked.randint(least, max(least, most)))
        ]
    if kind in {"integer", "number"}:
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 5) - ("exclusiveMaximum" in schema))
        return picked.randint(int(low), int(high))
    return {"boolean": picked.random() < 0.5, "null": None}.get(kind, f"{picked.choice(WORDS)} {picked.randrange(999)}")


def completion(asked: dict[str, Any], name: str) -> dict[str, Any]:
    """A whole chat completion."""
    messages = asked["messages"]
    text = answer(messages, schema_of(asked))
    choice: dict[str, Any] = {
        "index": 0,
        "message": {"role": "assistant", "content": text, "refusal": None},
        "logprobs": None,
        "finish_reason": "stop",
    }
    if asked.get("logprobs"):
        choice["logprobs"] = {"content": _logprobs(text, asked.get("top_logprobs") or 0)}
    return {
        "id": name,
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asked["model"],
        "choices": [choice],
        "usage": usage(messages, text),
    }


def schema_of(asked: dict[str, Any]) -> dict[str, Any] | None:
    """The JSON schema that a request asks the server to keep to, if any."""
    wanted = asked.get("response_format") or {}
    return wanted["json_schema"]["schema"] if wanted.get("type") == "json_schema" else None


def embeddings(asked: dict[str, Any]) -> dict[str, Any]:
    """Vectors of length 1, a function of each text alone."""
    inputs = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    size = asked.get("dimensions") or 16
    data: list[dict[str, Any]] = []
    for place, text in enumerate(inputs):
        vector = vector_of(text, size)
        if asked.get("encoding_format") == "base64":
            vector = base64.b64encode(struct.pack(f"<{size}f", *vector)).decode()  # type: ignore[assignment]
        data.append({"object": "embedding", "index": place, "embedding": vector})
    tokens = sum(len(text.split()) + 1 for text in inputs)
    told = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "model": asked["model"], "data": data, "usage": told}


def vector_of(text: str, size: int = 16) -> list[float]:
    """The embedding of a text."""
    picked = random.Random(text)
    vector = [picked.gauss(0, 1) for _ in range(size)]
    length = sum(number * number for number in vector) ** 0.5
    return [number / length for number in vector]


def _logprobs(text: str, top: int) -> list[dict[str, Any]]:
    picked = random.Random(text)
    told = []
    for word in text.split(" "):
        others = [{"token": f"{word}{n}", "logprob": -0.5 - n, "bytes": None} for n in range(top)]
        told.append({"token": f" {word}", "logprob": -picked.random(), "bytes": None, "top_logprobs": others})
    return told
