"""What is sent to an endpoint, made from a pattern of it: each place filled once, so that no text can name another."""

import os
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.models.llm.faults import Unavailable

OF_ASKED = ("query", "passages", "texts", "context", "refusal", "protocol", "domain", "language", "repeat", "asked_id")
OF_PASSAGE = ("id", "title", "text", "score", "rank")
OF_PASSAGES = frozenset(("passages", "texts", "context"))
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class _Absent:
    """Stands for a value that is left out of what is sent."""


ABSENT = _Absent()


def names(pattern: Any) -> Iterator[str]:
    """The names of all places in a pattern."""
    if isinstance(pattern, str):
        yield from (found[1] for found in _PLACE.finditer(_VARIABLE.sub("", pattern)) if found[1])
    elif isinstance(pattern, dict):
        for value in pattern.values():
            yield from names(value)
    elif isinstance(pattern, list):
        for value in pattern:
            yield from names(value)


def check(pattern: Any, known: tuple[str, ...], where: str) -> None:
    """ValueError where a pattern has a place that nothing fills."""
    for name in names(pattern):
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"did you mean {{{near[0]}}}? " if near else ""
            raise ValueError(f"{where}: nothing fills {{{name}}}; {meant}have {', '.join(known)}; {{{{ is a brace")


def expanded(pattern: Any, where: str) -> Any:
    """A pattern with the variables of the environment in it; Unavailable where one is not set."""

    def value(found: re.Match[str]) -> str:
        told = os.environ.get(found[1], "").strip()
        if not told:
            raise Unavailable(f"{where} names ${{{found[1]}}}, which is not set: export {found[1]}=...")
        return told if where == "http.url" or where.startswith("http.headers") else _PLACE.sub(_doubled, told)

    if isinstance(pattern, str):
        return _VARIABLE.sub(value, pattern)
    if isinstance(pattern, dict):
        return {name: expanded(one, where) for name, one in pattern.items()}
    return [expanded(one, where) for one in pattern] if isinstance(pattern, list) else pattern


def variables(*patterns: Any) -> Iterator[str]:
    """The names of the variables of the environment in patterns."""
    for pattern in patterns:
        if isinstance(pattern, str):
            yield from (found[1] for found in _VARIABLE.finditer(pattern))
        elif isinstance(pattern, dict):
            yield from variables(*pattern.values())
        elif isinstance(pattern, list):
            yield from variables(*pattern)


def filled(pattern: Any, values: Mapping[str, Any]) -> Any:
    """A pattern with its places filled: a text that is one place becomes the value, whatever it is.

    What is ABSENT is left out of its object or list, and is nothing within a text.
    """
    if isinstance(pattern, str):
        whole = _PLACE.fullmatch(pattern)
        if whole and whole[1]:
            return values[whole[1]]
        return _PLACE.sub(lambda found: _written(found, values), pattern)
    if isinstance(pattern, dict):
        made = {name: filled(one, values) for name, one in pattern.items()}
        return {name: one for name, one in made.items() if one is not ABSENT}
    if isinstance(pattern, list):
        return [one for one in (filled(each, values) for each in pattern) if one is not ABSENT]
    return pattern


def values_of(asked: SystemInput, passage: Any) -> dict[str, Any]:
    """What fills the places of a request; what hangs on passages is ABSENT where the system retrieves itself."""
    told: dict[str, Any] = {
        "query": asked.query,
        "refusal": asked.refusal,
        "protocol": asked.protocol,
        "domain": asked.domain,
        "language": asked.language,
        "repeat": asked.repeat,
        "asked_id": asked.asked_id,
    }
    if asked.passages is None:
        return told | dict.fromkeys(OF_PASSAGES, ABSENT)
    entries = [
        {"id": one.passage_id, "title": one.title, "text": one.text, "score": one.score, "rank": rank}
        for rank, one in enumerate(asked.passages, 1)
    ]
    return told | {
        "passages": [filled(passage, entry) for entry in entries],
        "texts": [one.text for one in asked.passages],
        "context": "\n\n".join(
            f"[{rank}] {one.title}\n{one.text}" if one.title else f"[{rank}] {one.text}"
            for rank, one in enumerate(asked.passages, 1)
        ),
    }


def _written(found: re.Match[str], values: Mapping[str, Any]) -> str:
    if not found[1]:
        return found[0][0]
    value = values[found[1]]
    if value is ABSENT or value is None:
        return ""
    return "\n\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _doubled(found: re.Match[str]) -> str:
    return found[0].replace("{", "{{").replace("}", "}}")
