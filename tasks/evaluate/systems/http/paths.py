"""Where something stands in JSON: names and numbers, a small and usual part of JSONPath (RFC 9535)."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

# a name after a dot or at the beginning, [0], [-1], [*], ['any name'] or ["any name"]
_STEP = re.compile(r"""(?:^|\.)([^.\[\]$\s'"]+)|\[(-?\d+)\]|\[(\*)\]|\[(?:'([^']+)'|"([^"]+)")\]""")


class Missing(LookupError):
    """There is nothing at this path; says how far it leads."""


@cache
def parsed(path: str) -> tuple[str | int | None, ...]:
    """The steps of a path: a name, a number, or None for each entry of a list; ValueError where it is none."""
    rest = path.removeprefix("$")
    if rest.startswith(".") and not path.startswith("$"):
        raise ValueError(f"path {path!r} begins with a dot; write answer, $.answer or choices[0].message.content")
    steps: list[str | int | None] = []
    at = 0
    if path.startswith("$"):
        rest = rest.removeprefix(".") if rest.startswith(".") and not rest.startswith("..") else rest
    while at < len(rest):
        step = _STEP.match(rest, at)
        if not step or step.end() == at:
            raise ValueError(
                f"path {path!r} cannot be read at {rest[at:]!r}; write answer, $.answer, choices[0].message.content, "
                "sources[*].id or ['a name'].text"
            )
        name, number, each, single, double = step.groups()
        steps.append(int(number) if number else None if each else name or single or double)
        at = step.end()
    return tuple(steps)


def at(value: Any, path: str) -> Any:
    """What stands at a path; a list where the path has [*]; Missing where nothing does."""
    return _at(value, parsed(path), path)


def _at(value: Any, steps: Sequence[str | int | None], path: str) -> Any:
    for done, step in enumerate(steps):
        if step is None:
            if not isinstance(value, list):
                raise Missing(f"{path}: [*] asks for a list, there is {told(value)}")
            return [_at(one, steps[done + 1 :], path) for one in value]
        try:
            if isinstance(step, int) != isinstance(value, list) or not isinstance(value, dict | list):
                raise LookupError
            value = value[step]  # type: ignore[index]
        except LookupError:
            raise Missing(f"{path}: no {step!r} in {told(value)}") from None
    return value


def told(value: Any) -> str:
    """What a value is, in a few words, without what it holds."""
    if isinstance(value, dict):
        names = [str(name)[:40] for name in list(value)[:8]]
        return f"an object with {', '.join(names)}{', …' if len(value) > 8 else ''}" if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return {str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")
