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
from rarefy.tasks.models.llm.fitting import fitted
from rarefy.tasks.models.llm.mending import mended
from rarefy.tasks.models.llm.reading import BadJSON, read, within
from rarefy.tasks.models.llm.strict import strict

__all__ = ["Parsed", "again", "kept", "parse", "strict"]

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
        clean = [read(text)]
    except BadJSON as error:
        clean, fault = [], str(error)
    for how, values in (("clean", clean), ("fenced", [] if clean else within(text))):
        if parsed := _only(values, how, validator):
            return parsed
    try:
        values = clean or within(text) or mended(text)
    except BadJSON as error:
        return Parsed(fault=str(error)[:SHOWN_FAULT])
    if parsed := _only(values, "repaired", validator) or _only(fitted(values, validator), "repaired", validator):
        return parsed
    return Parsed(fault=_fault(values[-1], validator) if values else fault[:SHOWN_FAULT])


def kept(reply: Reply, request: Request) -> Reply | None:
    """The reply as its asker gets it, with the value that its schema asks for; None where it needs a re-ask first."""
    own = replace(reply, request_id=request.request_id)
    if not request.schema:
        return own
    parsed = parse(reply.text, request.schema)
    return replace(own, parsed=parsed.value) if parsed.how else None


def again(request: Request, reply_text: str, fault: str) -> Request:
    """The one re-ask: the same request with the model's reply, what is wrong with it and the schema it must keep.

    It keeps the request's id, and has its own content and so its own key in the reply cache.
    """
    schema = request.schema
    asked = f" It must keep this JSON schema:\n{schema}" if len(schema) <= SHOWN_SCHEMA else ""
    told = (
        f"That reply cannot be used: {_cut(fault, SHOWN_FAULT)}. Give the same answer again as one complete JSON value "
        f"and nothing else: no code fence, no comment, no words before or after it.{asked}"
    )
    said = [Message("assistant", _cut(reply_text, SHOWN_REPLY))] if reply_text.strip() else []
    return replace(request, messages=(*request.messages, *said, Message("user", told)))


def _only(values: Sequence[Any], how: str, validator: Any) -> Parsed | None:
    """The one value among these that keeps the schema; a fault where there are several; None where there is none."""
    kept = dict.fromkeys(_canonical(value) for value in values if _keeps(validator, value))
    if len(kept) > 1:
        return Parsed(fault=f"{len(kept)} different JSON values in one reply, each of which keeps the schema")
    return Parsed(next(iter(kept)), how) if kept else None


def _keeps(validator: Any, value: Any) -> bool:
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
    return f"{error.json_path}: {_cut(error.message, SHOWN_FAULT - 100)}"[:SHOWN_FAULT]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    import jsonschema  # late: an offline build needs none
    from referencing import Registry

    try:
        parts = json.loads(schema)
        kind = jsonschema.validators.validator_for(parts, default=jsonschema.Draft202012Validator)
        kind.check_schema(parts)
    except (ValueError, jsonschema.SchemaError, AttributeError, TypeError) as error:
        raise ValueError(f"not a JSON schema ({str(error).splitlines()[0]}): {_cut(schema, 200)}") from error
    return kind(parts, registry=Registry())  # a registry of its own: nothing is fetched from the network
