"""Broken JSON mended by a library, and taken only where the mending added, dropped and cut no word of the reply.

What a reply leaves open at its end (an array, an object, a string) is never closed for it: half a reply whose server
says "stop" looks just like that, and a list that lacks its rest is a wrong list.
"""

import re
from typing import Any

from rarefy.tasks.models.llm.reading import BEGINS, DEEPEST, BadJSON, checked, unthought

LONGEST = 200_000  # characters that are mended: the library is slow
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


def mended(text: str) -> list[Any]:
    """The value in this broken reply, as a list of one; [] where nothing in it looks like JSON; BadJSON otherwise."""
    answer = unthought(text)
    fenced = [block for block in _FENCES.findall(answer) if BEGINS.search(block)]
    if len(fenced) > 1:
        raise BadJSON("several code blocks, and broken JSON in them")
    part = _part(fenced[0] if fenced else answer)
    return [_mended(part)] if part else []


def _part(text: str) -> str:
    """From the first bracket that begins JSON to the last one that closes any."""
    start = BEGINS.search(text)
    if not start:
        return ""
    end = max(text.rfind("}"), text.rfind("]"))
    if end < start.start() or text[end] != {"{": "}", "[": "]"}[text[start.start()]]:
        raise BadJSON("the JSON has no end")
    return text[start.start() : end + 1]


def _mended(text: str) -> Any:
    from json_repair import repair_json  # late: an offline build needs none

    if len(text) > LONGEST:
        raise BadJSON(f"broken JSON of {len(text):,} characters, at most {LONGEST:,} are mended")
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
    said = _content(" ".join(_shown(leaf) for leaf in leaves))
    if said not in (_content(_unescaped(text)), _content(_unescaped(plain))):
        raise BadJSON("the JSON is broken in a way that cannot be mended without a guess")
    return checked(value)


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


def _shown(leaf: Any) -> str:
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
