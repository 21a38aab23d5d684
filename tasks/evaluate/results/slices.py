"""What a slice says: "perturbation=typos, retriever=bm25" as names and values, and in which order slices stand."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

ALL = "all"
# A comma ends a value only where a new name follows it: "entity=Apple, Inc., period=2024" has two names
_BETWEEN = re.compile(r"\s*[,;]\s*(?=[A-Za-z_][\w@/ -]*=)")
_NUMBERS = re.compile(r"(\d+(?:\.\d+)?)")
# What a bin, an order or a class is said in; all else stands by number, then by letter
_RANKS = {
    name: at
    for at, name in enumerate(
        "none original gold near reversed mid far shuffled single chain star inverted_star multi golden distracting "
        "low_quality inconsequential irrelevant known unknown yes no".split()
    )
}


@cache
def parsed(slice_: str) -> tuple[tuple[str, str], ...]:
    """Names and values of a slice, in its own order; () for "all". A part without a name gets the name ""."""
    if slice_.strip() in ("", ALL):
        return ()
    parts = (part.partition("=") if "=" in part else ("", "=", part) for part in _BETWEEN.split(slice_.strip()))
    return tuple((name.strip(), value.strip()) for name, _, value in parts)


def where(slice_: str) -> dict[str, str]:
    """The slice as a mapping of names to values."""
    return dict(parsed(slice_))


def told(names: Mapping[str, str]) -> str:
    """The mapping as a slice again."""
    return ", ".join(f"{name}={value}" if name else value for name, value in names.items()) or ALL


@cache
def natural(value: str) -> tuple[Any, ...]:
    """A key that sorts values as a reader counts: original before reversed, 5 before 10, 300-599 before 1500+."""
    parts = _NUMBERS.split(value)
    spread = tuple((0, float(part), "") if at % 2 else (1, 0.0, part) for at, part in enumerate(parts) if part)
    return (_RANKS.get(value, len(_RANKS)), spread)


def number(value: str) -> float | None:
    """The value as a number: "0.3", "30%", "k10" is none."""
    try:
        return float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        return None
