"""Data inside a page: JSON that no parser of HTML or JavaScript can take for anything else."""

import json
from typing import Any

from markupsafe import Markup

# "</script>" and "<!--" end or change a script element; U+2028 and U+2029 end lines in older JavaScript; the rest would
# turn the direction of what follows in the source of the page, or be dropped on the way
_TOLD = [
    0x3C,
    0x3E,
    0x26,
    0x2028,
    0x2029,
    0x7F,
    0xFEFF,
    0x61C,
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
]
_ESCAPES = {code: f"\\u{code:04x}" for code in _TOLD}


def json_script(data: Any) -> Markup:
    """The data as JSON for a `<script type="application/json">`; ValueError where it holds NaN."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # lone surrogates cannot be written as UTF-8 at all
    text = "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text) if _torn(text) else text
    return Markup(text.translate(_ESCAPES))


def _torn(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
