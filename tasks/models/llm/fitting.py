"""A value of the wrong type put right by the schema, where there is one way only: 7 for "7", [x] for {"list": [x]}."""

import re
from collections.abc import Sequence
from typing import Any

_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")


def fitted(values: Sequence[Any], validator: Any) -> list[Any]:
    """These values as the schema of the (jsonschema) validator wants them, as far as nothing is made up for it.

    A number or boolean where a text is asked becomes its text, and back where it reads as one; a choice is found
    whatever its case; null where it is not allowed and the field may be missing is no field; a field that is not
    allowed is dropped; a list is wrapped into the object whose only list it is, and unwrapped.
    """
    schema = validator.schema
    if not isinstance(schema, dict):
        return list(values)
    return [_fit(_packed(value, _target(schema, schema)), schema, schema, validator) for value in values]


def _fit(value: Any, part: Any, root: dict[str, Any], validator: Any) -> Any:
    part = _target(part, root)
    if not part or _keeps(validator, value, part):
        return value
    for options in (part.get("anyOf"), part.get("oneOf")):
        for option in options or ():
            fit = _fit(value, option, root, validator)
            if _keeps(validator, fit, part):
                return fit
    if isinstance(value, dict):
        return _object(value, part, root, validator)
    if isinstance(value, list):
        return [_fit(inner, part.get("items"), root, validator) for inner in value]
    return _single(value, part)


def _object(value: dict[str, Any], part: dict[str, Any], root: dict[str, Any], validator: Any) -> dict[str, Any]:
    known, closed = part.get("properties", {}), part.get("additionalProperties") is False
    fit = {}
    for key, inner in value.items():
        if key not in known:
            if not closed or "patternProperties" in part:
                fit[key] = inner
            continue
        inner = _fit(inner, known[key], root, validator)
        left_out = inner is None and key not in part.get("required", ())
        if not (left_out and not _keeps(validator, None, _target(known[key], root))):
            fit[key] = inner
    return fit


def _single(value: Any, part: dict[str, Any]) -> Any:
    wanted = part.get("type")
    if isinstance(value, str):
        choices = [one for one in part.get("enum", ()) if isinstance(one, str) and _plain(one) == _plain(value)]
        if len(choices) == 1:
            return choices[0]
        text = value.strip()
        if wanted == "integer" and _WHOLE.fullmatch(text):
            return int(text)
        if wanted == "number" and _DECIMAL.fullmatch(text):
            return float(text) if "." in text else int(text)
        if wanted == "boolean" and text.lower() in ("true", "false"):
            return text.lower() == "true"
    elif wanted == "string" and isinstance(value, bool):
        return "true" if value else "false"
    elif wanted == "string" and isinstance(value, int):
        return str(value)  # of a fraction nobody knows any more whether it was written 1.1 or 1.10
    return value


def _packed(value: Any, part: Any) -> Any:
    """A list for the object that has one list, one object for a list of one, a list for the object around it."""
    if not isinstance(part, dict):
        return value
    if isinstance(value, list) and part.get("type") == "object":
        lists = [key for key, inner in part.get("properties", {}).items() if _is_list(inner)]
        if len(value) == 1 and isinstance(value[0], dict) and set(value[0]) & set(part.get("properties", {})):
            return value[0]
        return {lists[0]: value} if len(lists) == 1 else value
    if isinstance(value, dict) and part.get("type") == "array" and len(value) == 1:
        inner = next(iter(value.values()))
        return inner if isinstance(inner, list) else value
    return value


def _is_list(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "array"


def _plain(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("-", " ").casefold().split()).rstrip(".")


def _target(part: Any, root: dict[str, Any]) -> dict[str, Any]:
    """The part that a reference within the schema names, {} where there is nothing to go by."""
    for _ in range(20):
        if not isinstance(part, dict) or "$ref" not in part:
            break
        steps = str(part["$ref"]).removeprefix("#").strip("/").split("/")
        part = root
        for step in steps if steps != [""] else []:
            part = part.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(part, dict) else {}
    return part if isinstance(part, dict) else {}


def _keeps(validator: Any, value: Any, part: dict[str, Any]) -> bool:
    return bool(validator.evolve(schema=part).is_valid(value))  # references still point into the whole schema
