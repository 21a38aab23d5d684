"""Replace unusual characters by plain ones, and spell out unseen ones."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

from markupsafe import Markup

_PLAIN = {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"}
_PLAIN |= {ord(c): "'" for c in "\u2018\u2019\u201b\u02bc\u2032\uff07"} | {ord(c): '"' for c in "\u201c\u201d\u201e"}
_PLAIN |= {ord(c): " " for c in "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"}
# What re.IGNORECASE takes for a letter of ASCII, as that letter: tables of words do not have the others
_LETTERS = {0x017F: "s", 0x212A: "K", 0x0130: "I", 0x0131: "i"}
_PLAIN |= _LETTERS
_UNUSUAL = re.compile("[^\x00-\x7e]")


@lru_cache(maxsize=4_096)
def _plain(char: str) -> str:
    if char in "\u202f\u2009\u00a0":
        return "\u00a0"
    told = _PLAIN.get(ord(char))
    if told is not None:
        return told
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if "\uff01" <= char <= "\uff5e":  # full-width forms of ASCII
        return chr(ord(char) - 0xFEE0)
    return {"\uffe5": "¥", "\uffe1": "£", "\u3000": " ", "\u066a": "%", "\ufe6a": "%"}.get(char, char)


def plain(text: str) -> str:
    """The text, of the same length, with ASCII's digits, hyphens, quotes and blanks in place of all their kin.

    A blank that does not break ("1 234" as French prints it) stays one, as U+00A0: it says that what it joins is one.
    """
    return text if text.isascii() else _UNUSUAL.sub(lambda hit: _plain(hit[0]), text)


def lettered(text: str) -> str:
    """The text, of the same length, with "ſ", "K" (Kelvin), "İ" and "ı" as s, K, I and i."""
    return text if text.isascii() else text.translate(_LETTERS)


# Unseen characters

# Controls but for tab and line ends; marks that change direction or join; tags; what is no character at all
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def shorten(text: str, most: int) -> str:
    """The text, cut to at most so many characters with … at its end."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shorten_middle(text: str, most: int) -> str:
    """The text, cut between words to at most so many characters with … a third from its beginning: its end stays."""
    if len(text) <= most:
        return text
    begin, end = text[: most // 3], text[-(most - 1 - most // 3) :]
    head, _, _ = begin.rpartition(" ")
    _, _, tail = end.partition(" ")
    return f"{head or begin} … {tail}" if tail and len(head or begin) + len(tail) + 3 <= most else f"{begin}…{end}"


def visible(value: Any) -> Any:
    """Text with such characters spelled out (⟨U+202E⟩); what is markup already, or no text, as it is."""
    if isinstance(value, Markup) or not isinstance(value, str) or not _UNSEEN.search(value):
        return value
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", value)
