"""A text in plain characters, each at its old place: digits, blanks, dashes and quotes of any script and keyboard."""

import unicodedata
from functools import lru_cache

_PLAIN = {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"}
_PLAIN |= {ord(c): "'" for c in "\u2018\u2019\u201b\u02bc\u2032\uff07"} | {ord(c): '"' for c in "\u201c\u201d\u201e"}
_PLAIN |= {ord(c): " " for c in "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"}
# What re.IGNORECASE takes for a letter of ASCII, as that letter: tables of words do not have the others
_LETTERS = {0x017F: "s", 0x212A: "K", 0x0130: "I", 0x0131: "i"}
_PLAIN |= _LETTERS


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
    return text if text.isascii() else "".join(char if char < "\x7f" else _plain(char) for char in text)


def lettered(text: str) -> str:
    """The text, of the same length, with "ſ", "K" (Kelvin), "İ" and "ı" as s, K, I and i."""
    return text if text.isascii() else text.translate(_LETTERS)
