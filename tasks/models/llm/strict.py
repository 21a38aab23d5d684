"""A JSON schema as the servers' constrained decoding takes it: OpenAI's strict mode, which vLLM takes as well."""

import json
import re
from functools import lru_cache
from typing import Any

# what OpenAI's strict mode refuses and a value can do without: parse() holds every reply against the schema as it is
_DROPPED = (
    "default examples minLength maxLength uniqueItems minProperties maxProperties minContains maxContains $schema $id "
    "$comment readOnly writeOnly deprecated discriminator"
).split()
# what says more than a strict schema can
_BEYOND = (
    "allOf oneOf not if then else patternProperties propertyNames dependentRequired dependentSchemas contains "
    "prefixItems unevaluatedProperties unevaluatedItems"
).split()


@lru_cache(maxsize=256)
def strict(schema: str) -> dict[str, Any]:
    """The `response_format` of a chat completion that makes a server keep to this schema; not to be changed.

    In strict mode every property is required and none besides is allowed; a schema that says what strict mode cannot
    (its root is no object, an object of any keys, allOf and the like) is sent as it is with strict false.
    """
    parts = json.loads(schema)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", str(parts.get("title") or "answer")).strip("_")[:64] or "answer"
    try:
        made = _strict(parts)
        root = made
        for _ in range(5):
            if "$ref" in root:
                root = _named(root["$ref"], made)
        able = root.get("type") == "object" and "anyOf" not in root
        if able and root is not made:  # the root itself must be the object
            made = {**root, "$defs": made.get("$defs", {})}
    except _Beyond:
        able = False
    return {"type": "json_schema", "json_schema": {"name": name, "strict": able, "schema": made if able else parts}}


class _Beyond(Exception):
    """Strict mode cannot say this."""


def _strict(part: Any) -> Any:
    if not isinstance(part, dict) or any(word in part for word in _BEYOND):
        raise _Beyond
    if "$ref" in part:
        return {"$ref": part["$ref"], **_definitions(part)}  # nothing may stand beside a reference
    made = {key: value for key, value in part.items() if key not in _DROPPED}
    if "const" in made:
        made = {"enum": [made.pop("const")], **made}
    if isinstance(made.get("type"), list):
        made["anyOf"] = [{**made, "type": kind} for kind in made.pop("type")]
        made = {key: made[key] for key in ("title", "description", "anyOf") if key in made}
    if "anyOf" in made:
        made["anyOf"] = [_strict(option) for option in made["anyOf"]]
    elif made.get("type") == "object":
        inner = made.get("properties", {})
        if not inner and part.get("additionalProperties", True) is not False:
            raise _Beyond  # any keys are welcome
        if isinstance(part.get("additionalProperties"), dict):
            raise _Beyond
        made["properties"] = {key: _strict(value) for key, value in inner.items()}
        made |= {"required": list(inner), "additionalProperties": False}
    elif made.get("type") == "array":
        made["items"] = _strict(made.get("items"))
    elif "type" not in made and "enum" not in made:
        raise _Beyond  # anything is welcome
    return made | _definitions(part)


def _definitions(part: dict[str, Any]) -> dict[str, Any]:
    return {
        word: {name: _strict(inner) for name, inner in part[word].items()}
        for word in ("$defs", "definitions")
        if word in part
    }


def _named(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(found, dict) or step not in found:
            raise _Beyond
        found = found[step]
    if not isinstance(found, dict):
        raise _Beyond
    return found
