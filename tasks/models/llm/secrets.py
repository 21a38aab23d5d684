"""Keys never leave the process but to their endpoint: nothing that is told, stored or raised holds one."""

import json
import logging
import os
import re
from urllib.parse import quote

from rarefy.tasks.text.characters import shorten

_SHAPES = (
    re.compile(  # long values only: a filing speaks of basic earnings, bearer bonds and authorization to repurchase
        r"(?i)\b(?:(?:bearer|basic)\s+|(?:x-)?(?:api-key|authorization)['\"]?\s*[:=]\s*['\"]?)[A-Za-z0-9+/=_.~-]{16,}"
        r"|\bsk-[A-Za-z0-9_*-]{6,}"
    )
)
# of an address: user and password, which may hold "/" and "@" where nobody has quoted them; a user alone may be a token
_USER = re.compile(r"(?<=://)(?:[^\s/?#:\"'<>]*:[^\s\"'<>]*|[^\s/?#\"'<>]*)@")
_QUERY = re.compile(
    r"(?i)([?&;](?:[\w.-]*(?:key|token|secret|signature|credentials?|passw(?:or)?d|pwd|auth)|sig|code)=)[^&\s\"'<>]+"
)
_NAME = re.compile(r"(?i)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH_STRING)$")
_SHORTEST = 6  # a value such as "none" or "EMPTY" is a placeholder, and would blank out ordinary words


def redacted(text: str, most: int = 500) -> str:
    """The text without any key of this process's environment or of a known shape, cut to `most` characters."""
    for name, value in os.environ.items():
        value = value.strip()
        if len(value) >= _SHORTEST and _NAME.search(name):
            for form in secret_forms(value):
                text = text.replace(form, "[key]")
    text = _QUERY.sub(r"\1[key]", _USER.sub("[key]@", _SHAPES.sub("[key]", text)))
    return shorten(text, most)


def secret_forms(value: str) -> tuple[str, ...]:
    """A secret as it stands, and as it stands in an address or in JSON."""
    return tuple(dict.fromkeys((value, quote(value, safe=""), json.dumps(value)[1:-1])))


class Redacted(logging.Filter):
    """Passes every record on, without keys: the client libraries log addresses, and a query may hold one."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True, once the record is clean."""
        record.msg, record.args = redacted(record.getMessage(), most=5_000), ()
        return True


def hush() -> None:
    """Have what the client libraries log told without keys."""
    for name in ("httpx", "httpx2", "openai", "openai._base_client"):
        logger = logging.getLogger(name)
        if not any(isinstance(one, Redacted) for one in logger.filters):
            logger.addFilter(Redacted())


def strip_address(url: str) -> str:
    """An address as it may be told: without user, password and query."""
    return _USER.sub("", url).partition("?")[0]
