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


def parse_json(text: str) -> Any:
    """The value that this whole text is; BadJSON where it is none, or deeper than DEEPEST."""
    try:
        return check_value(_DECODER.decode(text.strip().removeprefix("\ufeff").strip()))
    except (ValueError, RecursionError) as error:
        raise BadJSON(_parse_fault(error)) from None


def find_json(text: str) -> list[Any]:
    """The values in a reply among a fence, thinking or other words; [] where the JSON in it is broken anywhere.

    Thinking counts for nothing, be it between tags or only ended by one.
    """
    answer = strip_thinking(text)
    found = _find_json(answer)
    # an end tag without a beginning may be a string's own
    return found or ([] if answer == text or _THOUGHT.match(text) else _find_json(text))


def strip_thinking(text: str) -> str:
    """The reply after the model's thinking; "" where it never came to an end."""
    if thought := _THOUGHT.match(text):
        return text[thought.end() :]
    if re.match(r"\s*<think(?:ing)?>", text, re.IGNORECASE):
        return ""
    ends = list(_THOUGHT_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _find_json(text: str) -> list[Any]:
    for whole in (text, _unfenced(text)):
        try:
            return [parse_json(whole)]
        except BadJSON:
            continue
    found: list[Any] = []
    start = BEGINS.search(text) if len(text) <= LONGEST else None
    while start:
        if len(found) == MOST:
            return []
        try:
            value, end = _DECODER.raw_decode(text, start.start())
            found.append(check_value(value))
        except (ValueError, RecursionError):
            return []
        start = BEGINS.search(text, end)
    return found


def _unfenced(text: str) -> str:
    """What stands in a reply that is one fence; "" where it is none."""
    bare = text.strip()
    opened = _FENCE.match(bare)
    return bare[opened.end() : -3] if opened and bare.endswith("```") and len(bare) >= opened.end() + 3 else ""


def check_value(value: Any) -> Any:
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


def _parse_fault(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON: {error.msg} at character {error.pos:,}"
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)

# Repair of broken JSON, taken only where it added, dropped and cut no word of the reply. What a reply leaves open at
# its end (an array, an object, a string) is never closed for it: half a reply whose server says "stop" looks just like
# that, and a list that lacks its rest is a wrong list.

LONGEST_REPAIRED = 200_000  # characters that are mended: the library is slow
_FENCES = re.compile(r"^[ \t]*```[\w+-]*[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_NO_VALUE = re.compile(r"[:\[,]\s*[-+]?(?:NaN|Infinity|undefined)\b")
_COMMENT = re.compile(r"/\*.*?\*/|(?:(?<=[\s,{\[\]}])|^)(?://|#)[^\n]*", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(r"\b(?:none|null|true|false)\b", re.IGNORECASE)
_FORM = re.compile(r"""[\s"'“”‘’`,:{}\[\]()\\]+""")  # what a mending may add and drop
_SWALLOWED = re.compile(r"""["'”]\s*[:,+]\s*["'“]|["'”]\s*[}\]]\s*[,}\]]""")  # form that got into a string
_QUOTES = "\"'”’`"
_END = {"rarefy_end": 1}


def repair_broken_json(text: str) -> list[Any]:
    """The value in this broken reply, as a list of one; [] where nothing in it looks like JSON; BadJSON otherwise."""
    answer = strip_thinking(text)
    fenced = [block for block in _FENCES.findall(answer) if BEGINS.search(block)]
    if len(fenced) > 1:
        raise BadJSON("several code blocks, and broken JSON in them")
    part = _part(fenced[0] if fenced else answer)
    return [_repair(part)] if part else []


def _part(text: str) -> str:
    """From the first bracket that begins JSON to the last one that closes any."""
    start = BEGINS.search(text)
    if not start:
        return ""
    end = max(text.rfind("}"), text.rfind("]"))
    if end < start.start() or text[end] != {"{": "}", "[": "]"}[text[start.start()]]:
        raise BadJSON("the JSON has no end")
    return text[start.start() : end + 1]


def _repair(text: str) -> Any:
    from json_repair import repair_json  # late: an offline build needs none

    if len(text) > LONGEST_REPAIRED:
        raise BadJSON(f"broken JSON of {len(text):,} characters, at most {LONGEST_REPAIRED:,} are mended")
    if _depth(text) > DEEPEST:
        raise BadJSON(f"nested more than {DEEPEST} levels deep")
    if found := _NO_VALUE.search(text):
        raise BadJSON(f"{found[0].lstrip(':[, ')} is no JSON")
    try:
        value = repair_json(text, return_objects=True, skip_json_loads=True, strict=True)
        # what follows must be a value of its own: if it became part of this one, this one had been left open
        followed = repair_json(f'{text}\n{{"rarefy_end": 1}}', return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError) as error:
        raise BadJSON(f"broken JSON: {str(error).rstrip('.') or type(error).__name__}") from None
    if not isinstance(value, (dict, list)) or followed != [value, _END]:
        raise BadJSON("the JSON is broken: an array, object or string is not closed")
    leaves, plain = _leaves(value), _COMMENT.sub(" ", text)
    ends = {shape.rstrip("}])\n\r\t ,")[-1:] for shape in (text, plain)}
    if leaves and isinstance(leaves[-1], str) and ends.isdisjoint(_QUOTES):
        raise BadJSON("the JSON is broken: its last string is not closed")
    if any(_SWALLOWED.search(leaf) for leaf in leaves if isinstance(leaf, str)):
        raise BadJSON("the JSON is broken: quotation marks inside a string are not escaped")
    content = _content(" ".join(_as_text(leaf) for leaf in leaves))
    if content not in (_content(_unescaped(text)), _content(_unescaped(plain))):
        raise BadJSON("the JSON is broken in a way that cannot be mended without a guess")
    return check_value(value)


def _depth(text: str) -> int:
    """How deep it may be nested, at most: brackets in strings count too."""
    deep = deepest = 0
    for found in re.finditer(r"[{}\[\]]", text):
        deep = deep + 1 if found[0] in "{[" else max(deep - 1, 0)
        deepest = max(deepest, deep)
    return deepest


def _leaves(value: Any) -> list[Any]:
    """All keys and values in their order."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in (key, *_leaves(inner))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [value]


def _as_text(leaf: Any) -> str:
    return "null" if leaf is None else str(leaf)


def _unescaped(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return " " if found[2] in "nrtbf" else found[2]

    return _ESCAPED.sub(plain, text)


def _content(text: str) -> str:
    """The words, figures and marks of a text without the form of JSON, so that texts of equal content are equal."""
    text = _NUMBER.sub(lambda found: repr(float(found[0])), text)
    text = _WORD.sub(lambda found: "null" if found[0].lower() in ("none", "null") else found[0].lower(), text)
    return _FORM.sub("", text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
