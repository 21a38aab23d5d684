"""Names and texts from outside, made fit to be written down: on one line, and in characters that UTF-8 has."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")  # halves of characters, which JSON may hold alone and UTF-8 has not
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|^\\s|\\s\\Z")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def name(text: str) -> str:
    """An id on one line; what does not fit is written as its number, so that two ids stay two."""
    return _UNFIT.sub(_numbered, text)


def sound(text: str) -> str:
    """The text, as long as before, with every lone surrogate as the replacement character."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def line(text: str) -> str:
    """The text on one line."""
    text = sound(text)
    return " ".join(_BREAKS.sub(" ", text).split()) if _BREAKS.search(text) else text.strip()


def _numbered(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
