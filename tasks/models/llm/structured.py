"""A reply as the value that its schema asks for: the bounded ladder clean → fenced → repaired → one re-ask → rejected.

Nothing here guesses. Every value keeps the schema; none is taken whose words a repair added, dropped or cut short; of
two different values in one reply neither is taken. What can be lost by that is one more request, never a wrong row.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.tasks.models.llm.json_text import BadJSON, find_json, parse_json, repair_broken_json
from rarefy.tasks.text.characters import shorten

LONGEST = 1_000_000  # characters of a reply that is read at all
SHOWN_FAULT = 300
SHOWN_REPLY, SHOWN_SCHEMA = 4_000, 6_000  # characters of the model's own reply and of the schema in a re-ask
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reply says: a value that keeps the schema, or why there is none."""

    value: str = ""  # canonical JSON: keys sorted, no spaces, characters as they are; "" where there is none
    how: str = ""  # clean | fenced | repaired; "" where there is none
    fault: str = ""  # why there is none, in few words; parts of the reply may stand in it


def parse(text: str, schema: str) -> Parsed:
    """The value in this reply that keeps this JSON schema; never raises for any text, ValueError for a bad schema.

    clean: the reply is that value and nothing else. fenced: it stands in a code fence, after a model's thinking or
    among other words. repaired: its syntax or a type was mended without adding, dropping or choosing any content.
    """
    validator = _validator(schema)
    if len(text) > LONGEST:
        return Parsed(fault=f"the reply has {len(text):,} characters, at most {LONGEST:,} are read")
    fault = "no JSON in the reply"
    try:
        clean = [parse_json(text)]
    except BadJSON as error:
        clean, fault = [], str(error)
    for how, values in (("clean", clean), ("fenced", [] if clean else find_json(text))):
        if parsed := _only_valid(values, how, validator):
            return parsed
    try:
        values = clean or find_json(text) or repair_broken_json(text)
    except BadJSON as error:
        return Parsed(fault=str(error)[:SHOWN_FAULT])
    if parsed := _only_valid(values, "repaired", validator) or _only_valid(
        fit_to_schema(values, validator), "repaired", validator
    ):
        return parsed
    return Parsed(fault=_fault(values[-1], validator) if values else fault[:SHOWN_FAULT])


def accept_reply(reply: Reply, request: Request) -> Reply | None:
    """The reply as its asker gets it, with the value that its schema asks for; None where it needs a re-ask first."""
    own = replace(reply, request_id=request.request_id)
    if not request.schema:
        return own
    parsed = parse(reply.text, request.schema)
    return replace(own, parsed=parsed.value) if parsed.how else None


def build_reask(request: Request, reply_text: str, fault: str) -> Request:
    """The one re-ask: the same request with the model's reply, what is wrong with it and the schema it must keep.

    It keeps the request's id, and has its own content and so its own key in the reply cache.
    """
    schema = request.schema
    form = f" It must keep this JSON schema:\n{schema}" if len(schema) <= SHOWN_SCHEMA else ""
    demand = (
        f"That reply cannot be used: {shorten(fault, SHOWN_FAULT)}. Give the same answer again as one complete JSON "
        f"value and nothing else: no code fence, no comment, no words before or after it.{form}"
    )
    before = [Message("assistant", shorten(reply_text, SHOWN_REPLY))] if reply_text.strip() else []
    return replace(request, messages=(*request.messages, *before, Message("user", demand)))


def _only_valid(values: Sequence[Any], how: str, validator: Any) -> Parsed | None:
    """The one value among these that keeps the schema; a fault where there are several; None where there is none."""
    kept = dict.fromkeys(_canonical(value) for value in values if _is_valid_reply(validator, value))
    if len(kept) > 1:
        return Parsed(fault=f"{len(kept)} different JSON values in one reply, each of which keeps the schema")
    return Parsed(next(iter(kept)), how) if kept else None


def _is_valid_reply(validator: Any, value: Any) -> bool:
    from referencing.exceptions import Unresolvable

    try:
        return bool(validator.is_valid(value))
    except Unresolvable as error:
        raise ValueError(f"the schema names a part that it does not have: {error}") from error


def _canonical(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub("\ufffd", text)  # half of a character is none, and no database takes it


def _fault(value: Any, validator: Any) -> str:
    from jsonschema.exceptions import best_match

    error = best_match(validator.iter_errors(value))
    return f"{error.json_path}: {shorten(error.message, SHOWN_FAULT - 100)}"[:SHOWN_FAULT]


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    import jsonschema  # late: an offline build needs none
    from referencing import Registry

    try:
        parts = json.loads(schema)
        kind = jsonschema.validators.validator_for(parts, default=jsonschema.Draft202012Validator)
        kind.check_schema(parts)
    except (ValueError, jsonschema.SchemaError, AttributeError, TypeError) as error:
        raise ValueError(f"not a JSON schema ({str(error).splitlines()[0]}): {shorten(schema, 200)}") from error
    return kind(parts, registry=Registry())  # a registry of its own: nothing is fetched from the network


# Values of a wrong type, put right by the schema where there is one way only

_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")


def fit_to_schema(values: Sequence[Any], validator: Any) -> list[Any]:
    """These values as the schema of the (jsonschema) validator wants them, as far as nothing is made up for it.

    A number or boolean where a text is asked becomes its text, and back where it reads as one; a choice is found
    whatever its case; null where it is not allowed and the field may be missing is no field; a field that is not
    allowed is dropped; a list is wrapped into the object whose only list it is, and unwrapped.
    """
    schema = validator.schema
    if not isinstance(schema, dict):
        return list(values)
    return [
        _fit_value(_fit_container(value, _resolve_reference(schema, schema)), schema, schema, validator)
        for value in values
    ]


def _fit_value(value: Any, part: Any, root: dict[str, Any], validator: Any) -> Any:
    part = _resolve_reference(part, root)
    if not part or _is_valid(validator, value, part):
        return value
    for options in (part.get("anyOf"), part.get("oneOf")):
        for option in options or ():
            fit = _fit_value(value, option, root, validator)
            if _is_valid(validator, fit, part):
                return fit
    if isinstance(value, dict):
        return _fit_object(value, part, root, validator)
    if isinstance(value, list):
        return [_fit_value(inner, part.get("items"), root, validator) for inner in value]
    return _fit_scalar(value, part)


def _fit_object(value: dict[str, Any], part: dict[str, Any], root: dict[str, Any], validator: Any) -> dict[str, Any]:
    known, closed = part.get("properties", {}), part.get("additionalProperties") is False
    fit = {}
    for key, inner in value.items():
        if key not in known:
            if not closed or "patternProperties" in part:
                fit[key] = inner
            continue
        inner = _fit_value(inner, known[key], root, validator)
        left_out = inner is None and key not in part.get("required", ())
        if not (left_out and not _is_valid(validator, None, _resolve_reference(known[key], root))):
            fit[key] = inner
    return fit


def _fit_scalar(value: Any, part: dict[str, Any]) -> Any:
    wanted = part.get("type")
    if isinstance(value, str):
        choices = [
            one
            for one in part.get("enum", ())
            if isinstance(one, str) and _normalise_choice(one) == _normalise_choice(value)
        ]
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


def _fit_container(value: Any, part: Any) -> Any:
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


def _normalise_choice(text: str) -> str:
    return " ".join(text.replace("_", " ").replace("-", " ").casefold().split()).rstrip(".")


def _resolve_reference(part: Any, root: dict[str, Any]) -> dict[str, Any]:
    """The part that a reference within the schema names, {} where there is nothing to go by."""
    for _ in range(20):
        if not isinstance(part, dict) or "$ref" not in part:
            break
        steps = str(part["$ref"]).removeprefix("#").strip("/").split("/")
        part = root
        for step in steps if steps != [""] else []:
            part = part.get(step.replace("~1", "/").replace("~0", "~"), {}) if isinstance(part, dict) else {}
    return part if isinstance(part, dict) else {}


def _is_valid(validator: Any, value: Any, part: dict[str, Any]) -> bool:
    return bool(validator.evolve(schema=part).is_valid(value))  # references still point into the whole schema


# Schemas for constrained decoding

# what OpenAI's strict mode refuses and a value can do without: parse() holds every reply against the schema as it is
_DROPPED = (
    "default examples minLength maxLength uniqueItems minProperties maxProperties minContains maxContains $schema $id "
    "$comment readOnly writeOnly deprecated discriminator"
).split()
# what says more than a strict schema can
_UNSUPPORTED = (
    "allOf oneOf not if then else patternProperties propertyNames dependentRequired dependentSchemas contains "
    "prefixItems unevaluatedProperties unevaluatedItems"
).split()


@lru_cache(maxsize=256)
def response_format(schema: str) -> dict[str, Any]:
    """The `response_format` of a chat completion that makes a server keep to this schema; not to be changed.

    In strict mode every property is required and none besides is allowed; a schema that says what strict mode cannot
    (its root is no object, an object of any keys, allOf and the like) is sent as it is with strict false.
    """
    parts = json.loads(schema)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", str(parts.get("title") or "answer")).strip("_")[:64] or "answer"
    try:
        strict = _make_strict(parts)
        root = strict
        for _ in range(5):
            if "$ref" in root:
                root = _resolve_definition(root["$ref"], strict)
        able = root.get("type") == "object" and "anyOf" not in root
        if able and root is not strict:  # the root itself must be the object
            strict = {**root, "$defs": strict.get("$defs", {})}
    except _NotStrict:
        able = False
    return {"type": "json_schema", "json_schema": {"name": name, "strict": able, "schema": strict if able else parts}}


class _NotStrict(Exception):
    """Strict mode cannot say this."""


def _make_strict(part: Any) -> Any:
    if not isinstance(part, dict) or any(word in part for word in _UNSUPPORTED):
        raise _NotStrict
    if "$ref" in part:
        return {"$ref": part["$ref"], **_definitions(part)}  # nothing may stand beside a reference
    strict = {key: value for key, value in part.items() if key not in _DROPPED}
    if "const" in strict:
        strict = {"enum": [strict.pop("const")], **strict}
    if isinstance(strict.get("type"), list):
        strict["anyOf"] = [{**strict, "type": kind} for kind in strict.pop("type")]
        strict = {key: strict[key] for key in ("title", "description", "anyOf") if key in strict}
    if "anyOf" in strict:
        strict["anyOf"] = [_make_strict(option) for option in strict["anyOf"]]
    elif strict.get("type") == "object":
        inner = strict.get("properties", {})
        if not inner and part.get("additionalProperties", True) is not False:
            raise _NotStrict  # any keys are welcome
        if isinstance(part.get("additionalProperties"), dict):
            raise _NotStrict
        strict["properties"] = {key: _make_strict(value) for key, value in inner.items()}
        strict |= {"required": list(inner), "additionalProperties": False}
    elif strict.get("type") == "array":
        strict["items"] = _make_strict(strict.get("items"))
    elif "type" not in strict and "enum" not in strict:
        raise _NotStrict  # anything is welcome
    return strict | _definitions(part)


def _definitions(part: dict[str, Any]) -> dict[str, Any]:
    return {
        word: {name: _make_strict(inner) for name, inner in part[word].items()}
        for word in ("$defs", "definitions")
        if word in part
    }


def _resolve_definition(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        if not isinstance(found, dict) or step not in found:
            raise _NotStrict
        found = found[step]
    if not isinstance(found, dict):
        raise _NotStrict
    return found
