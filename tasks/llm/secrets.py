"""Keys never leave the process but to their endpoint: nothing that is told, stored or raised holds one."""

import os
import re

_SHAPES = re.compile(
    r"(?i)\b(bearer|basic|api-key:?|x-api-key:?|authorization:?)\s+\S+|\bsk-[A-Za-z0-9_*-]{6,}|(?<=://)[^/\s@]+:[^/\s@]+@"
)
_QUERY = re.compile(r"(?i)([?&](?:api[-_]?key|key|token|sig|signature|code|password)=)[^&\s\"']+")
_NAME = re.compile(r"(?i)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")
_SHORTEST = 6  # a value such as "none" or "EMPTY" is a placeholder, and would blank out ordinary words


def redacted(text: str, most: int = 500) -> str:
    """The text without any key of this process's environment or of a known shape, cut to `most` characters."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and _NAME.search(name):
            text = text.replace(value, "[key]")
    text = _QUERY.sub(r"\1[key]", _SHAPES.sub("[key]", text))
    return text if len(text) <= most else text[: most - 1] + "…"


def address(url: str) -> str:
    """An address as it may be told: without user, password and query."""
    return re.sub(r"(?<=://)[^/\s@]*@", "", url.partition("?")[0])
