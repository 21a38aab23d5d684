"""Which settings two versions were not made by alike: a config that was forgotten makes another benchmark."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MOST = 8  # settings that are named


def differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """The options with another value, dotted (`perturb.query`); both as JSON holds them. Defaults are values, too."""
    return tuple(_differing(old, new, ""))


def differ(names: Sequence[str], before: str) -> str:
    """It in words, with the first few of the names; `before` is the version as a reader knows it."""
    more = f" and {len(names) - MOST:,} more" if len(names) > MOST else ""
    return f"Settings differ from version {before}: {', '.join(names[:MOST])}{more}"


def _differing(old: Mapping[str, Any], new: Mapping[str, Any], within: str) -> Iterator[str]:
    for name in sorted({*old, *new}):
        was, now, path = old.get(name), new.get(name), f"{within}{name}"
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _differing(was, now, f"{path}.")
        elif was != now:
            yield path
