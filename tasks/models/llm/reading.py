"""JSON as RFC 8259 has it, found in a reply: bounded in depth, with no NaN and no key said twice in two ways."""

import json
import math
import re
from typing import Any

DEEPEST = 64  # levels of arrays and objects; a prompt's schema has a handful
_FENCE = re.compile(r"```[\w+-]*")
LONGEST = 200_000  # characters among which values are looked for; a reply that is one value may be longer
MOST = 50  # values in one reply: beyond that it is no answer
_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
# an opening bracket that begins JSON, also of a sloppy kind, and not [a remark] or {such}
BEGINS = re.compile(
    r"""\{(?=\s*(?:["'“‘{}\[,]|\w+\s*:|//|/\*|\#))|\[(?=\s*(?:["'“‘{\[\],]|-?\d|//|/\*|(?:true|false|null|None|True|False)\b))"""
)


class BadJSON(ValueError):
    """This is not one JSON value, and why not."""


def read(text: str) -> Any:
    """The value that this whole text is; BadJSON where it is none, or deeper than DEEPEST."""
    try:
        return checked(_DECODER.decode(text.strip().removeprefix("\ufeff").strip()))
    except (ValueError, RecursionError) as error:
        raise BadJSON(_told(error)) from None


def within(text: str) -> list[Any]:
    """The values in a reply among a fence, thinking or other words; [] where the JSON in it is broken anywhere.

    Thinking counts for nothing, be it between tags or only ended by one.
    """
    answer = unthought(text)
    found = _within(answer)
    # an end tag without a beginning may be a string's own
    return found or ([] if answer == text or _THOUGHT.match(text) else _within(text))


def unthought(text: str) -> str:
    """The reply after the model's thinking; "" where it never came to an end."""
    if thought := _THOUGHT.match(text):
        return text[thought.end() :]
    if re.match(r"\s*<think(?:ing)?>", text, re.IGNORECASE):
        return ""
    ends = list(_THOUGHT_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _within(text: str) -> list[Any]:
    for whole in (text, _unfenced(text)):
        try:
            return [read(whole)]
        except BadJSON:
            continue
    found: list[Any] = []
    start = BEGINS.search(text) if len(text) <= LONGEST else None
    while start:
        if len(found) == MOST:
            return []
        try:
            value, end = _DECODER.raw_decode(text, start.start())
            found.append(checked(value))
        except (ValueError, RecursionError):
            return []
        start = BEGINS.search(text, end)
    return found


def _unfenced(text: str) -> str:
    """What stands in a reply that is one fence; "" where it is none."""
    bare = text.strip()
    opened = _FENCE.match(bare)
    return bare[opened.end() : -3] if opened and bare.endswith("```") and len(bare) >= opened.end() + 3 else ""


def checked(value: Any) -> Any:
    """The value, if it is no deeper than DEEPEST and its numbers are finite; BadJSON otherwise."""
    level = [value]
    for _ in range(DEEPEST + 1):
        if any(isinstance(inner, float) and not math.isfinite(inner) for inner in level):
            raise BadJSON("a number is too large")
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return value
    raise BadJSON(f"nested more than {DEEPEST} levels deep")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        key = re.sub("[\ud800-\udfff]", "\ufffd", key)
        if key in found and (found[key] != value or type(found[key]) is not type(value)):
            raise BadJSON(f"the key {key[:50]!r} stands twice with different values")
        found[key] = value
    return found


def _constant(text: str) -> Any:
    raise BadJSON(f"{text} is no JSON")


def _told(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON: {error.msg} at character {error.pos:,}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
